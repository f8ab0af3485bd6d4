//! Every command of `raddle`, with a scheme more.

mod steps;

use raddle::plugins::Plugins;
use std::process::ExitCode;

fn main() -> ExitCode {
    raddle_cli::main_with(Plugins::new().with(steps::plugin()))
}
