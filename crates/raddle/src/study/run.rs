//! Runs many jobs in parallel; what comes out does not depend on how many at a time.

use super::estimate;
use super::memory::{self, Needed};
use super::place::run_name;
use super::summary::{Bound, RunSummary};
use super::text::settings;
use super::timing::{Cost, Stopwatch};
use crate::scenario::Kept;
use raddle_schemes::rng::mix;
use raddle_schemes::units::Span;
use raddle_sim::bound;
use raddle_sim::plan::Plan;
use raddle_sim::record::{Observer, Outcome, Progress, Stop};
use rayon::prelude::*;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// What turns a plan into an outcome.
pub type Engine<'a> = &'a (dyn Fn(&Plan, &mut dyn Observer) -> Outcome + Sync);

/// What bounds a plan's completion from below, if anything known does.
pub type BoundOf = fn(&Plan) -> Option<Bound>;

/// One scenario with one seed.
pub struct Job {
    /// Hash of the scenario; names its files.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// What the sweep set to make this scenario: path and value, first axis first.
    pub settings: Vec<(String, String)>,
    /// The scenario and its files, which give the same run again.
    pub kept: Kept,
    /// What it needs memory for.
    pub needed: Needed,
    /// Resolves the scenario with the seed; an error says which draw failed.
    pub plan: PlanOf,
}

impl Job {
    /// The name of its run's folder in a store.
    pub fn name(&self) -> String {
        run_name(&self.scenario, self.seed)
    }

    /// Distinct for jobs that differ in their settings alone: two values of a sweep may make the same
    /// scenario, and both may run at the same time.
    pub(super) fn unfinished_name(&self) -> String {
        let text: String = self.settings.iter().map(|(k, v)| format!("{k}={v}\n")).collect();
        let suffix = text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte))) as u32;
        format!("{}-{suffix:08x}", self.name())
    }

    /// Its settings and its seed, as messages name them.
    pub fn place(&self) -> String {
        let seed = format!("seed {}", self.seed);
        if self.settings.is_empty() { seed } else { settings(&self.settings) + ", " + &seed }
    }
}

/// Makes a job's plan when its turn comes, so that only running jobs hold one.
pub type PlanOf = Box<dyn Fn() -> Result<Plan, String> + Send + Sync>;

/// A run that came to an end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What was run.
    pub plan: Plan,
    /// What came of it.
    pub outcome: Outcome,
    /// What each flow would take alone ([`bound::ideals`]).
    pub ideals: Vec<Option<Span>>,
    /// The same in numbers.
    pub summary: RunSummary,
}

/// Takes finished runs, each at once, from several threads.
pub trait Sink: Sync {
    /// What remains of a run.
    type Kept: Send;

    /// Called before `job` runs. A run that is already there is returned and not repeated.
    ///
    /// # Errors
    /// Why the run could not be kept.
    fn begin(&self, job: &Job) -> Result<Option<Self::Kept>, String>;

    /// What the engine left of `job` before, which is then not run.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn left(&self, _job: &Job) -> Result<Option<(Outcome, Cost)>, String> {
        Ok(None)
    }

    /// Called when `job` has run: with what the engine left, before it is told of messages.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn ran(&self, _job: &Job, _outcome: &Outcome, _cost: Cost) -> Result<(), String> {
        Ok(())
    }

    /// Called when `job` has finished.
    ///
    /// # Errors
    /// Why the run could not be kept.
    fn finish(&self, job: &Job, run: Finished) -> Result<Self::Kept, String>;

    /// Called when `job` came to nothing, also where it could not be kept.
    fn abandon(&self, job: &Job);
}

/// Keeps finished runs as they are.
pub struct Keep;

impl Sink for Keep {
    type Kept = Finished;

    fn begin(&self, _job: &Job) -> Result<Option<Finished>, String> {
        Ok(None)
    }

    fn finish(&self, _job: &Job, run: Finished) -> Result<Finished, String> {
        Ok(run)
    }

