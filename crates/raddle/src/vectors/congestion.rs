//! Congestion control as machines: how much and how fast a flow may send.

use super::course::Course;
use super::machine::{Machine, Recorded, json, step};
use super::state::Word;
use raddle_schemes::congestion::{
    Ack, AnyCongestionControl, CnpPlan, Config, CongestionControl, Grant, GrantPlan, Hop, Limits,
    Loss, LossCause, Pacing, PullPlan,
};
use raddle_schemes::ids::{PortId, Psn};
use raddle_schemes::probe::Probes;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Cx, FlowContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What can happen to a flow's congestion control. The answer is what the flow may do then, and when
/// the timer is due.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// Packets arrived.
    OnAck {
        bytes: Bytes,
        marked: bool,
        rtt: Option<Span>,
        in_flight: Bytes,
        cumulative: u32,
        next_new: u32,
        hops: Vec<Hop>,
        circuit: bool,
    },
    /// A packet was lost.
    OnLoss(Loss),
    /// So many bytes left.
    OnSent { bytes: Bytes },
    /// Credits so far.
    OnCredit { count: u32 },
    /// A grant.
    OnGrant(Grant),
    /// A congestion notification.
    OnCnp,
    /// Its timer is due.
    OnTimer,
    /// A message of so many bytes.
    OnMessage { bytes: Bytes },
    /// The next message of the connection begins.
    BeginMessage,
    /// Whether it asks for credit: the answer is for how much.
    PollRequest,
}

impl Machine for AnyCongestionControl {
    type Event = Event;

    fn apply(&mut self, now: Time, rng: &mut Rng, event: &Event) -> Value {
        let cx = &mut Cx { now, rng, events: &mut () };
        match event {
            Event::OnAck { bytes, marked, rtt, in_flight, cumulative, next_new, hops, circuit } => {
                let ack = Ack {
                    bytes: *bytes,
                    marked: *marked,
                    rtt: *rtt,
                    in_flight: *in_flight,
                    cumulative: *cumulative,
                    next_new: *next_new,
                    hops,
                    circuit: *circuit,
                };
                self.on_ack(cx, &ack);
            }
            Event::OnLoss(loss) => _ = self.on_loss(cx, loss),
            Event::OnSent { bytes } => _ = self.on_sent(cx, *bytes),
            Event::OnCredit { count } => _ = self.on_credit(cx, *count),
            Event::OnGrant(grant) => _ = self.on_grant(cx, grant),
            Event::OnCnp => _ = self.on_cnp(cx),
            Event::OnTimer => _ = self.on_timer(cx),
            Event::OnMessage { bytes } => self.on_message(*bytes),
            Event::BeginMessage => self.begin_message(),
            Event::PollRequest => return json!(self.poll_request()),
        }
        let Limits { window, rate } = self.limits();
        json!({ "window": window.0, "rate": rate.map(|rate| rate.0), "timer": self.next_timer().map(|at| at.0) })
    }

    fn state(&self) -> Word {
        Word::of(self)
    }
}

impl CongestionControl for Recorded<AnyCongestionControl> {
    fn probes(&self, to: &mut dyn Probes) {
        self.machine.probes(to);
    }
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let event = Event::OnAck {
            bytes: ack.bytes,
            marked: ack.marked,
            rtt: ack.rtt,
            in_flight: ack.in_flight,
            cumulative: ack.cumulative,
            next_new: ack.next_new,
            hops: ack.hops.to_vec(),
            circuit: ack.circuit,
        };
        self.apply(cx.now, cx.rng, &event);
    }
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        self.apply(cx.now, cx.rng, &Event::OnLoss(*loss));
    }
    fn begin_message(&mut self) {
        self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::BeginMessage);
    }
    fn on_message(&mut self, bytes: Bytes) {
        self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::OnMessage { bytes });
    }
    fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) {
        self.apply(cx.now, cx.rng, &Event::OnSent { bytes });
    }
    fn on_credit(&mut self, cx: &mut Cx<'_>, count: u32) {
        self.apply(cx.now, cx.rng, &Event::OnCredit { count });
    }
    fn poll_request(&mut self) -> Option<u32> {
        if self.is_full() {
            return self.machine.poll_request();
        }
        let before = self.machine.copy()?;
        let request = self.machine.poll_request();
        if request.is_some() {
            // Told as a step of the machine as it was.
            self.machine = before;
            self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::PollRequest);
        }
        request
    }
    fn pulls(&self) -> Option<PullPlan> {
        self.machine.pulls()
    }
    fn on_grant(&mut self, cx: &mut Cx<'_>, grant: &Grant) {
        self.apply(cx.now, cx.rng, &Event::OnGrant(*grant));
    }
    fn grants(&self) -> Option<GrantPlan> {
        self.machine.grants()
    }
    fn class(&self, psn: Psn) -> Option<u8> {
        self.machine.class(psn)
    }
    fn on_cnp(&mut self, cx: &mut Cx<'_>) {
        self.apply(cx.now, cx.rng, &Event::OnCnp);
    }
    fn cnps(&self) -> Option<CnpPlan> {
        self.machine.cnps()
    }
    fn retimes(&self) -> bool {
        self.machine.retimes()
    }
    fn telemetry_bytes(&self) -> Bytes {
        self.machine.telemetry_bytes()
    }
    fn least_rate(&self) -> Option<Rate> {
        self.machine.least_rate()
    }
    fn next_timer(&self) -> Option<Time> {
        self.machine.next_timer()
    }
    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.apply(cx.now, cx.rng, &Event::OnTimer);
    }
    fn limits(&self) -> Limits {
        self.machine.limits()
    }
    fn spreads_slots(&self) -> bool {
        self.machine.spreads_slots()
    }
    fn shuffles_slots(&self) -> bool {
        self.machine.shuffles_slots()
    }
    fn pacing(&self) -> Pacing {
        self.machine.pacing()
    }
}

