//! The step of a job in numbers: how long it takes, what its ranks do meanwhile, what decides about it,
//! and whom others wait for. The tables `steps`, `ranks`, `collectives` and `critical` have all of it.

mod critical;
mod text;

pub use critical::{Cause, Edge, Shares, edges};

use super::stats::least_median_most;
use raddle_schemes::units::{Span, Time};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::steps::Kind;
use raddle_sim::record::steps::collectives::{CollectiveRow, collectives};
use raddle_sim::record::steps::ranks::{RankRow, ranks};
use raddle_sim::record::steps::replay::Replay;
use raddle_sim::workload::job::Job;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Ranks, ports and edges that are named at most.
const NAMED: usize = 10;

/// The steps of a job that completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepSummary {
    /// How many there are.
    pub steps: u64,
    /// How many ranks.
    pub ranks: u64,
    /// What a step takes: from the end of the one before, of the first from the first thing that a rank
    /// does, to the last rank's end.
    pub time_us: Ends,
    /// From a step's beginning to the end of a rank, over steps and ranks.
    pub rank_us: Ends,
    /// The rank that ended the longest step.
    pub last_rank: u64,
    /// Where a rank's time of a step goes: means over ranks and steps, which add up to the mean of steps.
    pub spent: Spent,
    /// Collectives that are alike.
    pub collectives: Vec<Alike>,
    /// What decides when the job ends.
    pub critical: Shares,
    /// For how long others waited in collectives for a rank alone, the most first.
    pub waited_for: Vec<WaitedFor>,
}

/// The least of several times, the median and the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// The least.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The most.
    pub max: f64,
}

/// Where a rank's time goes, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// It computes.
    pub compute_us: f64,
    /// It does not, and something of its own is under way: by what that is for, until all peers had come
    /// to it and from then on.
    pub exposed: Vec<Exposed>,
    /// Nothing of its own is.
    pub idle_us: f64,
}

/// What was not hidden behind computation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposed {
    /// `tp`, `dp`, `ep`, `send`, or `group` for others.
    pub kind: String,
    /// Until the last peer had come.
    pub peers_us: f64,
    /// From then on.
    pub transfer_us: f64,
}

/// Collectives of one operation, kind, number of ranks and size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// What is done.
    pub op: String,
    /// What the groups are for.
    pub kind: String,
    /// How many ranks take part in each.
    pub ranks: u64,
    /// The size of each, as nccl-tests counts it.
    pub size_bytes: u64,
    /// How many there are.
    pub count: u64,
    /// How their messages go.
    pub algorithm: String,
    /// From when the first rank had come to when the last had.
    pub skew_us: Ends,
    /// From when the last rank had come to the end.
    pub time_us: Ends,
    /// Bus bandwidths from then on, in GB/s; `None` of what nccl-tests does not know.
    pub busbw_gb_s: Option<Ends>,
}

/// A rank that others waited for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitedFor {
    /// The rank.
    pub rank: u64,
    /// For how long, over all collectives.
    pub time_us: f64,
}

/// A job of a run whose steps are told.
pub struct Told<'a> {
    /// The job.
    pub job: &'a Job,
    /// When its nodes began and ended.
    pub replay: Replay<'a>,
    /// Its collectives.
    pub collectives: Vec<CollectiveRow>,
    /// Its ranks, step by step.
    pub ranks: Vec<RankRow>,
}

impl<'a> Told<'a> {
    /// A job, if it is one of ranks and completed.
    pub fn of(job: &'a Job, outcome: &'a Outcome) -> Option<Self> {
        let replay = Replay::of(job, &outcome.flows)?;
        let collectives = collectives(&replay);
        let ranks = ranks(&replay, &collectives);
        Some(Self { job, replay, collectives, ranks })
    }

    /// Every such job of a run.
    pub fn all(plan: &'a Plan, outcome: &'a Outcome) -> Vec<Self> {
        plan.traffic.jobs.iter().filter_map(|job| Self::of(job, outcome)).collect()
    }

    /// The ranks in each step.
    pub fn steps(&self) -> impl Iterator<Item = &[RankRow]> {
        self.ranks.chunk_by(|a, b| a.step == b.step)
    }
}

/// The rank that ended last of some; of several the lowest.
pub fn last_rank(rows: &[RankRow]) -> u32 {
    rows.iter().rev().max_by_key(|row| row.end).map_or(0, |row| row.rank)
}