    fn abandon(&self, _job: &Job) {}
}

/// Hears how far the jobs are, from several threads; jobs are named by their index.
pub trait Meter: Sync {
    /// `job` begins; it has `packets` data packets to send.
    fn begin(&self, job: usize, packets: u64);
    /// `job` has come this far.
    fn progress(&self, job: usize, progress: &Progress);
    /// `job` is over, whether it ran or not.
    fn end(&self, job: usize);
}

/// Measures nothing.
impl Meter for () {
    fn begin(&self, _job: usize, _packets: u64) {}
    fn progress(&self, _job: usize, _progress: &Progress) {}
    fn end(&self, _job: usize) {}
}

/// Why there is nothing of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The seed's draws failed, or the plan does.
    Plan(String),
    /// The run takes more memory than there is.
    Memory(String),
    /// The caller asked to stop before the run had finished.
    Interrupted,
    /// The engine panicked, which is a bug; holds its message. Where panics abort the process,
    /// the sink's unfinished runs tell which runs were under way.
    Panic(String),
    /// The run could not be kept, or nothing could be made ready for it.
    Kept(String),
    /// It was not run, or not to its end, as another one could not be kept.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(why) => write!(f, "the scenario cannot be run with this seed: {why}"),
            Self::Memory(why) => f.write_str(why),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Panic(message) => write!(f, "the simulator failed, which is a bug: {message}"),
            Self::Kept(why) => write!(f, "the run could not be kept: {why}"),
            Self::Stopped => f.write_str("stopped, as another run could not be kept"),
        }
    }
}

impl std::error::Error for Failure {}

/// How jobs are run.
pub struct Runner<'a> {
    /// What runs a plan.
    pub engine: Engine<'a>,
    /// What bounds it.
    pub bound: BoundOf,
    /// Jobs at a time; at least 1, and no more than there are jobs.
    pub threads: usize,
    /// Ends all runs when it becomes true; no finished run is lost.
    pub stop: &'a AtomicBool,
    /// Hears how far the jobs are.
    pub meter: &'a dyn Meter,
}

