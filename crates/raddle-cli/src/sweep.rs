//! `raddle sweep`: a grid of runs, kept one by one.

use super::output::{self, note_line, print_line};
use super::{End, ScenarioArguments, input};
use raddle::study::compare::{CompareInput, Comparison, Entry};
use raddle::study::jobs;
use raddle::study::store::Store;
use raddle::study::tables::{Format, RunRow};
use std::path::PathBuf;

/// Arguments of `raddle sweep`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// The seeds, as `1..5` or `1,4,9`; else the scenario's.
    #[arg(long, value_name = "SEEDS", value_parser = input::seeds)]
    seeds: Option<String>,
    /// The folder that keeps the runs; runs that it holds are not repeated.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Run damaged runs of the folder again.
    #[arg(long)]
    redo: bool,
    /// Tables as CSV instead of Parquet.
    #[arg(long)]
    csv: bool,
    /// Runs at a time; else as many as there are cores for.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
    /// Threads inside each run: for a few large runs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::threads())]
    threads: u32,
    /// Print one JSON object (`raddle.compare/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn sweep(arguments: &Arguments) -> End {
    let set = input::with_seeds(&arguments.scenario.set, arguments.seeds.as_ref());
    let study = match input::load_file(&arguments.scenario.file, &set) {
        Ok(study) => study,
        Err(end) => return end,
    };
    let format = if arguments.csv { Format::Csv } else { Format::Parquet };
    let store = match Store::open(&arguments.out, format) {
        Ok(store) => store,
        Err(why) => return input::refuse_text(&why),
    };
    let jobs = jobs::jobs(&study, None);
    let parallel = input::parallel(arguments.parallel, arguments.threads);
    let ready =
        input::fit(&jobs, parallel).and_then(|()| input::sound(&store, &jobs, arguments.redo));
    if let Err(end) = ready {
        return end;
    }
    let threads = (parallel, arguments.threads);
    let there = store.count(&jobs);
    if !arguments.json {
        input::announce(&jobs, there, parallel);
    }
    let stop = input::interruption();
    let results = input::with_runner(jobs.len(), threads, &stop, arguments.json, |runner| {
        runner.run(&jobs, &store)
    });
    let end = input::report_failures(&jobs, &results);
    if matches!(end, End::BadInput) {
        return end;
    }
    let both = || jobs.iter().zip(&results);
    let rows: Vec<RunRow<'_>> = both()
        .filter_map(|(job, result)| {
            Some(RunRow { settings: &job.settings, summary: result.as_ref().ok()? })
        })
        .collect();
    let written = store.write_runs(&rows);
    if let Err(why) = &written {
        note_line!("error: {why}");
    }
    if let Some(ended) = input::ended_early(&results) {
        note_line!(
            "{ended}: {} of {} runs are kept; the same command goes on with the rest",
            rows.len(),
            jobs.len()
        );
        return End::Failed;
    }
    let Ok(runs) = written else { return End::Failed };
    let entries: Vec<Entry<'_>> = both()
        .map(|(job, result)| Entry {
            settings: &job.settings,
            seed: job.seed,
            summary: result.as_ref().ok(),
        })
        .collect();
    let title = study.title();
    let comparison = Comparison::new(CompareInput::of_runs(&title, &entries));
    if arguments.json {
        print_line!("{}", comparison.to_json());
    } else {
        output::print(format_args!("{}", comparison.screen(input::columns())));
        print_line!("\n  {}  one row per run", runs.display());
    }
    end
}
