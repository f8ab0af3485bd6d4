//! A search with its runs: rounds of them, until there are none to make.

use super::measured::Measured;
use super::question::Question;
use super::search::{Next, Ran, Results, Search};
use crate::problem::Problems;
use crate::study::run::{Failure, Job};
use crate::study::summary::RunSummary;
use crate::study::timing::Stopwatch;

/// Why a search has no end.
#[derive(Debug)]
pub enum Halt<E> {
    /// What is wrong with the question.
    Problems(Problems),
    /// Runs of which nothing came, by their places; of those that were interrupted nothing is said.
    Failed(Vec<(String, Failure)>),
    /// What `run` returned.
    Other(E),
}

/// What comes of the runs of a round, in their order.
pub type Round = Vec<Result<RunSummary, Failure>>;

/// Searches. `run` makes the runs of a round; those that a store holds it need not make again.
///
/// # Errors
/// Problems of candidates and states, and what `run` could not make.
pub fn drive<E>(
    question: &Question,
    mut search: Search<'_>,
    run: &mut dyn FnMut(&[Job]) -> Result<Round, E>,
) -> Result<Measured, Halt<E>> {
    let mut results = Results::new();
    let watch = Stopwatch::start();
    loop {
        let spent = question.budget_s().is_some_and(|budget| watch.stop().wall_s > budget);
        let jobs = match search.next(&results, spent).map_err(Halt::Problems)? {
            Next::Done(measured) => return Ok(*measured),
            Next::Runs(jobs) => jobs,
        };
        let round = run(&jobs).map_err(Halt::Other)?;
        let mut failed = Vec::new();
        for (job, ran) in jobs.iter().zip(round) {
            match ran {
                Ok(own) => {
                    let ran = Ran { us: own.completion_us, bound_us: own.bound_us };
                    results.insert((job.scenario.clone(), job.seed), ran);
                }
                Err(failure) => failed.push((job.place(), failure)),
            }
        }
        if !failed.is_empty() {
            return Err(Halt::Failed(failed));
        }
    }
}
