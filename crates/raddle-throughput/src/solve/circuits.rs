//! The circuits of a capacity, and what their lengths bound.

use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;

/// The pairs that have capacity.
pub(super) fn circuits_of(capacity: &Capacity) -> Vec<(usize, usize)> {
    let nodes = capacity.nodes();
    let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
    pairs.filter(|&(from, to)| capacity.share(from, to) > 0.0).collect()
}

/// Whether every demand has a path.
pub(super) fn reaches_all(capacity: &Capacity, demand: &Demand) -> bool {
    (0..demand.nodes()).all(|from| {
        let hops = capacity.hops(from);
        demand.row(from).iter().zip(hops).all(|(rate, hops)| *rate == 0.0 || hops.is_some())
    })
}

/// An upper bound on multi-hop throughput from lengths of the circuits: what all capacity is worth
/// over what the demand needs along shortest paths. With lengths of 1 it is the volume bound, at
/// most 1 over the mean route length of a saturated demand (Mars, Theorem 14).
pub fn certified_bound(
    capacity: &Capacity,
    demand: &Demand,
    length: impl Fn(usize, usize) -> f64,
) -> f64 {
    let (nodes, largest) = (demand.nodes(), demand.largest_sum());
    let circuits = circuits_of(capacity);
    let worth: f64 = circuits.iter().map(|&(i, j)| capacity.share(i, j) * length(i, j)).sum();
    let mut needed = 0.0;
    for source in 0..nodes {
        let mut distance = vec![f64::INFINITY; nodes];
        distance[source] = 0.0;
        for _ in 1..nodes {
            for &(from, to) in &circuits {
                distance[to] = distance[to].min(distance[from] + length(from, to));
            }
        }
        let row = demand.row(source).iter().zip(distance).filter(|(rate, _)| **rate > 0.0);
        needed += row.map(|(rate, distance)| rate / largest * distance).sum::<f64>();
    }
    worth / needed
}
