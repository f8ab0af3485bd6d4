//! The numbers that runs are compared by.
//!
//! A metric is an entry of [`METRICS`]: its word, how people call it, its unit, which direction is
//! better, and how it is measured. What it is measured from is the same for a run, a job and a group of
//! a job ([`Measured`]), so that each metric is there for each of them.

use super::quantiles::{BEYOND, Share};
use super::summary::{BySize, Held, JobSummary, RunSummary, SizeClass, Tail, Tails, Times};
use super::text::{digits, short, time, time_unit};
use crate::scenario::reader::nearest;

/// A number that runs are compared by.
#[derive(Debug)]
pub struct Metric {
    /// The word that asks for it.
    pub word: &'static str,
    /// What people call it, as in `has the lowest p99 slowdown`.
    pub noun: &'static str,
    /// What it is, for axes and documents.
    pub title: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// What the traffic must have for it.
    pub needs: Needs,
    measure: fn(&Measured<'_>) -> Option<f64>,
    bound: for<'a> fn(&Measured<'a>) -> Option<(&'a str, f64)>,
    tail: fn(&Tails) -> Option<&Tail>,
}

/// A unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Microseconds.
    Us,
    /// None: a ratio.
    Ratio,
    /// 10^9 bytes a second, as nccl-tests prints it.
    GbPerS,
    /// 10^9 bits a second.
    Gbps,
    /// None: a number of things.
    Count,
    /// Bytes.
    Bytes,
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Smaller numbers.
    Lower,
    /// Larger numbers.
    Higher,
}

/// What a metric needs of the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Flows.
    Flows,
    /// So many flows, or it is not resolved.
    ManyFlows(u64),
    /// A collective operation.
    Collective,
    /// A job of ranks that compute and send.
    Steps,
    /// The whole run: switches do not tell jobs apart.
    WholeRun,
    /// The whole run, and recorded ports.
    Ports,
    /// The same, and that their queues are measured.
    QueueMeans,
}

/// The bound by what each flow would take alone in the fabric without faults.
const ALONE: &str = "alone";

/// So many flows resolve a 99th percentile.
const RESOLVES_P99: u64 = BEYOND as u64 * 100;

/// From time zero to the last flow's end; of a job, from its own start.
pub static COMPLETION: Metric = Metric {
    word: "completion",
    noun: "completion",
    title: "time to completion",
    unit: Unit::Us,
    better: Better::Lower,
    needs: Needs::Flows,
    measure: |of| of.completion_us,
    bound: |of| of.bound_us,
    tail: |tails| tails.last.as_ref(),
};

/// The mean flow completion time.
pub static FCT_MEAN: Metric = Metric {
    word: "fct.mean",
    noun: "mean FCT",
    title: "mean flow completion time",
    unit: Unit::Us,
    better: Better::Lower,
    needs: Needs::Flows,
    measure: |of| of.complete(of.fct_us.mean),
    bound: |of| Some((ALONE, of.ideal_us.mean?)),
    tail: |tails| tails.slowest.as_ref(),
};

/// The 99th percentile of flow completion times, by nearest rank.
pub static FCT_P99: Metric = Metric {
    word: "fct.p99",
    noun: "p99 FCT",
    title: "99th percentile of flow completion times",
    unit: Unit::Us,
    better: Better::Lower,
    needs: Needs::ManyFlows(RESOLVES_P99),
    measure: |of| of.complete(of.fct_us.p99),
    bound: |of| Some((ALONE, of.ideal_us.p99?)),
    tail: |tails| tails.slowest.as_ref(),
};

/// The mean of slowdowns.
pub static SLOWDOWN_MEAN: Metric = Metric {
    word: "slowdown.mean",
    noun: "mean slowdown",
    title: "mean slowdown",
    unit: Unit::Ratio,
    better: Better::Lower,
    needs: Needs::Flows,
    measure: |of| of.complete(of.slowdown.of_class(SizeClass::All).map(|own| own.mean)),
    bound: |_| Some((ALONE, 1.0)),
    tail: |tails| tails.slowest.as_ref(),
};

