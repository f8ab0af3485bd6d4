//! The far end of a link with retry: section 2.2 of what is known of the standard.

use super::sender::{NUMBERS, Numbered};
use crate::plan::{Detect, Llr};
use crate::record::RetryRecord;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// A frame on the link.
pub(in crate::reference) struct Flying {
    pub(super) numbered: Numbered,
    pub(super) departs: Time,
    pub(super) frame: Frame,
    pub(super) note: Note,
}

/// What the far end has to say next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Ack,
    Nack,
    /// It has asked, and says no more until it gets what it has asked for.
    Nothing,
}

/// What became of a frame.
#[derive(Clone, Copy)]
pub(super) enum Verdict {
    Accepted,
    Spoiled,
    Discarded,
    Duplicate,
}

impl Verdict {
    pub(super) fn is_accepted(self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Where it is counted.
    pub(super) fn of(self, record: &mut RetryRecord) -> &mut u64 {
        match self {
            Self::Accepted => &mut record.accepted,
            Self::Spoiled => &mut record.spoiled,
            Self::Discarded => &mut record.discarded,
            Self::Duplicate => &mut record.duplicates,
        }
    }
}

pub(in crate::reference) struct Receiver {
    llr: Llr,
    pub(super) expected: u32,
    pub(super) says: Says,
    /// When it answers.
    pub(super) due: Option<Time>,
    /// No answer before this.
    pub(super) free_from: Time,
    /// Frames on the link, the next one first.
    pub(super) flight: VecDeque<Flying>,
}

impl Receiver {
    pub(in crate::reference) fn new(llr: Llr) -> Self {
        Self {
            llr,
            expected: 0,
            says: Says::Ack,
            due: None,
            free_from: Time::ZERO,
            flight: VecDeque::new(),
        }
    }

    /// A frame has come. Returns what becomes of it, and whether there is something to say.
    pub(super) fn take(&mut self, frame: Numbered) -> (Verdict, bool) {
        let is_next = frame.number == self.expected;
        if frame.is_spoiled {
            let may_ask = self.says != Says::Nothing || self.llr.renack;
            let asks = self.llr.detect == Detect::Own && is_next && may_ask;
            if asks {
                self.says = Says::Nack;
            }
            return (Verdict::Spoiled, asks);
        }
        if is_next {
            self.expected = (self.expected + 1) % NUMBERS;
            self.says = Says::Ack;
            return (Verdict::Accepted, true);
        }
        // Of the two halves of all other numbers one comes later.
        let ahead = (frame.number + NUMBERS - self.expected) % NUMBERS;
        if ahead < NUMBERS / 2 {
            let asks = self.says == Says::Ack;
            if asks {
                self.says = Says::Nack;
            }
            return (Verdict::Discarded, asks);
        }
        (Verdict::Duplicate, self.says != Says::Nothing)
    }

    /// The number that it expects when all that is on the link has come.
    pub(super) fn will_expect(&self) -> u32 {
        let mut next = self.expected;
        for Flying { numbered, .. } in &self.flight {
            if !numbered.is_spoiled && numbered.number == next {
                next = (next + 1) % NUMBERS;
            }
        }
        next
    }

    pub(super) fn begin_anew(&mut self) {
        (self.expected, self.says) = (0, Says::Ack);
        (self.due, self.free_from) = (None, Time::ZERO);
    }
}
