//! The fast port: departures are computed when they are certain.
//!
//! For ports of one class, and of two with strict priority, whose link never changes. A frame whose
//! departure nothing can change any more goes on the ring of the link at once: with one class every
//! frame when it joins, with two control frames when they join and data when it starts. A cursor
//! over the ring says what has left; moving it on carries out what a departure does: occupancy,
//! marks, counters, waking the far end. While the queue is short, as far as can be told without
//! that, it is moved on once per window only. Outcomes are those of the general port, bit for bit.

use super::around::QueuePort;
use super::line::{FarEnd, Line, PortKind};
use super::part::Handover;
use super::port::{Discipline, World};
use super::ring::{Entry, Ring};
use super::waiting::Waiting;
use crate::net::frame::Frame;
use crate::net::port::PortFacts;
use crate::net::wire::Wire;
use crate::plan::{MarkAt, Overflow, Plan, Service};
use crate::record::{DropCause, PortRecord};
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::marking::{AnyMarker, QueueState};
use raddle_schemes::units::{Bytes, Time};

/// The colder half of a fast port; the hot one is its [`Line`]. In the order in which a window needs
/// it.
#[repr(C, align(64))]
pub(super) struct FastPort<W = Ring> {
    /// Data that has not started, where control frames go first.
    data: W,
    /// Bytes of control frames queued or in service, where they are a class of their own.
    pub(super) control_bytes: u64,
    /// Up to this many bytes nothing depends on the exact occupancy, but for its maximum.
    careless: u64,
    far_end: FarEnd,
    /// Whether departures that are not marked are all alike: nobody watches, no other part.
    uniform: bool,
    /// Whether no frame that has left since the cursor moved can have been marked. The bytes of the
    /// line may then be more than were ever there at once.
    calm: bool,
    pub(super) record: PortRecord,
    pub(super) capacity: u64,
    marker: AnyMarker,
    mark_stream: u64,
    id: PortId,
}

/// The kind of port for this plan.
pub(super) fn kind(plan: &Plan, id: PortId, facts: &PortFacts) -> PortKind {
    match (serves(plan, id, facts), plan.queue.classes) {
        (false, _) => PortKind::General,
        (true, 1) => PortKind::Fast,
        (true, _) => PortKind::FastClasses,
    }
}

/// Whether a port of this plan may be a fast one.
fn serves(plan: &Plan, id: PortId, facts: &PortFacts) -> bool {
    let queue = &plan.queue;
    let discipline = match queue.service {
        Service::Priority => true,
        // A header cut here goes first, one cut elsewhere does not: the ring cannot tell.
        Service::Fifo => queue.overflow == Overflow::Drop,
        // One class is its own turn, which is priority in other words.
        Service::Drr | Service::Wrr => queue.classes > 1,
    } && queue.pfc.is_none()
        && plan.buffer.is_none();
    let unchanging = plan.faults.changes_of(id).is_empty();
    let whole = Wire::new(facts.rate).whole_ps_per_byte().filter(|&ps| u32::try_from(ps).is_ok());
    // Times of 32 bits are compared for the first frame that has not left: it leaves no later than
    // the gap and its own time after the one before.
    let next = (plan.packet().max(plan.transport.ack) + queue.gap).0;
    let ahead = whole.and_then(|ps_per_byte| ps_per_byte.checked_mul(next));
    discipline
        && unchanging
        && facts.capacity < 1 << 31
        && facts.control_capacity >= u64::from(u32::MAX)
        && ahead.is_some_and(|ahead| ahead.saturating_add(facts.latency.0) < 1 << 30)
}

impl<W: Waiting> FastPort<W> {
    pub(super) fn new(plan: &Plan, id: PortId, facts: PortFacts, far_end: FarEnd) -> Self {
        let watched = plan.record.watches_queues();
        let careless = if watched { 0 } else { facts.marker.never_below().0.min(facts.capacity) };
        Self {
            data: W::new(&plan.queue),
            control_bytes: 0,
            careless,
            far_end,
            uniform: !watched && matches!(far_end, FarEnd::Here(_)),
            calm: false,
            record: PortRecord::default(),
            capacity: facts.capacity,
            marker: facts.marker,
            mark_stream: facts.mark_stream,
            id,
        }
    }

    /// Data packets that have not started.
    pub(super) fn data_waiting(&self) -> u64 {
        self.data.len() as u64
    }

    /// Gives back memory that a burst took.
    pub(super) fn shrink(&mut self) {
        self.data.shrink();
    }

    /// Asks for the data that waits, and for the memory where more goes.
    #[inline]
    pub(super) fn prefetch(&self) {
        self.data.prefetch();
    }

