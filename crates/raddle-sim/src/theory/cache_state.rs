//! What REPS keeps for a connection.
//!
//! REPS paper, Table 1: each slot of the cache holds an entropy and whether it is still to be used;
//! besides there are the slot to be written next, how many are to be used, when freezing ends,
//! whether it is frozen, and how many packets it still explores with. The paper counts bits, without
//! what an implementation rounds up.

use super::{Answers, Card, Quantity};

/// What `raddle theory cache_state` says.
pub const CARD: Card = Card {
    name: "cache_state",
    title: "what REPS keeps for a connection",
    paper: "Bonato et al., REPS, EuroSys 2026, Table 1",
    quantities: &[
        Quantity { name: "bits", doc: "all fields together" },
        Quantity { name: "bytes", doc: "the same, rounded up to whole bytes" },
    ],
};

raddle_schemes::parameters! {
    /// The cache.
    pub struct CacheState {
        /// Slots of the cache.
        pub slots: u32 = 8, in 1..=256;
        /// Bits of an entropy.
        pub entropy_bits: u32 = 16, in 1..=32;
    }
}

/// Bits of the fields that every connection has once, in the order of Table 1: slot to be written,
/// slots to be used, end of freezing, frozen, packets to explore with.
const ONCE: [u32; 5] = [8, 8, 32, 1, 8];

impl Answers for CacheState {
    fn values(&self, _: u64) -> Vec<f64> {
        let bits = self.slots * (self.entropy_bits + 1) + ONCE.iter().sum::<u32>();
        vec![f64::from(bits), f64::from(bits.div_ceil(8))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 1.
    #[test]
    fn the_bits_of_table_1_are_known() {
        let values = |slots| Answers::values(&CacheState { slots, ..Default::default() }, 1);
        assert_eq!(values(8), [193.0, 25.0]);
        assert_eq!(values(1), [74.0, 10.0]);
    }
}
