//! The general port: real queues, replayed lazily.
//!
//! There are no transmit events. What a port did since it was last looked at is carried out before
//! the next arrival at it and at the end of each window: departures in order, each with its mark
//! and its next frame, and the changes of its link in between. Frames that leave are appended to
//! the ring of the link.

use super::calendar::Calendar;
use super::fast::whole_ps_per_byte;
use super::line::{FarEnd, Line};
use super::part::Outbox;
use super::ring::{Entry, Ring};
use crate::net::faults::{OnDown, PortChange};
use crate::net::frame::Frame;
use crate::net::hosts::Hosts;
use crate::net::link::Link;
use crate::net::port::PortFacts;
use crate::plan::{MarkAt, Overflow, Plan, Service};
use crate::record::recorder::Recorder;
use crate::record::{DropCause, PortRecord};
use raddle_schemes::ids::PortId;
use raddle_schemes::marking::{AnyMarker, QueueState};
use raddle_schemes::units::{Bytes, Rate, Span, Time};

/// The queue discipline of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discipline {
    pub(super) two_classes: bool,
    pub(super) trim: bool,
    pub(super) mark_at: MarkAt,
    pub(super) header: Bytes,
    pub(super) gap: Bytes,
    pub(super) on_down: OnDown,
}

impl Discipline {
    pub(super) fn of(plan: &Plan) -> Self {
        Self {
            two_classes: plan.queue.service == Service::Priority,
            trim: plan.queue.overflow == Overflow::Trim,
            mark_at: plan.queue.mark_at,
            header: plan.transport.header,
            gap: plan.queue.gap,
            on_down: plan.faults.on_down,
        }
    }
}

/// What ports share while a node runs.
pub(super) struct World<'a> {
    pub(super) discipline: Discipline,
    pub(super) calendar: Calendar,
    pub(super) hosts: Hosts<'a>,
    pub(super) recorder: Recorder,
    pub(super) outbox: Outbox,
}

/// The frame on the wire.
#[derive(Clone, Copy, Debug)]
struct InService {
    frame: Frame,
    class: u8,
    lost: bool,
    start: Time,
}

/// The queues of one switch port; the link that leaves it is a [`Line`].
///
/// In the order in which a packet needs it, so that what a run touches all the time lies in the
/// first cache lines and what only drops and faults touch in the last.
#[repr(C)]
pub(super) struct Port {
    /// When the frame in service leaves; never, if there is none.
    departs: Time,
    free_at: Time,
    /// The link's changes, where it has any.
    faults: Option<Box<Link>>,
    in_service: Option<InService>,

    pub(super) bytes: [u64; 2],
    /// Picoseconds per byte where that is a whole number, else 0.
    ps_per_byte: u64,
    /// Data, then control; one class uses only the first.
    queues: [Ring; 2],

    capacity: u64,
    marker: AnyMarker,
    mark_stream: u64,
    control_capacity: u64,
    far_end: FarEnd,
    id: PortId,
    pub(super) record: PortRecord,
    rate: Rate,
    loss_stream: u64,
}

impl Port {
    pub(super) fn new(plan: &Plan, id: PortId, facts: PortFacts, far_end: FarEnd) -> Self {
        let changes = plan.faults.ports.iter().find(|(port, _)| *port == id);
        let faults = changes.map(|(_, list)| Box::new(Link::new(facts.rate, list.clone())));
        Self {
            departs: Time::NEVER,
            free_at: Time::ZERO,
            faults,
            in_service: None,
            bytes: [0; 2],
            ps_per_byte: whole_ps_per_byte(facts.rate).map_or(0, u64::from),
            queues: Default::default(),
            capacity: facts.capacity,
            marker: facts.marker,
            mark_stream: facts.mark_stream,
            control_capacity: facts.control_capacity,
            far_end,
            id,
            record: PortRecord::default(),
            rate: facts.rate,
            loss_stream: facts.loss_stream,
        }
    }

    /// When the port next has something to carry out; never, while it is empty or cut off for good.
    #[inline]
    pub(super) fn next_action(&self) -> Time {
        let waiting = !self.queues[0].is_empty() || !self.queues[1].is_empty();
        let own = match (self.in_service.is_some(), waiting) {
            (true, _) => self.departs,
            (false, true) => self.free_at,
            (false, false) => return Time::NEVER,
        };
        match &self.faults {
            None => own,
            Some(link) if link.is_up() => own.min(link.next_change()),
            Some(link) => link.next_change(),
        }
    }

    /// Data packets queued or in service.
    pub(super) fn data_queued(&self) -> u64 {
        let waiting = self.queues.iter().flat_map(Ring::iter).map(|entry| entry.frame);
        let frames = waiting.chain(self.in_service.map(|service| service.frame));
        frames.filter(Frame::is_data).count() as u64
    }

