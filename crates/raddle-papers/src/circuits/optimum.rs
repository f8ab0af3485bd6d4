//! The best that any period of a tiny fabric does, by the integer program.

use super::text::DemandText;
use super::{Answers, or_none};
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::solve;

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "optimum",
    title: "the greatest multi-hop throughput of any circuits of a tiny fabric",
    paper: "Vermilion, 8.1.4, with the out-degree summed over where circuits go",
    quantities: &[Quantity { name: "throughput", doc: "of the best circuits" }],
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Optimum {
        /// The demand: its name, or its rows divided by `;`.
        pub demand: DemandText = DemandText("ring".to_owned());
        /// Nodes of a demand that has no size of its own.
        pub nodes: u32 = 4, in 2..=5;
        /// Circuits of a node in a period.
        pub circuits: u32 = 2, in 1..=16;
    }
}

impl Answers for Optimum {
    fn check(&self) -> Result<(), String> {
        match self.demand.demand(None, self.nodes, 1)?.nodes() {
            nodes if nodes > 5 => Err(format!("{nodes} nodes; the integer program takes 5")),
            _ => Ok(()),
        }
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let demand = self.demand.demand(None, self.nodes, seed).ok();
        let best = demand.and_then(|demand| solve::optimum(&demand, self.circuits).ok());
        vec![or_none(best.map(|(theta, _)| theta))]
    }
}
