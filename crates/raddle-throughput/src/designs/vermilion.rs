//! Vermilion (Addanki et al., thesis chapter 8): heavy pairs get several circuits a period, every
//! pair at least one, and traffic takes direct circuits alone.
//!
//! The demand, scaled to (k - l) n circuits of the busiest node, is rounded; l complete graphs are
//! added (l = 1 here; chapter 9 has more); spare ends are joined until every node has k n circuits;
//! the graph is split into matchings (Algorithm 6).
//!
//! Readings: the complete graph has the diagonal, which gives the printed 0.95 of chapter 9 exactly
//! (`self_loops`). Which legal rounding is not said (`rounding`). Slots in the order of `order`.

use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::bounds;
use crate::decompose::decompose;
use crate::demand::Demand;
use crate::order::{Order, order};
use crate::rounding::{Rounding, round};
use raddle_circuits::circuits::Circuits;
use raddle_circuits::schedule::Schedule;
use raddle_schemes::rng::Rng;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "vermilion",
    title: "Vermilion",
    paper: "Addanki et al., Vermilion: a traffic-aware reconfigurable optical interconnect with \
            formal throughput guarantees, thesis chapter 8; arXiv 2504.09892",
    summary: "Built for a demand that is known: at least (k - 1)/k of it over single hops. Better \
              than oblivious designs for skewed demand, worse for uniform one at k = 3.",
};

raddle_schemes::words! {
    /// How spare ends of circuits are joined.
    pub enum Spare {
        /// At random; idle and parallel circuits may come of it.
        Random = "random",
        /// One by one to the pair with the most demand for its circuits.
        Proportional = "proportional",
        /// At random between different nodes; ends that find none stay idle (published code).
        Artifact = "artifact",
    }
}

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Vermilion with fabric: Fabric {
        /// Circuits of a node in a period, in complete graphs: of k, k - 1 follow the demand.
        pub k: u32 = 3, in 2..=64;
        /// Which legal rounding of the demand.
        pub rounding: Rounding = Rounding::Bottleneck;
        /// Whether the complete graph has an idle circuit of each node.
        pub self_loops: bool = true;
        /// How spare ends of circuits are joined.
        pub spare: Spare = Spare::Random;
        /// The order of matchings in the period.
        pub order: Order = Order::Spread;
    }
}

/// How circuits are chosen for a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Circuits of a node, in complete graphs.
    pub k: u32,
    /// Of these, complete graphs; the trust is k/l.
    pub l: u32,
    /// Which legal rounding.
    pub rounding: Rounding,
    /// Whether complete graphs have the diagonal.
    pub self_loops: bool,
    /// How spare ends are joined.
    pub spare: Spare,
}

/// Circuits of a period for this demand: every node has k n, or n of the complete graph if the trust
/// k/l is below 2 (Algorithm 7). `stream` tells draws of one seed apart.
pub fn circuits(demand: &Demand, recipe: &Recipe, seed: u64, stream: u64) -> Circuits {
    let Recipe { k, l, rounding, self_loops, spare } = *recipe;
    let nodes = demand.nodes();
    if k < 2 * l {
        return Circuits::complete(nodes, 1, self_loops);
    }
    let rounded = round(demand, (k - l) * nodes as u32, l, rounding);
    let mut circuits = Circuits::complete(nodes, l, self_loops);
    for from in 0..nodes {
        (0..nodes).for_each(|to| *circuits.at(from, to) += rounded[from * nodes + to]);
    }
    let mut rng = Rng::new(seed, "configuration", stream);
    let degree = k * nodes as u32;
    match spare {
        Spare::Random => join_at_random(&mut circuits, degree, &mut rng),
        Spare::Proportional => join_by_demand(&mut circuits, degree, demand),
        Spare::Artifact => {
            // The published code joins ends before it adds the complete graph, whose missing
            // diagonal stays idle.
            let idle = if self_loops { 0 } else { l };
            join_others(&mut circuits, degree - idle, &mut rng);
            (0..nodes).for_each(|node| *circuits.at(node, node) += idle);
        }
    }
    circuits
}

