//! Link-level retry in the reference engine: a sender at one end of a link, a receiver at the other, and
//! all that passes between them as events.

mod receiver;
mod sender;

pub(super) use receiver::Receiver;
pub(super) use sender::{Next, Numbered, Sender};

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::faults::{OnDown, PortChange};
use crate::plan::Llr;
use crate::record::{DropCause, RetryRecord};
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::Time;
use receiver::{Flying, Says};

impl<Q: EventQueue> Reference<'_, Q> {
    /// The sender of the link that leaves a port.
    fn sender(&mut self, id: PortId) -> Option<&mut Sender> {
        if id.0 < self.plan.fabric.host_ports() {
            self.hosts.sender(id)
        } else {
            self.ports[id.index()].retry.as_mut()
        }
    }

    /// Something may go now that could not before.
    fn look_again(&mut self, now: Time, id: PortId) {
        if id.0 < self.plan.fabric.host_ports() {
            self.arm(now, HostId(id.0 % self.plan.fabric.hosts));
        } else {
            self.want_wire(now, id);
        }
    }

    /// Events for what a sender waits for.
    pub(super) fn arm_retry(&mut self, id: PortId) {
        let Some(sender) = self.sender(id) else { return };
        for at in sender.waits_until() {
            self.push_at_port(at, Kind::RetryTimer { port: id.0 }, id);
        }
    }

    /// A frame that has a number is on the link from `departs` on, unless that was cut.
    pub(super) fn put_on_link(
        &mut self,
        departs: Time,
        id: PortId,
        numbered: Numbered,
        (frame, note): (Frame, Note),
    ) {
        let delay = self.plan.fabric.ports[id.index()].delay;
        let Some(sender) = self.sender(id) else { return };
        sender.count(numbered, frame);
        if numbered.is_cut {
            sender.record.spoiled += 1;
            return;
        }
        let peer = self.plan.fabric.ports[id.index()].peer;
        if let Some(receiver) = &mut self.receivers[peer.index()] {
            receiver.flight.push_back(Flying { numbered, departs, frame, note });
        }
        self.push_at_port(departs + delay, Kind::FrameThere { port: peer.0 }, peer);
    }

    /// The next frame has come to the far end of a link.
    pub(super) fn frame_there(&mut self, now: Time, id: PortId) {
        let peer = self.plan.fabric.ports[id.index()].peer;
        let Some(receiver) = &mut self.receivers[id.index()] else { return };
        let Some(flying) = receiver.flight.pop_front() else { return };
        let (verdict, wants) = receiver.take(flying.numbered);
        if let Some(sender) = self.sender(peer) {
            *verdict.of(&mut sender.record) += 1;
        }
        if verdict.is_accepted() {
            let Flying { departs, frame, note, .. } = flying;
            if !frame.is_pfc() {
                self.recorder.copy_departed(peer, departs, frame);
            }
            self.launch(departs, peer, frame, note);
        }
        if wants {
            self.want_answer(now, id);
        }
    }

    fn want_answer(&mut self, now: Time, id: PortId) {
        let Some(receiver) = &mut self.receivers[id.index()] else { return };
        if receiver.due.is_none() {
            let at = receiver.free_from.max(now);
            receiver.due = Some(at);
            self.push_at_port(at, Kind::Answer { port: id.0 }, id);
        }
    }

    /// What the link that leaves a port is like: up, when it goes down next, when up, its rate.
    fn way_back(&mut self, now: Time, id: PortId, event: Time) -> WayBack {
        let stream = raddle_schemes::rng::stream(self.plan.seed, "llr", id.0.into());
        let link = if id.0 < self.plan.fabric.host_ports() {
            self.hosts.link(now, id)
        } else {
            &self.ports[id.index()].link
        };
        let takes = link.rate().serialisation(Llr::CONTROL);
        WayBack {
            is_up: link.is_up(),
            next_up: link.next_up(),
            next_down: link.next_down(),
            sent: now + takes,
            free_from: now
                + self.plan.llr.map_or(takes, |llr| link.rate().serialisation(llr.spacing)),
            spoils: link.loses(stream, event, Llr::CONTROL),
        }
    }

    /// The far end of a link answers.
    pub(super) fn answer(&mut self, now: Time, id: PortId) {
        let way = self.way_back(now, id, now);
        let Some(receiver) = &mut self.receivers[id.index()] else { return };
        if receiver.due != Some(now) {
            return;
        }
        receiver.due = None;
        if !way.is_up {
            if way.next_up < Time::NEVER {
                receiver.due = Some(way.next_up);
                self.push_at_port(way.next_up, Kind::Answer { port: id.0 }, id);
            }
            return;
        }
        receiver.free_from = way.free_from;
        let is_nack = receiver.says == Says::Nack;
        if is_nack {
            receiver.says = Says::Nothing;
        }
        let next = receiver.expected;
        if way.next_down < way.sent || way.spoils {
            return;
        }
        let peer = self.plan.fabric.ports[id.index()].peer;
        let back = way.sent + self.plan.fabric.ports[id.index()].delay;
        let Some(life) = self.sender(peer).map(|sender| sender.life) else { return };
        self.push_at_port(back, Kind::AnswerBack { port: peer.0, is_nack, next, life }, peer);
    }

    /// An answer is back: all before `next` has been taken in.
    pub(super) fn answer_back(
        &mut self,
        now: Time,
        id: PortId,
        (is_nack, next, life): (bool, u32, u32),
    ) {
        let Some(sender) = self.sender(id).filter(|sender| sender.life == life) else { return };
        sender.on_answer(now, next);
        if is_nack {
            sender.on_nack(now);
        }
        self.arm_retry(id);
        self.look_again(now, id);
    }

    /// Something that a sender waits for may have come.
    pub(super) fn on_retry_timer(&mut self, now: Time, id: PortId) {
        let Some(sender) = self.sender(id) else { return };
        sender.on_deadline(now);
        if sender.fails_at != Some(now) {
            self.arm_retry(id);
            return self.look_again(now, id);
        }
        let peer = self.plan.fabric.ports[id.index()].peer;
        let next = self.receivers[peer.index()].as_ref().map_or(0, Receiver::will_expect);
        let Some(sender) = self.sender(id) else { return };
        for (frame, _) in sender.give_up(next) {
            self.give_up(now, id, frame);
        }
        self.begin_anew(now, id);
        self.drop_if_cut_off(now, id);
        self.look_again(now, id);
    }

    fn give_up(&mut self, now: Time, id: PortId, frame: Frame) {
        if frame.is_pfc() && id.0 < self.plan.fabric.host_ports() {
            return self.hosts.lose_message(id, frame);
        }
        let own = &mut self.ports[id.index()];
        if frame.is_pfc() {
            return own.note_lost(frame, DropCause::Loss);
        }
        let record = &mut own.record;
        // Those of hosts' ports are added to what their NICs count.
        record.drop(frame, DropCause::Loss);
        self.hosts.note_dropped(frame);
        self.recorder.gave_up(id, now, frame);
    }

    /// Where copies were given up at a link that is down, what waits for it does so for nothing.
    fn drop_if_cut_off(&mut self, now: Time, id: PortId) {
        let is_cut_off = self.sender(id).is_some_and(|sender| sender.is_cut_off());
        let drops = self.plan.faults.on_down == OnDown::Drop;
        if is_cut_off && drops && id.0 >= self.plan.fabric.host_ports() {
            self.cut_off(now, id, true);
        }
    }

    /// A sender that has given up asks the far end to begin anew, if its link is up and it may.
    fn begin_anew(&mut self, now: Time, id: PortId) {
        let port = &self.plan.fabric.ports[id.index()];
        let (delay, peer) = (port.delay, port.peer);
        let takes = {
            let rate = if id.0 < self.plan.fabric.host_ports() {
                self.hosts.link(now, id).rate()
            } else {
                self.ports[id.index()].link.rate()
            };
            rate.serialisation(Llr::CONTROL)
        };
        let Some(sender) = self.sender(id) else { return };
        if sender.begins_anew() {
            let life = sender.life;
            let kind = Kind::InitThere { port: peer.0, life, is_known: false };
            self.push_at_port(now + takes + delay, kind, peer);
        }
    }

    /// The far end is asked to begin anew, or already has and did not get its echo off.
    pub(super) fn init_there(&mut self, now: Time, id: PortId, life: u32, is_known: bool) {
        let peer = self.plan.fabric.ports[id.index()].peer;
        if self.sender(peer).is_none_or(|sender| sender.life != life) {
            return;
        }
        if let Some(receiver) = self.receivers[id.index()].as_mut().filter(|_| !is_known) {
            receiver.begin_anew();
        }
        let way = self.way_back(now, id, now);
        let again = if !way.is_up { way.next_up } else { way.next_down };
        if way.is_up && way.next_down >= way.sent {
            let back = way.sent + self.plan.fabric.ports[id.index()].delay;
            self.push_at_port(back, Kind::EchoBack { port: peer.0, life }, peer);
        } else if again < Time::NEVER {
            self.push_at_port(again, Kind::InitThere { port: id.0, life, is_known: true }, id);
        }
    }

    /// The far end has begun anew.
    pub(super) fn echo_back(&mut self, now: Time, id: PortId, life: u32) {
        if let Some(sender) = self.sender(id).filter(|sender| sender.life == life) {
            sender.is_ready();
            self.look_again(now, id);
        }
    }

    /// The link that leaves a port has gone down or come up.
    pub(super) fn on_link(&mut self, now: Time, id: PortId, change: PortChange) {
        let Some(sender) = self.sender(id) else { return };
        match change {
            PortChange::Down => sender.go_down(now),
            PortChange::Up => {
                sender.come_up();
                self.begin_anew(now, id);
            }
            _ => return,
        }
        self.arm_retry(id);
        self.look_again(now, id);
    }

    /// The link of a host's port changes.
    pub(super) fn host_fault(&mut self, now: Time, id: PortId) {
        if let Some(change) = self.hosts.play_link(id) {
            self.on_link(now, id, change);
        }
    }

    /// The records of all links, and the frames on them or kept for them, when the run has ended: what is
    /// on the way comes to the far end as if time went on.
    pub(super) fn end_retries(&mut self) -> (Vec<RetryRecord>, Vec<Frame>) {
        let (mut records, mut frames) = (Vec::new(), Vec::new());
        let all = if self.plan.llr.is_some() { self.ports.len() as u32 } else { 0 };
        for id in (0..all).map(PortId) {
            let peer = self.plan.fabric.ports[id.index()].peer;
            let mut next = 0;
            let flight = match &mut self.receivers[peer.index()] {
                Some(receiver) => std::mem::take(&mut receiver.flight),
                None => Default::default(),
            };
            for Flying { numbered, departs, frame, .. } in flight {
                let Some(receiver) = &mut self.receivers[peer.index()] else { break };
                let (verdict, _) = receiver.take(numbered);
                if verdict.is_accepted() {
                    frames.push(frame);
                    if !frame.is_pfc() {
                        self.recorder.copy_departed(id, departs, frame);
                    }
                }
                if let Some(sender) = self.sender(id) {
                    *verdict.of(&mut sender.record) += 1;
                }
            }
            if let Some(receiver) = &self.receivers[peer.index()] {
                next = receiver.expected;
            }
            records.push(RetryRecord::default());
            if let Some(sender) = self.sender(id) {
                frames.extend(sender.not_before(next).map(|(frame, _)| *frame));
                records[id.index()] = sender.record;
            }
        }
        (records, frames)
    }
}

/// The link that answers take.
struct WayBack {
    is_up: bool,
    next_up: Time,
    next_down: Time,
    /// When the last bit of an answer leaves that begins now.
    sent: Time,
    /// When the next one may begin.
    free_from: Time,
    /// Whether noise spoils one that begins now.
    spoils: bool,
}
