//! The fast port of one class, first in, first out.
//!
//! Every frame goes on the ring of the link when it joins. While the queue is short, as far as can be
//! told without that, the cursor over departures is moved on once per window only.

use super::Common;
use crate::engine::link::ring::Entry;
use crate::engine::link::{FarEnd, Line};
use crate::engine::port::{Arriving, QueuePort};
use crate::engine::world::{Discipline, World};
use crate::plan::{MarkAt, Plan};
use crate::record::PortRecord;
use crate::wire::frame::Frame;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};

/// The colder half of the port; the hot one is its [`Line`].
#[repr(C, align(64))]
pub(in crate::engine) struct FifoPort {
    /// Whether departures that are not marked are all alike: nobody watches, no other part.
    uniform: bool,
    /// Whether no frame that has left since the cursor moved can have been marked. The bytes of the
    /// line may then be more than were ever there at once.
    calm: bool,
    common: Common,
}

impl FifoPort {
    pub(in crate::engine) fn new(
        plan: &Plan,
        id: PortId,
        facts: PortFacts,
        far_end: FarEnd,
    ) -> Self {
        let unwatched = !plan.record.watches_queues();
        let careless = if unwatched { super::never_marked(&facts) } else { 0 };
        let uniform = unwatched && matches!(far_end, FarEnd::Here(_));
        Self { uniform, calm: false, common: Common::new(id, facts, far_end, careless) }
    }

    /// Whether the frame leaves the port calm and sets no maximum, as far as one can tell without
    /// looking at what has left. What waits is what the wire is busy with, and at most all of a frame
    /// sent in part.
    #[inline]
    fn stays_calm(&self, now: Time, frame: Frame, line: &Line, discipline: Discipline) -> bool {
        let others = frame.size() + discipline.largest;
        let Some(room) = u64::from(line.exact_above).checked_sub(others.0) else { return false };
        let busy = line.busy_until.0.saturating_sub(now.0);
        self.calm && busy <= room * u64::from(line.ps_per_byte)
    }

    /// What has left is carried out first: the frame may not fit, or be marked, or set a maximum.
    #[inline(never)]
    fn enqueue_exactly(
        &mut self,
        now: Time,
        came_in: PortId,
        mut frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        self.bring_to(now, line, world);
        let found = u64::from(line.bytes);
        let queued = found + frame.size().0;
        if queued > self.common.capacity.into() {
            return self.common.drop(now, frame, world);
        }
        if world.discipline.mark_at == MarkAt::Enqueue && !frame.is_control() {
            // No two frames come in through one port at one instant.
            let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
            if self.common.judge(now, found, event, world) {
                frame.mark();
            }
        }
        line.bytes = queued as u32;
        if queued > self.common.record.queue_bytes_max {
            self.common.record.queue_bytes_max = queued;
            line.exact_above = (queued as u32).min(self.common.careless);
        }
        self.calm = self.is_calm(line);
        world.recorder.queued(self.common.id, now, frame, queued);
        line.send(line.busy_until.max(now), frame, world.discipline.gap);
        frame.size()
    }

    /// [`carry_out`](QueuePort::carry_out), where mostly nothing is due: at most ports, when all of a
    /// switch are read for each packet.
    #[inline(always)]
    fn bring_to(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) {
        let first = line.first_waiting();
        if first.is_some_and(|entry| line.departure_after(entry, now) <= 0) {
            self.carry_out(now, line, world);
        }
    }

    /// Whether nothing that leaves from now on can be marked, if nothing more comes; the cursor is
    /// where it should be.
    #[inline]
    fn is_calm(&self, line: &Line) -> bool {
        self.uniform && line.bytes <= self.common.careless
    }

    fn depart_singly(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        while let Some((departure, mut frame)) = line.first_departed(until) {
            let size = frame.size().0;
            line.bytes -= size as u32;
            let left = u64::from(line.bytes);
            if left > u64::from(self.common.careless)
                && world.discipline.mark_at == MarkAt::Dequeue
                && !frame.is_control()
            {
                let start = departure.0 - size * u64::from(line.ps_per_byte);
                if self.common.judge(departure, left, start, world) {
                    frame.mark();
                    line.ring.set(line.departed, Entry::new(departure + line.latency(), frame));
                }
            }
            self.common.depart(departure, frame, line, world);
        }
    }
}

impl QueuePort for FifoPort {
    #[inline(always)]
    fn enqueue(&mut self, arriving: Arriving, line: &mut Line, world: &mut World<'_>) -> Bytes {
        let Arriving { now, came_in, frame, room } = arriving;
        if !room.frame {
            self.bring_to(now, line, world);
            return self.common.drop(now, frame, world);
        }
        let queued = line.bytes + frame.size().0 as u32;
        if queued > line.exact_above && !self.stays_calm(now, frame, line, world.discipline) {
            return self.enqueue_exactly(now, came_in, frame, line, world);
        }
        line.bytes = queued;
        line.send(line.busy_until.max(now), frame, world.discipline.gap);
        frame.size()
    }

    #[inline]
    fn data_queued(
        &mut self,
        now: Time,
        _: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Option<u64> {
        self.bring_to(now, line, world);
        Some(line.bytes.into())
    }

    #[inline]
    fn freed_bytes(&self) -> u64 {
        self.common.record.bytes
    }

    #[inline]
    fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue {
        self.bring_to(now, line, world);
        Queue { bytes: Bytes(line.bytes.into()), capacity: self.common.capacity() }
    }

    #[inline(never)]
    fn carry_out(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        // Departures of which none can be marked: only their sums matter.
        match self.common.alike(self.uniform) {
            Some(wake) if self.calm || self.is_calm(line) => {
                let left = line.depart_together(until, wake, &mut world.calendar);
                self.common.count(&left);
                line.bytes -= left.bytes as u32;
            }
            _ => self.depart_singly(until, line, world),
        }
        self.calm = self.is_calm(line);
    }

    #[inline]
    fn next_action(&self, now: Time, line: &Line) -> Time {
        line.first_waiting().map_or(Time::NEVER, |entry| line.departure_of(entry, now))
    }

    #[inline]
    fn prefetch(&self) {}

    fn shrink(&mut self) {}

    fn record(&self) -> &PortRecord {
        &self.common.record
    }

    fn queued(&self) -> (u64, u64) {
        (0, 0)
    }
}
