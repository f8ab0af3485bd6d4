//! A sweep as one answer.

use crate::errors::{failed, refused_text};
use crate::run::Text;
use crate::work::{How, Shown, run_jobs};
use pyo3::prelude::*;
use raddle::report::comparison::{Occasion, PageRun, page, palette, with_resolved};
use raddle::scenario::Study;
use raddle::study::compare::{Asked, CompareInput, Comparison, Entry};
use raddle::study::gather::{Gather, Gathered, record_uplinks};
use raddle::study::run::{Failure, Job};
use raddle::study::{jobs, machine};

/// Columns that the command's table takes where there is no terminal.
const COLUMNS: usize = 100;

/// A finished comparison.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Compared {
    comparison: Comparison,
    scenario_toml: String,
    /// Each run's settings, and what remains of it.
    runs: Vec<(Vec<(String, String)>, Gathered)>,
    /// Why runs came to nothing.
    #[pyo3(get)]
    failed: Vec<String>,
}

#[pymethods]
impl Compared {
    /// The JSON object `raddle.compare/2`.
    fn json(&self) -> String {
        self.comparison.to_json().to_string()
    }

    /// The table that the command prints.
    fn text(&self) -> String {
        self.comparison.screen(COLUMNS)
    }

    /// The page that the command writes.
    fn report(&self, py: Python<'_>, call: String) -> String {
        py.detach(|| {
            let runs = self.runs.iter().map(|(settings, kept)| PageRun { settings, kept });
            let runs: Vec<PageRun<'_>> = runs.collect();
            let occasion = Occasion {
                command: call,
                scenario_toml: self.scenario_toml.clone(),
                machine: machine::words(),
            };
            page(&self.comparison, &runs, &palette, occasion).html()
        })
    }
}

/// The word of a metric, and the name of a job.
#[derive(FromPyObject)]
pub(crate) struct Metric(Option<String>, Option<String>);

impl Metric {
    /// What is asked of a study.
    ///
    /// # Errors
    /// `raddle.ScenarioError`: it does not have that.
    pub(crate) fn read(&self, py: Python<'_>, study: &Study) -> PyResult<Asked> {
        let Self(metric, job) = self;
        py.detach(|| Asked::of(study, metric.as_deref(), job.as_deref()))
            .map_err(|why| refused_text(py, why))
    }
}

/// Runs every scenario of a sweep with every seed.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    text: Text,
    asked: Metric,
    parallel: Option<usize>,
    threads: u32,
    progress: Shown,
) -> PyResult<Compared> {
    let study = text.study(py)?;
    let asked = asked.read(py, &study)?;
    let how = How::new(parallel, threads, progress);
    let jobs = jobs::jobs(&study, Some(record_uplinks));
    let drawn_seed = study.seeds.first().copied().unwrap_or(1);
    let results = run_jobs(py, &jobs, &how, &Gather { store: None, drawn_seed })?;
    some_ran(py, &results)?;
    Ok(py.detach(|| answer(text.words(), &study, &asked, jobs, results)))
}

/// As the command: runs that failed are left out of the answer unless none could be run.
///
/// # Errors
/// Why the first run failed, where all did.
pub(crate) fn some_ran<T>(py: Python<'_>, results: &[Result<T, Failure>]) -> PyResult<()> {
    match results.first() {
        Some(Err(failure)) if results.iter().all(Result::is_err) => Err(failed(py, failure)),
        _ => Ok(()),
    }
}

/// Which runs failed, and why.
pub(crate) fn failures<T>(jobs: &[Job], results: &[Result<T, Failure>]) -> Vec<String> {
    let both = jobs.iter().zip(results);
    both.filter_map(|(job, result)| {
        let failure = result.as_ref().err()?;
        Some(format!("{}: {failure}", job.place()))
    })
    .collect()
}

fn answer(
    text: &str,
    study: &Study,
    asked: &Asked,
    jobs: Vec<Job>,
    results: Vec<Result<Gathered, Failure>>,
) -> Compared {
    let both = jobs.iter().zip(&results);
    let entries: Vec<Entry<'_>> = both
        .map(|(job, result)| Entry {
            settings: &job.settings,
            seed: job.seed,
            summary: result.as_ref().ok().map(|kept| &kept.summary),
        })
        .collect();
    let title = study.title();
    let comparison = Comparison::new(CompareInput::asked(&title, &entries, asked));
    let failed = failures(&jobs, &results);
    let runs = jobs.into_iter().zip(results);
    let runs = runs.filter_map(|(job, result)| Some((job.settings, result.ok()?))).collect();
    Compared { comparison, scenario_toml: with_resolved(text, study), runs, failed }
}
