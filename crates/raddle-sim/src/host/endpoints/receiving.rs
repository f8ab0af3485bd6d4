//! What comes in of a flow: its receiver is made, answers, and ends.

use super::Ends;
use super::slots::{End, LiveReceiver};
use crate::host::nic::Nic;
use crate::host::nic::cnps::Cnps;
use crate::host::slab::Key;
use crate::wire::frame::{Frame, Kind, flag};
use raddle_schemes::ids::{FlowId, Psn};
use raddle_schemes::transport::sender::packets;
use raddle_schemes::transport::{Data, Reply};
use raddle_schemes::units::Time;

/// What a NACK says of where its packet was trimmed.
fn of_last_hop(frame: Frame) -> u8 {
    let last_hop = frame.is_trimmed() && frame.has(flag::LAST_HOP);
    if last_hop { flag::OF_LAST_HOP } else { 0 }
}

impl Ends<'_> {
    #[inline(always)]
    pub(super) fn on_data(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        let slot = nic.first_receiver + self.locators.index(frame.to);
        if self.receivers[slot as usize].live.is_none() {
            self.expect(now, nic, slot, frame);
        }
        let end = &mut self.receivers[slot as usize];
        let Some(live) = self.live_receivers.get_mut(end.live) else { return };
        let marked = frame.has(flag::MARKED);
        let trimmed = frame.is_trimmed();
        let received = live.receiver.on_data(&Data {
            at: now,
            psn: Psn(frame.number()),
            entropy: frame.entropy(),
            marked,
            trimmed,
            again: frame.has(flag::AGAIN),
            ack_request: !trimmed & frame.has(flag::ACK_REQUEST),
        });
        let echo = if marked { flag::MARKED } else { 0 };
        let mut flags = echo;
        if received.arrival.is_some() {
            end.marked += u64::from(marked);
        } else {
            end.count_repeated(frame, &live.receiver, &mut self.repeated);
            flags |= flag::DUPLICATE;
            if trimmed {
                // The header of a packet that had arrived gets an ACK: one that tells of a full
                // queue.
                flags |= flag::MARKED;
            }
        }
        let answer = match received.reply {
            Reply::Nothing => None,
            Reply::Ack => Some(((Kind::Ack, flags), live.receiver.arrived().count())),
            Reply::Nack => Some(((Kind::Nack, echo | of_last_hop(frame)), frame.number())),
            Reply::AckExpected => Some(((Kind::Ack, flags), live.receiver.arrived().low())),
            Reply::NackExpected => {
                let flags = echo | of_last_hop(frame);
                Some(((Kind::Nack, flags), live.receiver.arrived().low()))
            }
        };
        if let Some((what, number)) = answer {
            let mut entropy = frame.entropy();
            // A NACK names the transmission that it is about, or that triggered it.
            if let (Kind::Ack, Some(turns)) = (what.0, self.source_routes.of_acks(slot)) {
                entropy = self.source_routes.due(turns, now);
                self.source_routes.turn(turns);
            }
            let frame = Frame::new(nic.here(live.to), number, what, entropy, self.ack);
            nic.send_control(now, frame);
        }
        if nic.cnps.is_some() && marked && !trimmed {
            nic.note_mark(now, slot, nic.here(live.to), frame.entropy());
        }
        if nic.credit.is_some() {
            let again = received.reply == Reply::Nack;
            let made = nic.note_data(now, slot, again, live.receiver.arrived());
            self.credit_frames.made += made;
        }
        if let Some(entry) = received.arrival {
            self.totals.last_progress = self.totals.last_progress.max(now);
            let to = live.to;
            match self.live_senders.get_mut(live.sender) {
                Some(live) => live.sender.on_arrival(entry),
                None => self.outgoing.push((to, entry)),
            }
            if self.hops.is_some() {
                self.note_hops(to);
            }
            if received.completed {
                self.delivered(now, nic, slot);
            }
        }
    }

    /// The last packet of a flow has arrived: its receiver has nothing left to do but to answer
    /// late duplicates.
    #[cold]
    fn delivered(&mut self, now: Time, nic: &mut Nic, slot: u32) {
        let end = &mut self.receivers[slot as usize];
        end.delivered = now;
        self.live_receivers.take(&mut end.live);
        if let Some(cnps) = &mut nic.cnps {
            cnps.end(slot);
        }
        if self.triggers.exist() {
            let flow = self.flow_received(nic, slot);
            if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_delivered {
                self.awaited.end(nic.place, End::Receiver(slot));
                self.fire(now, trigger);
            }
        }
    }

    /// The flow of a receiver slot of the host.
    pub(super) fn flow_received(&self, nic: &Nic, slot: u32) -> FlowId {
        let flows = self.layout.receivers.at(self.own[nic.place as usize]);
        flows[(slot - nic.first_receiver) as usize]
    }

    /// A packet of a flow without a receiver: it makes one if it is the first; if it came after the
    /// last, it is answered here.
    #[cold]
    fn expect(&mut self, now: Time, nic: &mut Nic, slot: u32, frame: Frame) {
        if !self.open(now, nic, slot) {
            self.receivers[slot as usize].count_again(frame, false, &mut self.repeated);
            self.answer_late(now, nic, slot, frame);
        }
    }

    /// Says again that everything has arrived, to a sender that sends, or asks for credit, as if it
    /// had not.
    pub(super) fn answer_late(&mut self, now: Time, nic: &mut Nic, slot: u32, frame: Frame) {
        let id = self.flow_received(nic, slot);
        let flow = &self.plan.traffic.flows[id.index()];
        let total = packets(flow.bytes, self.plan.transport.payload);
        let tells_of_queue = frame.has(flag::MARKED) || frame.is_trimmed();
        let mark = if tells_of_queue { flag::MARKED } else { 0 };
        let flags = flag::DUPLICATE | mark;
        let to = nic.here(self.layout.sender(id, flow));
        nic.send_control(now, Frame::new(to, total, (Kind::Ack, flags), frame.entropy(), self.ack));
    }

    /// Makes the receiver of a flow that has none, unless everything has arrived. Returns whether
    /// there is one.
    pub(super) fn open(&mut self, now: Time, nic: &mut Nic, slot: u32) -> bool {
        let end = &self.receivers[slot as usize];
        if end.delivered != Time::NEVER || !end.live.is_none() {
            return end.delivered == Time::NEVER;
        }
        let id = self.flow_received(nic, slot);
        let plan = self.plan;
        let flow = &plan.traffic.flows[id.index()];
        let to = self.layout.sender(id, flow);
        let total = packets(flow.bytes, plan.transport.payload);
        let context = self.context(id);
        let template = self.beginnings.template(flow, &context);
        let receiver = template.receiver(&context, total);
        if let Some(pulls) = template.pulls() {
            let credit = nic.credit.get_or_insert_default();
            credit.begin_paced(plan, flow.destination, slot, to, &pulls, total);
        }
        if let Some(grants) = template.grants() {
            let frames = (plan.transport.ack, self.locators);
            let credit = nic.credit.get_or_insert_default();
            credit.begin_granted(now, slot, (flow.source, to), total, grants, frames);
        }
        if let Some(cnps) = template.cnps() {
            let own = nic.cnps.get_or_insert_with(|| Box::new(Cnps::new(plan.transport.ack)));
            own.begin(slot, cnps);
        }
        let sender =
            self.sender_slot(to).map_or(Key::NONE, |slot| self.senders[slot as usize].live);
        self.source_routes.note_acks(slot, flow);
        let live = LiveReceiver { to, sender, receiver };
        self.receivers[slot as usize].live = self.live_receivers.insert(live);
        if flow.on_delivered.is_some() {
            self.awaited.begin(nic.place, End::Receiver(slot));
        }
        true
    }
}
