//! Which packets have passed on to the NIC, as a switch holds it (Appendix A): two halves of one
//! window each, and a base bit per half in place of clearing.

use super::psn::{distance, is_after};
use alloc::boxed::Box;
use serde::Serialize;

/// The delivered packets from the start of the window on.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Ring {
    window: u32,
    bits: Box<[u64]>,
    /// What a bit of each half holds where its packet has not passed.
    base: [bool; 2],
    start: u32,
}

impl Ring {
    /// Nothing has passed; the window is of so many packets.
    pub(super) fn new(window: u32) -> Self {
        let words = (2 * window).div_ceil(64) as usize;
        Self { window, bits: alloc::vec![0; words].into(), base: [false; 2], start: 0 }
    }

    /// The packet passes on. One before the start is none of the window's: its bit is already
    /// another packet's (spec, section 2.6).
    pub(super) fn mark(&mut self, psn: u32) {
        if psn != self.start && !is_after(psn, self.start) {
            return;
        }
        let (index, half) = self.place(psn);
        let bit = 1 << (index % 64);
        let word = &mut self.bits[index as usize / 64];
        *word = if self.base[half] { *word & !bit } else { *word | bit };
    }

    /// Whether a packet of the window has passed.
    pub(super) fn has(&self, psn: u32) -> bool {
        let (index, half) = self.place(psn);
        let bit = self.bits[index as usize / 64] >> (index % 64) & 1 == 1;
        bit != self.base[half]
    }

    /// The NIC has everything before `psn`. Halves that the start leaves are empty at once.
    pub(super) fn advance(&mut self, psn: u32) {
        if !is_after(psn, self.start) {
            return;
        }
        let to_edge = self.window - self.start % self.window;
        let ahead = distance(psn, self.start);
        if ahead >= to_edge {
            let left = 1 + (ahead - to_edge) / self.window;
            let (_, half) = self.place(self.start);
            self.base[half] ^= left.div_ceil(2) % 2 == 1;
            self.base[1 - half] ^= (left / 2) % 2 == 1;
        }
        self.start = psn;
    }

    fn place(&self, psn: u32) -> (u32, usize) {
        let index = psn % (2 * self.window);
        (index, (index / self.window) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::collections::BTreeSet;

    /// Spec, section 6, item 12.
    #[test]
    fn a_half_that_is_left_is_empty_without_being_cleared() {
        let mut ring = Ring::new(4);
        (0..4).for_each(|psn| ring.mark(psn));
        assert_eq!(ring.bits[0], 0b1111);
        ring.advance(4);
        assert_eq!(ring.base, [true, false]);
        assert!((8..12).all(|psn| !ring.has(psn)));
        ring.mark(8);
        assert_eq!(ring.bits[0] & 1, 0);
        assert!(ring.has(8) && !ring.has(9));
        ring.mark(2);
        assert!(!ring.has(10), "a late duplicate of 2");
    }

    #[test]
    fn it_answers_as_a_set_does_within_the_window() {
        let mut rng = Rng::new(1, "ring", 0);
        for window in [1, 3, 16, 512] {
            let (mut ring, mut set, mut start) = (Ring::new(window), BTreeSet::new(), 0);
            for _ in 0..4_000 {
                let psn = start + rng.below(u64::from(window)) as u32;
                ring.mark(psn);
                set.insert(psn);
                while rng.below(2) == 0 && set.contains(&start) {
                    start += 1;
                }
                ring.advance(start);
                let probe = start + rng.below(u64::from(window)) as u32;
                assert_eq!(ring.has(probe), set.contains(&probe), "{window} {probe}");
            }
        }
    }
}
