//! Mars (Addanki, Avin, Schmid, SIGMETRICS 2023): an oblivious schedule that emulates a de Bruijn
//! graph, of a degree that the delay and the memory of its nodes allow.
//!
//! Reading: the degree is rounded down to a multiple of the uplinks, so that every switch holds as
//! many matchings, and is at least one slot of them. The root is the larger of the two (Theorem 18;
//! the worked example has 4.82), rounded down.

use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::bounds;
use crate::decompose::{decompose, extracted};
use crate::demand::Demand;
use raddle_circuits::circuits::Circuits;
use raddle_circuits::matching::Matching;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Span};

/// What it says of itself.
pub const CARD: Card = Card {
    name: "mars",
    title: "Mars",
    paper: "Addanki, Avin, Schmid, Mars: near-optimal throughput with shallow buffers in \
            reconfigurable datacenter networks, SIGMETRICS 2023",
    summary: "Emulates a de Bruijn graph whose degree fits a delay or a buffer: between a static \
              expander and the complete graph. For shallow buffers and any demand.",
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Mars with fabric: Fabric {
        /// The longest delay that is wanted; `"auto"` for any.
        pub delay: Option<Span> = None;
        /// Memory of a node; `"auto"` for as much as it takes.
        pub buffer: Option<Bytes> = None;
        /// The degree of the emulated graph; `"auto"` takes the greatest that delay and buffer
        /// allow.
        pub degree: Option<u32> = None, in 2..=4096;
        /// Whether a degree is rounded down to a multiple of the uplinks.
        pub multiple: bool = true;
    }
}

impl Mars {
    /// The degree for this many nodes.
    fn degree(&self, nodes: usize) -> Result<u32, DesignError> {
        let Fabric { uplinks, rate, slot, .. } = self.fabric;
        let budget = [("delay", self.delay.is_some()), ("buffer", self.buffer.is_some())];
        let idle = budget.into_iter().find(|(_, given)| *given && self.degree.is_some());
        if let Some((key, _)) = idle {
            return refuse(format!("`{key}` has no effect beside `degree`: leave one of them out"));
        }
        if let Some(degree) = self.degree.filter(|degree| *degree > nodes as u32) {
            return refuse(format!(
                "a degree of {degree} with {nodes} nodes; expected 2 to {nodes}"
            ));
        }
        let mut degree = self.degree.unwrap_or(nodes as u32);
        if self.degree.is_none() {
            if let Some(budget) = self.delay {
                let Some(most) = bounds::degree_by_delay(nodes, uplinks, slot, budget) else {
                    let least = bounds::shortest_delay(nodes, uplinks, slot) * 1e6;
                    return refuse(format!(
                        "no degree has a delay of {budget}; the shortest is {least:.2} us"
                    ));
                };
                degree = degree.min(most);
            }
            if let Some(buffer) = self.buffer {
                degree = degree.min(bounds::degree_by_buffer(buffer, rate, slot));
            }
        }
        if self.multiple {
            degree = (degree / uplinks * uplinks).max(uplinks);
        }
        if degree < 2 || degree > nodes as u32 {
            return refuse(format!(
                "a degree of {degree} with {nodes} nodes; expected 2 to {nodes}"
            ));
        }
        Ok(degree)
    }
}

/// The edges of the generalised de Bruijn graph: from u to u d + a for a from 0 to d - 1, around.
pub fn de_bruijn(nodes: usize, degree: usize) -> Circuits {
    let mut circuits = Circuits::none(nodes);
    for from in 0..nodes {
        (0..degree).for_each(|digit| *circuits.at(from, (from * degree + digit) % nodes) += 1);
    }
    circuits
}

/// The same as matchings: in closed form if the degree divides the nodes, else by splitting.
pub fn matchings(nodes: usize, degree: usize) -> Vec<Matching> {
    if !nodes.is_multiple_of(degree) {
        return decompose(&de_bruijn(nodes, degree)).map_or_else(|_| Vec::new(), |c| extracted(&c));
    }
    let target = |turn: usize, from: usize| {
        (degree * from + (from * degree / nodes + turn) % degree) % nodes
    };
    let turn = |turn| Matching::of((0..nodes).map(|from| target(turn, from) as u16).collect());
    (0..degree).map(turn).collect()
}

