//! The general port: real queues, replayed lazily.
//!
//! There are no transmit events. What a port did since it was last looked at is carried out before
//! the next arrival at it and at the end of each window: departures in order, each with its mark
//! and its next frame, and the changes of its link in between. Frames that leave are appended to
//! the ring of the link. What has more than two classes, or a link that changes, is in `extras`.

mod admission;
pub(in crate::engine) mod classes;
mod extras;
mod retried;
pub(in crate::engine) mod voq;

use crate::engine::cache::prefetch_lines;
use crate::engine::link::ring::{Entry, Ring};
use crate::engine::link::{FarEnd, Line};
use crate::engine::port::{Arriving, QueuePort};
use crate::engine::world::World;
use crate::faults::OnDown;
use crate::faults::link::{Link, Lost};
use crate::plan::{MarkAt, OrderedWhen, Plan};
use crate::record::{DropCause, PfcRecord, PortRecord};
use crate::wire::frame::{Frame, count};
use crate::wire::port_facts::PortFacts;
use crate::wire::serialisation::Wire;
use classes::Classes;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::marking::{AnyMarker, QueueState};
use raddle_schemes::units::{Bytes, Time};
use retried::Retried;

/// The frame on the wire.
#[derive(Clone, Copy, Debug)]
struct InService {
    frame: Frame,
    class: u8,
    /// Why it is lost on its way, if it is.
    lost: Option<Lost>,
    start: Time,
}

/// What only some ports have. Where it begins on a cache line, classes lie as they are meant to.
#[derive(Debug)]
#[repr(C, align(64))]
struct Extras {
    /// The link's changes.
    link: Option<Box<Link>>,
    /// The queues of more than one data class, or under flow control; the port's own stay empty.
    classes: Option<Classes>,
    /// Bytes that a second wire has taken from the queues, where telemetry counts both as one.
    moved: u64,
    /// Whether telemetry tells of it.
    is_told_of: bool,
    /// Link-level retry.
    retry: Option<Box<Retried>>,
}

impl Extras {
    fn is_up(&self) -> bool {
        self.link.as_deref().is_none_or(Link::is_up)
    }

    /// The link, where it has a gate.
    #[inline]
    fn gated(&self) -> Option<&Link> {
        self.link.as_deref().filter(|link| link.has_gate())
    }

    /// When its link, or what retry knows of it, changes next.
    fn next_change(&self) -> Time {
        let own = self.link.as_deref().map_or(Time::NEVER, Link::next_change);
        self.retry.as_ref().map_or(own, |retry| retry.machine.next_event().min(own))
    }

    /// Whether its link is down, and frames that wait do so for nothing.
    fn is_cut_off(&self) -> bool {
        !self.is_up() && self.retry.as_ref().is_none_or(|retry| retry.machine.is_cut_off())
    }

    /// When a pause has to be renewed.
    fn refresh_at(&self) -> Time {
        self.classes.as_ref().map_or(Time::NEVER, Classes::refresh_at)
    }
}

/// The queues of one switch port; the link that leaves it is a [`Line`].
///
/// In the order in which a packet needs it, so that what a run touches all the time lies in the
/// first cache lines and what only drops and faults touch in the last.
#[repr(C, align(64))]
pub(in crate::engine) struct Port {
    /// When the frame in service leaves; never, if there is none.
    departs: Time,
    free_at: Time,
    /// What goes beyond two classes on a link that never changes.
    extras: Option<Box<Extras>>,
    in_service: Option<InService>,

    bytes: [u64; 2],
    wire: Wire,
    /// Data, then control; one class uses only the first.
    queues: [Ring; 2],

    capacity: u64,
    marker: AnyMarker,
    mark_stream: u64,
    /// In place of `marker`, one for each data class, where they differ.
    class_markers: Option<Box<[AnyMarker]>>,
    control_capacity: u64,
    far_end: FarEnd,
    id: PortId,
    pub(in crate::engine) record: PortRecord,
    loss_stream: u64,
    /// Bytes that were queued or in service when the link went down, and went with it.
    flushed: u64,
}

