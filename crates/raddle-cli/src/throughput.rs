//! `raddle throughput`: how much of a demand a circuit-switched design carries.

use super::output::{note_line, print_line};
use super::{End, grid, input};
use raddle::scenario::reader::nearest;
use raddle_throughput::demand::{self, Demand, Loaded};
use raddle_throughput::designs::{self, DESIGNS, Design, ParseError, Plan};
use raddle_throughput::evaluate::{Answer, evaluate};
use raddle_throughput::solve::{Lp, worst_found};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Arguments of `raddle throughput`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The demand: a file (text, .csv, .npy), a pattern (`ring`, `skew:0.5`) or a measured job.
    #[arg(required_unless_present = "list")]
    demand: Option<String>,
    /// The design with its parameters: `vermilion:k=6,rounding=any`.
    #[arg(required_unless_present = "list")]
    design: Option<String>,
    /// One more demand; may be repeated. All combinations with the designs are evaluated.
    #[arg(long = "demand", value_name = "DEMAND", id = "more_demands")]
    demands: Vec<String>,
    /// One more design; may be repeated.
    #[arg(long = "design", value_name = "DESIGN", id = "more_designs")]
    designs: Vec<String>,
    /// Nodes of a pattern.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(super) nodes: usize,
    /// The demand that the design is made for, if it is not the one that comes.
    #[arg(long, value_name = "DEMAND")]
    pub(super) predicted: Option<String>,
    /// Leave multi-hop throughput out: its linear program is slow for many nodes.
    #[arg(long)]
    pub(super) single_hop: bool,
    /// Seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Write each combination into this file as it comes, an object a line; those that it holds are
    /// not evaluated again.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Combinations at a time; else one per core.
    #[arg(long, value_name = "N")]
    pub(super) parallel: Option<usize>,
    /// List the designs with their parameters, and the demands that have a name.
    #[arg(long)]
    list: bool,
    /// Print one JSON object (`raddle.throughput/1`) and nothing else.
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    pub(super) fn all_demands(&self) -> impl Iterator<Item = &str> {
        self.demand.iter().chain(&self.demands).map(String::as_str)
    }

    pub(super) fn all_designs(&self) -> impl Iterator<Item = &str> {
        self.design.iter().chain(&self.designs).map(String::as_str)
    }
}

pub(super) fn throughput(arguments: &Arguments) -> End {
    let (Some(demand), Some(design)) = (&arguments.demand, &arguments.design) else {
        catalogue();
        return End::Done;
    };
    if !arguments.demands.is_empty() || !arguments.designs.is_empty() || arguments.out.is_some() {
        return grid::grid(arguments);
    }
    let prepared = prepare(arguments, demand, design, &mut |note| note_line!("note: {note}"));
    match prepared.map(|prepared| answer(arguments, &prepared)) {
        Ok(Ok(answer)) => {
            show(arguments, demand, design, &answer);
            End::Done
        }
        Ok(Err(why)) => {
            note_line!("error: {why}");
            End::Failed
        }
        Err(why) => input::refuse_text(&why),
    }
}

/// The design's plan, and the demand that comes; `note` hears what a reader of the numbers has to
/// know.
pub(super) fn prepare(
    arguments: &Arguments,
    demand: &str,
    design: &str,
    note: &mut dyn FnMut(&str),
) -> Result<(Plan, Demand), String> {
    if demand == LONGEST_MATCHING {
        return prepare_worst(arguments, design, note);
    }
    let truth = load(demand, arguments.nodes, arguments.seed)?;
    let predicted = match &arguments.predicted {
        Some(text) => load(text, arguments.nodes, arguments.seed)?,
        None => truth.clone(),
    };
    for warning in
        truth.warnings.iter().chain(arguments.predicted.iter().flat_map(|_| &predicted.warnings))
    {
        note(warning);
    }
    let (truth, predicted) = (truth.demand, predicted.demand);
    if truth.nodes() != predicted.nodes() {
        let nodes = [predicted.nodes(), truth.nodes()];
        return Err(format!("the prediction has {} nodes, and the demand {}", nodes[0], nodes[1]));
    }
    let plan = self::design(design)?.plan(&predicted, arguments.seed);
    let plan = plan.map_err(|why| format!("{design}: {why}"))?;
    plan.notes.iter().for_each(|text| note(text));
    Ok((plan, truth))
}

