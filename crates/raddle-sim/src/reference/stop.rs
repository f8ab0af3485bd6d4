//! When a run ends (`docs/design/0001-event-order-and-ties.md`, stop rules): looked at when the plan
//! ends and at the multiples of its patience, after all events before such an instant.

use super::hosts::HostProgress;
use crate::plan::Plan;
use crate::record::{FlowRecords, Stop};
use crate::workload::Start;
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::Time;

/// Why a run ended.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    Completed,
    EndTime,
    Stalled,
    Interrupted,
}

impl Ending {
    /// The same with the flows that did not complete.
    pub(super) fn with(self, flows: &FlowRecords) -> Stop {
        let open = (0..).zip(flows.iter()).filter(|(_, record)| record.acked.is_none());
        let open = open.map(|(flow, _)| FlowId(flow)).collect();
        match self {
            Self::Completed => Stop::Completed,
            Self::EndTime => Stop::EndTime(open),
            Self::Stalled => Stop::Stalled(open),
            Self::Interrupted => Stop::Interrupted,
        }
    }
}

/// The next instant at which it is asked whether the run ends.
pub(super) struct StopRules {
    pub(super) next: Time,
    end: Time,
    patience: u64,
    /// From here on nothing changes from outside: no fault, no route, no start.
    quiet_from: Time,
    flows: u64,
}

impl StopRules {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut scheduled: Vec<Time> = plan.routes.iter().map(|(at, _)| *at).collect();
        for (_, changes) in &plan.faults.ports {
            scheduled.extend(changes.iter().map(|(at, _)| *at));
        }
        for (_, deaths) in &plan.faults.nodes {
            scheduled.extend(deaths.iter().flat_map(|(from, until)| [*from, *until]));
        }
        for flow in &plan.traffic.flows {
            if let Start::At(at) = flow.start {
                scheduled.push(at + plan.transport.phase);
            }
        }
        scheduled.retain(|at| *at < Time::NEVER);
        let mut rules = Self {
            next: Time::ZERO,
            end: plan.end.unwrap_or(TIME_LIMIT),
            patience: plan.patience.0.max(1),
            quiet_from: scheduled.into_iter().max().unwrap_or(Time::ZERO),
            flows: plan.traffic.flows.len() as u64,
        };
        rules.advance();
        rules
    }

    /// Whether the run ends at [`StopRules::next`], and when; if not, goes on to the next instant.
    pub(super) fn look(&mut self, hosts: &HostProgress) -> Option<(Ending, Time)> {
        let since = self.quiet_from.max(hosts.last_progress);
        let ending = if self.next == self.end {
            Ending::EndTime
        } else if self.next.0 >= since.0.saturating_add(self.patience) {
            Ending::Stalled
        } else {
            self.advance();
            return None;
        };
        if hosts.flows_done == self.flows {
            return Some((Ending::Completed, hosts.last_completion));
        }
        Some((ending, self.next))
    }

    fn advance(&mut self) {
        let multiple = (self.next.0 / self.patience).saturating_add(1);
        let multiple = Time(multiple.saturating_mul(self.patience));
        self.next = multiple.min(self.end);
    }
}