impl Ends {
    /// Of some values; all 0 of none.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let [min, median, max] = least_median_most(values.collect()).unwrap_or_default();
        Self { min, median, max }
    }
}

impl StepSummary {
    /// Those of a job, if it is one of ranks and completed.
    pub fn of(plan: &Plan, outcome: &Outcome, job: &Job) -> Option<Self> {
        let told = Told::of(job, outcome)?;
        let steps: Vec<&[RankRow]> = told.steps().collect();
        let times =
            || steps.iter().filter_map(|rows| rows.first()).map(|row| row.until.since(row.from));
        let longest = steps
            .iter()
            .rev()
            .max_by_key(|rows| rows.first().map_or(Span::ZERO, |row| row.until.since(row.from)));
        let ends = told.ranks.iter().map(|row| row.end.max(row.from).since(row.from).as_us());
        let mut waited: BTreeMap<u32, u64> = BTreeMap::new();
        for row in told.ranks.iter().filter(|row| row.waited_for > Span::ZERO) {
            *waited.entry(row.rank).or_default() += row.waited_for.0;
        }
        let mut waited: Vec<(u32, u64)> = waited.into_iter().collect();
        waited.sort_by_key(|(rank, time)| (Reverse(*time), *rank));
        waited.truncate(NAMED);
        let waited = waited.into_iter();
        let job = told.replay.script.job();
        Some(Self {
            steps: steps.len() as u64,
            ranks: told.replay.script.job().ranks.len() as u64,
            time_us: Ends::of(times().map(Span::as_us)),
            rank_us: Ends::of(ends),
            last_rank: longest.map_or(0, |rows| last_rank(rows).into()),
            spent: Spent::of(&told.ranks),
            collectives: alike(&told.collectives),
            critical: Shares::of(plan, job, &edges(plan, outcome, &told.replay)),
            waited_for: waited
                .map(|(rank, time)| WaitedFor { rank: rank.into(), time_us: Span(time).as_us() })
                .collect(),
        })
    }
}

impl Spent {
    /// The mean of some.
    fn of(rows: &[RankRow]) -> Self {
        let mean = |of: &dyn Fn(&RankRow) -> Span| {
            let sum: u128 = rows.iter().map(|row| u128::from(of(row).0)).sum();
            sum as f64 / rows.len().max(1) as f64 / 1e6
        };
        let exposed = |kind: &Kind| {
            let own = |at: usize| mean(&|row: &RankRow| row.spent.exposed(*kind)[at]);
            let (peers_us, transfer_us) = (own(0), own(1));
            let kind = kind.word().to_owned();
            (peers_us + transfer_us > 0.0).then_some(Exposed { kind, peers_us, transfer_us })
        };
        Self {
            compute_us: mean(&|row| row.spent.compute),
            exposed: Kind::ALL.iter().filter_map(exposed).collect(),
            idle_us: mean(&|row| row.spent.idle),
        }
    }
}

/// Collectives of one operation, kind, number of ranks and size together, in that order.
fn alike(rows: &[CollectiveRow]) -> Vec<Alike> {
    let mut groups: BTreeMap<(&str, &str, u32, u64), Vec<&CollectiveRow>> = BTreeMap::new();
    for row in rows {
        let key = (row.op.word(), row.kind.word(), row.ranks, row.bytes.0);
        groups.entry(key).or_default().push(row);
    }
    let alike = |((op, kind, ranks, size_bytes), rows): (_, Vec<&CollectiveRow>)| {
        let bandwidths = rows.iter().filter_map(|row| Some(row.bandwidths_gb_s(row.last)?[1]));
        let bandwidths: Vec<f64> = bandwidths.collect();
        let has_bandwidths = !bandwidths.is_empty();
        let time = |of: fn(&CollectiveRow) -> Range<Time>| {
            Ends::of(rows.iter().map(|row| of(row)).map(|own| own.end.since(own.start).as_us()))
        };
        Alike {
            op: String::from(op),
            kind: String::from(kind),
            ranks: u64::from(ranks),
            size_bytes,
            count: rows.len() as u64,
            algorithm: rows.first().map_or("", |row| row.algorithm).to_owned(),
            skew_us: time(|row| row.first..row.last),
            time_us: time(|row| row.last..row.end.max(row.last)),
            busbw_gb_s: has_bandwidths.then(|| Ends::of(bandwidths.into_iter())),
        }
    };
    groups.into_iter().map(alike).collect()
}
