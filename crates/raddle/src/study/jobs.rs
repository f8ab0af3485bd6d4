//! From a scenario's study to jobs: every cell with every seed.

use super::run::Job;
use super::summary::Bound;
use crate::problem::Problem;
use crate::scenario::Study;
use raddle_schemes::FlowContext;
use raddle_schemes::family::Need;
use raddle_schemes::units::Span;
use raddle_sim::bound::rho_max::rho_max;
use raddle_sim::bound::{self, Frames};
use raddle_sim::plan::Plan;
use raddle_sim::record::RecordPlan;
use std::cmp::Reverse;

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
                    toml: scenario.resolved_toml().to_owned(),
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

/// Lower bounds on the completion of a plan's traffic, the tightest first; faults are not taken
/// into account but by those with rho_max, which are for flows that are paced no faster. Those that
/// count an ACK for every packet are left out where the recovery sends fewer.
pub fn bounds_of(plan: &Plan) -> Vec<Bound> {
    let frames = Frames::from(plan);
    let mut bounds = bound::completion(&plan.traffic, &plan.fabric, &frames);
    let pace = plan.transport.congestion.build(&FlowContext::NOMINAL).limits().rate;
    if let Some(pace) = pace
        && let Some(rho_max) = rho_max(plan).ok().filter(|rho_max| pace <= *rho_max)
    {
        bounds.extend(bound::rho_max::bound(&plan.traffic, &plan.fabric, &frames, rho_max));
        bounds.sort_by_key(|bound| Reverse(bound.time));
    }
    if !plan.transport.recovery.offers(Need::PacketAcks) {
        let any_acks = ["host_link", "cut", "flow_alone", "all_to_all_data"];
        bounds.retain(|bound| any_acks.contains(&bound.name));
    }
    bounds
}

/// The tightest of [`bounds_of`].
pub fn bound_of(plan: &Plan) -> Option<Bound> {
    bounds_of(plan).first().copied()
}
