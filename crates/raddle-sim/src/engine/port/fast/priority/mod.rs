//! The fast port where control goes first, before one class of data or several.
//!
//! Control goes on the ring of the link when it joins, data when it starts. So what waits is what is
//! queued, and what a data frame leaves behind is known as soon as the next one starts or more data
//! joins after its departure: at that moment, at the latest at the end of the window, it is marked.

mod batch;
pub(in crate::engine) mod waiting;

use super::Common;
use crate::engine::link::{Departed, FarEnd, Line};
use crate::engine::port::{Arriving, LaneArrivals, QueuePort, ToldPort};
use crate::engine::world::World;
use crate::plan::{MarkAt, Plan};
use crate::record::PortRecord;
use crate::wire::frame::Frame;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};
use waiting::{Gone, OneClass, Waiting};

/// The colder half of the port; the hot one is its [`Line`]. In the order in which a frame needs it.
#[repr(C, align(64))]
pub(in crate::engine) struct PriorityPort<W> {
    /// Bytes of control frames queued or in service, those included that have left since the cursor
    /// moved.
    control_bytes: u64,
    /// When the data frame sent last leaves, until what it leaves behind has been looked at; then with
    /// [`LOOKED_AT`], later than ever. Never, if there was none.
    leaves_at: Time,
    /// Its place on the ring of the link, its size and its class.
    sent_place: u32,
    sent_bytes: u32,
    sent_class: u8,
    /// Whether departures are all alike: nobody watches, no other part.
    uniform: bool,
    /// A frame that leaves at most this behind is not marked at dequeue.
    unmarked: u32,
    data: W,
    common: Common,
}

/// More than any time.
const LOOKED_AT: u64 = 1 << 63;

const _: () = assert!(size_of::<PriorityPort<OneClass>>() == 256);

impl<W: Waiting> PriorityPort<W> {
    pub(in crate::engine) fn new(
        plan: &Plan,
        id: PortId,
        facts: PortFacts,
        far_end: FarEnd,
        logs: bool,
    ) -> Self {
        let never_marked = super::never_marked(&facts);
        let (unmarked, careless) = match plan.queue.mark_at {
            MarkAt::Dequeue => (never_marked, u32::MAX),
            MarkAt::Enqueue => (u32::MAX, never_marked),
        };
        let unwatched = !plan.record.watches_queues();
        let careless = if unwatched { careless } else { 0 };
        Self {
            control_bytes: 0,
            leaves_at: Time::NEVER,
            sent_place: 0,
            sent_bytes: 0,
            sent_class: 0,
            uniform: unwatched && matches!(far_end, FarEnd::Here(_)),
            unmarked,
            data: W::new(&plan.queue, logs),
            common: Common::new(id, facts, far_end, careless),
        }
    }

    /// What has left is looked at first: the frame may not fit, be marked, or set a maximum.
    #[inline(never)]
    fn enqueue_exactly(
        &mut self,
        now: Time,
        came_in: PortId,
        mut frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        let class = W::class(frame, world.hosts.locators());
        let found = self.found(now, class, line, world);
        let queued = found + frame.size().0;
        if queued > self.common.capacity.into() {
            // The memory of the switch, which had room for the frame, has room for its header.
            return self.refuse(now, frame, true, line, world);
        }
        if world.discipline.mark_at == MarkAt::Enqueue {
            // No two frames come in through one port at one instant.
            let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
            if self.common.judge(now, found, event, world) {
                frame.mark();
            }
        }
        if queued > self.common.record.queue_bytes_max {
            self.common.record.queue_bytes_max = queued;
            line.exact_above = (queued as u32).min(self.common.careless);
        }
        world.recorder.queued(self.common.id, now, frame, queued);
        self.push(now, frame, class, line, world);
        frame.size()
    }

    /// Trims a frame of data, where that is done and its header is kept, or drops it.
    fn refuse(
        &mut self,
        now: Time,
        mut frame: Frame,
        keeps_header: bool,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        if world.discipline.trim {
            world.trim(self.common.id, now, &mut frame);
            self.common.record.trimmed += 1;
            if keeps_header {
                return self.enqueue_control(now, frame, line, world);
            }
        }
        self.common.drop(now, frame, world)
    }

