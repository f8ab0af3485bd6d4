//! The sending ends of flows at work.

use super::rotations::{self, Class};
use super::{ConnectionId, FlowEvents, Hosts, TimerKind, move_timer};
use crate::plan::{Connections, PairOrder};
use crate::wire::frame::{Frame, Kind, flag};
use crate::workload::Flow;
use raddle_schemes::congestion::{Grant, Hop};
use raddle_schemes::ids::{FlowId, HostId, Psn};
use raddle_schemes::load_balance::plane::plane_of;
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::transport::sender::{AckHeader, NackHeader};
use raddle_schemes::transport::{Sender, Transmit};
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// A flow that has started and has not had the last needed ACK.
pub(super) struct Sending {
    pub(super) sender: Sender,
    /// What switches wrote into each packet that arrived, in order of arrival.
    pub(super) hops: Vec<Vec<Hop>>,
    /// Whether it stands in line at its NIC.
    pub(super) in_turn: bool,
    /// When its timers are set for.
    paced_at: Option<Time>,
    wakes_at: Option<Time>,
}

impl Hosts<'_> {
    /// A start timer has fired: a flow that a trigger may have started before.
    pub(super) fn start(&mut self, now: Time, host: HostId, flow: FlowId) {
        if self.records[flow.index()].started.is_some() {
            return;
        }
        self.records[flow.index()].started = Some(now);
        self.note_progress(now);
        if self.plan.transport.pair_order == PairOrder::Fifo {
            let pair = connection(&self.plan.traffic.flows[flow.index()]);
            if let Some(waiting) = self.queues.get_mut(&pair) {
                return waiting.push_back(flow);
            }
            self.queues.insert(pair, VecDeque::new());
        }
        self.send(now, host, flow);
    }

    /// The message of a pair has sent its last packet for the first time: the next may send.
    pub(super) fn send_next(&mut self, now: Time, flow: FlowId) {
        let message = &self.plan.traffic.flows[flow.index()];
        let Some(waiting) = self.queues.get_mut(&connection(message)) else { return };
        match waiting.pop_front() {
            Some(next) => self.send(now, message.source, next),
            None => _ = self.queues.remove(&connection(message)),
        }
    }

    /// A flow that has started may send.
    fn send(&mut self, now: Time, host: HostId, flow: FlowId) {
        if let Some(domain) = self.crossbar(flow) {
            return self.send_across(now, flow, &domain);
        }
        let message = &self.plan.traffic.flows[flow.index()];
        let context = self.context(flow);
        let template = self.template(flow, &context);
        let rng = Rng::new(self.plan.seed, "flow", flow.0.into());
        let left = self.left.get(&connection(message));
        let mut sender = template.next_sender(left, &context, message.bytes, rng);
        if sender.names_planes() {
            let paths = rotations::paths(self.plan, host, message.destination);
            let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
            sender.begin_paths(now, &paths, events);
        }
        let all = self.addresses.begin_at(host);
        let place = all.iter().take_while(|other| **other < flow).count() as u32;
        let key = stream(self.plan.seed, "slots", host.0.into());
        let slots = (place, all.len() as u32, key);
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        sender.begin_slots(now, slots, events);
        let sending =
            Sending { sender, hops: Vec::new(), in_turn: false, paced_at: None, wakes_at: None };
        self.sending[flow.index()] = Some(Box::new(sending));
        self.begin_on_path(flow);
        self.look_at(now, flow);
    }

    /// Something has happened to a sender: lets it stand in line if it may send, and sets its
    /// timers to what it waits for.
    fn look_at(&mut self, now: Time, flow: FlowId) {
        let source = self.plan.traffic.flows[flow.index()].source;
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        if !sending.in_turn && sending.sender.can_transmit(now) {
            sending.in_turn = true;
            self.stand_in_line(now, flow);
        }
        let host = &mut self.hosts[source.index()];
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let Sending { sender, in_turn, paced_at, wakes_at, .. } = &mut **sending;
        let pace = if *in_turn { None } else { sender.paced_until(now) };
        move_timer(&mut host.timers, paced_at, pace, TimerKind::Pace, flow);
        // A round trip that has become shorter may have it due before now.
        let wake = sender.poll_timeout().map(|at| at.max(now));
        move_timer(&mut host.timers, wakes_at, wake, TimerKind::Wake, flow);
    }

    /// Something is about to happen to a sender.
    fn follow(&mut self, now: Time, flow: FlowId) {
        if let (Some(probes), Some(own)) = (&mut self.probes, &self.sending[flow.index()]) {
            probes.before(now, flow, &own.sender);
        }
    }

    /// The packet of a flow whose turn it is, unless its window has closed since it got in line.
    pub(super) fn poll_transmit(&mut self, now: Time, flow: FlowId) -> Option<Frame> {
        self.follow(now, flow);
        let pointer = self.pointer(flow, Class::Data);
        let route = self.rotations.due(now, pointer);
        let sender = &mut self.sending[flow.index()].as_mut()?.sender;
        if let Some(route) = route {
            sender.on_route(route);
        }
        let class = sender.next_class();
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let packet = sender.poll_transmit(now, events);
        if route.is_some() && packet.is_some() {
            self.rotations.turn(pointer);
        }
        self.look_at(now, flow);
        let Transmit { psn, entropy, bytes, again, ack_request } = packet?;
        if !again && psn.0 + 1 == self.packets(flow) {
            self.send_next(now, flow);
        }
        let record = &mut self.records[flow.index()];
        record.sent += 1;
        let mut flags = 0;
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
        let to = self.addresses.receiver(flow);
        let to = class.map_or(to, |class| self.addresses.locators.with_class(to, class));
        Some(Frame::new(to, psn.0, (Kind::Data, flags), entropy, bytes))
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
        self.follow(now, flow);
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        sending.wakes_at = None;
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let timeouts = sending.sender.on_timeout(now, events);
        self.move_if_lost(now, flow);
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let request = sending.sender.poll_request(now, events);
        let gave_up = sending.sender.counts().gave_up;
        self.records[flow.index()].timeouts += u64::from(timeouts);
        self.records[flow.index()].gave_up = gave_up;
        for _ in 0..timeouts {
            self.buckets.count(&mut self.timeline.timeouts, now);
        }
        if let Some((vanished, path)) = request {
            let (to, size) = (self.addresses.receiver(flow), self.plan.transport.ack);
            let frame = Frame::new(to, vanished, (Kind::Request, 0), path, size);
            self.send_request(now, flow, frame);
            self.credit_frames.made += 1;
        }
        self.ask_for_tail(now, flow);
        let planes = self.plan.fabric.planes;
        let source = self.plan.traffic.flows[flow.index()].source;
        while let Some(sending) = &mut self.sending[flow.index()]
            && let Some(path) = sending.sender.poll_probe()
        {
            let (to, plane) = (self.addresses.receiver(flow), plane_of(path, planes));
            // A host with one port sends whatever its link does.
            if planes == 1 || !self.is_out(now, source, plane) {
                let probe = Frame::new(to, 0, (Kind::Probe, 0), path, self.plan.transport.ack);
                self.send_control(now, source, plane, probe);
            }
        }
        self.look_at(now, flow);
    }

    /// A probe has come, or the answer to one.
    pub(super) fn on_probe(&mut self, now: Time, host: HostId, frame: Frame) {
        let (flow, path) = (self.addresses.flow_of(frame), frame.entropy());
        if !frame.has(flag::ANSWER) {
            let to = self.addresses.sender(flow);
            let what = (frame.kind(), flag::ANSWER);
            let arrived =
                match (&self.receiving[flow.index()], self.records[flow.index()].delivered) {
                    (_, Some(_)) => self.packets(flow),
                    (Some(receiver), None) => receiver.arrived().count(),
                    (None, None) => 0,
                };
            let answer = Frame::new(to, arrived, what, path, self.plan.transport.ack);
            let plane = self.addresses.locators.plane(frame.to);
            return self.send_control(now, host, plane, answer);
        }
        self.follow(now, flow);
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let heard = sending.sender.heard();
        let what = (path, frame.is(Kind::TailProbe));
        sending.sender.on_probe_answered(now, what, frame.number(), events);
        self.progress.packets_acked += u64::from(sending.sender.heard() - heard);
        if sending.sender.complete() {
            self.complete(now, flow);
        } else {
            self.look_at(now, flow);
        }
    }

    /// A sender asks its receiver what has arrived, if its recovery wants to know, by the plane that its
    /// next packet would take.
    fn ask_for_tail(&mut self, now: Time, flow: FlowId) {
        let asks = |sending: &mut Box<Sending>| sending.sender.poll_tail_probe();
        if !self.sending[flow.index()].as_mut().is_some_and(asks) {
            return;
        }
        let plane = self.choose(now, flow);
        let several = self.plan.fabric.planes > 1;
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        if several {
            sending.sender.on_plane(plane);
        }
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let path = sending.sender.next_path(now, events);
        let (to, size) = (self.addresses.receiver(flow), self.plan.transport.ack);
        let probe = Frame::new(to, 0, (Kind::TailProbe, 0), path, size);
        let source = self.plan.traffic.flows[flow.index()].source;
        self.send_control(now, source, plane, probe);
    }

    /// An ACK or a NACK has come. One for a flow that is complete has nothing new to say.
    pub(super) fn on_reply(&mut self, now: Time, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        self.follow(now, flow);
        let Some(Sending { sender, hops, .. }) = self.sending[flow.index()].as_deref_mut() else {
            return;
        };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let heard = sender.heard();
        let Flow { source, destination, .. } = self.plan.traffic.flows[flow.index()];
        let circuit = self.plan.fabric.tells_of_circuit(now, source, destination);
        if frame.is(Kind::Nack) {
            let (entropy, marked) = (frame.entropy(), frame.has(flag::MARKED));
            let (psn, of_switch) = (Psn(frame.number()), frame.has(flag::OF_SWITCH));
            let (rewritten, last_hop) = (self.rewritten, frame.has(flag::OF_LAST_HOP));
            let nack = NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit };
            sender.on_nack(now, &nack, events);
        } else {
            // An ACK brings what the packet carried that triggered it, unless a later one came before.
            let is_news = !frame.has(flag::DUPLICATE) && frame.number() > heard;
            let place = (frame.number() as usize).checked_sub(1).filter(|_| is_news);
            let hops = place.and_then(|place| hops.get(place)).map_or(&[][..], Vec::as_slice);
            let header = AckHeader {
                upto: frame.number(),
                entropy: frame.entropy(),
                marked: frame.has(flag::MARKED),
                duplicate: frame.has(flag::DUPLICATE),
                hops,
                circuit,
            };
            let rtt = sender.on_ack(now, &header, events);
            self.probes.iter_mut().for_each(|probes| probes.note_rtt(flow, rtt));
        }
        self.progress.packets_acked += u64::from(sender.heard() - heard);
        let complete = sender.complete();
        if frame.is(Kind::Nack) {
            self.move_if_lost(now, flow);
        }
        if complete {
            self.complete(now, flow);
        } else {
            self.look_at(now, flow);
        }
    }

    /// A congestion notification has come.
    pub(super) fn on_cnp(&mut self, now: Time, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        self.follow(now, flow);
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        sending.sender.on_cnp(now, events);
        self.look_at(now, flow);
    }

    /// A pull has come, a grant, or a request to send again.
    pub(super) fn on_credit(&mut self, now: Time, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        self.follow(now, flow);
        let Some(sending) = &mut self.sending[flow.index()] else { return };
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        if !sending.sender.is_granted() {
            sending.sender.on_credit(now, frame.number(), events);
        } else if frame.has(flag::RESEND) {
            sending.sender.on_resend(now, Psn(frame.number()), events);
        } else {
            let class = self.addresses.locators.class(frame.to);
            let grant = Grant { upto: frame.number(), class };
            sending.sender.on_grant(now, &grant, events);
        }
        self.look_at(now, flow);
    }

    /// The sender has had the last needed ACK.
    fn complete(&mut self, now: Time, flow: FlowId) {
        self.records[flow.index()].acked = Some(now);
        self.records[flow.index()].gave_up = false;
        self.progress.flows_done += 1;
        self.progress.last_completion = now;
        let Some(mut ended) = self.sending[flow.index()].take() else { return };
        self.probes.iter_mut().for_each(|probes| probes.end(flow, &ended.sender));
        let timers = &mut self.host_of(flow).timers;
        move_timer(timers, &mut ended.paced_at, None, TimerKind::Pace, flow);
        move_timer(timers, &mut ended.wakes_at, None, TimerKind::Wake, flow);
        self.end_on_path(flow);
        let message = &self.plan.traffic.flows[flow.index()];
        if self.plan.transport.connections == Connections::Pair {
            self.left.insert(connection(message), ended.sender.into_connection());
        }
        if let Some(trigger) = message.on_acked {
            self.fire(now, trigger);
        }
    }
}

/// The connection that a message belongs to.
fn connection(message: &Flow) -> ConnectionId {
    let Flow { source, destination, class, load_balance, transport, qp, .. } = *message;
    (source, destination, class, load_balance, transport, qp)
}
