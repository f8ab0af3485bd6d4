//! What a receiver tells its sender: the order in which packets arrived.
//!
//! An ACK says "these packets have arrived": the selective bitmap of a real header, as wide as the
//! reorder window. Here it is a position in this append-only log; the packets before it are the
//! ones the bitmap would show. One log serves every ACK of a flow, so an ACK costs no copy. The
//! log lies at the sender's end: the receiver makes an entry of each arrival, and whoever drives
//! the two ends carries it over before any ACK that covers it.

use super::ring::Ring;
use crate::ids::{Entropy, Psn};

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

/// An arrival in 64 bits, on its way to the sender's end: psn 32 | entropy 16 | flags 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u64);

const MARKED: u64 = 1;
const ACKED_HERE: u64 = 2;

impl From<Arrival> for Entry {
    #[inline]
    fn from(arrival: Arrival) -> Self {
        let flags = u64::from(arrival.marked) * MARKED + u64::from(arrival.acked_here) * ACKED_HERE;
        Self((u64::from(arrival.psn.0) << 32) | (u64::from(arrival.entropy.0) << 16) | flags)
    }
}

impl From<Entry> for Arrival {
    #[inline]
    fn from(Entry(bits): Entry) -> Self {
        Self {
            psn: Psn((bits >> 32) as u32),
            entropy: Entropy((bits >> 16) as u16),
            marked: bits & MARKED != 0,
            acked_here: bits & ACKED_HERE != 0,
        }
    }
}

/// How many entries stay readable below those heard of where ACKs carry entropies, for ACKs
/// overtaken by later ones. Entropies carried by an ACK older than that are stale and ignored.
pub(crate) const KEPT: u32 = 1024;

/// The log: entries are immutable, read by position, and freed behind the sender.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    ring: Ring<Entry>,
    /// Arrivals before this position have been heard of.
    heard: u32,
    /// One past the newest.
    end: u32,
    /// How many of those heard of stay readable.
    kept: u32,
}

impl Arrivals {
    /// An empty log that keeps this many entries behind what was heard of.
    pub(crate) fn keeping(kept: u32) -> Self {
        Self { kept, ..Self::default() }
    }

    /// Appends an arrival.
    #[inline]
    pub fn push(&mut self, entry: Entry) {
        if (self.end - self.start()) as usize == self.ring.len() {
            self.ring.grow(self.start(), self.end);
        }
        self.ring.set(self.end, entry);
        self.end += 1;
    }

    /// How many arrivals have been heard of.
    #[inline]
    pub fn heard(&self) -> u32 {
        self.heard
    }

    /// How many arrivals there are, heard of or not.
    pub(crate) fn logged(&self) -> u32 {
        self.end
    }

    /// Where the next entry goes.
    #[inline]
    pub(crate) fn address(&self) -> *const u8 {
        self.ring.address(self.end)
    }

    /// Hears of the next arrival, if it is there.
    #[inline]
    pub fn hear(&mut self) -> Option<Arrival> {
        if self.heard == self.end {
            return None;
        }
        let entry = self.ring.get(self.heard);
        self.heard += 1;
        Some(entry.into())
    }

    /// Hears of all packets below `expected`, which have arrived, each of them one arrival.
    pub(crate) fn hear_below(&mut self, expected: u32) {
        self.heard = self.heard.max(expected.min(self.end));
    }

    /// The arrival at `position`; `None` if it is freed or not there yet.
    pub fn get(&self, position: u32) -> Option<Arrival> {
        let there = self.start() <= position && position < self.end;
        there.then(|| self.ring.get(position).into())
    }

    /// Positions below this are freed.
    #[inline]
    fn start(&self) -> u32 {
        self.heard.saturating_sub(self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_readable_until_released() {
        let mut log = Arrivals::keeping(KEPT);
        for i in 0..5_000 {
            let (psn, entropy) = (Psn(i), Entropy(i as u16));
            log.push(Arrival { psn, entropy, marked: i % 3 == 0, acked_here: i % 2 == 0 }.into());
            if i > 0 {
                assert_eq!(log.hear().map(|arrival| arrival.psn), Some(Psn(i - 1)));
            }
        }
        assert_eq!(log.get(4_999).unwrap().psn, Psn(4_999));
        assert!(log.get(4_998).unwrap().marked && log.get(4_998).unwrap().acked_here);
        assert!(log.get(4_999 - KEPT).is_some());
        assert!(log.get(4_998 - KEPT).is_none());
        assert!(log.get(5_000).is_none());
        assert!(log.ring.len() <= 2_048);
    }
}
