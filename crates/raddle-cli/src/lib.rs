//! The command `raddle`: what is typed, and what is printed.
//!
//! Results go to standard output, everything else to standard error. Exit status: 0 done; 1 ran,
//! but something did not hold or did not finish, or what came of it could not be written; 2 bad
//! input, nothing was run.
//!
//! # Where to begin
//! [`main_with`] is all of it, for a program with schemes of its own:
//!
//! ```no_run
//! use raddle::plugins::Plugins;
//! use raddle_schemes::congestion::{Ack, CongestionControl, Limits, Loss};
//! use raddle_schemes::family::{Card, Plugin};
//! use raddle_schemes::{Cx, FlowContext};
//! use std::process::ExitCode;
//!
//! /// A bandwidth-delay product, whatever happens.
//! struct Steady(Limits);
//!
//! impl CongestionControl for Steady {
//!     fn on_ack(&mut self, _cx: &mut Cx<'_>, _ack: &Ack<'_>) {}
//!     fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}
//!     fn limits(&self) -> Limits {
//!         self.0
//!     }
//! }
//!
//! static STEADY: Card = Card {
//!     name: "steady",
//!     title: "A steady window",
//!     paper: "none: an example",
//!     needs: &[],
//!     summary: "Keeps a bandwidth-delay product in flight.",
//! };
//!
//! fn main() -> ExitCode {
//!     let steady: Plugin<FlowContext, dyn CongestionControl + Send> =
//!         Plugin::new(&STEADY, |flow| Box::new(Steady(Limits { window: flow.bdp, rate: None })));
//!     raddle_cli::main_with(Plugins::new().with(steady))
//! }
//! ```
//!
//! Its scenarios may say `congestion = { scheme = "steady" }`; sweeps, comparisons, reports and errors
//! know the word, too. The folder `examples/plugins` has a scheme of every family.

mod advise;
mod again;
mod bench;
mod bounds;
mod compare;
mod completions;
mod convert;
mod explain;
mod export;
mod figures;
mod grid;
mod input;
mod inventory;
mod man;
mod output;
mod plan;
mod reproduce;
mod run;
mod schedule;
mod schema;
mod schemes;
mod serve;
mod sweep;
mod theory;
mod throughput;
mod trace;
mod train;
mod vectors;
mod verdict;
mod version;
mod view;

use clap::{Parser, Subcommand};
use output::note_line;
use raddle::plugins::{self, Plugins};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The laboratory for AI-training fabrics: a fast, deterministic packet-level simulator.
#[derive(Parser)]
#[command(
    name = "raddle",
    version = raddle::study::BUILD,
    long_version = version::long(),
    max_term_width = 100
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one simulation.
    Run(run::Arguments),
    /// Run a comparison and say which wins, by how much and how sure; writes a report.
    Compare(compare::Arguments),
    /// Run a large grid in parallel; interrupted, it resumes where it stopped.
    Sweep(sweep::Arguments),
    /// Run published figures again and judge each claim against its band.
    Reproduce(reproduce::Arguments),
    /// List the published figures and what their last full runs gave, or show them.
    Figures(figures::Arguments),
    /// Run every load balancer against every other and write who wins where.
    Verdict(verdict::Arguments),
    /// Run the performance suite.
    Bench(bench::Arguments),
    /// List the schemes, or show one with its parameters.
    Schemes(schemes::Arguments),
    /// Print a JSON Schema of scenario files, with which editors complete and check them.
    Schema(schema::Arguments),
    /// Show the lower bounds on a scenario's completion time.
    Bounds(bounds::Arguments),
    /// Say which candidate of a question is best, by how much, how sure, and what would change that.
    Advise(advise::Arguments),
    /// Count the switches, cables and optics of a scenario's fabric.
    Inventory(inventory::Arguments),
    /// Show which paths a scenario's planner gives its messages.
    Plan(plan::Arguments),
    /// Count what there is in a trace of a job, and run nothing.
    Trace(trace::Arguments),
    /// Write a trace of a job in another format.
    Convert(convert::Arguments),
    /// Give the numbers of a model that needs no simulation, or list the models.
    Theory(theory::Arguments),
    /// Fit what predicts drops for a scheme, to runs of a scenario.
    Train(train::Arguments),
    /// Say how much of a demand a circuit-switched design carries.
    Throughput(throughput::Arguments),
    /// Write the matchings of a circuit-switched design for a demand, and draw them over time.
    Schedule(schedule::Arguments),
    /// Write a page with which one looks into a run: links, flows and packets over time.
    View(view::Arguments),
    /// Write runs for other tools: packets for Wireshark, a trace for Perfetto, tables as CSV or Parquet.
    Export(export::Arguments),
    /// Write test vectors of schemes: state, event, draws, answer and new state, a line each.
    Vectors(vectors::Arguments),
    /// Say what the columns of an output mean.
    Explain(explain::Arguments),
    /// Print what has a shell complete this command line.
    Completions(completions::Arguments),
    /// Print the page of `man`, or write one for each command.
    Man(man::Arguments),
}

/// A scenario and changes to it.
#[derive(clap::Args)]
struct ScenarioArguments {
    /// The scenario file.
    file: PathBuf,
    /// Change a key of the scenario: `--set transport.payload="8192 B"`. May be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = input::assignment)]
    set: Vec<(String, String)>,
}

/// How a command ended.
enum End {
    /// Done.
    Done,
    /// Ran, but something did not hold or did not finish.
    Failed,
    /// Bad input; nothing was run.
    BadInput,
}

/// The command line of a program whose scenarios know these schemes beside the listed ones.
pub fn main_with(plugins: Plugins) -> ExitCode {
    if let Err(wrong) = plugins::install(plugins) {
        wrong.iter().for_each(|why| note_line!("error: {why}"));
        return ExitCode::from(2);
    }
    ExitCode::from(main_of(std::env::args_os()))
}

/// What the command line of these words does, the program's name first; its exit status.
pub fn main_of(words: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(asked) => return answer(&asked),
    };
    let end = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments),
        Command::Figures(arguments) => figures::figures(&arguments),
        Command::Verdict(arguments) => verdict::verdict(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Schemes(arguments) => schemes::schemes(&arguments),
        Command::Schema(arguments) => schema::schema(&arguments),
        Command::Bounds(arguments) => bounds::bounds(&arguments),
        Command::Advise(arguments) => advise::advise(&arguments),
        Command::Inventory(arguments) => inventory::inventory(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Trace(arguments) => trace::trace(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Theory(arguments) => theory::theory(&arguments),
        Command::Train(arguments) => train::train(&arguments),
        Command::Throughput(arguments) => throughput::throughput(&arguments),
        Command::Schedule(arguments) => schedule::schedule(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Vectors(arguments) => vectors::vectors(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
        Command::Man(arguments) => man::man(&arguments),
    };
    match end {
        // Who does not get the results must not take them for done.
        End::Done if output::arrived() => 0,
        End::Done | End::Failed => 1,
        End::BadInput => 2,
    }
}

/// Prints help or version, which was asked for, or what is wrong with the command line.
fn answer(asked: &clap::Error) -> u8 {
    let printed = asked.print();
    if asked.use_stderr() {
        return 2;
    }
    output::judge(&printed);
    u8::from(!output::arrived())
}
