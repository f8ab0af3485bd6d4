//! When a run stops before everything is done: its end time, or no hope of progress.
//!
//! Both rules are looked at only at fixed instants (the end time and multiples of the patience), so
//! that every engine stops at the same one, after all events before it and none at it.

use super::totals::HostTotals;
use crate::plan::Plan;
use crate::record::{FlowRecords, Stop};
use crate::workload::Start;
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::Time;

/// Why a run ended, as its parts know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every flow completed.
    Completed,
    /// The scenario's end time came.
    EndTime,
    /// No flow could make progress any more.
    Stalled,
    /// The caller asked to stop.
    Interrupted,
}

impl Ending {
    /// The same with the flows that did not complete.
    pub fn with(self, flows: &FlowRecords) -> Stop {
        let open = flows.iter().enumerate().filter(|(_, record)| record.acked.is_none());
        let open = open.map(|(i, _)| FlowId(i as u32));
        match self {
            Self::Completed => Stop::Completed,
            Self::EndTime => Stop::EndTime(open.collect()),
            Self::Stalled => Stop::Stalled(open.collect()),
            Self::Interrupted => Stop::Interrupted,
        }
    }
}

/// The rules of one run.
pub struct StopRules {
    end: Time,
    patience: u64,
    /// Nothing is scheduled to change from outside after this: no fault, no route, no start.
    quiet_after: Time,
    flows: u64,
}

impl StopRules {
    /// The rules of a plan.
    pub fn new(plan: &Plan) -> Self {
        let changes = plan.faults.ports.iter().flat_map(|(_, list)| list.iter().map(|c| c.0));
        let nodes = plan.faults.nodes.iter().flat_map(|(_, list)| list.iter());
        let deaths = nodes.flat_map(|window| [window.0, window.1]);
        let routes = plan.routes.iter().map(|(at, _)| *at);
        let starts = plan.traffic.flows.iter().filter_map(|flow| match flow.start {
            Start::At(at) => Some(at + plan.transport.phase),
            Start::After(_) => None,
        });
        let scheduled = changes.chain(deaths).chain(routes).chain(starts);
        Self {
            end: plan.end.unwrap_or(TIME_LIMIT),
            patience: plan.patience.0.max(1),
            quiet_after: scheduled.filter(|&at| at < Time::NEVER).max().unwrap_or(Time::ZERO),
            flows: plan.traffic.flows.len() as u64,
        }
    }

    /// The first instant after `now` at which the rules are looked at.
    pub fn next_check(&self, now: Time) -> Time {
        let next = (now.0 / self.patience).saturating_add(1).saturating_mul(self.patience);
        // The end itself is looked at once; past it there is nothing to look at.
        if now < self.end { self.end.min(Time(next)) } else { Time(next) }
    }

    /// Whether the run stops at `at`, an instant that [`StopRules::next_check`] named.
    pub fn check(&self, at: Time, totals: &HostTotals) -> Option<(Ending, Time)> {
        if at == self.end {
            return Some(self.stop(at, totals, Ending::EndTime));
        }
        let hopeless = at.0 >= self.quiet_after.0.saturating_add(self.patience)
            && at.0 >= totals.last_progress.0 + self.patience;
        hopeless.then(|| self.stop(at, totals, Ending::Stalled))
    }

    /// How the run ends when nothing is left to happen: as it would if time went on. What an engine
    /// counts as something left (a fault at an idle port, a link that comes free) makes no
    /// difference then.
    pub fn exhausted(&self, totals: &HostTotals) -> (Ending, Time) {
        let quiet = self.quiet_after.max(totals.last_progress).0;
        let hopeless = quiet.saturating_add(self.patience).div_ceil(self.patience);
        let hopeless = Time(hopeless.saturating_mul(self.patience));
        if hopeless < self.end {
            self.stop(hopeless, totals, Ending::Stalled)
        } else {
            self.stop(self.end, totals, Ending::EndTime)
        }
    }

    fn stop(&self, at: Time, totals: &HostTotals, why: Ending) -> (Ending, Time) {
        if totals.flows_done == self.flows {
            (Ending::Completed, totals.last_completion)
        } else {
            (why, at)
        }
    }
}
