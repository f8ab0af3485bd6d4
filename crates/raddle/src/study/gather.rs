//! What a comparison and its report keep of each run: numbers of all, series of the first seed.

use super::jobs::bound_of;
use super::place::at;
use super::run::{Finished, Job, Sink};
use super::store::Store;
use super::summary::{RunSummary, fct};
use crate::report;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;
use raddle_sim::plan::Plan;
use raddle_sim::record::RecordPlan;
use raddle_sim::topology::Node;
use serde::{Deserialize, Serialize};
use std::fs;

/// Buckets that a run as long as its bound takes.
const BUCKETS: u64 = 120;

/// The length of a run without a bound.
const NO_BOUND: Span = Span::us(200);

/// What remains of a run.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The run in numbers.
    pub summary: RunSummary,
    /// What the report draws of it.
    pub picture: Picture,
}

/// What a report draws of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Completion times of the flows that completed.
    pub fct_us: Vec<f64>,
    /// The run over time, where it recorded that.
    pub detail: Option<report::Detail>,
}

impl Gathered {
    /// What remains of `run`; `over_time` too, if it recorded that.
    pub fn of(run: &Finished, over_time: bool) -> Self {
        let recorded = over_time && run.plan.record.bucket > Span::ZERO;
        let fct_us = run.outcome.flows.iter().filter_map(|flow| fct(&flow)).map(Span::as_us);
        let picture = Picture {
            fct_us: fct_us.collect(),
            detail: recorded.then(|| report::detail(&run.plan, &run.outcome)),
        };
        Self { summary: run.summary.clone(), picture }
    }
}

/// What the report draws, in a run's folder.
const PICTURE_FILE: &str = "picture.json";

/// Keeps runs in memory and, where there is a store, on disk.
pub struct Gather {
    /// Where runs are written.
    pub store: Option<Store>,
    /// The seed whose runs are drawn over time.
    pub drawn_seed: u64,
}

impl Gather {
    /// How many of the `jobs` need not be run.
    pub fn count(&self, jobs: &[Job]) -> usize {
        let there = |store: &Store| {
            jobs.iter().filter(|job| store.run_file(job, PICTURE_FILE).exists()).count()
        };
        self.store.as_ref().map_or(0, there)
    }

    /// Runs of other seeds than the drawn one stay without their series.
    fn thin(&self, mut gathered: Gathered) -> Gathered {
        let detail = gathered.picture.detail.take();
        gathered.picture.detail = detail.filter(|detail| detail.seed == self.drawn_seed);
        gathered
    }

    /// A run that is there with all that the report draws of it.
    fn recall(&self, store: &Store, job: &Job) -> Result<Option<Gathered>, String> {
        let path = store.run_file(job, PICTURE_FILE);
        let Some(summary) = store.find(&job.scenario, job.seed)?.filter(|_| path.exists()) else {
            return Ok(None);
        };
        let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        let picture = serde_json::from_str(&text).map_err(|error| at(&path, error))?;
        Ok(Some(self.thin(Gathered { summary, picture })))
    }
}

impl Sink for Gather {
    type Kept = Gathered;

    fn begin(&self, job: &Job) -> Result<Option<Gathered>, String> {
        let Some(store) = &self.store else { return Ok(None) };
        match self.recall(store, job)? {
            Some(kept) => Ok(Some(kept)),
            // Of a run that `sweep` kept, the report lacks what it draws: it is run again.
            None => store.begin(job).map(|_| None),
        }
    }

    fn finish(&self, job: &Job, run: Finished) -> Result<Gathered, String> {
        // A later report of the runs that are kept may draw another seed.
        let over_time = self.store.is_some() || job.seed == self.drawn_seed;
        let gathered = Gathered::of(&run, over_time);
        if let Some(store) = &self.store {
            match store.find(&job.scenario, job.seed)? {
                None => drop(store.finish(job, run)?),
                Some(_) => store.abandon(job),
            }
            let text = serde_json::to_string(&gathered.picture);
            store.add(job, PICTURE_FILE, &text.map_err(|error| error.to_string())?)?;
        }
        Ok(self.thin(gathered))
    }

    fn abandon(&self, job: &Job) {
        if let Some(store) = &self.store {
            store.abandon(job);
        }
    }
}

/// Records what a picture of a load balancer needs: the uplinks of the first edge switch with a
/// fault, else of the first edge switch (all its ports where it has no uplinks), in about 120 steps
/// of the bound.
pub fn record_uplinks(plan: &Plan) -> RecordPlan {
    let fabric = &plan.fabric;
    let edge = |port: &PortId| match fabric.ports[port.index()].owner {
        Node::Switch(switch) if fabric.switches[switch.index()].tier == 0 => Some(switch.index()),
        _ => None,
    };
    let faulty = plan.faults.ports.iter().find_map(|(port, _)| edge(port));
    let first = || fabric.switches.iter().position(|switch| switch.tier == 0);
    let Some(switch) = faulty.or_else(first) else {
        return RecordPlan::default();
    };
    let all: Vec<PortId> = fabric.switches[switch].ports.clone().map(PortId).collect();
    let mut ports: Vec<PortId> =
        all.iter().copied().filter(|port| fabric.ports[port.index()].up).collect();
    if ports.is_empty() {
        ports = all;
    }
    let whole = bound_of(plan).map_or(NO_BOUND, |bound| bound.time);
    let queue_means = plan.record.queue_means;
    let bucket = round_up(Span(whole.0 / BUCKETS));
    RecordPlan { ports, bucket, queue_means, ..plan.record.clone() }
}

