//! What joins the queues of a port that has classes, and what does not.

use super::Port;
use super::classes::Classes;
use crate::engine::port::{Joined, Room};
use crate::engine::world::{Discipline, Gone, World};
use crate::faults::OnDown;
use crate::plan::MarkAt;
use crate::record::DropCause;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

impl Port {
    /// Queues, trims or drops a frame, at a port that has classes and has been replayed up to now, of a
    /// switch whose memory has `room`. Returns what it joined, if it did; nothing starts.
    #[inline]
    pub(in crate::engine) fn admit(
        &mut self,
        now: Time,
        came_in: PortId,
        frame: Frame,
        room: Room,
        world: &mut World<'_>,
    ) -> Option<Joined> {
        if world.notes.is_some() {
            return self.admit_with_note(now, came_in, frame, room, world);
        }
        self.admit_frame(now, came_in, frame, room, world)
    }

    /// The same where frames carry notes: this one's goes along with it.
    #[inline(never)]
    fn admit_with_note(
        &mut self,
        now: Time,
        came_in: PortId,
        frame: Frame,
        room: Room,
        world: &mut World<'_>,
    ) -> Option<Joined> {
        let joined = self.admit_frame(now, came_in, frame, room, world)?;
        if let Some(notes) = world.notes.as_mut().filter(|notes| notes.are_with(frame))
            && let Some(classes) = self.classes()
        {
            let class = joined.data.unwrap_or(classes.control());
            classes.push_note(class, notes.take());
        }
        Some(joined)
    }

    #[inline(always)]
    fn admit_frame(
        &mut self,
        now: Time,
        came_in: PortId,
        mut frame: Frame,
        room: Room,
        world: &mut World<'_>,
    ) -> Option<Joined> {
        let Discipline { mark_at, on_down, .. } = world.discipline;
        let capacity = self.capacity();
        let extras = self.extras.as_deref_mut()?;
        let is_down = extras.is_cut_off();
        let classes = extras.classes.as_mut()?;
        let class = classes.queue_of(frame);
        let is_data = class < classes.control();
        let bytes = classes.bytes(class);
        // One question for data and control: full load makes random which of them it is.
        let most = if is_data { capacity } else { self.control_capacity };
        let has_room = bytes + frame.size().0 <= most || classes.is_unlimited(class);
        let fits = room.frame & has_room;
        if is_down && on_down == OnDown::Drop {
            self.drop(now, frame, DropCause::LinkDown, world);
            return None;
        }
        if !fits {
            return self.trim_or_drop(now, came_in, frame, room.header, world);
        }
        if mark_at == MarkAt::Enqueue && is_data && !frame.is_control() {
            let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
            self.judge(now, &mut frame, (class as u8, bytes), event, world);
        }
        let bytes = bytes + frame.size().0;
        self.classes()?.push(class, came_in, frame);
        let counted = if is_data { bytes } else { 0 };
        self.record.queue_bytes_max = self.record.queue_bytes_max.max(counted);
        if is_data {
            world.recorder.queued(self.id, now, frame, bytes);
        }
        Some(Joined { data: is_data.then_some(class), bytes: frame.size() })
    }

    /// A frame that its queue has no room for is dropped, or its header becomes control if the
    /// switch's memory has room for that.
    #[cold]
    fn trim_or_drop(
        &mut self,
        now: Time,
        came_in: PortId,
        mut frame: Frame,
        has_room: bool,
        world: &mut World<'_>,
    ) -> Option<Joined> {
        let class = self.classes().map_or(0, |classes| classes.queue_of(frame));
        self.note_refused(class);
        if !world.discipline.trim || frame.is_control() {
            self.drop(now, frame, DropCause::Overflow, world);
            return None;
        }
        world.trim(self.id, now, &mut frame);
        self.record.trimmed += 1;
        let most = self.control_capacity;
        let classes = self.classes()?;
        let control = classes.control();
        if !(has_room && classes.bytes(control) + frame.size().0 <= most) {
            self.drop(now, frame, DropCause::Overflow, world);
            return None;
        }
        classes.push(control, came_in, frame);
        Some(Joined { data: None, bytes: frame.size() })
    }

    /// A frame of a queue found no room here: if flow control has taken its class on, it should have.
    fn note_refused(&mut self, class: usize) {
        let is_lossless = self.classes().is_some_and(|classes| classes.is_lossless(class));
        if let Some(record) = self.record.pfc.as_mut().filter(|_| is_lossless) {
            record.refused += 1;
        }
    }

    /// Whether a frame would be kept as far as the port and its link decide; `None` if the port is cut
    /// off and drops it.
    pub(in crate::engine) fn fits(&self, frame: Frame, on_down: OnDown) -> Option<(usize, bool)> {
        let extras = self.extras.as_deref()?;
        let classes = extras.classes.as_ref()?;
        let class = classes.queue_of(frame);
        let is_data = class < classes.control();
        let most = if is_data { self.capacity() } else { self.control_capacity };
        let is_cut_off = extras.is_cut_off() && on_down == OnDown::Drop;
        let fits = classes.bytes(class) + frame.size().0 <= most || classes.is_unlimited(class);
        (!is_cut_off).then_some((class, fits))
    }

    /// The number of the control queue.
    pub(in crate::engine) fn control_queue(&self) -> usize {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.map_or(0, Classes::control)
    }

    /// Whether the queue of control has room for so much.
    pub(in crate::engine) fn has_control_room(&self, bytes: Bytes) -> bool {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        let queued = classes.map_or(0, |classes| classes.bytes(classes.control()));
        queued + bytes.0 <= self.control_capacity
    }

    /// Drops the frame of a queue that would go last, for want of memory. Returns what the switch has
    /// to know; nothing, if none waits.
    pub(in crate::engine) fn push_out(
        &mut self,
        now: Time,
        class: usize,
        world: &mut World<'_>,
    ) -> Option<Gone> {
        let (frame, came_in) = self.classes()?.take_last(class)?;
        if self.in_service.is_none() && self.is_gated() {
            // What is left may fit where this did not, from now on.
            self.free_at = self.free_at.max(now);
        }
        self.note_refused(class);
        self.flushed += frame.size().0;
        world.recorder.flushed(self.id, now, frame);
        self.drop(now, frame, DropCause::Overflow, world);
        let (port, class, size) = (self.id, class as u8, frame.size().0);
        Some(Gone { came_in, port, class, sent: false, size })
    }
}
