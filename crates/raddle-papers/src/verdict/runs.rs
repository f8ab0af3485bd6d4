//! Runs sorted into columns: what of each is measured, and against which bound.

use super::{Column, Message, SIZE, SIZES, SMALLEST, Verdict, Workload};
use raddle::study::compare::{CompareInput, Comparison, Entry, column_of};
use raddle::study::run::Job;
use raddle::study::summary::RunSummary;
use raddle_sim::bound::cut::{self, Cut};
use raddle_sim::bound::{Bound, mean_of_flows, of_plan};
use raddle_sim::plan::Plan;
use std::collections::BTreeMap;

/// A workload, its jobs, and what came of each.
pub type WorkloadRuns<'r> = (Workload, &'r [Job], &'r [Option<RunSummary>]);

impl Verdict {
    /// Sorts the runs of each workload.
    pub fn of(runs: &[WorkloadRuns<'_>]) -> Self {
        let mut verdict =
            Self { rows: Vec::new(), columns: Vec::new(), sizes: Vec::new(), steps: Vec::new() };
        for (workload, jobs, summaries) in runs {
            let mut bounds = BTreeMap::new();
            let measured: Vec<Option<RunSummary>> = jobs
                .iter()
                .zip(*summaries)
                .map(|(job, run)| {
                    // All schemes of a column share the bound.
                    let run = run.as_ref()?;
                    let bound = bounds.entry((column_of(&job.settings), job.seed));
                    Some(measured(
                        *workload,
                        run,
                        *bound.or_insert_with(|| bound_of(*workload, job)),
                    ))
                })
                .collect();
            let entries: Vec<Entry<'_>> = jobs
                .iter()
                .zip(&measured)
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
                let bounds = column.bounds.iter().copied().flatten();
                let bound = column.bound.clone().zip(mean(bounds));
                let runs = jobs.iter().zip(*summaries);
                let here = runs.filter(|(job, _)| column_of(&job.settings) == column.name);
                let paced = paced(here.filter_map(|(_, run)| run.as_ref()));
                let job = jobs.iter().find(|job| column_of(&job.settings) == column.name);
                let own = Column {
                    settings: workload.settings(settings),
                    cells: comparison.cells.iter().map(|row| row[index]).collect(),
                    times_us: comparison
                        .input
                        .values
                        .iter()
                        .map(|row| row[index].clone())
                        .collect(),
                    bound,
                    paced,
                    message: job.and_then(message_of),
                    seeds: comparison.input.seeds.len(),
                    open_loop: workload.open_loop,
                };
                if SIZES.iter().any(|larger| larger.size.is_some_and(|(of, _)| of == workload.name))
                {
                    let mut smallest = own.clone();
                    smallest.settings.push((SIZE.to_owned(), SMALLEST.to_owned()));
                    verdict.sizes.push(smallest);
                }
                match workload {
                    Workload { size: Some(_), .. } => verdict.sizes.push(own),
                    workload if workload.is_step() => verdict.steps.push(own),
                    _ => verdict.columns.push(own),
                }
            }
        }
        // One size does not make an axis.
        if runs.iter().all(|(workload, ..)| workload.size.is_none()) {
            verdict.sizes.clear();
        }
        verdict
    }
}

/// The mean, if there are values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What the study takes for the bounds of paced runs, on average.
fn paced<'r>(runs: impl Iterator<Item = &'r RunSummary>) -> Option<(String, f64)> {
    let found: Vec<(&str, f64)> = runs
        .filter_map(|run| run.bound.as_deref().zip(run.bound_us))
        .filter(|(name, _)| name.ends_with(Bound::PACED))
        .collect();
    let name = found.first()?.0.to_owned();
    Some((name, mean(found.iter().map(|(_, us)| *us))?))
}

/// What each flow of a job sends, if all send the same.
fn message_of(job: &Job) -> Option<Message> {
    let plan = (job.plan)().ok()?;
    let bytes = plan.traffic.flows.first()?.bytes;
    let transport = &plan.transport;
    let rtt = plan.fabric.longest_base_rtt(plan.packet(), transport.ack);
    let bdp = plan.fabric.host_rate(plan.traffic.flows.first()?.source).bytes_in(rtt);
    let alike = plan.traffic.flows.iter().all(|flow| flow.bytes == bytes);
    alike.then_some(Message { bytes: bytes.0, bdp: bytes.0 as f64 / bdp.0 as f64 })
}

/// The tightest bound that no run of a column can beat, whatever its scheme and its stack.
fn bound_of(workload: Workload, job: &Job) -> Option<Bound> {
    let plan = (job.plan)().ok()?;
    if workload.open_loop { mean_of_flows(&plan) } else { strict(&plan) }
}

fn strict(plan: &Plan) -> Option<Bound> {
    let cut = cut::under_faults(plan).map(|cut| Bound { name: Cut::UNDER_FAULTS, time: cut.time });
    let mut bounds = of_plan(plan);
    bounds.retain(|bound| !bound.name.ends_with(Bound::PACED));
    bounds.extend(cut);
    // Of equals, the first.
    bounds.into_iter().rev().max_by_key(|bound| bound.time)
}

/// A run as its workload is measured.
fn measured(workload: Workload, run: &RunSummary, bound: Option<Bound>) -> RunSummary {
    let mut run = run.clone();
    if workload.open_loop {
        run.completion_us = run.completion_us.and(run.fct_us.mean);
    }
    run.bound = bound.map(|bound| bound.name.to_owned());
    run.bound_us = bound.map(|bound| bound.time.as_us());
    run.increase_pct = None;
    run
}

#[cfg(test)]
mod tests {
    use super::super::WORKLOADS;
    use super::*;
    use raddle::study::jobs::jobs;

    #[test]
    fn both_stacks_have_the_same_bound_and_none_is_a_pace() {
        let set = [("sweep.seed", "[1]"), ("scheme", "\"ops\"")];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
        let tornado = WORKLOADS[1];
        let study = tornado.study(&set).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let jobs = jobs(&study, None);
        let bounds: Vec<Bound> = jobs.iter().map(|job| bound_of(tornado, job).unwrap()).collect();
        for pair in bounds.chunks(2) {
            assert_eq!(pair[0], pair[1]);
        }
        assert!(bounds.iter().all(|bound| !bound.name.ends_with(Bound::PACED)), "{bounds:?}");
        assert_eq!(bounds[0].name, "permutation");
        assert!(bounds[6].time > bounds[0].time && bounds[6].name == Cut::UNDER_FAULTS);
    }
}
