//! How much of a demand a circuit-switched design carries, as the doors to it share it: demands and
//! designs from texts, numbers as JSON (`raddle.throughput/1`).

mod grid;

pub use grid::{Grid, Kept};

use crate::scenario::reader::nearest;
use raddle_throughput::demand::{self, Demand, Loaded};
use raddle_throughput::designs::{self, DESIGNS, Design, ParseError, Plan};
use raddle_throughput::evaluate::{Answer, evaluate, evaluate_within};
use raddle_throughput::solve::{Lp, worst_found};
use serde_json::{Value, json};
use std::path::Path;

/// The demand that a design's own circuits make: its name.
pub const LONGEST_MATCHING: &str = "longest_matching";
/// How many longest matchings are tried; the one that least is carried of is taken.
const DRAWS: u64 = 8;

/// What is asked of every demand and design.
#[derive(Clone, Debug)]
pub struct Question {
    /// Nodes of a pattern.
    pub nodes: usize,
    /// The demand that a design is made for, if it is not the one that comes.
    pub predicted: Option<String>,
    /// Whether multi-hop throughput is left out.
    pub single_hop: bool,
    /// How far a bound of multi-hop throughput is at most from what a flow carries, of that; it is
    /// solved exactly without.
    pub within: Option<f64>,
    /// Seed of what is drawn.
    pub seed: u64,
}

impl Question {
    /// The design's plan, and the demand that comes; `note` hears what a reader of the numbers has
    /// to know.
    ///
    /// # Errors
    /// What is wrong with a text, or why the design has no plan for the demand.
    pub fn prepare(
        &self,
        demand: &str,
        design: &str,
        note: &mut dyn FnMut(&str),
    ) -> Result<(Plan, Demand), String> {
        if demand == LONGEST_MATCHING {
            return self.prepare_worst(design, note);
        }
        let truth = load(demand, self.nodes, self.seed)?;
        let predicted = match &self.predicted {
            Some(text) => load(text, self.nodes, self.seed)?,
            None => truth.clone(),
        };
        let of_predicted = self.predicted.iter().flat_map(|_| &predicted.warnings);
        truth.warnings.iter().chain(of_predicted).for_each(|warning| note(warning));
        let (truth, predicted) = (truth.demand, predicted.demand);
        if truth.nodes() != predicted.nodes() {
            let nodes = [predicted.nodes(), truth.nodes()];
            return Err(format!(
                "the prediction has {} nodes, and the demand {}",
                nodes[0], nodes[1]
            ));
        }
        let plan = self::design(design)?.plan(&predicted, self.seed);
        let plan = plan.map_err(|why| format!("{design}: {why}"))?;
        plan.notes.iter().for_each(|text| note(text));
        Ok((plan, truth))
    }

    /// The plan for the prediction, or for uniform demand, and the worst longest matching found for
    /// it.
    fn prepare_worst(
        &self,
        design: &str,
        note: &mut dyn FnMut(&str),
    ) -> Result<(Plan, Demand), String> {
        let text = self.predicted.as_deref().unwrap_or("uniform");
        let predicted = load(text, self.nodes, self.seed)?;
        predicted.warnings.iter().for_each(|warning| note(warning));
        let plan = self::design(design)?.plan(&predicted.demand, self.seed);
        let plan = plan.map_err(|why| format!("{design}: {why}"))?;
        plan.notes.iter().for_each(|text| note(text));
        let [(_, schedule)] = &plan.schedules[..] else {
            let schedules = plan.schedules.len();
            return Err(format!("{LONGEST_MATCHING} needs one schedule; {design} has {schedules}"));
        };
        let found = worst_found(&schedule.capacity(), self.seed, DRAWS);
        let (_, worst) = found.map_err(|why| why.to_string())?.ok_or_else(|| {
            format!("{LONGEST_MATCHING}: {design} leaves some pair without a path")
        })?;
        note(&format!("made for {text}; the least of {DRAWS} longest matchings"));
        Ok((plan, worst))
    }

