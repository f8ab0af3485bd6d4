//! The receiving end of a link with credits: what came in through a port of a switch.

use super::{CLASSES, CreditFacts};
use crate::plan::Cbfc;
use crate::record::{ClassCredit, CreditRecord};
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

/// Cells of a data class.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// Ever taken by frames that came in.
    stored: u64,
    /// Given back.
    freed: u64,
    /// When the sender is to hear of it; never, if it has.
    due_at: Time,
}

/// Calls come in order of time.
#[derive(Debug)]
pub(crate) struct Receiver {
    cbfc: Cbfc,
    classes: usize,
    memories: [Memory; CLASSES],
    /// The first of the times at which the sender is to hear of a class.
    due_at: Time,
    /// Messages keep their distance: none before this.
    free_from: Time,
    /// The distance, and the time after which a class is spoken of again, at the present rate of the wire.
    spacing: Span,
    refresh: Span,
    record: CreditRecord,
}

impl Receiver {
    pub(crate) fn new(facts: &CreditFacts) -> Self {
        let nothing = Memory { stored: 0, freed: 0, due_at: Time::NEVER };
        let classes = vec![ClassCredit::default(); facts.classes];
        let mut receiver = Self {
            cbfc: facts.cbfc,
            classes: facts.classes,
            memories: [nothing; CLASSES],
            due_at: Time::NEVER,
            free_from: Time::ZERO,
            spacing: Span::ZERO,
            refresh: Span::ZERO,
            record: CreditRecord { classes, ..CreditRecord::default() },
        };
        receiver.set_rate(facts.rate);
        receiver
    }

    /// The wire that messages take has this rate from now on.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.spacing = rate.serialisation(self.cbfc.cf_spacing);
        self.refresh = rate.serialisation(self.cbfc.cf_refresh);
    }

    /// A frame has come in.
    #[inline]
    pub(crate) fn store(&mut self, class: usize, frame: Bytes) {
        let memory = &mut self.memories[class];
        memory.stored += self.cbfc.cells(frame);
        let record = &mut self.record.classes[class];
        record.stored = memory.stored;
        record.held_max = record.held_max.max(memory.stored - memory.freed);
    }

    /// One that had come in is gone. Returns whether a message is due for it that was not.
    #[inline]
    pub(crate) fn free(&mut self, now: Time, class: usize, frame: Bytes) -> bool {
        self.give_back(now, class, self.cbfc.cells(frame))
    }

    fn give_back(&mut self, now: Time, class: usize, cells: u64) -> bool {
        let memory = &mut self.memories[class];
        memory.freed += cells;
        self.record.classes[class].freed = memory.freed;
        let is_news = memory.due_at > now;
        memory.due_at = memory.due_at.min(now);
        self.due_at = self.due_at.min(now);
        is_news
    }

    /// The sender tells what it has consumed: what did not come never will.
    pub(crate) fn on_consumed(&mut self, now: Time, frame: Frame) {
        let classes = self.classes;
        for (class, told) in frame.counts().filter(|(class, _)| *class < classes) {
            let stored = &mut self.memories[class].stored;
            let missing = u64::from(told).wrapping_sub(*stored) & (Frame::COUNTS - 1);
            if missing > 0 {
                *stored += missing;
                let record = &mut self.record.classes[class];
                record.stored += missing;
                record.leaked += missing;
                self.give_back(now, class, missing);
            }
        }
    }

    /// When a message goes, if the wire is free then.
    #[inline]
    pub(crate) fn told_at(&self) -> Time {
        self.due_at.max(self.free_from)
    }

    /// Whether anything was ever freed.
    pub(crate) fn has_freed(&self) -> bool {
        self.memories.iter().any(|memory| memory.freed > 0)
    }

    /// The link that messages take has come up.
    pub(crate) fn come_up(&mut self, now: Time) {
        for memory in self.memories.iter_mut().filter(|memory| memory.freed > 0) {
            memory.due_at = memory.due_at.min(now);
            self.due_at = self.due_at.min(now);
        }
    }

    /// What the wire takes at `now` tells the sender what is free: of the two classes that have waited
    /// longest.
    pub(crate) fn tell(&mut self, now: Time) -> Frame {
        let mut next = || {
            let own = self.memories[..self.classes].iter_mut().enumerate();
            let due = own.filter(|(_, memory)| memory.due_at <= now);
            let (class, memory) = due.min_by_key(|(class, memory)| (memory.due_at, *class))?;
            memory.due_at = Time::NEVER;
            Some((class, memory.freed))
        };
        let (first, second) = (next(), next());
        let due = self.memories[..self.classes].iter().map(|memory| memory.due_at);
        self.due_at = due.min().unwrap_or(Time::NEVER);
        self.free_from = now + self.spacing;
        Frame::freed(first.unwrap_or_default(), second)
    }

    /// The message that has just started will be lost: its classes are spoken of again when that is due.
    /// Others say nothing new then, and are left out.
    pub(crate) fn tell_again(&mut self, now: Time, frame: Frame) {
        for (class, _) in frame.counts() {
            let due_at = &mut self.memories[class].due_at;
            *due_at = (*due_at).min(now + self.refresh);
            self.due_at = self.due_at.min(*due_at);
        }
    }

    pub(crate) fn record_mut(&mut self) -> &mut CreditRecord {
        &mut self.record
    }

    /// What came of it.
    pub(crate) fn record(&self) -> CreditRecord {
        self.record.clone()
    }
}
