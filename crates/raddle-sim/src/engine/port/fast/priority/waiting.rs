//! Data that waits at a port where control goes first: of one class, or of several.

use crate::engine::link::Line;
use crate::engine::link::ring::{Entry, Ring};
use crate::engine::port::LaneArrivals;
use crate::engine::port::fast::priority::PriorityPort;
use crate::engine::port::scheduler::Turns;
use crate::engine::world::World;
use crate::plan::{CLASS_LIMIT, QueuePlan};
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// Data that has not started.
pub(in crate::engine) trait Waiting: Sized {
    /// `LANES` of the port.
    const LANES: usize = 1;

    /// None yet; `logs` says whether frames that leave are kept for [`gone`](Self::gone).
    fn new(plan: &QueuePlan, logs: bool) -> Self;

    /// `enqueue_all` of the port.
    #[inline(always)]
    fn enqueue_all(
        port: &mut PriorityPort<Self>,
        came: LaneArrivals<'_>,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        came.enqueue_each(port, line, world)
    }

    /// The class of a data frame.
    fn class(frame: Frame, locators: Locators) -> usize;

    /// Bytes of a class.
    fn bytes(&self, class: usize) -> u32;

    /// Bytes of all classes.
    fn backlog(&self) -> u64;

    /// Frames of all classes.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool;

    fn push(&mut self, now: Time, class: usize, frame: Frame);

    /// A frame of `class` started when it joined, and nothing waited.
    fn pass(&mut self, class: usize);

    /// Takes the frame that goes now, with its class.
    fn pop(&mut self) -> Option<(Frame, usize)>;

    /// Takes the frame of a class that would go last.
    fn take_last(&mut self, class: usize) -> Option<Frame>;

    /// A frame of a class and of so many bytes left the port then.
    fn note_left(&mut self, class: usize, at: Time, bytes: u32);

    /// When a frame of a class last left the port; none, where that is the port's to know.
    fn left_at(&self, class: usize) -> Option<Time>;

    /// A frame of control of so many bytes leaves the port then.
    #[inline(always)]
    fn note_control(&mut self, _at: Time, _bytes: u64) {}

    /// The first frame of control that left up to and including `until`, with its time, and was not
    /// taken from here, where that is kept.
    fn control_gone(&mut self, _until: Time) -> Option<(Time, u64)> {
        None
    }

    /// What has left since it was last taken from here, in order, where that is kept.
    fn gone(&mut self) -> Option<&mut Vec<Gone>>;

    /// Gives back memory that a burst took.
    fn shrink(&mut self);

    /// Asks for what goes next, and for the memory where more joins.
    fn prefetch(&self);
}

/// A frame of data that has left.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Gone {
    pub(in crate::engine) at: Time,
    pub(in crate::engine) bytes: u32,
    pub(in crate::engine) class: u32,
}

/// Data of one class.
pub(in crate::engine) struct OneClass {
    ring: Ring,
    bytes: u32,
}

impl OneClass {
    /// The frame that goes `i` places after the next.
    #[inline(always)]
    pub(in crate::engine::port::fast) fn frame(&self, i: u32) -> &Frame {
        &self.ring.entry(i).frame
    }

    /// Forgets the first `n` frames, of `bytes` bytes.
    #[inline(always)]
    pub(in crate::engine::port::fast) fn skip(&mut self, n: u32, bytes: u32) {
        self.ring.skip(n);
        self.bytes -= bytes;
    }
}

impl Waiting for OneClass {
    const LANES: usize = 2;

    #[inline(always)]
    fn enqueue_all(
        port: &mut PriorityPort<Self>,
        came: LaneArrivals<'_>,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        port.enqueue_together(came, line, world)
    }

    fn new(_: &QueuePlan, _: bool) -> Self {
        Self { ring: Ring::default(), bytes: 0 }
    }

    #[inline(always)]
    fn class(_: Frame, _: Locators) -> usize {
        0
    }

    #[inline(always)]
    fn bytes(&self, _: usize) -> u32 {
        self.bytes
    }

