//! From a scenario's study to jobs: every cell with every seed.

use super::memory::Needed;
use super::run::Job;
use super::summary::Bound;
use crate::problem::Problem;
use crate::scenario::Study;
use raddle_schemes::units::Span;
use raddle_sim::bound;
use raddle_sim::plan::Plan;
use raddle_sim::record::RecordPlan;

/// Changes a plan's recording where the scenario asks for none.
pub type DefaultRecord = fn(&Plan) -> RecordPlan;

/// The jobs of a study, seeds varying fastest. `record` says what to record where the scenario
/// records nothing; recording never changes what happens.
pub fn jobs(study: &Study, record: Option<DefaultRecord>) -> Vec<Job> {
    let cells = study.cells.iter();
    cells
        .flat_map(|cell| {
            study.seeds.iter().map(move |&seed| {
                let scenario = cell.scenario.clone();
                Job {
                    scenario: scenario.hash(),
                    seed,
                    settings: cell.settings.clone(),
                    kept: scenario.kept(seed),
                    needed: Needed {
                        ports: scenario.fabric().ports.len() as u64,
                        flows: scenario.flows(),
                    },
                    plan: Box::new(move || {
                        let mut plan = scenario.resolve(seed).map_err(|p: Problem| p.message)?;
                        if let Some(record) = record.filter(|_| plan.record.bucket == Span::ZERO) {
                            plan.record = record(&plan);
                        }
                        Ok(plan)
                    }),
                }
            })
        })
        .collect()
}

/// The tightest bound on the completion of a plan's traffic.
pub fn bound_of(plan: &Plan) -> Option<Bound> {
    bound::of_plan(plan).first().copied()
}
