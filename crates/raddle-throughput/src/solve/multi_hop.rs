//! Multi-hop throughput: the greatest concurrent flow over all paths.
//!
//! Of few nodes it is solved by lengths of pairs, of more by path; where either takes too long, by
//! circuit and source. There, variables are what of source s's traffic is on circuit (i, j), and
//! theta. At every node v but s, what comes in of s is what goes out and theta times the demand from
//! s to v; no circuit carries more than its capacity. Traffic never comes back to its source, so that
//! nothing circulates there.

use super::circuits::{circuits_of, reaches_all};
use super::metric::{self, Metric};
use super::paths::Paths;
use super::program::{Program, SolveError};
use super::solver::Solver;
use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;

/// One demand's programs, kept and solved for any capacities.
pub struct MultiHop {
    demand: Demand,
    /// Of few nodes.
    metric: Option<Metric>,
    paths: Paths,
    /// The circuits that the program has.
    circuits: Vec<(usize, usize)>,
    solver: Option<Solver>,
}

/// Multi-hop throughput of one demand on these circuits.
///
/// # Errors
/// [`SolveError`].
pub fn multi_hop(capacity: &Capacity, demand: &Demand) -> Result<f64, SolveError> {
    MultiHop::new(demand).throughput(capacity)
}

impl MultiHop {
    /// For this demand.
    pub fn new(demand: &Demand) -> Self {
        let demand = demand.normalised();
        let few = demand.nodes() <= metric::NODES_MAX;
        let metric = few.then(|| Metric::new(&demand));
        Self { metric, paths: Paths::new(&demand), demand, circuits: Vec::new(), solver: None }
    }

    /// Throughput on these circuits; 0 if some demand has no path.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn throughput(&mut self, capacity: &Capacity) -> Result<f64, SolveError> {
        if !reaches_all(capacity, &self.demand) {
            return Ok(0.0);
        }
        if let Some(theta) = self.metric.as_mut().and_then(|metric| metric.throughput(capacity)) {
            return Ok(theta);
        }
        match self.paths.throughput(capacity)? {
            Some(theta) => Ok(theta),
            None => self.by_circuit(capacity),
        }
    }

    /// The same by the program by circuit and source.
    fn by_circuit(&mut self, capacity: &Capacity) -> Result<f64, SolveError> {
        let circuits = circuits_of(capacity);
        let shares: Vec<f64> = circuits.iter().map(|&(i, j)| capacity.share(i, j)).collect();
        if circuits != self.circuits || self.solver.is_none() {
            self.solver = Some(Solver::new(&program(&circuits, &self.demand), &shares)?);
            self.circuits = circuits;
        }
        self.solver.as_mut().map_or(Ok(0.0), |solver| solver.solve(&shares))
    }
}

/// The program by circuit and source.
pub(super) fn program(circuits: &[(usize, usize)], demand: &Demand) -> Program {
    let nodes = demand.nodes();
    let sources: Vec<usize> =
        (0..nodes).filter(|&from| demand.row(from).iter().any(|rate| *rate > 0.0)).collect();
    // A source's own node has no balance.
    let row = |place: usize, source: usize, node: usize| {
        place * (nodes - 1) + node - usize::from(node > source)
    };
    let balances = sources.len() * (nodes - 1);
    let mut columns = Vec::new();
    let mut theta = Vec::new();
    for (place, &source) in sources.iter().enumerate() {
        for (circuit, &(from, to)) in circuits.iter().enumerate() {
            if to == source {
                continue;
            }
            let mut column = vec![(row(place, source, to), 1.0), (balances + circuit, 1.0)];
            if from != source {
                column.push((row(place, source, from), -1.0));
            }
            column.sort_unstable_by_key(|entry| entry.0);
            columns.push(column);
        }
        for (to, &rate) in demand.row(source).iter().enumerate().filter(|(_, rate)| **rate > 0.0) {
            theta.push((row(place, source, to), -rate));
        }
    }
    columns.push(theta);
    Program { columns, balances, capacities: circuits.len() }
}

#[cfg(test)]
mod tests {
    use super::super::circuits::certified_bound;
    use super::*;
    use crate::demand::pattern;
    use crate::designs::vermilion::{Recipe, Spare, circuits};
    use crate::noise::{Noise, Profile, predict};
    use crate::rounding::Rounding;
    use raddle_circuits::circuits::Circuits;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn the_complete_graph_carries_n_over_2n_minus_2_of_a_permutation_without_self_loops() {
        for nodes in 3..=8 {
            let without = Circuits::complete(nodes, 1, false);
            let without = without.capacity(1.0 / (nodes - 1) as f64);
            let ring = pattern::shift(nodes, 1);
            let expected = nodes as f64 / (2 * (nodes - 1)) as f64;
            near(multi_hop(&without, &ring).unwrap(), expected);
            let with = Circuits::complete(nodes, 1, true).capacity(1.0 / nodes as f64);
            near(multi_hop(&with, &ring).unwrap(), 0.5);
        }
    }

