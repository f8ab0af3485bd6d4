//! How far apart nodes are in the slices of Opera.

use super::{Answers, or_none};
use raddle_circuits::circuits::{Capacity, Circuits};
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::demand::pattern;
use raddle_throughput::designs::opera::{Matchings, Opera};
use raddle_throughput::designs::{Design, Fabric};

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "slice_hops",
    title: "the circuits that lie between two nodes in a slice of Opera, over all pairs and slices",
    paper: "Mellette et al. (Opera), NSDI 2020, section 3.3; Vermilion, Figure 8.6b",
    quantities: &[
        Quantity { name: "one", doc: "share of pairs that are joined by a circuit" },
        Quantity { name: "two", doc: "of those two circuits apart" },
        Quantity { name: "three", doc: "of those three circuits apart" },
        Quantity { name: "four", doc: "of those four circuits apart" },
        Quantity { name: "mean", doc: "circuits between two nodes" },
    ],
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct SliceHops {
        /// Nodes: a multiple of `rotors`.
        pub nodes: u32 = 64, in 4..=256;
        /// Circuit switches, each with an uplink of every node.
        pub rotors: u32 = 8, in 2..=64;
        /// Their matchings, as of the design `opera`.
        pub matchings: Matchings = Matchings::Mixed;
    }
}

impl SliceHops {
    /// Pairs so many circuits apart, from none on, over all slices. `None` if there is no such fabric.
    fn counts(&self, seed: u64) -> Option<Vec<u64>> {
        let (nodes, rotors) = (self.nodes as usize, self.rotors as usize);
        let fabric = Fabric { uplinks: self.rotors, ..Fabric::default() };
        let opera = Opera { fabric, matchings: self.matchings };
        let plan = opera.plan(&pattern::uniform(nodes), seed).ok()?;
        let (_, schedule) = plan.schedules.first()?;
        let mut counts = vec![0; nodes];
        for slot in 0..schedule.period_slots() {
            // The rotor that turns next is out of use.
            let next = (slot + 1) % schedule.period_slots();
            let up = (0..rotors).filter(|rotor| !schedule.is_dark(*rotor, next));
            let up = up.map(|rotor| &schedule.switches()[rotor][slot]);
            let slice: Capacity = Circuits::union(nodes, up).capacity(1.0);
            for from in 0..nodes {
                slice.hops(from).iter().flatten().for_each(|hops| counts[*hops as usize] += 1);
            }
        }
        Some(counts)
    }
}

impl Answers for SliceHops {
    fn check(&self) -> Result<(), String> {
        match self.nodes.is_multiple_of(self.rotors) {
            true => Ok(()),
            false => Err(format!("{} rotors do not divide {} nodes", self.rotors, self.nodes)),
        }
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let counts = self.counts(seed);
        let share = |of: &dyn Fn(&[u64]) -> u64| {
            or_none(counts.as_ref().map(|counts| {
                let pairs: u64 = counts[1..].iter().sum();
                of(counts) as f64 / pairs as f64
            }))
        };
        let apart = |hops: usize| share(&|counts| counts.get(hops).copied().unwrap_or_default());
        let mean = share(&|counts| counts.iter().zip(0..).map(|(count, hops)| count * hops).sum());
        vec![apart(1), apart(2), apart(3), apart(4), mean]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circuit_joins_a_pair_in_as_many_slices_as_rotors_do_not_turn() {
        // The other two bounds are Vermilion's Figure 8.6b for 64 and 8; few rotors make longer ways.
        for (nodes, rotors, within_four, mean) in
            [(16, 4, 0.9, 2.0..3.0), (64, 8, 0.99, 2.31..2.34)]
        {
            let values = SliceHops { nodes, rotors, ..Default::default() }.values(1);
            // n slices, each without the circuits of a node to itself: (u - 1) (n - 1) of n (n - 1).
            assert!((values[0] - f64::from(rotors - 1) / f64::from(nodes)).abs() < 1e-12);
            assert!(values[..4].iter().sum::<f64>() > within_four, "{values:?}");
            assert!(mean.contains(&values[4]), "{values:?}");
        }
    }

    #[test]
    fn rotors_that_do_not_divide_the_nodes_are_refused() {
        assert!(SliceHops { nodes: 15, rotors: 4, ..Default::default() }.check().is_err());
    }
}
