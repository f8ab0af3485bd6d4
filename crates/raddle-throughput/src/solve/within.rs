//! Multi-hop throughput of many nodes, between two numbers: a flow that fits, and lengths that bound it.
//!
//! The demand is routed whole, and what is wanted is that the fullest circuit is filled least. Each
//! circuit has a price that rises by a factor of e for a fixed step of its load, so that the dearest are
//! the fullest (Shahrokhi and Matula 1990; Garg and Koenemann 1998). Each pair of nodes in turn moves
//! what it sends from dear ways to cheap ones by steps of Newton's method that equalise them (gradient
//! projection, Bertsekas 1982); no step takes a load further than a factor of e of its price. As soon as
//! pairs leave less uneven than prices do, prices become steeper. Ways over one node are looked at with
//! the prices of that instant, longer ones by a tree of shortest ways from each source, once a sweep.
//!
//! The same trees give the bound: what all capacity is worth at these prices over what the demand needs
//! along shortest ways. It holds at any prices, however good the flow is.

use super::circuits::{certified_bound, circuits_of, reaches_all};
use super::paths::{shortest, walk};
use crate::demand::Demand;
use raddle_circuits::circuits::Capacity;

/// Sweeps over all pairs before what is found is told.
const SWEEPS: usize = 1000;
/// Times that a pair moves flow in a sweep: so many, and one for every so many of its ways.
const TURNS: (usize, usize) = (4, 4);
/// By how much prices become steeper at a time.
const STEEPER: f64 = 1.5;
/// Ways of a pair that cost the same within this part of the gap are left alone.
const ALIKE: f64 = 0.02;
/// Levels that are tried at first, and by how much each is higher than the one before.
const LEVELS: usize = 24;
const HIGHER: f64 = 1.04;
/// No price is further than a factor of e to this from that of the fullest circuit.
const RANGE: f64 = 40.0;

/// Throughput is at least the one and at most the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// What a flow that fits carries.
    pub least: f64,
    /// What lengths of circuits bound it by.
    pub most: f64,
}

impl Within {
    /// By how much the two differ, of the smaller; 0 where nothing is carried.
    pub fn gap(self) -> f64 {
        if self.most > 0.0 { (self.most / self.least - 1.0).max(0.0) } else { 0.0 }
    }
}

/// Multi-hop throughput of one demand on these circuits; 0 if some demand has no path. Both numbers
/// hold but for rounding; they are within `gap` of each other, of the smaller, unless 1,000 sweeps over
/// all pairs do not bring them there.
///
/// ```
/// use raddle_circuits::circuits::Circuits;
/// use raddle_throughput::{demand::pattern, solve::multi_hop_within};
///
/// let circuits = Circuits::complete(64, 1, true).capacity(1.0 / 64.0);
/// let found = multi_hop_within(&circuits, &pattern::shift(64, 1), 0.01);
/// assert!(found.least <= 0.5 && 0.5 <= found.most && found.gap() <= 0.01);
/// ```
pub fn multi_hop_within(capacity: &Capacity, demand: &Demand, gap: f64) -> Within {
    let demand = demand.normalised();
    if !reaches_all(capacity, &demand) {
        return Within { least: 0.0, most: 0.0 };
    }
    let mut found = Within { least: 0.0, most: f64::INFINITY };
    let mut flow = Flow::new(capacity, &demand);
    for _ in 0..SWEEPS {
        flow.price();
        let most = flow.bound();
        found = Within { least: found.least.max(1.0 / flow.fullest), most: found.most.min(most) };
        if found.gap() <= gap {
            break;
        }
        if flow.astray < flow.blunt {
            flow.steep *= STEEPER;
        }
        flow.settle(ALIKE * found.gap().min(1.0));
    }
    found
}

/// A way of a pair, and what goes by it.
struct Way {
    nodes: Vec<u16>,
    flow: f64,
    /// What it cost when its pair last looked.
    cost: f64,
}

