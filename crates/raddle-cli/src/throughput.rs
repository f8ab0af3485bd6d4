//! `raddle throughput`: how much of a demand a circuit-switched design carries.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::scenario::reader::nearest;
use raddle_schemes::family::{ParameterError, Raw};
use raddle_throughput::demand::{self, Demand, Loaded};
use raddle_throughput::designs::{DESIGNS, Design, Plan, find};
use raddle_throughput::evaluate::{Answer, evaluate};
use raddle_throughput::solve::Lp;
use serde_json::{Value, json};
use std::path::Path;

/// Arguments of `raddle throughput`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The demand: a file (text, .csv, .npy), a pattern (`ring`, `skew:0.5`) or a measured job.
    #[arg(required_unless_present = "list")]
    demand: Option<String>,
    /// The design with its parameters: `vermilion:k=6,rounding=any`.
    #[arg(required_unless_present = "list")]
    design: Option<String>,
    /// Nodes of a pattern.
    #[arg(long, value_name = "N", default_value_t = 16)]
    nodes: usize,
    /// The demand that the design is made for, if it is not the one that comes.
    #[arg(long, value_name = "DEMAND")]
    predicted: Option<String>,
    /// Leave multi-hop throughput out: its linear program is slow for many nodes.
    #[arg(long)]
    single_hop: bool,
    /// Seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// List the designs with their parameters, and the demands that have a name.
    #[arg(long)]
    list: bool,
    /// Print one JSON object (`raddle.throughput/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn throughput(arguments: &Arguments) -> End {
    let (Some(demand), Some(design)) = (&arguments.demand, &arguments.design) else {
        catalogue();
        return End::Done;
    };
    let (plan, truth) = match prepare(arguments, demand, design) {
        Ok(prepared) => prepared,
        Err(why) => return input::refuse_text(&why),
    };
    let lp = (!arguments.single_hop).then_some(Lp::Correct);
    match evaluate(&plan, &truth, lp) {
        Ok(answer) => {
            show(arguments, demand, design, &answer);
            End::Done
        }
        Err(why) => {
            note_line!("error: {why}");
            End::Failed
        }
    }
}

/// The design's plan, and the demand that comes.
fn prepare(arguments: &Arguments, demand: &str, design: &str) -> Result<(Plan, Demand), String> {
    let truth = load(demand, arguments.nodes, arguments.seed)?;
    let predicted = match &arguments.predicted {
        Some(text) => load(text, arguments.nodes, arguments.seed)?,
        None => truth.clone(),
    };
    for warning in
        truth.warnings.iter().chain(arguments.predicted.iter().flat_map(|_| &predicted.warnings))
    {
        note_line!("note: {warning}");
    }
    let (truth, predicted) = (truth.demand, predicted.demand);
    if truth.nodes() != predicted.nodes() {
        let nodes = [predicted.nodes(), truth.nodes()];
        return Err(format!("the prediction has {} nodes, and the demand {}", nodes[0], nodes[1]));
    }
    let plan = parse(design)?.plan(&predicted, arguments.seed);
    let plan = plan.map_err(|why| format!("{design}: {why}"))?;
    plan.notes.iter().for_each(|note| note_line!("note: {note}"));
    Ok((plan, truth))
}

/// A demand from a file, or by its name.
fn load(text: &str, nodes: usize, seed: u64) -> Result<Loaded, String> {
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
fn parse(text: &str) -> Result<Box<dyn Design>, String> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let Some(listed) = find(name) else {
        let names: Vec<&str> = DESIGNS.iter().map(|design| design.card.name).collect();
        let near = nearest(name, names.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("; nearest: `{near}`"));
        return Err(format!("no design `{name}`{near}; designs: {}", names.join(", ")));
    };
    let mut design = (listed.default)();
    for setting in parameters.split(',').filter(|setting| !setting.is_empty()) {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(format!("`{setting}`: expected key=value, as in `vermilion:k=6`"));
        };
        design.set(key, raw(value)).map_err(|error| {
            let why = match error {
                ParameterError::Unknown => {
                    let keys: Vec<&str> = (listed.parameters)().iter().map(|p| p.name).collect();
                    format!("no such parameter; parameters: {}", keys.join(", "))
                }
                ParameterError::Value(expected) => expected,
                ParameterError::Word(words) => format!("expected one of {}", words.join(", ")),
            };
            format!("{name}: {key}={value}: {why}")
        })?;
    }
    Ok(design)
}

fn raw(text: &str) -> Raw<'_> {
    let whole = text.parse().map(Raw::Integer);
    let number = |_| text.parse().map(Raw::Float);
    let flag = |_| text.parse().map(Raw::Flag);
    whole.or_else(number).or_else(flag).unwrap_or(Raw::Text(text))
}

fn show(arguments: &Arguments, demand: &str, design: &str, answer: &Answer) {
    let numbers: [(&str, Option<f64>); 7] = [
        ("single_hop", answer.single_hop),
        ("multi_hop", answer.multi_hop),
        ("bound", answer.bound),
        ("delay_us", answer.delay_us),
        ("buffer_bytes", answer.buffer_bytes),
        ("period_slots", answer.period_slots.map(|slots| slots as f64)),
        ("duty", answer.duty),
    ];
    if arguments.json {
        let mut object = json!({
            "schema": "raddle.throughput/1", "demand": demand, "design": design,
            "seed": arguments.seed,
        });
        for (name, value) in numbers {
            object[name] = value.map_or(Value::Null, |value| json!(value));
        }
        object["period_slots"] = json!(answer.period_slots);
        print_line!("{object}");
        return;
    }
    print_line!("{design} for {demand}");
    for (name, value) in numbers {
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
}
