//! A plan that keeps the packets of messages on critical paths, by a run that kept nothing of them.

use super::path::{Took, path};
use super::replay::Replay;
use crate::plan::Plan;
use crate::record::Outcome;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Time;
use std::collections::BTreeSet;

/// Packets that are kept, about, beside those of the critical paths.
const MOST_PACKETS: u64 = 1_000_000;

impl Plan {
    /// The same plan that keeps the packets of messages on the critical paths of its jobs in a run of it.
    /// Of others it keeps those that were under way at the same time, the first ones first, as long as
    /// there are no more than a million packets of them: they say whose packets were waited for.
    pub fn with_critical(mut self, outcome: &Outcome) -> Self {
        self.record.critical = false;
        let messages;
        let (plan, told) = match outcome.pieces.is_none() && self.traffic.pieces.is_some() {
            // Paths are told of messages.
            true => {
                messages = outcome.clone().of_messages(self.clone());
                (&messages.0, &messages.1)
            }
            false => (&self, outcome),
        };
        let mut chosen = BTreeSet::new();
        let mut spans: Vec<(Time, Time)> = Vec::new();
        for job in &plan.traffic.jobs {
            let Some(replay) = Replay::of(job, &told.flows) else { continue };
            for own in path(&replay) {
                if let Took::Message { flow, .. } = own.does {
                    chosen.insert(flow);
                    spans.push((own.from, own.until));
                }
            }
        }
        spans.sort_unstable();
        // Of each span the latest end of those up to it.
        let mut latest = Time::ZERO;
        for span in &mut spans {
            latest = latest.max(span.1);
            span.1 = latest;
        }
        let mut left = MOST_PACKETS;
        for (id, flow) in (0..).map(FlowId).zip(&plan.traffic.flows) {
            let record = told.flows.at(id.index());
            let (Some(from), Some(until)) = (record.started, record.acked) else { continue };
            let before = spans.partition_point(|span| span.0 < until);
            let beside = before.checked_sub(1).is_some_and(|last| spans[last].1 > from);
            let packets = flow.bytes.0.div_ceil(plan.transport.payload.0.max(1));
            if beside && packets <= left && chosen.insert(id) {
                left -= packets;
            }
        }
        let pieces = self.traffic.pieces.as_deref();
        let message = |flow: &FlowId| pieces.map_or(*flow, |pieces| pieces.message_of(*flow));
        let all = (0..self.traffic.flows.len() as u32).map(FlowId);
        self.record.packets = all.filter(|flow| chosen.contains(&message(flow))).collect();
        self
    }
}
