//! `raddle verdict`: every load balancer against every other.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::study::VERSION;
use raddle::study::jobs;
use raddle::study::place::at;
use raddle::study::run::{Failure, Job};
use raddle::study::store::Store;
use raddle::study::summary::RunSummary;
use raddle_papers::figures;
use raddle_papers::verdict::{Claim, Verdict, Workload, changed, claims, page, picture, short};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Arguments of `raddle verdict`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The folder that keeps the runs; runs that it holds are not repeated.
    #[arg(long, value_name = "DIR", default_value = "results/verdict")]
    out: PathBuf,
    /// The page to write; its pictures go into a folder beside it, named after it.
    #[arg(long, value_name = "FILE", default_value = "results/verdict.md")]
    page: PathBuf,
    /// Change a key of the scenario: `--set stack=ideal`, `--set sweep.seed=[1]`. May be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = input::assignment)]
    set: Vec<(String, String)>,
    /// Run damaged runs of the folder again.
    #[arg(long)]
    redo: bool,
    /// Only these workloads.
    #[arg(value_name = "WORKLOAD", value_parser = workload)]
    workloads: Vec<Workload>,
    /// Runs at a time; else one per core.
    #[arg(long, value_name = "N", value_parser = input::at_a_time)]
    parallel: Option<usize>,
}

fn workload(name: &str) -> Result<Workload, String> {
    let found = Workload::all().find(|workload| workload.name == name);
    let names: Vec<&str> = Workload::all().map(|workload| workload.name).collect();
    found.copied().ok_or_else(|| format!("there are {}", names.join(", ")))
}

pub(super) fn verdict(arguments: &Arguments) -> End {
    match changed(Path::new(figures::FOLDER)) {
        Ok(paths) => {
            if let Some(path) = paths.first() {
                let message = "not what this program was built with: build it again";
                return input::refuse_text(&at(path, message));
            }
        }
        Err(why) => return input::refuse_text(&why),
    }
    let claims = match claims() {
        Ok(claims) => claims,
        Err(problems) => return input::refuse(&problems),
    };
    let chosen: Vec<Workload> = match &arguments.workloads[..] {
        [] => Workload::all().copied().collect(),
        chosen => chosen.to_vec(),
    };
    let mut grids = Vec::new();
    for workload in chosen {
        match workload.study(&arguments.set) {
            Ok(study) => grids.push((workload, jobs::jobs(&study, None))),
            Err(problems) => return input::refuse(&problems),
        }
    }
    let store = match Store::of_summaries(&arguments.out) {
        Ok(store) => store,
        Err(why) => return input::refuse_text(&why),
    };
    // Before hours of runs, not after them.
    let pictures = arguments.page.with_extension("");
    if let Err(error) = std::fs::create_dir_all(&pictures) {
        return input::refuse_text(&at(&pictures, error));
    }
    let parallel = input::parallel(arguments.parallel, 1);
    for (_, jobs) in &grids {
        let fit = input::fit(jobs, parallel);
        if let Err(end) = fit.and_then(|()| input::sound(&store, jobs, arguments.redo)) {
            return end;
        }
    }
    let stop = input::interruption();
    let mut runs = Vec::new();
    let mut end = End::Done;
    for (workload, jobs) in &grids {
        match run(*workload, jobs, &store, parallel, &stop) {
            Ok(results) => {
                if results.iter().any(Option::is_none) {
                    end = End::Failed;
                }
                runs.push(results);
            }
            Err(end) => return end,
        }
    }
    let both = grids.iter().zip(&runs);
    let runs: Vec<_> = both.map(|((w, jobs), runs)| (*w, &jobs[..], &runs[..])).collect();
    match write(&Verdict::of(&runs), &claims, arguments) {
        Ok(()) => end,
        Err(why) => {
            note_line!("error: {why}");
            End::Failed
        }
    }
}

/// The runs of a workload; those that failed are told, and missing.
fn run(
    workload: Workload,
    jobs: &[Job],
    store: &Store,
    parallel: usize,
    stop: &AtomicBool,
) -> Result<Vec<Option<RunSummary>>, End> {
    let there = store.count(jobs);
    note_line!("{}:", workload.name);
    let threads = (parallel, 1);
    input::announce(jobs, there, parallel);
    let results =
        input::with_runner(jobs.len(), threads, stop, false, |runner| runner.run(jobs, store));
    input::report_failures(jobs, &results);
    if input::ended_early(&results).is_some() {
        note_line!("interrupted; the same command goes on with the rest");
        return Err(End::Failed);
    }
    Ok(results.into_iter().map(|result: Result<RunSummary, Failure>| result.ok()).collect())
}

fn write(verdict: &Verdict, claims: &[Claim], arguments: &Arguments) -> Result<(), String> {
    let path = arguments.page.as_path();
    let folder = path.with_extension("");
    let stacks = verdict.values("stack").into_iter();
    let mut pictures: Vec<_> = stacks.map(|stack| (stack, picture(verdict, stack))).collect();
    pictures.push(("short", short(verdict)));
    for (name, picture) in pictures {
        let picture_path = folder.join(format!("{name}.svg"));
        std::fs::write(&picture_path, picture).map_err(|error| at(&picture_path, error))?;
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut origin = format!("Runs of Raddle {VERSION}.");
    for (path, value) in &arguments.set {
        origin += &format!(" Changed: `{path} = {value}`.");
    }
    std::fs::write(path, page(verdict, claims, &name, &origin)).map_err(|e| at(path, e))?;
    print_line!("wrote {}", path.display());
    Ok(())
}
