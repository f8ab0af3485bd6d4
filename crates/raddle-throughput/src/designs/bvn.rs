//! Birkhoff and von Neumann: a demand as a sum of permutations, each played for its share of time.
//!
//! The demand is filled up until every node sends and receives as much as it can; then a perfect
//! matching of what is left is taken off as often as its least entry allows, and again (Vermilion,
//! 8.1.3). Optimal for the demand it is made for, and without any guarantee for another one
//! (chapter 9, Theorem 23). What a node has left goes to itself first: idle time.

use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::decompose::{Edge, hopcroft_karp::perfect_matching};
use crate::demand::Demand;
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::{Schedule, Steps};
use raddle_schemes::units::Span;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "bvn",
    title: "Birkhoff-von Neumann",
    paper: "Birkhoff 1946; von Neumann 1953; Helios, SIGCOMM 2010; Vermilion, Theorem 20",
    summary: "Splits the demand into permutations of variable length. Carries all of a demand that \
              is known exactly, if reconfiguration is fast; a pair it did not expect gets nothing.",
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Bvn with fabric: Fabric {
        /// Length of a period, in which each permutation has its share.
        pub period: Span = Span::ms(10), in Span(1)..;
        /// Slots of one length instead, of which a permutation gets its share, rounded; `"auto"`
        /// for variable ones.
        pub slots: Option<u32> = None, in 1..=65536;
    }
}

/// What is left of a demand below this is rounding.
const DUST: f64 = 1e-12;