/// The 99th percentile of slowdowns.
pub static SLOWDOWN_P99: Metric = Metric {
    word: "slowdown.p99",
    noun: "p99 slowdown",
    title: "99th percentile of slowdowns",
    unit: Unit::Ratio,
    better: Better::Lower,
    needs: Needs::ManyFlows(RESOLVES_P99),
    measure: |of| of.complete(of.percentile(SizeClass::All, Share::P99)),
    bound: |_| Some((ALONE, 1.0)),
    tail: |tails| tails.slowest.as_ref(),
};

/// The bus bandwidth of nccl-tests; where there are several collectives, that of the slowest.
pub static BUSBW: Metric = Metric {
    word: "busbw",
    noun: "bus bandwidth",
    title: "bus bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    needs: Needs::Collective,
    measure: |of| of.complete(of.busbw_gb_s),
    bound: |of| {
        let (name, us) = of.bound_us.filter(|(_, us)| *us > 0.0)?;
        Some((name, of.bus_bytes? / us / 1e3))
    },
    tail: |tails| tails.last.as_ref(),
};

/// Application bits of all flows over the time to completion.
pub static GOODPUT: Metric = Metric {
    word: "goodput",
    noun: "goodput",
    title: "goodput of all flows",
    unit: Unit::Gbps,
    better: Better::Higher,
    needs: Needs::Flows,
    measure: |of| of.gbps_in(of.completion_us?),
    bound: |of| {
        let (name, us) = of.bound_us?;
        Some((name, of.gbps_in(us)?))
    },
    tail: |tails| tails.last.as_ref(),
};

