//! The hosts of a run, or of a part of it: their NICs, the senders and receivers of their flows,
//! their timers.
//!
//! Both engines drive hosts through the same few calls: a frame arrives, or the next local event
//! (wire free, or a timer) is due. At one instant an arrival goes first, then the wire, then
//! timers.

use super::frame::{Frame, Locator, Locators, flag};
use super::layout::Layout;
use super::link::Link;
use super::nic::{Departure, Nic, Timer, TimerKind};
use super::slots::{LiveReceiver, LiveSender, ReceiverSlot, SenderSlot};
use super::totals::{self, HostTotals};
use super::triggers::Triggers;
use crate::plan::{Overflow, Plan};
use crate::record::series::Buckets;
use crate::record::{FlowRecord, PortRecord, Timeline};
use crate::topology::Fabric;
use crate::workload::{Start, TriggerId};
use raddle_schemes::ids::{FlowId, HostId, Psn};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::{AckHeader, packets};
use raddle_schemes::transport::{Data, Entry, Receiver, Reply, Sender, SenderPlan};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Events, FlowContext};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hosts of one part of a run, and the ends of flows that lie there. What one part's hosts do
/// touches no other part but through messages: frames, and [`Hosts::outgoing`].
///
/// A host is addressed by its place: its index among the part's own hosts.
pub struct Hosts<'a> {
    plan: &'a Plan,
    layout: Arc<Layout>,
    locators: Locators,
    pub(super) own: Vec<HostId>,
    /// Place of host `own[0] + i`; `None` for the hosts of other parts.
    places: Vec<Option<u32>>,
    pub(super) nics: Vec<Nic>,
    /// Sender slots in order of place and flow; likewise receivers.
    pub(super) senders: Vec<SenderSlot>,
    pub(super) receivers: Vec<ReceiverSlot>,
    /// Data packets lost in this part, by where they went.
    pub(super) dropped: BTreeMap<Locator, u64>,
    triggers: Triggers,
    buckets: Buckets,
    /// Retransmissions, timeouts and events; the engine adds what happens in switches.
    pub timeline: Timeline,
    default_rto: Span,
    /// Places other than that of the host being run to which a trigger gave a new local event.
    pub woken: Vec<u32>,
    /// Entries for the logs of senders in other parts, in order of arrival. They have to be there
    /// ([`Hosts::take_log_entry`]) before the next window.
    pub outgoing: Vec<(Locator, Entry)>,
    pub(super) totals: HostTotals,
}

/// Most scheme events kept in a timeline.
const EVENTS_KEPT: usize = 10_000;

/// Puts a flow's scheme events into the timeline.
struct FlowEvents<'a> {
    events: &'a mut Vec<(Time, FlowId, &'static str)>,
    flow: FlowId,
}

impl Events for FlowEvents<'_> {
    fn event(&mut self, now: Time, name: &'static str) {
        self.events.push((now, self.flow, name));
        if self.events.len() >= 2 * EVENTS_KEPT {
            keep_first(self.events);
        }
    }
}