/// Permutations with their shares of time, the greatest first; shares sum to 1, nearly.
pub fn permutations(demand: &Demand) -> Vec<(f64, Matching)> {
    let nodes = demand.nodes();
    let demand = demand.normalised();
    let mut left = filled_up(&demand);
    let mut found = Vec::new();
    loop {
        let edges: Vec<Edge> = (0..nodes * nodes)
            .filter(|&pair| left[pair] > DUST)
            .map(|pair| Edge { from: (pair / nodes) as u16, to: (pair % nodes) as u16, count: 1 })
            .collect();
        let Some(chosen) = perfect_matching(nodes, &edges) else { break };
        let pairs: Vec<usize> = chosen
            .iter()
            .map(|&edge| usize::from(edges[edge].from) * nodes + usize::from(edges[edge].to))
            .collect();
        let share = pairs.iter().map(|&pair| left[pair]).fold(f64::INFINITY, f64::min);
        pairs.iter().for_each(|&pair| left[pair] -= share);
        let targets = chosen.iter().map(|&edge| edges[edge].to).collect();
        found.push((share, Matching::of(targets)));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found
}

/// The demand with enough added to saturate every node.
fn filled_up(demand: &Demand) -> Vec<f64> {
    let nodes = demand.nodes();
    let (sent, received) = demand.sums();
    let rest = |sums: Vec<f64>| sums.into_iter().map(|sum| (1.0 - sum).max(0.0)).collect();
    let (mut rows, mut columns): (Vec<f64>, Vec<f64>) = (rest(sent), rest(received));
    let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
    let mut left: Vec<f64> = pairs.map(|(from, to)| demand.rate(from, to)).collect();
    for node in 0..nodes {
        let idle = rows[node].min(columns[node]);
        left[node * nodes + node] += idle;
        rows[node] -= idle;
        columns[node] -= idle;
    }
    // North-west corner: at most 2n entries are added.
    let (mut row, mut column) = (0, 0);
    while row < nodes && column < nodes {
        let more = rows[row].min(columns[column]);
        left[row * nodes + column] += more;
        rows[row] -= more;
        columns[column] -= more;
        if rows[row] <= columns[column] { row += 1 } else { column += 1 }
    }
    left
}

impl Makes for Bvn {
    fn plan(&self, demand: &Demand, _: u64) -> Result<Plan, DesignError> {
        let permutations = permutations(demand);
        let many = permutations.len();
        let uplinks = self.fabric.uplinks as usize;
        let mut notes = vec![format!("{many} permutations")];
        let (matchings, slots): (Vec<Matching>, Vec<Span>) = match self.slots {
            Some(slots) => {
                let copies = shares(&permutations, slots);
                let each = permutations.into_iter().zip(copies);
                let played =
                    each.flat_map(|((_, m), copies)| std::iter::repeat_n(m, copies as usize));
                played.map(|matching| (matching, self.fabric.slot)).unzip()
            }
            None => {
                let length = |share: f64| Span((share * self.period.0 as f64).round() as u64);
                let timed = permutations.into_iter().map(|(share, m)| (m, length(share)));
                timed.filter(|(_, length)| *length > self.fabric.dark).unzip()
            }
        };
        if self.slots.is_none() && matchings.len() < many {
            let short = many - matchings.len();
            notes.push(format!("{short} of them are shorter than the dark time and left out"));
        }
        if matchings.is_empty() {
            return refuse(
                "every permutation is shorter than the dark time: make the period longer",
            );
        }
        let steps = if slots.len() == 1 { Steps::Static } else { Steps::Together };
        let lists = vec![matchings; uplinks];
        let schedule = Schedule::new(lists, slots, self.fabric.dark, steps)?;
        let whole = notes.len() == 1 && self.slots.is_none();
        let delay_us = Some(schedule.longest_wait().as_us());
        Ok(Plan { bound: whole.then_some(1.0), delay_us, notes, ..Plan::of(schedule) })
    }
}

/// Slots of each permutation: its share of them, rounded so that all are given (largest remainder).
fn shares(permutations: &[(f64, Matching)], slots: u32) -> Vec<u32> {
    let total: f64 = permutations.iter().map(|(share, _)| share).sum();
    let exact: Vec<f64> =
        permutations.iter().map(|(share, _)| share / total * f64::from(slots)).collect();
    let mut given: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let missing = slots - given.iter().sum::<u32>();
    order.iter().take(missing as usize).for_each(|&at| given[at] += 1);
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::{multi_hop, single_hop};

    #[test]
    fn a_demand_is_the_sum_of_its_permutations() {
        for seed in 0..30 {
            let nodes = 3 + seed as usize % 8;
            let demand = pattern::find("random").unwrap().demand(nodes, 0.0, seed);
            let permutations = permutations(&demand);
            assert!(permutations.len() <= (nodes - 1) * (nodes - 1) + 1);
            let mut sum = vec![0.0; nodes * nodes];
            for (share, matching) in &permutations {
                matching.all().for_each(|(from, to)| sum[from * nodes + to] += share);
            }
            for (from, to, rate) in demand.pairs() {
                assert!(sum[from * nodes + to] >= rate - 1e-9, "{seed}");
            }
        }
    }

    #[test]
    fn it_carries_all_of_what_it_was_made_for() {
        let demand = pattern::find("random").unwrap().demand(8, 0.0, 1);
        let plan = Bvn::default().plan(&demand, 1).unwrap();
        let theta = single_hop(&plan.schedules[0].1.capacity(), &demand);
        assert!((theta - 1.0).abs() < 1e-6, "{theta}");
    }

    /// Chapter 9, Theorem 23: pairs are predicted, and a little of everything comes.
    #[test]
    fn a_wrong_prediction_leaves_it_nothing() {
        let pairs = Demand::of(4, |i, j| if i ^ 1 == j { 1.0 } else { 0.0 });
        let truth = |eps: f64| Demand::of(4, |i, j| if i ^ 1 == j { 1.0 - 4.0 * eps } else { eps });
        let plan = Bvn::default().plan(&pairs, 1).unwrap();
        let capacity = plan.schedules[0].1.capacity();
        assert_eq!(multi_hop(&capacity, &truth(0.01)), Ok(0.0));
        assert!((multi_hop(&capacity, &truth(0.0)).unwrap() - 1.0).abs() < 1e-6);
        let recipe =
            super::super::vermilion_predictions::VermilionPredictions::default().recipe(3, 1);
        let circuits = super::super::vermilion::circuits(&pairs, &recipe, 1, 0);
        let capacity = circuits.capacity(1.0 / 12.0);
        let multi = multi_hop(&capacity, &truth(0.01)).unwrap();
        let single = single_hop(&capacity, &truth(0.01));
        assert!(
            (multi - 0.8419).abs() < 1e-3 && (single - 0.7656).abs() < 1e-3,
            "{multi} {single}"
        );
    }

    #[test]
    fn slots_of_one_length_are_all_given() {
        let demand = pattern::find("random").unwrap().demand(6, 0.0, 2);
        let plan = Bvn { slots: Some(24), ..Bvn::default() }.plan(&demand, 1).unwrap();
        assert_eq!(plan.schedules[0].1.period_slots(), 24);
    }
}
