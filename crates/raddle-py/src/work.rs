//! Work without the GIL, which Ctrl-C ends.

use pyo3::prelude::*;
use raddle::study::jobs::bound_of;
use raddle::study::progress::Bar;
use raddle::study::run::{Failure, Job, Runner, Sink};
use raddle_sim::engine::{self, Options};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// So often Python is asked whether a signal came.
const ASK: Duration = Duration::from_millis(20);

/// How jobs are run.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Runs at a time.
    pub(crate) parallel: usize,
    /// Threads inside each.
    pub(crate) threads: u32,
    /// Whether progress shows on standard error.
    pub(crate) progress: bool,
}

/// Runs `jobs` without the GIL, in the order of which the results come.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`); the runs have been stopped.
pub(crate) fn run_jobs<S: Sink>(
    py: Python<'_>,
    jobs: &[Job],
    how: How,
    sink: &S,
) -> PyResult<Vec<Result<S::Kept, Failure>>> {
    let stop = AtomicBool::new(false);
    let work = || {
        let bar = how.progress.then(|| Bar::on_stderr(jobs.len()));
        let options = Options { threads: how.threads, width: None };
        let results = Runner {
            engine: &|plan, observer| engine::run_with(plan, &options, observer),
            bound: bound_of,
            threads: how.parallel,
            stop: &stop,
            meter: bar.as_ref().map_or(&(), |bar| bar),
        }
        .run(jobs, sink);
        if let Some(bar) = bar {
            bar.clear();
        }
        results
    };
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, results) = channel();
            // A receiver that is gone wants no results.
            scope.spawn(move || drop(done.send(work())));
            loop {
                match results.recv_timeout(ASK) {
                    Ok(results) => return Ok(results),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            return Err(signal);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(pyo3::exceptions::PyRuntimeError::new_err(
                            "the simulator failed, which is a bug",
                        ));
                    }
                }
            }
        })
    })
}
