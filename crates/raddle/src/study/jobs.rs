//! From a scenario's study to jobs: every cell with every seed.

use super::memory::Needed;
use super::run::Job;
use super::summary::Bound;
use crate::problem::Problem;
use crate::scenario::{FIRST_BUCKET, Scenario, Study};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;
use raddle_sim::bound;
use raddle_sim::plan::Plan;
use raddle_sim::record::RecordPlan;
use std::num::NonZeroU32;

/// Changes a plan's recording where the scenario asks for none.
pub type DefaultRecord = fn(&Plan) -> RecordPlan;

/// The jobs of a study, seeds varying fastest. `record` says what to record where the scenario
/// records nothing; recording never changes what happens.
pub fn jobs(study: &Study, record: Option<DefaultRecord>) -> Vec<Job> {
    let where_none = move |plan: &Plan| {
        record.filter(|_| plan.record.bucket == Span::ZERO).map(|record| record(plan))
    };
    recording(study, where_none)
}

/// The same, each with a map of all links within `cells` cells, whatever ports the scenario records.
pub fn with_map(study: &Study, cells: u64) -> Vec<Job> {
    recording(study, move |plan| Some(map(plan, cells)))
}

/// All ports over time, and which of them each flow's data left by.
fn map(plan: &Plan, cells: u64) -> RecordPlan {
    let ports = plan.fabric.ports.len() as u32;
    // The counts of the fabric are one port more; two buckets are the least that can become one.
    let buckets = (cells / (u64::from(ports) + 1)).clamp(2, u32::MAX.into()) as u32;
    RecordPlan {
        ports: (0..ports).map(PortId).collect(),
        bucket: FIRST_BUCKET,
        most_buckets: NonZeroU32::new(buckets),
        routes: true,
        ..plan.record.clone()
    }
}

fn recording<R>(study: &Study, record: R) -> Vec<Job>
where
    R: Fn(&Plan) -> Option<RecordPlan> + Copy + Send + Sync + 'static,
{
    let cells = study.cells.iter();
    cells
        .flat_map(|cell| {
            let seeds = study.seeds.iter();
            seeds.map(move |&seed| job(&cell.scenario, seed, cell.settings.clone(), record))
        })
        .collect()
}

/// The run of one scenario with one seed, `settings` its name.
pub(crate) fn job<R>(
    scenario: &Scenario,
    seed: u64,
    settings: Vec<(String, String)>,
    record: R,
) -> Job
where
    R: Fn(&Plan) -> Option<RecordPlan> + Copy + Send + Sync + 'static,
{
    let scenario = scenario.clone();
    Job {
        scenario: scenario.hash(),
        seed,
        settings,
        kept: scenario.kept(seed),
        needed: Needed { ports: scenario.fabric().ports.len() as u64, flows: scenario.flows() },
        plan: Box::new(move || {
            let mut plan = scenario.resolve(seed).map_err(|p: Problem| p.message)?;
            plan.record = record(&plan).unwrap_or(plan.record);
            Ok(plan)
        }),
    }
}

/// The tightest bound on the completion of a plan's traffic.
pub fn bound_of(plan: &Plan) -> Option<Bound> {
    bound::of_plan(plan).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use std::path::Path;

    #[test]
    fn a_map_has_all_ports_within_its_cells_whatever_is_recorded() {
        let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                    [traffic]\nkind = \"permutation\"\n\
                    [record]\nports = [\"tor0.up*\"]\nbucket = \"7 us\"\nflows = [3]\n";
        let study = scenario::parse("test", text, Path::new("."), &[]).unwrap();
        let plan = |job: &Job| (job.plan)().unwrap().record;
        let kept = plan(&jobs(&study, Some(|_| RecordPlan::default()))[0]);
        assert_eq!((kept.ports.len(), kept.bucket, kept.routes), (2, Span::us(7), false));
        let map = plan(&with_map(&study, 9_700)[0]);
        assert_eq!((map.ports.len(), map.bucket, map.routes), (96, Span::us(1), true));
        assert_eq!(map.most_buckets.unwrap().get(), 100);
        assert_eq!(map.packets, kept.packets);
        assert_eq!(plan(&with_map(&study, 1)[0]).most_buckets.unwrap().get(), 2);
    }
}
