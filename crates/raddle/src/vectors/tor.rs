//! Middleware of ToRs as machines: what becomes of packets that come in and go out, and what it sends.

use super::course::Course;
use super::machine::{Machine, Recorded, Step, draws_between, json, step};
use super::state::Word;
use raddle_schemes::ids::{Entropy, FlowId, HostId, PortId, SwitchId};
use raddle_schemes::probe::Probes;
use raddle_schemes::rng::Rng;
use raddle_schemes::tor::{
    AnyTorHook, Config, Kind, Note, Output, Packet, Queues, Side, TorContext, TorHook, TorLane,
    TorOpening, Verdict, Ways,
};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Need, SwitchCx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What can happen to a ToR's middleware.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A packet comes in, and has these equal ways, each a port and its rate. The answer is what becomes
    /// of it, and the packet as it goes on.
    OnIngress { packet: Box<Packet>, from: Side, ways: Vec<(PortId, Rate)> },
    /// A packet is about to leave towards a host: the answer is whether it goes.
    OnEgress { packet: Box<Packet> },
    /// It looks at its own queues: packets in line at the ports that it asked about, in that order.
    Look { waiting: Vec<(PortId, u64)> },
    /// What it sends now: the answer.
    Poll,
    /// Its timer is due.
    OnTimer,
}

/// Equal ways as they were told.
struct Told<'a>(&'a [(PortId, Rate)]);

impl Ways for Told<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn port(&self, way: usize) -> PortId {
        self.0[way].0
    }
    fn rate(&self, way: usize) -> Rate {
        self.0[way].1
    }
}

/// Queues as they were told.
struct Lengths<'a>(&'a [(PortId, u64)]);

impl Queues for Lengths<'_> {
    fn waiting(&mut self, port: PortId) -> usize {
        self.0.iter().find(|(own, _)| *own == port).map_or(0, |(_, waiting)| *waiting as usize)
    }
}

/// Queues, and what was asked about them.
struct Asked<'a> {
    queues: &'a mut dyn Queues,
    answers: Vec<(PortId, u64)>,
}

impl Queues for Asked<'_> {
    fn waiting(&mut self, port: PortId) -> usize {
        let waiting = self.queues.waiting(port);
        if !self.answers.iter().any(|(own, _)| *own == port) {
            self.answers.push((port, waiting as u64));
        }
        waiting
    }
}

impl Machine for AnyTorHook {
    type Event = Event;

    fn apply(&mut self, now: Time, rng: &mut Rng, event: &Event) -> Value {
        let cx = &mut SwitchCx { now, rng };
        match event {
            Event::OnIngress { packet, from, ways } => {
                let mut packet = **packet;
                let verdict = self.on_ingress(cx, &mut packet, *from, &Told(ways));
                return json!({ "verdict": json(&verdict), "packet": json(&packet) });
            }
            Event::OnEgress { packet } => return json!(self.on_egress(cx, packet)),
            Event::Look { waiting } => self.look(&mut Lengths(waiting)),
            Event::Poll => return json(&self.poll()),
            Event::OnTimer => self.on_timer(cx),
        }
        json!({ "timer": self.next_timer().map(|at| at.0) })
    }

    fn state(&self) -> Word {
        Word::of(self)
    }

