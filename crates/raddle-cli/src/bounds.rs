//! `raddle bounds`: how fast a scenario could be at best.

use super::output::print_line;
use super::{End, ScenarioArguments, input};
use raddle::bounds::Bounds;

/// Arguments of `raddle bounds`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Print one JSON object (`raddle.bounds/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn bounds(arguments: &Arguments) -> End {
    let study = match input::load(&arguments.scenario) {
        Ok(study) => study,
        Err(end) => return end,
    };
    match Bounds::of(&study) {
        Ok(bounds) if arguments.json => print_line!("{}", bounds.to_json()),
        Ok(bounds) => print_line!("{}", bounds.text()),
        Err(problem) => return input::refuse(&study.problem(problem)),
    }
    End::Done
}
