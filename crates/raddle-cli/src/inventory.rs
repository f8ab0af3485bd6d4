//! `raddle inventory`: what a scenario's fabric is built of.

use super::output::print_line;
use super::{End, ScenarioArguments, input};
use raddle::inventory::Inventories;

/// Arguments of `raddle inventory`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Print one JSON object (`raddle.inventory/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn inventory(arguments: &Arguments) -> End {
    let study = match input::load(&arguments.scenario) {
        Ok(study) => study,
        Err(end) => return end,
    };
    match Inventories::of(&study) {
        Ok(counted) if arguments.json => print_line!("{}", counted.to_json()),
        Ok(counted) => print_line!("{}", counted.text()),
        Err(problem) => return input::refuse(&study.problem(problem)),
    }
    End::Done
}
