//! In which order equals go that meet at one instant.
//!
//! A fixed order decides who loses: of two equal senders into a full queue the first would never
//! lose a frame. So the equals of every instant are drawn anew: each gets a rank, a hash of the
//! place, the instant and its own number, and the lowest goes first. Every order is as likely as
//! any other, whatever the instants before have brought, and depends on plan and seed alone.
//! Those of one rank, one pair in 65,536, go in order of their numbers.

use raddle_schemes::ids::SwitchId;
use raddle_schemes::rng::{GOLDEN, stream};
use raddle_schemes::units::Time;

/// Bits of a rank.
pub(crate) const RANK_BITS: u32 = u16::BITS;

/// What draws the order of equals at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arbitration(u64);

/// One of the equals of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contender(u64);

impl Arbitration {
    /// For the in-ports of a switch, numbered within it.
    pub(crate) const fn of_switch(seed: u64, switch: SwitchId) -> Self {
        Self(stream(seed, "arbitration of in-ports", switch.0 as u64))
    }

    /// For hosts, by their numbers in the fabric.
    pub(crate) const fn of_hosts(seed: u64) -> Self {
        Self(stream(seed, "arbitration of hosts", 0))
    }

    /// For the ports of a host, by their numbers in the fabric.
    pub(crate) const fn of_host_ports(seed: u64) -> Self {
        Self(stream(seed, "arbitration of host ports", 0))
    }

    #[inline]
    pub(crate) const fn contender(self, number: u32) -> Contender {
        Contender(self.0.wrapping_add((number as u64).wrapping_mul(GOLDEN)))
    }

    /// The rank of one that is looked at once.
    #[inline]
    pub(crate) const fn rank(self, number: u32, now: Time) -> u16 {
        self.contender(number).rank(now)
    }
}

impl Contender {
    /// Its rank among those that meet at `now`.
    #[inline]
    pub(crate) const fn rank(self, now: Time) -> u16 {
        // What `rng::coin` gives, with less mixing: it is done for each arrival at a switch.
        let mut x = self.0.wrapping_add(now.0).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 32;
        (x.wrapping_mul(0x94d0_49bb_1331_11eb) >> (u64::BITS - RANK_BITS)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// How often the contenders of a place come in each order, at `instants`.
    fn orders(
        arbitration: Arbitration,
        contenders: u32,
        instants: impl Iterator<Item = u64>,
    ) -> BTreeMap<Vec<u32>, u64> {
        let mut counts = BTreeMap::new();
        for at in instants {
            let mut order: Vec<u32> = (0..contenders).collect();
            order.sort_by_key(|&number| (arbitration.rank(number, Time(at)), number));
            *counts.entry(order).or_default() += 1;
        }
        counts
    }

    /// Pearson's statistic of counts that are all expected to be equal, over its mean.
    fn spread(counts: &BTreeMap<Vec<u32>, u64>, orders: usize, total: u64) -> f64 {
        let expected = total as f64 / orders as f64;
        let unseen = (orders - counts.len()) as f64 * expected;
        let seen = counts.values().map(|&count| (count as f64 - expected).powi(2) / expected);
        (seen.sum::<f64>() + unseen) / (orders - 1) as f64
    }

    #[test]
    fn every_order_is_as_likely_as_any_other() {
        // Instants as they come: one frame after the other, at several rates.
        for step in [1, 83_200, 81_920, 5_120_000, 332_800] {
            for seed in 0..20 {
                for (contenders, orders_there_are) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
                    let total = 24_000;
                    let arbitration = Arbitration::of_switch(seed, SwitchId(3));
                    let counts = orders(arbitration, contenders, (1..=total).map(|i| i * step));
                    // Of a chi-square of n over n: five times its deviation, sqrt(2 / n).
                    let most = 1.0 + 5.0 * (2.0 / (orders_there_are - 1) as f64).sqrt();
                    let spread = spread(&counts, orders_there_are, total);
                    assert!(spread < most, "{contenders} contenders, step {step}: {spread}");
                }
            }
        }
    }

    #[test]
    fn orders_of_successive_instants_know_nothing_of_each_other() {
        let arbitration = Arbitration::of_switch(7, SwitchId(0));
        let first = |i: u64| {
            let rank = |number| arbitration.rank(number, Time(i * 83_200));
            rank(0) < rank(1)
        };
        for lag in 1..50 {
            let equal = (0..20_000).filter(|&i| first(i) == first(i + lag)).count();
            assert!((9_600..10_400).contains(&equal), "lag {lag}: {equal}");
        }
    }
}
