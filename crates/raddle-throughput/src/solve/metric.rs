//! Multi-hop throughput of few nodes, kept warm: the program of lengths.
//!
//! Throughput is the least that all capacity is worth at lengths of the pairs for which the demand,
//! along shortest paths, needs 1. Lengths of shortest paths keep the triangle inequality, so that no
//! paths are needed (Iri 1971; Onaga and Kakusho 1971): the program has a row a pair and a column a
//! triangle, "over a node instead of directly", and the two parts of a relay may be relayed in turn.
//!
//! Other capacities leave the lengths feasible: the dual simplex method goes on from them, with costs
//! a little off, as most are alike; the primal one mends what that left. Flow and lengths bound
//! throughput from both sides.

use super::basis::{Basis, Variable};
use super::circuits::certified_bound;
use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;
use raddle_schemes::rng::Rng;

/// The most nodes: a basis has the square of their pairs.
pub(super) const NODES_MAX: usize = 24;
/// What is below 0 by no more than this is 0.
const ROOM: f64 = 1e-10;
/// The least entry that a pivot may have.
const PIVOT: f64 = 1e-7;
/// Costs and first capacities are off by this and up to twice as much.
const OFF: f64 = 1e-7;
/// Flow and lengths give one throughput when they are this close, of the larger.
const GAP: f64 = 2e-8;
/// Pivots of a method, for each row, before another program is asked.
const PIVOTS: usize = 40;

/// The programs of one demand, and the basis that solved the last one.
pub(super) struct Metric {
    demand: Demand,
    /// Of each pair, then of each triangle, how far off its cost is.
    off: Vec<f64>,
    basis: Option<Basis>,
}

/// A method found no way on: rounding has spoilt the basis.
struct Spoilt;

impl Metric {
    /// For this demand, scaled so that the busiest node has 1.
    pub(super) fn new(demand: &Demand) -> Self {
        let nodes = demand.nodes();
        let mut rng = Rng::new(0, "metric", 0);
        let many = nodes * nodes * (nodes + 1);
        let off = (0..many).map(|_| OFF * (1.0 + rng.unit())).collect();
        Self { demand: demand.clone(), off, basis: None }
    }

    /// Throughput on these circuits, which reach all demand; `None` if rounding gets in the way.
    pub(super) fn throughput(&mut self, capacity: &Capacity) -> Option<f64> {
        for _ in 0..2 {
            let kept = self.basis.take();
            let mut basis = match kept {
                Some(basis) => basis,
                None => self.first(capacity).ok()?,
            };
            if self.solve(&mut basis, capacity).is_ok()
                && let Some(theta) = self.certified(&basis, capacity)
            {
                self.basis = Some(basis);
                return Some(theta);
            }
        }
        None
    }

    /// A basis with feasible lengths.
    fn first(&self, capacity: &Capacity) -> Result<Basis, Spoilt> {
        let mut basis = Basis::new(&self.demand);
        // Pairs of equal capacity fill up together; a little more of each in turn tells them apart.
        basis.set(|pair| capacity.pair(pair) + self.off[pair]);
        let column = basis.transformed(Variable::Theta);
        let row = basis.first_empty(&column, ROOM, PIVOT).ok_or(Spoilt)?;
        basis.pivot(row, &column, Variable::Theta);
        self.mend(&mut basis)?;
        Ok(basis)
    }

    fn solve(&self, basis: &mut Basis, capacity: &Capacity) -> Result<(), Spoilt> {
        if basis.is_worn() {
            basis.renew();
        }
        basis.set(|pair| capacity.pair(pair));
        loop {
            self.follow(basis)?;
            if self.mend(basis)? == 0 || basis.least_value() >= -ROOM {
                return Ok(());
            }
        }
    }

