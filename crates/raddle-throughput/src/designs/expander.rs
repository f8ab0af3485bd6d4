//! A static expander: a random regular graph that never changes, drawn until it is a good one.
//!
//! The graph is undirected; a node's links go both ways. Mars, section 7.5: its second eigenvalue is
//! at most 2 sqrt(u - 1), that of a Ramanujan graph.

use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::decompose::{decompose, extracted};
use crate::demand::Demand;
use raddle_circuits::circuits::Circuits;
use raddle_schemes::rng::Rng;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "expander",
    title: "static expander",
    paper: "Singla et al., Jellyfish, NSDI 2012; Mars, section 7.5",
    summary: "Static random regular graph: no reconfiguration and almost no delay, but every byte \
              takes several hops.",
};

raddle_schemes::parameters! {
    /// Parameters: those of the fabric alone.
    pub struct Expander with fabric: Fabric {}
}

/// How many graphs are drawn.
const DRAWS: u64 = 2000;
/// Rounds of the power method.
const ROUNDS: usize = 300;

impl Makes for Expander {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        let (nodes, degree) = (demand.nodes(), self.fabric.uplinks as usize);
        if degree >= nodes || degree < 2 || (degree % 2 == 1 && nodes % 2 == 1) {
            let shape = "a regular graph has 2 links a node or more, fewer than nodes, and an even \
                         number of ends";
            return refuse(format!("{degree} uplinks and {nodes} nodes; {shape}"));
        }
        let limit = 2.0 * ((degree - 1) as f64).sqrt();
        let good = (0..DRAWS)
            .filter_map(|draw| drawn(nodes, degree, seed, draw))
            .find(|graph| second_eigenvalue(graph, degree) <= limit + 1e-9);
        let Some(graph) = good else {
            return refuse(format!(
                "no drawn graph of {nodes} nodes with {degree} links has a second eigenvalue of at \
                 most {limit:.4}"
            ));
        };
        let copies = decompose(&graph).map_err(|error| DesignError(error.to_string()))?;
        let diameter = graph.capacity(1.0).diameter();
        let bound = diameter.map(|hops| 0.5 / f64::from(hops));
        let schedule = self.fabric.deal(&extracted(&copies))?;
        Ok(Plan { bound, delay_us: Some(0.0), ..Plan::of(schedule) })
    }
}

/// A simple graph of drawn pairs of link ends; pairs that would repeat a link or join a node to
/// itself are drawn again (Steger and Wormald 1999). `None` if none is left that would not.
fn drawn(nodes: usize, degree: usize, seed: u64, draw: u64) -> Option<Circuits> {
    let mut rng = Rng::new(seed, "expander", draw);
    let mut ends: Vec<usize> = (0..nodes * degree).map(|end| end % nodes).collect();
    let mut graph = Circuits::none(nodes);
    let mut failed = 0;
    while !ends.is_empty() {
        let first = rng.below(ends.len() as u64) as usize;
        let second = rng.below(ends.len() as u64) as usize;
        let (a, b) = (ends[first], ends[second]);
        if a == b || graph.count(a, b) > 0 {
            failed += 1;
            if failed > 200 {
                return None;
            }
            continue;
        }
        failed = 0;
        *graph.at(a, b) = 1;
        *graph.at(b, a) = 1;
        ends.swap_remove(first.max(second));
        ends.swap_remove(first.min(second));
    }
    Some(graph)
}

/// The greatest eigenvalue of a connected regular graph besides its degree, in size.
fn second_eigenvalue(graph: &Circuits, degree: usize) -> f64 {
    let nodes = graph.nodes();
    let mut vector: Vec<f64> = (0..nodes).map(|node| libm::sin(1.0 + node as f64)).collect();
    let mut value = degree as f64;
    // Twice over: an eigenvalue and its negative would take turns.
    for _ in 0..ROUNDS {
        let mean = vector.iter().sum::<f64>() / nodes as f64;
        vector.iter_mut().for_each(|x| *x -= mean);
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        let next = times(graph, &times(graph, &vector));
        value = next.iter().map(|x| x * x).sum::<f64>().sqrt().sqrt();
        vector = next;
    }
    value
}

fn times(graph: &Circuits, vector: &[f64]) -> Vec<f64> {
    let row = |from: usize| {
        graph.row(from).iter().zip(vector).map(|(count, x)| f64::from(*count) * x).sum()
    };
    (0..graph.nodes()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;

    #[test]
    fn the_second_eigenvalue_of_known_graphs_is_found() {
        let complete = Circuits::complete(6, 1, false);
        assert!((second_eigenvalue(&complete, 5) - 1.0).abs() < 1e-9);
        let mut ring = Circuits::none(5);
        for node in 0..5 {
            *ring.at(node, (node + 1) % 5) = 1;
            *ring.at((node + 1) % 5, node) = 1;
        }
        assert!((second_eigenvalue(&ring, 2) - 1.618_034).abs() < 1e-5);
    }

    #[test]
    fn the_graph_is_simple_regular_and_static() {
        let plan = Expander::default().plan(&pattern::uniform(64), 1).unwrap();
        let schedule = &plan.schedules[0].1;
        let circuits = schedule.circuits();
        assert_eq!((schedule.period_slots(), circuits.degree()), (1, Some(4)));
        assert!((0..64).all(|node| circuits.row(node).iter().all(|&count| count <= 1)));
        assert!(second_eigenvalue(&circuits, 4) <= 3.4642);
    }
}
