//! A sweep as one answer.

use crate::errors::failed;
use crate::run::{Text, fit};
use crate::work::{How, run_jobs};
use pyo3::prelude::*;
use raddle::study::compare::{CompareInput, Comparison, Entry};
use raddle::study::jobs;
use raddle::study::run::{Failure, Finished, Job, Sink};
use raddle::study::summary::RunSummary;

/// Keeps of each run what a comparison needs.
struct Summaries;

impl Sink for Summaries {
    type Kept = RunSummary;

    fn begin(&self, _job: &Job) -> Result<Option<RunSummary>, String> {
        Ok(None)
    }

    fn finish(&self, _job: &Job, run: Finished) -> Result<RunSummary, String> {
        Ok(run.summary)
    }

    fn abandon(&self, _job: &Job) {}
}

/// Runs every scenario of a sweep with every seed. Gives the JSON object `raddle.compare/1`, the
/// text that the command prints, and what came of runs that failed.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    text: Text,
    parallel: Option<usize>,
    threads: u32,
    progress: bool,
) -> PyResult<(String, String, Vec<String>)> {
    let study = text.study(py)?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let parallel = parallel.unwrap_or_else(|| cores() / threads.max(1) as usize).max(1);
    let jobs = jobs::jobs(&study, None);
    fit(py, &jobs, parallel)?;
    let results = run_jobs(py, &jobs, How { parallel, threads, progress }, &Summaries)?;
    // As the command: runs that failed are left out of the answer unless none could be run.
    if let Some(Err(failure)) = results.first()
        && results.iter().all(Result::is_err)
    {
        return Err(failed(py, failure));
    }
    let failed = jobs.iter().zip(&results).filter_map(|(job, result)| {
        let failure = result.as_ref().err()?;
        let settings = job.settings.iter().map(|(path, value)| format!("{path} = {value}"));
        let place: Vec<String> = settings.chain([format!("seed {}", job.seed)]).collect();
        Some(format!("{}: {failure}", place.join(", ")))
    });
    let failed = failed.collect();
    let (json, text) = py.detach(|| answer(&study.title(), &jobs, &results));
    Ok((json, text, failed))
}

fn answer(title: &str, jobs: &[Job], results: &[Result<RunSummary, Failure>]) -> (String, String) {
    let entries: Vec<Entry<'_>> = jobs
        .iter()
        .zip(results)
        .map(|(job, result)| Entry {
            settings: &job.settings,
            seed: job.seed,
            summary: result.as_ref().ok(),
        })
        .collect();
    let comparison = Comparison::new(CompareInput::of_runs(title, &entries));
    (comparison.to_json().to_string(), comparison.screen(100))
}
