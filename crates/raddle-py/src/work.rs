//! Work without the GIL, which Ctrl-C ends.

use crate::errors::refused_text;
use pyo3::prelude::*;
use raddle::study::jobs::bound_of;
use raddle::study::memory;
use raddle::study::progress::Bar;
use raddle::study::run::{Failure, Job, Meter, Runner, Sink};
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

impl How {
    /// Runs at a time as asked for, else as many as there are cores for the threads of each.
    pub(crate) fn new(parallel: Option<usize>, threads: u32, progress: bool) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let parallel = parallel.unwrap_or_else(|| cores() / threads.max(1) as usize).max(1);
        Self { parallel, threads, progress }
    }

    /// Calls `run` with a runner for so many jobs.
    pub(crate) fn with_runner<T>(
        self,
        jobs: usize,
        stop: &AtomicBool,
        run: impl FnOnce(&Runner<'_>) -> T,
    ) -> T {
        self.with_meter(jobs, |meter| {
            let options = Options { threads: self.threads, width: None };
            run(&Runner {
                engine: &|plan, observer| engine::run_with(plan, &options, observer),
                bound: bound_of,
                threads: self.parallel,
                stop,
                meter,
            })
        })
    }

    /// Calls `run` with what shows progress, if it is to show.
    pub(crate) fn with_meter<T>(self, jobs: usize, run: impl FnOnce(&dyn Meter) -> T) -> T {
        let bar = self.progress.then(|| Bar::on_stderr(jobs));
        let result = run(bar.as_ref().map_or(&(), |bar| bar));
        if let Some(bar) = bar {
            bar.clear();
        }
        result
    }
}

/// Runs `jobs` without the GIL, in the order of which the results come.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`); the runs have been stopped. Runs that do
/// not fit in memory.
pub(crate) fn run_jobs<S: Sink>(
    py: Python<'_>,
    jobs: &[Job],
    how: How,
    sink: &S,
) -> PyResult<Vec<Result<S::Kept, Failure>>> {
    let needed = jobs.iter().map(|job| job.needed);
    memory::fit_together(needed, how.parallel, memory::available())
        .map_err(|why| refused_text(py, why))?;
    watched(py, |stop| how.with_runner(jobs.len(), stop, |runner| runner.run(jobs, sink)))
}

/// Does `work` without the GIL; its argument becomes true when a signal asks to stop.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`); the work has ended.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, results) = channel();
            let stop = &stop;
            // A receiver that is gone wants no results.
            scope.spawn(move || drop(done.send(work(stop))));
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
