//! Demands that have a name. Every node sends 1 in all, unless said otherwise.

use super::Demand;
use raddle_schemes::rng::Rng;

/// A named demand.
pub struct Pattern {
    /// Its word.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Whether a number from 0 to 1 follows the word, as in `skew:0.5`.
    pub argument: bool,
    make: fn(usize, f64, u64) -> Demand,
}

/// Every pattern.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "uniform",
        doc: "every node sends to all others alike",
        argument: false,
        make: |nodes, _, _| uniform(nodes),
    },
    Pattern {
        name: "ring",
        doc: "node i sends to i + 1",
        argument: false,
        make: |nodes, _, _| shift(nodes, 1),
    },
    Pattern {
        name: "reverse_ring",
        doc: "node i sends to i - 1",
        argument: false,
        make: |nodes, _, _| shift(nodes, nodes - 1),
    },
    Pattern {
        name: "permutation",
        doc: "node i sends to i + n/2, as in the published matrices of Vermilion",
        argument: false,
        make: |nodes, _, _| shift(nodes, nodes / 2),
    },
    Pattern {
        name: "random_permutation",
        doc: "every node sends to one other, drawn",
        argument: false,
        make: |nodes, _, seed| random_permutation(nodes, seed),
    },
    Pattern {
        name: "skew",
        doc: "skew:A is A times `permutation` and 1 - A times `uniform`",
        argument: true,
        make: |nodes, skew, _| mix(&shift(nodes, nodes / 2), &uniform(nodes), skew),
    },
    Pattern {
        name: "skew_ring",
        doc: "skew_ring:A is A times `ring` and 1 - A times `uniform`",
        argument: true,
        make: |nodes, skew, _| mix(&shift(nodes, 1), &uniform(nodes), skew),
    },
    Pattern {
        name: "chessboard",
        doc: "1.5 units to nodes of the other colour, 0.5 to one's own (i + j even)",
        argument: false,
        make: |nodes, _, _| {
            let units = |i: usize, j: usize| if (i + j) % 2 == 1 { 1.5 } else { 0.5 };
            Demand::of(nodes, units).normalised()
        },
    },
    Pattern {
        name: "random",
        doc: "rates drawn uniformly, scaled so that the busiest node sends or receives 1",
        argument: false,
        make: |nodes, _, seed| random(nodes, seed),
    },
];

impl Pattern {
    /// The demand of this many nodes, at least 2; `argument` and `seed` where the pattern has them.
    pub fn demand(&self, nodes: usize, argument: f64, seed: u64) -> Demand {
        (self.make)(nodes, argument, seed)
    }
}

/// The pattern of this name.
pub fn find(name: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.name == name)
}

/// Every node sends to all others alike.
pub fn uniform(nodes: usize) -> Demand {
    Demand::of(nodes, |_, _| 1.0 / (nodes - 1) as f64)
}

/// Node i sends to i + `by`, around.
pub fn shift(nodes: usize, by: usize) -> Demand {
    Demand::of(nodes, |from, to| if to == (from + by) % nodes { 1.0 } else { 0.0 })
}

/// `share` of one demand and the rest of another.
pub fn mix(one: &Demand, other: &Demand, share: f64) -> Demand {
    let rate = |i, j| share * one.rate(i, j) + (1.0 - share) * other.rate(i, j);
    Demand::of(one.nodes(), rate)
}

/// Every node sends to one other and receives from one: a drawn cycle through all nodes.
pub fn random_permutation(nodes: usize, seed: u64) -> Demand {
    let mut order: Vec<usize> = (0..nodes).collect();
    Rng::new(seed, "random_permutation", 0).shuffle(&mut order);
    let mut target = vec![0; nodes];
    (0..nodes).for_each(|at| target[order[at]] = order[(at + 1) % nodes]);
    Demand::of(nodes, |from, to| if target[from] == to { 1.0 } else { 0.0 })
}

fn random(nodes: usize, seed: u64) -> Demand {
    let mut rng = Rng::new(seed, "random_demand", 0);
    let rates: Vec<f64> = (0..nodes * nodes).map(|_| 1.0 - rng.unit()).collect();
    Demand::of(nodes, |from, to| rates[from * nodes + to]).normalised()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_keeps_to_a_nodes_capacity() {
        for pattern in PATTERNS {
            for nodes in [2, 5, 16] {
                let demand = pattern.demand(nodes, 0.3, 1);
                let largest = demand.largest_sum();
                assert!((largest - 1.0).abs() < 1e-9, "{} {nodes}: {largest}", pattern.name);
            }
        }
    }

    #[test]
    fn a_chessboard_has_a_row_sum_of_7_5_units_with_8_nodes() {
        let demand = find("chessboard").unwrap().demand(8, 0.0, 1);
        assert!((demand.rate(0, 1) - 1.5 / 7.5).abs() < 1e-12);
        assert!((demand.rate(0, 2) - 0.5 / 7.5).abs() < 1e-12);
    }

    #[test]
    fn a_skewed_demand_mixes_both() {
        let demand = find("skew").unwrap().demand(16, 0.5, 1);
        assert!((demand.rate(0, 8) - (0.5 + 0.5 / 15.0)).abs() < 1e-12);
        assert!((demand.rate(0, 1) - 0.5 / 15.0).abs() < 1e-12);
    }
}
