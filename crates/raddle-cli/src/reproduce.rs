//! `raddle reproduce`: published figures, run again.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle_papers::figures::{self, Again, Answers, Mode, Refused};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `raddle reproduce`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A paper (`reps`) or a figure (`reps/fig4`); else all.
    name: Option<String>,
    /// Fewer seeds or smaller messages: at most a minute a paper.
    #[arg(long)]
    quick: bool,
    /// Set a key of the figures' scenarios, to see what it changes: the claims are judged as they
    /// are. May be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = input::assignment)]
    set: Vec<(String, String)>,
    /// Write a page with each figure's pictures into this folder, and keep each figure's result
    /// there; a figure that it holds is not run again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run figures of that folder again whose result is damaged.
    #[arg(long, requires = "out")]
    redo: bool,
    /// Write each figure's `result.json` into this folder of figures (`figures` in a clone).
    #[arg(long, value_name = "DIR", conflicts_with_all = ["quick", "set"])]
    record: Option<PathBuf>,
    /// Runs at a time; else one per core.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
    /// Print one JSON object (`raddle.reproduce/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn reproduce(arguments: &Arguments) -> End {
    let chosen = match input::figures(arguments.name.as_deref()) {
        Ok(chosen) => chosen,
        Err(end) => return end,
    };
    let again = Again {
        mode: if arguments.quick { Mode::Quick } else { Mode::Full },
        set: arguments.set.clone(),
        out: arguments.out.clone(),
        redo: arguments.redo,
        record: arguments.record.clone(),
        parallel: input::parallel(arguments.parallel, 1),
    };
    // Before hours of runs, not after them.
    match again.check(&chosen) {
        Ok(()) => {}
        Err(Refused::Text(why)) => return input::refuse_text(&why),
        Err(Refused::Files(problems)) => return input::refuse(&problems),
    }
    let stop = input::interruption();
    let answers = Answers::default();
    let mut results = Vec::new();
    for figure in &chosen {
        let threads = (again.parallel, 1);
        let result = again.result(
            figure,
            &answers,
            &mut |steps, run| {
                input::with_runner(steps, threads, &stop, arguments.json, |runner| run(runner));
            },
            &mut |text| note_line!("{text}"),
        );
        let result = match result {
            Ok(result) => result,
            Err(why) => {
                note_line!("error: {why}");
                if let (true, Some(folder)) = (stop.load(Ordering::Relaxed), &arguments.out) {
                    note_line!(
                        "what has run is kept in {}; the same command goes on with the rest",
                        folder.display()
                    );
                }
                return End::Failed;
            }
        };
        if !arguments.json {
            print_line!("{}", result.text());
        }
        results.push(result);
    }
    if arguments.json {
        print_line!("{}", figures::to_json(&results));
    }
    // Reasons are those of the figure as it is.
    if !arguments.set.is_empty() {
        return End::Done;
    }
    let unexplained: usize = results.iter().map(|result| result.unexplained().count()).sum();
    if unexplained > 0 { End::Failed } else { End::Done }
}