    /// The dual simplex method: lengths stay feasible while flow becomes so.
    fn follow(&self, basis: &mut Basis) -> Result<(), Spoilt> {
        let nodes = self.demand.nodes();
        let pairs = nodes * nodes;
        // What is in the basis has its own cost, so that nothing is infeasible now.
        let mut off = self.off.clone();
        for variable in basis.variables() {
            match *variable {
                Variable::Spare(pair) => off[pair] = 0.0,
                Variable::Relay(from, over, to) => {
                    off[pairs + (from * nodes + over) * nodes + to] = 0.0;
                }
                Variable::Theta => {}
            }
        }
        let mut lengths = basis.lengths().to_vec();
        let mut open: Vec<(f64, f64, Variable)> = Vec::new();
        for _ in 0..PIVOTS * pairs {
            let Some(row) = basis.most_infeasible(ROOM) else { return Ok(()) };
            let prices = basis.row(row);
            open.clear();
            let mut limit = f64::INFINITY;
            let mut offer = |cost: f64, entry: f64, variable: Variable| {
                if entry < -PIVOT {
                    limit = limit.min((cost.max(0.0) + ROOM) / -entry);
                    open.push((cost.max(0.0), entry, variable));
                }
            };
            for from in 0..nodes {
                for over in (0..nodes).filter(|&over| over != from) {
                    let (first, price) =
                        (lengths[from * nodes + over], prices[from * nodes + over]);
                    let aside = pairs + (from * nodes + over) * nodes;
                    for to in 0..nodes {
                        let entry = price + prices[over * nodes + to] - prices[from * nodes + to];
                        if entry < -PIVOT && to != from {
                            let longer = first + lengths[over * nodes + to]
                                - lengths[from * nodes + to]
                                + off[aside + to];
                            offer(longer, entry, Variable::Relay(from, over, to));
                        }
                    }
                }
            }
            for pair in 0..pairs {
                offer(lengths[pair] + off[pair], prices[pair], Variable::Spare(pair));
            }
            let within = open.iter().filter(|(cost, entry, _)| cost / -entry <= limit);
            let &(cost, entry, variable) =
                within.min_by(|a, b| a.1.total_cmp(&b.1)).ok_or(Spoilt)?;
            let step = cost / -entry;
            lengths.iter_mut().zip(prices).for_each(|(length, price)| *length += step * price);
            let column = basis.transformed(variable);
            basis.pivot(row, &column, variable);
        }
        Err(Spoilt)
    }

    /// The primal simplex method: flow stays feasible while lengths become so. How many pivots it
    /// took.
    fn mend(&self, basis: &mut Basis) -> Result<usize, Spoilt> {
        let nodes = self.demand.nodes();
        let pairs = nodes * nodes;
        for pivots in 0..PIVOTS * pairs {
            let lengths = basis.lengths();
            let mut worst = (-ROOM, Variable::Theta);
            for from in 0..nodes {
                for over in (0..nodes).filter(|&over| over != from) {
                    let first = lengths[from * nodes + over];
                    for to in 0..nodes {
                        let longer =
                            first + lengths[over * nodes + to] - lengths[from * nodes + to];
                        if longer < worst.0 && to != from {
                            worst = (longer, Variable::Relay(from, over, to));
                        }
                    }
                }
            }
            for (pair, &length) in lengths.iter().enumerate() {
                if length < worst.0 {
                    worst = (length, Variable::Spare(pair));
                }
            }
            if worst.1 == Variable::Theta {
                return Ok(pivots);
            }
            let column = basis.transformed(worst.1);
            let row = basis.first_empty(&column, ROOM, PIVOT).ok_or(Spoilt)?;
            basis.pivot(row, &column, worst.1);
        }
        Err(Spoilt)
    }

    /// Throughput of a basis if its flow fits and its lengths bound it.
    fn certified(&self, basis: &Basis, capacity: &Capacity) -> Option<f64> {
        let nodes = self.demand.nodes();
        let lengths = basis.lengths();
        let length = |from: usize, to: usize| lengths[from * nodes + to].max(0.0);
        let theta = basis.theta();
        let bound = certified_bound(capacity, &self.demand, length);
        let fits = basis.excess(|pair| capacity.pair(pair)) <= 10.0 * ROOM;
        (fits && bound <= theta * (1.0 + GAP)).then_some(theta)
    }
}