    fn fits(event: &Event) -> Result<(), String> {
        match event {
            Event::OnIngress { ways, .. } if ways.is_empty() => {
                Err("a packet without ways".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl TorHook for Recorded<AnyTorHook> {
    fn probes(&self, to: &mut dyn Probes) {
        self.machine.probes(to);
    }
    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        self.now = cx.now;
        if self.is_full() {
            self.pass();
            return self.machine.on_ingress(cx, packet, from, ways);
        }
        let all = (0..ways.count()).map(|way| (ways.port(way), ways.rate(way))).collect();
        let event = Event::OnIngress { packet: Box::new(*packet), from, ways: all };
        let before = cx.rng.clone();
        let verdict = self.machine.on_ingress(cx, packet, from, ways);
        self.keep(Step {
            now: cx.now,
            event: json(&event),
            draws: draws_between(before, cx.rng),
            answer: json!({ "verdict": json(&verdict), "packet": json(packet) }),
            state: self.machine.state(),
        });
        verdict
    }
    fn on_egress(&mut self, cx: &mut SwitchCx<'_>, packet: &Packet) -> bool {
        let event = Event::OnEgress { packet: Box::new(*packet) };
        self.apply(cx.now, cx.rng, &event).as_bool().unwrap_or(true)
    }
    fn look(&mut self, queues: &mut dyn Queues) {
        if self.is_full() {
            return self.machine.look(queues);
        }
        let mut asked = Asked { queues, answers: Vec::new() };
        self.machine.look(&mut asked);
        self.keep(Step {
            now: self.now,
            event: json(&Event::Look { waiting: asked.answers }),
            draws: Vec::new(),
            answer: json!({ "timer": self.machine.next_timer().map(|at| at.0) }),
            state: self.machine.state(),
        });
    }
    fn poll(&mut self) -> Option<Output> {
        let output = self.machine.poll()?;
        if self.is_full() {
            return Some(output);
        }
        self.keep(Step {
            now: self.now,
            event: json(&Event::Poll),
            draws: Vec::new(),
            answer: json(&Some(output)),
            state: self.machine.state(),
        });
        Some(output)
    }
    fn next_timer(&self) -> Option<Time> {
        self.machine.next_timer()
    }
    fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        self.apply(cx.now, cx.rng, &Event::OnTimer);
    }
}

const FLOWS: u64 = 4;
const WAYS: u32 = 4;

/// A ToR between four hosts and four equal ways; where it keeps data for circuits, lanes to three
/// others that are open in turn.
fn context(config: &Config) -> TorContext {
    let keeps = config.card().needs.contains(&Need::Bulk);
    let lane = |tor: u32| TorLane {
        to: SwitchId(tor),
        port: PortId(19 + tor),
        period: Span::us(90),
        openings: vec![TorOpening {
            from: Span::us(u64::from(tor - 1) * 30),
            until: Span::us(u64::from(tor - 1) * 30 + 27),
            rate: Rate::gbps(400),
        }],
        packets: 300,
    };
    TorContext {
        ways_up: [WAYS, 1],
        stream: 9,
        hosts: 4,
        lanes: if keeps { (1..4).map(lane).collect() } else { Vec::new() },
        ..TorContext::NOMINAL
    }
}

/// Packets of four flows from hosts of the ToR and four to them: data in order and out of it, sent
/// again and marked, ACKs and NACKs, messages between ToRs; timers, and all that it sends.
pub(super) fn course(config: &Config, number: u64, events: usize) -> Course {
    let context = context(config);
    let mut machine = config.build(&context);
    let mut course = Course::new("tor", config, number, json(&context), machine.state());
    let keeps = config.card().needs.contains(&Need::Bulk);
    let mut next = [0; 2 * FLOWS as usize];
    let mut written = Note::default();
    while course.trajectory.steps.len() < events {
        let now = course.pass_time();
        let due = machine.next_timer().is_some_and(|at| at <= now);
        let from = if course.below(2) == 0 { Side::Host } else { Side::Fabric };
        let mut coming = packet(&mut course, from, &mut next);
        if course.below(4) > 0 {
            // What another ToR would have written.
            coming.note = written;
        }
        let event = if due {
            Event::OnTimer
        } else if keeps && course.below(6) == 0 {
            let ports = (20..20 + 3).map(PortId);
            Event::Look { waiting: ports.map(|port| (port, course.below(3))).collect() }
        } else if !keeps && from == Side::Fabric && course.below(3) == 0 {
            Event::OnEgress { packet: Box::new(coming) }
        } else {
            let ways = (0..WAYS).map(|way| (PortId(20 + way), Rate::gbps(400)));
            Event::OnIngress { packet: Box::new(coming), from, ways: ways.collect() }
        };
        let own = step(&mut machine, now, &mut course.own, &event);
        if let Ok(packet) = serde_json::from_value::<Packet>(own.answer["packet"].clone()) {
            written = packet.note;
        }
        course.trajectory.steps.push(own);
        loop {
            let sent = step(&mut machine, now, &mut course.own, &Event::Poll);
            if sent.answer.is_null() {
                break;
            }
            course.trajectory.steps.push(sent);
        }
    }
    course
}

fn packet(course: &mut Course, from: Side, next: &mut [u32]) -> Packet {
    let flow = course.below(FLOWS) as usize;
    // Flows of its own hosts first, those towards them behind.
    let outward = course.below(2) == 0;
    let number = flow + if outward { 0 } else { FLOWS as usize };
    let forward = outward == (from == Side::Host);
    let kind = match course.below(20) {
        _ if forward => [Kind::Data, Kind::Header][usize::from(course.below(15) == 0)],
        0 => Kind::Cnp,
        1..4 => Kind::Nack,
        4..6 => Kind::Tor,
        _ => Kind::Ack,
    };
    let again = forward && course.below(12) == 0;
    let psn = match course.below(10) {
        _ if again || !forward => course.below(u64::from(next[number]) + 1) as u32,
        // One is lost on its way, or overtaken.
        0 => next[number] + 1,
        _ => next[number],
    };
    if forward && !again {
        next[number] = next[number].max(psn + 1);
    }
    let (own, other) = (HostId(flow as u32), HostId(8 + flow as u32));
    let (own_tor, other_tor) = (SwitchId(0), SwitchId(1 + flow as u32 % 3));
    let ends = |outward| if outward { (own, other) } else { (other, own) };
    let (sender, receiver) = ends(outward);
    Packet {
        flow: FlowId(number as u32),
        sender,
        receiver,
        tors: if outward { [own_tor, other_tor] } else { [other_tor, own_tor] },
        paths: WAYS,
        round_trip: Span::us(2),
        kind,
        forward,
        number: psn,
        entropy: Entropy(course.below(256) as u16),
        flagged: course.below(4) == 0,
        marked: course.below(5) == 0,
        again,
        bytes: Bytes(if kind == Kind::Data { 4160 } else { 64 }),
        waits: course.below(2) == 0,
        note: Note::default(),
    }
}
