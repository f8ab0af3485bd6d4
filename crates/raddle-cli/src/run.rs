//! `raddle run`: one simulation.

use super::output::{note_line, print_line};
use super::{End, ScenarioArguments, input};
use raddle::import::hpcc::fct;
use raddle::scenario::Study;
use raddle::study::estimate::{DEFAULT_HOPS_PER_S, estimate};
use raddle::study::jobs;
use raddle::study::memory;
use raddle::study::run::{Failure, Finished, Job, Keep, Sink};
use raddle::study::store::Store;
use raddle::study::tables::Format;
use raddle_sim::check;
use raddle_sim::record::Stop;
use std::path::PathBuf;

/// Arguments of `raddle run`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// The seed; else the scenario's.
    #[arg(long, value_name = "N", value_parser = input::seed())]
    seed: Option<u64>,
    /// Threads inside the run; results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::threads())]
    threads: u32,
    /// Write the tables, the summary and the resolved scenario into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run the run of the folder again if it is damaged.
    #[arg(long, requires = "out")]
    redo: bool,
    /// Tables as CSV instead of Parquet.
    #[arg(long, requires = "out")]
    csv: bool,
    /// Write the completed flows into this file as HPCC's simulator does (`fct.txt`).
    #[arg(long, value_name = "FILE")]
    fct: Option<PathBuf>,
    /// Check conservation of packets and bytes at the end.
    #[arg(long)]
    check: bool,
    /// Print one JSON object (`raddle.run/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> End {
    let mut study = match input::load(&arguments.scenario) {
        Ok(study) => study,
        Err(end) => return end,
    };
    if study.cells.len() > 1 {
        return input::refuse_text(&one_of_many(&study));
    }
    if let (None, [first, _, ..]) = (arguments.seed, &study.seeds[..]) {
        let seeds = study.seeds.len();
        let note = format!("this is seed {first} of {seeds}; `--seed` chooses another");
        note_line!("note: {note}, `raddle compare` runs them all");
    }
    study.seeds = vec![arguments.seed.or(study.seeds.first().copied()).unwrap_or(1)];
    let format = if arguments.csv { Format::Csv } else { Format::Parquet };
    let store = match &arguments.out {
        None => None,
        Some(folder) => match Store::open(folder, format) {
            Ok(store) => Some(store),
            Err(why) => return input::refuse_text(&why),
        },
    };
    let jobs = jobs::jobs(&study, None);
    let job = &jobs[0];
    let sound = || store.iter().try_for_each(|store| input::sound(store, &jobs, arguments.redo));
    if let Err(end) = input::fit(&jobs, 1).and_then(|()| sound()) {
        return end;
    }
    let plan = match study.cells[0].scenario.resolve(job.seed) {
        Ok(plan) => plan,
        Err(problem) => return input::refuse(&study.problem(problem)),
    };
    let estimate = estimate(&plan, DEFAULT_HOPS_PER_S);
    input::note_plan(&plan);
    drop(plan);
    if let Err(why) = job.needed.fit(estimate.memory_bytes, memory::available()) {
        return input::refuse_text(&why);
    }
    if !arguments.json {
        note_line!("{}", study.cells[0].scenario.title());
        note_line!("{estimate}");
    }
    let finished = match simulate(job, arguments.threads, arguments.json) {
        Ok(finished) => finished,
        Err(Failure::Plan(why) | Failure::Memory(why)) => return input::refuse_text(&why),
        Err(failure) => {
            note_line!("error: {failure}");
            return End::Failed;
        }
    };
    input::note_threads(arguments.threads, std::iter::once(finished.summary.threads));
    let (plan, outcome, summary) = (&finished.plan, &finished.outcome, &finished.summary);
    if arguments.json {
        print_line!("{}", summary.to_json());
    } else {
        print_line!("{}", summary.text(plan, outcome));
    }
    let mut end = if outcome.stop == Stop::Completed { End::Done } else { End::Failed };
    if arguments.check {
        let violations = check::violations(plan, outcome);
        for violation in &violations {
            note_line!("check failed: {violation}");
        }
        if violations.is_empty() {
            note_line!("check: every packet and byte is accounted for");
        } else {
            end = End::Failed;
        }
    }
    if let Some(path) = &arguments.fct
        && let Err(why) = std::fs::write(path, fct::text(plan, outcome))
    {
        note_line!("error: {}: {why}", path.display());
        return End::Failed;
    }
    if let Some(store) = store
        && let Err(why) = keep(&store, job, finished)
    {
        note_line!("error: {why}");
        return End::Failed;
    }
    end
}

fn simulate(job: &Job, threads: u32, quiet: bool) -> Result<Finished, Failure> {
    let stop = input::interruption();
    let result = input::with_runner(1, (1, threads), &stop, quiet, |runner| {
        runner.run(std::slice::from_ref(job), &Keep).pop()
    });
    result.unwrap_or(Err(Failure::Interrupted))
}

/// Why a sweep is not run, and what would be.
fn one_of_many(study: &Study) -> String {
    let fixed: Vec<String> = study
        .axes
        .iter()
        .map(|axis| {
            let value = axis.values.first().map_or("", String::as_str);
            format!("--set '{}={value}'", axis.name)
        })
        .collect();
    format!(
        "{} is a sweep over {} scenarios, and `raddle run` runs one: choose it, say with {}; or \
         use `raddle compare` or `raddle sweep`",
        study.name,
        study.cells.len(),
        fixed.join(" ")
    )
}

/// Writes the run, or checks that the one which is there has the same results.
fn keep(store: &Store, job: &Job, run: Finished) -> Result<(), String> {
    let place = store.run_folder(&job.scenario, job.seed);
    let Some(there) = store.begin(job)? else {
        store.finish(job, run)?;
        note_line!("wrote {}", place.display());
        return Ok(());
    };
    if there.results_hash != run.summary.results_hash {
        return Err(format!(
            "{} holds other results ({}) of the same scenario, seed and version: remove it, or \
             choose another folder",
            place.display(),
            there.results_hash
        ));
    }
    store.complete(job, &run)?;
    note_line!("{} was there already, with the same results", place.display());
    Ok(())
}
