//! The receiving ends of flows at work.

use super::credit::{CreditPacer, Pull};
use super::grants::{GrantBook, Told, What};
use super::rotations::Class;
use super::{Hosts, TimerKind};
use crate::wire::frame::{Frame, Kind, flag};
use raddle_schemes::ids::{Entropy, FlowId, HostId, Psn};
use raddle_schemes::transport::{Data, Reply};
use raddle_schemes::units::Time;

impl Hosts<'_> {
    /// A data packet, or the header of one, has come.
    pub(super) fn on_data(&mut self, now: Time, host: HostId, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        if self.records[flow.index()].delivered.is_some() {
            self.count_repeated(flow, frame, false);
            return self.answer_late(now, host, flow, frame);
        }
        self.open(now, host, flow);
        let plane = self.addresses.locators.plane(frame.to);
        self.last_plane[flow.index()] = plane;
        let Some(receiver) = &mut self.receiving[flow.index()] else { return };
        let (marked, trimmed) = (frame.has(flag::MARKED), frame.is_trimmed());
        let received = receiver.on_data(&Data {
            at: now,
            psn: Psn(frame.number()),
            entropy: frame.entropy(),
            marked,
            trimmed,
            again: frame.has(flag::AGAIN),
            ack_request: !trimmed && frame.has(flag::ACK_REQUEST),
        });
        let arrived = receiver.arrived();
        let (count, low) = (arrived.count(), arrived.low());
        let is_missing = !arrived.has(Psn(frame.number()));
        let number = match received.reply {
            Reply::AckExpected | Reply::NackExpected => arrived.low(),
            Reply::Ack => arrived.count(),
            Reply::Nack | Reply::Nothing => frame.number(),
        };
        let is_new = received.arrival.is_some();
        let echo = if marked { flag::MARKED } else { 0 };
        match received.reply {
            Reply::Nothing => {}
            // It names the transmission that it is about, or that triggered it, which the path is part
            // of.
            Reply::Nack | Reply::NackExpected => {
                let last_hop = trimmed && frame.has(flag::LAST_HOP);
                let flags = if last_hop { echo | flag::OF_LAST_HOP } else { echo };
                self.answer(now, (host, plane), flow, number, (Kind::Nack, flags), frame.entropy());
            }
            Reply::Ack | Reply::AckExpected => {
                let mut flags = echo;
                flags |= if is_new { 0 } else { flag::DUPLICATE };
                // The header of a packet that had arrived tells of a full queue.
                flags |= if trimmed { flag::MARKED } else { 0 };
                let pointer = self.pointer(flow, Class::Acks);
                let route = self.rotations.due(now, pointer);
                if route.is_some() {
                    self.rotations.turn(pointer);
                }
                let path = route.unwrap_or(frame.entropy());
                self.answer(now, (host, plane), flow, number, (Kind::Ack, flags), path);
            }
        }
        if marked && !trimmed {
            self.notify(now, (host, plane), flow, frame.entropy());
        }
        if let Some(credit) = &mut self.hosts[host.index()].credit {
            if received.completed {
                credit.end(flow);
            } else {
                credit.on_data(flow, received.reply == Reply::Nack);
            }
            self.set_pull_timer(now, host);
        }
        if let Some(grants) = &mut self.hosts[host.index()].grants {
            if received.completed {
                grants.end(flow);
            } else {
                grants.on_data(now, flow, count, low);
            }
            grants.grants(now).into_iter().for_each(|told| self.send_grant(now, host, told));
            self.set_pull_timer(now, host);
        }
        let Some(entry) = received.arrival else {
            return self.count_repeated(flow, frame, is_missing);
        };
        self.note_progress(now);
        let record = &mut self.records[flow.index()];
        record.received += 1;
        record.marked += u64::from(marked);
        if let Some(sending) = &mut self.sending[flow.index()] {
            sending.sender.on_arrival(entry);
            sending.hops.push(std::mem::take(&mut self.at_hand));
        }
        if received.completed {
            self.records[flow.index()].delivered = Some(now);
            self.receiving[flow.index()] = None;
            if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_delivered {
                self.fire(now, trigger);
            }
        }
    }

    /// Counts a packet, or its header, that brought nothing: a whole one that is still missing was
    /// refused.
    fn count_repeated(&mut self, flow: FlowId, frame: Frame, is_missing: bool) {
        let record = &mut self.records[flow.index()];
        if frame.is_trimmed() {
            record.trimmed += 1;
        } else {
            if is_missing {
                record.refused += 1;
            } else {
                record.duplicates += 1;
            }
            record.marked += u64::from(frame.has(flag::MARKED));
        }
    }

    /// Puts an ACK or a NACK in line at the NIC, to go back in the plane that its packet came by.
    fn answer(
        &mut self,
        now: Time,
        (host, plane): (HostId, u32),
        flow: FlowId,
        number: u32,
        what: (Kind, u8),
        path: Entropy,
    ) {
        let (to, size) = (self.addresses.sender(flow), self.plan.transport.ack);
        let frame = Frame::new(to, number, what, path, size);
        self.send_control(now, host, plane, frame);
    }

    /// A marked packet has come: it brings a notification, unless another did so not long ago.
    fn notify(&mut self, now: Time, (host, plane): (HostId, u32), flow: FlowId, path: Entropy) {
        let Some((plan, last)) = self.cnps.get_mut(&flow) else { return };
        if last.is_some_and(|last| now < last + plan.interval) {
            return;
        }
        *last = Some(now);
        let at = now + plan.delay;
        let to = self.addresses.locators.in_plane(self.addresses.sender(flow), plane);
        let frame = Frame::cnp(to, path, self.plan.transport.ack);
        if at == now {
            return self.send_control(now, host, plane, frame);
        }
        let host = &mut self.hosts[host.index()];
        host.cnps.insert((at, flow), frame);
        host.timers.insert((at, TimerKind::Cnp, flow));
    }

    /// A notification is in line at its NIC.
    pub(super) fn send_cnp(&mut self, now: Time, host: HostId, flow: FlowId) {
        let frame = self.hosts[host.index()].cnps.remove(&(now, flow));
        if let Some(frame) = frame {
            self.send_control(now, host, self.addresses.locators.plane(frame.to), frame);
        }
    }

    /// Says once more that all of a message has arrived. Nothing else is left of its receiver, so
    /// this ACK takes the path of what it answers, also where hosts route.
    fn answer_late(&mut self, now: Time, host: HostId, flow: FlowId, frame: Frame) {
        let tells_of_queue = frame.has(flag::MARKED) || frame.is_trimmed();
        let mark = if tells_of_queue { flag::MARKED } else { 0 };
        let flags = flag::DUPLICATE | mark;
        let plane = self.addresses.locators.plane(frame.to);
        self.answer(
            now,
            (host, plane),
            flow,
            self.packets(flow),
            (Kind::Ack, flags),
            frame.entropy(),
        );
    }

    /// Makes the receiver of a flow if it is the first that is heard of it.
    fn open(&mut self, now: Time, host: HostId, flow: FlowId) {
        if self.receiving[flow.index()].is_some() {
            return;
        }
        let context = self.context(flow);
        let template = self.template(flow, &context);
        let total = self.packets(flow);
        let receiver = template.receiver(&context, total);
        self.receiving[flow.index()] = Some(Box::new(receiver));
        if let Some(plan) = template.cnps() {
            self.cnps.insert(flow, (plan, None));
        }
        if let Some(pulls) = template.pulls() {
            let pacer = || CreditPacer::new(self.plan, host);
            let credit = self.hosts[host.index()].credit.get_or_insert_with(pacer);
            credit.begin(flow, &pulls, total);
        }
        if let Some(grants) = template.grants() {
            let from = self.plan.traffic.flows[flow.index()].source;
            let book = self.hosts[host.index()].grants.get_or_insert_with(GrantBook::default);
            book.begin(now, flow, from, total, grants);
        }
    }

    /// A sender asks for credit.
    pub(super) fn on_request(&mut self, now: Time, host: HostId, frame: Frame) {
        let flow = self.addresses.flow_of(frame);
        if self.records[flow.index()].delivered.is_some() {
            return self.answer_late(now, host, flow, frame);
        }
        self.open(now, host, flow);
        self.last_plane[flow.index()] = self.addresses.locators.plane(frame.to);
        if let Some(credit) = &mut self.hosts[host.index()].credit {
            credit.on_request(flow, frame.number());
        }
        self.set_pull_timer(now, host);
    }

    /// Puts a pull in line at the NIC.
    pub(super) fn send_credit(&mut self, now: Time, host: HostId, pull: Pull) {
        let (to, size) = (self.addresses.sender(pull.flow), self.plan.transport.ack);
        let frame = Frame::new(to, pull.count, (Kind::Credit, 0), pull.entropy, size);
        self.send_control(now, host, self.last_plane[pull.flow.index()], frame);
        self.credit_frames.made += 1;
    }

    /// Puts a grant, or a request to send again, in line at the NIC.
    pub(super) fn send_grant(&mut self, now: Time, host: HostId, told: Told) {
        let (to, size) = (self.addresses.sender(told.flow), self.plan.transport.ack);
        let frame = match told.what {
            What::Grant { upto, class } => {
                let to = self.addresses.locators.with_class(to, class);
                Frame::new(to, upto, (Kind::Credit, 0), told.entropy, size)
            }
            What::Resend { first } => {
                Frame::new(to, first, (Kind::Credit, flag::RESEND), told.entropy, size)
            }
        };
        self.send_control(now, host, self.last_plane[told.flow.index()], frame);
        self.credit_frames.made += 1;
    }
}
