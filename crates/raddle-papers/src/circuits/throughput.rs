//! What a design carries of a demand.

use super::text::{DemandText, DesignText};
use super::{Answers, or_none};
use raddle_circuits::circuits::Circuits;
use raddle_schemes::family::Raw;
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::designs::{self, Design};
use raddle_throughput::evaluate::{Answer, evaluate};
use raddle_throughput::solve::Lp;

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "throughput",
    title: "what a design of circuit switches carries of a demand",
    paper: "Mars; Vermilion; Vermilion with predictions",
    quantities: &[
        Quantity { name: "single_hop", doc: "over direct circuits alone" },
        Quantity { name: "multi_hop", doc: "over all paths, by the linear program `lp`" },
        Quantity { name: "bound", doc: "what the design guarantees" },
        Quantity { name: "delay_us", doc: "the longest delay" },
        Quantity { name: "buffer_bytes", doc: "memory of a node that the bound needs" },
        Quantity { name: "period_slots", doc: "slots of a period" },
        Quantity { name: "duty", doc: "share of time in which links are up" },
        Quantity { name: "degree", doc: "circuits of each node in a period, idle ones included" },
        Quantity { name: "least_circuits", doc: "of any pair of different nodes in a period" },
    ],
};

raddle_schemes::words! {
    /// Which linear program gives multi-hop throughput.
    pub enum Program {
        /// None: multi-hop throughput is left out.
        None = "none",
        /// Flow is kept at every node.
        Correct = "correct",
        /// That of Vermilion's published code, in which flow circulates.
        Artifact = "artifact",
    }
}

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Throughput {
        /// The demand that comes: its name, or its rows divided by `;`.
        pub demand: DemandText = DemandText("ring".to_owned());
        /// The number behind the demand's name, as in `skew:0.5`.
        pub skew: Option<f64> = None, in 0.0..=1.0;
        /// The demand that the design is made for; `"auto"` for the one that comes.
        pub predicted: Option<DemandText> = None;
        /// Nodes of a demand that has no size of its own.
        pub nodes: u32 = 16, in 2..=512;
        /// The design with its parameters.
        pub design: DesignText = DesignText("round_robin".to_owned());
        /// The design's parameter `k`, so that curves can go along it.
        pub k: Option<u32> = None;
        /// Which linear program gives multi-hop throughput.
        pub lp: Program = Program::None;
    }
}

impl Throughput {
    fn design(&self) -> Result<Box<dyn Design>, String> {
        let mut design = designs::parse(&self.design.0).map_err(|why| why.to_string())?;
        if let Some(k) = self.k {
            let set = design.set("k", Raw::Integer(i64::from(k)));
            set.map_err(|why| format!("{}: k = {k}: {why:?}", self.design.0))?;
        }
        Ok(design)
    }

    fn numbers(&self, seed: u64) -> Result<Vec<f64>, String> {
        let truth = self.demand.demand(self.skew, self.nodes, seed)?;
        let predicted = match &self.predicted {
            Some(text) => text.demand(None, truth.nodes() as u32, seed)?,
            None => truth.clone(),
        };
        let plan = self.design()?.plan(&predicted, seed).map_err(|why| why.to_string())?;
        let lp = match self.lp {
            Program::None => None,
            Program::Correct => Some(Lp::Correct),
            Program::Artifact => Some(Lp::Artifact),
        };
        let answer = evaluate(&plan, &truth, lp).map_err(|why| why.to_string())?;
        let Answer { single_hop, multi_hop, bound, delay_us, buffer_bytes, .. } = answer;
        let period = answer.period_slots.map(|slots| slots as f64);
        let circuits = plan.schedules.first().map(|(_, schedule)| schedule.circuits());
        let degree = circuits.as_ref().and_then(Circuits::degree).map(f64::from);
        let least = circuits.as_ref().and_then(least);
        let numbers = [
            single_hop,
            multi_hop,
            bound,
            delay_us,
            buffer_bytes,
            period,
            answer.duty,
            degree,
            least,
        ];
        Ok(numbers.map(or_none).to_vec())
    }
}

fn least(circuits: &Circuits) -> Option<f64> {
    let nodes = circuits.nodes();
    let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
    let counts = pairs.filter(|(from, to)| from != to).map(|(from, to)| circuits.count(from, to));
    counts.min().map(f64::from)
}

impl Answers for Throughput {
    fn check(&self) -> Result<(), String> {
        self.design()?;
        // Large patterns take a while; a small one tells the same.
        let truth = self.demand.demand(self.skew, self.nodes.min(16), 1)?;
        if let Some(predicted) = &self.predicted {
            let predicted = predicted.demand(None, self.nodes.min(16), 1)?;
            if predicted.nodes() != truth.nodes() {
                return Err(format!("{} nodes predicted of {}", predicted.nodes(), truth.nodes()));
            }
        }
        Ok(())
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        self.numbers(seed).unwrap_or_else(|_| vec![f64::NAN; CARD.quantities.len()])
    }
}
