//! The far end of a link with retry, as the sending port knows it: what it takes in, and when it answers.
//!
//! Calls come in order of time at the far end.

use super::number::Number;
use super::way_back::WayBack;
use crate::faults::link::Link;
use crate::plan::{Detect, Llr};
use raddle_schemes::units::{Bytes, Span, Time};

/// How a frame comes to the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    /// As it left.
    Whole,
    /// With wrong bits.
    Spoiled,
    /// Not at all: the link went down under it.
    Cut,
}

impl Coming {
    /// Of a frame that starts at `now` on a link whose coins have a stream.
    pub(crate) fn over(
        (link, stream): (&Link, u64),
        (now, departs): (Time, Time),
        size: Bytes,
    ) -> Self {
        if link.next_down() < departs {
            Self::Cut
        } else if link.loses(stream, now, size) {
            Self::Spoiled
        } else {
            Self::Whole
        }
    }
}

/// What the far end makes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the next one.
    Accepted,
    /// It came with wrong bits or not at all.
    Spoiled,
    /// One before it is missing.
    Discarded,
    /// It had been accepted.
    Duplicate,
}

/// What the far end has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// What it has accepted.
    Acks,
    /// That one is missing.
    Nack,
    /// Nothing, until that one comes.
    Nothing,
}

/// An answer: all up to `last` was accepted, and with a NACK the next one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// When it is back.
    pub(super) back: Time,
    pub(super) is_nack: bool,
    pub(super) last: Number,
}

pub(super) struct Receiver {
    expected: Number,
    says: Says,
    /// When it answers; never, while it has nothing to say or its link is down for good.
    due: Time,
    /// When that answer is back.
    back: Time,
    /// Answers keep their distance: none before this.
    free_from: Time,
    way: WayBack,
    /// The time of the cable.
    delay: Span,
    spacing: Bytes,
    knows_spoiled: bool,
    asks_again: bool,
}

/// What [`Number::plus`] takes to go one back.
const ONE_BACK: u32 = (1 << 20) - 1;

impl Receiver {
    pub(super) fn new(llr: &Llr, link: Link, delay: Span, stream: u64) -> Self {
        Self {
            expected: Number::default(),
            says: Says::Acks,
            due: Time::NEVER,
            back: Time::NEVER,
            free_from: Time::ZERO,
            way: WayBack::new(link, stream),
            delay,
            spacing: llr.spacing,
            knows_spoiled: llr.detect == Detect::Own,
            asks_again: llr.renack,
        }
    }

    /// The number of the next frame to be accepted.
    pub(super) fn expected(&self) -> Number {
        self.expected
    }

    /// A frame comes at `at`; all answers before have been given.
    pub(super) fn take(&mut self, at: Time, number: Number, coming: Coming) -> Verdict {
        if coming != Coming::Whole {
            let is_known = coming == Coming::Spoiled && self.knows_spoiled;
            let asks = self.says != Says::Nothing || self.asks_again;
            if is_known && number == self.expected && asks {
                self.says = Says::Nack;
                self.want(at);
            }
            return Verdict::Spoiled;
        }
        if number == self.expected {
            self.expected = number.plus(1);
            self.says = Says::Acks;
            self.want(at);
            return Verdict::Accepted;
        }
        if number.is_after(self.expected) {
            if self.says == Says::Acks {
                self.says = Says::Nack;
                self.want(at);
            }
            return Verdict::Discarded;
        }
        if self.says != Says::Nothing {
            self.want(at);
        }
        Verdict::Duplicate
    }

    /// It has something to say from `at` on.
    fn want(&mut self, at: Time) {
        if self.due == Time::NEVER {
            self.due = self.way.up_from(at.max(self.free_from));
            self.back = self.back_of(self.due);
        }
    }

    /// When it answers next, as far as is known.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// When that answer is back.
    pub(super) fn back(&self) -> Time {
        self.back
    }

    /// When an answer that begins at `due` is back.
    fn back_of(&self, due: Time) -> Time {
        if due == Time::NEVER { Time::NEVER } else { self.way.sent(due) + self.delay }
    }

    /// Gives the answer that is due. Returns it, if it comes back.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        let at = self.due;
        let back = self.back;
        (self.due, self.back) = (Time::NEVER, Time::NEVER);
        self.free_from = at + self.way.at(at).rate().serialisation(self.spacing);
        let is_nack = self.says == Says::Nack;
        if is_nack {
            self.says = Says::Nothing;
        }
        let is_lost = self.way.loses(at);
        (!is_lost).then_some(Answer { back, is_nack, last: self.expected.plus(ONE_BACK) })
    }

    /// It is asked at `at` to begin anew. Returns when its reply is back; never, if its link is down for good.
    pub(super) fn begin_anew(&mut self, at: Time) -> Time {
        (self.expected, self.says) = (Number::default(), Says::Acks);
        (self.due, self.back, self.free_from) = (Time::NEVER, Time::NEVER, Time::ZERO);
        let mut from = self.way.up_from(at);
        while from < Time::NEVER
            && let Some(down) = self.way.cut_of(from)
        {
            from = self.way.up_from(down);
        }
        self.back_of(from)
    }

    /// Whatever it has to say is of no use any more.
    pub(super) fn forget(&mut self) {
        (self.due, self.back) = (Time::NEVER, Time::NEVER);
    }
}
