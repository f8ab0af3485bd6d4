//! The command under another name, so that `.ci/instructions` can build it beside that of the tests.

use raddle::plugins::Plugins;
use std::process::ExitCode;

fn main() -> ExitCode {
    raddle_cli::main_with(Plugins::new())
}
