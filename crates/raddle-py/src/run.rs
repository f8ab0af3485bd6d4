//! One simulation.

use crate::errors::{failed, refused, refused_text};
use crate::table::Table;
use crate::work::{How, run_jobs};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use raddle::scenario::{self, Study};
use raddle::study::jobs;
use raddle::study::memory;
use raddle::study::run::{Finished, Keep};
use raddle::study::tables::of_run;
use std::path::PathBuf;

/// A scenario's text, what problems call it, where its relative paths start, and changes to it.
#[derive(FromPyObject)]
pub(crate) struct Text(String, String, PathBuf, Vec<(String, String)>);

impl Text {
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

    /// Names of the tables that the run has.
    fn tables(&self) -> Vec<&'static str> {
        let tables = of_run(&self.scenario, &self.finished.plan, &self.finished.outcome);
        tables.iter().map(|parts| parts.name()).collect()
    }

    /// The table of this name.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let whole = py.detach(|| {
            let tables = of_run(&self.scenario, &self.finished.plan, &self.finished.outcome);
            tables.iter().find(|parts| parts.name() == name).map(|parts| parts.whole())
        });
        Table::new(whole.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?)
    }
}

/// Runs one simulation.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    text: Text,
    seed: Option<u64>,
    threads: u32,
    progress: bool,
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
    let jobs = jobs::jobs(&study, None);
    fit(py, &jobs, 1)?;
    let how = How { parallel: 1, threads, progress };
    let Some(result) = run_jobs(py, &jobs, how, &Keep)?.pop() else {
        return Err(refused_text(py, "the scenario has no run"));
    };
    let finished = result.map_err(|failure| failed(py, &failure))?;
    study.notes.extend(scenario::notes_on(&finished.plan));
    Ok(Run {
        finished,
        scenario: jobs[0].scenario.clone(),
        resolved: study.cells[0].scenario.resolved_toml().to_owned(),
        notes: study.notes,
    })
}

/// Refuses runs that would not fit in memory, so many at a time.
pub(crate) fn fit(
    py: Python<'_>,
    jobs: &[raddle::study::run::Job],
    at_a_time: usize,
) -> PyResult<()> {
    let needed = jobs.iter().map(|job| job.needed);
    memory::fit_together(needed, at_a_time, memory::available())
        .map_err(|why| refused_text(py, why))
}
