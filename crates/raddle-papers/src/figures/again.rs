//! Figures run again, as the doors to them share it: what is refused before hours of runs, what is
//! kept of them, and where.

use super::files::Read;
use super::{Answers, FIGURES, Figure, FigureResult, Mode, Prepared, Verdict, find, totals_text};
use raddle::problem::Problems;
use raddle::report::comparison::{Occasion, palette};
use raddle::scenario::reader::nearest;
use raddle::study::place::at;
use raddle::study::run::Runner;
use raddle::study::text::{left, plural};
use raddle::study::{machine, memory};
use std::path::{Path, PathBuf};

/// The folder of figures in a clone.
pub const FOLDER: &str = "figures";

/// The figures that a name stands for, all without one; files that `folder` has of them before the
/// program's own.
///
/// # Errors
/// There are none, or their files cannot be read.
pub fn chosen(name: Option<&str>, folder: &Path) -> Result<Vec<Read>, String> {
    let found = match name {
        None => FIGURES.iter().collect(),
        Some(name) => find(name),
    };
    if let (true, Some(name)) = (found.is_empty(), name) {
        let near = nearest(name, FIGURES.iter().map(|figure| figure.name));
        let near = near.map_or_else(String::new, |near| format!("; nearest: `{near}`"));
        return Err(format!("no figure `{name}`{near}; `raddle figures` lists them"));
    }
    found.into_iter().map(|figure| figure.read_from(folder)).collect()
}

/// A line for each figure, and how many claims hold.
pub fn listed(results: &[FigureResult]) -> String {
    let width = results.iter().map(|result| result.figure.name.len()).max().unwrap_or(0);
    let line = |result: &FigureResult| {
        let (claims, holds) = (result.claims.len(), result.count(Verdict::Holds));
        let claims = left(&format!("{holds} of {claims}"), 8);
        format!("{}  {claims}  {}\n", left(result.figure.name, width), result.title)
    };
    format!(
        "{}\n{}; of their claims hold, as last run in full: {}. `raddle figures NAME` shows them, \
         `raddle reproduce NAME` runs them again.",
        results.iter().map(line).collect::<String>(),
        plural(results.len() as u64, "figure"),
        totals_text(results.iter().flat_map(|result| &result.claims)),
    )
}

/// Why nothing was run.
#[derive(Debug)]
pub enum Refused {
    /// In a line.
    Text(String),
    /// A figure's files are wrong.
    Files(Problems),
}

/// How figures are run again.
#[derive(Clone, Debug)]
pub struct Again {
    /// How much of them.
    pub mode: Mode,
    /// What is set in their scenarios to see what it changes: paths and values.
    pub set: Vec<(String, String)>,
    /// The folder of pages and kept results; a figure that it holds is not run.
    pub out: Option<PathBuf>,
    /// Whether damaged results are run again, and not refused.
    pub redo: bool,
    /// The folder of figures whose `result.json` are written.
    pub record: Option<PathBuf>,
    /// Runs at a time.
    pub parallel: usize,
}

/// Calls what it is given with a runner for so many steps.
pub type WithRunner<'a> = dyn FnMut(usize, &mut dyn FnMut(&Runner<'_>)) + 'a;

