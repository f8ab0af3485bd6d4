//! What a part of the traffic is called, and what its flows add up to: read by results, not by the
//! engines.

use super::job_graph::Script;
use super::{Flow, Traffic, TriggerId};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Bytes, Time};
use std::ops::Range;
use std::sync::Arc;

/// Flows that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What results call it.
    pub name: String,
    /// The job of which this is one group, where a job is several that do the same.
    pub group_of: Option<String>,
    /// Its flows, by number.
    pub flows: Range<u32>,
    /// The collective that the flows are, if they are one.
    pub collective: Option<Collective>,
    /// What it does one after the other, if that is of interest.
    pub phases: Vec<Phase>,
    /// What its ranks do, where it was made of that.
    pub script: Option<Scripted>,
}

/// What ranks do, and from when on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// What they do.
    pub script: Arc<Script>,
    /// When the job begins.
    pub start: Time,
}

/// A part of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What results call it.
    pub name: String,
    /// Its flows, by number.
    pub flows: Range<u32>,
}

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// What is done.
    pub operation: Operation,
    /// How many take part.
    pub ranks: u32,
    /// The size that nccl-tests would print: the larger of what a rank puts in and gets out.
    pub bytes: Bytes,
}

raddle_schemes::words! {
    /// What a collective operation does, by the names of nccl-tests.
    pub enum Operation {
        /// Every rank gets the sum over all ranks.
        AllReduce = "all_reduce",
        /// Every rank gets its share of the sum.
        ReduceScatter = "reduce_scatter",
        /// Every rank gets the shares of all.
        AllGather = "all_gather",
        /// Every rank gets another share from each.
        AllToAll = "all_to_all",
    }
}

impl Job {
    /// Flows of this name, of which nothing else is known.
    pub fn new(name: &str, flows: Range<u32>) -> Self {
        let (name, phases) = (name.to_owned(), Vec::new());
        Self { name, group_of: None, flows, collective: None, phases, script: None }
    }
}

impl Collective {
    /// By how much the bus bandwidth exceeds the algorithm bandwidth: what each rank's link has to
    /// carry, over the size (nccl-tests, doc/PERFORMANCE.md).
    pub fn bus_factor(&self) -> f64 {
        let ranks = f64::from(self.ranks);
        match self.operation {
            Operation::AllReduce => 2.0 * (ranks - 1.0) / ranks,
            Operation::ReduceScatter | Operation::AllGather | Operation::AllToAll => {
                (ranks - 1.0) / ranks
            }
        }
    }

    /// The elements of four bytes that nccl-tests would print: of what a rank puts in or gets out,
    /// the smaller; of an all-to-all, what one rank sends to one.
    pub fn count(&self) -> u64 {
        let elements = self.bytes.0 / 4;
        match self.operation {
            Operation::AllReduce => elements,
            Operation::ReduceScatter | Operation::AllGather | Operation::AllToAll => {
                elements / u64::from(self.ranks.max(1))
            }
        }
    }

    /// Whether values are summed.
    pub fn reduces(&self) -> bool {
        matches!(self.operation, Operation::AllReduce | Operation::ReduceScatter)
    }
}

impl Traffic {
    /// Names all its flows as one job, or as several if they are jobs already, and changes each of
    /// them.
    pub fn into_job(mut self, name: &str, change: impl FnMut(&mut Flow)) -> Self {
        self.flows.iter_mut().for_each(change);
        let flows = 0..self.flows.len() as u32;
        match &mut self.jobs[..] {
            [] => {
                self.jobs = vec![Job::new(name, flows)];
            }
            [job] => name.clone_into(&mut job.name),
            jobs => {
                for (number, job) in jobs.iter_mut().enumerate() {
                    job.name = format!("{name} {number}");
                    job.group_of = Some(name.to_owned());
                }
            }
        }
        self
    }

    /// Adds the flows, triggers and jobs of another traffic behind its own.
    pub fn append(&mut self, other: Self) {
        let (flows, triggers) = (self.flows.len() as u32, self.triggers.len() as u32);
        let moved = |id: TriggerId| TriggerId::new(id.index() as u32 + triggers);
        self.flows.extend(other.flows.into_iter().map(|flow| Flow {
            on_acked: flow.on_acked.map(moved),
            on_delivered: flow.on_delivered.map(moved),
            ..flow
        }));
        self.triggers.extend(other.triggers.into_iter().map(|mut trigger| {
            trigger.targets.iter_mut().for_each(|flow| *flow = FlowId(flow.0 + flows));
            trigger.fires.iter_mut().for_each(|id| *id = moved(*id));
            trigger
        }));
        let shift = |range: &mut Range<u32>| *range = range.start + flows..range.end + flows;
        self.jobs.extend(other.jobs.into_iter().map(|mut job| {
            shift(&mut job.flows);
            job.phases.iter_mut().for_each(|phase| shift(&mut phase.flows));
            job
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::all_to_all::{AllToAll, Order};

    #[test]
    fn the_factors_are_those_of_nccl_tests() {
        let collective = |operation| Collective { operation, ranks: 8, bytes: Bytes(3_200) };
        let reduced = collective(Operation::AllReduce);
        assert_eq!((reduced.bus_factor(), reduced.count()), (1.75, 800));
        for operation in [Operation::ReduceScatter, Operation::AllGather, Operation::AllToAll] {
            let shared = collective(operation);
            assert_eq!((shared.bus_factor(), shared.count()), (0.875, 100));
        }
    }

    #[test]
    fn appended_traffic_keeps_its_own_triggers_and_ranges() {
        let one = || {
            let order = Order::Shifted;
            AllToAll { message: Bytes(9), order, in_flight: Some(1) }.generate(3, 1).unwrap()
        };
        let mut both = one().into_job("a", |_| {});
        both.append(one().into_job("b", |flow| flow.class = 1));
        assert_eq!(both.flows.len(), 12);
        assert_eq!(both.jobs[1].name, "b");
        assert_eq!(both.jobs[1].flows, 6..12);
        assert!(both.flows[6..].iter().all(|flow| flow.class == 1));
        let fired = both.flows[6].on_acked.unwrap();
        assert_eq!(fired, TriggerId::new(3));
        assert_eq!(both.triggers[fired.index()].targets, [FlowId(7)]);
        let jobs = both.into_job("c", |_| {}).jobs;
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["c 0", "c 1"]);
        assert!(jobs.iter().all(|job| job.group_of.as_deref() == Some("c")));
    }
}
