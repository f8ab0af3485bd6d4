//! What hosts do when something happens at them: the senders and receivers of their flows at work.

mod connections;
mod context;
mod hop_logs;
mod pair_order;
mod planned;
mod probing;
mod receiving;
mod retried;
pub(crate) mod scale_up;
pub(crate) mod slots;
mod source_routes;
pub(in crate::host) mod starts;
mod triggering;
pub(crate) mod triggers;

use super::drop_counts::Tally;
use super::events::{EVENTS_KEPT, keep_first};
use super::layout::Layout;
use super::nic::{Departure, Nic};
use super::slab::Slab;
use super::totals::HostTotals;
use crate::host::nic::timers::TimerKind;
use crate::plan::Plan;
use crate::record::followers::FlowProbes;
use crate::record::series::Buckets;
use crate::record::{CreditFrames, SchemeEvent, Timeline};
use crate::topology::RoundTrips;
use crate::wire::frame::{Frame, Kind, Locator, Locators, flag};
use crate::workload::TriggerId;
use connections::Beginnings;
pub use context::first_rto;
use context::{context, may_lose};
use hop_logs::HopLogs;
use pair_order::Queues;
use planned::Planners;
use raddle_schemes::congestion::Grant;
use raddle_schemes::ids::{FlowId, HostId, Psn};
use raddle_schemes::transport::Entry;
use raddle_schemes::transport::sender::{AckHeader, NackHeader, SenderCounts};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{Events, FlowContext};
use scale_up::Crossbars;
use slots::{End, LiveReceiver, LiveSender, ReceiverSlot, Repeated, SenderSlot};
use source_routes::SourceRoutes;
use std::sync::Arc;
use triggering::Awaited;
use triggers::Triggers;

/// The ends of flows at the hosts of one part, and what their hosts share beside NICs. Every call
/// is about one host, whose NIC is given.
pub(super) struct Ends<'a> {
    pub(super) plan: &'a Plan,
    pub(super) layout: Arc<Layout>,
    pub(super) locators: Locators,
    pub(super) own: Vec<HostId>,
    /// Place of host `own[0] + i`; `None` for the hosts of other parts.
    places: Vec<Option<u32>>,
    /// Sender slots of the host at each place begin here.
    first_sender: Vec<u32>,
    /// Sender slots in order of place and start, of the flows that start at given times.
    starts: Vec<u32>,
    /// In order of place and flow; likewise receivers.
    pub(super) senders: Vec<SenderSlot>,
    pub(super) receivers: Vec<ReceiverSlot>,
    /// What the slots have keys to.
    pub(super) live_senders: Slab<LiveSender>,
    pub(super) live_receivers: Slab<LiveReceiver>,
    pub(super) counts: Slab<SenderCounts>,
    pub(super) repeated: Slab<Repeated>,
    /// Data packets lost in this part, by where they went.
    pub(super) dropped: Tally,
    triggers: Triggers,
    pub(super) awaited: Awaited,
    /// Flows that a trigger has started, and when, until their hosts know.
    pub(super) fired: Vec<(Time, FlowId)>,
    pub(super) outgoing: Vec<(Locator, Entry)>,
    /// Under telemetry.
    hops: Option<Box<HopLogs>>,
    buckets: Buckets,
    pub(super) timeline: Timeline,
    beginnings: Beginnings<'a>,
    /// Where messages of a pair wait for each other.
    queues: Option<Box<Queues>>,
    /// Ports to the crossbars of servers.
    pub(in crate::host) scale_up: Crossbars,
    source_routes: SourceRoutes<'a>,
    /// Whether switches write over entropies.
    rewritten: bool,
    planners: Option<Box<Planners<'a>>>,
    /// Where flows are followed.
    pub(super) probes: Option<Box<FlowProbes>>,
    trips: RoundTrips,
    default_rto: Span,
    /// Time to drain a full queue, if queues have a limit or links may lose.
    drain: Option<Span>,
    /// Size of an ACK or NACK.
    ack: Bytes,
    /// Whether ToRs tell of circuits in ACKs.
    circuits: bool,
    pub(super) totals: HostTotals,
    /// But for those in flight.
    pub(super) credit_frames: CreditFrames,
}

/// Puts a flow's scheme events into the timeline.
struct FlowEvents<'a> {
    events: &'a mut Vec<SchemeEvent>,
    flow: FlowId,
}

