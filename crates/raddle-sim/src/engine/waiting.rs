//! Data that waits at a fast port: of one class, or of several.

use super::line::Line;
use super::ring::{Entry, Ring};
use super::turns::Turns;
use crate::net::frame::{Frame, Locators};
use crate::plan::{CLASS_LIMIT, QueuePlan};

const CLASSES: usize = CLASS_LIMIT as usize;

/// Data that has not started, and the bytes of each class: those queued or in service, and those that
/// have left since the port was last looked at.
pub(super) trait Waiting {
    fn new(plan: &QueuePlan) -> Self;

    /// The class of a data frame.
    fn class(frame: Frame, locators: Locators) -> usize;

    fn bytes(&self, class: usize, line: &Line) -> u32;

    fn set_bytes(&mut self, class: usize, bytes: u32, line: &mut Line);

    /// Data frames that leave one by one are taken off their class; of others `all` are.
    fn leaves(&mut self, frame: Frame, locators: Locators);

    /// Frames of `all` bytes have left, for each of which [`leaves`](Self::leaves) was called.
    fn left(&mut self, all: u64, line: &mut Line);

    /// Bytes of all classes.
    fn backlog(&self, line: &Line) -> u64;

    /// Whether no class has more than `most` bytes.
    fn at_most(&self, most: u64, line: &Line) -> bool;

    /// Frames that wait, of all classes.
    fn len(&self) -> usize;

    /// Frames of a class that wait.
    fn len_of(&self, class: usize) -> usize;

    fn is_empty(&self) -> bool;

    fn push(&mut self, class: usize, entry: Entry);

    /// A frame of a class started when it joined: nothing waits.
    fn pass(&mut self, class: usize);

    /// Takes the frame that goes now.
    fn pop(&mut self) -> Option<Frame>;

    fn shrink(&mut self);

    /// Asks for what waits, and for the memory where more goes.
    fn prefetch(&self);
}

/// One class: its bytes are in the line.
impl Waiting for Ring {
    fn new(_: &QueuePlan) -> Self {
        Self::default()
    }

    #[inline(always)]
    fn class(_: Frame, _: Locators) -> usize {
        0
    }

    #[inline(always)]
    fn bytes(&self, _: usize, line: &Line) -> u32 {
        line.bytes
    }

    #[inline(always)]
    fn set_bytes(&mut self, _: usize, bytes: u32, line: &mut Line) {
        line.bytes = bytes;
    }

    #[inline(always)]
    fn leaves(&mut self, _: Frame, _: Locators) {}

    #[inline(always)]
    fn left(&mut self, all: u64, line: &mut Line) {
        line.bytes -= all as u32;
    }

    #[inline(always)]
    fn backlog(&self, line: &Line) -> u64 {
        u64::from(line.bytes)
    }

    #[inline(always)]
    fn at_most(&self, most: u64, line: &Line) -> bool {
        u64::from(line.bytes) <= most
    }

    #[inline(always)]
    fn len(&self) -> usize {
        Ring::len(self)
    }

    #[inline(always)]
    fn len_of(&self, _: usize) -> usize {
        Ring::len(self)
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        Ring::is_empty(self)
    }

    #[inline(always)]
    fn push(&mut self, _: usize, entry: Entry) {
        Ring::push(self, entry);
    }

    #[inline(always)]
    fn pass(&mut self, _: usize) {}

    #[inline(always)]
    fn pop(&mut self) -> Option<Frame> {
        Some(Ring::pop(self)?.frame)
    }

    fn shrink(&mut self) {
        Ring::shrink(self);
    }

    #[inline(always)]
    fn prefetch(&self) {
        self.prefetch_head();
        self.prefetch_tail();
    }
}

/// Several classes, in the order in which a packet needs it.
#[repr(C)]
pub(super) struct ClassRings {
    bytes: [u32; CLASSES],
    /// How many classes there are.
    count: u8,
    /// A bit for each class of which something waits.
    waiting: u8,
    rings: [Ring; CLASSES],
    turns: Turns,
}

impl Waiting for ClassRings {
    fn new(plan: &QueuePlan) -> Self {
        Self {
            bytes: [0; CLASSES],
            count: plan.classes,
            waiting: 0,
            rings: Default::default(),
            turns: Turns::new(plan),
        }
    }

    #[inline(always)]
    fn class(frame: Frame, locators: Locators) -> usize {
        usize::from(locators.class(frame.to))
    }

    #[inline(always)]
    fn bytes(&self, class: usize, _: &Line) -> u32 {
        self.bytes[class]
    }

    #[inline(always)]
    fn set_bytes(&mut self, class: usize, bytes: u32, _: &mut Line) {
        self.bytes[class] = bytes;
    }

    #[inline(always)]
    fn leaves(&mut self, frame: Frame, locators: Locators) {
        if !frame.is_control() {
            self.bytes[Self::class(frame, locators)] -= frame.size().0 as u32;
        }
    }

    #[inline(always)]
    fn left(&mut self, _: u64, _: &mut Line) {}

    #[inline]
    fn backlog(&self, _: &Line) -> u64 {
        self.bytes.iter().map(|&bytes| u64::from(bytes)).sum()
    }

    #[inline(always)]
    fn at_most(&self, most: u64, _: &Line) -> bool {
        let count = usize::from(self.count).min(CLASSES);
        self.bytes[..count].iter().all(|&bytes| u64::from(bytes) <= most)
    }

    fn len(&self) -> usize {
        self.rings.iter().map(Ring::len).sum()
    }

    #[inline(always)]
    fn len_of(&self, class: usize) -> usize {
        self.rings[class].len()
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    #[inline(always)]
    fn push(&mut self, class: usize, entry: Entry) {
        if self.waiting >> class & 1 == 0 {
            self.turns.joined(class);
            self.waiting |= 1 << class;
        }
        self.rings[class].push(entry);
    }

    #[inline(always)]
    fn pass(&mut self, class: usize) {
        self.turns.passed(class);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Frame> {
        if self.waiting == 0 {
            return None;
        }
        let Self { rings, turns, waiting, .. } = self;
        let class = turns.next(*waiting, |class| {
            (rings[class].get(0).frame.size().0 as u32, rings[class].len() == 1)
        });
        let ring = &mut rings[class];
        let entry = ring.pop()?;
        *waiting &= !(u8::from(ring.is_empty()) << class);
        Some(entry.frame)
    }

    fn shrink(&mut self) {
        self.rings.iter_mut().for_each(Ring::shrink);
    }

    #[inline(always)]
    fn prefetch(&self) {
        let count = usize::from(self.count).min(CLASSES);
        for ring in &self.rings[..count] {
            ring.prefetch_head();
            ring.prefetch_tail();
        }
    }
}