/// A slowdown of the flows of a size (`record.sizes`).
const fn by_size(
    word: &'static str,
    noun: &'static str,
    title: &'static str,
    measure: fn(&Measured<'_>) -> Option<f64>,
) -> Metric {
    Metric {
        word,
        noun,
        title,
        unit: Unit::Ratio,
        better: Better::Lower,
        needs: Needs::Flows,
        measure,
        bound: |_| Some((ALONE, 1.0)),
        tail: |tails| tails.slowest.as_ref(),
    }
}

/// The mean of slowdowns of short flows.
pub static SHORT_MEAN: Metric = by_size(
    "slowdown.short.mean",
    "mean slowdown of short flows",
    "mean slowdown of short flows",
    |of| of.complete(of.slowdown.of_class(SizeClass::Short).map(|own| own.mean)),
);

/// The 99th percentile of slowdowns of short flows.
pub static SHORT_P99: Metric = by_size(
    "slowdown.short.p99",
    "p99 slowdown of short flows",
    "99th percentile of slowdowns of short flows",
    |of| of.complete(of.percentile(SizeClass::Short, Share::P99)),
);

/// The 99th percentile of slowdowns of medium flows.
pub static MEDIUM_P99: Metric = by_size(
    "slowdown.medium.p99",
    "p99 slowdown of medium flows",
    "99th percentile of slowdowns of medium flows",
    |of| of.complete(of.percentile(SizeClass::Medium, Share::P99)),
);

/// The median of slowdowns of long flows.
pub static LONG_P50: Metric = by_size(
    "slowdown.long.p50",
    "median slowdown of long flows",
    "median slowdown of long flows",
    |of| of.complete(of.percentile(SizeClass::Long, Share::P50)),
);

/// The share of queries with a timeout.
pub static TIMED_OUT: Metric = Metric {
    word: "timeouts.queries",
    noun: "share of queries with a timeout",
    title: "share of queries with a timeout",
    unit: Unit::Ratio,
    better: Better::Lower,
    needs: Needs::Flows,
    measure: |of| Some(of.timed_out),
    bound: |_| None,
    tail: |tails| tails.slowest.as_ref(),
};

/// A number of which less is better.
const fn whole(
    word: &'static str,
    title: &'static str,
    unit: Unit,
    needs: Needs,
    measure: fn(&Measured<'_>) -> Option<f64>,
) -> Metric {
    Metric {
        word,
        noun: title,
        title,
        unit,
        better: Better::Lower,
        needs,
        measure,
        bound: |_| None,
        tail: |tails| tails.slowest.as_ref(),
    }
}

/// What a step of a job of ranks takes; of several such jobs, that of the slowest.
pub static STEP: Metric = whole("step", "time of a step", Unit::Us, Needs::Steps, |of| of.step_us);

/// How often flow control paused a class.
pub static PAUSES: Metric =
    whole("pauses", "number of pauses", Unit::Count, Needs::WholeRun, |of| {
        Some(of.run?.pauses as f64)
    });

/// For how long in all.
pub static PAUSED: Metric =
    whole("paused", "paused time", Unit::Us, Needs::WholeRun, |of| Some(of.run?.paused_us));

/// For how long ports had no credit for a full packet.
pub static WITHOUT_CREDIT: Metric =
    whole("without_credit", "time without credit", Unit::Us, Needs::WholeRun, |of| {
        Some(of.run?.without_credit_us)
    });

/// What left recorded uplinks until the last flow began, over what they could have carried.
pub static UPLINKS: Metric = Metric {
    better: Better::Higher,
    ..whole("uplinks", "throughput of recorded uplinks", Unit::Ratio, Needs::Ports, |of| {
        of.run?.uplinks
    })
};

/// The same of recorded ports to hosts.
pub static DOWNLINKS: Metric = Metric {
    better: Better::Higher,
    ..whole("downlinks", "throughput of recorded downlinks", Unit::Ratio, Needs::Ports, |of| {
        of.run?.downlinks
    })
};

/// The 99th percentile of what a switch holds.
pub static MEMORY: Metric = whole(
    "memory.p99",
    "p99 of the data that a switch holds",
    Unit::Bytes,
    Needs::QueueMeans,
    |of| at_p99(Some(of.run?.memory?.all)),
);

/// Of lossless classes.
pub static MEMORY_LOSSLESS: Metric = whole(
    "memory.lossless.p99",
    "p99 of the lossless data that a switch holds",
    Unit::Bytes,
    Needs::QueueMeans,
    |of| at_p99(of.run?.memory?.lossless),
);

/// Of the others.
pub static MEMORY_LOSSY: Metric = whole(
    "memory.lossy.p99",
    "p99 of the lossy data that a switch holds",
    Unit::Bytes,
    Needs::QueueMeans,
    |of| at_p99(of.run?.memory?.lossy),
);

fn at_p99(own: Option<[f64; 4]>) -> Option<f64> {
    own.map(|own| own[Share::P99 as usize])
}

/// Every metric.
pub static METRICS: &[&Metric] = &[
    &COMPLETION,
    &FCT_MEAN,
    &FCT_P99,
    &SLOWDOWN_MEAN,
    &SLOWDOWN_P99,
    &SHORT_MEAN,
    &SHORT_P99,
    &MEDIUM_P99,
    &LONG_P50,
    &BUSBW,
    &STEP,
    &GOODPUT,
    &TIMED_OUT,
    &PAUSES,
    &PAUSED,
    &WITHOUT_CREDIT,
    &UPLINKS,
    &DOWNLINKS,
    &MEMORY,
    &MEMORY_LOSSLESS,
    &MEMORY_LOSSY,
];

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

/// What traffic is asked by unless it says otherwise.
pub const BY_COMPLETION: &[&Metric] = &[&COMPLETION];

/// What metrics are measured from: a run, a job or a group of one.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    completed: bool,
    completion_us: Option<f64>,
    fct_us: &'a Times,
    ideal_us: Times,
    slowdown: &'a BySize,
    timed_out: f64,
    /// What switches tell, of a whole run.
    run: Option<OfSwitches>,
    application_bytes: u64,
    busbw_gb_s: Option<f64>,
    step_us: Option<f64>,
    /// What each rank's link has to carry, where all flows are one collective that starts at once.
    bus_bytes: Option<f64>,
    /// The name of a bound on the time from zero of all flows, and the bound.
    bound_us: Option<(&'a str, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct OfSwitches {
    pauses: u64,
    paused_us: f64,
    without_credit_us: f64,
    uplinks: Option<f64>,
    downlinks: Option<f64>,
    memory: Option<Held>,
}

impl<'a> Measured<'a> {
    /// A whole run.
    pub fn of_run(run: &'a RunSummary) -> Self {
        let collectives = || run.jobs.iter().filter(|job| job.is_collective());
        let bandwidths: Option<Vec<f64>> = collectives().map(JobSummary::busbw_gb_s).collect();
        let is_all = |job: &JobSummary| job.flows == run.flows && job.start_us == Some(0.0);
        Self {
            completed: run.unfinished == 0,
            completion_us: run.completion_us,
            fct_us: &run.fct_us,
            ideal_us: run.ideal_us,
            slowdown: &run.slowdown,
            timed_out: run.timed_out,
            run: Some(OfSwitches {
                pauses: run.pauses,
                paused_us: run.paused_us,
                without_credit_us: run.without_credit_us,
                uplinks: run.uplinks,
                downlinks: run.downlinks,
                memory: run.memory,
            }),
            application_bytes: run.application_bytes,
            busbw_gb_s: bandwidths.and_then(|all| all.into_iter().reduce(f64::min)),
            step_us: run.jobs.iter().filter_map(JobSummary::step_us).reduce(f64::max),
            bus_bytes: collectives().find(|job| is_all(job)).and_then(JobSummary::bus_bytes),
            bound_us: run.bound.as_deref().zip(run.bound_us),
        }
    }

    /// A job, a group of one, or those of a job's flows that have one path selector. There are no
    /// bounds on the time of one among others.
    pub fn of_job(job: &'a JobSummary) -> Self {
        Self {
            completed: job.unfinished == 0,
            completion_us: job.completion_us,
            fct_us: &job.fct_us,
            ideal_us: Times::default(),
            slowdown: &job.slowdown,
            timed_out: job.timed_out,
            run: None,
            application_bytes: job.application_bytes,
            busbw_gb_s: job.busbw_gb_s(),
            step_us: job.step_us(),
            bus_bytes: None,
            bound_us: None,
        }
    }

    /// A number over flows that completed is one of the run where all did: else the slowest are not
    /// in it.
    fn complete(&self, value: Option<f64>) -> Option<f64> {
        value.filter(|_| self.completed)
    }

    /// A percentile of slowdowns, if it is resolved.
    fn percentile(&self, class: SizeClass, share: Share) -> Option<f64> {
        Some(self.slowdown.of_class(class)?.at(share)?.value)
    }

    fn gbps_in(&self, us: f64) -> Option<f64> {
        (us > 0.0).then(|| self.application_bytes as f64 * 8.0 / us / 1e3)
    }
}

impl Metric {
    /// Its value; `None` where it was not measured, or not every flow completed.
    pub fn measure(&self, of: &Measured<'_>) -> Option<f64> {
        (self.measure)(of)
    }

    /// What no run can do better than, where that is known, behind its name.
    pub fn bound<'a>(&self, of: &Measured<'a>) -> Option<(&'a str, f64)> {
        (self.bound)(of)
    }

    /// The flow that tells most of a bad value.
    pub fn tail<'a>(&self, tails: &'a Tails) -> Option<&'a Tail> {
        (self.tail)(tails)
    }

    /// The metric of a word.
    ///
    /// # Errors
    /// The nearest word, and all of them.
    pub fn named(word: &str) -> Result<&'static Self, String> {
        let words = || METRICS.iter().map(|metric| metric.word);
        METRICS.iter().find(|metric| metric.word == word).copied().ok_or_else(|| {
            let near = nearest(word, words()).map(|near| format!(", nearest: `{near}`"));
            let all: Vec<&str> = words().collect();
            let near = near.unwrap_or_default();
            format!("no metric is called `{word}`{near}; there are: {}", all.join(", "))
        })
    }

    /// The better values first.
    pub fn order(&self, a: f64, b: f64) -> std::cmp::Ordering {
        match self.better {
            Better::Lower => a.total_cmp(&b),
            Better::Higher => b.total_cmp(&a),
        }
    }

    /// The word for the best: `lowest` or `highest`.
    pub const fn best(&self) -> &'static str {
        match self.better {
            Better::Lower => "lowest",
            Better::Higher => "highest",
        }
    }

    /// A value with its unit.
    pub fn text(&self, value: f64) -> String {
        match self.unit {
            Unit::Us => time(value),
            Unit::Ratio => digits(value, 4),
            Unit::Count => short(value),
            Unit::Bytes => format!("{}B", short(value)),
            Unit::GbPerS | Unit::Gbps => format!("{} {}", digits(value, 4), self.unit.word()),
        }
    }
}

