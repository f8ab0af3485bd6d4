//! All hosts of a run: their NICs, the senders and receivers of their flows, their timers.
//!
//! Both engines drive hosts through the same few calls: a frame arrives, or the next local event
//! (wire free, or a timer) is due. At one instant an arrival goes first, then the wire, then
//! timers.

use super::frame::{Frame, Locators, flag};
use super::link::Link;
use super::nic::{Departure, Nic, Timer, TimerKind};
use super::pauses::Pauses;
use super::slots::{ReceiverSlot, SenderSlot, Slots};
use super::triggers::{Triggers, groups};
use crate::plan::{Overflow, Plan};
use crate::record::series::Buckets;
use crate::record::{FlowRecord, PortRecord, Timeline};
use crate::topology::Fabric;
use crate::workload::{Start, TriggerId};
use raddle_schemes::ids::{FlowId, HostId, Psn};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::AckHeader;
use raddle_schemes::transport::{Data, Receiver, Reply, Sender, SenderPlan};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Events, FlowContext};
use std::cmp::Reverse;

/// All hosts, and all flows.
pub struct Hosts<'a> {
    plan: &'a Plan,
    locators: Locators,
    nics: Vec<Nic>,
    senders: Vec<SenderSlot>,
    /// Sender slots of host `h` begin here; likewise receivers.
    sender_base: Vec<u32>,
    receivers: Vec<ReceiverSlot>,
    receiver_base: Vec<u32>,
    /// Sender slot of each flow.
    slot_of: Vec<u32>,
    records: Vec<FlowRecord>,
    triggers: Triggers,
    groups: Vec<u32>,
    buckets: Buckets,
    /// Retransmissions, timeouts and events; the engine adds what happens in switches.
    pub timeline: Timeline,
    default_rto: Span,
    /// Hosts other than the one being run to which a trigger gave a new local event.
    pub woken: Vec<HostId>,
    /// When a receiver last got a new packet, or a flow last started.
    pub last_progress: Time,
    /// When the last flow completed so far.
    pub last_completion: Time,
    /// Flows completed.
    pub flows_done: u64,
    /// Packets known to their senders to have arrived.
    pub packets_acked: u64,
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