/// The next span of 1, 2 or 5 times a power of ten.
fn round_up(span: Span) -> Span {
    let wanted = span.0.max(1);
    let magnitude = 10u64.pow(wanted.ilog10());
    let digit = [1, 2, 5].into_iter().find(|digit| digit * magnitude >= wanted).unwrap_or(10);
    Span(digit * magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use crate::study::fixture::{self, ENGINE};
    use crate::study::run::{Engine, Runner};
    use crate::study::tables::Format;
    use raddle_schemes::units::Time;
    use raddle_sim::faults::PortChange;
    use std::ops::RangeInclusive;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    fn gathered(store: &Store, seeds: RangeInclusive<u64>, engine: Engine<'_>) -> Vec<Gathered> {
        let stop = AtomicBool::new(false);
        let runner = Runner { engine, bound: |_| None, threads: 1, stop: &stop, meter: &() };
        let gather = Gather { store: Some(store.clone()), drawn_seed: *seeds.start() };
        let runs = runner.run(&fixture::jobs(seeds), &gather);
        runs.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn a_run_that_is_there_is_drawn_as_it_was_and_another_seed_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        let broken: Engine<'_> = &|_, _| panic!("nothing is to be run");
        let pictures = |runs: &[Gathered]| -> Vec<Picture> {
            runs.iter().map(|run| run.picture.clone()).collect()
        };
        let first = pictures(&gathered(&store, 1..=2, ENGINE));
        assert!(first[0].detail.is_some() && first[1].detail.is_none());
        assert_eq!(pictures(&gathered(&store, 1..=2, broken)), first);
        let second = pictures(&gathered(&store, 2..=2, broken));
        let fresh = tempfile::tempdir().unwrap();
        let fresh = Store::open(fresh.path(), Format::Csv).unwrap();
        assert!(second[0].detail.is_some());
        assert_eq!(second, pictures(&gathered(&fresh, 2..=2, ENGINE)));
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
    }

    fn plan(topology: &str, more: &str) -> Plan {
        let text =
            format!("[fabric]\ntopology = {topology}\n[traffic]\nkind = \"permutation\"\n{more}");
        let study = scenario::parse("test", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.resolve(1).unwrap()
    }

    fn recorded(plan: &Plan) -> Vec<&str> {
        let names = |port: &PortId| plan.fabric.ports[port.index()].name.as_str();
        record_uplinks(plan).ports.iter().map(names).collect()
    }

    const TREE: &str = "{ kind = \"fat_tree\", hosts = 16 }";

    #[test]
    fn the_uplinks_of_the_first_edge_switch_are_recorded() {
        assert_eq!(recorded(&plan(TREE, "")), ["tor0.up0", "tor0.up1"]);
    }

    #[test]
    fn an_edge_switch_with_a_fault_comes_first() {
        let fault = "[[fault]]\nlink = \"tor3.up0\"\ndown = \"1 us..\"\n";
        assert_eq!(recorded(&plan(TREE, fault)), ["tor3.up0", "tor3.up1"]);
        let core = "[[fault]]\nlink = \"agg1.up0\"\ndown = \"1 us..\"\n";
        assert_eq!(recorded(&plan(TREE, core)), ["tor0.up0", "tor0.up1"]);
    }

    #[test]
    fn without_uplinks_all_ports_of_the_switch_are_recorded() {
        let mut plan = crate::study::fixture::plan(1);
        assert_eq!(recorded(&plan), ["tor0.down0", "tor0.down1", "tor0.down2"]);
        plan.faults.ports = vec![(PortId(0), vec![(Time(1), PortChange::Down)])];
        assert_eq!(recorded(&plan), ["tor0.down0", "tor0.down1", "tor0.down2"]);
        plan.fabric.switches[0].tier = 1;
        assert_eq!(record_uplinks(&plan), RecordPlan::default());
    }

    #[test]
    fn a_run_as_long_as_its_bound_takes_about_120_round_buckets() {
        // The bound is 184.3 us, and 184.3 / 120 = 1.54.
        assert_eq!(record_uplinks(&plan(TREE, "")).bucket, Span::us(2));
        for (span, round) in [(0, 1), (1, 1), (3, 5), (5, 5), (6, 10), (1_536_000, 2_000_000)] {
            assert_eq!(round_up(Span(span)), Span(round));
        }
    }
}