impl Runner<'_> {
    /// Runs `jobs` and hands each to `sink` as it finishes. What remains of them comes in the
    /// order of `jobs`, whatever the number of threads.
    ///
    /// # Errors
    /// Per job, why there is nothing of it. The other jobs run all the same, unless it could not be
    /// kept: where a disk is full, what would follow is lost like it.
    pub fn run<S: Sink>(&self, jobs: &[Job], sink: &S) -> Vec<Result<S::Kept, Failure>> {
        let full = AtomicBool::new(false);
        let run = |(index, job): (usize, &Job)| {
            let result = self.run_one(index, job, sink, &full);
            self.meter.end(index);
            result
        };
        let threads = self.threads.min(jobs.len()).max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        match pool {
            Ok(pool) => {
                pool.install(|| jobs.par_iter().enumerate().with_max_len(1).map(run).collect())
            }
            // No threads to be had: the jobs still run, one after the other.
            Err(_) => jobs.iter().enumerate().map(run).collect(),
        }
    }

    fn run_one<S: Sink>(
        &self,
        index: usize,
        job: &Job,
        sink: &S,
        full: &AtomicBool,
    ) -> Result<S::Kept, Failure> {
        if let Some(why) = self.ended(full) {
            return Err(why);
        }
        let result = match sink.begin(job).map_err(Failure::Kept) {
            Ok(Some(kept)) => return Ok(kept),
            Ok(None) => self.simulate(index, job, sink, full),
            Err(failure) => Err(failure),
        };
        let result = result.and_then(|run| sink.finish(job, run).map_err(Failure::Kept));
        if let Err(failure) = &result {
            if matches!(failure, Failure::Kept(_)) {
                full.store(true, Ordering::Relaxed);
            }
            sink.abandon(job);
        }
        result
    }

    /// Why no further run begins, if none does.
    fn ended(&self, full: &AtomicBool) -> Option<Failure> {
        let stopped = self.stop.load(Ordering::Relaxed).then_some(Failure::Interrupted);
        stopped.or_else(|| full.load(Ordering::Relaxed).then_some(Failure::Stopped))
    }

    fn simulate<S: Sink>(
        &self,
        index: usize,
        job: &Job,
        sink: &S,
        full: &AtomicBool,
    ) -> Result<Finished, Failure> {
        job.needed.fit(0, memory::available()).map_err(Failure::Memory)?;
        let mut plan = (job.plan)().map_err(Failure::Plan)?;
        // What it takes in memory is gone before the run begins.
        let bound = (self.bound)(&plan);
        // What is run twice changes its plan, and leaves rows that are not read back.
        let once = plan.record.slowest.is_none() && !plan.record.critical;
        let left = if once { sink.left(job).map_err(Failure::Kept)? } else { None };
        let (outcome, cost) = match left {
            Some(left) => left,
            None => {
                let (own, outcome, cost) = self.run_engine(index, plan, full)?;
                plan = own;
                sink.ran(job, &outcome, cost).map_err(Failure::Kept)?;
                (outcome, cost)
            }
        };
        // Of the pieces that were run, whose frames can be smaller than those of their messages.
        let ideals = bound::ideals(&plan);
        let (plan, outcome) = outcome.of_messages(plan);
        let (scenario, bound) = (&job.scenario, bound.as_ref());
        let summary = RunSummary::with_ideals(scenario, &plan, &outcome, &ideals, bound, cost);
        Ok(Finished { plan, outcome, ideals, summary })
    }

    /// Runs the plan; where its slowest flows are to be kept, once more with these.
    fn run_engine(
        &self,
        index: usize,
        mut plan: Plan,
        full: &AtomicBool,
    ) -> Result<(Plan, Outcome, Cost), Failure> {
        self.meter.begin(index, estimate::data_packets(&plan));
        let mut watcher = Watcher { stop: [self.stop, full], meter: self.meter, index };
        // Threads inside a run have clocks of their own: only one run at a time can be measured.
        let alone = self.threads <= 1;
        let watch = if alone { Stopwatch::start_process() } else { Stopwatch::start() };
        let mut run = |plan: &Plan| {
            let run = AssertUnwindSafe(|| (self.engine)(plan, &mut watcher));
            catch_unwind(run).map_err(|payload| Failure::Panic(message(payload.as_ref())))
        };
        let mut outcome = run(&plan)?;
        if let (Some(slowest), true) = (plan.record.slowest, outcome.stop != Stop::Interrupted) {
            // The same again: now it is known which flows those are.
            plan = plan.with_slowest(slowest, &outcome.flows);
            outcome = run(&plan)?;
        }
        if plan.record.critical && outcome.stop != Stop::Interrupted {
            plan = plan.with_critical(&outcome);
            outcome = run(&plan)?;
        }
        let mut cost = watch.stop();
        if outcome.parts > 1 && !alone {
            cost.cpu_s = None;
        }
        if outcome.stop == Stop::Interrupted {
            return Err(self.ended(full).unwrap_or(Failure::Interrupted));
        }
        Ok((plan, outcome, cost))
    }
}

