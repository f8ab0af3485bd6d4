//! Work without the GIL, which Ctrl-C ends.

use crate::errors::refused_text;
use crate::scheme::Classes;
use pyo3::prelude::*;
use raddle::study::jobs::bound_of;
use raddle::study::memory;
use raddle::study::progress::Bar;
use raddle::study::run::{Engine, Failure, Job, Meter, Runner, Sink};
use raddle_sim::engine::{self, Options};
use raddle_sim::plan::Plan;
use raddle_sim::record::Observer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So often Python is asked whether a signal came.
const ASK: Duration = Duration::from_millis(20);

/// So many of these times lie between two calls of a function that draws progress.
const ASKS_PER_DRAWING: u32 = 5;

/// Where progress shows: on standard error or nowhere, or where a function of Python draws it.
#[derive(FromPyObject)]
pub(crate) enum Shown {
    Terminal(bool),
    Drawn(Py<PyAny>),
}

/// How jobs are run.
pub(crate) struct How {
    /// Runs at a time.
    pub(crate) parallel: usize,
    /// Threads inside each.
    threads: u32,
    shown: Shown,
    /// What the function is to draw next: the share that is done, and what stands beside it.
    line: Arc<Mutex<Option<(f64, String)>>>,
}

impl How {
    /// Runs at a time as asked for, else as many as there are cores for the threads of each.
    pub(crate) fn new(parallel: Option<usize>, threads: u32, shown: Shown) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let parallel = parallel.unwrap_or_else(|| cores() / threads.max(1) as usize).max(1);
        Self { parallel, threads, shown, line: Arc::default() }
    }

    /// Calls `run` with a runner for so many jobs.
    pub(crate) fn with_runner<T>(
        &self,
        jobs: usize,
        stop: &AtomicBool,
        run: impl FnOnce(&Runner<'_>) -> T,
    ) -> T {
        let options = Options { threads: self.threads, width: None };
        let engine =
            |plan: &Plan, observer: &mut dyn Observer| engine::run_with(plan, &options, observer);
        self.with_engine(jobs, stop, &engine, run)
    }

    fn with_engine<T>(
        &self,
        jobs: usize,
        stop: &AtomicBool,
        engine: Engine<'_>,
        run: impl FnOnce(&Runner<'_>) -> T,
    ) -> T {
        self.with_meter(jobs, |meter| {
            run(&Runner { engine, bound: bound_of, threads: self.parallel, stop, meter })
        })
    }

    /// Calls `run` with what shows progress, if it is to show.
    pub(crate) fn with_meter<T>(&self, jobs: usize, run: impl FnOnce(&dyn Meter) -> T) -> T {
        let bar = match self.shown {
            Shown::Terminal(false) => return run(&()),
            Shown::Terminal(true) => Bar::on_stderr(jobs),
            Shown::Drawn(_) => {
                let line = Arc::clone(&self.line);
                let draw = move |share: f64, text: &str| {
                    let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
                    *line = Some((share, text.to_owned()));
                };
                Bar::drawn(jobs, Box::new(draw))
            }
        };
        let result = run(&bar);
        bar.clear();
        result
    }

    /// Does `work` as [`watched`] does, with progress where it is to show.
    ///
    /// # Errors
    /// What a signal's handler or the function raised; the work has ended.
    pub(crate) fn watched<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&AtomicBool) -> T + Send,
    ) -> PyResult<T> {
        let mut asked = 0;
        let draw = move |py: Python<'_>| {
            asked += 1;
            let Shown::Drawn(function) = &self.shown else { return Ok(()) };
            if asked % ASKS_PER_DRAWING != 0 {
                return Ok(());
            }
            let line = self.line.lock().unwrap_or_else(PoisonError::into_inner).take();
            line.map_or(Ok(()), |line| function.call1(py, line).map(drop))
        };
        watched_with(py, draw, work)
    }
}

/// Runs `jobs` without the GIL, in the order of which the results come; with classes of Python in
/// their plans, each takes it.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`), or a class; the runs have been stopped. Runs
/// that do not fit in memory.
pub(crate) fn run_jobs<S: Sink>(
    py: Python<'_>,
    jobs: &[Job],
    how: &How,
    classes: &Classes,
    sink: &S,
) -> PyResult<Vec<Result<S::Kept, Failure>>> {
    let needed = jobs.iter().map(|job| job.needed);
    memory::fit_together(needed, how.parallel, memory::available())
        .map_err(|why| refused_text(py, why))?;
    if classes.is_empty() {
        return how.watched(py, |stop| {
            how.with_runner(jobs.len(), stop, |runner| runner.run(jobs, sink))
        });
    }
    let results = how.watched(py, |stop| {
        let engine = |plan: &Plan, observer: &mut dyn Observer| {
            let outcome = classes.run(plan, observer);
            // Nobody waits for the others.
            stop.fetch_or(classes.have_raised(), Ordering::Relaxed);
            outcome
        };
        how.with_engine(jobs.len(), stop, &engine, |runner| runner.run(jobs, sink))
    })?;
    classes.raised().map_or(Ok(results), Err)
}

/// Does `work` without the GIL; its argument becomes true when a signal asks to stop.
///
/// # Errors
/// What a signal's handler raised (`KeyboardInterrupt`); the work has ended.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    watched_with(py, |_| Ok(()), work)
}

/// The same, with something that is done in Python now and then.
fn watched_with<T: Send>(
    py: Python<'_>,
    mut also: impl FnMut(Python<'_>) -> PyResult<()> + Send,
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
                        let asked = Python::attach(|py| {
                            py.check_signals()?;
                            also(py)
                        });
                        if let Err(raised) = asked {
                            stop.store(true, Ordering::Relaxed);
                            return Err(raised);
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
