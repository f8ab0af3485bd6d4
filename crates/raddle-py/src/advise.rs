//! Which candidate of a question is best.

use crate::errors::{failed, refused, refused_text};
use crate::run::Text;
use crate::scheme::Classes;
use crate::work::{How, Shown, run_jobs};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use raddle::advise::{self, Answer, Halt, Next, Ran, Results, Search, drive};
use raddle::study::run::Job;
use raddle::study::store::Store;
use raddle::study::summary::RunSummary;
use std::path::PathBuf;

/// An object as JSON, and the text of the command.
type Told = (String, String);

/// Columns that the command's table takes where there is no terminal.
const COLUMNS: usize = 100;

/// A run for others to make: the name of its folder in a store, where it stands, the scenario with its
/// seed, the files that this names, and the bytes of memory that it takes at least.
type Run = (String, String, String, Vec<(String, String)>, u64);

/// A question, whose runs this process makes, or others.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Question(advise::Question);

#[pymethods]
impl Question {
    #[new]
    fn new(py: Python<'_>, text: Text) -> PyResult<Self> {
        let read = py.detach(|| text.question());
        read.map(Self).map_err(|problems| refused(py, &problems))
    }

    /// Rates that were taken from publications.
    #[getter]
    fn published(&self) -> Vec<String> {
        self.0.published.clone()
    }

    /// Seconds after which no further round begins.
    #[getter]
    fn budget_s(&self) -> Option<f64> {
        self.0.budget_s()
    }

    /// The parts of all candidates (`raddle.advise_count/1`).
    fn count(&self, py: Python<'_>) -> PyResult<Told> {
        let counted = py.detach(|| {
            Search::new(&self.0)
                .map(|search| (search.count_json().to_string(), search.count_text()))
        });
        counted.map_err(|problems| refused(py, &problems))
    }

    /// Makes all runs that are needed, those that `out` does not hold, and answers (`raddle.advise/1`).
    fn ask(
        &self,
        py: Python<'_>,
        out: PathBuf,
        redo: bool,
        parallel: Option<usize>,
        threads: u32,
        progress: Shown,
    ) -> PyResult<Told> {
        let search = py.detach(|| Search::new(&self.0)).map_err(|own| refused(py, &own))?;
        let refuse = |why: String| refused_text(py, why);
        let runs = out.join(advise::RUNS_FOLDER);
        let store = py.detach(|| Store::of_summaries(&runs)).map_err(refuse)?;
        let how = How::new(parallel, threads, progress);
        let classes = Classes::new(Vec::new(), Vec::new());
        let mut run = |jobs: &[Job]| {
            store.ready(jobs, redo).map_err(refuse)?;
            run_jobs(py, jobs, &how, &classes, &store)
        };
        let measured = drive(&self.0, search, &mut run).map_err(|halt| match halt {
            Halt::Problems(problems) => refused(py, &problems),
            Halt::Other(raised) => raised,
            Halt::Failed(all) => match all.first() {
                Some((_, failure)) => failed(py, failure),
                None => PyRuntimeError::new_err("a run came to nothing"),
            },
        })?;
        Self::answer(py, Answer::new(&self.0, measured), Some(out))
    }

    /// The runs that are needed next, with these `run.json` there; `None` if there are none. No further
    /// look is begun if `enough`.
    fn next(
        &self,
        py: Python<'_>,
        summaries: Vec<String>,
        enough: bool,
    ) -> PyResult<Option<Vec<Run>>> {
        let next = self.search(py, &summaries, enough)?;
        let run = |job: Job| {
            let files = job.kept.files.iter();
            let files = files.map(|file| (file.name.clone(), file.text.to_string())).collect();
            (job.name(), job.place(), job.kept.toml.clone(), files, job.needed.bytes())
        };
        Ok(match next {
            Next::Runs(jobs) => Some(jobs.into_iter().map(run).collect()),
            Next::Done(_) => None,
        })
    }

    /// The answer of these `run.json`, and its page; to be asked for when no runs are needed.
    fn answered(
        &self,
        py: Python<'_>,
        summaries: Vec<String>,
        enough: bool,
    ) -> PyResult<(String, String, String)> {
        match self.search(py, &summaries, enough)? {
            Next::Runs(_) => Err(PyRuntimeError::new_err("some runs are missing")),
            Next::Done(measured) => {
                let answer = Answer::new(&self.0, *measured).map_err(PyRuntimeError::new_err)?;
                Ok((answer.to_json().to_string(), answer.text(COLUMNS), answer.page()))
            }
        }
    }

    /// The answer from an `advice.json`, weighed by this question's rates.
    fn again(&self, py: Python<'_>, kept: &str) -> PyResult<Told> {
        let measured = advise::measured(kept).map_err(|why| refused_text(py, why))?;
        Self::answer(py, Answer::again(&self.0, measured), None)
    }
}

impl Question {
    fn answer(
        py: Python<'_>,
        answer: Result<Answer, String>,
        out: Option<PathBuf>,
    ) -> PyResult<Told> {
        let answer = answer.map_err(|why| refused_text(py, why))?;
        if let Some(out) = out {
            py.detach(|| answer.write(&out)).map_err(PyRuntimeError::new_err)?;
        }
        Ok((answer.to_json().to_string(), answer.text(COLUMNS)))
    }

    fn search(&self, py: Python<'_>, summaries: &[String], enough: bool) -> PyResult<Next> {
        let read = |text: &String| -> Result<_, String> {
            let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let own = RunSummary::from_json(&value)?;
            Ok(((own.scenario, own.seed), Ran { us: own.completion_us, bound_us: own.bound_us }))
        };
        let results = summaries.iter().map(read).collect::<Result<Results, _>>();
        let results = results.map_err(PyRuntimeError::new_err)?;
        let next =
            py.detach(|| Search::new(&self.0).and_then(|mut search| search.next(&results, enough)));
        next.map_err(|problems| refused(py, &problems))
    }
}