    /// Bytes of a class that a frame finds, frame in service included.
    #[inline(always)]
    fn found(&mut self, now: Time, class: usize, line: &mut Line, world: &mut World<'_>) -> u64 {
        self.start_due(now, line, world);
        self.look_behind(now, line, world);
        let in_service = if usize::from(self.sent_class) == class { self.sent_bytes } else { 0 };
        u64::from(self.data.bytes(class) + in_service)
    }

    #[inline(always)]
    fn enqueue_control(
        &mut self,
        now: Time,
        frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        self.control_bytes += frame.size().0;
        self.start_due(now, line, world);
        let at = line.send(line.busy_until.max(now), frame, world.discipline.gap);
        self.data.note_control(at, frame.size().0);
        frame.size()
    }

    /// Joins data that fits.
    #[inline(always)]
    fn push(
        &mut self,
        now: Time,
        frame: Frame,
        class: usize,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        self.start_due(now, line, world);
        if line.busy_until <= now {
            self.data.pass(class);
            return self.send(now, frame, class, line, world.discipline.gap);
        }
        self.look_behind(now, line, world);
        self.data.push(now, class, frame);
    }

    /// Starts what waits and starts at or before `until`.
    #[inline(always)]
    fn start_due(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        if line.busy_until <= until && !self.data.is_empty() {
            self.start(until, line, world);
        }
    }

    #[inline(never)]
    fn start(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        while line.busy_until <= until {
            self.look_behind(line.busy_until, line, world);
            let Some((frame, class)) = self.data.pop() else { return };
            self.send(line.busy_until, frame, class, line, world.discipline.gap);
        }
    }

    #[inline(always)]
    fn send(&mut self, start: Time, frame: Frame, class: usize, line: &mut Line, gap: Bytes) {
        self.sent_place = line.ring.next_place();
        self.leaves_at = line.send(start, frame, gap);
        self.sent_bytes = frame.size().0 as u32;
        self.sent_class = class as u8;
    }

    /// If the data frame sent last has left at or before `now`, and nothing has joined since then:
    /// judges its mark by what waits.
    #[inline(always)]
    fn look_behind(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) {
        if self.leaves_at > now {
            return;
        }
        let left = self.data.bytes(self.sent_class.into());
        if left > self.unmarked {
            self.judge_sent(left, line, world);
        }
        self.data.note_left(self.sent_class.into(), self.leaves_at, self.sent_bytes);
        self.leaves_at.0 |= LOOKED_AT;
        self.sent_bytes = 0;
    }

    /// Judges the mark of the data frame sent last, which left `left` bytes behind.
    #[inline(never)]
    fn judge_sent(&mut self, left: u32, line: &mut Line, world: &mut World<'_>) {
        let start = self.leaves_at.0 - u64::from(self.sent_bytes) * u64::from(line.ps_per_byte);
        if self.common.judge(self.leaves_at, left.into(), start, world) {
            line.ring.at_place(self.sent_place).frame.mark();
        }
    }

    /// As [`carry_out`](QueuePort::carry_out), for a port that is looked at so often that mostly one
    /// frame has left.
    #[inline(never)]
    fn bring_to(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) {
        self.start_due(now, line, world);
        self.look_behind(now, line, world);
        let Some(wake) = self.common.alike(self.uniform) else {
            return self.depart_singly(now, line, world);
        };
        while let Some((departure, frame)) = line.first_departed(now) {
            let bytes = frame.size().0;
            let data = u64::from(frame.is_data());
            self.control_bytes -= if frame.is_control() { bytes } else { 0 };
            self.common.count(&Departed { frames: 1, bytes, data_frames: data, control_bytes: 0 });
            line.departed += 1;
            line.wake_for(departure + line.latency(), wake, &mut world.calendar);
        }
    }

    fn depart_singly(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        while let Some((departure, frame)) = line.first_departed(until) {
            self.common.depart(departure, frame, line, world);
            self.control_bytes -= if frame.is_control() { frame.size().0 } else { 0 };
        }
    }
}