/// The demand on its ways, and the price of each circuit.
struct Flow<'a> {
    capacity: &'a Capacity,
    nodes: usize,
    circuits: Vec<(usize, usize)>,
    /// Pairs with demand: from, to, rate; by source.
    pairs: Vec<(usize, usize, f64)>,
    ways: Vec<Vec<Way>>,
    /// What each pair of nodes has to carry, of its capacity.
    loads: Vec<f64>,
    /// What a little more over each costs; infinite where there is no circuit.
    prices: Vec<f64>,
    /// The same by receiver.
    inward: Vec<f64>,
    /// The greatest load when all prices were last made.
    fullest: f64,
    /// How many times e a price becomes for 1 more of load.
    steep: f64,
    /// By how much the fullest circuit is fuller than the mean by what is spent, of that.
    blunt: f64,
    /// By how much the demand costs more than along shortest ways, of that.
    astray: f64,
}

impl<'a> Flow<'a> {
    /// What a pair sends goes directly until that circuit is filled to a level, and the rest over all
    /// nodes that lead there at once; where there are none, along the way of least length, a circuit
    /// being the longer the less there is of it. Of some levels the one that fills circuits least.
    fn new(capacity: &'a Capacity, demand: &Demand) -> Self {
        let nodes = capacity.nodes();
        let circuits = circuits_of(capacity);
        let mut prices = vec![f64::INFINITY; nodes * nodes];
        circuits.iter().for_each(|&(i, j)| prices[i * nodes + j] = 1.0 / capacity.share(i, j));
        let pairs: Vec<(usize, usize, f64)> = demand.pairs().collect();
        let mut shortest_ways = Vec::with_capacity(pairs.len());
        let mut tree: Option<(usize, Vec<usize>)> = None;
        for &(from, to, _) in &pairs {
            if tree.as_ref().is_none_or(|(source, _)| *source != from) {
                tree = Some((from, shortest(nodes, &prices, from).1));
            }
            shortest_ways.extend(tree.as_ref().map(|(_, before)| walk(before, from, to)));
        }
        // No circuit is filled less than this.
        let mut level = 1.0 / certified_bound(capacity, demand, |_, _| 1.0);
        let mut best = (f64::INFINITY, level);
        for _ in 0..LEVELS {
            let mut loads = vec![0.0; nodes * nodes];
            for (&pair, way) in pairs.iter().zip(&shortest_ways) {
                spread(capacity, pair, level, way, &mut |way, flow| {
                    steps(nodes, way).for_each(|pair| loads[pair] += flow / capacity.pair(pair));
                });
            }
            let fullest = loads.into_iter().fold(0.0, f64::max);
            if fullest < best.0 {
                best = (fullest, level);
            }
            level *= HIGHER;
        }
        let of = |(&pair, way): (&(usize, usize, f64), &Vec<u16>)| {
            let mut ways = Vec::new();
            spread(capacity, pair, best.1, way, &mut |nodes, flow| {
                ways.push(Way { nodes: nodes.to_vec(), flow, cost: 0.0 });
            });
            ways
        };
        let ways = pairs.iter().zip(&shortest_ways).map(of).collect();
        let (loads, inward) = (vec![0.0; nodes * nodes], prices.clone());
        let (fullest, steep, blunt, astray) = (0.0, 0.0, 0.0, 0.0);
        Self {
            capacity,
            nodes,
            circuits,
            pairs,
            ways,
            loads,
            prices,
            inward,
            fullest,
            steep,
            blunt,
            astray,
        }
    }

    /// Loads and prices anew, from what goes by each way.
    fn price(&mut self) {
        self.loads.fill(0.0);
        for way in self.ways.iter().flatten() {
            for pair in steps(self.nodes, &way.nodes) {
                self.loads[pair] += way.flow / self.capacity.pair(pair);
            }
        }
        self.fullest = self.loads.iter().copied().fold(0.0, f64::max);
        if self.steep == 0.0 {
            self.steep = libm::log(self.circuits.len() as f64 + 1.0) / self.fullest;
        }
        self.inward.fill(f64::INFINITY);
        for at in 0..self.circuits.len() {
            let (i, j) = self.circuits[at];
            self.price_of(i * self.nodes + j);
        }
    }

