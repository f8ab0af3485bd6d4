//! Reading what the user gave: scenarios, settings, the wish to stop.

use super::output::note_line;
use super::{End, ScenarioArguments};
use raddle::problem::Problems;
use raddle::scenario::{self, Study};
use raddle::study::compare::Asked;
use raddle::study::estimate::{DEFAULT_HOPS_PER_S, estimate};
use raddle::study::jobs::bound_of;
use raddle::study::memory;
use raddle::study::progress::Bar;
use raddle::study::run::{Failure, Job, Runner};
use raddle::study::store::Store;
use raddle::study::text::plural;
use raddle_papers::figures::{self, Figure};
use raddle_sim::engine::{self, Options};
use raddle_sim::plan::Plan;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What runs are compared by.
#[derive(clap::Args)]
pub(super) struct AskedArguments {
    /// What the runs are compared by: completion, fct.mean, fct.p99, slowdown.mean, slowdown.p99,
    /// slowdown.short.p99, busbw, goodput, pauses or another (a wrong word names all); else what the
    /// traffic is asked by.
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Of this job alone; a job of several groups counts by its worst.
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
}

impl AskedArguments {
    /// What is asked of a study.
    ///
    /// # Errors
    /// It does not have that, which has been told.
    pub(super) fn read(&self, study: &Study) -> Result<Asked, End> {
        let (metric, job) = (self.metric.as_deref(), self.job.as_deref());
        Asked::of(study, metric, job).map_err(|why| refuse_text(&why))
    }

    /// The same as a part of a command line.
    pub(super) fn words(&self) -> String {
        let metric = self.metric.as_ref().map(|word| format!(" --metric {word}"));
        let job = self.job.as_ref().map(|name| format!(" --job '{name}'"));
        metric.into_iter().chain(job).collect()
    }
}

/// Reads `path=value`.
pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => {
            Ok((path.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected PATH=VALUE, as in `traffic.message=\"1 MiB\"`".to_owned()),
    }
}

/// Reads seeds, as `1..5` (both included), `7` or `1,4,9`, into the scenario's form of them.
pub(super) fn seeds(text: &str) -> Result<String, String> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let read = || match text.split_once("..") {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
            (first <= last).then(|| format!("\"{first}..{last}\""))
        }
        None => {
            let list = text.split(',').map(number).collect::<Option<Vec<u64>>>()?;
            let mut distinct = list.clone();
            distinct.sort_unstable();
            distinct.dedup();
            (distinct.len() == list.len()).then(|| format!("{list:?}"))
        }
    };
    read()
        .ok_or_else(|| "expected seeds, each once, as in 1..5 (both included) or 1,4,9".to_owned())
}

/// Reads a seed that a scenario can name: TOML has no larger numbers.
pub(super) fn seed() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// `set`, and the seeds if they are given.
pub(super) fn with_seeds(
    set: &[(String, String)],
    seeds: Option<&String>,
) -> Vec<(String, String)> {
    let seeds = seeds.map(|seeds| ("sweep.seed".to_owned(), seeds.clone()));
    set.iter().cloned().chain(seeds).collect()
}

/// Says on standard error which runs failed. Returns how the command ends: with none as done, with
/// bad input if none could be run.
pub(super) fn report_failures<T>(jobs: &[Job], results: &[Result<T, Failure>]) -> End {
    for (job, result) in jobs.iter().zip(results) {
        match result {
            Ok(_) | Err(Failure::Interrupted | Failure::Stopped) => {}
            Err(failure) => {
                note_line!("error: {}: {failure}", job.place());
            }
        }
    }
    let not_run =
        |result: &Result<T, Failure>| matches!(result, Err(Failure::Plan(_) | Failure::Memory(_)));
    if results.iter().all(Result::is_ok) {
        End::Done
    } else if results.iter().all(not_run) {
        End::BadInput
    } else {
        End::Failed
    }
}

/// Refuses runs that would not fit in memory, so many at a time; nothing was run.
pub(super) fn fit(jobs: &[Job], at_a_time: usize) -> Result<(), End> {
    let needed = jobs.iter().map(|job| job.needed);
    memory::fit_together(needed, at_a_time, memory::available()).map_err(|why| refuse_text(&why))
}

/// Removes damaged runs of `jobs` if they are to be done again; else refuses them.
pub(super) fn sound(store: &Store, jobs: &[Job], redo: bool) -> Result<(), End> {
    let discarded = store.ready(jobs, redo).map_err(|why| refuse_text(&why))?;
    if discarded > 0 {
        note_line!("{} will be run again", plural(discarded as u64, "damaged run"));
    }
    Ok(())
}

/// What ended the runs before all were done, if something did.
pub(super) fn ended_early<T>(results: &[Result<T, Failure>]) -> Option<&'static str> {
    let word = |result: &Result<T, Failure>| match result {
        Err(Failure::Interrupted) => Some("interrupted"),
        Err(Failure::Stopped | Failure::Kept(_)) => Some("stopped"),
        _ => None,
    };
    results.iter().find_map(word)
}

/// Loads a scenario; says on standard error what is wrong with it, if anything is.
pub(super) fn load(arguments: &ScenarioArguments) -> Result<Study, End> {
    load_file(&arguments.file, &arguments.set)
}

pub(super) fn load_file(file: &Path, set: &[(String, String)]) -> Result<Study, End> {
    let study = scenario::load(file, set).map_err(|problems| refuse(&problems))?;
    note(&study);
    Ok(study)
}

