//! `raddle reproduce`: published figures, run again.

use super::compare::palette;
use super::output::{note_line, print_line};
use super::{End, input, machine};
use raddle::report::comparison::Occasion;
use raddle::study::run::Runner;
use raddle::study::store::at;
use raddle_papers::figures::{self, Answers, Figure, FigureResult, Mode, Prepared};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `raddle reproduce`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A paper (`reps`) or a figure (`reps/fig4`); else all.
    name: Option<String>,
    /// Fewer seeds or smaller messages: at most a minute a paper.
    #[arg(long)]
    quick: bool,
    /// Write a page with each figure's pictures into this folder, and keep each figure's result
    /// there; a figure that it holds is not run again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run figures of that folder again whose result is damaged.
    #[arg(long, requires = "out")]
    redo: bool,
    /// Write each figure's `result.json` into this folder of figures (`figures` in a clone).
    #[arg(long, value_name = "DIR", conflicts_with = "quick")]
    record: Option<PathBuf>,
    /// Runs at a time; else one per core.
    #[arg(long, value_name = "N")]
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
    // Before hours of runs, not after them.
    for folder in arguments.record.iter().chain(&arguments.out) {
        if let Err(why) = make_folders(folder, &chosen, arguments.record.as_ref() == Some(folder)) {
            return input::refuse_text(&why);
        }
    }
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    if let Err(end) = check(&chosen, mode, arguments) {
        return end;
    }
    let stop = input::interruption();
    let answers = Answers::default();
    let mut results = Vec::new();
    for figure in &chosen {
        let result = match result(figure, mode, arguments, &answers, &stop) {
            Ok(result) => result,
            Err(why) => {
                note_line!("error: {why}");
                if let (true, Some(folder)) = (stop.load(Ordering::Relaxed), &arguments.out) {
                    note_line!(
                        "the figures before it are kept in {}; the same command goes on with the \
                         rest",
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
    let unexplained: usize = results.iter().map(|result| result.unexplained().count()).sum();
    if unexplained > 0 { End::Failed } else { End::Done }
}

/// Makes the folders that results are recorded in, one for each figure, or kept in, one for each
/// paper.
fn make_folders(folder: &Path, chosen: &[Figure], recorded: bool) -> Result<(), String> {
    for figure in chosen {
        let path = folder.join(if recorded { figure.name } else { figure.paper() });
        std::fs::create_dir_all(&path).map_err(|error| at(&path, error))?;
    }
    Ok(())
}

/// Refuses figures with wrong files or damaged results, unless these are to be run again, and runs
/// that do not fit in memory.
fn check(chosen: &[Figure], mode: Mode, arguments: &Arguments) -> Result<(), End> {
    let parallel = input::parallel(arguments.parallel, 1);
    for figure in chosen {
        let prepared = figure.prepare(mode).map_err(|problems| input::refuse(&problems))?;
        if let Some(folder) = arguments.out.as_ref().filter(|_| !arguments.redo)
            && let Err(why) = prepared.recall(folder)
        {
            let message = format!("a damaged result: {why}; `--redo` runs the figure again");
            return Err(input::refuse_text(&message));
        }
        input::fit(&prepared.jobs(), parallel)?;
    }
    Ok(())
}

/// What the folder of results holds, or what the runs give.
fn result(
    figure: &Figure,
    mode: Mode,
    arguments: &Arguments,
    answers: &Answers,
    stop: &AtomicBool,
) -> Result<FigureResult, String> {
    let prepared = figure.prepare(mode).map_err(|problems| problems.render(false))?;
    let kept = match &arguments.out {
        Some(folder) if arguments.redo => prepared.recall(folder).unwrap_or_default(),
        Some(folder) => prepared.recall(folder)?,
        None => None,
    };
    let result = match kept {
        Some(result) => {
            note_line!("{}: kept from before, not run again", figure.name);
            result
        }
        None => run(&prepared, arguments, answers, stop)?,
    };
    if let Some(folder) = &arguments.record {
        let path = folder.join(figure.name).join("result.json");
        std::fs::write(&path, result.record()).map_err(|error| at(&path, error))?;
    }
    Ok(result)
}

/// Runs the figure, and keeps the result with a page if there is a folder for them.
fn run(
    prepared: &Prepared,
    arguments: &Arguments,
    answers: &Answers,
    stop: &AtomicBool,
) -> Result<FigureResult, String> {
    let (jobs, threads) = (prepared.steps(answers), input::parallel(arguments.parallel, 1));
    let run = |runner: &Runner<'_>| prepared.clone().run_with(runner, answers);
    let result = input::with_runner(jobs, (threads, 1), stop, arguments.json, run)
        .map_err(|error| error.to_string())?;
    if let Some(folder) = &arguments.out {
        write_page(folder, &prepared.figure, prepared.mode, &result)?;
        prepared.keep(folder, &result)?;
    }
    Ok(result)
}

/// The figure's claims and runs as a report.
fn write_page(
    folder: &Path,
    figure: &Figure,
    mode: Mode,
    result: &FigureResult,
) -> Result<(), String> {
    let quick = if mode == Mode::Quick { " --quick" } else { "" };
    let occasion = Occasion {
        command: format!("raddle reproduce {}{quick}", figure.name),
        scenario_toml: figure.scenario.unwrap_or_default().to_owned(),
        machine: machine::words(),
    };
    let path = folder.join(format!("{}.html", figure.name));
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| at(parent, error))?;
    }
    let html = result.report(&palette, occasion).html();
    std::fs::write(&path, html).map_err(|error| at(&path, error))?;
    note_line!("wrote {}", path.display());
    Ok(())
}