    #[test]
    fn a_single_ring_carries_one_in_five_of_what_goes_the_other_way_round() {
        let ring =
            Circuits::union(6, [&raddle_circuits::matching::Matching::shift(6, 1)]).capacity(1.0);
        near(multi_hop(&ring, &pattern::shift(6, 5)).unwrap(), 0.2);
        let complete = Circuits::complete(6, 1, false).capacity(0.2);
        near(multi_hop(&complete, &pattern::shift(6, 5)).unwrap(), 0.6);
    }

    #[test]
    fn an_unreachable_demand_has_no_throughput() {
        let pairs = Circuits::union(
            4,
            [&raddle_circuits::matching::Matching::new(vec![1, 0, 3, 2]).unwrap()],
        );
        assert_eq!(multi_hop(&pairs.capacity(1.0), &pattern::shift(4, 1)), Ok(0.0));
    }

    #[test]
    fn a_kept_program_gives_what_a_new_one_gives() {
        let demand = pattern::find("random").unwrap().demand(6, 0.0, 3);
        let mut kept = MultiHop::new(&demand);
        for copies in 1..5 {
            let mut circuits = Circuits::complete(6, 1, false);
            (0..6).for_each(|node| *circuits.at(node, (node + 1) % 6) += copies);
            let capacity = circuits.capacity(1.0 / f64::from(5 + copies));
            near(kept.throughput(&capacity).unwrap(), multi_hop(&capacity, &demand).unwrap());
        }
    }

    #[test]
    fn lengths_paths_and_circuits_have_one_optimum() {
        for seed in 0..24 {
            let nodes = 4 + seed as usize % 5;
            let random = |seed| pattern::find("random").unwrap().demand(nodes, 0.0, seed);
            let drawn = random(seed);
            let demand = match seed % 3 {
                0 => pattern::shift(nodes, 1),
                1 => Demand::of(
                    nodes,
                    |i, j| if (i + 2 * j) % 3 > 0 { drawn.rate(i, j) } else { 0.0 },
                ),
                _ => drawn,
            };
            let other = random(seed + 100);
            let mut capacity = Capacity::none(nodes);
            let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
            // A ring keeps all reachable; of the rest some pairs have nothing.
            pairs.for_each(|(i, j)| {
                let rate =
                    if (i + j + seed as usize).is_multiple_of(4) { 0.0 } else { other.rate(i, j) };
                capacity.add(i, j, rate + if j == (i + 1) % nodes { 0.05 } else { 0.0 });
            });
            let mut program = MultiHop::new(&demand);
            let circuits = program.by_circuit(&capacity).unwrap();
            near(program.paths.throughput(&capacity).unwrap().unwrap(), circuits);
            near(program.metric.as_mut().unwrap().throughput(&capacity).unwrap(), circuits);
        }
    }

    #[test]
    fn kept_lengths_give_what_new_ones_give() {
        for name in ["ring", "uniform", "chessboard", "skew:0.4"] {
            let truth = crate::demand::named(name, 9, 1).unwrap();
            let nodes = truth.nodes() as u32;
            let mut kept = Metric::new(&truth);
            for step in 0..24 {
                let predicted = predict(&truth, Noise::Additive, Profile::Thesis, 5.0, 1, step / 8);
                let rounding = Rounding::Any;
                let k = 2 + (step % 8) as u32;
                let recipe = Recipe { k, l: 1, rounding, self_loops: true, spare: Spare::Random };
                let capacity = circuits(&predicted, &recipe, 1, step);
                let capacity = capacity.capacity(1.0 / f64::from(nodes * k));
                let new = Metric::new(&truth).throughput(&capacity).unwrap();
                near(kept.throughput(&capacity).unwrap(), new);
            }
        }
    }

    #[test]
    fn no_throughput_exceeds_the_volume_bound() {
        for seed in 0..10 {
            let demand = pattern::find("random").unwrap().demand(5, 0.0, seed);
            let capacity = Circuits::complete(5, 1, true).capacity(0.2);
            let bound = certified_bound(&capacity, &demand, |_, _| 1.0);
            assert!(multi_hop(&capacity, &demand).unwrap() <= bound + 1e-7);
        }
    }
}
