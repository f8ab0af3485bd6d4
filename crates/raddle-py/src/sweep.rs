//! Grids of runs: kept in a folder by this process, or taken apart for others to run.

use crate::compare::{Metric, failures, some_ran};
use crate::errors::refused_text;
use crate::run::Text;
use crate::scheme::{Class, Classes};
use crate::work::{How, Shown, run_jobs};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raddle::study::compare::{Asked, CompareInput, Comparison, Entry};
use raddle::study::jobs;
use raddle::study::run::Job;
use raddle::study::store::Store;
use raddle::study::summary::RunSummary;
use raddle::study::tables::{self, Format, RunRow};
use std::path::PathBuf;

/// `raddle.compare/2`, the text of the command, and why runs came to nothing.
type Answer = (String, String, Vec<String>);

/// Columns that the command's table takes where there is no terminal.
const COLUMNS: usize = 100;

fn format(csv: bool) -> Format {
    if csv { Format::Csv } else { Format::Parquet }
}

/// Classes that stand in for load balancers and for congestion controls, a word that tells runs with
/// them from others, and whether this is a part of a sweep, which may lack what they stand in for.
#[derive(FromPyObject)]
pub(crate) struct Marked(Vec<Class>, Vec<Class>, String, bool);

impl Marked {
    /// The classes, and `jobs` with them in their plans.
    ///
    /// # Errors
    /// As of [`Classes::join`].
    fn join(self, py: Python<'_>, jobs: Vec<Job>) -> PyResult<(Classes, Vec<Job>)> {
        let Self(load_balance, congestion, mark, is_part) = self;
        let classes = Classes::new(load_balance, congestion);
        if classes.is_empty() {
            return Ok((classes, jobs));
        }
        let jobs = classes.join(py, jobs, Some(&mark), is_part)?;
        Ok((classes, jobs))
    }
}

/// Runs every scenario of a sweep with every seed, those that the folder does not hold.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the command's options")]
pub(crate) fn sweep(
    py: Python<'_>,
    text: Text,
    asked: Metric,
    out: PathBuf,
    redo: bool,
    csv: bool,
    parallel: Option<usize>,
    threads: u32,
    progress: Shown,
    classes: Marked,
) -> PyResult<Answer> {
    let study = text.study(py)?;
    let asked = asked.read(py, &study)?;
    let (classes, jobs) = classes.join(py, jobs::jobs(&study, None))?;
    let refuse = |why: String| refused_text(py, why);
    let store = py.detach(|| Store::open(&out, format(csv))).map_err(refuse)?;
    py.detach(|| store.ready(&jobs, redo)).map_err(refuse)?;
    let results = run_jobs(py, &jobs, &How::new(parallel, threads, progress), &classes, &store)?;
    some_ran(py, &results)?;
    let failed = failures(&jobs, &results);
    let title = study.title();
    let summaries: Vec<Option<RunSummary>> = results.into_iter().map(Result::ok).collect();
    py.detach(|| {
        store.write_runs(&rows(&jobs, &summaries))?;
        Ok(answer(&title, &asked, &jobs, &summaries, failed))
    })
    .map_err(|why: String| PyRuntimeError::new_err(why))
}

fn rows<'a>(jobs: &'a [Job], summaries: &'a [Option<RunSummary>]) -> Vec<RunRow<'a>> {
    let both = jobs.iter().zip(summaries);
    both.filter_map(|(job, summary)| {
        Some(RunRow { settings: &job.settings, summary: summary.as_ref()? })
    })
    .collect()
}

fn answer(
    title: &str,
    asked: &Asked,
    jobs: &[Job],
    summaries: &[Option<RunSummary>],
    failed: Vec<String>,
) -> Answer {
    let both = jobs.iter().zip(summaries);
    let entries: Vec<Entry<'_>> = both
        .map(|(job, summary)| Entry {
            settings: &job.settings,
            seed: job.seed,
            summary: summary.as_ref(),
        })
        .collect();
    let comparison = Comparison::new(CompareInput::asked(title, &entries, asked));
    (comparison.to_json().to_string(), comparison.screen(COLUMNS), failed)
}

/// The runs of a sweep, each a scenario of its own, for others to run.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Grid {
    title: String,
    asked: Asked,
    jobs: Vec<Job>,
}

/// A run: the name of its folder in a store, where it stands in the sweep, the scenario with its
/// seed, the files that this names, and the bytes of memory that it takes at least.
type Run = (String, String, String, Vec<(String, String)>, u64);

#[pymethods]
impl Grid {
    #[new]
    fn new(py: Python<'_>, text: Text, asked: Metric, classes: Marked) -> PyResult<Self> {
        let study = text.study(py)?;
        let asked = asked.read(py, &study)?;
        let jobs = py.detach(|| jobs::jobs(&study, None));
        Ok(Self { title: study.title(), asked, jobs: classes.join(py, jobs)?.1 })
    }

    /// The runs, seeds varying fastest.
    fn runs(&self) -> Vec<Run> {
        let run = |job: &Job| {
            let files = job.kept.files.iter();
            let files = files.map(|file| (file.name.clone(), file.text.to_string())).collect();
            (job.name(), job.place(), job.kept.toml.clone(), files, job.needed.bytes())
        };
        self.jobs.iter().map(run).collect()
    }

    /// The answer of the sweep from the `run.json` of each run, `None` where it came to nothing;
    /// writes the table `runs` into a folder.
    fn answer(
        &self,
        py: Python<'_>,
        summaries: Vec<Option<String>>,
        folder: PathBuf,
        csv: bool,
        failed: Vec<String>,
    ) -> PyResult<Answer> {
        py.detach(|| {
            let read = |text: Option<String>| {
                let Some(text) = text else { return Ok(None) };
                let value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                RunSummary::from_json(&value).map(Some)
            };
            let summaries = summaries.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
            let table = tables::runs(&rows(&self.jobs, &summaries));
            tables::write(&folder, &table, format(csv)).map_err(|error| error.to_string())?;
            Ok(answer(&self.title, &self.asked, &self.jobs, &summaries, failed))
        })
        .map_err(|why: String| PyRuntimeError::new_err(why))
    }
}

/// Whether a text is the `run.json` of a run that this build reads.
///
/// # Errors
/// What is wrong with it.
#[pyfunction]
pub(crate) fn check_summary(text: &str) -> PyResult<()> {
    let value = serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))?;
    RunSummary::from_json(&value).map(drop).map_err(PyValueError::new_err)
}