    /// Takes a frame that came in through `came_in`, an in-port of the same switch.
    #[inline]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        came_in: PortId,
        mut frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        self.replay(now, line, world);
        let discipline = world.discipline;
        if let Some(link) = &self.faults
            && !link.is_up()
            && discipline.on_down == OnDown::Drop
        {
            return self.drop(now, frame, DropCause::LinkDown, world);
        }
        let mut size = frame.size().0;
        let mut class = usize::from(discipline.two_classes && frame.is_control());
        if class == 0 {
            let capacity = match &self.faults {
                None => self.capacity,
                Some(link) => link.capacity(self.capacity),
            };
            if self.bytes[0] + size > capacity {
                if !discipline.trim || frame.is_control() {
                    return self.drop(now, frame, DropCause::Overflow, world);
                }
                frame.trim(discipline.header);
                size = discipline.header.0;
                self.record.trimmed += 1;
                world.recorder.trimmed(now);
                class = 1;
            } else if discipline.mark_at == MarkAt::Enqueue && !frame.is_control() {
                // No two frames come in through one port at one instant.
                let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
                self.judge(now, &mut frame, event, world);
            }
        }
        if class == 1 && self.bytes[1] + size > self.control_capacity {
            return self.drop(now, frame, DropCause::Overflow, world);
        }
        self.bytes[class] += size;
        if class == 0 {
            self.record.queue_bytes_max = self.record.queue_bytes_max.max(self.bytes[0]);
            world.recorder.queued(self.id, now, self.bytes[0]);
        }
        // Replayed up to now: if the wire is free, nothing waits.
        let up = self.faults.as_ref().is_none_or(|link| link.is_up());
        if self.in_service.is_none() && self.free_at <= now && up {
            self.start(now, frame, class, discipline.gap);
        } else {
            self.queues[class].push(Entry::new(now, frame));
        }
    }

    /// Carries out everything due up to and including `until`.
    #[inline]
    pub(super) fn replay(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        if self.faults.is_some() {
            return self.replay_with_faults(until, line, world);
        }
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

    /// At one instant: departure, then change of the link, then start.
    #[cold]
    fn replay_with_faults(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        loop {
            let Some(link) = &mut self.faults else { return };
            let change_at = link.next_change();
            let waiting = !self.queues[0].is_empty() || !self.queues[1].is_empty();
            let start_at = if self.in_service.is_none() && waiting && link.is_up() {
                self.free_at
            } else {
                Time::NEVER
            };
            let next = self.departs.min(change_at).min(start_at);
            if next > until || next == Time::NEVER {
                return;
            }
            if self.departs == next {
                self.depart(line, world);
            } else if change_at == next {
                match link.play() {
                    Some(PortChange::Down) => self.go_down(next, world),
                    Some(PortChange::Up) => self.free_at = self.free_at.max(next),
                    _ => {
                        self.rate = link.rate();
                        self.ps_per_byte = whole_ps_per_byte(self.rate).map_or(0, u64::from);
                    }
                }
            } else {
                self.start_next(next, world.discipline.gap);
            }
        }
    }

    fn go_down(&mut self, now: Time, world: &mut World<'_>) {
        self.free_at = now;
        self.departs = Time::NEVER;
        if let Some(service) = self.in_service.take() {
            self.bytes[usize::from(service.class)] -= service.frame.size().0;
            self.drop(now, service.frame, DropCause::LinkDown, world);
        }
        if world.discipline.on_down == OnDown::Drop {
            self.bytes = [0; 2];
            for class in 0..2 {
                while let Some(entry) = self.queues[class].pop() {
                    self.drop(now, entry.frame, DropCause::LinkDown, world);
                }
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
        let lost = match &self.faults {
            None => false,
            Some(link) => link.loses(self.loss_stream, now, size),
        };
        self.in_service = Some(InService { frame, class: class as u8, lost, start: now });
        self.departs = now + self.serialisation(size);
        self.free_at = self.departs + self.serialisation(gap);
    }

    #[inline]
    fn serialisation(&self, size: Bytes) -> Span {
        if self.ps_per_byte > 0 {
            Span(size.0 * self.ps_per_byte)
        } else {
            self.rate.serialisation(size)
        }
    }

    #[inline]
    fn depart(&mut self, line: &mut Line, world: &mut World<'_>) {
        let now = self.departs;
        self.departs = Time::NEVER;
        let Some(service) = self.in_service.take() else { return };
        let mut frame = service.frame;
        let size = frame.size().0;
        self.bytes[usize::from(service.class)] -= size;
        self.record.frames += 1;
        self.record.bytes += size;
        self.record.data_frames += u64::from(frame.is_data());
        if world.discipline.mark_at == MarkAt::Dequeue && !frame.is_control() {
            self.judge(now, &mut frame, service.start.0, world);
        }
        world.recorder.departed(self.id, now, frame);
        if service.lost {
            self.drop(now, frame, DropCause::Loss, world);
        } else {
            line.launch(now, frame, self.far_end, &mut world.calendar, &mut world.outbox);
        }
    }

    #[inline]
    fn judge(&mut self, now: Time, frame: &mut Frame, event: u64, world: &mut World<'_>) {
        let bytes = match &self.faults {
            None => self.bytes[0],
            Some(link) => link.nominal_bytes(self.bytes[0]),
        };
        let queue = QueueState { bytes: Bytes(bytes), stream: self.mark_stream, event };
        if self.marker.mark(&queue) {
            frame.mark();
            self.record.marked += 1;
            world.recorder.marked(now);
        }
    }

    #[cold]
    fn drop(&mut self, now: Time, frame: Frame, cause: DropCause, world: &mut World<'_>) {
        self.record.dropped[cause as usize] += 1;
        self.record.dropped_data[cause as usize] += u64::from(frame.is_data());
        world.hosts.note_dropped(frame);
        world.recorder.dropped(self.id, now);
    }
}