/// Keeps the first events by time and flow. Hosts are run in an order that depends on the windows;
/// the events of one flow are in order, and stay so.
fn keep_first(events: &mut Vec<(Time, FlowId, &'static str)>) {
    events.sort_by_key(|&(at, flow, _)| (at, flow));
    events.truncate(EVENTS_KEPT);
}

impl<'a> Hosts<'a> {
    /// The hosts of a plan, all flows waiting for their start.
    pub fn new(plan: &'a Plan) -> Self {
        let hosts = plan.fabric.hosts;
        let flows = &plan.traffic.flows;
        let locators = Locators::new(hosts, plan.queue.classes);
        let Slots { senders, sender_base, receivers, receiver_base, slot_of } =
            Slots::new(plan, locators);
        let mut changes = plan.faults.ports.iter().peekable();
        let mut nics: Vec<Nic> = (0..hosts)
            .map(|h| {
                let own = changes.next_if(|(port, _)| port.0 == h);
                let own = own.map_or_else(Vec::new, |(_, list)| list.clone());
                let link = Link::new(plan.fabric.ports[h as usize].rate, own);
                let noise = stream(plan.seed, "loss", u64::from(h));
                Nic::new(link, noise, plan.queue.gap, plan.transport.nic, Pauses::of(plan))
            })
            .collect();
        for (i, flow) in flows.iter().enumerate() {
            let Start::At(at) = flow.start else { continue };
            let phase = plan.transport.phase.0;
            let delay = Rng::new(plan.seed, "phase", i as u64).below(phase + 1);
            let timer = Timer { at: Time(at.0 + delay), kind: TimerKind::Start, slot: slot_of[i] };
            nics[flow.source.index()].timers.push(Reverse(timer));
        }
        let longest_rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
        Self {
            plan,
            locators,
            nics,
            senders,
            sender_base,
            receivers,
            receiver_base,
            slot_of,
            records: vec![FlowRecord::default(); flows.len()],
            triggers: Triggers::new(&plan.traffic),
            groups: groups(&plan.traffic, hosts),
            buckets: Buckets::new(plan.record.bucket),
            timeline: Timeline::default(),
            default_rto: default_rto(&plan.fabric, plan.queue.size, plan.packet(), longest_rtt),
            woken: Vec::new(),
            last_progress: Time::ZERO,
            last_completion: Time::ZERO,
            flows_done: 0,
            packets_acked: 0,
        }
    }

    /// The split of this run's locators.
    pub fn locators(&self) -> Locators {
        self.locators
    }

    /// For each host, the smallest host that must be run together with it.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// When the next local event of `host` is due.
    #[inline]
    pub fn next_local(&self, host: HostId) -> Time {
        self.nics[host.index()].next_local()
    }

    /// A frame reached `host`.
    pub fn on_frame(&mut self, now: Time, host: HostId, frame: Frame) {
        let index = self.locators.index(frame.to);
        if frame.is_data() {
            self.on_data(now, host, self.receiver_base[host.index()] + index, frame);
        } else if frame.is_pfc() {
            if let Some(pauses) = &mut self.nics[host.index()].pauses {
                pauses.on_pfc(now, frame);
            }
        } else {
            self.on_reply(now, host, self.sender_base[host.index()] + index, frame);
        }
        self.nics[host.index()].settle(now);
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires.
    pub fn run_local(&mut self, now: Time, host: HostId) -> Option<Departure> {
        let nic = &mut self.nics[host.index()];
        let departure = if nic.wire_is_next() {
            self.pull(now, host)
        } else {
            if let Some(timer) = nic.pop_timer(now) {
                self.on_timer(now, host, timer);
            }
            None
        };
        self.nics[host.index()].settle(now);
        departure
    }

    /// The flow a data frame belongs to.
    pub fn flow_of(&self, frame: Frame) -> FlowId {
        debug_assert!(frame.is_data());
        let host = self.locators.host(frame.to);
        let slot = self.receiver_base[host.index()] + self.locators.index(frame.to);
        self.receivers[slot as usize].flow
    }

    /// Frames that left hosts so far.
    pub fn frames_sent(&self) -> u64 {
        self.nics.iter().map(|nic| nic.record.frames).sum()
    }

    /// Notes that a data packet was lost on its way.
    pub fn note_dropped(&mut self, frame: Frame) {
        if frame.is_data() {
            let flow = self.flow_of(frame);
            self.records[flow.index()].dropped += 1;
        }
    }

    /// What became of the flows, and what passed the hosts' ports.
    pub fn finish(mut self) -> (Vec<FlowRecord>, Vec<PortRecord>, Timeline) {
        for slot in &mut self.senders {
            if let Some(sender) = slot.live.take() {
                note_sender(&mut self.records[slot.flow.index()], &sender);
            }
        }
        keep_first(&mut self.timeline.events);
        let ports = self.nics.into_iter().map(|nic| nic.record).collect();
        (self.records, ports, self.timeline)
    }

    /// Flows not completed, in order.
    pub fn unfinished(&self) -> Vec<FlowId> {
        let open = self.records.iter().enumerate().filter(|(_, record)| record.acked.is_none());
        open.map(|(i, _)| FlowId(i as u32)).collect()
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

    fn on_data(&mut self, now: Time, host: HostId, index: u32, frame: Frame) {
        let flow = self.receivers[index as usize].flow;
        if self.receivers[index as usize].live.is_none() && !self.receivers[index as usize].done {
            let context = self.context(flow);
            let slot = &mut self.receivers[index as usize];
            let receiver = Receiver::new(slot.total, &self.plan.transport.recovery, &context);
            slot.live = Some(Box::new(receiver));
        }
        let slot = &mut self.receivers[index as usize];
        let record = &mut self.records[flow.index()];
        let marked = frame.has(flag::MARKED);
        let trimmed = frame.has(flag::TRIMMED);
        let data = Data {
            psn: Psn(frame.number()),
            entropy: frame.entropy(),
            marked,
            trimmed,
            again: frame.has(flag::AGAIN),
            ack_request: frame.has(flag::ACK_REQUEST),
        };
        let (fresh, completed, reply, upto) = match &mut slot.live {
            Some(receiver) => {
                let received = receiver.on_data(&data);
                (received.fresh, received.completed, received.reply, receiver.arrivals.end())
            }
            // The sender has heard of everything: the answer to a late duplicate says so again.
            None => (false, false, Reply::Ack, slot.total),
        };
        record.trimmed += u64::from(trimmed);
        record.marked += u64::from(marked && !trimmed);
        if fresh {
            record.received += 1;
            self.last_progress = self.last_progress.max(now);
        } else if !trimmed {
            record.duplicates += 1;
        }
        // The header of a packet that had arrived gets an ACK: one that tells of a full queue.
        let mut flags = if marked || (trimmed && reply == Reply::Ack) { flag::MARKED } else { 0 };
        let number = match reply {
            Reply::Nothing => None,
            Reply::Ack => {
                flags |= flag::ACK | if fresh { 0 } else { flag::DUPLICATE };
                Some(upto)
            }
            Reply::Nack => {
                flags |= flag::NACK;
                Some(frame.number())
            }
        };
        if let Some(number) = number {
            let size = self.plan.transport.ack;
            let reply = Frame::new(slot.to, number, flags, frame.entropy(), size);
            self.nics[host.index()].control.push_back(reply);
        }
        if completed {
            record.delivered = Some(now);
            if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_delivered {
                self.fire(now, trigger, host);
            }
        }
    }

    fn on_reply(&mut self, now: Time, host: HostId, index: u32, frame: Frame) {
        let slot = &mut self.senders[index as usize];
        // A reply that comes after the flow completed has nothing new to say.
        let Some(sender) = &mut slot.live else { return };
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: slot.flow };
        if frame.has(flag::NACK) {
            sender.on_nack(now, Psn(frame.number()), frame.entropy(), &mut events);
        } else if let Some(receiver) = &mut self.receivers[slot.receiver as usize].live {
            let ack = AckHeader {
                upto: frame.number(),
                entropy: frame.entropy(),
                marked: frame.has(flag::MARKED),
                duplicate: frame.has(flag::DUPLICATE),
            };
            let before = sender.heard();
            sender.on_ack(now, &ack, &receiver.arrivals, &mut events);
            self.packets_acked += u64::from(sender.heard() - before);
            receiver.arrivals.release(sender.heard());
        }
        if sender.complete() {
            self.complete(now, index);
        } else {
            // A retransmission timeout only moves away; a scheme's own timer may come closer.
            let closer = sender.scheme_timer().is_some_and(|at| at < slot.wake_at);
            self.make_ready(now, host, index);
            if closer {
                self.set_wake(host, index);
            }
        }
    }

    fn complete(&mut self, now: Time, index: u32) {
        let slot = &mut self.senders[index as usize];
        let record = &mut self.records[slot.flow.index()];
        if let Some(sender) = slot.live.take() {
            note_sender(record, &sender);
        }
        record.acked = Some(now);
        self.flows_done += 1;
        self.last_completion = self.last_completion.max(now);
        let receiver = &mut self.receivers[slot.receiver as usize];
        receiver.live = None;
        receiver.done = true;
        let flow = &self.plan.traffic.flows[slot.flow.index()];
        if let Some(trigger) = flow.on_acked {
            self.fire(now, trigger, flow.source);
        }
    }

    /// Starts what a trigger starts: as timers due now, at hosts that may be others than `host`.
    fn fire(&mut self, now: Time, trigger: TriggerId, host: HostId) {
        let plan = self.plan;
        for &flow in self.triggers.fire(&plan.traffic, trigger) {
            let source = plan.traffic.flows[flow.index()].source;
            let timer = Timer { at: now, kind: TimerKind::Start, slot: self.slot_of[flow.index()] };
            self.nics[source.index()].timers.push(Reverse(timer));
            if source != host {
                self.woken.push(source);
            }
        }
    }

    fn on_timer(&mut self, now: Time, host: HostId, timer: Timer) {
        let index = timer.slot;
        match timer.kind {
            TimerKind::Start => self.start(now, host, index),
            TimerKind::Pace => {
                self.senders[index as usize].pace_at = Time::NEVER;
                self.make_ready(now, host, index);
            }
            TimerKind::Wake => {
                let slot = &mut self.senders[index as usize];
                // A timer that was set anew fires where it was last set.
                if slot.wake_at != timer.at {
                    return;
                }
                slot.wake_at = Time::NEVER;
                let Some(sender) = &mut slot.live else { return };
                let before = sender.counts().timeouts;
                let mut events = FlowEvents { events: &mut self.timeline.events, flow: slot.flow };
                sender.on_timeout(now, &mut events);
                for _ in before..sender.counts().timeouts {
                    self.buckets.count(&mut self.timeline.timeouts, now);
                }
                self.make_ready(now, host, index);
                self.set_wake(host, index);
            }
        }
    }

    fn start(&mut self, now: Time, host: HostId, index: u32) {
        let plan = self.plan;
        let flow = self.senders[index as usize].flow;
        let context = self.context(flow);
        let parts = SenderPlan {
            load_balance: &plan.transport.load_balance,
            congestion: &plan.transport.congestion,
            recovery: &plan.transport.recovery,
        };
        let rng = Rng::new(plan.seed, "flow", u64::from(flow.0));
        let bytes = plan.traffic.flows[flow.index()].bytes;
        self.senders[index as usize].live =
            Some(Box::new(Sender::new(&parts, &context, bytes, rng)));
        self.records[flow.index()].started = Some(now);
        self.last_progress = self.last_progress.max(now);
        self.make_ready(now, host, index);
        self.set_wake(host, index);
    }

    /// Lets a flow take its turn at the NIC if it may send, or wakes it when its pace allows.
    fn make_ready(&mut self, now: Time, host: HostId, index: u32) {
        let slot = &mut self.senders[index as usize];
        let Some(sender) = &mut slot.live else { return };
        if slot.in_ready {
            return;
        }
        let nic = &mut self.nics[host.index()];
        if sender.can_transmit(now) {
            slot.in_ready = true;
            nic.ready.push_back(index);
        } else if let Some(at) = sender.paced_until(now)
            && at < slot.pace_at
        {
            slot.pace_at = at;
            nic.timers.push(Reverse(Timer { at, kind: TimerKind::Pace, slot: index }));
        }
    }

    /// Sets a flow's wake-up unless an earlier one is set: that one looks again when it fires.
    fn set_wake(&mut self, host: HostId, index: u32) {
        let slot = &mut self.senders[index as usize];
        let Some(sender) = &mut slot.live else { return };
        let Some(at) = sender.poll_timeout() else { return };
        if at < slot.wake_at {
            slot.wake_at = at;
            let timer = Timer { at, kind: TimerKind::Wake, slot: index };
            self.nics[host.index()].timers.push(Reverse(timer));
        }
    }

    /// The wire is free: takes a control frame, or the next ready flow's packet.
    fn pull(&mut self, now: Time, host: HostId) -> Option<Departure> {
        let nic = &mut self.nics[host.index()];
        if !nic.link_up(now) {
            return None;
        }
        if let Some(pauses) = &mut nic.pauses {
            pauses.release(now, &mut nic.ready);
        }
        if nic.control_goes_first()
            && let Some(frame) = nic.control.pop_front()
        {
            return Some(nic.transmit(now, frame));
        }
        if let Some(frame) = self.next_data(now, host) {
            return Some(self.nics[host.index()].transmit(now, frame));
        }
        let nic = &mut self.nics[host.index()];
        let frame = nic.control.pop_front()?;
        Some(nic.transmit(now, frame))
    }

    fn next_data(&mut self, now: Time, host: HostId) -> Option<Frame> {
        while let Some(index) = self.nics[host.index()].ready.pop_front() {
            let slot = &mut self.senders[index as usize];
            if let Some(pauses) = &mut self.nics[host.index()].pauses
                && pauses.hold(now, self.locators.class(slot.to), index)
            {
                continue;
            }
            slot.in_ready = false;
            let Some(sender) = &mut slot.live else { continue };
            let mut events = FlowEvents { events: &mut self.timeline.events, flow: slot.flow };
            let transmit = sender.poll_transmit(now, &mut events);
            let to = slot.to;
            let asleep = slot.wake_at == Time::NEVER;
            self.make_ready(now, host, index);
            let Some(packet) = transmit else { continue };
            if asleep {
                self.set_wake(host, index);
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

fn note_sender(record: &mut FlowRecord, sender: &Sender) {
    let counts = sender.counts();
    record.sent = counts.sent;
    record.retransmitted = counts.retransmitted;
    record.timeouts = counts.timeouts;
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
