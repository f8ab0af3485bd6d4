//! How much of a demand circuits carry.
//!
//! Throughput is the greatest theta for which theta times the demand can be routed, the demand
//! scaled so that the busiest node sends or receives what a node can. Capacities are shares of a
//! node's. Dark time is left out: with it, throughput is the duty times these numbers.

mod artifact;
mod basis;
mod circuits;
mod integer;
mod interior;
mod longest;
mod metric;
mod multi_hop;
mod paths;
mod periodic;
mod program;
#[cfg(feature = "highs")]
mod simplex;
mod solver;
mod within;

pub use artifact::ArtifactLp;
pub use circuits::certified_bound;
pub use integer::optimum;
pub use longest::{longest_matching, worst_found};
pub use multi_hop::{MultiHop, multi_hop};
pub use periodic::slot_by_slot;
pub use program::SolveError;
pub use within::{Within, multi_hop_within};

use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;

raddle_schemes::words! {
    /// Which linear program gives multi-hop throughput.
    pub enum Lp {
        /// Flow is kept at every node; none returns to its source.
        Correct = "correct",
        /// That of Vermilion's published code: what enters a flow's source and what leaves its
        /// destination are free, so that flow may circulate.
        Artifact = "artifact",
    }
}

/// Throughput where every pair uses its direct circuits alone: the least capacity over demand.
pub fn single_hop(capacity: &Capacity, demand: &Demand) -> f64 {
    let largest = demand.largest_sum();
    let ratios = demand.pairs().map(|(from, to, rate)| capacity.share(from, to) * largest / rate);
    ratios.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use raddle_circuits::circuits::Circuits;

    #[test]
    fn oblivious_single_hop_is_one_in_n_of_a_permutation() {
        for nodes in [4, 8, 16] {
            let capacity = Circuits::complete(nodes, 1, true).capacity(1.0 / nodes as f64);
            let ring = single_hop(&capacity, &pattern::shift(nodes, 1));
            assert!((ring - 1.0 / nodes as f64).abs() < 1e-12);
            let uniform = single_hop(&capacity, &pattern::uniform(nodes));
            assert!((uniform - (nodes - 1) as f64 / nodes as f64).abs() < 1e-12);
        }
    }
}
