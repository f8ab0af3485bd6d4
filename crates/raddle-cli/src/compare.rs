//! `raddle compare`: a sweep as one answer, on the terminal and as a page.

use super::again::{self, Again};
use super::output::{self, note_line, print_line};
use super::{End, input};
use raddle::report::Look;
use raddle::report::comparison::{Occasion, PageRun, page, palette, with_resolved};
use raddle::results::MAP_CELLS;
use raddle::scenario::{self, Study};
use raddle::study::compare::{
    Asked, CompareInput, Comparison, Entry, Interference, Place, column_of, row_of,
};
use raddle::study::gather::{Gather, Gathered, record_uplinks};
use raddle::study::place::at;
use raddle::study::run::{Failure, Job};
use raddle::study::store::Store;
use raddle::study::tables::{Format, RunRow};
use raddle::study::text::{count, plural, time};
use raddle::study::{jobs, machine, timing};
use raddle::view;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Arguments of `raddle compare`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The scenario file, with a `[sweep]`; without one, the demonstration.
    file: Option<PathBuf>,
    /// Change a key of the scenario. May be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = input::assignment)]
    set: Vec<(String, String)>,
    /// The seeds, as `1..5` or `1,4,9`; else the scenario's.
    #[arg(long, value_name = "SEEDS", value_parser = input::seeds)]
    seeds: Option<String>,
    #[command(flatten)]
    asked: input::AskedArguments,
    /// Write report, tables and resolved scenarios into this folder; runs that it holds are not
    /// repeated.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Run damaged runs of the folder again.
    #[arg(long)]
    redo: bool,
    /// Write no tables, only the report; interrupted, it keeps no run.
    #[arg(long)]
    no_tables: bool,
    /// Runs at a time; else as many as there are cores for.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
    /// Threads inside each run: for a few large runs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::threads())]
    threads: u32,
    /// Write view.html beside the report, a page to look into the best run and the worst: they are run
    /// once more, with a map.
    #[arg(long)]
    view: bool,
    /// Who hurts whom: run all jobs together, each alone, and in pairs where there are three to eight, and
    /// tell how much worse each is beside the others. Without a report.
    #[arg(long, requires = "file", conflicts_with_all = ["view", "job"])]
    alone: bool,
    /// Print one JSON object (`raddle.compare/2`, or `raddle.interference/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

/// The comparison that needs no file.
const DEMO: &str = include_str!("../scenarios/demo.toml");

/// The names of the report, of the page to look into runs, and of the folder with the tables.
const REPORT: &str = "report.html";
const VIEW: &str = "view.html";
const TABLES: &str = "results";