impl<W: Waiting> ToldPort for PriorityPort<W> {
    #[inline]
    fn data_left(&self, class: usize) -> (u64, Time) {
        let in_service = if usize::from(self.sent_class) == class { self.sent_bytes } else { 0 };
        let bytes = u64::from(self.data.bytes(class) + in_service);
        let last = Time(self.leaves_at.0 & !LOOKED_AT);
        (bytes, self.data.left_at(class).unwrap_or(last))
    }

    #[inline]
    fn control_queued(&self) -> u64 {
        self.control_bytes
    }

    fn data_capacity(&self) -> Bytes {
        self.common.capacity()
    }

    fn gone(&mut self) -> Option<&mut Vec<Gone>> {
        self.data.gone()
    }

    fn control_gone(&mut self, until: Time) -> Option<(Time, u64)> {
        self.data.control_gone(until)
    }

    fn push_out(&mut self, now: Time, class: usize, world: &mut World<'_>) -> Option<Bytes> {
        let frame = self.data.take_last(class)?;
        world.recorder.flushed(self.common.id, now, frame);
        self.common.drop(now, frame, world);
        Some(frame.size())
    }
}

impl<W: Waiting> QueuePort for PriorityPort<W> {
    const LANES: usize = W::LANES;

    #[inline(always)]
    fn lane(frame: Frame) -> u32 {
        if W::LANES > 1 { u32::from(frame.is_control()) } else { 0 }
    }

    #[inline(always)]
    fn enqueue_all(
        &mut self,
        came: LaneArrivals<'_>,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        W::enqueue_all(self, came, line, world)
    }

    #[inline(always)]
    fn enqueue(&mut self, arriving: Arriving, line: &mut Line, world: &mut World<'_>) -> Bytes {
        let Arriving { now, came_in, frame, room } = arriving;
        if frame.is_control() {
            if !room.frame {
                return self.common.drop(now, frame, world);
            }
            return self.enqueue_control(now, frame, line, world);
        }
        if !room.frame {
            return self.refuse(now, frame, room.header, line, world);
        }
        let class = W::class(frame, world.hosts.locators());
        // If what was sent last has left already, this is too much.
        let most = self.data.bytes(class) + self.sent_bytes + frame.size().0 as u32;
        if most > line.exact_above {
            return self.enqueue_exactly(now, came_in, frame, line, world);
        }
        self.push(now, frame, class, line, world);
        frame.size()
    }

    #[inline(always)]
    fn data_queued(
        &mut self,
        now: Time,
        frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Option<u64> {
        if frame.is_control() {
            return None;
        }
        Some(self.found(now, W::class(frame, world.hosts.locators()), line, world))
    }

    #[inline]
    fn freed_bytes(&self) -> u64 {
        self.common.record.bytes
    }

    #[inline]
    fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue {
        let due = match line.first_waiting() {
            Some(entry) => line.departure_after(entry, now) <= 0,
            None => line.busy_until <= now && !self.data.is_empty(),
        };
        if due {
            self.bring_to(now, line, world);
        }
        let bytes = self.data.backlog() + u64::from(self.sent_bytes) + self.control_bytes;
        Queue { bytes: Bytes(bytes), capacity: self.common.capacity() }
    }

    #[inline(never)]
    fn carry_out(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        self.start_due(until, line, world);
        self.look_behind(until, line, world);
        match self.common.alike(self.uniform) {
            Some(wake) => {
                let left = line.depart_together(until, wake, &mut world.calendar);
                self.common.count(&left);
                self.control_bytes -= left.control_bytes;
            }
            None => self.depart_singly(until, line, world),
        }
    }

    #[inline]
    fn next_action(&self, now: Time, line: &Line) -> Time {
        match line.first_waiting() {
            Some(entry) => line.departure_of(entry, now),
            None if self.data.is_empty() => Time::NEVER,
            None => line.busy_until,
        }
    }

    #[inline]
    fn prefetch(&self) {
        self.data.prefetch();
    }

    fn shrink(&mut self) {
        self.data.shrink();
    }

    fn record(&self) -> &PortRecord {
        &self.common.record
    }

    fn queued(&self) -> (u64, u64) {
        (self.data.len() as u64, 0)
    }
}
