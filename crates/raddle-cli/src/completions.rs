//! `raddle completions`: the command line as shells complete it.

use super::output::print;
use super::{Arguments as All, End};
use clap::CommandFactory;
use clap_complete::Shell;

/// Arguments of `raddle completions`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(super) fn completions(arguments: &Arguments) -> End {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut All::command(), "raddle", &mut text);
    print(format_args!("{}", String::from_utf8_lossy(&text)));
    End::Done
}
