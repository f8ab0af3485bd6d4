//! `raddle schedule`: the matchings of a design for a demand, as files and as a picture.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::study::place::at;
use raddle::throughput;
use raddle_circuits::schedule::{Schedule, Steps};
use raddle_papers::schedule::picture;
use raddle_throughput::designs::Plan;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Arguments of `raddle schedule`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The demand: a file (text, .csv, .npy), a pattern (`ring`, `skew:0.5`) or a measured job.
    demand: String,
    /// The design with its parameters: `vermilion:k=6,rounding=any`.
    design: String,
    /// Where to write: FILE.json, FILE.csv and FILE.svg.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Nodes of a pattern.
    #[arg(long, value_name = "N", default_value_t = 16)]
    nodes: usize,
    /// Seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub(super) fn schedule(arguments: &Arguments) -> End {
    let plan = match plan(arguments) {
        Ok(plan) => plan,
        Err(why) => return input::refuse_text(&why),
    };
    match write(arguments, &plan) {
        Ok(written) => {
            written.iter().for_each(|path| print_line!("wrote {}", path.display()));
            End::Done
        }
        Err(why) => {
            note_line!("error: {why}");
            End::Failed
        }
    }
}

fn plan(arguments: &Arguments) -> Result<Plan, String> {
    let Arguments { demand, design, .. } = arguments;
    let loaded = throughput::load(demand, arguments.nodes, arguments.seed)?;
    loaded.warnings.iter().for_each(|warning| note_line!("note: {warning}"));
    let plan = throughput::design(design)?.plan(&loaded.demand, arguments.seed);
    let plan = plan.map_err(|why| format!("{design}: {why}"))?;
    plan.notes.iter().for_each(|note| note_line!("note: {note}"));
    if plan.schedules.is_empty() {
        return Err(format!("{design} switches packets: it has no circuits and no schedule"));
    }
    Ok(plan)
}

fn write(arguments: &Arguments, plan: &Plan) -> Result<Vec<PathBuf>, String> {
    let mut written = Vec::new();
    let mut keep = |ending: &str, text: &str| {
        // Not `with_extension`, which would take "job.1" for "job".
        let mut name = arguments.out.as_os_str().to_owned();
        name.push(ending);
        let path = PathBuf::from(name);
        std::fs::write(&path, text).map_err(|error| at(&path, error))?;
        written.push(path);
        Ok::<(), String>(())
    };
    if let Some(folder) = arguments.out.parent().filter(|folder| *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    }
    keep(".json", &format!("{}\n", json_of(arguments, plan)))?;
    keep(".csv", &csv_of(plan))?;
    let single = plan.schedules.len() == 1;
    for (place, (chance, schedule)) in plan.schedules.iter().enumerate() {
        let title = format!("{} for {}", arguments.design, arguments.demand);
        let (ending, title) = match single {
            true => (".svg".to_owned(), title),
            false => (format!(".{place}.svg"), format!("{title}, drawn with chance {chance:.4}")),
        };
        keep(&ending, &picture(&title, schedule))?;
    }
    Ok(written)
}

fn json_of(arguments: &Arguments, plan: &Plan) -> Value {
    let schedules = plan.schedules.iter().map(|(chance, schedule)| {
        let targets = |list: &[raddle_circuits::matching::Matching]| -> Vec<Vec<usize>> {
            list.iter().map(|matching| matching.all().map(|(_, to)| to).collect()).collect()
        };
        let switches: Vec<_> = schedule.switches().iter().map(|list| targets(list)).collect();
        let lengths: Vec<f64> = schedule.slots().iter().map(|slot| slot.as_us()).collect();
        json!({
            "chance": chance,
            "nodes": schedule.nodes(),
            "steps": steps(schedule),
            "dark_us": schedule.dark().as_us(),
            "period_us": schedule.period().as_us(),
            "duty": schedule.duty(),
            "slots_us": lengths,
            "switches": switches,
        })
    });
    json!({
        "schema": "raddle.schedule/1",
        "demand": arguments.demand,
        "design": arguments.design,
        "seed": arguments.seed,
        "notes": plan.notes,
        "schedules": schedules.collect::<Vec<_>>(),
    })
}

fn steps(schedule: &Schedule) -> &'static str {
    match schedule.steps() {
        Steps::Static => "static",
        Steps::Together => "together",
        Steps::Staggered => "staggered",
    }
}

/// A row a circuit; idle nodes have none.
fn csv_of(plan: &Plan) -> String {
    let mut text = String::from("schedule,switch,slot,start_us,length_us,dark,from,to\n");
    for (place, (_, schedule)) in plan.schedules.iter().enumerate() {
        for (switch, list) in schedule.switches().iter().enumerate() {
            let mut start = raddle_schemes::units::Span::ZERO;
            for (slot, (matching, length)) in list.iter().zip(schedule.slots()).enumerate() {
                let (at, long) = (start.as_us(), length.as_us());
                let dark = schedule.is_dark(switch, slot);
                for (from, to) in matching.circuits() {
                    let _ =
                        writeln!(text, "{place},{switch},{slot},{at},{long},{dark},{from},{to}");
                }
                start = raddle_schemes::units::Span(start.0 + length.0);
            }
        }
    }
    text
}