/// The demand that a design's own circuits make: its name.
pub(super) const LONGEST_MATCHING: &str = "longest_matching";
/// How many longest matchings are tried; the one that least is carried of is taken.
const DRAWS: u64 = 8;

/// The plan for the prediction, or for uniform demand, and the worst longest matching found for it.
fn prepare_worst(
    arguments: &Arguments,
    design: &str,
    note: &mut dyn FnMut(&str),
) -> Result<(Plan, Demand), String> {
    let text = arguments.predicted.as_deref().unwrap_or("uniform");
    let predicted = load(text, arguments.nodes, arguments.seed)?;
    predicted.warnings.iter().for_each(|warning| note(warning));
    let plan = self::design(design)?.plan(&predicted.demand, arguments.seed);
    let plan = plan.map_err(|why| format!("{design}: {why}"))?;
    plan.notes.iter().for_each(|text| note(text));
    let [(_, schedule)] = &plan.schedules[..] else {
        let schedules = plan.schedules.len();
        return Err(format!("{LONGEST_MATCHING} needs one schedule; {design} has {schedules}"));
    };
    let found = worst_found(&schedule.capacity(), arguments.seed, DRAWS);
    let (_, worst) = found
        .map_err(|why| why.to_string())?
        .ok_or_else(|| format!("{LONGEST_MATCHING}: {design} leaves some pair without a path"))?;
    note(&format!("made for {text}; the least of {DRAWS} longest matchings"));
    Ok((plan, worst))
}

/// The numbers of what was prepared.
pub(super) fn answer(
    arguments: &Arguments,
    (plan, truth): &(Plan, Demand),
) -> Result<Answer, String> {
    let lp = (!arguments.single_hop).then_some(Lp::Correct);
    evaluate(plan, truth, lp).map_err(|why| why.to_string())
}

/// A demand from a file, or by its name.
pub(super) fn load(text: &str, nodes: usize, seed: u64) -> Result<Loaded, String> {
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
pub(super) fn design(text: &str) -> Result<Box<dyn Design>, String> {
    designs::parse(text).map_err(|why| {
        let near = match &why {
            ParseError::Design(name) => nearest(name, DESIGNS.iter().map(|d| d.card.name)),
            ParseError::Parameter { name, names, .. } => nearest(name, names.iter().copied()),
            ParseError::Setting(_) | ParseError::Value { .. } => None,
        };
        near.map_or_else(|| why.to_string(), |near| format!("{why}; nearest: `{near}`"))
    })
}

fn numbers(answer: &Answer) -> [(&'static str, Option<f64>); 7] {
    [
        ("single_hop", answer.single_hop),
        ("multi_hop", answer.multi_hop),
        ("bound", answer.bound),
        ("delay_us", answer.delay_us),
        ("buffer_bytes", answer.buffer_bytes),
        ("period_slots", answer.period_slots.map(|slots| slots as f64)),
        ("duty", answer.duty),
    ]
}

/// The object of `raddle.throughput/1`.
pub(super) fn object(arguments: &Arguments, demand: &str, design: &str, answer: &Answer) -> Value {
    let mut object = json!({
        "schema": "raddle.throughput/1", "demand": demand, "design": design,
        "seed": arguments.seed,
    });
    for (name, value) in numbers(answer) {
        object[name] = value.map_or(Value::Null, |value| json!(value));
    }
    object["period_slots"] = json!(answer.period_slots);
    object
}

fn show(arguments: &Arguments, demand: &str, design: &str, answer: &Answer) {
    if arguments.json {
        print_line!("{}", object(arguments, demand, design, answer));
        return;
    }
    print_line!("{design} for {demand}");
    for (name, value) in numbers(answer) {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
        print_line!("  {name:12}  {value:>14}");
    }
}

fn catalogue() {
    for design in DESIGNS {
        print_line!("{}: {}", design.card.name, design.card.summary);
        for parameter in (design.parameters)() {
            print_line!("    {} = {}: {}", parameter.name, parameter.default, parameter.doc);
        }
    }
    print_line!("demands: {}", demand::names().join(", "));
    print_line!("and {LONGEST_MATCHING}: the worst that is found for the design's own circuits");
}