const PACKET: Bytes = Bytes(4160);
/// The most packets between the first that is missing and the last that was sent.
const SPAN: usize = 256;

/// A sender and what has become of its packets.
struct Sender {
    machine: AnyCongestionControl,
    /// By packet: whether it has arrived.
    arrived: Vec<bool>,
    cumulative: usize,
    credits: u32,
}

impl Sender {
    fn in_flight(&self) -> Bytes {
        Bytes(PACKET.0 * self.arrived.iter().filter(|arrived| !**arrived).count() as u64)
    }

    fn next_new(&self) -> u32 {
        self.arrived.len() as u32
    }

    fn has_room(&self) -> bool {
        self.in_flight().0 + PACKET.0 <= self.machine.limits().window.0
            && self.arrived.len() < self.cumulative + SPAN
    }

    /// What happens next: its timer, credit, grants and notifications where it knows such; packets
    /// while its window has room; then arrivals and losses in any order.
    fn next(&mut self, course: &mut Course) -> Event {
        let timer = self.machine.next_timer();
        if timer.is_some_and(|due| due <= course.now()) {
            return Event::OnTimer;
        }
        if self.machine.pulls().is_some() && course.below(3) == 0 {
            self.credits += 2;
            return Event::OnCredit { count: self.credits };
        }
        if self.machine.grants().is_some() && course.below(3) == 0 {
            let upto = self.next_new() + course.below(4) as u32;
            return Event::OnGrant(Grant { upto, class: course.below(5) as u8 });
        }
        if self.machine.cnps().is_some() && course.below(20) == 0 {
            return Event::OnCnp;
        }
        if self.has_room() && course.below(3) > 0 || self.cumulative == self.arrived.len() {
            self.arrived.push(false);
            return Event::OnSent { bytes: PACKET };
        }
        let psn =
            self.cumulative + course.below((self.arrived.len() - self.cumulative) as u64) as usize;
        if !self.arrived[psn] && course.below(20) == 0 {
            let causes = [
                LossCause::Trim,
                LossCause::Timeout,
                LossCause::Reordering,
                LossCause::Nack,
                LossCause::SwitchNack,
            ];
            return Event::OnLoss(Loss {
                bytes: PACKET,
                packets: 1,
                cause: causes[course.below(causes.len() as u64) as usize],
                in_flight: self.in_flight(),
                next_new: self.next_new(),
            });
        }
        self.acknowledge(course, psn)
    }

    fn acknowledge(&mut self, course: &mut Course, psn: usize) -> Event {
        let duplicate = std::mem::replace(&mut self.arrived[psn], true);
        while self.arrived.get(self.cumulative) == Some(&true) {
            self.cumulative += 1;
        }
        let packets = |count: u64| Bytes(count * PACKET.0);
        let (queue, sent) = (packets(course.below(60)), packets(self.arrived.len() as u64));
        let hop = Hop {
            port: PortId(3),
            at: course.now(),
            queue,
            sent,
            entered: sent + queue,
            rate: Rate::gbps(400),
        };
        Event::OnAck {
            bytes: if duplicate { Bytes(0) } else { PACKET },
            marked: course.below(4) == 0,
            // Up to five times the unloaded one.
            rtt: (!duplicate).then(|| Span(8_320_000 + course.below(8_000_000) * course.below(5))),
            in_flight: self.in_flight(),
            cumulative: self.cumulative as u32,
            next_new: self.next_new(),
            hops: if duplicate { Vec::new() } else { vec![hop] },
            circuit: self.arrived.len() >> 6 & 1 == 1,
        }
    }
}

/// Fills the window and acknowledges, marks and loses packets in any order.
pub(super) fn course(config: &Config, number: u64, events: usize) -> Course {
    let context =
        FlowContext { classes: 7, trimming: number.is_multiple_of(2), ..FlowContext::NOMINAL };
    let machine = config.build(&context);
    let mut course = Course::new("congestion", config, number, json(&context), machine.state());
    let mut sender = Sender { machine, arrived: Vec::new(), cumulative: 0, credits: 0 };
    for _ in 0..events {
        let now = course.pass_time();
        let event = sender.next(&mut course);
        let own = step(&mut sender.machine, now, &mut course.own, &event);
        course.trajectory.steps.push(own);
        if matches!(event, Event::OnTimer) {
            let asked = step(&mut sender.machine, now, &mut course.own, &Event::PollRequest);
            course.trajectory.steps.push(asked);
        }
    }
    course
}