    /// Whether the frame leaves the port calm and sets no maximum, as far as one can tell without
    /// looking at what has left. What waits is all in the queue of data, but for one frame on the
    /// wire; with one class it is what the wire is busy with, and at most all of a frame sent in part.
    #[inline]
    fn stays_calm(
        &self,
        now: Time,
        frame: Frame,
        class: usize,
        line: &Line,
        discipline: Discipline,
    ) -> bool {
        let others = frame.size() + discipline.largest;
        let Some(room) = u64::from(line.exact_above).checked_sub(others.0) else { return false };
        self.calm
            && if discipline.two_classes {
                self.data.len_of(class) as u64 * discipline.largest.0 <= room
            } else {
                line.busy_until.0.saturating_sub(now.0) <= room * u64::from(line.ps_per_byte)
            }
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
    ) {
        self.bring_to(now, line, world);
        let class = W::class(frame, world.hosts.locators());
        let found = u64::from(self.data.bytes(class, line));
        let queued = found + frame.size().0;
        if queued > self.capacity {
            if !world.discipline.trim || frame.is_control() {
                return self.drop(now, frame, world);
            }
            frame.trim(world.discipline.header);
            self.record.trimmed += 1;
            world.recorder.trimmed(now);
            return self.enqueue_control(now, frame, line, world.discipline.gap);
        }
        if world.discipline.mark_at == MarkAt::Enqueue && !frame.is_control() {
            // No two frames come in through one port at one instant.
            let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
            if self.judge(now, found, event, world) {
                frame.mark();
            }
        }
        self.data.set_bytes(class, queued as u32, line);
        if queued > self.record.queue_bytes_max {
            self.record.queue_bytes_max = queued;
            line.exact_above = queued.min(self.careless) as u32;
        }
        self.calm = self.is_calm(line);
        world.recorder.queued(self.id, now, frame, queued);
        self.push(now, frame, class, line, world.discipline);
    }

    #[inline(always)]
    fn enqueue_control(&mut self, now: Time, frame: Frame, line: &mut Line, gap: Bytes) {
        self.control_bytes += frame.size().0;
        self.start_due(now, line, gap);
        line.send(line.busy_until.max(now), frame, gap);
    }

    /// Joins data that fits.
    #[inline(always)]
    fn push(
        &mut self,
        now: Time,
        frame: Frame,
        class: usize,
        line: &mut Line,
        discipline: Discipline,
    ) {
        if discipline.two_classes {
            self.start_due(now, line, discipline.gap);
            if line.busy_until > now {
                return self.data.push(class, Entry::new(now, frame));
            }
            self.data.pass(class);
        }
        line.send(line.busy_until.max(now), frame, discipline.gap);
    }

    /// Starts what waits and starts at or before `until`.
    #[inline(always)]
    fn start_due(&mut self, until: Time, line: &mut Line, gap: Bytes) {
        if line.busy_until <= until && !self.data.is_empty() {
            self.start(until, line, gap);
        }
    }

    #[inline(never)]
    fn start(&mut self, until: Time, line: &mut Line, gap: Bytes) {
        while line.busy_until <= until {
            let Some(frame) = self.data.pop() else { return };
            line.send(line.busy_until, frame, gap);
        }
    }

    /// Bytes queued or in service in all classes after what has left at or before `now`.
    #[inline]
    pub(super) fn backlog(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> u64 {
        self.bring_to(now, line, world);
        self.data.backlog(line) + self.control_bytes
    }

    /// [`advance`](Self::advance), where mostly nothing is due: at most ports, when all of a switch
    /// are read for each packet.
    #[inline(always)]
    fn bring_to(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) {
        let due = match line.first_waiting() {
            Some(entry) => line.departure_after(entry, now) <= 0,
            None => line.busy_until <= now && !self.data.is_empty(),
        };
        if due {
            self.advance(now, line, world);
        }
    }

    /// Carries out the departures up to and including `until`.
    #[inline(never)]
    pub(super) fn advance(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        self.start_due(until, line, world.discipline.gap);
        if self.calm || self.is_calm(line) {
            self.depart_together(until, line, world);
        } else {
            self.depart_singly(until, line, world);
        }
        self.calm = self.is_calm(line);
    }

    /// Whether nothing that leaves from now on can be marked, if nothing more comes; the cursor is
    /// where it should be.
    #[inline]
    fn is_calm(&self, line: &Line) -> bool {
        self.uniform && self.data.at_most(self.careless, line)
    }

    /// Departures of which none can be marked: only their sums matter.
    #[inline]
    fn depart_together(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        let (mut frames, mut bytes, mut data_frames, mut control_bytes) = (0, 0, 0, 0);
        let (mut first, mut last) = (0, 0);
        let locators = world.hosts.locators();
        let (front, back) = line.waiting();
        'left: for entries in [front, back] {
            for &entry in entries {
                let early = line.departure_after(entry, until);
                if early > 0 {
                    break 'left;
                }
                first = if frames == 0 { early } else { first };
                last = early;
                frames += 1;
                let size = entry.frame.size().0;
                bytes += size;
                data_frames += u64::from(entry.frame.is_data());
                control_bytes += if entry.frame.is_control() { size } else { 0 };
                self.data.leaves(entry.frame, locators);
            }
        }
        if frames == 0 {
            return;
        }
        let FarEnd::Here(wake) = self.far_end else { return };
        // What leaves within a window arrives within two, in one of them first, in one last.
        let mut wake_after = |early: i32| {
            let departure = Time(until.0.wrapping_add_signed(i64::from(early)));
            line.wake_for(departure + line.latency(), wake, &mut world.calendar);
        };
        wake_after(first);
        if frames > 1 {
            wake_after(last);
        }
        line.departed += frames;
        self.record.frames += u64::from(frames);
        self.record.bytes += bytes;
        self.record.data_frames += data_frames;
        if world.discipline.two_classes {
            self.control_bytes -= control_bytes;
            bytes -= control_bytes;
        }
        self.data.left(bytes, line);
    }

