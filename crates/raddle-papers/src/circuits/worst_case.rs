//! Throughput of a de Bruijn or complete graph for the demand between nodes far apart.

use super::{Answers, or_none};
use raddle_circuits::circuits::{Capacity, Circuits};
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::demand::pattern;
use raddle_throughput::designs::mars::de_bruijn;
use raddle_throughput::solve::{multi_hop, worst_found};

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "worst_case",
    title: "multi-hop throughput of a de Bruijn graph for longest matchings",
    paper: "Mars, section 7.3; correct linear program",
    quantities: &[
        Quantity {
            name: "throughput",
            doc: "the least of `draws` longest matchings: an upper bound on the worst case",
        },
        Quantity { name: "diameter", doc: "the most hops of any pair" },
        Quantity { name: "mean_hops", doc: "over pairs of different nodes" },
        Quantity { name: "permutation", doc: "throughput for i to i + n/2" },
    ],
};

raddle_schemes::words! {
    /// What is emulated.
    pub enum Graph {
        /// The generalised de Bruijn graph of the degree.
        DeBruijn = "de_bruijn",
        /// The complete graph with an idle circuit of each node.
        Complete = "complete",
        /// The same without.
        CompleteWithout = "complete_without_self_loops",
    }
}

raddle_schemes::parameters! {
    /// Parameters.
    pub struct WorstCase {
        /// What is emulated.
        pub graph: Graph = Graph::DeBruijn;
        /// Nodes.
        pub nodes: u32 = 8, in 2..=32;
        /// The degree, of a de Bruijn graph.
        pub degree: u32 = 2, in 2..=32;
        /// How many longest matchings are drawn.
        pub draws: u64 = 8, in 1..=1000;
    }
}

impl WorstCase {
    fn capacity(&self) -> Capacity {
        let (nodes, degree) = (self.nodes as usize, self.degree as usize);
        match self.graph {
            Graph::DeBruijn => de_bruijn(nodes, degree).capacity(1.0 / degree as f64),
            Graph::Complete => Circuits::complete(nodes, 1, true).capacity(1.0 / nodes as f64),
            Graph::CompleteWithout => {
                Circuits::complete(nodes, 1, false).capacity(1.0 / (nodes - 1) as f64)
            }
        }
    }
}

impl Answers for WorstCase {
    fn check(&self) -> Result<(), String> {
        match self.graph {
            Graph::DeBruijn if self.degree > self.nodes => {
                Err(format!("a degree of {} with {} nodes", self.degree, self.nodes))
            }
            _ => Ok(()),
        }
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let capacity = self.capacity();
        let worst = worst_found(&capacity, seed, self.draws).ok().flatten();
        let nodes = self.nodes as usize;
        let permutation = multi_hop(&capacity, &pattern::shift(nodes, nodes / 2)).ok();
        vec![
            or_none(worst.map(|(theta, _)| theta)),
            or_none(capacity.diameter().map(f64::from)),
            or_none(capacity.mean_hops().map(|(others, _)| others)),
            or_none(permutation),
        ]
    }
}
