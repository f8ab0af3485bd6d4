//! In which order a period plays its matchings. Throughput does not depend on it; waits do.

use crate::decompose::{Copies, extracted};
use raddle_circuits::matching::Matching;
use raddle_schemes::rng::Rng;

raddle_schemes::words! {
    /// The order of matchings in a period.
    pub enum Order {
        /// Next is always the matching whose circuits are most overdue, all together: each has
        /// waited for a number of its own mean gaps.
        Spread = "spread",
        /// As they were split off, copies side by side.
        Extracted = "extracted",
        /// Drawn.
        Shuffled = "shuffled",
    }
}

/// The matchings in this order; `seed` where it is drawn.
pub fn order(copies: &[Copies], order: Order, seed: u64) -> Vec<Matching> {
    match order {
        Order::Extracted => extracted(copies),
        Order::Shuffled => {
            let mut matchings = extracted(copies);
            Rng::new(seed, "order", 0).shuffle(&mut matchings);
            matchings
        }
        Order::Spread => spread(copies),
    }
}

/// Greedy: the summed age of a matching's circuits, each in its pair's mean gaps, decides; then the
/// matching's place in the list. Idle circuits count, too, or they would all come last.
fn spread(copies: &[Copies]) -> Vec<Matching> {
    let nodes = copies.first().map_or(0, |entry| entry.matching.nodes());
    let mut left: Vec<u32> = copies.iter().map(|entry| entry.copies).collect();
    let many: u32 = left.iter().sum();
    let mut gaps = vec![0_u64; nodes * nodes];
    for entry in copies {
        let pairs = entry.matching.all();
        pairs.for_each(|(from, to)| gaps[from * nodes + to] += u64::from(entry.copies));
    }
    let mut last = vec![0_u64; nodes * nodes];
    let mut played = Vec::with_capacity(many as usize);
    for now in 1..=u64::from(many) {
        let age = |at: usize| {
            let pairs = copies[at].matching.all().map(|(from, to)| from * nodes + to);
            pairs.map(|pair| (now - last[pair]) * gaps[pair]).sum::<u64>()
        };
        let open = (0..copies.len()).filter(|&at| left[at] > 0);
        let Some(best) = open.max_by_key(|&at| (age(at), std::cmp::Reverse(at))) else { break };
        left[best] -= 1;
        let matching = &copies[best].matching;
        matching.all().for_each(|(from, to)| last[from * nodes + to] = now);
        played.push(matching.clone());
    }
    played
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copies() -> Vec<Copies> {
        let entry = |by, copies| Copies { matching: Matching::shift(8, by), copies };
        vec![entry(1, 6), entry(2, 3), entry(3, 1), entry(0, 2)]
    }

    #[test]
    fn every_order_plays_all_copies() {
        for word in Order::ALL {
            let mut played = order(&copies(), *word, 1);
            let mut expected = extracted(&copies());
            played.sort_unstable();
            expected.sort_unstable();
            assert_eq!(played, expected, "{}", word.word());
        }
    }

    #[test]
    fn copies_are_spread_over_the_period() {
        let played = order(&copies(), Order::Spread, 1);
        let heavy = Matching::shift(8, 1);
        let alone = played.windows(3).all(|three| three.iter().any(|matching| *matching != heavy));
        assert!(alone, "{played:?}");
    }
}
