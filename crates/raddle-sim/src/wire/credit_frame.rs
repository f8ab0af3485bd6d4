//! What frames of flow control tell of credits. They are of one kind with PFC frames: the entropy says
//! which they are, and of which classes; counts are in the locator and the number.

use super::frame::{Frame, Kind, Locator, PFC_SIZE};
use crate::plan::Cbfc;
use raddle_schemes::ids::Entropy;
use raddle_schemes::units::Bytes;

/// Of the entropy: the message tells what was freed.
const FREED: u16 = 1;
/// The same of what was consumed.
const CONSUMED: u16 = 2;
/// The bits of both.
const WHAT: u16 = 3;
/// It tells of a second class.
const TWO: u16 = 4;
/// Where the first class is, and the second.
const CLASSES: [u16; 2] = [8, 12];

/// What a frame of flow control is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Pauses.
    Pauses,
    /// Cells that its sender has freed (`CF_Update`).
    Freed,
    /// Cells that its sender has consumed (`CC_Update`).
    Consumed,
}

impl Frame {
    /// Counts of consumed cells are told modulo this.
    pub(crate) const COUNTS: u64 = 1 << 20;

    /// A message about freed cells of one data class or two.
    pub(crate) fn freed(first: (usize, u64), second: Option<(usize, u64)>) -> Self {
        let modulo = 1 << Cbfc::BITS_TOLD;
        update(FREED, first, second, modulo, Cbfc::ORDERED_SET)
    }

    /// The same about consumed cells.
    pub(crate) fn consumed(first: (usize, u64), second: Option<(usize, u64)>) -> Self {
        update(CONSUMED, first, second, Self::COUNTS, PFC_SIZE)
    }

    /// What it tells, a frame of flow control.
    pub(crate) fn about(&self) -> About {
        match self.entropy().0 & WHAT {
            FREED => About::Freed,
            CONSUMED => About::Consumed,
            _ => About::Pauses,
        }
    }

    /// Whether it is a control ordered set, which goes into the stream of bits without a gap.
    #[inline]
    pub(crate) fn is_ordered_set(&self) -> bool {
        self.is_pfc() && self.about() == About::Freed
    }

    /// Of a message about cells: each class that it tells of, and the count.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        let bits = self.entropy().0;
        let class = |place: usize| usize::from(bits >> CLASSES[place] & 7);
        let second = (bits & TWO != 0).then(|| (class(1), self.number()));
        std::iter::once((class(0), self.to.0)).chain(second)
    }
}

fn update(
    what: u16,
    first: (usize, u64),
    second: Option<(usize, u64)>,
    modulo: u64,
    size: Bytes,
) -> Frame {
    let count = |(_, count): (usize, u64)| (count % modulo) as u32;
    let class = |(class, _): (usize, u64), place: usize| (class as u16) << CLASSES[place];
    let of_second = second.map_or(0, |own| TWO | class(own, 1));
    let entropy = Entropy(what | class(first, 0) | of_second);
    let number = second.map_or(0, count);
    Frame::new(Locator(count(first)), number, (Kind::Pfc, 0), entropy, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_modulo_their_bits() {
        let frame = Frame::freed((6, (1 << 15) + 3), Some((2, 40_000)));
        let counts: Vec<_> = frame.counts().collect();
        assert_eq!(counts, [(6, 3), (2, 40_000 - (1 << 15))]);
        assert_eq!((frame.size(), frame.about()), (Bytes(8), About::Freed));
        assert!(frame.is_pfc() && frame.is_ordered_set() && !frame.is_data());
        let frame = Frame::consumed((0, (1 << 20) + 5), None);
        assert_eq!(frame.counts().collect::<Vec<_>>(), [(0, 5)]);
        assert_eq!((frame.size(), frame.about()), (Bytes(64), About::Consumed));
        assert!(!frame.is_ordered_set());
        assert_eq!(Frame::pfc(3, 1).about(), About::Pauses);
    }
}
