//! The verdict: every load balancer against every other, as a page with pictures.
//!
//! One scenario, `figures/verdict/scenario.toml`, run one workload at a time; its axes are `scheme`,
//! `workload`, `faults` and `stack`. The page is made of nothing but the runs and of what the
//! papers claim (`figures/verdict/claims.toml`).

mod claims;
mod page;
mod picture;

pub use claims::{Claim, claims};
pub use page::page;
pub use picture::picture;

use crate::problem::Problems;
use crate::scenario::{self, Study};
use crate::study::compare::{Cell, CompareInput, Comparison, Entry, column_of};
use crate::study::run::Job;
use crate::study::summary::RunSummary;
use raddle_sim::bound::mean_of_flows;
use std::path::Path;

/// Up to this many times what the first takes, a scheme is level with it.
const LEVEL: f64 = 1.02;

const SCENARIO: &str = include_str!("../../../../figures/verdict/scenario.toml");

/// How one workload is run.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the axis `workload`.
    pub name: &'static str,
    /// Whether flows arrive whatever became of earlier ones, so that the mean flow completion time
    /// tells more than the end of the last.
    pub open_loop: bool,
}

/// Every workload, in the order of the page.
pub const WORKLOADS: &[Workload] = &[
    Workload { name: "permutation", open_loop: false },
    Workload { name: "tornado", open_loop: false },
    Workload { name: "all-to-all", open_loop: false },
    Workload { name: "ring", open_loop: false },
    Workload { name: "incast", open_loop: false },
    Workload { name: "websearch", open_loop: true },
    Workload { name: "all-to-all-1024", open_loop: false },
];

impl Workload {
    /// The scenario of this workload, with further `changes`.
    ///
    /// # Errors
    /// What is wrong with the changes.
    pub fn study(&self, changes: &[(String, String)]) -> Result<Study, Problems> {
        let own = [("workload".to_owned(), format!("\"{}\"", self.name))];
        let all: Vec<_> = own.into_iter().chain(changes.iter().cloned()).collect();
        scenario::parse("figures/verdict/scenario.toml", SCENARIO, Path::new("."), &all)
    }
}

/// One fabric under one workload and one stack.
#[derive(Clone, Debug)]
pub struct Column {
    /// Names of axes and values, without the scheme.
    pub settings: Vec<(String, String)>,
    /// `[row]`: how each scheme stands; times are flow completion times where the workload is an
    /// open loop.
    pub cells: Vec<Cell>,
    /// The lower bound on the completion and its name, where one is known.
    pub bound: Option<(String, f64)>,
    /// How many seeds each cell has.
    pub seeds: usize,
    /// Whether times are mean flow completion times, instead of the completion of all flows.
    pub open_loop: bool,
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The schemes.
    pub rows: Vec<String>,
    /// Under which conditions.
    pub columns: Vec<Column>,
}

/// A workload, its jobs, and what came of each.
pub type WorkloadRuns<'r> = (Workload, &'r [Job], &'r [Option<RunSummary>]);

