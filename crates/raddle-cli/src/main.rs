//! The command `raddle`, with the schemes that are listed.

use raddle::plugins::Plugins;
use std::process::ExitCode;

fn main() -> ExitCode {
    raddle_cli::main_with(Plugins::new())
}