/// The same with runs of its jobs alone and in pairs.
pub(super) fn load_alone(file: &Path, set: &[(String, String)]) -> Result<Study, End> {
    let study = scenario::load_alone(file, set).map_err(|problems| refuse(&problems))?;
    note(&study);
    Ok(study)
}

/// Passes on what was accepted and deserves a word.
pub(super) fn note(study: &Study) {
    for text in &study.notes {
        note_line!("note: {text}");
    }
}

/// Passes on what deserves a word now that the traffic is known.
pub(super) fn note_plan(plan: &Plan) {
    for text in scenario::notes_on(plan) {
        note_line!("note: {text}");
    }
}

/// Shows problems; nothing was run.
pub(super) fn refuse(problems: &Problems) -> End {
    let coloured = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    note_line!("{}", problems.render(coloured));
    End::BadInput
}

/// Says in one line why nothing was run.
pub(super) fn refuse_text(message: &str) -> End {
    note_line!("error: {message}");
    End::BadInput
}

/// A flag that becomes true when the user presses Ctrl-C or the system asks the process to end; a
/// second time ends it at once.
pub(super) fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler (another one is set) a signal just ends the process: nothing is lost that
    // was finished, for finished runs are renamed into place.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}

/// Runs at a time: as asked for, else as many as there are cores for the threads of each.
pub(super) fn parallel(asked: Option<usize>, threads: u32) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(|| cores() / threads.max(1) as usize).max(1)
}

/// Reads how many runs there are at a time.
pub(super) fn at_a_time(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number of runs, at least 1".to_owned()),
        Ok(runs) => Ok(runs),
    }
}

/// Reads a share that is not nothing.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a share above 0 and up to 1, `0.01`".to_owned()),
    }
}

/// Reads a number of threads.
pub(super) fn threads() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}

/// Says so if a run took fewer threads than `asked` for, which it cannot use.
pub(super) fn note_threads(asked: u32, taken: impl Iterator<Item = u64>) {
    if let Some(fewest) = taken.min().filter(|&fewest| fewest < asked.into()) {
        note_line!(
            "note: {} of {asked} inside a run: the fabric does not fall into more parts",
            plural(fewest, "thread")
        );
    }
}

/// Columns of the terminal that tables may use.
pub(super) fn columns() -> usize {
    if std::io::stdout().is_terminal() {
        rustix::termios::tcgetwinsize(std::io::stdout())
            .map_or(100, |size| usize::from(size.ws_col))
            .clamp(60, 160)
    } else {
        100
    }
}

/// Runs at a time, and threads inside each.
pub(super) type Threads = (usize, u32);

/// Runs what `run` does with a runner, under a progress line for `jobs` jobs unless `quiet`.
pub(super) fn with_runner<T>(
    jobs: usize,
    (threads, inside): Threads,
    stop: &AtomicBool,
    quiet: bool,
    run: impl FnOnce(&Runner<'_>) -> T,
) -> T {
    let bar = (!quiet).then(|| Bar::on_stderr(jobs));
    let options = Options { threads: inside, width: None };
    let result = run(&Runner {
        engine: &|plan, observer| engine::run_with(plan, &options, observer),
        bound: bound_of,
        threads,
        stop,
        meter: bar.as_ref().map_or(&(), |bar| bar),
    });
    if let Some(bar) = bar {
        bar.clear();
    }
    result
}

/// The figures that a name stands for, all without one; files of a clone before the program's own.
///
/// # Errors
/// There are none, or their files cannot be read, which has been told.
pub(super) fn figures(name: Option<&str>) -> Result<Vec<Figure>, End> {
    let chosen = figures::chosen(name, Path::new(figures::FOLDER));
    let chosen = chosen.map_err(|why| refuse_text(&why))?;
    for path in chosen.iter().flat_map(|read| &read.changed) {
        note_line!("note: {} is not the program's own, and counts", path.display());
    }
    Ok(chosen.into_iter().map(|read| read.figure).collect())
}

/// Says how many of a grid's runs are `there` already and what the others will take, from the first
/// job; nothing of that if it cannot be planned, which the run itself will tell.
pub(super) fn announce(jobs: &[Job], there: usize, threads: usize) {
    if there > 0 {
        let runs = plural(jobs.len() as u64, "run");
        note_line!("{runs}, {there} of them there already");
    }
    let first = jobs.first().filter(|_| there < jobs.len());
    if let Some(plan) = first.and_then(|job| (job.plan)().ok()) {
        note_plan(&plan);
        let estimate = estimate(&plan, DEFAULT_HOPS_PER_S);
        note_line!("{}", estimate.of_many(jobs.len() - there, threads));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range_or_a_list() {
        for (typed, read) in
            [("1..5", "\"1..5\""), ("1..=5", "\"1..5\""), ("7", "[7]"), ("1, 4,9", "[1, 4, 9]")]
        {
            assert_eq!(seeds(typed).as_deref(), Ok(read));
        }
        for typed in ["", "x", "5..1", "1..", "1,1", "-1", "1..2..3"] {
            assert!(seeds(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn a_title_holds_what_all_scenarios_share() {
        let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                    [traffic]\nkind = \"incast\"\nsenders = 2\n\
                    [sweep]\n\"traffic.senders\" = [2, 4]\n";
        let study = scenario::parse("test", text, Path::new("."), &[]).unwrap();
        assert_eq!(study.title(), "16 hosts, 3-tier fat tree, 400 Gbps");
    }
}
