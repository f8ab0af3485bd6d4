//! The exact optimum of a tiny fabric: circuits of a period and flows together, an integer program
//! (Vermilion, 8.1.4).
//!
//! The printed program sums the out-degree of a node over the wrong index; here a node has at most
//! `circuits` circuits out, summed over where they go, and at most as many in, summed over where
//! they come from. Flow that would return to its source is left out, as in the linear program.

use super::SolveError;
use crate::demand::Demand;
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome, Variable};
use raddle_circuits::circuits::Circuits;

/// The most nodes: the program has a variable for every source and pair.
const NODES_MAX: usize = 5;

/// The greatest multi-hop throughput of any period in which each node has `circuits` circuits out
/// and in, and the circuits that give it.
///
/// # Errors
/// [`SolveError`]; more than 5 nodes, too.
pub fn optimum(demand: &Demand, circuits: u32) -> Result<(f64, Circuits), SolveError> {
    let nodes = demand.nodes();
    if nodes > NODES_MAX {
        return Err(SolveError(format!("{nodes} nodes; the integer program takes {NODES_MAX}")));
    }
    let demand = demand.normalised();
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let theta = problem.add_var(1.0, (0.0, 1.0));
    let pairs: Vec<(usize, usize)> = (0..nodes * nodes)
        .map(|pair| (pair / nodes, pair % nodes))
        .filter(|(from, to)| from != to)
        .collect();
    let most = i32::try_from(circuits).unwrap_or(i32::MAX);
    let counts: Vec<Variable> =
        pairs.iter().map(|_| problem.add_integer_var(0.0, (0, most))).collect();
    let sources: Vec<usize> = (0..nodes).collect();
    let flow: Vec<Vec<Variable>> = sources
        .iter()
        .map(|_| pairs.iter().map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect())
        .collect();
    for &source in &sources {
        for node in (0..nodes).filter(|&node| node != source) {
            let mut balance = LinearExpr::empty();
            for (&(from, to), &part) in pairs.iter().zip(&flow[source]) {
                if to == node {
                    balance.add(part, 1.0);
                } else if from == node && to != source {
                    balance.add(part, -1.0);
                }
            }
            balance.add(theta, -demand.rate(source, node));
            problem.add_constraint(balance, ComparisonOp::Eq, 0.0);
        }
        for (&(_, to), &part) in pairs.iter().zip(&flow[source]) {
            if to == source {
                problem.add_constraint([(part, 1.0)], ComparisonOp::Eq, 0.0);
            }
        }
    }
    for (place, &count) in counts.iter().enumerate() {
        let mut used = LinearExpr::empty();
        sources.iter().for_each(|&source| used.add(flow[source][place], 1.0));
        used.add(count, -1.0 / f64::from(circuits));
        problem.add_constraint(used, ComparisonOp::Le, 0.0);
    }
    for node in 0..nodes {
        for out in [true, false] {
            let mut degree = LinearExpr::empty();
            for (&(from, to), &count) in pairs.iter().zip(&counts) {
                if (if out { from } else { to }) == node {
                    degree.add(count, 1.0);
                }
            }
            problem.add_constraint(degree, ComparisonOp::Le, f64::from(circuits));
        }
    }
    let outcome = problem.solve().map_err(|error| SolveError(error.to_string()))?;
    let SolveOutcome::Solution(solution) = outcome else {
        return Err(SolveError("no circuits were found".to_owned()));
    };
    let mut found = Circuits::none(nodes);
    for (&(from, to), &count) in pairs.iter().zip(&counts) {
        *found.at(from, to) = solution[count].round() as u32;
    }
    Ok((solution[theta], found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;

    #[test]
    fn a_ring_gets_all_circuits_and_uniform_demand_gets_each_pair_one() {
        let (theta, circuits) = optimum(&pattern::shift(4, 1), 2).unwrap();
        assert!((theta - 1.0).abs() < 1e-6, "{theta}");
        assert_eq!(circuits.count(0, 1), 2);
        let (theta, _) = optimum(&pattern::uniform(4), 3).unwrap();
        assert!((theta - 1.0).abs() < 1e-6, "{theta}");
        assert!(optimum(&pattern::uniform(6), 5).is_err());
    }
}
