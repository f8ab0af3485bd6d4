//! The hosts of a run, or of a part of it: their NICs, the senders and receivers of their flows,
//! their timers.
//!
//! Both engines drive hosts through the same few calls: a frame arrives, or the next local event
//! (wire free, or a timer) is due. At one instant an arrival goes first, then the wire, then
//! timers.

use super::frame::{Frame, Locator, Locators, flag};
use super::layout::Layout;
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
use raddle_schemes::rng::Rng;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::{AckHeader, packets};
use raddle_schemes::transport::{Data, Entry, Receiver, Reply, Sender, SenderPlan};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Events, FlowContext};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hosts of one part of a run, and the ends of flows that lie there. What one part's hosts do
/// touches no other part but through messages: frames, and [`Hosts::outgoing`].
///
/// A host is addressed by its place: its index among the part's own hosts.
pub struct Hosts<'a> {
    pub(super) plan: &'a Plan,
    layout: Arc<Layout>,
    locators: Locators,
    pub(super) own: Vec<HostId>,
    /// Place of host `own[0] + i`; `None` for the hosts of other parts.
    places: Vec<Option<u32>>,
    pub(super) nics: Vec<Nic>,
    /// Sender slots in order of place and start, of the flows that start at given times.
    starts: Vec<u32>,
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
    /// Size of an ACK or NACK.
    ack: Bytes,
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
            let mut nic = Nic::new(plan, host);
            (nic.first_sender, nic.first_receiver) = (senders, receivers);
            senders += layout.senders.at(host).len() as u32;
            receivers += layout.receivers.at(host).len() as u32;
            nics.push(nic);
        }
        let longest_rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
        let mut hosts = Self {
            plan,
            layout: Arc::clone(layout),
            locators: layout.locators(),
            own: own.to_vec(),
            places,
            nics,
            starts: Vec::new(),
            senders: (0..senders).map(|_| SenderSlot::WAITING).collect(),
            receivers: (0..receivers).map(|_| ReceiverSlot::WAITING).collect(),
            dropped: BTreeMap::new(),
            triggers: Triggers::new(&plan.traffic),
            buckets: Buckets::new(plan.record.bucket),
            timeline: Timeline::default(),
            default_rto: default_rto(&plan.fabric, plan.queue.size, plan.packet(), longest_rtt),
            ack: plan.transport.ack,
            woken: Vec::new(),
            outgoing: Vec::new(),
            totals: HostTotals::default(),
        };
        for place in 0..own.len() as u32 {
            hosts.list_starts(place);
        }
        hosts
    }

    /// Lists the flows that start at given times at one host, and sets a timer for the first.
    fn list_starts(&mut self, place: u32) {
        let flows = self.layout.senders.at(self.own[place as usize]);
        let nic = &mut self.nics[place as usize];
        let starts = (nic.first_sender..).zip(flows);
        let mut starts: Vec<(Time, u32)> =
            starts.filter_map(|(slot, &flow)| Some((start_of(self.plan, flow)?, slot))).collect();
        starts.sort_unstable();
        nic.starts = self.starts.len() as u32;
        self.starts.extend(starts.iter().map(|&(_, slot)| slot));
        if let Some(&(at, slot)) = starts.first() {
            nic.set_timer(Timer { at, kind: TimerKind::Start, slot });
        }
    }

    /// Sets a timer for the flow that starts after the one of `slot`, if that one was listed.
    fn next_start(&mut self, place: u32, slot: u32) {
        let nic = &mut self.nics[place as usize];
        if self.starts.get(nic.starts as usize) != Some(&slot) {
            return;
        }
        nic.starts += 1;
        let flows = self.layout.senders.at(self.own[place as usize]);
        // The next in the list may be the first of the next host.
        let Some(&slot) = self.starts.get(nic.starts as usize) else { return };
        let Some(&flow) = flows.get((slot - nic.first_sender) as usize) else { return };
        if let Some(at) = start_of(self.plan, flow) {
            nic.set_timer(Timer { at, kind: TimerKind::Start, slot });
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

    /// A frame reached the host at `place`. Returns when its next local event is due.
    #[inline]
    pub fn on_frame(&mut self, now: Time, place: u32, frame: Frame) -> Time {
        if frame.is_data() {
            self.on_data(now, place, frame)
        } else if frame.is_pfc() {
            self.on_pfc(now, place, frame)
        } else {
            self.on_reply(now, place, frame)
        }
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires. Returns
    /// what the wire took, and when the next local event is due.
    #[inline]
    pub fn run_local(&mut self, now: Time, place: u32) -> (Option<Departure>, Time) {
        let nic = &mut self.nics[place as usize];
        if !nic.wire_is_next() {
            return (None, self.run_timer(now, place));
        }
        let frame = if !nic.can_send(now) {
            None
        } else if nic.control_goes_first()
            && let Some(frame) = nic.control.pop_front()
        {
            Some(frame)
        } else {
            self.next_data(now, place)
        };
        let nic = &mut self.nics[place as usize];
        let departure = frame.map(|frame| nic.transmit(now, frame));
        let next = nic.settle(now);
        if let Some(Departure { frame, lost: Some(_), .. }) = departure {
            self.note_dropped(frame);
        }
        (departure, next)
    }

    #[cold]
    fn on_pfc(&mut self, now: Time, place: u32, frame: Frame) -> Time {
        let nic = &mut self.nics[place as usize];
        if let Some(pauses) = &mut nic.pauses {
            pauses.on_pfc(now, frame);
        }
        nic.settle(now)
    }

    #[inline(never)]
    fn run_timer(&mut self, now: Time, place: u32) -> Time {
        if let Some(timer) = self.nics[place as usize].pop_timer(now) {
            self.on_timer(now, place, timer);
        }
        self.nics[place as usize].settle(now)
    }

    /// An entry for the log of the sender at `to`, from a receiver in another part.
    pub fn take_log_entry(&mut self, to: Locator, entry: Entry) {
        let Some(place) = self.place(self.locators.host(to)) else { return };
        let slot = self.nics[place as usize].first_sender + self.locators.index(to);
        log_arrival(&mut self.senders[slot as usize], entry);
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

    #[inline]
    fn on_data(&mut self, now: Time, place: u32, frame: Frame) -> Time {
        let mut nic = &mut self.nics[place as usize];
        let slot = nic.first_receiver + self.locators.index(frame.to);
        let mut end = &mut self.receivers[slot as usize];
        if end.live.is_none() {
            self.expect(place, slot, frame);
            nic = &mut self.nics[place as usize];
            end = &mut self.receivers[slot as usize];
        }
        let Some(live) = &mut end.live else { return nic.settle(now) };
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
        let mut flags = if marked { flag::MARKED } else { 0 };
        if let Some(entry) = received.arrival {
            end.counts.marked += u64::from(marked);
            self.totals.last_progress = self.totals.last_progress.max(now);
            match live.sender {
                Some(sender) => log_arrival(&mut self.senders[sender as usize], entry),
                None => self.outgoing.push((live.to, entry)),
            }
        } else {
            end.counts.repeated(frame);
            flags |= flag::DUPLICATE;
            if trimmed {
                // The header of a packet that had arrived gets an ACK: one that tells of a full
                // queue.
                flags |= flag::MARKED;
            }
        }
        let arrived = live.receiver.arrived().count();
        let (flags, number) = match received.reply {
            Reply::Nothing => (0, 0),
            Reply::Ack => (flag::ACK | flags, arrived),
            Reply::Nack => (flag::NACK | if marked { flag::MARKED } else { 0 }, frame.number()),
        };
        if received.reply != Reply::Nothing {
            let reply = Frame::new(live.to, number, flags, frame.entropy(), self.ack);
            nic.control.push_back(reply);
        }
        if received.completed {
            return self.delivered(now, place, slot);
        }
        nic.settle(now)
    }

    /// The last packet of a flow has arrived: its receiver has nothing left to do but to answer
    /// late duplicates.
    #[cold]
    fn delivered(&mut self, now: Time, place: u32, slot: u32) -> Time {
        let end = &mut self.receivers[slot as usize];
        end.delivered = now;
        if let Some(live) = end.live.take()
            && let Some(trigger) = self.plan.traffic.flows[live.flow.index()].on_delivered
        {
            self.fire(now, trigger, place);
        }
        self.nics[place as usize].settle(now)
    }

    /// A packet of a flow without a receiver: it makes one if it is the first; if it came after the
    /// last, it is answered here.
    #[cold]
    fn expect(&mut self, place: u32, slot: u32, frame: Frame) {
        if self.receivers[slot as usize].delivered == Time::NEVER {
            let live = self.receiver(place, slot);
            self.receivers[slot as usize].live = Some(Box::new(live));
        } else {
            self.on_late_data(place, slot, frame);
        }
    }

    /// A packet of a flow that has every packet: the answer says so again.
    fn on_late_data(&mut self, place: u32, slot: u32, frame: Frame) {
        let nic = &mut self.nics[place as usize];
        let index = (slot - nic.first_receiver) as usize;
        let id = self.layout.receivers.at(self.own[place as usize])[index];
        let flow = &self.plan.traffic.flows[id.index()];
        let to = self.layout.sender(id, flow);
        let total = packets(flow.bytes, self.plan.transport.payload);
        self.receivers[slot as usize].counts.repeated(frame);
        let tells_of_queue = frame.has(flag::MARKED | flag::TRIMMED);
        let mark = if tells_of_queue { flag::MARKED } else { 0 };
        let flags = flag::ACK | flag::DUPLICATE | mark;
        nic.control.push_back(Frame::new(to, total, flags, frame.entropy(), self.ack));
    }

    #[inline]
    fn on_reply(&mut self, now: Time, place: u32, frame: Frame) -> Time {
        let nic = &mut self.nics[place as usize];
        let slot = nic.first_sender + self.locators.index(frame.to);
        // A reply that comes after the flow completed has nothing new to say.
        let Some(live) = &mut self.senders[slot as usize].live else { return nic.settle(now) };
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
            return self.complete(now, place, slot);
        }
        // A retransmission timeout only moves away; a scheme's own timer may come closer.
        let closer = sender.scheme_timer().is_some_and(|at| at < live.wake_at);
        live.make_ready(now, slot, nic);
        if closer {
            live.set_wake(slot, nic);
        }
        nic.settle(now)
    }

    #[cold]
    fn complete(&mut self, now: Time, place: u32, slot: u32) -> Time {
        let end = &mut self.senders[slot as usize];
        let flow = end.live.as_ref().map(|live| live.flow);
        end.end();
        end.acked = now;
        self.totals.flows_done += 1;
        self.totals.last_completion = self.totals.last_completion.max(now);
        let flow = flow.map(|flow| &self.plan.traffic.flows[flow.index()]);
        if let Some(trigger) = flow.and_then(|flow| flow.on_acked) {
            self.fire(now, trigger, place);
        }
        self.nics[place as usize].settle(now)
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
            nic.set_timer(Timer { at: now, kind: TimerKind::Start, slot });
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
        let nic = &mut self.nics[place as usize];
        let Some(live) = &mut self.senders[slot as usize].live else { return };
        if timer.kind == TimerKind::Pace {
            live.pace_at = Time::NEVER;
            return live.make_ready(now, slot, nic);
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
        live.make_ready(now, slot, nic);
        live.set_wake(slot, nic);
    }

    fn start(&mut self, now: Time, place: u32, slot: u32) {
        self.next_start(place, slot);
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
        let mut live = Box::new(LiveSender {
            flow,
            to: self.layout.receiver(flow, message),
            in_ready: false,
            wake_at: Time::NEVER,
            pace_at: Time::NEVER,
            sender: Sender::new(&parts, &context, message.bytes, rng),
        });
        let nic = &mut self.nics[place as usize];
        live.make_ready(now, slot, nic);
        live.set_wake(slot, nic);
        let end = &mut self.senders[slot as usize];
        end.live = Some(live);
        end.started = now;
        self.totals.last_progress = self.totals.last_progress.max(now);
    }

    /// The next ready flow's packet; the next control frame, if there is none.
    #[inline]
    fn next_data(&mut self, now: Time, place: u32) -> Option<Frame> {
        let nic = &mut self.nics[place as usize];
        loop {
            let Some(&slot) = nic.ready.front() else { return nic.control.pop_front() };
            let Some(live) = &mut self.senders[slot as usize].live else {
                nic.ready.pop_front();
                continue;
            };
            if let Some(pauses) = &mut nic.pauses
                && pauses.hold(now, self.locators.class(live.to), slot)
            {
                nic.ready.pop_front();
                continue;
            }
            let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
            let transmit = live.sender.poll_transmit(now, &mut events);
            live.take_turn(now, slot, nic, transmit.as_ref());
            let Some(packet) = transmit else { continue };
            if live.wake_at == Time::NEVER {
                live.set_wake(slot, nic);
            }
            if packet.again {
                self.buckets.count(&mut self.timeline.retransmitted, now);
            }
            let mut flags = 0;
            flags |= if packet.again { flag::AGAIN } else { 0 };
            flags |= if packet.ack_request { flag::ACK_REQUEST } else { 0 };
            return Some(Frame::new(live.to, packet.psn.0, flags, packet.entropy, packet.bytes));
        }
    }
}

/// When a flow starts by itself; `None` if a trigger starts it.
fn start_of(plan: &Plan, flow: FlowId) -> Option<Time> {
    let Start::At(at) = plan.traffic.flows[flow.index()].start else { return None };
    let mut draw = Rng::new(plan.seed, "phase", u64::from(flow.0));
    Some(Time(at.0 + draw.below(plan.transport.phase.0 + 1)))
}

#[inline]
fn log_arrival(end: &mut SenderSlot, entry: Entry) {
    // A sender that is done has heard of every packet, so there is none without one.
    if let Some(live) = &mut end.live {
        live.sender.on_arrival(entry);
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