struct Watcher<'a> {
    /// Any of these ends the run.
    stop: [&'a AtomicBool; 2],
    meter: &'a dyn Meter,
    index: usize,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.meter.progress(self.index, progress);
        !self.stop.iter().any(|stop| stop.load(Ordering::Relaxed))
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture::{self, ENGINE};
    use std::sync::atomic::AtomicUsize;

    fn runner<'a>(engine: Engine<'a>, threads: usize, stop: &'a AtomicBool) -> Runner<'a> {
        Runner { engine, bound: |_| None, threads, stop, meter: &() }
    }

    fn hashes(threads: usize) -> Vec<(u64, String)> {
        let stop = AtomicBool::new(false);
        runner(ENGINE, threads, &stop)
            .run(&fixture::jobs(1..=40), &Keep)
            .into_iter()
            .map(|run| run.unwrap().summary)
            .map(|summary| (summary.seed, summary.results_hash))
            .collect()
    }

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        let one = hashes(1);
        assert!(one.iter().map(|(seed, _)| *seed).eq(1..=40));
        assert_eq!(one, hashes(4));
    }

    #[test]
    fn a_panic_fails_its_own_run_only() {
        let engine: Engine<'_> = &|plan, observer| {
            assert!(plan.seed != 2, "seed 2 is broken");
            fixture::engine(plan, observer)
        };
        let stop = AtomicBool::new(false);
        let runs = runner(engine, 2, &stop).run(&fixture::jobs(1..=3), &Keep);
        assert!(runs[0].is_ok() && runs[2].is_ok());
        assert_eq!(runs[1].as_ref().err(), Some(&Failure::Panic("seed 2 is broken".into())));
    }

    #[test]
    fn a_draw_that_fails_is_reported_with_its_reason() {
        let mut jobs = fixture::jobs(1..=1);
        jobs[0].plan = Box::new(|| Err("tor0 is cut off".into()));
        let stop = AtomicBool::new(false);
        let runs = runner(ENGINE, 1, &stop).run(&jobs, &Keep);
        assert_eq!(runs[0].as_ref().err(), Some(&Failure::Plan("tor0 is cut off".into())));
    }

    #[test]
    fn a_run_that_would_not_fit_is_not_planned() {
        let mut jobs = fixture::jobs(1..=2);
        jobs[0].needed.flows = u64::MAX;
        jobs[0].plan = Box::new(|| Err("its plan would fill the memory".into()));
        let stop = AtomicBool::new(false);
        let runs = runner(ENGINE, 1, &stop).run(&jobs, &Keep);
        if memory::available().is_some() {
            assert!(matches!(&runs[0], Err(Failure::Memory(why)) if why.contains("of memory")));
        }
        assert!(runs[1].is_ok());
    }

    /// Keeps the first run, and then its disk is full.
    struct OneFits;

    impl Sink for OneFits {
        type Kept = u64;

        fn begin(&self, _job: &Job) -> Result<Option<u64>, String> {
            Ok(None)
        }

        fn finish(&self, job: &Job, _run: Finished) -> Result<u64, String> {
            if job.seed == 1 { Ok(1) } else { Err("flows.csv: No space left on device".into()) }
        }

        fn abandon(&self, job: &Job) {
            assert_ne!(job.seed, 1);
        }
    }

    #[test]
    fn a_full_disk_stops_all_runs() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let engine: Engine<'_> = &|plan, observer| {
            RUNS.fetch_add(1, Ordering::Relaxed);
            fixture::engine(plan, observer)
        };
        let stop = AtomicBool::new(false);
        let runs = runner(engine, 1, &stop).run(&fixture::jobs(1..=9), &OneFits);
        assert_eq!(runs[0], Ok(1));
        assert!(matches!(&runs[1], Err(Failure::Kept(why)) if why.contains("No space")));
        assert!(runs[2..].iter().all(|run| *run == Err(Failure::Stopped)));
        assert_eq!(RUNS.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn stopping_interrupts_the_running_and_keeps_the_finished() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let engine: Engine<'_> = &|plan, observer| {
            if plan.seed == 2 {
                STOP.store(true, Ordering::Relaxed);
            }
            fixture::engine(plan, observer)
        };
        let runs = runner(engine, 1, &STOP).run(&fixture::jobs(1..=3), &Keep);
        assert!(runs[0].is_ok());
        assert_eq!(runs[1].as_ref().err(), Some(&Failure::Interrupted));
        assert_eq!(runs[2].as_ref().err(), Some(&Failure::Interrupted));
    }
}
