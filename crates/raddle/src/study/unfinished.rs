//! Why flows did not complete.

use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::Time;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::Node;
use std::collections::BTreeSet;

/// What keeps a flow from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A host at one of its ends was dead when the run ended.
    DeadHost(HostId),
    /// Its sender sent a packet as often as it may.
    RetryExceeded,
    /// Nothing had started it, as where what it waits for did not complete.
    NotStarted,
    /// It was under way.
    UnderWay,
}

impl Cause {
    /// The word of tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::DeadHost(_) => "dead_host",
            Self::RetryExceeded => "retry_exceeded",
            Self::NotStarted => "not_started",
            Self::UnderWay => "under_way",
        }
    }
}

/// The causes in one run.
#[derive(Debug)]
pub struct Causes<'a> {
    plan: &'a Plan,
    outcome: &'a Outcome,
    dead: BTreeSet<HostId>,
}

impl<'a> Causes<'a> {
    /// Those of this outcome of this plan.
    pub fn of(plan: &'a Plan, outcome: &'a Outcome) -> Self {
        let is_dead = |windows: &[(Time, Time)]| {
            windows.iter().any(|(from, until)| (*from..*until).contains(&outcome.end))
        };
        let dead = plan.faults.nodes.iter().filter_map(|(node, windows)| match node {
            Node::Host(host) if is_dead(windows) => Some(*host),
            _ => None,
        });
        Self { plan, outcome, dead: dead.collect() }
    }

    /// Why a flow did not complete; `None` if it did.
    pub fn cause(&self, flow: FlowId) -> Option<Cause> {
        let record = self.outcome.flows.at(flow.index());
        if record.acked.is_some() {
            return None;
        }
        let ends = &self.plan.traffic.flows[flow.index()];
        let dead = [ends.source, ends.destination].into_iter().find(|end| self.dead.contains(end));
        Some(match (dead, record.started) {
            (Some(host), _) => Cause::DeadHost(host),
            (None, Some(_)) if record.gave_up => Cause::RetryExceeded,
            (None, None) => Cause::NotStarted,
            (None, Some(_)) => Cause::UnderWay,
        })
    }

    /// How many flows did not complete because of dead hosts.
    pub fn at_dead_hosts(&self) -> u64 {
        if self.dead.is_empty() {
            return 0;
        }
        let flows = (0..self.outcome.flows.len() as u32).map(FlowId);
        flows.filter(|&flow| matches!(self.cause(flow), Some(Cause::DeadHost(_)))).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;

    #[test]
    fn the_first_cause_counts() {
        let mut plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        let flow = FlowId(0);
        assert_eq!(Causes::of(&plan, &outcome).cause(flow), None);
        outcome.flows.change(0, |flow| flow.acked = None);
        assert_eq!(Causes::of(&plan, &outcome).cause(flow), Some(Cause::UnderWay));
        outcome.flows.change(0, |flow| flow.gave_up = true);
        assert_eq!(Causes::of(&plan, &outcome).cause(flow), Some(Cause::RetryExceeded));
        outcome.flows.change(0, |flow| (flow.gave_up, flow.started) = (false, None));
        assert_eq!(Causes::of(&plan, &outcome).cause(flow), Some(Cause::NotStarted));
        let host = plan.traffic.flows[0].destination;
        plan.faults.nodes = vec![(Node::Host(host), vec![(Time::ZERO, Time(1))])];
        assert_eq!(Causes::of(&plan, &outcome).at_dead_hosts(), 0);
        plan.faults.nodes = vec![(Node::Host(host), vec![(Time(1), Time::NEVER)])];
        let causes = Causes::of(&plan, &outcome);
        assert_eq!((causes.cause(flow), causes.at_dead_hosts()), (Some(Cause::DeadHost(host)), 1));
    }
}