pub(super) fn compare(arguments: &Arguments) -> End {
    let (study, text) = match read(arguments) {
        Ok(read) => read,
        Err(end) => return end,
    };
    let asked = match arguments.asked.read(&study) {
        Ok(asked) => asked,
        Err(end) => return end,
    };
    let store = if arguments.no_tables {
        None
    } else {
        match Store::open(&arguments.out.join(TABLES), Format::Parquet) {
            Ok(store) => Some(store),
            Err(why) => return input::refuse_text(&why),
        }
    };
    let drawn_seed = study.seeds.first().copied().unwrap_or(1);
    // Before the runs, not after them.
    if let Err(error) = std::fs::create_dir_all(&arguments.out) {
        return input::refuse_text(&at(&arguments.out, error));
    }
    let jobs = jobs::jobs(&study, Some(record_uplinks));
    let parallel = input::parallel(arguments.parallel, arguments.threads);
    let fit = input::fit(&jobs, parallel);
    let sound = || store.iter().try_for_each(|store| input::sound(store, &jobs, arguments.redo));
    if let Err(end) = fit.and_then(|()| sound()) {
        return end;
    }
    let gather = Gather { store, drawn_seed };
    let threads = (parallel, arguments.threads);
    let there = gather.count(&jobs);
    if !arguments.json {
        input::announce(&jobs, there, parallel);
    }
    let stop = input::interruption();
    let watch = timing::Stopwatch::start();
    let results = input::with_runner(jobs.len(), threads, &stop, arguments.json, |runner| {
        runner.run(&jobs, &gather)
    });
    let wall_s = watch.stop().wall_s;
    let taken = results.iter().flatten().map(|run| run.summary.threads);
    input::note_threads(arguments.threads, taken);
    let end = input::report_failures(&jobs, &results);
    if matches!(end, End::BadInput) {
        return end;
    }
    if let Some(ended) = input::ended_early(&results) {
        let done = results.iter().filter(|result| result.is_ok()).count();
        let kept = match gather.store {
            Some(_) => "are kept; the same command goes on with the rest",
            None => "are done, and not kept without tables: no report",
        };
        note_line!("{ended}: {done} of {} runs {kept}", jobs.len());
        return End::Failed;
    }
    let title = study.title();
    let entries = entries(&jobs, &results);
    if arguments.alone {
        return tell_alone(arguments, (&study, &asked), &entries, &gather, end);
    }
    let comparison = Comparison::new(CompareInput::asked(&title, &entries, &asked));
    let runs: Vec<PageRun<'_>> = jobs
        .iter()
        .zip(&results)
        .filter_map(|(job, result)| {
            Some(PageRun { settings: &job.settings, kept: result.as_ref().ok()? })
        })
        .collect();
    let report = arguments.out.join(REPORT);
    let look = match look(arguments, (&study, drawn_seed, &stop), &comparison, &runs) {
        Ok(look) => look,
        Err(why) => {
            note_line!("error: {why}");
            return End::Failed;
        }
    };
    let beside = match &look {
        Some(Look::Page { file, .. }) => format!("  {}", arguments.out.join(file).display()),
        _ => String::new(),
    };
    let occasion = Occasion {
        command: command_line(arguments),
        scenario_toml: with_resolved(&text, &study),
        machine: machine::words(),
        look,
    };
    if let Err(why) = write(&report, &comparison, &runs, occasion, &gather) {
        note_line!("error: {why}");
        return End::Failed;
    }
    if arguments.json {
        print_line!("{}", comparison.to_json());
    } else {
        output::print(format_args!("{}", comparison.screen(input::columns())));
        let hops: u64 = runs.iter().map(|run| run.kept.summary.packet_hops).sum();
        let tables = gather
            .store
            .as_ref()
            .map_or(String::new(), |_| format!("  {}/", arguments.out.join(TABLES).display()));
        let took = match there {
            0 => format!("{}, {} packet-hops", time(wall_s * 1e6), count(hops)),
            _ => format!("{} kept from before", plural(there as u64, "run")),
        };
        print_line!("\n  {}{beside}{tables}  scenario: {}   {took}", report.display(), study.name);
    }
    end
}