/// Ends that are left to a node, out and in.
fn spare_ends(circuits: &Circuits, degree: u32) -> (Vec<u32>, Vec<u32>) {
    let left =
        |degrees: Vec<u32>| degrees.into_iter().map(|has| degree.saturating_sub(has)).collect();
    (left(circuits.out_degrees()), left(circuits.in_degrees()))
}

fn join_at_random(circuits: &mut Circuits, degree: u32, rng: &mut Rng) {
    let (out, into) = spare_ends(circuits, degree);
    let list = |spare: Vec<u32>| -> Vec<usize> {
        let each = spare.into_iter().enumerate();
        each.flat_map(|(node, many)| std::iter::repeat_n(node, many as usize)).collect()
    };
    let mut receivers = list(into);
    rng.shuffle(&mut receivers);
    list(out).into_iter().zip(receivers).for_each(|(from, to)| *circuits.at(from, to) += 1);
}

fn join_by_demand(circuits: &mut Circuits, degree: u32, demand: &Demand) {
    let (mut out, mut into) = spare_ends(circuits, degree);
    let nodes = circuits.nodes();
    loop {
        let open = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
        let open = open.filter(|&(from, to)| out[from] > 0 && into[to] > 0);
        let need = |&(from, to): &(usize, usize)| {
            demand.rate(from, to) / f64::from(circuits.count(from, to).max(1))
        };
        let Some((from, to)) = open.max_by(|a, b| need(a).total_cmp(&need(b)).then(b.cmp(a)))
        else {
            return;
        };
        *circuits.at(from, to) += 1;
        out[from] -= 1;
        into[to] -= 1;
    }
}

fn join_others(circuits: &mut Circuits, degree: u32, rng: &mut Rng) {
    let (mut out, mut into) = spare_ends(circuits, degree);
    let nodes = circuits.nodes();
    let draw = |rng: &mut Rng, open: &[usize]| open[rng.below(open.len() as u64) as usize];
    loop {
        let senders: Vec<usize> = (0..nodes).filter(|&node| out[node] > 0).collect();
        if senders.is_empty() {
            return;
        }
        let from = draw(rng, &senders);
        let open = |node: &usize| into[*node] > 0 && *node != from;
        let receivers: Vec<usize> = (0..nodes).filter(open).collect();
        if receivers.is_empty() {
            break;
        }
        let to = draw(rng, &receivers);
        *circuits.at(from, to) += 1;
        out[from] -= 1;
        into[to] -= 1;
    }
    // What is left has ends of one node alone to receive: idle, and the published code stops here,
    // whoever else could still send to it.
    for node in 0..nodes {
        let idle = out[node].min(into[node]);
        *circuits.at(node, node) += idle;
    }
}

/// A schedule of these circuits.
pub(super) fn schedule(
    circuits: &Circuits,
    fabric: &Fabric,
    word: Order,
    seed: u64,
) -> Result<Schedule, DesignError> {
    let copies = decompose(circuits).map_err(|error| DesignError(error.to_string()))?;
    fabric.deal(&order(&copies, word, seed))
}

