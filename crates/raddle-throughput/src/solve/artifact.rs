//! The multi-hop program of Vermilion's published code (`thetaEdgeFormulation`), by pair.
//!
//! What leaves a pair's source and what enters its destination are each at least theta times the
//! demand; all other nodes keep flow. What enters the source and what leaves the destination are
//! not bound, so that flow which returns to its source counts as sent. Theta is at most 1.

use super::circuits::{circuits_of, reaches_all};
use super::program::{Program, SolveError};
use super::solver::Solver;
use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;

/// One demand's program, kept and solved for any capacities on the same circuits.
pub struct ArtifactLp {
    demand: Demand,
    circuits: Vec<(usize, usize)>,
    solver: Option<Box<Solver>>,
}

impl ArtifactLp {
    /// For this demand.
    pub fn new(demand: &Demand) -> Self {
        Self { demand: demand.normalised(), circuits: Vec::new(), solver: None }
    }

    /// Throughput on these circuits; 0 if some demand has no path.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn throughput(&mut self, capacity: &Capacity) -> Result<f64, SolveError> {
        if !reaches_all(capacity, &self.demand) {
            return Ok(0.0);
        }
        let circuits = circuits_of(capacity);
        let mut most: Vec<f64> = circuits.iter().map(|&(i, j)| capacity.share(i, j)).collect();
        most.extend(std::iter::repeat_n(0.0, 2 * self.demand.pairs().count()));
        most.push(1.0);
        if circuits != self.circuits || self.solver.is_none() {
            self.solver = Some(Box::new(Solver::new(&program(&circuits, &self.demand), &most)?));
            self.circuits = circuits;
        }
        self.solver.as_mut().map_or(Ok(0.0), |solver| solver.solve(&most))
    }
}

/// Rows behind the balances: a capacity for each circuit, for each pair theta times its demand less
/// what leaves its source and less what enters its destination, and theta itself.
fn program(circuits: &[(usize, usize)], demand: &Demand) -> Program {
    let nodes = demand.nodes();
    let pairs: Vec<(usize, usize, f64)> = demand.pairs().collect();
    let balances = pairs.len() * (nodes - 2);
    let ends = balances + circuits.len();
    let mut columns = Vec::new();
    let mut theta = Vec::new();
    for (pair, &(source, target, rate)) in pairs.iter().enumerate() {
        let row = |node: usize| {
            pair * (nodes - 2) + node - usize::from(node > source) - usize::from(node > target)
        };
        let inner = |node: usize| node != source && node != target;
        let (sent, received) = (ends + 2 * pair, ends + 2 * pair + 1);
        for (circuit, &(from, to)) in circuits.iter().enumerate() {
            let mut column = vec![(balances + circuit, 1.0)];
            if inner(to) {
                column.push((row(to), 1.0));
            }
            if inner(from) {
                column.push((row(from), -1.0));
            }
            if from == source {
                column.push((sent, -1.0));
            }
            if to == target {
                column.push((received, -1.0));
            }
            column.sort_unstable_by_key(|entry| entry.0);
            columns.push(column);
        }
        theta.extend([(sent, rate), (received, rate)]);
    }
    let last = ends + 2 * pairs.len();
    theta.push((last, 1.0));
    columns.push(theta);
    Program { columns, balances, capacities: last + 1 - balances }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::multi_hop;
    use raddle_circuits::circuits::Circuits;

    #[test]
    fn flow_that_circulates_never_lowers_throughput_and_leaves_permutations_alone() {
        let capacity = Circuits::complete(5, 1, true).capacity(0.2);
        let ring = ArtifactLp::new(&pattern::shift(5, 1)).throughput(&capacity).unwrap();
        assert!((ring - 0.5).abs() < 1e-6, "{ring}");
        for seed in 0..5 {
            let demand = pattern::find("random").unwrap().demand(5, 0.0, seed);
            let loose = ArtifactLp::new(&demand).throughput(&capacity).unwrap();
            assert!(loose >= multi_hop(&capacity, &demand).unwrap() - 1e-7, "{seed}");
        }
    }
}
