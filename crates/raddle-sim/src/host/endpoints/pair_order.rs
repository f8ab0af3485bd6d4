//! Messages of a pair of hosts in the order in which they were posted, as on a queue pair.

use super::connections::{Ends, ends};
use crate::plan::{PairOrder, Plan};
use crate::workload::Flow;
use std::collections::{BTreeMap, VecDeque};

/// The pairs at the hosts of a part of which a message has not sent all of its packets once, with
/// the sender slots of the messages that wait for it.
pub(in crate::host) struct Queues(BTreeMap<Ends, VecDeque<u32>>);

impl Queues {
    /// None where messages of a pair do not wait for each other.
    pub(in crate::host) fn of(plan: &Plan) -> Option<Box<Self>> {
        let fifo = plan.transport.pair_order == PairOrder::Fifo;
        fifo.then(|| Box::new(Self(BTreeMap::new())))
    }

    /// A message is posted. Returns whether it may send; else it waits.
    pub(in crate::host) fn post(&mut self, flow: &Flow, slot: u32) -> bool {
        if let Some(waiting) = self.0.get_mut(&ends(flow)) {
            waiting.push_back(slot);
            return false;
        }
        self.0.insert(ends(flow), VecDeque::new());
        true
    }

    /// A message has sent its last packet for the first time. Returns the one that may send now.
    pub(in crate::host) fn sent(&mut self, flow: &Flow) -> Option<u32> {
        let next = self.0.get_mut(&ends(flow))?.pop_front();
        if next.is_none() {
            self.0.remove(&ends(flow));
        }
        next
    }
}
