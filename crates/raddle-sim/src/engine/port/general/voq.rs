//! The queue of a pair of hybrid ToRs, from which a second wire takes; and that wire's port.

use super::Port;
use crate::engine::world::{Gone, World};
use crate::plan::MarkAt;
use crate::topology::packet_network::Counters;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::congestion::Hop;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Time};

/// A frame that goes by another wire than that of its queue.
pub(in crate::engine) struct Moved {
    frame: Frame,
    class: usize,
    came_in: PortId,
    note: Option<Note>,
}

/// A wire, as telemetry sees it.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Second {
    port: PortId,
    sent: u64,
    rate: Rate,
}

/// When a wire can take something.
pub(in crate::engine) enum Ready {
    /// It carries something, until then.
    Busy(Time),
    /// From then on, while nothing changes.
    From(Time),
    /// Not before its link changes.
    Down(Time),
}

impl Port {
    /// Whether something waits in its queues.
    pub(in crate::engine) fn has_waiting(&self) -> bool {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.is_some_and(|classes| classes.has_waiting())
    }

    /// When the wire can take something, at `now` or later.
    pub(in crate::engine) fn ready(&self, now: Time) -> Ready {
        let is_up = self.extras.as_ref().is_none_or(|extras| extras.is_up());
        if self.in_service.is_some() {
            Ready::Busy(self.next_due())
        } else if is_up {
            Ready::From(self.free_at.max(now))
        } else {
            Ready::Down(self.extras.as_ref().map_or(Time::NEVER, |extras| extras.next_change()))
        }
    }

    /// The wire, as telemetry sees it.
    pub(in crate::engine) fn as_second(&self) -> Second {
        Second { port: self.id, sent: self.record.bytes, rate: self.wire.rate() }
    }

    /// What goes next of its queues, at `now` by another wire; and what the switch has to know.
    pub(in crate::engine) fn give(
        &mut self,
        now: Time,
        counters: Counters,
        wire: Second,
        world: &mut World<'_>,
    ) -> Option<(Moved, Option<Gone>)> {
        let id = self.id;
        let classes = self.classes()?;
        let (mut frame, class) = classes.pop(now)?;
        let came_in = classes.came_in;
        let gone = classes.left(frame, id, class, true);
        let (behind, backlog) = (classes.bytes(class), classes.backlog());
        let mut note = classes.take_note(frame);
        self.flushed += frame.size().0;
        if let Some(note) = note.as_mut().filter(|_| !frame.is_control()) {
            let moved = self.extras.as_ref().map_or(0, |extras| extras.moved);
            let joined = self.record.bytes + self.flushed + backlog;
            let (port, sent, entered) = match counters {
                Counters::Voq => (id, self.record.bytes + moved, joined),
                Counters::Link => (wire.port, wire.sent, wire.sent + backlog + frame.size().0),
            };
            note.push(Hop {
                port,
                at: now,
                queue: Bytes(backlog),
                sent: Bytes(sent),
                entered: Bytes(entered),
                rate: wire.rate,
            });
        }
        if let Some(extras) = self.extras.as_mut().filter(|_| counters == Counters::Voq) {
            extras.moved += frame.size().0;
        }
        if world.discipline.mark_at == MarkAt::Dequeue && !frame.is_control() {
            self.judge(now, &mut frame, (class as u8, behind), now.0, world);
        }
        world.recorder.flushed(id, now, frame);
        if self.in_service.is_none() {
            // What is left may fit where this did not, from now on.
            self.free_at = self.free_at.max(now);
        }
        Some((Moved { frame, class, came_in, note }, gone))
    }

    /// Carries what it is given, the wire being free.
    pub(in crate::engine) fn take_over(&mut self, now: Time, moved: Moved, world: &mut World<'_>) {
        let Moved { frame, class, came_in, note } = moved;
        let Some(classes) = self.classes() else { return };
        classes.push(class, came_in, frame);
        if let Some(note) = note {
            classes.push_note(class, note);
        }
        let (bytes, is_data) = (classes.bytes(class), class < classes.control());
        if is_data {
            self.record.queue_bytes_max = self.record.queue_bytes_max.max(bytes);
            world.recorder.queued(self.id, now, frame, bytes);
        }
        self.try_start(now, world);
    }
}