    /// The numbers of what was prepared.
    ///
    /// # Errors
    /// Why a linear program has no answer.
    pub fn answer(&self, (plan, truth): &(Plan, Demand)) -> Result<Answer, String> {
        if let Some(gap) = self.within.filter(|_| !self.single_hop) {
            return Ok(evaluate_within(plan, truth, gap));
        }
        let lp = (!self.single_hop).then_some(Lp::Correct);
        evaluate(plan, truth, lp).map_err(|why| why.to_string())
    }

    /// The object of `raddle.throughput/1`.
    pub fn object(&self, demand: &str, design: &str, answer: &Answer) -> Value {
        let mut object = json!({
            "schema": "raddle.throughput/1", "demand": demand, "design": design, "seed": self.seed,
        });
        for (name, value) in numbers(answer) {
            object[name] = value.map_or(Value::Null, |value| json!(value));
        }
        object["period_slots"] = json!(answer.period_slots);
        object
    }
}

/// A demand from a file, or by its name.
///
/// # Errors
/// What is wrong with the file, or that there is no such name.
pub fn load(text: &str, nodes: usize, seed: u64) -> Result<Loaded, String> {
    let path = Path::new(text);
    if path.is_file() {
        let bytes = std::fs::read(path).map_err(|error| format!("{text}: {error}"))?;
        return demand::read(text, &bytes).map_err(|why| format!("{text}: {why}"));
    }
    let named = demand::named(text, nodes, seed);
    let demand = named.map_err(|why| format!("{text}: {why}"))?;
    Ok(Loaded { demand, warnings: Vec::new() })
}

/// A design with its parameters, from `NAME:key=value,..`.
///
/// # Errors
/// What is wrong with the text, with the nearest valid word.
pub fn design(text: &str) -> Result<Box<dyn Design>, String> {
    designs::parse(text).map_err(|why| {
        let near = match &why {
            ParseError::Design(name) => nearest(name, DESIGNS.iter().map(|d| d.card.name)),
            ParseError::Parameter { name, names, .. } => nearest(name, names.iter().copied()),
            ParseError::Setting(_) | ParseError::Twice(_) | ParseError::Value { .. } => None,
        };
        near.map_or_else(|| why.to_string(), |near| format!("{why}; nearest: `{near}`"))
    })
}

fn numbers(answer: &Answer) -> [(&'static str, Option<f64>); 8] {
    [
        ("single_hop", answer.single_hop),
        ("multi_hop", answer.multi_hop),
        ("multi_hop_found", answer.multi_hop_found),
        ("bound", answer.bound),
        ("delay_us", answer.delay_us),
        ("buffer_bytes", answer.buffer_bytes),
        ("period_slots", answer.period_slots.map(|slots| slots as f64)),
        ("duty", answer.duty),
    ]
}

/// The answer in words.
pub fn text(demand: &str, design: &str, answer: &Answer) -> String {
    // What is solved is found and bound at once.
    let told = numbers(answer).into_iter();
    let told = told.filter(|(name, value)| *name != "multi_hop_found" || value.is_some());
    let told: Vec<_> = told.collect();
    let cells = told.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = told.into_iter().map(|(name, value)| {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
        format!("\n  {name:cells$}  {value:>14}")
    });
    format!("{design} for {demand}{}", lines.collect::<String>())
}

/// The designs with their parameters, and the demands that have a name.
pub fn catalogue() -> String {
    let mut lines = Vec::new();
    for design in DESIGNS {
        lines.push(format!("{}: {}", design.card.name, design.card.summary));
        for parameter in (design.parameters)() {
            let (name, default, doc) = (parameter.name, parameter.default, parameter.doc);
            lines.push(format!("    {name} = {default}: {doc}"));
        }
    }
    lines.push(format!("demands: {}", demand::names().join(", ")));
    lines.push(format!(
        "and {LONGEST_MATCHING}: the worst that is found for the design's own circuits"
    ));
    lines.join("\n")
}
