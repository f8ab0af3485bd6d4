//! A sweep as one answer.

use crate::errors::{failed, refused_text};
use crate::kept::{gathered, texts};
use crate::run::Text;
use crate::scheme::{Class, Classes};
use crate::work::{How, Shown, run_jobs};
use pyo3::exceptions::PyValueError;
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
    title: String,
    asked: Asked,
    scenario_toml: String,
    /// The machine that ran it.
    machine: String,
    runs: Vec<RunOf>,
    /// Why runs came to nothing.
    #[pyo3(get)]
    failed: Vec<String>,
}

/// A run of a comparison: its settings, its seed, and what remains of it if it came to something.
struct RunOf {
    settings: Vec<(String, String)>,
    seed: u64,
    kept: Option<Gathered>,
}

/// A comparison as pickles hold it: title, words of metrics, job, scenario, machine, runs, failures.
type State = (String, Vec<String>, Option<String>, String, String, Vec<StateOfRun>, Vec<String>);

/// Settings, seed, and `run.json` with what a report draws of the run.
type StateOfRun = (Vec<(String, String)>, u64, Option<(String, String)>);

#[pymethods]
impl Compared {
    /// The comparison of which this is the state.
    #[new]
    fn new(py: Python<'_>, state: State) -> PyResult<Self> {
        let (title, metrics, job, scenario_toml, machine, runs, failed) = state;
        let read = |(settings, seed, kept): StateOfRun| {
            let kept = kept.map(|(summary, picture)| gathered(&summary, &picture)).transpose()?;
            Ok(RunOf { settings, seed, kept })
        };
        py.detach(|| {
            let asked = Asked::named(&metrics, job)?;
            let runs = runs.into_iter().map(read).collect::<Result<_, String>>()?;
            Ok(Self::of(title, asked, scenario_toml, machine, runs, failed))
        })
        .map_err(|why: String| PyValueError::new_err(why))
    }

    fn __getnewargs__(&self, py: Python<'_>) -> PyResult<(State,)> {
        py.detach(|| {
            let run = |run: &RunOf| {
                let kept = run.kept.as_ref().map(texts).transpose()?;
                Ok((run.settings.clone(), run.seed, kept))
            };
            let runs = self.runs.iter().map(run).collect::<Result<_, String>>()?;
            let (metrics, job) = self.asked.words();
            let metrics = metrics.into_iter().map(str::to_owned).collect();
            let [title, scenario, machine] =
                [&self.title, &self.scenario_toml, &self.machine].map(Clone::clone);
            let job = job.map(str::to_owned);
            Ok(((title, metrics, job, scenario, machine, runs, self.failed.clone()),))
        })
        .map_err(|why: String| PyValueError::new_err(why))
    }

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
            let runs = self.runs.iter().filter_map(|run| {
                Some(PageRun { settings: &run.settings, kept: run.kept.as_ref()? })
            });
            let runs: Vec<PageRun<'_>> = runs.collect();
            let occasion = Occasion {
                command: call,
                scenario_toml: self.scenario_toml.clone(),
                machine: self.machine.clone(),
                look: None,
            };
            page(&self.comparison, &runs, &palette, occasion).html()
        })
    }
}

impl Compared {
    fn of(
        title: String,
        asked: Asked,
        scenario_toml: String,
        machine: String,
        runs: Vec<RunOf>,
        failed: Vec<String>,
    ) -> Self {
        let entries: Vec<Entry<'_>> = runs
            .iter()
            .map(|run| Entry {
                settings: &run.settings,
                seed: run.seed,
                summary: run.kept.as_ref().map(|kept| &kept.summary),
            })
            .collect();
        let comparison = Comparison::new(CompareInput::asked(&title, &entries, &asked));
        Self { comparison, title, asked, scenario_toml, machine, runs, failed }
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
#[expect(clippy::too_many_arguments, reason = "the call's arguments")]
pub(crate) fn compare(
    py: Python<'_>,
    text: Text,
    asked: Metric,
    parallel: Option<usize>,
    threads: u32,
    progress: Shown,
    load_balance: Vec<Class>,
    congestion: Vec<Class>,
) -> PyResult<Compared> {
    let study = text.study(py)?;
    let asked = asked.read(py, &study)?;
    let how = How::new(parallel, threads, progress);
    let classes = Classes::new(load_balance, congestion);
    let mut jobs = jobs::jobs(&study, Some(record_uplinks));
    if !classes.is_empty() {
        jobs = classes.join(py, jobs, None, false)?;
    }
    let drawn_seed = study.seeds.first().copied().unwrap_or(1);
    let results = run_jobs(py, &jobs, &how, &classes, &Gather { store: None, drawn_seed })?;
    some_ran(py, &results)?;
    Ok(py.detach(|| {
        let failed = failures(&jobs, &results);
        let runs = jobs.into_iter().zip(results).map(|(job, result)| RunOf {
            settings: job.settings,
            seed: job.seed,
            kept: result.ok(),
        });
        let scenario = with_resolved(text.words(), &study);
        Compared::of(study.title(), asked, scenario, machine::words(), runs.collect(), failed)
    }))
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