impl Verdict {
    /// Sorts the runs of each workload.
    pub fn of(runs: &[WorkloadRuns<'_>]) -> Self {
        let mut verdict = Self { rows: Vec::new(), columns: Vec::new() };
        for (workload, jobs, summaries) in runs {
            let summaries: Vec<Option<RunSummary>> = jobs
                .iter()
                .zip(*summaries)
                .map(|(job, run)| run.as_ref().map(|run| measured(*workload, job, run)))
                .collect();
            let entries: Vec<Entry<'_>> = jobs
                .iter()
                .zip(&summaries)
                .map(|(job, summary)| Entry {
                    settings: &job.settings,
                    seed: job.seed,
                    summary: summary.as_ref(),
                })
                .collect();
            let comparison = Comparison::new(CompareInput::of_runs(workload.name, &entries));
            verdict.rows.clone_from(&comparison.input.rows);
            for (index, column) in comparison.input.columns.iter().enumerate() {
                let settings = jobs.iter().find(|job| column_of(&job.settings) == column.name);
                let settings = settings.map_or(&[][..], |job| &job.settings);
                let bounds: Vec<f64> = column.bound_us.iter().copied().flatten().collect();
                let mean = bounds.iter().sum::<f64>() / bounds.len() as f64;
                verdict.columns.push(Column {
                    settings: settings
                        .iter()
                        .filter(|(axis, _)| axis != "scheme")
                        .cloned()
                        .collect(),
                    cells: comparison.cells.iter().map(|row| row[index]).collect(),
                    bound: column.bound.clone().filter(|_| !bounds.is_empty()).map(|b| (b, mean)),
                    seeds: comparison.input.seeds.len(),
                    open_loop: workload.open_loop,
                });
            }
        }
        verdict
    }

    /// The values of an axis, in the order of the columns.
    pub fn values(&self, axis: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for value in self.columns.iter().filter_map(|column| column.value(axis)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// The rows by the geometric mean of what they take over the first, over `columns`; one that
    /// does not finish counts as ten times the first.
    pub fn order(&self, columns: &[&Column]) -> Vec<usize> {
        let score = |row: usize| -> f64 {
            columns.iter().map(|column| column.ratio(row).unwrap_or(10.0).ln()).sum()
        };
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
        order
    }
}

/// A run as its workload is measured.
fn measured(workload: Workload, job: &Job, run: &RunSummary) -> RunSummary {
    let mut run = run.clone();
    if workload.open_loop {
        run.completion_us = run.completion_us.and(run.fct_us.mean);
        let bound = (job.plan)().ok().and_then(|plan| mean_of_flows(&plan));
        run.bound = bound.map(|bound| bound.name.to_owned());
        run.bound_us = bound.map(|bound| bound.time.as_us());
        run.increase_pct = None;
    }
    run
}

impl Column {
    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }

    /// The mean of a row, in microseconds, if it finishes with every seed.
    pub fn mean(&self, row: usize) -> Option<f64> {
        let cell = &self.cells[row];
        let finishes = cell.never + cell.missing == 0;
        cell.spread.filter(|_| finishes).map(|spread| spread.mean)
    }

    /// The least mean of `rows`.
    pub fn best(&self, rows: impl IntoIterator<Item = usize>) -> Option<f64> {
        rows.into_iter().filter_map(|row| self.mean(row)).min_by(f64::total_cmp)
    }

    /// The greatest mean of `rows`; `None` if one does not finish.
    fn worst(&self, rows: &[usize]) -> Option<f64> {
        let means: Option<Vec<f64>> = rows.iter().map(|&row| self.mean(row)).collect();
        means?.into_iter().max_by(f64::total_cmp)
    }

    /// What a row takes over what the first takes.
    pub fn ratio(&self, row: usize) -> Option<f64> {
        Some(self.mean(row)? / self.best(0..self.cells.len())?)
    }

    /// Place of a row among those that finish, by the mean: 1 is the first.
    pub fn rank(&self, row: usize) -> Option<usize> {
        let own = self.mean(row)?;
        let means = (0..self.cells.len()).filter_map(|other| self.mean(other));
        Some(1 + means.filter(|&mean| mean < own).count())
    }

    /// Whether a row is the first, or level with it.
    pub fn leads(&self, row: usize) -> bool {
        self.ratio(row).is_some_and(|ratio| ratio <= LEVEL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::jobs::jobs;
    use crate::study::run::{Keep, Runner};
    use raddle_sim::engine;
    use std::sync::atomic::AtomicBool;

    /// The permutation at a small size, as `raddle verdict` runs it.
    fn small() -> Verdict {
        let set = [
            ("sweep.seed", "\"1..2\""),
            ("fabric.topology.hosts", "16"),
            ("faults", "\"healthy\""),
            ("run.end", "\"1 ms\""),
        ];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
        let study = WORKLOADS[0].study(&set).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let jobs = jobs(&study, None);
        let stop = AtomicBool::new(false);
        let runner =
            Runner { engine: &engine::run, bound: |_| None, threads: 2, stop: &stop, meter: &() };
        let runs: Vec<Option<RunSummary>> =
            runner.run(&jobs, &Keep).into_iter().map(|run| run.ok().map(|r| r.summary)).collect();
        Verdict::of(&[(WORKLOADS[0], &jobs, &runs)])
    }

    #[test]
    fn every_workload_has_every_scheme_under_all_faults_and_stacks() {
        for workload in WORKLOADS {
            let study = workload.study(&[]).unwrap_or_else(|p| panic!("{}", p.render(false)));
            let sizes: Vec<(&str, usize)> =
                study.axes.iter().map(|axis| (axis.name.as_str(), axis.values.len())).collect();
            assert_eq!(sizes, [("scheme", 18), ("workload", 1), ("faults", 4), ("stack", 2)]);
        }
    }

    #[test]
    fn ranks_and_ratios_belong_together() {
        let verdict = small();
        assert_eq!((verdict.rows.len(), verdict.columns.len()), (18, 2));
        for column in &verdict.columns {
            let first: Vec<usize> = (0..18).filter(|&row| column.rank(row) == Some(1)).collect();
            assert!(!first.is_empty() && first.iter().all(|&row| column.ratio(row) == Some(1.0)));
            let order = verdict.order(&[column]);
            assert!(order.windows(2).all(|pair| column.rank(pair[0]) <= column.rank(pair[1])));
        }
    }

    #[test]
    fn the_page_says_what_was_not_run_and_draws_what_was() {
        let verdict = small();
        let claims = claims().unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let page = page(&verdict, &claims, "verdict", "");
        assert!(page.contains("| not run |"), "{page}");
        assert!(page.contains("![ideal](verdict/ideal.svg)") && page.contains("Seeds: 2."));
        let picture = picture(&verdict, "window");
        assert!(picture.matches(">1.00<").count() >= 2);
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
    }
}