impl Port {
    pub(in crate::engine) fn new(
        plan: &Plan,
        id: PortId,
        facts: PortFacts,
        far_end: FarEnd,
        ordered: OrderedWhen,
    ) -> Self {
        let changes = plan.faults.changes_of(id);
        let gate = plan.gate(id);
        let some = !changes.is_empty() || gate.is_some();
        let link = || Link::new(facts.rate, plan.packet(), changes.to_vec()).with_gate(gate);
        let link = some.then(|| Box::new(link()));
        let mut classes = Classes::of(plan, &facts, ordered);
        if plan.fabric.is_packet_uplink(id) {
            classes.iter_mut().for_each(Classes::tell_nothing);
        }
        let is_told_of = plan.fabric.is_told_of(id);
        let retry = Retried::of(plan, id);
        let rate = plan.llr.filter(|_| retry.is_some()).map(|llr| llr.taxed(facts.rate));
        if let (Some(classes), Some(rate)) = (&mut classes, rate) {
            classes.set_rate(rate);
        }
        let some = link.is_some() || classes.is_some() || retry.is_some();
        let pfc = facts.pfc.map(|_| Box::<PfcRecord>::default());
        Self {
            departs: Time::NEVER,
            free_at: Time::ZERO,
            extras: some.then(|| Box::new(Extras { link, classes, moved: 0, is_told_of, retry })),
            in_service: None,
            bytes: [0; 2],
            wire: Wire::new(rate.unwrap_or(facts.rate)),
            queues: Default::default(),
            capacity: facts.capacity,
            marker: facts.marker,
            mark_stream: facts.mark_stream,
            class_markers: facts.class_markers,
            control_capacity: facts.control_capacity,
            far_end,
            id,
            record: PortRecord { pfc, ..PortRecord::default() },
            loss_stream: facts.loss_stream,
            flushed: 0,
        }
    }

    /// Asks for what lies behind its pointer.
    #[inline]
    pub(in crate::engine) fn prefetch_extras(&self) {
        if let Some(extras) = &self.extras {
            prefetch_lines((&raw const **extras).cast(), 3);
        }
    }

    /// When the port next has something to carry out; never, while it is empty or cut off for good.
    #[inline]
    pub(in crate::engine) fn next_due(&self) -> Time {
        if let Some(extras) = &self.extras {
            return if self.is_idle(extras) { Time::NEVER } else { self.next_step(extras) };
        }
        let waiting = !self.queues[0].is_empty() || !self.queues[1].is_empty();
        match (self.in_service.is_some(), waiting) {
            (true, _) => self.departs,
            (false, true) => self.free_at,
            (false, false) => Time::NEVER,
        }
    }

    /// Bytes queued or in service, control frames included.
    pub(in crate::engine) fn backlog(&self) -> u64 {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.map_or(0, Classes::backlog) + self.bytes.iter().sum::<u64>()
    }

    /// The frames queued or in service.
    fn frames(&self) -> impl Iterator<Item = Frame> {
        let retry = self.extras.iter().filter_map(|extras| extras.retry.as_deref());
        let on_wire = self.in_service.filter(|_| retry.clone().all(|own| own.is_off_its_hands()));
        let kept = retry.flat_map(Retried::waiting);
        let classes = self.extras.iter().filter_map(|extras| extras.classes.as_ref());
        let waiting = self.queues.iter().flat_map(Ring::iter).map(|entry| entry.frame);
        let frames = waiting.chain(on_wire.map(|service| service.frame)).chain(kept);
        frames.chain(classes.flat_map(Classes::frames))
    }

    /// Carries out everything due up to and including `until`.
    #[inline]
    pub(in crate::engine) fn replay(
        &mut self,
        until: Time,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        match &self.extras {
            None => self.replay_plain(until, line, world),
            Some(extras) => {
                let is_serving = self.in_service.is_some() && self.departs > until;
                if !(is_serving && extras.next_change().min(extras.refresh_at()) > until) {
                    self.replay_extras(until, line, world);
                }
            }
        }
    }

    fn replay_plain(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        loop {
            if self.in_service.is_some() {
                if self.departs > until {
                    return;
                }
                self.depart(line, world);
            }
            if self.free_at > until || !self.start_next(self.free_at, world.discipline.gap) {
                return;
            }
        }
    }

    /// Begins to send the next frame, control first. Returns whether there was one.
    #[inline]
    fn start_next(&mut self, now: Time, gap: Bytes) -> bool {
        let class = usize::from(!self.queues[1].is_empty());
        let Some(entry) = self.queues[class].pop() else { return false };
        self.start(now, entry.frame, class, gap);
        true
    }