impl Again {
    /// Makes the folders, and refuses figures with wrong files or damaged results, and runs that do
    /// not fit in memory.
    ///
    /// # Errors
    /// The first of these.
    pub fn check(&self, figures: &[Figure]) -> Result<(), Refused> {
        let folders = |folder: &Option<PathBuf>, of: fn(&Figure) -> &'static str| {
            let Some(folder) = folder else { return Ok(()) };
            figures.iter().try_for_each(|figure| {
                let path = folder.join(of(figure));
                std::fs::create_dir_all(&path).map_err(|error| Refused::Text(at(&path, error)))
            })
        };
        folders(&self.record, |figure| figure.name)?;
        folders(&self.out, Figure::paper)?;
        for figure in figures {
            if figure.scenario.is_none() && !self.set.is_empty() {
                let name = figure.name;
                let message = format!("{name} is of a model and has no scenario to set a key of");
                return Err(Refused::Text(message));
            }
            let prepared = figure.prepare_with(self.mode, &self.set).map_err(Refused::Files)?;
            if !self.set.is_empty() {
                let own = figure.prepare(self.mode).map_err(Refused::Files)?;
                if prepared.is_as(&own) {
                    let keys = self.set_words();
                    let message = format!(
                        "nothing of {} changes with{keys}: its conditions set these keys, or they \
                         have these values",
                        figure.name,
                    );
                    return Err(Refused::Text(message));
                }
            }
            if let Some(folder) = self.out.as_ref().filter(|_| !self.redo)
                && let Err(why) = prepared.recall(folder)
            {
                let message = format!("a damaged result: {why}; `--redo` runs the figure again");
                return Err(Refused::Text(message));
            }
            let needed = prepared.jobs();
            let needed = needed.iter().map(|job| job.needed);
            memory::fit_together(needed, self.parallel, memory::available())
                .map_err(Refused::Text)?;
        }
        Ok(())
    }

    /// What the folder of results holds, or what the runs give; `note` hears which.
    ///
    /// # Errors
    /// A run that failed, or a file that cannot be written.
    pub fn result(
        &self,
        figure: &Figure,
        answers: &Answers,
        with_runner: &mut WithRunner<'_>,
        note: &mut dyn FnMut(&str),
    ) -> Result<FigureResult, String> {
        let prepared =
            figure.prepare_with(self.mode, &self.set).map_err(|problems| problems.render(false))?;
        let kept = match &self.out {
            Some(folder) if self.redo => prepared.recall(folder).unwrap_or_default(),
            Some(folder) => prepared.recall(folder)?,
            None => None,
        };
        let result = match kept {
            Some(result) => {
                note(&format!("{}: kept from before, not run again", figure.name));
                result
            }
            None => self.run(&prepared, answers, with_runner, note)?,
        };
        if let Some(folder) = &self.record {
            let path = folder.join(figure.name).join("result.json");
            std::fs::write(&path, result.record()).map_err(|error| at(&path, error))?;
        }
        Ok(result)
    }

    /// Runs the figure, and keeps the result with a page if there is a folder for them, which holds its
    /// runs until then.
    fn run(
        &self,
        prepared: &Prepared,
        answers: &Answers,
        with_runner: &mut WithRunner<'_>,
        note: &mut dyn FnMut(&str),
    ) -> Result<FigureResult, String> {
        let outcomes = self.out.as_ref().map(|folder| prepared.outcomes(folder));
        let outcomes = outcomes.unwrap_or_default();
        let jobs = prepared.jobs();
        let there = outcomes.count(&jobs);
        if there > 0 {
            let runs = plural(jobs.len() as u64, "run");
            note(&format!("{}: {runs}, {there} of them there already", prepared.figure.name));
        }
        let mut result = None;
        with_runner(prepared.steps(answers), &mut |runner| {
            result = Some(prepared.clone().run_with(runner, answers, &outcomes));
        });
        let result = result.ok_or("interrupted")?.map_err(|error| error.to_string())?;
        if let Some(folder) = &self.out {
            let path = self.write_page(folder, &prepared.figure, &result)?;
            note(&format!("wrote {}", path.display()));
            prepared.keep(folder, &result)?;
            outcomes.remove()?;
        }
        Ok(result)
    }

    fn set_words(&self) -> String {
        self.set.iter().map(|(path, value)| format!(" --set '{path}={value}'")).collect()
    }

    /// The figure's claims and runs as a report.
    fn write_page(
        &self,
        folder: &Path,
        figure: &Figure,
        result: &FigureResult,
    ) -> Result<PathBuf, String> {
        let quick = if self.mode == Mode::Quick { " --quick" } else { "" };
        let occasion = Occasion {
            command: format!("raddle reproduce {}{quick}{}", figure.name, self.set_words()),
            scenario_toml: figure.scenario.unwrap_or_default().to_owned(),
            machine: machine::words(),
            look: None,
        };
        let path = folder.join(format!("{}.html", figure.name));
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| at(parent, error))?;
        }
        let html = result.report(&palette, occasion).html();
        std::fs::write(&path, html).map_err(|error| at(&path, error))?;
        Ok(path)
    }
}
