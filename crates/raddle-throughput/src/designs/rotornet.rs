//! RotorNet (Mellette et al., SIGCOMM 2017): rotor switches that together emulate the complete
//! graph; each cycles through its own part of the matchings.
//!
//! Reading: matchings are symmetric, as in RotorNet's switches, which join ports both ways: node i
//! meets t - i in matching t. A node whose double is t meets itself and is idle.

use super::{Card, DesignError, Fabric, Makes, Plan, oblivious};
use crate::demand::Demand;
use raddle_circuits::matching::Matching;
use raddle_schemes::rng::Rng;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "rotornet",
    title: "RotorNet",
    paper: "Mellette et al., RotorNet, SIGCOMM 2017; Mars, section 7.2",
    summary: "All rotors step together through the complete graph. Throughput of 1/2 in the worst \
              case if nodes can buffer a period; long delay.",
};

raddle_schemes::parameters! {
    /// Parameters: those of the fabric alone.
    pub struct RotorNet with fabric: Fabric {}
}

/// The symmetric matchings of the complete graph, one self-loop a node.
pub(super) fn symmetric(nodes: usize) -> Vec<Matching> {
    let target = |turn: usize, node: usize| ((turn + nodes - node) % nodes) as u16;
    (0..nodes).map(|turn| Matching::of((0..nodes).map(|i| target(turn, i)).collect())).collect()
}

impl Makes for RotorNet {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        let mut matchings = symmetric(demand.nodes());
        Rng::new(seed, "rotornet", 0).shuffle(&mut matchings);
        oblivious(&self.fabric, demand.nodes(), &matchings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_circuits::circuits::Circuits;

    #[test]
    fn symmetric_matchings_make_the_complete_graph() {
        for nodes in [2, 5, 8] {
            let matchings = symmetric(nodes);
            assert_eq!(Circuits::union(nodes, &matchings), Circuits::complete(nodes, 1, true));
            assert!(matchings.iter().all(|m| m.all().all(|(i, j)| m.target(j) == i)));
        }
    }
}
