//! One simulation.

use crate::columns::Table;
use crate::errors::{failed, refused, refused_text};
use crate::kept::{gathered, texts};
use crate::scheme::{Class, Classes};
use crate::work::{How, Shown, run_jobs};
use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raddle::advise::Question;
use raddle::problem::Problems;
use raddle::report::comparison::{Occasion, PageRun, page, palette};
use raddle::scenario::{self, Study};
use raddle::study::compare::{CompareInput, Comparison, Entry};
use raddle::study::gather::Gathered;
use raddle::study::run::{Finished, Keep};
use raddle::study::tables::{Format, Parts, of_run, write_parts};
use raddle::study::{jobs, machine};
use std::path::PathBuf;

/// A scenario's text, what problems call it, where its relative paths start, and changes to it.
#[derive(FromPyObject)]
pub(crate) struct Text(String, String, PathBuf, Vec<(String, String)>);

impl Text {
    /// The text itself.
    pub(crate) fn words(&self) -> &str {
        &self.0
    }

    /// The question that the text is; changes of it are new rates.
    ///
    /// # Errors
    /// Every problem of it.
    pub(crate) fn question(&self) -> Result<Question, Problems> {
        let Self(text, name, base, set) = self;
        Question::parse(name, text, base, set)
    }

    /// The study that the text asks for.
    ///
    /// # Errors
    /// `raddle.ScenarioError`.
    pub(crate) fn study(&self, py: Python<'_>) -> PyResult<Study> {
        let Self(text, name, base, set) = self;
        py.detach(|| scenario::parse(name, text, base, set))
            .map_err(|problems| refused(py, &problems))
    }
}

/// A finished run.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Run {
    finished: Finished,
    scenario: String,
    /// What was run, in a line.
    #[pyo3(get)]
    title: String,
    /// The machine that ran it.
    #[pyo3(get)]
    machine: String,
    /// The scenario with every default filled in, in TOML.
    #[pyo3(get)]
    resolved: String,
    /// What was accepted and deserves a word.
    #[pyo3(get)]
    notes: Vec<String>,
}

#[pymethods]
impl Run {
    /// The run in numbers, the JSON object `raddle.run/1`.
    fn summary_json(&self) -> String {
        self.finished.summary.to_json().to_string()
    }

    /// The run for people, as the command prints it.
    fn text(&self) -> String {
        self.finished.summary.text(&self.finished.plan, &self.finished.outcome)
    }

    /// What a report draws of the run, as JSON.
    fn picture(&self, py: Python<'_>) -> PyResult<String> {
        let kept = py.detach(|| texts(&Gathered::of(&self.finished, true)));
        Ok(kept.map_err(PyRuntimeError::new_err)?.1)
    }

    /// Writes its tables into a folder, as `raddle run --out` does.
    fn keep(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| {
            for parts in self.parts() {
                write_parts(&folder, &parts, Format::Parquet)
                    .map_err(|error| PyOSError::new_err(error.to_string()))?;
            }
            Ok(())
        })
    }

    /// Names of the tables that the run has.
    fn tables(&self) -> Vec<&'static str> {
        self.parts().iter().map(|parts| parts.name()).collect()
    }

    /// The table of this name.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| {
            let tables = self.parts();
            let parts = tables.iter().find(|parts| parts.name() == name);
            Table::made(parts.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?)
        })
    }
}

impl Run {
    fn parts(&self) -> Vec<Parts<'_>> {
        let Finished { plan, outcome, ideals, .. } = &self.finished;
        of_run(&self.scenario, plan, outcome, ideals)
    }
}

/// The page of a run, as a comparison of one: what it is in a line, the scenario, the machine,
/// `run.json` and what is drawn of it.
///
/// # Errors
/// What is wrong with them (`ValueError`).
#[pyfunction]
pub(crate) fn page_of(
    py: Python<'_>,
    call: String,
    title: &str,
    scenario_toml: String,
    machine: String,
    summary: &str,
    picture: &str,
) -> PyResult<String> {
    py.detach(|| {
        let kept = gathered(summary, picture)?;
        let own = &kept.summary;
        let entry = Entry { settings: &[], seed: own.seed, summary: Some(own) };
        let comparison = Comparison::new(CompareInput::of_runs(title, &[entry]));
        let occasion = Occasion { command: call, scenario_toml, machine, look: None };
        let runs = [PageRun { settings: &[], kept: &kept }];
        Ok(page(&comparison, &runs, &palette, occasion).html())
    })
    .map_err(|why: String| PyValueError::new_err(why))
}

/// The text in a file; one that has no end is refused.
///
/// # Errors
/// What the system said (`OSError`).
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    Ok(py.detach(|| raddle::text_file::read(&path))?)
}

/// Runs one simulation.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    text: Text,
    seed: Option<u64>,
    threads: u32,
    progress: Shown,
    load_balance: Vec<Class>,
    congestion: Vec<Class>,
) -> PyResult<Run> {
    let mut study = text.study(py)?;
    if study.cells.len() > 1 {
        let message = format!(
            "{} is a sweep over {} scenarios, and `run` runs one: choose it with `set`, or use \
             `compare`",
            study.name,
            study.cells.len()
        );
        return Err(refused_text(py, message));
    }
    study.seeds = vec![seed.or(study.seeds.first().copied()).unwrap_or(1)];
    let mut jobs = jobs::jobs(&study, None);
    let classes = Classes::new(load_balance, congestion);
    let how = How::new(Some(1), threads, progress);
    if !classes.is_empty() {
        jobs = classes.join(py, jobs, None, false)?;
        study.notes.push("a class of Python took part, of which the scenario knows nothing".into());
    }
    let results = run_jobs(py, &jobs, &how, &classes, &Keep)?;
    let Some(result) = results.into_iter().next() else {
        return Err(refused_text(py, "the scenario has no run"));
    };
    let finished = result.map_err(|failure| failed(py, &failure))?;
    study.notes.extend(scenario::notes_on(&finished.plan));
    Ok(Run {
        finished,
        scenario: jobs[0].scenario.clone(),
        title: study.title(),
        machine: machine::words(),
        resolved: study.cells[0].scenario.resolved_toml().to_owned(),
        notes: study.notes,
    })
}