    fn price_of(&mut self, pair: usize) {
        let above = (self.steep * (self.loads[pair] - self.fullest)).clamp(-RANGE, RANGE);
        let price = libm::exp(above) / self.capacity.pair(pair);
        self.prices[pair] = price;
        self.inward[pair % self.nodes * self.nodes + pair / self.nodes] = price;
    }

    /// What these prices bound throughput by. Keeps the way of each pair that is shortest at them.
    fn bound(&mut self) -> f64 {
        let nodes = self.nodes;
        let (mut worth, mut spent, mut needed) = (0.0, 0.0, 0.0);
        for &(i, j) in &self.circuits {
            let pair = i * nodes + j;
            let all = self.capacity.pair(pair) * self.prices[pair];
            worth += all;
            spent += all * self.loads[pair];
        }
        let mut tree: Option<(usize, Vec<f64>, Vec<usize>)> = None;
        for (&(from, to, rate), ways) in self.pairs.iter().zip(&mut self.ways) {
            if tree.as_ref().is_none_or(|(source, ..)| *source != from) {
                let (lengths, before) = shortest(nodes, &self.prices, from);
                tree = Some((from, lengths, before));
            }
            let Some((_, lengths, before)) = &tree else { continue };
            needed += rate * lengths[to];
            let costs = ways.iter().map(|way| cost(nodes, &self.prices, &way.nodes));
            // What is shorter by rounding alone is no news.
            if lengths[to] < costs.fold(f64::INFINITY, f64::min) * (1.0 - 1e-9) {
                ways.push(Way { nodes: walk(before, from, to), flow: 0.0, cost: lengths[to] });
            }
        }
        self.blunt = self.fullest * worth / spent - 1.0;
        self.astray = spent / needed - 1.0;
        worth / needed
    }

    /// Every pair in turn moves what it sends to cheaper ways.
    fn settle(&mut self, alike: f64) {
        for pair in 0..self.pairs.len() {
            let mut ways = std::mem::take(&mut self.ways[pair]);
            for _ in 0..TURNS.0 + ways.len() / TURNS.1 {
                if !self.turn(pair, &mut ways, alike) {
                    break;
                }
            }
            ways.retain(|way| way.flow > 0.0);
            self.ways[pair] = ways;
        }
    }

    /// From the dearest way of a pair to the cheapest, from the next to the next, until they meet;
    /// whether anything moved.
    fn turn(&mut self, pair: usize, ways: &mut Vec<Way>, alike: f64) -> bool {
        let nodes = self.nodes;
        let (from, to, rate) = self.pairs[pair];
        let mut mean = 0.0;
        for way in &mut *ways {
            way.cost = cost(nodes, &self.prices, &way.nodes);
            mean += way.cost * way.flow / rate;
        }
        let limit = mean * (1.0 - alike);
        let parts = self.prices[from * nodes..].iter().zip(&self.inward[to * nodes..]);
        let known = ways.len();
        for (over, (out, on)) in parts.take(nodes).enumerate() {
            let cost = out + on;
            if cost < limit {
                let new = [from as u16, over as u16, to as u16];
                if ways[..known].iter().all(|way| way.nodes != new) {
                    ways.push(Way { nodes: new.to_vec(), flow: 0.0, cost });
                }
            }
        }
        ways.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let (mut cheap, mut dear, mut moved) = (0, ways.len() - 1, false);
        while cheap < dear {
            if ways[dear].flow > 0.0 {
                moved |= self.shift(ways, (dear, cheap), alike);
                cheap += 1;
            }
            dear -= 1;
        }
        moved
    }

