//! What data packets carry from the sender's ToR to the receiver's, and what comes back. The paper's
//! header has times of 16 bits in microseconds or so and epochs of 2 bits; these are longer.

use super::super::Note;
use crate::units::{Span, Time};
use serde::Serialize;

/// Bits of a time; what is told by two of them is their difference.
const TIME: u32 = 48;
/// Bits of an epoch; which of two is later is told by their distance.
const EPOCH: u32 = 13;

/// A time as a header holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Stamp(u64);

impl Stamp {
    pub(super) fn of(time: Time) -> Self {
        Self(time.0 & ((1 << TIME) - 1))
    }

    /// From `earlier` on; nothing if that is later.
    pub(super) fn since(self, earlier: Self) -> Span {
        let span = self.0.wrapping_sub(earlier.0) & ((1 << TIME) - 1);
        if span >> (TIME - 1) == 0 { Span(span) } else { Span::ZERO }
    }
}

/// The count of a flow's epochs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Epoch(u16);

impl Epoch {
    pub(super) fn next(self) -> Self {
        Self((self.0 + 1) % (1 << EPOCH))
    }

    pub(super) fn is_after(self, other: Self) -> bool {
        let distance = self.0.wrapping_sub(other.0) % (1 << EPOCH);
        distance != 0 && distance < 1 << (EPOCH - 1)
    }
}

/// What a data packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Mark {
    /// Nothing.
    None,
    /// A reply: the first of its epoch (RTT_REQUEST).
    Init,
    /// A CLEAR: the last on its path (TAIL).
    Tail,
}

/// What a data packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Label {
    pub(super) path: u16,
    pub(super) epoch: Epoch,
    /// Whether it follows a TAIL in its epoch (REROUTED).
    pub(super) rerouted: bool,
    pub(super) mark: Mark,
    /// When it passed the sender's ToR.
    pub(super) sent: Stamp,
    /// When the epoch's TAIL did; zero where there was none.
    pub(super) tail: Stamp,
}

impl Label {
    pub(super) fn note(self) -> Note {
        let mark = match self.mark {
            Mark::None => 1,
            Mark::Init => 2,
            Mark::Tail => 3,
        };
        let flags = u64::from(self.epoch.0) << 3 | u64::from(self.rerouted) << 2 | mark;
        Note([self.sent.0 << 16 | u64::from(self.path), self.tail.0 << 16 | flags])
    }

    /// `None` of a packet that has not passed a sender's ToR.
    pub(super) fn of(Note([sent, tail]): Note) -> Option<Self> {
        let mark = match tail & 3 {
            1 => Mark::None,
            2 => Mark::Init,
            3 => Mark::Tail,
            _ => return None,
        };
        Some(Self {
            path: sent as u16,
            epoch: Epoch(tail as u16 >> 3),
            rerouted: tail >> 2 & 1 == 1,
            mark,
            sent: Stamp(sent >> 16),
            tail: Stamp(tail >> 16),
        })
    }
}

/// What the receiver's ToR tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Reply {
    /// The first packet of an epoch has come (RTT_REPLY).
    Init(Epoch),
    /// The TAIL of an epoch has come (CLEAR).
    Clear(Epoch),
    /// A packet that came on this path was marked (NOTIFY).
    Notify(u16),
}

impl Reply {
    /// As a message says it.
    pub(super) fn number(self) -> u32 {
        let (kind, value) = match self {
            Self::Init(Epoch(epoch)) => (0, epoch),
            Self::Clear(Epoch(epoch)) => (1, epoch),
            Self::Notify(path) => (2, path),
        };
        kind << 16 | u32::from(value)
    }

    pub(super) fn of(number: u32) -> Option<Self> {
        let value = number as u16;
        Some(match number >> 16 {
            0 => Self::Init(Epoch(value)),
            1 => Self::Clear(Epoch(value)),
            2 => Self::Notify(value),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_what_a_note_says_and_a_reply_what_a_message_says() {
        let last = Epoch((1 << EPOCH) - 1);
        for (mark, rerouted) in [(Mark::None, true), (Mark::Init, false), (Mark::Tail, false)] {
            let [sent, tail] = [Time(u64::MAX), Time(12_345_678)].map(Stamp::of);
            let label = Label { path: 65_535, epoch: last, rerouted, mark, sent, tail };
            assert_eq!(Label::of(label.note()), Some(label));
        }
        assert_eq!(Label::of(Note::default()), None);
        for reply in [Reply::Init(last), Reply::Clear(Epoch(0)), Reply::Notify(65_535)] {
            assert_eq!(Reply::of(reply.number()), Some(reply));
            assert!(reply.number() < 1 << 24);
        }
    }

    #[test]
    fn times_and_epochs_go_round() {
        let [early, late] = [(1 << TIME) - 5, (1 << TIME) + 7].map(|time| Stamp::of(Time(time)));
        assert_eq!((late.since(early), early.since(late)), (Span(12), Span::ZERO));
        let last = Epoch((1 << EPOCH) - 1);
        assert!(last.next().is_after(last) && !last.is_after(last.next()) && !last.is_after(last));
    }
}