impl Makes for Vermilion {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        let Self { k, rounding, self_loops, spare, .. } = *self;
        let recipe = Recipe { k, l: 1, rounding, self_loops, spare };
        let circuits = circuits(demand, &recipe, seed, 0);
        if circuits.degree().is_none() {
            return refuse(format!("spare = \"{}\" left ends that no circuit joins", spare.word()));
        }
        let schedule = schedule(&circuits, &self.fabric, self.order, seed)?;
        let mut plan =
            Plan { delay_us: Some(schedule.longest_wait().as_us()), ..Plan::of(schedule) };
        let matchings = k as usize * demand.nodes();
        plan.notes.extend(self.fabric.idle_note(matchings));
        if plan.notes.is_empty() && rounding != Rounding::Floor {
            plan.bound = Some(bounds::consistency(f64::from(k)));
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::{multi_hop, single_hop};

    fn recipe(k: u32, rounding: Rounding) -> Recipe {
        Recipe { k, l: 1, rounding, self_loops: true, spare: Spare::Random }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    /// Throughput, single-hop and multi-hop, of k and the demand.
    fn theta(demand: &Demand, k: u32, rounding: Rounding) -> (f64, f64) {
        let circuits = circuits(demand, &recipe(k, rounding), 1, 0);
        let capacity = circuits.capacity(1.0 / f64::from(k * demand.nodes() as u32));
        (single_hop(&capacity, demand), multi_hop(&capacity, demand).unwrap())
    }

    #[test]
    fn e1_a_ring_of_4_nodes() {
        let ring = pattern::shift(4, 1);
        let found = circuits(&ring, &recipe(3, Rounding::Bottleneck), 1, 0);
        for (from, to) in (0..16).map(|pair| (pair / 4, pair % 4)) {
            assert_eq!(found.count(from, to), if to == (from + 1) % 4 { 9 } else { 1 });
        }
        let vermilion = Vermilion {
            fabric: Fabric { uplinks: 1, ..Fabric::default() },
            ..Vermilion::default()
        };
        let plan = vermilion.plan(&ring, 1).unwrap();
        assert_eq!(plan.schedules[0].1.period_slots(), 12);
        let (single, multi) = theta(&ring, 3, Rounding::Bottleneck);
        near(single, 0.75);
        near(multi, 10.0 / 12.0);
    }

    #[test]
    fn e2_rotations_of_a_row() {
        let demand = Demand::of(4, |i, j| [0.0, 0.7, 0.2, 0.1][(j + 4 - i) % 4]);
        let (single, multi) = theta(&demand, 3, Rounding::Bottleneck);
        near(single, 7.0 / 8.4);
        assert!((multi - 0.8654).abs() < 5e-5, "{multi}");
        let (any, _) = theta(&demand, 3, Rounding::Any);
        assert!((any - 7.0 / 8.4).abs() < 1e-6 || (any - 6.0 / 8.4).abs() < 1e-6, "{any}");
        let oblivious = Circuits::complete(4, 1, true).capacity(0.25);
        near(single_hop(&oblivious, &demand), 0.25 / 0.7);
        near(multi_hop(&oblivious, &demand).unwrap(), 0.576_923_1);
    }

    #[test]
    fn e3_uniform_demand_of_4_nodes_for_every_rounding() {
        for rounding in [Rounding::Any, Rounding::Bottleneck] {
            let (single, multi) = theta(&pattern::uniform(4), 3, rounding);
            near(single, 0.75);
            near(multi, 0.875);
        }
    }

    #[test]
    fn e4_a_demand_of_whole_circuits_is_carried_whole() {
        let rows = [[0, 2, 1, 1], [1, 0, 2, 1], [1, 1, 0, 2], [2, 1, 1, 0]];
        let demand = Demand::of(4, |i, j| f64::from(rows[i][j]) / 4.0);
        let mut whole = Circuits::none(4);
        (0..16).for_each(|pair| *whole.at(pair / 4, pair % 4) = rows[pair / 4][pair % 4] as u32);
        let copies = decompose(&whole).unwrap();
        assert_eq!(copies.iter().map(|entry| entry.copies).sum::<u32>(), 4);
        near(single_hop(&whole.capacity(0.25), &demand), 1.0);
        let oblivious = Circuits::complete(4, 1, false).capacity(1.0 / 3.0);
        near(single_hop(&oblivious, &demand), 2.0 / 3.0);
        near(multi_hop(&oblivious, &demand).unwrap(), 8.0 / 9.0);
    }

    #[test]
    fn e5_an_unsaturated_demand() {
        let rows = [
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, 0.25, 0.25],
            [0.3, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
        ];
        let demand = Demand::of(4, |i, j| rows[i][j]);
        for rounding in [Rounding::Any, Rounding::Bottleneck] {
            near(theta(&demand, 3, rounding).0, 10.0 / 12.0);
        }
    }

    #[test]
    fn a_ring_follows_its_closed_forms() {
        for (nodes, k, expected) in [
            (8, 3, 0.708_333_3),
            (16, 3, 0.6875),
            (16, 6, 0.84375),
            (64, 3, 0.671_875),
            (48, 3, 0.673_611_1),
        ] {
            let demand = pattern::shift(nodes, 1);
            let circuits = circuits(&demand, &recipe(k, Rounding::Bottleneck), 1, 0);
            let capacity = circuits.capacity(1.0 / f64::from(k * nodes as u32));
            near(single_hop(&capacity, &demand), expected);
        }
        for nodes in [4, 5, 6, 8, 16] {
            for (k, expected) in [(2, 0.75), (3, 0.833_333_3), (6, 0.916_666_7), (10, 0.95)] {
                near(theta(&pattern::shift(nodes, 1), k, Rounding::Bottleneck).1, expected);
            }
        }
    }

    #[test]
    fn uniform_demand_is_not_monotone_in_k() {
        for k in [2, 3, 6] {
            let circuits = circuits(&pattern::uniform(16), &recipe(k, Rounding::Any), 1, 0);
            let capacity = circuits.capacity(1.0 / f64::from(k * 16));
            near(single_hop(&capacity, &pattern::uniform(16)), 0.9375);
        }
    }

    #[test]
    fn every_demand_gets_what_is_guaranteed() {
        for seed in 0..1000 {
            let (nodes, k) = (2 + seed as usize % 15, 2 + (seed % 7) as u32);
            let demand = pattern::find("random").unwrap().demand(nodes, 0.0, seed);
            let demand = Demand::of(nodes, |i, j| {
                if (seed + i as u64 * 7 + j as u64).is_multiple_of(3) {
                    0.0
                } else {
                    demand.rate(i, j)
                }
            });
            if demand.largest_sum() == 0.0 {
                continue;
            }
            for rounding in [Rounding::Any, Rounding::Bottleneck] {
                let found = circuits(&demand, &recipe(k, rounding), seed, 0);
                let degree = k * nodes as u32;
                assert_eq!(found.degree(), Some(degree), "{seed}");
                assert!((0..nodes).all(|from| found.row(from).iter().all(|count| *count >= 1)));
                let single = single_hop(&found.capacity(1.0 / f64::from(degree)), &demand);
                assert!(single >= f64::from(k - 1) / f64::from(k) - 1e-9, "{seed}: {single}");
            }
        }
    }

    #[test]
    fn sixty_four_nodes_take_24_slots_and_the_same_seed_the_same_ones() {
        let demand = pattern::find("skew").unwrap().demand(64, 0.5, 1);
        let vermilion = Vermilion {
            fabric: Fabric { uplinks: 8, ..Fabric::default() },
            ..Vermilion::default()
        };
        let plan = || vermilion.plan(&demand, 1).unwrap();
        let schedule = &plan().schedules[0].1;
        assert_eq!((schedule.period_slots(), schedule.switches().len()), (24, 8));
        assert_eq!(schedule, &plan().schedules[0].1);
    }

    #[test]
    fn another_seed_leaves_a_saturated_demand_alone() {
        let demand = pattern::find("skew").unwrap().demand(16, 0.3, 1);
        let found = |seed| circuits(&demand, &recipe(3, Rounding::Any), seed, 0);
        assert_eq!(found(1), found(2));
    }

    #[test]
    fn the_skew_sweep_of_16_nodes_gives_the_exact_values() {
        let oblivious = Circuits::complete(16, 1, true).capacity(1.0 / 16.0);
        for (skew, three, six, direct, multi) in [
            (0.0, 0.9375, 0.9375, 0.9375, 0.9375),
            (0.1, 0.6944, 0.8681, 0.3906, 0.8621),
            (0.2, 0.7812, 0.9046, 0.2467, 0.7979),
            (0.3, 0.7812, 0.8714, 0.1803, 0.7426),
            (0.5, 0.7422, 0.8594, 0.1172, 0.6522),
            (0.8, 0.7172, 0.8581, 0.0768, 0.5515),
            (1.0, 0.6875, 0.8438, 0.0625, 0.5),
        ] {
            let demand = pattern::find("skew").unwrap().demand(16, skew, 1);
            for (k, expected) in [(3, three), (6, six)] {
                let circuits = circuits(&demand, &recipe(k, Rounding::Bottleneck), 1, 0);
                let found = single_hop(&circuits.capacity(1.0 / f64::from(k * 16)), &demand);
                assert!((found - expected).abs() < 6e-5, "{skew} {k}: {found} {expected}");
            }
            let found = single_hop(&oblivious, &demand);
            assert!((found - direct).abs() < 6e-5, "{skew}: {found} {direct}");
            let found = multi_hop(&oblivious, &demand).unwrap();
            assert!((found - multi).abs() < 6e-5, "{skew}: {found} {multi}");
        }
    }
}
