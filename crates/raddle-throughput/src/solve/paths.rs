//! Multi-hop throughput by path: a program of the paths that matter, found as it is solved.
//!
//! Each pair starts with few paths. The solution prices every circuit; paths that are cheaper at
//! these prices than a pair's own are added, until none is (column generation, Ford and Fulkerson
//! 1958). Prices also bound throughput from above: what all capacity is worth over what the demand
//! needs along cheapest paths. Both meet at the optimum, the same as that of the program by circuit.

use super::circuits::circuits_of;
use super::interior::Interior;
use super::program::{Program, SolveError};
use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;
use std::collections::BTreeSet;

/// Solution and bound are one when they are this close, of the bound.
const GAP: f64 = 2e-8;
/// Rounds before the program by circuit is asked instead.
const ROUNDS: usize = 40;

/// Paths a pair that are kept for the next capacities; with more, a program is slower than anew.
const KEPT: usize = 16;

/// The paths of one demand, kept for other capacities.
pub(super) struct Paths {
    demand: Demand,
    /// Pairs with demand: from, to, rate.
    pairs: Vec<(usize, usize, f64)>,
    /// Nodes of each path, a list a pair.
    found: Vec<BTreeSet<Vec<u16>>>,
}

/// What a round gives.
struct Round {
    theta: f64,
    /// The price of each circuit, by pair of nodes; infinite where there is none.
    prices: Vec<f64>,
}

impl Paths {
    pub(super) fn new(demand: &Demand) -> Self {
        let pairs: Vec<(usize, usize, f64)> = demand.pairs().collect();
        let direct =
            |&(from, to, _): &(usize, usize, f64)| BTreeSet::from([vec![from as u16, to as u16]]);
        let found = pairs.iter().map(direct).collect();
        Self { demand: demand.clone(), pairs, found }
    }

