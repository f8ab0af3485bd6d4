//! The least that a legal rounding of Vermilion gives.

use super::text::DemandText;
use super::{Answers, or_none};
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::bounds::consistency;
use raddle_throughput::rounding;

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "floor_bound",
    title: "the least single-hop throughput of a legal rounding of Vermilion",
    paper: "Addanki, thesis, chapter 8; spare ends of circuits left open",
    quantities: &[
        Quantity { name: "single_hop", doc: "each entry rounded down, and one circuit more" },
        Quantity { name: "guaranteed", doc: "(k - 1)/k, Theorem 22" },
    ],
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct FloorBound {
        /// The demand.
        pub demand: DemandText = DemandText("ring".to_owned());
        /// The number behind the demand's name, as in `skew:0.5`.
        pub skew: Option<f64> = None, in 0.0..=1.0;
        /// Nodes of a demand that has no size of its own.
        pub nodes: u32 = 16, in 2..=512;
        /// Circuits of a node in a period, in complete graphs.
        pub k: u32 = 3, in 2..=64;
    }
}

impl Answers for FloorBound {
    fn check(&self) -> Result<(), String> {
        self.demand.demand(self.skew, self.nodes.min(16), 1).map(|_| ())
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let demand = self.demand.demand(self.skew, self.nodes, seed).ok();
        let single = demand.map(|demand| rounding::floor_bound(&demand, self.k));
        vec![or_none(single), consistency(f64::from(self.k))]
    }
}
