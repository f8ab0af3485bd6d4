//! `raddle advise`: which fabric, by how much, how sure, and what would change the answer.

use super::output::{self, note_line, print_line};
use super::{End, input};
use raddle::advise::{Answer, Halt, Measured, Question, RUNS_FOLDER, Search, drive, kept};
use raddle::catalogue::fill_question;
use raddle::study::place::at;
use raddle::study::run::{Failure, Job};
use raddle::study::store::Store;
use raddle::study::text::plural;
use std::path::{Path, PathBuf};

/// Arguments of `raddle advise`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The question: candidates, works, failures, prices.
    #[arg(required_unless_present = "markdown")]
    file: Option<PathBuf>,
    /// The folder that gets the answer and keeps the runs; runs that it holds are not repeated.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["count", "markdown"])]
    out: Option<PathBuf>,
    /// Count the parts of the candidates, and run nothing.
    #[arg(long, conflicts_with = "again")]
    count: bool,
    /// Weigh the runs of the folder by another rate, weight or price, and run nothing:
    /// `--again "failure.0.mtbf=5e5 h"`. May be repeated.
    #[arg(long, value_name = "PATH=VALUE", value_parser = input::assignment)]
    again: Vec<(String, String)>,
    /// Run damaged runs of the folder again.
    #[arg(long)]
    redo: bool,
    /// Runs at a time; else as many as there are cores for.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
    /// Threads inside each run: for a few large runs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::threads())]
    threads: u32,
    /// Write the tables of the keys of a question into this document.
    #[arg(long, value_name = "FILE", exclusive = true)]
    markdown: Option<PathBuf>,
    /// Print one JSON object (`raddle.advise/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn advise(arguments: &Arguments) -> End {
    if let Some(document) = &arguments.markdown {
        return fill(document);
    }
    let Some(file) = &arguments.file else {
        return input::refuse_text("a question is needed");
    };
    let question = match Question::load(file, &arguments.again) {
        Ok(question) => question,
        Err(problems) => return input::refuse(&problems),
    };
    let (Some(out), false) = (&arguments.out, arguments.count) else {
        return match Search::new(&question) {
            Ok(search) if arguments.json => {
                print_line!("{}", search.count_json());
                End::Done
            }
            Ok(search) => {
                print_line!("{}", search.count_text());
                End::Done
            }
            Err(problems) => input::refuse(&problems),
        };
    };
    if !arguments.json {
        question.published.iter().for_each(|rate| note_line!("note: {rate}"));
    }
    let measured = match arguments.again.is_empty() {
        true => run(arguments, &question, out),
        false => kept(out).map_err(|why| input::refuse_text(&why)),
    };
    let measured = match measured {
        Ok(measured) => measured,
        Err(end) => return end,
    };
    let answer = match arguments.again.is_empty() {
        true => Answer::new(&question, measured),
        false => Answer::again(&question, measured),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return input::refuse_text(&why),
    };
    let written = match arguments.again.is_empty() {
        true => answer.write(out).map(Some),
        false => Ok(None),
    };
    let written = match written {
        Ok(written) => written,
        Err(why) => {
            note_line!("error: {why}");
            return End::Failed;
        }
    };
    if arguments.json {
        print_line!("{}", answer.to_json());
    } else {
        output::print(format_args!("{}", answer.text(input::columns())));
        if let Some([page, answer]) = written {
            print_line!("\n  {}  {}", page.display(), answer.display());
        }
    }
    End::Done
}

/// Writes the tables of keys into a document.
fn fill(document: &Path) -> End {
    let filled = std::fs::read_to_string(document)
        .map_err(|error| at(document, error))
        .and_then(|text| fill_question(&text).map_err(|error| at(document, error)))
        .and_then(|text| std::fs::write(document, text).map_err(|error| at(document, error)));
    match filled {
        Ok(()) => End::Done,
        Err(why) => input::refuse_text(&why),
    }
}

/// Makes all runs that are needed.
fn run(arguments: &Arguments, question: &Question, out: &Path) -> Result<Measured, End> {
    let search = Search::new(question).map_err(|problems| input::refuse(&problems))?;
    let store =
        Store::of_summaries(&out.join(RUNS_FOLDER)).map_err(|why| input::refuse_text(&why))?;
    let parallel = input::parallel(arguments.parallel, arguments.threads);
    let stop = input::interruption();
    let mut round = 0;
    let mut runs = |jobs: &[Job]| {
        input::fit(jobs, parallel)?;
        input::sound(&store, jobs, arguments.redo)?;
        round += 1;
        if !arguments.json {
            note_line!("round {round}: {}", plural(jobs.len() as u64, "run"));
        }
        let threads = (parallel, arguments.threads);
        Ok(input::with_runner(jobs.len(), threads, &stop, arguments.json, |runner| {
            runner.run(jobs, &store)
        }))
    };
    drive(question, search, &mut runs).map_err(|halt| match halt {
        Halt::Problems(problems) => {
            // It showed when runs were there.
            let text = problems.render(false).replace("; nothing was run", "; runs are kept");
            note_line!("{}", text.trim_end());
            End::BadInput
        }
        Halt::Other(end) => end,
        Halt::Failed(failed) => {
            let silent = |own: &Failure| matches!(own, Failure::Interrupted | Failure::Stopped);
            for (place, failure) in failed.iter().filter(|(_, own)| !silent(own)) {
                note_line!("error: {place}: {failure}");
            }
            if failed.iter().any(|(_, own)| silent(own)) {
                note_line!("interrupted: runs are kept; the same command goes on with the rest");
            }
            End::Failed
        }
    })
}