    #[inline]
    fn start(&mut self, now: Time, frame: Frame, class: usize, gap: Bytes) {
        let size = frame.size();
        let Some(extras) = &self.extras else { return self.begin(now, frame, class, None, gap) };
        if extras.retry.is_some() {
            return self.start_with_retry(now, frame, class, gap);
        }
        let lost = extras.link.as_ref().and_then(|link| {
            let until = now + self.wire.serialisation(size);
            link.fate(self.loss_stream, (now, until), size)
        });
        self.begin(now, frame, class, lost, gap);
    }

    /// A frame, which may be lost on its way, is on the wire from `now` on.
    #[inline]
    fn begin(&mut self, now: Time, frame: Frame, class: usize, lost: Option<Lost>, gap: Bytes) {
        let size = frame.size();
        self.in_service = Some(InService { frame, class: class as u8, lost, start: now });
        self.departs = now + self.wire.serialisation(size);
        self.free_at = self.departs + self.wire.serialisation(gap);
    }

    #[inline]
    fn depart(&mut self, line: &mut Line, world: &mut World<'_>) {
        let now = self.departs;
        self.departs = Time::NEVER;
        let Some(service) = self.in_service.take() else { return };
        let class = usize::from(service.class);
        self.bytes[class] -= service.frame.size().0;
        self.finish(now, service, self.bytes[class], line, world);
    }

    /// The last bit of what was in service has left; `behind` are the bytes of its class that it
    /// leaves behind.
    #[inline]
    fn finish(
        &mut self,
        now: Time,
        service: InService,
        behind: u64,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        let frame = self.count(now, service, behind, world);
        world.recorder.departed(self.id, now, frame);
        if let Some(lost) = service.lost {
            world.recorder.lost(self.id, lost);
            self.drop(now, frame, DropCause::Loss, world);
        } else {
            line.launch(now, frame, self.far_end, &mut world.calendar, &mut world.outbox);
        }
    }

    /// Counts what has left, and marks it if it is to be.
    #[inline]
    fn count(
        &mut self,
        now: Time,
        service: InService,
        behind: u64,
        world: &mut World<'_>,
    ) -> Frame {
        let mut frame = service.frame;
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
        if world.discipline.mark_at == MarkAt::Dequeue && !frame.is_control() {
            let queue = (service.class, behind);
            self.judge(now, &mut frame, queue, service.start.0, world);
        }
        frame
    }

    /// The present capacity of each data class.
    #[inline]
    pub(in crate::engine) fn capacity(&self) -> u64 {
        let link = self.extras.as_ref().and_then(|extras| extras.link.as_ref());
        link.map_or(self.capacity, |link| link.capacity(self.capacity))
    }

    /// Judges the mark of a frame whose queue, that of `class`, has `bytes`.
    #[inline]
    fn judge(
        &mut self,
        now: Time,
        frame: &mut Frame,
        (class, bytes): (u8, u64),
        event: u64,
        world: &mut World<'_>,
    ) {
        let link = self.extras.as_ref().and_then(|extras| extras.link.as_ref());
        let bytes = link.map_or(bytes, |link| link.nominal_bytes(bytes, self.capacity));
        let queue = QueueState { bytes: Bytes(bytes), stream: self.mark_stream, event };
        let marks = match &self.class_markers {
            None => self.marker.mark(&queue),
            Some(own) => mark_of_class(own, class, &queue),
        };
        if marks {
            frame.mark();
            self.record.marked += 1;
            world.recorder.marked(self.id, now);
        }
    }

    #[cold]
    fn drop(&mut self, now: Time, frame: Frame, cause: DropCause, world: &mut World<'_>) {
        if frame.is_pfc() {
            return self.note_flow_control(frame, false, true);
        }
        self.record.drop(frame, cause);
        world.hosts.note_dropped(frame);
        world.recorder.dropped(self.id, now, frame, cause);
    }
}

/// Whether the marking of a data class marks.
#[cold]
#[inline(never)]
fn mark_of_class(markers: &[AnyMarker], class: u8, queue: &QueueState) -> bool {
    markers[usize::from(class)].mark(queue)
}

