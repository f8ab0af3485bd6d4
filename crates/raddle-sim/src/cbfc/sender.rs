//! The sending end of a link with credits.

use super::{CLASSES, CreditFacts};
use crate::plan::Cbfc;
use crate::record::{ClassCredit, CreditRecord};
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Time};

/// Cells of a data class.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// What all frames have taken that have started.
    consumed: u64,
    /// What the far end has told of as freed.
    freed: u64,
}

impl Account {
    fn out(self) -> u64 {
        self.consumed - self.freed
    }
}

/// Calls come in order of time.
#[derive(Debug)]
pub(crate) struct Sender {
    cbfc: Cbfc,
    /// Cells of each class at the far end.
    limit: u64,
    /// Those of the largest frame.
    largest: u64,
    classes: usize,
    accounts: [Account; CLASSES],
    /// By class, since when there has been no credit for the largest frame; never, while there is some.
    without_since: [Time; CLASSES],
    /// When the far end is next told what was consumed; never, while nothing is out.
    told_at: Time,
    /// The class that this begins with.
    next_class: usize,
    record: CreditRecord,
}

impl Sender {
    /// The end of the link that leaves a port; none towards a host, which takes whatever comes.
    pub(crate) fn of(facts: &CreditFacts) -> Option<Self> {
        Some(Self {
            cbfc: facts.cbfc,
            limit: facts.limit?,
            largest: facts.cbfc.cells(facts.largest),
            classes: facts.classes,
            accounts: Default::default(),
            without_since: [Time::NEVER; CLASSES],
            told_at: Time::NEVER,
            next_class: 0,
            record: CreditRecord {
                classes: vec![ClassCredit::default(); facts.classes],
                ..CreditRecord::default()
            },
        })
    }

    /// Whether a frame of a class may start.
    #[inline]
    pub(crate) fn may_start(&self, class: usize, frame: Bytes) -> bool {
        self.accounts[class].out() + self.cbfc.cells(frame) <= self.limit
    }

    /// Whether the largest frame of a class may.
    #[inline]
    pub(crate) fn may_start_any(&self, class: usize) -> bool {
        self.accounts[class].out() + self.largest <= self.limit
    }

    /// A frame of a class starts, on a link that comes up next at `next_up`.
    pub(crate) fn start(&mut self, now: Time, class: usize, frame: Bytes, next_up: Time) {
        let had = self.may_start_any(class);
        self.accounts[class].consumed += self.cbfc.cells(frame);
        let record = &mut self.record.classes[class];
        record.consumed = self.accounts[class].consumed;
        record.in_use_max = record.in_use_max.max(self.accounts[class].out());
        if had && !self.may_start_any(class) {
            self.without_since[class] = now;
        }
        if self.told_at == Time::NEVER {
            self.tell_after(now, next_up);
        }
    }

    /// The far end is told at the next multiple of `cc`, or when the link comes up.
    fn tell_after(&mut self, now: Time, next_up: Time) {
        let cc = self.cbfc.cc.0;
        self.told_at = Time((now.0 / cc + 1) * cc).min(next_up);
    }

    /// The far end tells what it has freed.
    pub(crate) fn on_freed(&mut self, now: Time, frame: Frame) {
        for (class, told) in frame.counts().filter(|(class, _)| *class < self.classes) {
            let had = self.may_start_any(class);
            let freed = &mut self.accounts[class].freed;
            *freed += u64::from(told).wrapping_sub(*freed) & ((1 << Cbfc::BITS_TOLD) - 1);
            self.record.classes[class].told = *freed;
            if !had && self.may_start_any(class) {
                let since = std::mem::replace(&mut self.without_since[class], Time::NEVER);
                self.record.classes[class].was_without((since, now));
            }
        }
        if self.accounts[..self.classes].iter().all(|account| account.out() == 0) {
            (self.told_at, self.next_class) = (Time::NEVER, 0);
        }
    }

    /// When the far end is next told what was consumed, if the wire is free then.
    #[inline]
    pub(crate) fn told_at(&self) -> Time {
        self.told_at
    }

    /// The far end is not told before `at`.
    pub(crate) fn put_off(&mut self, at: Time) {
        self.told_at = at;
    }

    /// The link has come up.
    pub(crate) fn come_up(&mut self, now: Time) {
        self.told_at =
            if self.told_at == Time::NEVER { Time::NEVER } else { self.told_at.min(now) };
    }

    /// What the wire takes at `now` tells the far end what was consumed: of two classes at a time.
    pub(crate) fn tell(&mut self, now: Time, next_up: Time) -> Frame {
        let first = self.next_class;
        let count = |class: usize| (class, self.accounts[class].consumed);
        let second = (first + 1 < self.classes).then(|| count(first + 1));
        let frame = Frame::consumed(count(first), second);
        self.next_class = first + 2;
        if self.next_class >= self.classes {
            self.next_class = 0;
            self.tell_after(now, next_up);
        }
        frame
    }

    /// A message about what was consumed has left, or was lost.
    pub(crate) fn record_mut(&mut self) -> &mut CreditRecord {
        &mut self.record
    }

    /// What came of it in a run that ends at `end`.
    pub(crate) fn record(&self, end: Time) -> CreditRecord {
        let mut record = self.record.clone();
        for (own, since) in record.classes.iter_mut().zip(self.without_since) {
            own.was_without((since, end));
        }
        record
    }
}