impl Events for FlowEvents<'_> {
    fn event(&mut self, now: Time, name: &'static str) {
        self.events.push((now, self.flow, name.into()));
        if self.events.len() >= 2 * EVENTS_KEPT {
            keep_first(self.events);
        }
    }
}

/// What the ToR of a flow's sender wrote into an ACK that comes now.
#[cold]
fn tells_of_circuit(plan: &Plan, now: Time, flow: FlowId) -> bool {
    let flow = &plan.traffic.flows[flow.index()];
    plan.fabric.tells_of_circuit(now, flow.source, flow.destination)
}

impl<'a> Ends<'a> {
    /// The ends at hosts `own`, all flows waiting for their start.
    pub(super) fn new(
        plan: &'a Plan,
        layout: &Arc<Layout>,
        own: &[HostId],
        rto: Span,
        drain: Span,
    ) -> Self {
        let mut places = Vec::new();
        if let (Some(first), Some(last)) = (own.first(), own.last()) {
            places.resize(last.index() + 1 - first.index(), None);
            for (place, host) in (0..).zip(own) {
                places[host.index() - first.index()] = Some(place);
            }
        }
        let mut first_sender = Vec::with_capacity(own.len());
        let (mut senders, mut receivers) = (0, 0);
        for &host in own {
            first_sender.push(senders);
            senders += layout.senders.at(host).len() as u32;
            receivers += layout.receivers.at(host).len();
        }
        Self {
            plan,
            layout: Arc::clone(layout),
            locators: layout.locators(),
            own: own.to_vec(),
            places,
            first_sender,
            starts: Vec::new(),
            senders: (0..senders).map(|_| SenderSlot::WAITING).collect(),
            receivers: (0..receivers).map(|_| ReceiverSlot::WAITING).collect(),
            live_senders: Slab::EMPTY,
            live_receivers: Slab::EMPTY,
            counts: Slab::EMPTY,
            repeated: Slab::EMPTY,
            dropped: Tally::default(),
            triggers: Triggers::new(&plan.traffic),
            awaited: Awaited::new(&plan.traffic, plan.transport.payload, own.len()),
            fired: Vec::new(),
            outgoing: Vec::new(),
            hops: HopLogs::of(plan, senders),
            buckets: Buckets::new(plan.record.bucket),
            timeline: Timeline::default(),
            beginnings: Beginnings::new(plan),
            queues: Queues::of(plan),
            scale_up: Crossbars::of(plan, own.len()),
            source_routes: SourceRoutes::new(plan),
            rewritten: plan.switch_load_balance.makes_detours(),
            planners: Planners::of(plan),
            probes: FlowProbes::of(plan, |flow| {
                own.contains(&plan.traffic.flows[flow.index()].source)
            }),
            trips: plan.fabric.round_trips(plan.packet(), plan.transport.ack),
            default_rto: rto,
            drain: may_lose(plan).then_some(drain),
            ack: plan.transport.ack,
            circuits: plan.fabric.packet_network().is_some(),
            totals: HostTotals::default(),
            credit_frames: CreditFrames::default(),
        }
    }

    /// The place of `host`, if it belongs to this part.
    pub(super) fn place(&self, host: HostId) -> Option<u32> {
        let first = self.own.first()?;
        *self.places.get(host.0.checked_sub(first.0)? as usize)?
    }

    /// The slot of the sender at `to`, if it lies in this part.
    pub(super) fn sender_slot(&self, to: Locator) -> Option<u32> {
        let place = self.place(self.locators.host(to))?;
        Some(self.first_sender[place as usize] + self.locators.index(to))
    }

    /// Appends an entry to the log of the sender in `slot`.
    #[inline]
    pub(super) fn log_arrival(&mut self, slot: u32, entry: Entry) {
        // A sender that is done has heard of every packet, so there is none without one.
        if let Some(live) = self.live_senders.get_mut(self.senders[slot as usize].live) {
            live.sender.on_arrival(entry);
        }
    }

    /// Notes that a frame was lost on its way.
    pub(super) fn note_dropped(&mut self, frame: Frame) {
        if frame.is_data() {
            self.dropped.note(frame.to);
        } else if frame.is_about_credit() {
            self.credit_frames.dropped += 1;
        }
    }