/// Keeps the first events by time and flow. Hosts are run in an order that depends on the windows
/// and on the parts of the run; the events of one flow are in order, and stay so.
pub(super) fn keep_first(events: &mut Vec<(Time, FlowId, &'static str)>) {
    events.sort_by_key(|&(at, flow, _)| (at, flow));
    events.truncate(EVENTS_KEPT);
}

impl<'a> Hosts<'a> {
    /// All hosts of a plan, each at the place of its number.
    pub fn new(plan: &'a Plan) -> Self {
        let all: Vec<HostId> = (0..plan.fabric.hosts).map(HostId).collect();
        Self::of(plan, &Arc::new(Layout::new(plan)), &all)
    }

    /// The hosts `own` of a plan, ascending and with every group ([`Layout::groups`]) whole; all
    /// flows wait for their start.
    pub fn of(plan: &'a Plan, layout: &Arc<Layout>, own: &[HostId]) -> Self {
        debug_assert!(own.is_sorted());
        let mut places = Vec::new();
        if let (Some(first), Some(last)) = (own.first(), own.last()) {
            places.resize(last.index() + 1 - first.index(), None);
            for (place, host) in (0..).zip(own) {
                places[host.index() - first.index()] = Some(place);
            }
        }
        let (mut senders, mut receivers) = (0, 0);
        let mut nics: Vec<Nic> = Vec::with_capacity(own.len());
        for &host in own {
            let changes = &plan.faults.ports;
            let changes = changes.binary_search_by_key(&host.0, |(port, _)| port.0);
            let changes = changes.map_or_else(|_| Vec::new(), |i| plan.faults.ports[i].1.clone());
            let link = Link::new(plan.fabric.ports[host.index()].rate, changes);
            let noise = stream(plan.seed, "loss", u64::from(host.0));
            let mut nic = Nic::new(link, noise, plan.queue.gap, plan.transport.nic);
            (nic.first_sender, nic.first_receiver) = (senders, receivers);
            for (slot, &flow) in (senders..).zip(layout.senders.at(host)) {
                let Start::At(at) = plan.traffic.flows[flow.index()].start else { continue };
                let mut draw = Rng::new(plan.seed, "phase", u64::from(flow.0));
                let at = Time(at.0 + draw.below(plan.transport.phase.0 + 1));
                nic.timers.push(Reverse(Timer { at, kind: TimerKind::Start, slot }));
            }
            senders += layout.senders.at(host).len() as u32;
            receivers += layout.receivers.at(host).len() as u32;
            nics.push(nic);
        }
        let longest_rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
        Self {
            plan,
            layout: Arc::clone(layout),
            locators: layout.locators(),
            own: own.to_vec(),
            places,
            nics,
            senders: (0..senders).map(|_| SenderSlot::WAITING).collect(),
            receivers: (0..receivers).map(|_| ReceiverSlot::WAITING).collect(),
            dropped: BTreeMap::new(),
            triggers: Triggers::new(&plan.traffic),
            buckets: Buckets::new(plan.record.bucket),
            timeline: Timeline::default(),
            default_rto: default_rto(&plan.fabric, plan.queue.size, plan.packet(), longest_rtt),
            woken: Vec::new(),
            outgoing: Vec::new(),
            totals: HostTotals::default(),
        }
    }

    /// The split of this run's locators.
    #[inline]
    pub fn locators(&self) -> Locators {
        self.locators
    }

    /// Where the ends of all flows lie.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// What these hosts brought about so far.
    pub fn totals(&self) -> &HostTotals {
        &self.totals
    }

    /// When the next local event of the host at `place` is due.
    #[inline]
    pub fn next_local(&self, place: u32) -> Time {
        self.nics[place as usize].next_local()
    }

    /// A frame reached the host at `place`.
    pub fn on_frame(&mut self, now: Time, place: u32, frame: Frame) {
        let index = self.locators.index(frame.to);
        let nic = &self.nics[place as usize];
        if frame.is_data() {
            self.on_data(now, place, nic.first_receiver + index, frame);
        } else {
            self.on_reply(now, place, nic.first_sender + index, frame);
        }
        self.nics[place as usize].settle(now);
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires.
    pub fn run_local(&mut self, now: Time, place: u32) -> Option<Departure> {
        let nic = &mut self.nics[place as usize];
        let departure = if nic.wire_is_next() {
            self.pull(now, place)
        } else {
            if let Some(timer) = nic.pop_timer(now) {
                self.on_timer(now, place, timer);
            }
            None
        };
        self.nics[place as usize].settle(now);
        departure
    }

    /// An entry for the log of the sender at `to`, from a receiver in another part.
    pub fn take_log_entry(&mut self, to: Locator, entry: Entry) {
        let Some(place) = self.place(self.locators.host(to)) else { return };
        let slot = self.nics[place as usize].first_sender + self.locators.index(to);
        self.log_arrival(slot, entry);
    }

    /// Frames that left hosts so far.
    pub fn frames_sent(&self) -> u64 {
        self.nics.iter().map(|nic| nic.record.frames).sum()
    }

    /// Notes that a data packet was lost on its way.
    pub fn note_dropped(&mut self, frame: Frame) {
        if frame.is_data() {
            *self.dropped.entry(frame.to).or_default() += 1;
        }
    }

    /// What became of the flows, and what passed the hosts' ports, from all parts of a run.
    pub fn finish(parts: Vec<Self>) -> (Vec<FlowRecord>, Vec<PortRecord>, Timeline) {
        totals::finish(parts)
    }

    fn place(&self, host: HostId) -> Option<u32> {
        let first = self.own.first()?;
        *self.places.get(host.0.checked_sub(first.0)? as usize)?
    }

    fn log_arrival(&mut self, slot: u32, entry: Entry) {
        // A sender that is done has heard of every packet, so there is none without one.
        if let Some(live) = &mut self.senders[slot as usize].live {
            live.sender.on_arrival(entry);
        }
    }

    fn context(&self, flow: FlowId) -> FlowContext {
        let plan = self.plan;
        let flow = &plan.traffic.flows[flow.index()];
        let (source, destination) = (flow.source, flow.destination);
        let packet = plan.packet();
        let base_rtt = plan.fabric.base_rtt(source, destination, packet, plan.transport.ack);
        let rate_of = |host: HostId| plan.fabric.ports[host.index()].rate;
        let far = plan.fabric.ports[plan.fabric.ports[destination.index()].peer.index()].rate;
        let rate: Rate = rate_of(source).min(far);
        FlowContext {
            payload: plan.transport.payload,
            header: plan.transport.header,
            gap: plan.queue.gap,
            base_rtt,
            rate,
            bdp: rate.bytes_in(base_rtt),
            rto: self.default_rto,
            trimming: plan.queue.overflow == Overflow::Trim,
            source,
            destination,
        }
    }

    /// The receiving end of a flow whose first packet has arrived.
    fn receiver(&self, place: u32, slot: u32) -> LiveReceiver {
        let index = slot - self.nics[place as usize].first_receiver;
        let id = self.layout.receivers.at(self.own[place as usize])[index as usize];
        let flow = &self.plan.traffic.flows[id.index()];
        let to = self.layout.sender(id, flow);
        let sender = self.place(flow.source);
        let first = |place: u32| self.nics[place as usize].first_sender;
        let transport = &self.plan.transport;
        let total = packets(flow.bytes, transport.payload);
        LiveReceiver {
            flow: id,
            to,
            sender: sender.map(|place| first(place) + self.locators.index(to)),
            receiver: Receiver::new(total, &transport.recovery, &self.context(id)),
        }
    }

    fn on_data(&mut self, now: Time, place: u32, slot: u32, frame: Frame) {
        let end = &self.receivers[slot as usize];
        if end.live.is_none() {
            if end.delivered != Time::NEVER {
                return self.on_late_data(place, slot, frame);
            }
            let live = self.receiver(place, slot);
            self.receivers[slot as usize].live = Some(Box::new(live));
        }
        let end = &mut self.receivers[slot as usize];
        let Some(live) = &mut end.live else { return };
        let marked = frame.has(flag::MARKED);
        let trimmed = frame.has(flag::TRIMMED);
        let received = live.receiver.on_data(&Data {
            psn: Psn(frame.number()),
            entropy: frame.entropy(),
            marked,
            trimmed,
            again: frame.has(flag::AGAIN),
            ack_request: frame.has(flag::ACK_REQUEST),
        });
        end.trimmed += u64::from(trimmed);
        end.marked += u64::from(marked && !trimmed);
        let fresh = received.arrival.is_some();
        // The header of a packet that had arrived gets an ACK: one that tells of a full queue.
        let tells_of_queue = marked || (trimmed && received.reply == Reply::Ack);
        let mut flags = if tells_of_queue { flag::MARKED } else { 0 };
        let number = match received.reply {
            Reply::Nothing => None,
            Reply::Ack => {
                flags |= flag::ACK | if fresh { 0 } else { flag::DUPLICATE };
                Some(live.receiver.arrived())
            }
            Reply::Nack => {
                flags |= flag::NACK;
                Some(frame.number())
            }
        };
        if let Some(number) = number {
            let size = self.plan.transport.ack;
            let reply = Frame::new(live.to, number, flags, frame.entropy(), size);
            self.nics[place as usize].control.push_back(reply);
        }
        let (flow, to, sender) = (live.flow, live.to, live.sender);
        if let Some(entry) = received.arrival {
            end.received += 1;
            self.totals.last_progress = self.totals.last_progress.max(now);
            if received.completed {
                // It has nothing left to do but to answer late duplicates.
                end.delivered = now;
                end.live = None;
            }
            match sender {
                Some(slot) => self.log_arrival(slot, entry),
                None => self.outgoing.push((to, entry)),
            }
        } else if !trimmed {
            end.duplicates += 1;
        }
        if received.completed
            && let Some(trigger) = self.plan.traffic.flows[flow.index()].on_delivered
        {
            self.fire(now, trigger, place);
        }
    }

    /// A packet of a flow that has every packet: the answer says so again.
    fn on_late_data(&mut self, place: u32, slot: u32, frame: Frame) {
        let nic = &mut self.nics[place as usize];
        let index = (slot - nic.first_receiver) as usize;
        let id = self.layout.receivers.at(self.own[place as usize])[index];
        let to = self.layout.sender(id, &self.plan.traffic.flows[id.index()]);
        let end = &mut self.receivers[slot as usize];
        let marked = frame.has(flag::MARKED);
        let trimmed = frame.has(flag::TRIMMED);
        end.trimmed += u64::from(trimmed);
        end.marked += u64::from(marked && !trimmed);
        end.duplicates += u64::from(!trimmed);
        let mark = if marked || trimmed { flag::MARKED } else { 0 };
        let flags = flag::ACK | flag::DUPLICATE | mark;
        let size = self.plan.transport.ack;
        nic.control.push_back(Frame::new(to, end.received, flags, frame.entropy(), size));
    }

    fn on_reply(&mut self, now: Time, place: u32, slot: u32, frame: Frame) {
        // A reply that comes after the flow completed has nothing new to say.
        let Some(live) = &mut self.senders[slot as usize].live else { return };
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        let sender = &mut live.sender;
        if frame.has(flag::NACK) {
            sender.on_nack(now, Psn(frame.number()), frame.entropy(), &mut events);
        } else {
            let ack = AckHeader {
                upto: frame.number(),
                entropy: frame.entropy(),
                marked: frame.has(flag::MARKED),
                duplicate: frame.has(flag::DUPLICATE),
            };
            let before = sender.heard();
            sender.on_ack(now, &ack, &mut events);
            self.totals.packets_acked += u64::from(sender.heard() - before);
        }
        if sender.complete() {
            self.complete(now, place, slot);
        } else {
            // A retransmission timeout only moves away; a scheme's own timer may come closer.
            let closer = sender.scheme_timer().is_some_and(|at| at < live.wake_at);
            self.make_ready(now, place, slot);
            if closer {
                self.set_wake(place, slot);
            }
        }
    }

    fn complete(&mut self, now: Time, place: u32, slot: u32) {
        let end = &mut self.senders[slot as usize];
        let Some(flow) = end.live.as_ref().map(|live| live.flow) else { return };
        end.end();
        end.acked = now;
        self.totals.flows_done += 1;
        self.totals.last_completion = self.totals.last_completion.max(now);
        if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_acked {
            self.fire(now, trigger, place);
        }
    }

    /// Starts what a trigger starts: as timers due now, at hosts that may be others than the one
    /// at `place`.
    fn fire(&mut self, now: Time, trigger: TriggerId, place: u32) {
        let plan = self.plan;
        for &flow in self.triggers.fire(&plan.traffic, trigger) {
            let source = plan.traffic.flows[flow.index()].source;
            // Hosts tied by a trigger lie in one part.
            let Some(at_place) = self.place(source) else { continue };
            let index = self.layout.senders.index(source, flow);
            let nic = &mut self.nics[at_place as usize];
            let slot = nic.first_sender + index;
            nic.timers.push(Reverse(Timer { at: now, kind: TimerKind::Start, slot }));
            if at_place != place {
                self.woken.push(at_place);
            }
        }
    }

    fn on_timer(&mut self, now: Time, place: u32, timer: Timer) {
        let slot = timer.slot;
        if timer.kind == TimerKind::Start {
            return self.start(now, place, slot);
        }
        let Some(live) = &mut self.senders[slot as usize].live else { return };
        if timer.kind == TimerKind::Pace {
            live.pace_at = Time::NEVER;
            return self.make_ready(now, place, slot);
        }
        // A timer that was set anew fires where it was last set.
        if live.wake_at != timer.at {
            return;
        }
        live.wake_at = Time::NEVER;
        let before = live.sender.counts().timeouts;
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        live.sender.on_timeout(now, &mut events);
        for _ in before..live.sender.counts().timeouts {
            self.buckets.count(&mut self.timeline.timeouts, now);
        }
        self.make_ready(now, place, slot);
        self.set_wake(place, slot);
    }

    fn start(&mut self, now: Time, place: u32, slot: u32) {
        let plan = self.plan;
        let index = (slot - self.nics[place as usize].first_sender) as usize;
        let flow = self.layout.senders.at(self.own[place as usize])[index];
        let context = self.context(flow);
        let parts = SenderPlan {
            load_balance: &plan.transport.load_balance,
            congestion: &plan.transport.congestion,
            recovery: &plan.transport.recovery,
        };
        let rng = Rng::new(plan.seed, "flow", u64::from(flow.0));
        let message = &plan.traffic.flows[flow.index()];
        let live = LiveSender {
            flow,
            to: self.layout.receiver(flow, message),
            in_ready: false,
            wake_at: Time::NEVER,
            pace_at: Time::NEVER,
            sender: Sender::new(&parts, &context, message.bytes, rng),
        };
        let end = &mut self.senders[slot as usize];
        end.live = Some(Box::new(live));
        end.started = now;
        self.totals.last_progress = self.totals.last_progress.max(now);
        self.make_ready(now, place, slot);
        self.set_wake(place, slot);
    }

    /// Lets a flow take its turn at the NIC if it may send, or wakes it when its pace allows.
    fn make_ready(&mut self, now: Time, place: u32, slot: u32) {
        let Some(live) = &mut self.senders[slot as usize].live else { return };
        if live.in_ready {
            return;
        }
        let nic = &mut self.nics[place as usize];
        if live.sender.can_transmit(now) {
            live.in_ready = true;
            nic.ready.push_back(slot);
        } else if let Some(at) = live.sender.paced_until(now)
            && at < live.pace_at
        {
            live.pace_at = at;
            nic.timers.push(Reverse(Timer { at, kind: TimerKind::Pace, slot }));
        }
    }

    /// Sets a flow's wake-up unless an earlier one is set: that one looks again when it fires.
    fn set_wake(&mut self, place: u32, slot: u32) {
        let Some(live) = &mut self.senders[slot as usize].live else { return };
        let Some(at) = live.sender.poll_timeout() else { return };
        if at < live.wake_at {
            live.wake_at = at;
            let timer = Timer { at, kind: TimerKind::Wake, slot };
            self.nics[place as usize].timers.push(Reverse(timer));
        }
    }

    /// The wire is free: takes a control frame, or the next ready flow's packet.
    fn pull(&mut self, now: Time, place: u32) -> Option<Departure> {
        let nic = &mut self.nics[place as usize];
        if !nic.link_up(now) {
            return None;
        }
        if nic.control_goes_first()
            && let Some(frame) = nic.control.pop_front()
        {
            return Some(nic.transmit(now, frame));
        }
        if let Some(frame) = self.next_data(now, place) {
            return Some(self.nics[place as usize].transmit(now, frame));
        }
        let nic = &mut self.nics[place as usize];
        let frame = nic.control.pop_front()?;
        Some(nic.transmit(now, frame))
    }

    fn next_data(&mut self, now: Time, place: u32) -> Option<Frame> {
        while let Some(slot) = self.nics[place as usize].ready.pop_front() {
            let Some(live) = &mut self.senders[slot as usize].live else { continue };
            live.in_ready = false;
            let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
            let transmit = live.sender.poll_transmit(now, &mut events);
            let to = live.to;
            let asleep = live.wake_at == Time::NEVER;
            self.make_ready(now, place, slot);
            let Some(packet) = transmit else { continue };
            if asleep {
                self.set_wake(place, slot);
            }
            if packet.again {
                self.buckets.count(&mut self.timeline.retransmitted, now);
            }
            let mut flags = 0;
            flags |= if packet.again { flag::AGAIN } else { 0 };
            flags |= if packet.ack_request { flag::ACK_REQUEST } else { 0 };
            return Some(Frame::new(to, packet.psn.0, flags, packet.entropy, packet.bytes));
        }
        None
    }
}

/// REPS spec, section 2.2: the unloaded round trip plus the time to drain 4 full queues.
pub fn default_rto(fabric: &Fabric, queue: Size, packet: Bytes, longest_rtt: Span) -> Span {
    let slowest = fabric.ports.iter().map(|port| {
        let base = Base { packet, bdp: port.rate.bytes_in(longest_rtt), whole: Bytes(0) };
        port.rate.serialisation(Bytes(queue.resolve(&base).0.min(1 << 32)))
    });
    let drain = slowest.max().unwrap_or(Span::ZERO);
    Span(longest_rtt.0.saturating_add(drain.0.saturating_mul(4)).min(TIME_LIMIT.0))
}