    /// Throughput on these circuits, which reach all demand; `None` if it takes too many rounds.
    pub(super) fn throughput(&mut self, capacity: &Capacity) -> Result<Option<f64>, SolveError> {
        let nodes = self.demand.nodes();
        let circuits = circuits_of(capacity);
        if self.found.iter().map(BTreeSet::len).sum::<usize>() > KEPT * self.pairs.len() {
            *self = Self::new(&self.demand);
        }
        // Before anything is known, a circuit is dear where there is little of it.
        let mut first = vec![f64::INFINITY; nodes * nodes];
        circuits.iter().for_each(|&(i, j)| first[i * nodes + j] = 1.0 / capacity.share(i, j));
        self.add(capacity, &first);
        for _ in 0..ROUNDS {
            let Round { theta, prices } = self.round(capacity, &circuits)?;
            let cheapest = self.add(capacity, &prices);
            let worth: f64 =
                circuits.iter().map(|&(i, j)| capacity.share(i, j) * prices[i * nodes + j]).sum();
            let needed: f64 = self
                .pairs
                .iter()
                .zip(&cheapest.lengths)
                .map(|(pair, length)| pair.2 * length)
                .sum();
            if worth <= needed * theta * (1.0 + GAP) {
                return Ok(Some(theta));
            }
            if !cheapest.added {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Solves the program of the paths so far.
    fn round(&self, capacity: &Capacity, circuits: &[(usize, usize)]) -> Result<Round, SolveError> {
        let nodes = self.demand.nodes();
        let mut row = vec![usize::MAX; nodes * nodes];
        let balances = self.pairs.len();
        for (place, &(i, j)) in circuits.iter().enumerate() {
            row[i * nodes + j] = balances + place;
        }
        let mut columns = Vec::new();
        for (pair, paths) in self.found.iter().enumerate() {
            for path in paths {
                let rows = steps(path).map(|(i, j)| row[i * nodes + j]);
                let mut column: Vec<(usize, f64)> = rows.map(|row| (row, 1.0)).collect();
                if column.iter().any(|entry| entry.0 == usize::MAX) {
                    continue;
                }
                column.push((pair, 1.0));
                column.sort_unstable_by_key(|entry| entry.0);
                columns.push(column);
            }
        }
        let rates = self.pairs.iter().enumerate();
        columns.push(rates.map(|(pair, &(_, _, rate))| (pair, -rate)).collect());
        let shares: Vec<f64> = circuits.iter().map(|&(i, j)| capacity.share(i, j)).collect();
        let program = Program { columns, balances, capacities: circuits.len() };
        let mut solver = Interior::new(&program, &shares)?;
        let theta = solver.solve(&shares)?;
        let mut prices = vec![f64::INFINITY; nodes * nodes];
        for (&(i, j), price) in circuits.iter().zip(solver.prices()) {
            prices[i * nodes + j] = price.max(0.0);
        }
        Ok(Round { theta, prices })
    }

    /// Adds the paths that are cheaper than a pair's own at these prices: the cheapest of all and
    /// those over one node.
    fn add(&mut self, capacity: &Capacity, prices: &[f64]) -> Cheapest {
        let nodes = self.demand.nodes();
        let mut cheapest = Cheapest { lengths: Vec::with_capacity(self.pairs.len()), added: false };
        let mut tree: Option<(usize, Vec<f64>, Vec<usize>)> = None;
        for (&(from, to, _), own) in self.pairs.iter().zip(&mut self.found) {
            if tree.as_ref().is_none_or(|(source, ..)| *source != from) {
                let (lengths, before) = shortest(nodes, prices, from);
                tree = Some((from, lengths, before));
            }
            let Some((_, lengths, before)) = &tree else { continue };
            cheapest.lengths.push(lengths[to]);
            let length =
                |path: &[u16]| -> f64 { steps(path).map(|(i, j)| prices[i * nodes + j]).sum() };
            let best = own.iter().map(|path| length(path)).fold(f64::INFINITY, f64::min);
            // What is cheaper by rounding alone is no news.
            let limit = if best.is_finite() { best * (1.0 - GAP / 4.0) } else { best };
            for over in (0..nodes).filter(|&over| over != from && over != to) {
                let there = capacity.share(from, over) > 0.0 && capacity.share(over, to) > 0.0;
                let path = vec![from as u16, over as u16, to as u16];
                if there && length(&path) < limit {
                    cheapest.added |= own.insert(path);
                }
            }
            if lengths[to] < limit {
                cheapest.added |= own.insert(walk(before, from, to));
            }
        }
        cheapest
    }
}

/// The cheapest paths at some prices.
struct Cheapest {
    /// Of each pair.
    lengths: Vec<f64>,
    /// Whether any was new.
    added: bool,
}

fn steps(path: &[u16]) -> impl Iterator<Item = (usize, usize)> + '_ {
    path.windows(2).map(|step| (usize::from(step[0]), usize::from(step[1])))
}

/// Cheapest ways from a node to all (Dijkstra): lengths, and the node before each.
pub(super) fn shortest(nodes: usize, prices: &[f64], from: usize) -> (Vec<f64>, Vec<usize>) {
    let mut lengths = vec![f64::INFINITY; nodes];
    let (mut before, mut done) = (vec![from; nodes], vec![false; nodes]);
    lengths[from] = 0.0;
    loop {
        let open = (0..nodes).filter(|&node| !done[node] && lengths[node].is_finite());
        let Some(at) = open.min_by(|&a, &b| lengths[a].total_cmp(&lengths[b])) else {
            return (lengths, before);
        };
        done[at] = true;
        for to in 0..nodes {
            let length = lengths[at] + prices[at * nodes + to];
            if length < lengths[to] {
                (lengths[to], before[to]) = (length, at);
            }
        }
    }
}

pub(super) fn walk(before: &[usize], from: usize, to: usize) -> Vec<u16> {
    let mut path = vec![to as u16];
    let mut at = to;
    while at != from {
        at = before[at];
        path.push(at as u16);
    }
    path.reverse();
    path
}
