//! Which packets of a message have arrived.

use crate::ids::Psn;
use alloc::boxed::Box;
use serde::Serialize;

/// A set of packets that fills up from below: a count of those without a gap, and bits beyond it.
/// Of symbols of a code the lost ones are gaps for good: a bit for each symbol after the first.
#[derive(Clone, Debug, Serialize)]
pub struct PacketSet {
    low: u32,
    total: u32,
    count: u32,
    /// While packets come at most 63 ahead of the first gap: bit `i` is packet `low + i`.
    near: u64,
    /// After that: bit `psn` of a ring of bits from `low` on. Those behind it are cleared.
    ring: Box<[u64]>,
}

impl PacketSet {
    /// An empty set of packets of which `total` complete the message.
    pub(crate) fn new(total: u32) -> Self {
        Self { low: 0, total, count: 0, near: 0, ring: Box::default() }
    }

    /// All packets below this one are in the set.
    pub fn low(&self) -> u32 {
        self.low
    }

    /// How many packets are in the set.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// How many packets complete the message.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Whether as many are in the set as complete the message.
    #[inline]
    pub fn complete(&self) -> bool {
        self.count == self.total
    }

    /// Whether `psn` is in the set.
    #[inline]
    pub fn has(&self, psn: Psn) -> bool {
        let Some(ahead) = psn.0.checked_sub(self.low) else { return true };
        if self.ring.is_empty() {
            ahead < 64 && (self.near >> ahead) & 1 != 0
        } else {
            self.bit(psn.0)
        }
    }

    /// Adds `psn`, which was not in the set.
    #[inline]
    pub(crate) fn insert(&mut self, psn: Psn) {
        debug_assert!(!self.complete() && !self.has(psn));
        self.count += 1;
        let ahead = psn.0 - self.low;
        if ahead < 64 && self.ring.is_empty() {
            self.near |= 1 << ahead;
            let closed = self.near.trailing_ones();
            self.low += closed;
            self.near = self.near.checked_shr(closed).unwrap_or(0);
        } else {
            self.insert_in_ring(psn.0);
        }
    }

    fn insert_in_ring(&mut self, psn: u32) {
        if psn == self.low {
            self.low += 1;
            while self.bit(self.low) {
                let (word, mask) = self.place(self.low);
                self.ring[word] &= !mask;
                self.low += 1;
            }
            return;
        }
        while (psn - self.low) as usize >= self.ring.len() * 64 {
            self.grow();
        }
        let (word, mask) = self.place(psn);
        self.ring[word] |= mask;
    }

    /// Whether the ring says so; `psn` is not below `low`.
    #[inline]
    fn bit(&self, psn: u32) -> bool {
        if (psn - self.low) as usize >= self.ring.len() * 64 {
            return false;
        }
        let (word, mask) = self.place(psn);
        self.ring[word] & mask != 0
    }

    #[inline]
    fn place(&self, psn: u32) -> (usize, u64) {
        ((psn as usize / 64) & (self.ring.len() - 1), 1 << (psn % 64))
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.ring.len() * 2).max(4);
        let mut ring = alloc::vec![0u64; length].into_boxed_slice();
        let reach = self.ring.len().max(1) as u32 * 64;
        for psn in self.low..self.low + reach {
            if self.has(Psn(psn)) {
                ring[(psn as usize / 64) & (length - 1)] |= 1 << (psn % 64);
            }
        }
        self.ring = ring;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_set_filled_in_any_order_knows_its_packets() {
        let total = 2_000;
        for reach in [1, 3, 60, 64, 65, 300, 2_000] {
            let mut rng = Rng::new(1, "test", reach);
            let mut set = PacketSet::new(total);
            let mut inside = alloc::vec![false; total as usize];
            while !set.complete() {
                let psn = set.low() + rng.below(reach.min(u64::from(total - set.low()))) as u32;
                assert_eq!(set.has(Psn(psn)), inside[psn as usize], "{psn} of reach {reach}");
                if !set.has(Psn(psn)) {
                    set.insert(Psn(psn));
                    inside[psn as usize] = true;
                }
                assert_eq!(set.count() as usize, inside.iter().filter(|&&there| there).count());
                let low = inside.iter().position(|there| !there).unwrap_or(total as usize);
                assert_eq!(set.low() as usize, low);
            }
            assert_eq!((set.low(), set.count()), (total, total));
        }
    }
}
