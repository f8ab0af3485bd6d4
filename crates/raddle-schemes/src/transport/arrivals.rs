//! What a receiver tells its sender: the order in which packets arrived.
//!
//! An ACK says "these packets have arrived": the selective bitmap of a real header, as wide as the
//! reorder window. Here it is a position in this append-only log; the packets before it are the
//! ones the bitmap would show. One log serves every ACK of a flow, so an ACK costs no copy.

use crate::ids::{Entropy, Psn};
use alloc::vec::Vec;

/// A packet that arrived for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number.
    pub psn: Psn,
    /// The entropy it came with.
    pub entropy: Entropy,
    /// Whether it carried a congestion mark.
    pub marked: bool,
    /// Whether it triggered an ACK: a list of carried entropies ends here.
    pub acked_here: bool,
}

/// How many entries stay readable below the newest position the sender has heard of, for ACKs
/// overtaken by later ones. Entropies carried by an ACK older than that are stale and ignored.
const KEPT: u32 = 1024;

/// The log: entries are immutable, read by position, and freed behind the sender.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    /// A ring; entry `i` lies at `i & (len - 1)`. Packed: psn 32 | entropy 16 | flags 16.
    ring: Vec<u64>,
    /// Positions below this are freed.
    start: u32,
    /// One past the newest.
    end: u32,
}

const MARKED: u64 = 1;
const ACKED_HERE: u64 = 2;

impl Arrivals {
    /// One past the newest entry: what an ACK sent now would say.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Appends an arrival.
    pub(crate) fn push(&mut self, psn: Psn, entropy: Entropy, marked: bool) {
        if (self.end - self.start) as usize == self.ring.len() {
            self.grow();
        }
        let slot = self.slot(self.end);
        self.ring[slot] =
            (u64::from(psn.0) << 32) | (u64::from(entropy.0) << 16) | u64::from(marked);
        self.end += 1;
    }

    /// Notes that the newest arrival triggered an ACK.
    pub(crate) fn note_ack(&mut self) {
        if self.end > self.start {
            let slot = self.slot(self.end - 1);
            self.ring[slot] |= ACKED_HERE;
        }
    }

    /// The arrival at `position`; `None` if it is freed or not there yet.
    pub fn get(&self, position: u32) -> Option<Arrival> {
        if position < self.start || position >= self.end {
            return None;
        }
        let entry = self.ring[self.slot(position)];
        Some(Arrival {
            psn: Psn((entry >> 32) as u32),
            entropy: Entropy((entry >> 16) as u16),
            marked: entry & MARKED != 0,
            acked_here: entry & ACKED_HERE != 0,
        })
    }

    /// Frees entries: the sender has heard of everything before `position`.
    pub fn release(&mut self, position: u32) {
        self.start = self.start.max(position.saturating_sub(KEPT)).min(self.end);
    }

    fn slot(&self, position: u32) -> usize {
        position as usize & (self.ring.len() - 1)
    }

    fn grow(&mut self) {
        let length = (self.ring.len() * 2).max(16);
        let mut ring = alloc::vec![0; length];
        for position in self.start..self.end {
            ring[position as usize & (length - 1)] = self.ring[self.slot(position)];
        }
        self.ring = ring;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_readable_until_released() {
        let mut log = Arrivals::default();
        for i in 0..5_000 {
            log.push(Psn(i), Entropy(i as u16), i % 3 == 0);
            log.release(i);
        }
        assert_eq!(log.get(4_999).unwrap().psn, Psn(4_999));
        assert!(log.get(4_998).unwrap().marked);
        assert!(log.get(4_999 - KEPT).is_some());
        assert!(log.get(4_998 - KEPT).is_none());
        assert!(log.get(5_000).is_none());
        assert!(log.ring.len() <= 2_048);
    }
}