    fn depart_singly(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        let discipline = world.discipline;
        while let Some(entry) = line.first_waiting() {
            let early = line.departure_after(entry, until);
            if early > 0 {
                return;
            }
            let departure = Time(until.0.wrapping_add_signed(i64::from(early)));
            let mut frame = entry.frame;
            let size = frame.size().0;
            self.record.frames += 1;
            self.record.bytes += size;
            self.record.data_frames += u64::from(frame.is_data());
            if discipline.two_classes && frame.is_control() {
                self.control_bytes -= size;
            } else {
                let class = W::class(frame, world.hosts.locators());
                let left = self.data.bytes(class, line) - size as u32;
                self.data.set_bytes(class, left, line);
                let left = u64::from(left);
                if left > self.careless
                    && discipline.mark_at == MarkAt::Dequeue
                    && !frame.is_control()
                {
                    let start = departure.0 - size * u64::from(line.ps_per_byte);
                    if self.judge(departure, left, start, world) {
                        frame.mark();
                        line.ring.set(line.departed, Entry::new(departure + line.latency(), frame));
                    }
                }
            }
            world.recorder.departed(self.id, departure, frame);
            let arrival = departure + line.latency();
            match self.far_end {
                FarEnd::Here(wake) => {
                    line.departed += 1;
                    line.wake_for(arrival, wake, &mut world.calendar);
                }
                FarEnd::Elsewhere { part, line: there } => {
                    line.ring.skip(1);
                    let handover = Handover { line: there, arrival, frame };
                    world.outbox.frames[part as usize].push(handover);
                }
            }
        }
    }

    /// When the port has to be looked at again, if anything is queued; `now` is not after it.
    #[inline]
    pub(super) fn next_action(&self, now: Time, line: &Line) -> Option<Time> {
        let Some(entry) = line.first_waiting() else {
            return (!self.data.is_empty()).then_some(line.busy_until);
        };
        Some(Time(now.0.wrapping_add_signed(i64::from(line.departure_after(entry, now)))))
    }

    /// Whether a frame is marked, which finds or leaves `bytes` and has the number `event`.
    #[inline]
    fn judge(&mut self, now: Time, bytes: u64, event: u64, world: &mut World<'_>) -> bool {
        let queue = QueueState { bytes: Bytes(bytes), stream: self.mark_stream, event };
        let marked = self.marker.mark(&queue);
        if marked {
            self.record.marked += 1;
            world.recorder.marked(now);
        }
        marked
    }

    #[cold]
    fn drop(&mut self, now: Time, frame: Frame, world: &mut World<'_>) {
        let cause = DropCause::Overflow as usize;
        self.record.dropped[cause] += 1;
        self.record.dropped_data[cause] += u64::from(frame.is_data());
        world.hosts.note_dropped(frame);
        world.recorder.dropped(self.id, now, frame);
    }
}

impl<W: Waiting> QueuePort for FastPort<W> {
    #[inline(always)]
    fn enqueue(
        &mut self,
        now: Time,
        came_in: PortId,
        frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        let Discipline { two_classes, gap, .. } = world.discipline;
        if two_classes && frame.is_control() {
            return self.enqueue_control(now, frame, line, gap);
        }
        let class = W::class(frame, world.hosts.locators());
        let queued = self.data.bytes(class, line) + frame.size().0 as u32;
        if queued > line.exact_above && !self.stays_calm(now, frame, class, line, world.discipline)
        {
            return self.enqueue_exactly(now, came_in, frame, line, world);
        }
        self.data.set_bytes(class, queued, line);
        self.push(now, frame, class, line, world.discipline);
    }

    #[inline(always)]
    fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue {
        let bytes = self.backlog(now, line, world);
        Queue { bytes: Bytes(bytes), capacity: Bytes(self.capacity) }
    }
}