    /// Moves flow from one way to another until they cost the same, as far as prices tell; whether they
    /// did not yet.
    fn shift(&mut self, ways: &mut [Way], (dear, cheap): (usize, usize), alike: f64) -> bool {
        let nodes = self.nodes;
        let [more, less] = [dear, cheap].map(|way| cost(nodes, &self.prices, &ways[way].nodes));
        if more - less <= alike * more {
            return false;
        }
        // How fast the difference shrinks, and the least capacity, whose price rises fastest.
        let (mut slope, mut narrow) = (0.0, f64::INFINITY);
        for pair in [dear, cheap].iter().flat_map(|&way| steps(nodes, &ways[way].nodes)) {
            slope += self.prices[pair] / self.capacity.pair(pair);
            narrow = narrow.min(self.capacity.pair(pair));
        }
        let step = ((more - less) / slope).min(narrow) / self.steep;
        let step = step.min(ways[dear].flow);
        for (way, by) in [(dear, -step), (cheap, step)] {
            ways[way].flow += by;
            for pair in steps(nodes, &ways[way].nodes) {
                self.loads[pair] += by / self.capacity.pair(pair);
                self.price_of(pair);
            }
        }
        true
    }
}

/// Tells how a pair's demand is spread that may fill its circuit to a level: the rest over every node
/// that leads there at once, by what it can carry. By the way at hand if there is no rest or no node.
fn spread(
    capacity: &Capacity,
    (from, to, rate): (usize, usize, f64),
    level: f64,
    way: &[u16],
    each: &mut dyn FnMut(&[u16], f64),
) {
    // A node has no circuit to itself.
    let relay = |over: usize| capacity.share(from, over).min(capacity.share(over, to));
    let direct = rate.min(level * capacity.share(from, to));
    let all: f64 = if direct < rate { (0..capacity.nodes()).map(relay).sum() } else { 0.0 };
    if all == 0.0 {
        return each(way, rate);
    }
    if direct > 0.0 {
        each(&[from as u16, to as u16], direct);
    }
    for over in 0..capacity.nodes() {
        let share = relay(over);
        if share > 0.0 {
            each(&[from as u16, over as u16, to as u16], (rate - direct) * share / all);
        }
    }
}

fn cost(nodes: usize, prices: &[f64], way: &[u16]) -> f64 {
    steps(nodes, way).map(|pair| prices[pair]).sum()
}

