//! `raddle throughput`: how much of a demand a circuit-switched design carries.

use super::output::{note_line, print_line};
use super::{End, grid, input};
use raddle::throughput::{Question, catalogue, text};
use std::path::PathBuf;

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
    nodes: usize,
    /// The demand that the design is made for, if it is not the one that comes.
    #[arg(long, value_name = "DEMAND")]
    predicted: Option<String>,
    /// Leave multi-hop throughput out: its linear program is slow for many nodes.
    #[arg(long)]
    single_hop: bool,
    /// Bound multi-hop throughput to within this share of what a flow carries, 0.01: seconds for 108
    /// nodes, whose linear program may take hours.
    #[arg(long, value_name = "SHARE", conflicts_with = "single_hop", value_parser = input::share)]
    within: Option<f64>,
    /// Seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write each combination into this file as it comes, an object a line; those that it holds are
    /// not evaluated again.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Combinations at a time; else one per core.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
    /// List the designs with their parameters, and the demands that have a name.
    #[arg(long)]
    list: bool,
    /// Print one JSON object (`raddle.throughput/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn all_demands(&self) -> impl Iterator<Item = &str> {
        self.demand.iter().chain(&self.demands).map(String::as_str)
    }

    fn all_designs(&self) -> impl Iterator<Item = &str> {
        self.design.iter().chain(&self.designs).map(String::as_str)
    }

    fn question(&self) -> Question {
        let Self { nodes, predicted, single_hop, within, seed, .. } = self;
        Question {
            nodes: *nodes,
            predicted: predicted.clone(),
            single_hop: *single_hop,
            within: *within,
            seed: *seed,
        }
    }
}

pub(super) fn throughput(arguments: &Arguments) -> End {
    let (Some(demand), Some(design)) = (&arguments.demand, &arguments.design) else {
        print_line!("{}", catalogue());
        return End::Done;
    };
    if !arguments.demands.is_empty() || !arguments.designs.is_empty() || arguments.out.is_some() {
        return grid::grid(grid::Asked {
            question: arguments.question(),
            demands: arguments.all_demands().collect(),
            designs: arguments.all_designs().collect(),
            out: arguments.out.as_deref(),
            parallel: arguments.parallel,
            json: arguments.json,
        });
    }
    let question = arguments.question();
    let prepared = question.prepare(demand, design, &mut |note| note_line!("note: {note}"));
    match prepared.map(|prepared| question.answer(&prepared)) {
        Ok(Ok(answer)) if arguments.json => {
            print_line!("{}", question.object(demand, design, &answer));
            End::Done
        }
        Ok(Ok(answer)) => {
            print_line!("{}", text(demand, design, &answer));
            End::Done
        }
        Ok(Err(why)) => {
            note_line!("error: {why}");
            End::Failed
        }
        Err(why) => input::refuse_text(&why),
    }
}
