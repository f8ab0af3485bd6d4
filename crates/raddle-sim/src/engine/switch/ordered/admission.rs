//! What the memory of an ordered switch keeps, and whom its policy has pause.

use super::OrderedPorts;
use crate::engine::port::{QueuePort, Room};
use crate::engine::switch::shared_memory::{Pool, candidate};
use crate::wire::frame::Frame;
use raddle_schemes::buffer::{Admission, Candidate, QueueId};
use raddle_schemes::units::Time;

impl OrderedPorts<'_, '_> {
    /// A frame of `class` that had come in through a port joined or left: where the memory's policy says
    /// who pauses whom, it does.
    #[inline(never)]
    pub(super) fn ask_memory(&mut self, now: Time, port: u32, class: usize) {
        let Some(pool) = &mut self.pool else { return };
        let own = &mut self.own.ports[port as usize];
        let Some(paused) = own.is_pausing(class) else { return };
        let queue = QueueId { port, class: class as u32 };
        let Some(pauses) = pool.pauses(now, queue, paused) else { return };
        if pauses == paused {
            return;
        }
        own.turn(now, class, pauses);
        self.note_turn(now, port, pauses);
        self.ordered.news.push(port);
        if pauses {
            self.pause();
        } else {
            self.ordered.pauses -= 1;
        }
    }

    /// Whether a frame joins and nobody pauses for it, whatever has left other ports than `out`.
    #[inline]
    pub(super) fn is_sure(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) -> bool {
        let Some(wanted) = self.wanted((in_port, out), frame) else { return false };
        self.pool.as_mut().is_some_and(|pool| pool.ask_early(now, &wanted) == Some(true))
    }

    /// Whether a policy that sees the switch keeps a frame if its port does.
    pub(super) fn would_keep(
        &mut self,
        now: Time,
        (in_port, out): (u32, u32),
        frame: Frame,
    ) -> bool {
        self.wanted((in_port, out), frame).is_none_or(|wanted| self.is_kept(now, &wanted))
    }

    /// A frame as a policy that sees the switch is asked of it, if its queue has room.
    #[inline]
    fn wanted(&self, (in_port, out): (u32, u32), frame: Frame) -> Option<Candidate> {
        let fits = self.own.ports[out as usize].fits(frame, self.world.discipline.on_down);
        let (class, true) = fits? else { return None };
        let queue = QueueId { port: out, class: class as u32 };
        Some(candidate(&self.world.hosts, (in_port, queue), frame.size(), Some(frame)))
    }

    /// The room that a policy makes which sees the switch.
    pub(super) fn make_room(
        &mut self,
        now: Time,
        (in_port, out): (u32, u32),
        frame: Frame,
    ) -> Room {
        let discipline = self.world.discipline;
        let none = Room { frame: false, header: false };
        let port = &self.own.ports[out as usize];
        let Some((class, fits)) = port.fits(frame, discipline.on_down) else { return none };
        let is_kept = |own: &mut Self, class: usize, bytes, data| {
            let queue = QueueId { port: out, class: class as u32 };
            let candidate = candidate(&own.world.hosts, (in_port, queue), bytes, data);
            own.is_kept(now, &candidate)
        };
        if fits && is_kept(self, class, frame.size(), Some(frame)) {
            return Room::AMPLE;
        }
        if !discipline.trim || frame.is_control() {
            return none;
        }
        let port = &self.own.ports[out as usize];
        let fits = port.has_control_room(discipline.header);
        let header = fits && is_kept(self, port.control_queue(), discipline.header, None);
        Room { frame: false, header }
    }

    /// Whether a frame for which its queue has room is kept, when others have gone for it.
    fn is_kept(&mut self, now: Time, frame: &Candidate) -> bool {
        loop {
            let Some(pool) = &mut self.pool else { return true };
            match pool.ask(now, frame) {
                Admission::Keep => return pool.has_room(frame.queue.port, frame.bytes),
                Admission::Refuse => return false,
                Admission::PushOut(queue) if self.push_out(now, queue) => {}
                Admission::PushOut(_) => return false,
            }
        }
    }

    /// Drops the last frame of a queue, if one waits there.
    fn push_out(&mut self, now: Time, queue: QueueId) -> bool {
        let port = &mut self.own.ports[queue.port as usize];
        let Some(gone) = port.push_out(now, queue.class as usize, self.world) else { return false };
        self.ordered.await_port(queue.port as usize, port.next_due());
        self.note_gone(now, gone);
        true
    }

    /// The room that the memory of the switch has for a frame at port `out`, which has caught up.
    pub(super) fn room(&mut self, now: Time, out: u32, frame: Frame) -> Room {
        let (own, line) = (&mut self.own.ports[out as usize], &mut self.own.lines[out as usize]);
        let queued = own.data_queued(now, frame, line, self.world);
        let is_ample = |pool: &&mut Pool| pool.is_ample(out, frame.size(), queued);
        if self.pool.as_ref().is_none_or(is_ample) {
            return Room::AMPLE;
        }
        if !self.ordered.in_order || !self.ordered.apart.is_empty() {
            self.catch_up(now);
        }
        let header = self.world.discipline.header;
        let room = |pool: &&mut Pool| pool.room(out, frame.size(), queued, header);
        self.pool.as_ref().map_or(Room::AMPLE, room)
    }
}