/// The pairs of nodes along a way.
fn steps(nodes: usize, way: &[u16]) -> impl Iterator<Item = usize> + '_ {
    way.windows(2).map(move |step| usize::from(step[0]) * nodes + usize::from(step[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::designs::vermilion::{Recipe, Spare, circuits};
    use crate::rounding::Rounding;
    use crate::solve::multi_hop;
    use proptest::prelude::*;
    use raddle_circuits::circuits::Circuits;
    use raddle_circuits::matching::Matching;

    /// Both numbers hold.
    fn hold(found: Within, exact: f64) {
        let room = 1e-7 * exact;
        assert!(found.least <= exact + room && exact - room <= found.most, "{found:?} {exact}");
    }

    /// Both numbers hold, and are not further apart than was asked.
    fn about(found: Within, exact: f64, gap: f64) {
        hold(found, exact);
        assert!(found.gap() <= gap, "{found:?}");
    }

    /// Closed forms (Vermilion, 5): 1/2 of a permutation with circuits to oneself, n/(2(n - 1)) without;
    /// (n - 1)/n of uniform demand; Vermilion of its own ring 1 - 1/(2k).
    #[test]
    fn closed_forms_lie_between_the_two() {
        for nodes in [16, 64] {
            let n = nodes as f64;
            let with = Circuits::complete(nodes, 1, true).capacity(1.0 / n);
            let without = Circuits::complete(nodes, 1, false).capacity(1.0 / (n - 1.0));
            for ring in [pattern::shift(nodes, 1), pattern::shift(nodes, nodes / 2)] {
                about(multi_hop_within(&with, &ring, 2e-3), 0.5, 2e-3);
                about(multi_hop_within(&without, &ring, 2e-3), n / (2.0 * (n - 1.0)), 2e-3);
            }
            about(multi_hop_within(&with, &pattern::uniform(nodes), 1e-9), (n - 1.0) / n, 1e-9);
            let ring = pattern::shift(nodes, 1);
            let rounding = Rounding::Bottleneck;
            let recipe = Recipe { k: 3, l: 1, rounding, self_loops: true, spare: Spare::Random };
            let own = circuits(&ring, &recipe, 1, 0).capacity(1.0 / (3.0 * n));
            about(multi_hop_within(&own, &ring, 0.01), 5.0 / 6.0, 0.01);
        }
    }

    #[test]
    fn hand_checked_examples_of_vermilion_lie_between_the_two() {
        let rotations = |row: [f64; 4]| Demand::of(4, move |i, j| row[(j + 4 - i) % 4]);
        let with = Circuits::complete(4, 1, true).capacity(0.25);
        let without = Circuits::complete(4, 1, false).capacity(1.0 / 3.0);
        // E2 and E4; thousandths of them come in moments.
        let second = rotations([0.0, 0.7, 0.2, 0.1]);
        about(multi_hop_within(&with, &second, 1e-4), 0.576_923_077, 1e-4);
        let fourth = [[0, 2, 1, 1], [1, 0, 2, 1], [1, 1, 0, 2], [2, 1, 1, 0]];
        let fourth = Demand::of(4, |i, j| f64::from(fourth[i][j]));
        about(multi_hop_within(&without, &fourth, 1e-4), 8.0 / 9.0, 1e-4);
    }

    #[test]
    fn a_ring_of_circuits_leaves_long_ways_alone() {
        let ring = Circuits::union(6, [&Matching::shift(6, 1)]).capacity(1.0);
        about(multi_hop_within(&ring, &pattern::shift(6, 5), 1e-9), 0.2, 1e-9);
        let pairs = Matching::new(vec![1, 0, 3, 2]).unwrap();
        let apart = Circuits::union(4, [&pairs]).capacity(1.0);
        let none = multi_hop_within(&apart, &pattern::shift(4, 1), 1e-2);
        assert_eq!((none.least, none.most, none.gap()), (0.0, 0.0, 0.0));
    }

    /// One in `sparse` circuits, and demand of one in `few` pairs.
    fn drawn(nodes: usize, seed: u64, sparse: usize, few: usize) -> (Capacity, Demand) {
        let random = |draw| pattern::find("random").unwrap().demand(nodes, 0.0, seed + draw);
        let (drawn, other) = (random(0), random(1));
        let wanted = |i: usize, j: usize| (i + 2 * j).is_multiple_of(few);
        let demand = Demand::of(nodes, |i, j| if wanted(i, j) { drawn.rate(i, j) } else { 0.0 });
        let mut capacity = Capacity::none(nodes);
        for (i, j) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            let rate = if (i + j).is_multiple_of(sparse) { other.rate(i, j) } else { 0.0 };
            // A ring keeps all reachable.
            capacity.add(i, j, rate + if j == (i + 1) % nodes { 0.05 } else { 0.0 });
        }
        (capacity, demand)
    }

    proptest! {
        /// Sparse and dense circuits of all sizes, and demand of some pairs or all.
        #[test]
        fn the_linear_programs_answer_lies_between_the_two(
            nodes in 3usize..12, seed in 0u64..1 << 40, sparse in 1usize..5, few in 1usize..4,
        ) {
            let (capacity, demand) = drawn(nodes, seed, sparse, few);
            prop_assume!(demand.largest_sum() > 0.0);
            let exact = multi_hop(&capacity, &demand).unwrap();
            let found = multi_hop_within(&capacity, &demand, 0.01);
            hold(found, exact);
            prop_assert_eq!(found, multi_hop_within(&capacity, &demand, 0.01));
            // However early it stops, both hold.
            hold(multi_hop_within(&capacity, &demand, 0.5), exact);
        }
    }

    /// One that all sweeps do not bring within a hundredth: both numbers hold, and tell.
    #[test]
    fn what_does_not_come_near_enough_says_how_near() {
        let (capacity, demand) = drawn(11, 831_136_260_002, 1, 3);
        let found = multi_hop_within(&capacity, &demand, 0.01);
        about(found, multi_hop(&capacity, &demand).unwrap(), 0.014);
        assert!(found.gap() > 0.01, "{found:?}");
    }
}
