//! The flows that took longest, by a run that kept nothing of them.

use super::FlowRecords;
use super::Slowest;
use crate::plan::Plan;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl Plan {
    /// The same plan that keeps packets or probes of the flows which took longest in a run of it;
    /// messages in pieces count as one. Those that did not complete come first, and of equals the first.
    pub fn with_slowest(mut self, slowest: Slowest, flows: &FlowRecords) -> Self {
        let pieces = self.traffic.pieces.as_deref();
        let message = |flow: u32| match pieces {
            Some(pieces) => pieces.message_of(FlowId(flow)),
            None => FlowId(flow),
        };
        let mut times: Vec<_> = (0..)
            .zip(flows.iter())
            .map(|(flow, record)| {
                let took =
                    record.started.map(|from| record.acked.unwrap_or(Time::NEVER).since(from));
                (Reverse(took), flow)
            })
            .collect();
        times.sort_unstable();
        let mut chosen = BTreeSet::new();
        for (_, flow) in times {
            if chosen.len() == slowest.count as usize {
                break;
            }
            chosen.insert(message(flow));
        }
        let all = (0..flows.len() as u32).filter(|flow| chosen.contains(&message(*flow)));
        let all: Vec<FlowId> = all.map(FlowId).collect();
        if slowest.packets {
            self.record.packets.clone_from(&all);
        }
        self.record.probes.flows = all;
        self.record.slowest = None;
        self
    }
}