impl Makes for Mars {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        let nodes = demand.nodes();
        let degree = self.degree(nodes)?;
        let mut matchings = matchings(nodes, degree as usize);
        Rng::new(seed, "mars", 0).shuffle(&mut matchings);
        let schedule = self.fabric.deal(&matchings)?;
        let diameter = schedule.capacity().diameter();
        let mut plan = Plan::of(schedule);
        // With the true diameter; the logarithm is no bound where the nodes are no power of the
        // degree.
        plan.bound = diameter.map(|hops| 0.5 / f64::from(hops));
        let Fabric { uplinks, rate, slot, .. } = self.fabric;
        let is_static = degree <= uplinks;
        let (delay, buffer) = if is_static {
            (0.0, 0.0)
        } else {
            let real = f64::from(degree);
            (bounds::mars_delay(nodes, uplinks, slot, real), bounds::mars_buffer(real, rate, slot))
        };
        plan.delay_us = Some(delay * 1e6);
        plan.buffer_bytes = Some(buffer);
        if let Some(note) = self.fabric.idle_note(matchings.len()) {
            plan.bound = None;
            plan.notes.push(note);
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::{multi_hop, worst_found};

    #[test]
    fn the_de_bruijn_graph_of_4_nodes_is_as_printed() {
        let circuits = de_bruijn(4, 2);
        let row = |from: usize| circuits.row(from).to_vec();
        assert_eq!((row(0), row(1)), (vec![1, 1, 0, 0], vec![0, 0, 1, 1]));
        assert_eq!((row(2), row(3)), (vec![1, 1, 0, 0], vec![0, 0, 1, 1]));
        let matching = |targets: [u16; 4]| Matching::new(targets.to_vec()).unwrap();
        assert_eq!(matchings(4, 2), [matching([0, 2, 1, 3]), matching([1, 3, 0, 2])]);
    }

    #[test]
    fn the_closed_form_makes_the_graph() {
        for (nodes, degree) in
            [(4, 2), (8, 2), (9, 3), (16, 2), (16, 4), (16, 8), (27, 3), (64, 8), (16, 3), (10, 4)]
        {
            let matchings = matchings(nodes, degree);
            assert_eq!(matchings.len(), degree);
            assert_eq!(Circuits::union(nodes, &matchings), de_bruijn(nodes, degree));
        }
    }

    #[test]
    fn sixty_four_nodes_of_degree_8_are_two_hops_wide() {
        let circuits = de_bruijn(64, 8);
        let capacity = circuits.capacity(0.125);
        assert_eq!(capacity.diameter(), Some(2));
        let (between_others, _) = capacity.mean_hops().unwrap();
        assert!((between_others - 1.875).abs() < 1e-9, "{between_others}");
        assert_eq!((0..64).filter(|&node| circuits.count(node, node) == 1).count(), 8);
        assert!((0..64).all(|node| circuits.row(node).iter().all(|&count| count <= 1)));
        let mars = Mars { degree: Some(8), ..Mars::default() };
        let plan = mars.plan(&pattern::uniform(64), 1).unwrap();
        assert_eq!(plan.schedules[0].1.period_slots(), 2);
    }

    #[test]
    fn budgets_choose_the_degree_of_the_worked_example() {
        let fabric = Fabric {
            uplinks: 2,
            rate: raddle_schemes::units::Rate::gbps(400),
            slot: Span::us(100),
            dark: Span::us(10),
        };
        let degree = |delay, buffer| {
            Mars { fabric: fabric.clone(), delay, buffer, ..Mars::default() }.degree(16)
        };
        let mb = |mb: u64| Some(Bytes(mb * 1_000_000));
        assert_eq!(degree(Some(Span::us(850)), None), Ok(4));
        assert_eq!(degree(Some(Span::us(800)), None), Ok(4));
        assert_eq!(degree(Some(Span::us(1600)), None), Ok(16));
        assert_eq!(degree(None, mb(20)), Ok(4));
        assert_eq!(degree(None, mb(80)), Ok(16));
        assert_eq!(degree(Some(Span::us(1600)), mb(20)), Ok(4));
        let why = degree(Some(Span::us(750)), None).unwrap_err().to_string();
        assert!(why.contains("the shortest is 753.67 us"), "{why}");
    }

    #[test]
    fn a_degree_that_is_given_is_the_one_that_there_is() {
        let of = |degree, delay, buffer| {
            let mars = Mars { degree: Some(degree), delay, buffer, ..Mars::default() };
            mars.degree(16).map_err(|error| error.to_string())
        };
        assert_eq!(of(16, None, None), Ok(16));
        let too_high = "a degree of 17 with 16 nodes; expected 2 to 16";
        assert_eq!(of(17, None, None), Err(too_high.to_owned()));
        for (delay, buffer, key) in
            [(Some(Span::us(900)), None, "delay"), (None, Some(Bytes(1)), "buffer")]
        {
            let why = of(4, delay, buffer).unwrap_err();
            assert_eq!(
                why,
                format!("`{key}` has no effect beside `degree`: leave one of them out")
            );
        }
    }

    #[test]
    fn a_static_degree_has_no_dark_time() {
        let mars = Mars { degree: Some(4), ..Mars::default() };
        let plan = mars.plan(&pattern::uniform(16), 1).unwrap();
        assert_eq!(plan.schedules[0].1.duty(), 1.0);
        assert_eq!(plan.delay_us, Some(0.0));
    }

    #[test]
    fn longest_matchings_take_what_recomputation_found() {
        for (nodes, degree, expected, room) in
            [(4, 2, 0.3333, 1e-3), (8, 2, 0.25, 1e-3), (16, 2, 0.1944, 1e-3), (16, 8, 0.3333, 1e-3)]
        {
            let capacity = de_bruijn(nodes, degree).capacity(1.0 / degree as f64);
            let (theta, _) = worst_found(&capacity, 1, 8).unwrap().unwrap();
            assert!((theta - expected).abs() < room, "{nodes} {degree}: {theta}");
        }
        for (nodes, degree, most) in [(9, 3, 0.3334), (16, 4, 0.344)] {
            let capacity = de_bruijn(nodes, degree).capacity(1.0 / degree as f64);
            let (theta, _) = worst_found(&capacity, 1, 8).unwrap().unwrap();
            assert!(theta <= most, "{nodes} {degree}: {theta}");
        }
    }

    #[test]
    fn another_order_of_the_matchings_changes_no_throughput() {
        let demand = pattern::find("random").unwrap().demand(16, 0.0, 1);
        let mars = Mars { degree: Some(8), ..Mars::default() };
        let theta = |seed| {
            let plan = mars.plan(&demand, seed).unwrap();
            multi_hop(&plan.schedules[0].1.capacity(), &demand).unwrap()
        };
        assert!((theta(1) - theta(2)).abs() < 1e-9);
    }
}