    fn context(&self, flow: FlowId) -> FlowContext {
        context(self.plan, flow, &self.trips, (self.default_rto, self.drain))
    }

    /// A frame reached the host. Returns when its next local event is due.
    #[inline(always)]
    pub(super) fn on_frame(&mut self, now: Time, nic: &mut Nic, frame: Frame) -> Time {
        if frame.is_data() {
            self.on_data(now, nic, frame);
        } else if frame.is_reply() {
            self.on_reply(now, nic, frame);
        } else if frame.is_pfc() {
            nic.on_pfc(now, frame);
        } else if frame.is_about_credit() {
            self.on_credit_frame(now, nic, frame);
        } else if frame.is_cnp() {
            self.on_cnp(now, nic, frame);
        } else if frame.is_probe() {
            self.on_probe(now, nic, frame);
        }
        nic.settle(now)
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires. Returns
    /// what the wire took, and when the next local event is due.
    #[inline(always)]
    pub(super) fn run_local(&mut self, now: Time, nic: &mut Nic) -> (Option<Departure>, Time) {
        if !nic.wire_is_next() {
            self.run_timer(now, nic);
            return (None, nic.settle(now));
        }
        if nic.is_apart() {
            if nic.has_fifo() {
                return self.run_line(now, nic);
            }
            nic.select_due(now);
            if (nic.has_retry() || nic.has_credits())
                && let Some(done) = self.before_new(now, nic)
            {
                return done;
            }
        }
        let frame = if !nic.can_send(now) {
            self.rejoin(now, nic);
            None
        } else if nic.control_goes_first()
            && let Some(frame) = nic.next_control(now)
        {
            Some(frame)
        } else {
            self.next_of_flows(now, nic).or_else(|| nic.next_control(now))
        };
        #[expect(clippy::manual_map, reason = "a closure would be a call for every frame")]
        let departure = match frame {
            Some(frame) => Some(nic.transmit(now, frame)),
            None => None,
        };
        if let Some(departure) = departure.filter(Departure::is_dropped) {
            self.note_dropped(departure.frame);
        }
        (departure, nic.settle(now))
    }

    /// The same where packets wait between flows and the wire: flows put theirs in line while there is
    /// room, and the wire takes one if it is free.
    #[cold]
    #[inline(never)]
    fn run_line(&mut self, now: Time, nic: &mut Nic) -> (Option<Departure>, Time) {
        nic.turn_to_fifo(true);
        while nic.has_room() {
            let Some(frame) = self.next_of_flows(now, nic) else { break };
            nic.put_in_line(frame);
        }
        nic.turn_to_fifo(false);
        if nic.has_retry()
            && let Some(done) = self.before_new(now, nic)
        {
            return done;
        }
        let frame = if nic.wire_is_free(now) && nic.can_send(now) {
            self.next_beside_line(now, nic)
        } else {
            None
        };
        let departure = frame.map(|frame| nic.transmit(now, frame));
        if let Some(departure) = departure.filter(Departure::is_dropped) {
            self.note_dropped(departure.frame);
        }
        (departure, nic.settle(now))
    }

    /// What the wire takes: control, what waits in line and flows that are pulled have their turns.
    fn next_beside_line(&mut self, now: Time, nic: &mut Nic) -> Option<Frame> {
        if nic.control_goes_first()
            && let Some(frame) = nic.next_control(now)
        {
            return Some(frame);
        }
        if let Some(frame) = nic.next_in_line(false) {
            return Some(frame);
        }
        if let Some(frame) = self.next_of_flows(now, nic) {
            nic.pass_line();
            return Some(frame);
        }
        nic.next_in_line(true).or_else(|| nic.next_control(now))
    }

    /// A pull or a request for one has come.
    #[cold]
    fn on_credit_frame(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        self.credit_frames.arrived += 1;
        let index = self.locators.index(frame.to);
        if frame.is(Kind::Request) {
            let slot = nic.first_receiver + index;
            if !self.open(now, nic, slot) {
                self.answer_late(now, nic, slot, frame);
            } else {
                nic.note_request(slot, frame.number());
            }
            return nic.set_pull_timer(now);
        }
        let slot = nic.first_sender + index;
        let key = self.senders[slot as usize].live;
        let Some(live) = self.live_senders.get_mut(key) else { return };
        if let Some(probes) = &mut self.probes {
            probes.before(now, live.flow, &live.sender);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        if !live.sender.is_granted() {
            live.sender.on_credit(now, frame.number(), &mut events);
        } else if frame.has(flag::RESEND) {
            live.sender.on_resend(now, Psn(frame.number()), &mut events);
        } else {
            let class = self.locators.class(frame.to);
            let grant = Grant { upto: frame.number(), class };
            live.sender.on_grant(now, &grant, &mut events);
        }
        live.make_ready(now, slot, nic);
        live.set_wake(now, slot, nic);
    }

    /// A congestion notification has come.
    #[cold]
    fn on_cnp(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        let slot = nic.first_sender + self.locators.index(frame.to);
        let Some(live) = self.live_senders.get_mut(self.senders[slot as usize].live) else {
            return;
        };
        if let Some(probes) = &mut self.probes {
            probes.before(now, live.flow, &live.sender);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        live.sender.on_cnp(now, &mut events);
        live.make_ready(now, slot, nic);
        live.set_wake(now, slot, nic);
    }

    #[inline(always)]
    fn on_reply(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        let slot = nic.first_sender + self.locators.index(frame.to);
        // A reply that comes after the flow completed has nothing new to say.
        let key = self.senders[slot as usize].live;
        let Some(live) = self.live_senders.get_mut(key) else { return };
        if let Some(probes) = &mut self.probes {
            probes.before(now, live.flow, &live.sender);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        let sender = &mut live.sender;
        let circuit = self.circuits && tells_of_circuit(self.plan, now, live.flow);
        if frame.is(Kind::Nack) {
            let before = sender.heard();
            let (entropy, marked) = (frame.entropy(), frame.has(flag::MARKED));
            let (psn, of_switch) = (Psn(frame.number()), frame.has(flag::OF_SWITCH));
            let (rewritten, last_hop) = (self.rewritten, frame.has(flag::OF_LAST_HOP));
            let nack = NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit };
            sender.on_nack(now, &nack, &mut events);
            if let Some(planners) = &mut self.planners {
                planners.look_at(now, live.flow, sender, &mut events);
            }
            self.totals.packets_acked += u64::from(sender.heard() - before);
        } else {
            let before = sender.heard();
            let ack = AckHeader {
                upto: frame.number(),
                entropy: frame.entropy(),
                marked: frame.has(flag::MARKED),
                duplicate: frame.has(flag::DUPLICATE),
                hops: &[],
                circuit,
            };
            let rtt = match &mut self.hops {
                None => sender.on_ack(now, &ack, &mut events),
                Some(logs) => logs.tell(slot, now, ack, sender, &mut events),
            };
            if let Some(probes) = &mut self.probes {
                probes.note_rtt(live.flow, rtt);
            }
            self.totals.packets_acked += u64::from(sender.heard() - before);
        }
        if sender.complete() {
            return self.complete(now, nic, slot);
        }
        // A fixed timeout only moves away; one that follows round trips, or a scheme's own timer, may
        // come closer.
        let closer = sender.wakes_before(live.wake_at);
        live.make_ready(now, slot, nic);
        if closer {
            live.set_wake(now, slot, nic);
        }
    }

    #[cold]
    pub(super) fn complete(&mut self, now: Time, nic: &Nic, slot: u32) {
        let end = &mut self.senders[slot as usize];
        end.acked = now;
        let ended = end.end(&mut self.live_senders, &mut self.counts);
        if let Some(logs) = &mut self.hops {
            logs.end(slot);
        }
        self.totals.flows_done += 1;
        self.totals.last_completion = self.totals.last_completion.max(now);
        let Some(LiveSender { flow, sender, .. }) = ended else { return };
        if let Some(probes) = &mut self.probes {
            probes.end(flow, &sender);
        }
        if let Some(planners) = &mut self.planners {
            planners.end(flow);
        }
        if !self.triggers.exist() && !self.beginnings.keeps() {
            return;
        }
        let flow = &self.plan.traffic.flows[flow.index()];
        self.beginnings.keep(flow, sender);
        if let Some(trigger) = flow.on_acked {
            self.awaited.end(nic.place, End::Sender(slot));
            self.fire(now, trigger);
        }
    }

    /// Lists what a trigger starts.
    pub(super) fn fire(&mut self, now: Time, trigger: TriggerId) {
        let fired = &mut self.fired;
        self.triggers.fire(&self.plan.traffic, now, trigger, |at, flow| fired.push((at, flow)));
    }

    #[inline(never)]
    fn run_timer(&mut self, now: Time, nic: &mut Nic) {
        let Some(timer) = nic.pop_timer(now) else { return };
        let slot = timer.slot;
        if timer.kind == TimerKind::Pull {
            self.credit_frames.made += nic.hand_out_credit(now, timer.at);
            return nic.set_pull_timer(now);
        }
        if timer.kind == TimerKind::Cnp {
            let frame = nic.cnps.as_mut().and_then(|cnps| cnps.due(now, slot));
            return frame.into_iter().for_each(|frame| nic.send_control(now, frame));
        }
        if timer.kind == TimerKind::Start {
            return self.start(now, nic, slot);
        }
        if timer.kind.is_of_crossbar() {
            return self.on_crossbar(now, nic, timer.kind, slot);
        }
        let key = self.senders[slot as usize].live;
        let Some(live) = self.live_senders.get_mut(key) else { return };
        if timer.kind == TimerKind::Pace {
            // One that an earlier one took the place of finds nothing to do.
            if live.sender.on_paced(now) {
                live.make_ready(now, slot, nic);
            }
            return;
        }
        // A timer that was set anew fires where it was last set.
        if live.wake_at != timer.at {
            return;
        }
        live.wake_at = Time::NEVER;
        if let Some(probes) = &mut self.probes {
            probes.before(now, live.flow, &live.sender);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        for _ in 0..live.sender.on_timeout(now, &mut events) {
            self.buckets.count(&mut self.timeline.timeouts, now);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        if let Some(planners) = &mut self.planners {
            planners.look_at(now, live.flow, &mut live.sender, &mut events);
        }
        if let Some((vanished, path)) = live.sender.poll_request(now, &mut events) {
            let request = Frame::new(live.to, vanished, (Kind::Request, 0), path, self.ack);
            nic.send_as_packet(now, slot, &mut live.sender, request);
            self.credit_frames.made += 1;
        }
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        live.ask_for_tail(now, slot, (nic, self.ack), events);
        live.send_probes(now, nic, self.ack);
        live.make_ready(now, slot, nic);
        live.set_wake(now, slot, nic);
    }

    /// The next ready flow's packet, if one has any.
    #[inline(always)]
    fn next_of_flows(&mut self, now: Time, nic: &mut Nic) -> Option<Frame> {
        loop {
            nic.begin_turn(now);
            let &slot = nic.port.ready.front()?;
            let key = self.senders[slot as usize].live;
            let Some(live) = self.live_senders.get_mut(key) else {
                nic.port.ready.pop_front();
                continue;
            };
            let to = if live.chooses_class { live.next_packet_to(self.locators) } else { live.to };
            if nic.holds(now, self.locators.class(to), slot) {
                continue;
            }
            if nic.is_apart() && !nic.stays(now, slot, &mut live.sender) {
                continue;
            }
            if let Some(probes) = &mut self.probes {
                probes.before(now, live.flow, &live.sender);
            }
            let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
            if live.turns.exist() {
                live.sender.on_route(self.source_routes.due(live.turns, now));
            }
            let transmit = live.sender.poll_transmit(now, &mut events);
            if live.turns.exist() && transmit.is_some() {
                self.source_routes.turn(live.turns);
            }
            live.take_turn(now, slot, nic, transmit.as_ref());
            if live.sender.wakes_sooner(live.wake_at) || (live.unwatched && transmit.is_some()) {
                live.set_wake(now, slot, nic);
            }
            let Some(packet) = transmit else { continue };
            if packet.again {
                self.buckets.count(&mut self.timeline.retransmitted, now);
            }
            let mut flags = live.flags;
            flags |= if packet.again { flag::AGAIN } else { 0 };
            flags |= if packet.ack_request { flag::ACK_REQUEST } else { 0 };
            let to = nic.here(to);
            let frame =
                Frame::new(to, packet.psn.0, (Kind::Data, flags), packet.entropy, packet.bytes);
            if self.queues.is_some() && !packet.again && packet.psn.0 + 1 == live.sender.total() {
                let flow = live.flow;
                self.send_next(now, nic, flow);
            }
            return Some(frame);
        }
    }
}
