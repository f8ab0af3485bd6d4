//! AllReduce by recursive doubling.

use super::compute::ComputeTimes;
use super::job;
use super::volume::Volume;
use crate::workload::graph::{Graph, Send, StepId};
use crate::workload::job::{Collective, Operation};
use crate::workload::{Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// In round k, ranks that differ in bit k alone exchange all they have. A rank's next round begins
/// when it has received its partner's message and its own has been acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Butterfly {
    /// One part: every message is the whole vector.
    pub volume: Volume,
}

impl Butterfly {
    /// The traffic among these ranks, flows in the order of rounds and then of ranks. Every round is
    /// a step, before which each rank computes.
    ///
    /// # Errors
    /// An empty message, or a number of ranks that is not a power of two.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        self.volume.check(1)?;
        if ranks.len() < 2 || !ranks.len().is_power_of_two() {
            let fits = "a power of two, from 2, for a butterfly";
            return Err(WorkloadError::new("ranks", ranks.len(), fits));
        }
        let mut graph = Graph::default();
        let mut before: Vec<StepId> = Vec::new();
        for round in 0..ranks.len().trailing_zeros() {
            let sends = (0..ranks.len()).map(|rank| {
                let after = match round.checked_sub(1) {
                    None => Vec::new(),
                    Some(last) => vec![before[rank], before[rank ^ (1 << last)]],
                };
                let (source, destination) = (ranks[rank], ranks[rank ^ (1 << round)]);
                let work = compute.before(source, round);
                let send = Send { source, destination, bytes: self.volume.all(1), work };
                graph.work_and_send(send, &after)
            });
            before = sends.collect();
        }
        let operation = Operation::AllReduce;
        let collective =
            Collective { operation, ranks: ranks.len() as u32, bytes: self.volume.all(1) };
        Ok(job(&graph, Some(collective), Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;
    use crate::workload::{Start, TriggerKind};
    use raddle_schemes::units::Bytes;

    #[test]
    fn partners_differ_in_one_bit_and_rounds_wait_for_both_messages() {
        let ranks: Vec<HostId> = (0..8).map(HostId).collect();
        let none = ComputeTimes::default();
        let traffic =
            Butterfly { volume: Volume::Message(Bytes(7)) }.generate(&ranks, &none).unwrap();
        assert_eq!(traffic.flows.len(), 3 * 8);
        for (index, flow) in traffic.flows.iter().enumerate() {
            assert_eq!(flow.source.0 ^ flow.destination.0, 1 << (index / 8));
            assert_eq!(flow.start == Start::WHEN_TRIGGERED, index >= 8);
        }
        assert_eq!(traffic.triggers.len(), 2 * 8);
        let both = TriggerKind::All { count: 2 };
        assert!(traffic.triggers.iter().all(|trigger| trigger.kind == both));
        assert_eq!(groups(&traffic, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        let odd = Butterfly { volume: Volume::Message(Bytes(7)) }.generate(&ranks[..6], &none);
        assert_eq!(odd.unwrap_err().quantity, "ranks");
    }
}
