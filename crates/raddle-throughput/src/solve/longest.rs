//! Worst-case demands: a permutation between nodes as far apart as can be (longest matching).

use super::{MultiHop, SolveError};
use crate::demand::Demand;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use raddle_circuits::circuits::Capacity;
use raddle_schemes::rng::Rng;

/// Room for what is drawn below a hop.
const HOP: i64 = 1 << 32;

/// A permutation that maximises the sum of hops between senders and receivers. Of several, the one
/// that draw number `draw` of the seed prefers: to every pair it adds a random part of a hop, too
/// small to outweigh one. `None` if some node has no path to another.
pub fn longest_matching(capacity: &Capacity, seed: u64, draw: u64) -> Option<Demand> {
    let nodes = capacity.nodes();
    let mut rng = Rng::new(seed, "longest_matching", draw);
    let part = HOP as u64 / (2 * nodes as u64);
    let mut weights = Vec::with_capacity(nodes * nodes);
    for from in 0..nodes {
        for hops in capacity.hops(from) {
            weights.push(i64::from(hops?) * HOP + rng.below(part) as i64);
        }
    }
    let weights = Matrix::from_vec(nodes, nodes, weights).ok()?;
    let (_, target) = kuhn_munkres(&weights);
    Some(Demand::of(nodes, |from, to| if target[from] == to { 1.0 } else { 0.0 }))
}

/// The least multi-hop throughput of `draws` longest matchings, an upper bound on the worst case
/// where there are several. `None` if some node has no path to another.
///
/// # Errors
/// [`SolveError`].
pub fn worst_found(
    capacity: &Capacity,
    seed: u64,
    draws: u64,
) -> Result<Option<(f64, Demand)>, SolveError> {
    let mut worst: Option<(f64, Demand)> = None;
    for draw in 0..draws {
        let Some(demand) = longest_matching(capacity, seed, draw) else { return Ok(None) };
        if demand.largest_sum() == 0.0 {
            return Ok(None);
        }
        let theta = MultiHop::new(&demand).throughput(capacity)?;
        if worst.as_ref().is_none_or(|(least, _)| theta < *least) {
            worst = Some((theta, demand));
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_circuits::circuits::Circuits;
    use raddle_circuits::matching::Matching;

    #[test]
    fn on_a_ring_everybody_sends_to_the_node_behind() {
        let ring = Circuits::union(6, [&Matching::shift(6, 1)]).capacity(1.0);
        let (theta, demand) = worst_found(&ring, 1, 1).unwrap().unwrap();
        assert_eq!(demand, crate::demand::pattern::shift(6, 5));
        assert!((theta - 0.2).abs() < 1e-6);
    }
}