impl QueuePort for Port {
    #[inline]
    fn enqueue(&mut self, arriving: Arriving, line: &mut Line, world: &mut World<'_>) -> Bytes {
        let Arriving { now, came_in, mut frame, room } = arriving;
        self.replay(now, line, world);
        if self.extras.as_ref().is_some_and(|extras| extras.classes.is_some()) {
            // Under flow control what comes may make another port pause before this one starts.
            debug_assert!(self.record.pfc.is_none(), "flow control concerns more than one port");
            let joined = self.admit(now, came_in, frame, room, world);
            self.try_start(now, world);
            return joined.map_or(Bytes(0), |joined| joined.bytes);
        }
        let discipline = world.discipline;
        if let Some(extras) = &self.extras
            && extras.is_cut_off()
            && discipline.on_down == OnDown::Drop
        {
            self.drop(now, frame, DropCause::LinkDown, world);
            return Bytes(0);
        }
        let mut size = frame.size().0;
        let mut has_room = room.frame;
        let mut class = usize::from(discipline.two_classes && frame.is_control());
        if class == 0 {
            if self.bytes[0] + size > self.capacity() || !has_room {
                if !discipline.trim || frame.is_control() {
                    self.drop(now, frame, DropCause::Overflow, world);
                    return Bytes(0);
                }
                world.trim(self.id, now, &mut frame);
                size = discipline.header.0;
                has_room = room.header;
                self.record.trimmed += 1;
                class = 1;
            } else if discipline.mark_at == MarkAt::Enqueue && !frame.is_control() {
                // No two frames come in through one port at one instant.
                let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
                self.judge(now, &mut frame, (0, self.bytes[0]), event, world);
            }
        }
        if class == 1 && (self.bytes[1] + size > self.control_capacity || !has_room) {
            self.drop(now, frame, DropCause::Overflow, world);
            return Bytes(0);
        }
        self.bytes[class] += size;
        if class == 0 {
            self.record.queue_bytes_max = self.record.queue_bytes_max.max(self.bytes[0]);
            world.recorder.queued(self.id, now, frame, self.bytes[0]);
        }
        if self.is_gated() || self.has_retry() {
            self.queues[class].push(Entry::new(now, frame));
            self.try_start(now, world);
            return Bytes(size);
        }
        // Replayed up to now: if the wire is free, nothing waits.
        let up = self.extras.as_ref().is_none_or(|extras| extras.is_up());
        if self.in_service.is_none() && self.free_at <= now && up {
            self.start(now, frame, class, discipline.gap);
        } else {
            self.queues[class].push(Entry::new(now, frame));
        }
        Bytes(size)
    }

    #[inline]
    fn data_queued(
        &mut self,
        now: Time,
        frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Option<u64> {
        self.replay(now, line, world);
        if let Some(Extras { classes: Some(classes), .. }) = self.extras.as_deref() {
            return classes.data_queued(frame);
        }
        let control = world.discipline.two_classes && frame.is_control();
        (!control).then_some(self.bytes[0])
    }

    #[inline]
    fn freed_bytes(&self) -> u64 {
        self.record.bytes + self.flushed
    }

    #[inline]
    fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue {
        self.replay(now, line, world);
        Queue { bytes: Bytes(self.backlog()), capacity: Bytes(self.capacity()) }
    }

    #[inline]
    fn carry_out(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        self.replay(until, line, world);
    }

    #[inline]
    fn next_action(&self, _: Time, _: &Line) -> Time {
        self.next_due()
    }

    fn shrink(&mut self) {
        self.queues.iter_mut().for_each(Ring::shrink);
        let classes = self.extras.as_mut().and_then(|extras| extras.classes.as_mut());
        classes.into_iter().for_each(Classes::shrink);
    }

    #[inline]
    fn prefetch(&self) {
        match self.extras.as_ref().and_then(|extras| extras.classes.as_ref()) {
            Some(classes) => classes.prefetch(),
            None => {
                self.queues[0].prefetch_head();
                self.queues[0].prefetch_tail();
            }
        }
    }

    fn record(&self) -> &PortRecord {
        &self.record
    }

    fn as_general(&mut self) -> Option<&mut Port> {
        Some(self)
    }

    fn queued(&self) -> (u64, u64) {
        count(self.frames())
    }
}
