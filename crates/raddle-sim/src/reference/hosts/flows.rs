//! The two ends of every flow at work.

use super::credit::{CreditPacer, Pull};
use super::rotations::{Class, Pointer};
use super::{FlowEvents, Hosts, TimerKind, move_timer};
use crate::plan::{BufferPlan, Overflow, Plan};
use crate::topology::Port;
use crate::wire::frame::{Frame, flag, kind};
use raddle_schemes::FlowContext;
use raddle_schemes::ids::{Entropy, FlowId, HostId, Psn};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::{AckHeader, packets};
use raddle_schemes::transport::{Data, FlowTemplate, Reply, Sender, SenderPlan, Transmit};
use raddle_schemes::units::{Bytes, Span, Time};

/// A flow that has started and has not had the last needed ACK.
pub(super) struct Sending {
    sender: Sender,
    /// Whether it stands in line at its NIC.
    pub(super) in_turn: bool,
    /// When its timers are set for.
    paced_at: Option<Time>,
    wakes_at: Option<Time>,
}

impl Hosts<'_> {
    /// What the schemes of a flow are told.
    fn context(&self, flow: FlowId) -> FlowContext {
        let plan = self.plan;
        let message = &plan.traffic.flows[flow.index()];
        let (source, destination) = (message.source, message.destination);
        let base_rtt = plan.fabric.base_rtt(source, destination, plan.packet(), plan.transport.ack);
        let ports = &plan.fabric.ports;
        let last_hop = ports[destination.index()].peer;
        let rate = ports[source.index()].rate.min(ports[last_hop.index()].rate);
        let queues_end = plan.queue.size != Size::Unlimited || plan.buffer.is_some();
        let links_fail = !plan.faults.ports.is_empty() || !plan.faults.nodes.is_empty();
        FlowContext {
            payload: plan.transport.payload,
            header: plan.transport.header,
            gap: plan.queue.gap,
            base_rtt,
            rate,
            bdp: rate.bytes_in(base_rtt),
            rto: self.rto,
            drain: (queues_end || links_fail).then_some(self.drain),
            trimming: plan.queue.overflow == Overflow::Trim,
            source,
            destination,
        }
    }

    /// What both ends of a flow begin with.
    fn template(&self, flow: FlowId, context: &FlowContext) -> FlowTemplate {
        let transport = &self.plan.transport;
        let message = &self.plan.traffic.flows[flow.index()];
        let parts = SenderPlan {
            load_balance: transport.load_balance_of(message.load_balance),
            congestion: &transport.congestion,
            recovery: &transport.recovery,
        };
        FlowTemplate::new(&parts, context)
    }

    /// Packets of a flow's message.
    fn packets(&self, flow: FlowId) -> u32 {
        packets(self.plan.traffic.flows[flow.index()].bytes, self.plan.transport.payload)
    }

    /// What the packets of one direction of a flow take turns in, if hosts route them.
    fn pointer(&self, flow: FlowId, class: Class) -> Pointer {
        let message = &self.plan.traffic.flows[flow.index()];
        let (here, there) = match class {
            Class::Data => (message.source, message.destination),
            Class::Acks => (message.destination, message.source),
        };
        Pointer { load_balance: message.load_balance, here, there, class }
    }

    /// A start timer has fired: a flow that a trigger may have started before.
    pub(super) fn start(&mut self, now: Time, host: HostId, flow: FlowId) {
        if self.records[flow.index()].started.is_some() {
            return;
        }
        self.records[flow.index()].started = Some(now);
        self.note_progress(now);
        let message = &self.plan.traffic.flows[flow.index()];
        let context = self.context(flow);
        let template = self.template(flow, &context);
        let rng = Rng::new(self.plan.seed, "flow", flow.0.into());
        let connection = (message.source, message.destination, message.class, message.load_balance);
        let left = self.left.get(&connection);
        let mut sender = template.next_sender(left, &context, message.bytes, rng);
        let all = self.addresses.begin_at(host);
        let place = all.iter().take_while(|other| **other < flow).count() as u32;
        let key = stream(self.plan.seed, "slots", host.0.into());
        sender.begin_slots(now, place, all.len() as u32, key);
        let sending = Sending { sender, in_turn: false, paced_at: None, wakes_at: None };
        self.sending[flow.index()] = Some(Box::new(sending));
        self.look_at(now, flow);
    }

    /// Something has happened to a sender: lets it stand in line if it may send, and sets its
    /// timers to what it waits for.
    fn look_at(&mut self, now: Time, flow: FlowId) {
        let source = self.plan.traffic.flows[flow.index()].source;
        let host = &mut self.hosts[source.index()];
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let Sending { sender, in_turn, paced_at, wakes_at } = &mut **sending;
        if !*in_turn && sender.can_transmit(now) {
            *in_turn = true;
            host.nic.turns.push_back(flow);
        }
        let pace = if *in_turn { None } else { sender.paced_until(now) };
        move_timer(&mut host.timers, paced_at, pace, TimerKind::Pace, flow);
        let wake = sender.poll_timeout();
        move_timer(&mut host.timers, wakes_at, wake, TimerKind::Wake, flow);
    }

    /// The packet of a flow whose turn it is, unless its window has closed since it got in line.
    pub(super) fn poll_transmit(&mut self, now: Time, flow: FlowId) -> Option<Frame> {
        let pointer = self.pointer(flow, Class::Data);
        let route = self.rotations.due(now, pointer);
        let sender = &mut self.sending[flow.index()].as_mut()?.sender;
        if let Some(route) = route {
            sender.on_route(route);
        }
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let packet = sender.poll_transmit(now, events);
        if route.is_some() && packet.is_some() {
            self.rotations.turn(pointer);
        }
        self.look_at(now, flow);
        let Transmit { psn, entropy, bytes, again, ack_request } = packet?;
        let record = &mut self.records[flow.index()];
        record.sent += 1;
        let mut flags = kind::DATA;
        if again {
            record.retransmitted += 1;
            self.buckets.count(&mut self.timeline.retransmitted, now);
            flags |= flag::AGAIN;
        }
        if ack_request {
            flags |= flag::ACK_REQUEST;
        }
        if self.plan.traffic.flows[flow.index()].hashed {
            flags |= flag::HASHED;
        }
        Some(Frame::new(self.addresses.receiver(flow), psn.0, flags, entropy, bytes))
    }

    /// The pace of a flow lets its next packet go.
    pub(super) fn on_pace(&mut self, now: Time, flow: FlowId) {
        if let Some(sending) = &mut self.sending[flow.index()] {
            sending.paced_at = None;
        }
        self.look_at(now, flow);
    }

    /// What a sender wanted to be woken for is due.
    pub(super) fn on_wake(&mut self, now: Time, flow: FlowId) {
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        sending.wakes_at = None;
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let timeouts = sending.sender.on_timeout(now, events);
        let request = sending.sender.poll_request(now, events);
        self.records[flow.index()].timeouts += u64::from(timeouts);
        for _ in 0..timeouts {
            self.buckets.count(&mut self.timeline.timeouts, now);
        }
        if let Some((vanished, path)) = request {
            let (to, size) = (self.addresses.receiver(flow), self.plan.transport.ack);
            let frame = Frame::new(to, vanished, kind::REQUEST, path, size);
            self.host_of(flow).nic.control.push_back(frame);
            self.credit_frames.made += 1;
        }
        self.look_at(now, flow);
    }

    /// An ACK or a NACK has come. One for a flow that is complete has nothing new to say.
    pub(super) fn on_reply(&mut self, now: Time, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        let Some(Sending { sender, .. }) = self.sending[flow.index()].as_deref_mut() else {
            return;
        };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let heard = sender.heard();
        if frame.kind() == kind::NACK {
            sender.on_nack(now, Psn(frame.number()), frame.entropy(), events);
        } else {
            let header = AckHeader {
                upto: frame.number(),
                entropy: frame.entropy(),
                marked: frame.has(flag::MARKED),
                duplicate: frame.has(flag::DUPLICATE),
            };
            sender.on_ack(now, &header, events);
        }
        self.progress.packets_acked += u64::from(sender.heard() - heard);
        if sender.complete() {
            self.complete(now, flow);
        } else {
            self.look_at(now, flow);
        }
    }

    /// The sender has had the last needed ACK.
    fn complete(&mut self, now: Time, flow: FlowId) {
        self.records[flow.index()].acked = Some(now);
        self.progress.flows_done += 1;
        self.progress.last_completion = now;
        let Some(mut ended) = self.sending[flow.index()].take() else { return };
        let timers = &mut self.host_of(flow).timers;
        move_timer(timers, &mut ended.paced_at, None, TimerKind::Pace, flow);
        move_timer(timers, &mut ended.wakes_at, None, TimerKind::Wake, flow);
        let message = &self.plan.traffic.flows[flow.index()];
        if self.keeps_connections() {
            let ends = (message.source, message.destination);
            let connection = (ends.0, ends.1, message.class, message.load_balance);
            self.left.insert(connection, ended.sender.into_connection());
        }
        if let Some(trigger) = message.on_acked {
            self.fire(now, trigger);
        }
    }

    /// A data packet, or the header of one, has come.
    pub(super) fn on_data(&mut self, now: Time, host: HostId, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        if self.records[flow.index()].delivered.is_some() {
            self.count_repeated(flow, frame);
            return self.answer_late(host, flow, frame);
        }
        self.open(host, flow);
        let Some(receiver) = &mut self.receiving[flow.index()] else { return };
        let (marked, trimmed) = (frame.has(flag::MARKED), frame.is_trimmed());
        let received = receiver.on_data(&Data {
            psn: Psn(frame.number()),
            entropy: frame.entropy(),
            marked,
            trimmed,
            again: frame.has(flag::AGAIN),
            ack_request: frame.has(flag::ACK_REQUEST),
        });
        let arrived = receiver.arrived().count();
        let is_new = received.arrival.is_some();
        let echo = if marked { flag::MARKED } else { 0 };
        match received.reply {
            Reply::Nothing => {}
            // It names the transmission that it is about, which the path is part of.
            Reply::Nack => {
                let flags = kind::NACK | echo;
                self.answer(host, flow, frame.number(), flags, frame.entropy());
            }
            Reply::Ack => {
                let mut flags = kind::ACK | echo;
                flags |= if is_new { 0 } else { flag::DUPLICATE };
                // The header of a packet that had arrived tells of a full queue.
                flags |= if trimmed { flag::MARKED } else { 0 };
                let pointer = self.pointer(flow, Class::Acks);
                let route = self.rotations.due(now, pointer);
                if route.is_some() {
                    self.rotations.turn(pointer);
                }
                self.answer(host, flow, arrived, flags, route.unwrap_or(frame.entropy()));
            }
        }
        if let Some(credit) = &mut self.hosts[host.index()].credit {
            if received.completed {
                credit.end(flow);
            } else {
                credit.on_data(flow, received.reply == Reply::Nack);
            }
            self.set_pull_timer(now, host);
        }
        let Some(entry) = received.arrival else { return self.count_repeated(flow, frame) };
        self.note_progress(now);
        let record = &mut self.records[flow.index()];
        record.received += 1;
        record.marked += u64::from(marked);
        if let Some(sending) = &mut self.sending[flow.index()] {
            sending.sender.on_arrival(entry);
        }
        if received.completed {
            self.records[flow.index()].delivered = Some(now);
            self.receiving[flow.index()] = None;
            if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_delivered {
                self.fire(now, trigger);
            }
        }
    }

    /// Counts a packet, or its header, that brought nothing new.
    fn count_repeated(&mut self, flow: FlowId, frame: Frame) {
        let record = &mut self.records[flow.index()];
        if frame.is_trimmed() {
            record.trimmed += 1;
        } else {
            record.duplicates += 1;
            record.marked += u64::from(frame.has(flag::MARKED));
        }
    }

    /// Puts an ACK or a NACK in line at the NIC.
    fn answer(&mut self, host: HostId, flow: FlowId, number: u32, flags: u8, path: Entropy) {
        let (to, size) = (self.addresses.sender(flow), self.plan.transport.ack);
        let frame = Frame::new(to, number, flags, path, size);
        self.hosts[host.index()].nic.control.push_back(frame);
    }

    /// Says once more that all of a message has arrived. Nothing else is left of its receiver, so
    /// this ACK takes the path of what it answers, also where hosts route.
    fn answer_late(&mut self, host: HostId, flow: FlowId, frame: Frame) {
        let tells_of_queue = frame.has(flag::MARKED) || frame.is_trimmed();
        let mark = if tells_of_queue { flag::MARKED } else { 0 };
        let flags = kind::ACK | flag::DUPLICATE | mark;
        self.answer(host, flow, self.packets(flow), flags, frame.entropy());
    }

    /// Makes the receiver of a flow if it is the first that is heard of it.
    fn open(&mut self, host: HostId, flow: FlowId) {
        if self.receiving[flow.index()].is_some() {
            return;
        }
        let context = self.context(flow);
        let template = self.template(flow, &context);
        let total = self.packets(flow);
        let receiver = template.receiver(&context, total);
        self.receiving[flow.index()] = Some(Box::new(receiver));
        if let Some(pulls) = template.pulls() {
            let pacer = || CreditPacer::new(self.plan, host, &pulls);
            let credit = self.hosts[host.index()].credit.get_or_insert_with(pacer);
            credit.begin(flow, &pulls, total);
        }
    }

    /// A pull has come, or a request for one.
    pub(super) fn on_credit_frame(&mut self, now: Time, host: HostId, frame: Frame) {
        self.credit_frames.arrived += 1;
        let flow = self.addresses.flow_of(frame);
        if frame.kind() == kind::CREDIT {
            let Some(sending) = &mut self.sending[flow.index()] else { return };
            let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
            sending.sender.on_credit(now, frame.number(), events);
            return self.look_at(now, flow);
        }
        if self.records[flow.index()].delivered.is_some() {
            return self.answer_late(host, flow, frame);
        }
        self.open(host, flow);
        if let Some(credit) = &mut self.hosts[host.index()].credit {
            credit.on_request(flow, frame.number());
        }
        self.set_pull_timer(now, host);
    }

    /// Puts a pull in line at the NIC.
    pub(super) fn send_credit(&mut self, host: HostId, pull: Pull) {
        let (to, size) = (self.addresses.sender(pull.flow), self.plan.transport.ack);
        let frame = Frame::new(to, pull.count, kind::CREDIT, pull.entropy, size);
        self.hosts[host.index()].nic.control.push_back(frame);
        self.credit_frames.made += 1;
    }
}

/// How long the slowest port takes to drain a full queue, or all the memory that it shares if that
/// is less.
pub(super) fn longest_drain(plan: &Plan, longest_rtt: Span) -> Span {
    let largest = |buffer: &BufferPlan| buffer.largest(&plan.fabric, plan.packet(), longest_rtt).0;
    let memory = plan.buffer.as_ref().map_or(u64::MAX, largest);
    let drain = |port: &Port| {
        let bdp = port.rate.bytes_in(longest_rtt);
        let queue = plan.queue.size.resolve(&Base { packet: plan.packet(), bdp, whole: Bytes(0) });
        // A queue without a limit is as long as 4 GiB.
        port.rate.serialisation(Bytes(queue.0.min(memory).min(1 << 32)))
    };
    plan.fabric.ports.iter().map(drain).max().unwrap_or(Span::ZERO)
}

/// The retransmission timeout unless a recovery has its own: the longest round trip and four full
/// queues, and no longer than any run.
pub(super) fn default_rto(drain: Span, longest_rtt: Span) -> Span {
    Span(longest_rtt.0.saturating_add(drain.0.saturating_mul(4)).min(TIME_LIMIT.0))
}