/// Who hurts whom.
fn tell_alone(
    arguments: &Arguments,
    (study, asked): (&Study, &Asked),
    entries: &[Entry<'_>],
    gather: &Gather,
    end: End,
) -> End {
    if let Some(store) = &gather.store {
        let row = entries.iter().filter_map(|own| {
            let summary = own.summary?;
            Some(RunRow { settings: own.settings, summary })
        });
        let rows: Vec<RunRow<'_>> = row.collect();
        if let Err(why) = store.write_runs(&rows) {
            note_line!("error: {why}");
            return End::Failed;
        }
    }
    let names = study.cells.first().map(|cell| cell.scenario.job_names().map(str::to_owned));
    let names: Vec<String> = names.into_iter().flatten().collect();
    let told = Interference::of(&study.title(), &names, asked.metrics(), entries);
    if arguments.json {
        print_line!("{}", told.to_json());
    } else {
        output::print(format_args!("{}", told.screen()));
    }
    end
}

/// The page of the best run and the worst, with the first seed, where it is asked for; else, the
/// command that shows runs, where they are kept.
fn look(
    arguments: &Arguments,
    (study, seed, stop): (&Study, u64, &AtomicBool),
    comparison: &Comparison,
    runs: &[PageRun<'_>],
) -> Result<Option<Look>, String> {
    let Comparison { input, .. } = comparison;
    if !arguments.view {
        let command = format!("raddle view {}", arguments.out.display());
        return Ok((!arguments.no_tables).then_some(Look::Command(command)));
    }
    let mut jobs: Vec<Option<Job>> =
        jobs::with_map(study, MAP_CELLS).into_iter().map(Some).collect();
    let mut again = |(row, column): Place| {
        let is_own = |settings: &[(String, String)]| {
            row_of(settings) == input.rows[row] && column_of(settings) == input.columns[column].name
        };
        let run = runs.iter().find(|run| is_own(run.settings) && run.kept.summary.seed == seed)?;
        let job = jobs.iter_mut().find(|job| {
            job.as_ref().is_some_and(|job| job.seed == seed && job.settings == run.settings)
        })?;
        let name = match input.columns.len() {
            1 => input.rows[row].clone(),
            _ => format!("{}, {}", input.rows[row], input.columns[column].name),
        };
        Some(Again { job: job.take()?, name, results_hash: run.kept.summary.results_hash.clone() })
    };
    let again: Vec<Again> = comparison.extremes().into_iter().filter_map(&mut again).collect();
    if again.is_empty() {
        return Ok(None);
    }
    let (shown, _tables) = again::run(again, stop, arguments.json)?;
    let page = view::page(&shown).map_err(|error| error.to_string())?;
    let path = arguments.out.join(VIEW);
    std::fs::write(&path, page).map_err(|error| at(&path, error))?;
    let of: Vec<&str> = shown.iter().map(|run| run.name.as_str()).collect();
    Ok(Some(Look::Page { file: VIEW.to_owned(), of: of.join(" and ") }))
}

fn read(arguments: &Arguments) -> Result<(Study, String), End> {
    let set = input::with_seeds(&arguments.set, arguments.seeds.as_ref());
    match &arguments.file {
        Some(file) => {
            let study = match arguments.alone {
                true => input::load_alone(file, &set)?,
                false => input::load_file(file, &set)?,
            };
            let text = std::fs::read_to_string(file).unwrap_or_default();
            Ok((study, text))
        }
        None => {
            let study = scenario::parse("demo.toml", DEMO, Path::new("."), &set)
                .map_err(|problems| input::refuse(&problems))?;
            input::note(&study);
            Ok((study, DEMO.to_owned()))
        }
    }
}

fn entries<'a>(jobs: &'a [Job], results: &'a [Result<Gathered, Failure>]) -> Vec<Entry<'a>> {
    let both = jobs.iter().zip(results);
    both.map(|(job, result)| Entry {
        settings: &job.settings,
        seed: job.seed,
        summary: result.as_ref().ok().map(|kept| &kept.summary),
    })
    .collect()
}

fn command_line(arguments: &Arguments) -> String {
    let mut line = "raddle compare".to_owned();
    if let Some(file) = &arguments.file {
        line += &format!(" {}", file.display());
    }
    for (path, value) in &arguments.set {
        line += &format!(" --set '{path}={value}'");
    }
    if let Some(seeds) = &arguments.seeds {
        line += &format!(" --seeds '{}'", seeds.trim_matches(['"', '[', ']']));
    }
    line + &arguments.asked.words()
}

fn write(
    report: &Path,
    comparison: &Comparison,
    runs: &[PageRun<'_>],
    occasion: Occasion,
    gather: &Gather,
) -> Result<(), String> {
    let page = page(comparison, runs, &palette, occasion);
    if let Some(folder) = report.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(report, page.html()).map_err(|e| format!("{}: {e}", report.display()))?;
    if let Some(store) = &gather.store {
        let rows: Vec<RunRow<'_>> = runs
            .iter()
            .map(|run| RunRow { settings: run.settings, summary: &run.kept.summary })
            .collect();
        store.write_runs(&rows)?;
    }
    Ok(())
}