impl Unit {
    /// The unit as people write it; empty for a ratio or a count.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Us => "us",
            Self::Ratio | Self::Count => "",
            Self::Bytes => "B",
            Self::GbPerS => "GB/s",
            Self::Gbps => "Gbps",
        }
    }

    /// The unit in which values of about this size read best, and how many of its own it is.
    pub fn scale(self, value: f64) -> (&'static str, f64) {
        match self {
            Self::Us => time_unit(value),
            other => (other.word(), 1.0),
        }
    }
}

impl Better {
    /// The direction as JSON names it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::timing::Cost;

    #[test]
    fn words_are_distinct_and_a_wrong_one_names_the_nearest() {
        for metric in METRICS {
            assert!(std::ptr::eq(Metric::named(metric.word).unwrap(), *metric));
        }
        let error = Metric::named("slowdown.p9").unwrap_err();
        assert!(error.starts_with("no metric is called `slowdown.p9`, nearest: `slowdown.p99`;"));
        assert!(error.ends_with("memory.p99, memory.lossless.p99, memory.lossy.p99"), "{error}");
    }

    #[test]
    fn a_run_with_open_flows_has_no_number() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        let summary = RunSummary::new("h", &plan, &outcome, None, Cost::default());
        let of = Measured::of_run(&summary);
        let measured = METRICS.iter().map(|metric| metric.measure(&of).is_some());
        let lacking = METRICS.iter().zip(measured).filter(|(_, measured)| !measured);
        let lacking: Vec<&str> = lacking.map(|(metric, _)| metric.word).collect();
        // Two flows of one size resolve no p99, are no collective and no steps; queues are not measured.
        let expected = "slowdown.p99 slowdown.short.mean slowdown.short.p99 slowdown.medium.p99 \
                        slowdown.long.p50 busbw step uplinks downlinks memory.p99 \
                        memory.lossless.p99 memory.lossy.p99";
        assert_eq!(lacking.join(" "), expected);
        // 20 000 bytes in 4.0 us and what the fixture draws.
        let us = summary.completion_us.unwrap();
        assert_eq!(GOODPUT.measure(&of), Some(160_000.0 / us / 1e3));
        outcome.flows.change(0, |flow| flow.acked = None);
        let summary = RunSummary::new("h", &plan, &outcome, None, Cost::default());
        let of = Measured::of_run(&summary);
        let counts = |metric: &&&Metric| metric.measure(&of).is_some();
        let counts: Vec<&str> = METRICS.iter().filter(counts).map(|metric| metric.word).collect();
        assert_eq!(counts, ["timeouts.queries", "pauses", "paused", "without_credit"]);
    }

    #[test]
    fn the_bound_of_a_mean_is_the_mean_alone() {
        let plan = fixture::plan(1);
        let outcome = fixture::engine(&plan, &mut ());
        let summary = RunSummary::new("h", &plan, &outcome, None, Cost::default());
        let of = Measured::of_run(&summary);
        let (mean, bound) = (FCT_MEAN.measure(&of).unwrap(), FCT_MEAN.bound(&of).unwrap().1);
        assert!((mean / bound - SLOWDOWN_MEAN.measure(&of).unwrap()).abs() < 1e-9);
    }
}