    #[inline(always)]
    fn backlog(&self) -> u64 {
        self.bytes.into()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.ring.len()
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    #[inline(always)]
    fn push(&mut self, now: Time, _: usize, frame: Frame) {
        self.bytes += frame.size().0 as u32;
        self.ring.push(Entry::new(now, frame));
    }

    #[inline(always)]
    fn pass(&mut self, _: usize) {}

    #[inline(always)]
    fn pop(&mut self) -> Option<(Frame, usize)> {
        let frame = self.ring.pop()?.frame;
        self.bytes -= frame.size().0 as u32;
        Some((frame, 0))
    }

    fn take_last(&mut self, _: usize) -> Option<Frame> {
        let frame = self.ring.pop_back()?.frame;
        self.bytes -= frame.size().0 as u32;
        Some(frame)
    }

    #[inline(always)]
    fn note_left(&mut self, _: usize, _: Time, _: u32) {}

    #[inline(always)]
    fn left_at(&self, _: usize) -> Option<Time> {
        None
    }

    fn gone(&mut self) -> Option<&mut Vec<Gone>> {
        None
    }

    fn shrink(&mut self) {
        self.ring.shrink();
    }

    #[inline(always)]
    fn prefetch(&self) {
        self.ring.prefetch_head();
        self.ring.prefetch_tail();
    }
}

const CLASSES: usize = CLASS_LIMIT as usize;

/// Data of several classes, in the order in which a frame needs it.
#[repr(C)]
pub(in crate::engine) struct SeveralClasses {
    bytes: [u32; CLASSES],
    count: u8,
    /// A bit for each class that has frames.
    waiting: u8,
    rings: [Ring; CLASSES],
    turns: Turns,
    left_at: [Time; CLASSES],
    gone: Option<Vec<Gone>>,
    control_gone: VecDeque<(Time, u64)>,
}

impl Waiting for SeveralClasses {
    fn new(plan: &QueuePlan, logs: bool) -> Self {
        Self {
            bytes: [0; CLASSES],
            count: plan.classes,
            waiting: 0,
            rings: Default::default(),
            turns: Turns::new(plan),
            left_at: [Time::ZERO; CLASSES],
            gone: logs.then(Vec::new),
            control_gone: VecDeque::new(),
        }
    }

    #[inline(always)]
    fn class(frame: Frame, locators: Locators) -> usize {
        locators.class(frame.to).into()
    }

    #[inline(always)]
    fn bytes(&self, class: usize) -> u32 {
        self.bytes[class]
    }

    fn backlog(&self) -> u64 {
        self.bytes.iter().map(|&bytes| u64::from(bytes)).sum()
    }

    fn len(&self) -> usize {
        self.rings.iter().map(Ring::len).sum()
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    #[inline(always)]
    fn push(&mut self, now: Time, class: usize, frame: Frame) {
        if self.waiting >> class & 1 == 0 {
            self.waiting |= 1 << class;
            self.turns.joined(class);
        }
        self.bytes[class] += frame.size().0 as u32;
        self.rings[class].push(Entry::new(now, frame));
    }

    #[inline(always)]
    fn pass(&mut self, class: usize) {
        self.turns.passed(class);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(Frame, usize)> {
        if self.waiting == 0 {
            return None;
        }
        let Self { rings, turns, waiting, bytes, .. } = self;
        let class = turns.next(*waiting, |class| {
            (rings[class].get(0).frame.size().0 as u32, rings[class].len() == 1)
        });
        let ring = &mut rings[class];
        let frame = ring.pop()?.frame;
        *waiting &= !(u8::from(ring.is_empty()) << class);
        bytes[class] -= frame.size().0 as u32;
        Some((frame, class))
    }

    fn take_last(&mut self, class: usize) -> Option<Frame> {
        let frame = self.rings[class].pop_back()?.frame;
        self.bytes[class] -= frame.size().0 as u32;
        if self.rings[class].is_empty() {
            self.waiting &= !(1 << class);
            self.turns.emptied(class);
        }
        Some(frame)
    }

    #[inline(always)]
    fn note_left(&mut self, class: usize, at: Time, bytes: u32) {
        self.left_at[class] = at;
        if let Some(gone) = &mut self.gone {
            gone.push(Gone { at, bytes, class: class as u32 });
        }
    }

    fn left_at(&self, class: usize) -> Option<Time> {
        Some(self.left_at[class])
    }

    #[inline(always)]
    fn note_control(&mut self, at: Time, bytes: u64) {
        if self.gone.is_some() {
            self.control_gone.push_back((at, bytes));
        }
    }

    fn control_gone(&mut self, until: Time) -> Option<(Time, u64)> {
        let first = *self.control_gone.front().filter(|(at, _)| *at <= until)?;
        self.control_gone.pop_front();
        Some(first)
    }

    fn gone(&mut self) -> Option<&mut Vec<Gone>> {
        self.gone.as_mut()
    }

    fn shrink(&mut self) {
        self.rings.iter_mut().for_each(Ring::shrink);
    }

    #[inline]
    fn prefetch(&self) {
        let count = usize::from(self.count).min(CLASSES);
        for ring in &self.rings[..count] {
            ring.prefetch_head();
            ring.prefetch_tail();
        }
    }
}
