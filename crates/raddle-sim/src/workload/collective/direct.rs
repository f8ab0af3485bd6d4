//! Collectives in which every rank sends to every other at once.

use super::compute::ComputeTimes;
use super::volume::Volume;
use super::{check_sends, halves, job};
use crate::workload::graph::{Graph, Send, StepId};
use crate::workload::job::{Collective, Operation};
use crate::workload::{Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// A ReduceScatter sends each part to the rank that sums it up, an AllGather each rank's part to all
/// others. An AllReduce is both: a rank sends its sum when it has all parts of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direct {
    /// What is done: all but an all-to-all.
    pub operation: Operation,
    /// As many parts as ranks.
    pub volume: Volume,
}

impl Direct {
    /// Whether so many ranks can do it.
    ///
    /// # Errors
    /// Those of [`Direct::generate`].
    pub fn check(&self, ranks: u32) -> Result<(), WorkloadError> {
        self.volume.check(ranks)?;
        if ranks < 2 {
            return Err(WorkloadError::new("ranks", ranks, "at least 2"));
        }
        let (scatters, gathers) = halves(self.operation, "at once")?;
        let steps = u64::from(scatters) + u64::from(gathers);
        check_sends("ranks", ranks.into(), steps * u64::from(ranks) * u64::from(ranks - 1))
    }

    /// The traffic among these ranks, flows in the order of steps, ranks and receivers, which a rank
    /// serves from the next one on. Each of the two halves is a step, before which each rank
    /// computes.
    ///
    /// # Errors
    /// An empty part, fewer than 2 ranks, too many messages, or an all-to-all.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        let n = ranks.len() as u32;
        self.check(n)?;
        let mut graph = Graph::default();
        // What each rank has to wait for.
        let mut arriving: Vec<Vec<StepId>> = vec![Vec::new(); ranks.len()];
        let (scatters, gathers) = halves(self.operation, "at once")?;
        let steps = [scatters.then_some(true), gathers.then_some(false)].into_iter().flatten();
        for (step, scatters) in (0..).zip(steps) {
            let before = std::mem::replace(&mut arriving, vec![Vec::new(); ranks.len()]);
            for (rank, after) in (0..n).zip(&before) {
                let summed = (!after.is_empty()).then(|| graph.join(after));
                let source = ranks[rank as usize];
                let work = compute.before(source, step);
                for other in (1..n).map(|by| (rank + by) % n) {
                    let part = if scatters { other } else { rank };
                    let bytes = self.volume.part(part, n);
                    let destination = ranks[other as usize];
                    let send = Send { source, destination, bytes, work };
                    let own = graph.work_and_send(send, summed.as_slice());
                    arriving[other as usize].push(own);
                }
            }
        }
        let operation = self.operation;
        let collective = Collective { operation, ranks: n, bytes: self.volume.all(n) };
        Ok(job(&graph, Some(collective), Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;
    use crate::workload::{Start, TriggerKind};
    use raddle_schemes::units::Bytes;

    fn direct(operation: Operation, volume: Volume) -> Traffic {
        let ranks: Vec<HostId> = (0..5).map(HostId).collect();
        Direct { operation, volume }.generate(&ranks, &ComputeTimes::default()).unwrap()
    }

    #[test]
    fn a_rank_sends_its_sum_when_it_has_all_parts_of_it() {
        let traffic = direct(Operation::AllReduce, Volume::Message(Bytes(9)));
        assert_eq!(traffic.flows.len(), 2 * 20);
        for (index, flow) in traffic.flows.iter().enumerate() {
            assert_eq!(flow.start == Start::WHEN_TRIGGERED, index >= 20);
        }
        assert_eq!(traffic.triggers.len(), 5);
        for trigger in &traffic.triggers {
            assert_eq!((trigger.kind, trigger.targets.len()), (TriggerKind::All { count: 4 }, 4));
        }
        assert_eq!(groups(&traffic, 5), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn parts_of_a_size_go_where_they_belong() {
        let size = Volume::Size(Bytes(13));
        let scatter = direct(Operation::ReduceScatter, size);
        let of = |part: u32| if part < 3 { Bytes(3) } else { Bytes(2) };
        assert!(scatter.flows.iter().all(|flow| flow.bytes == of(flow.destination.0)));
        let gather = direct(Operation::AllGather, size);
        assert!(gather.flows.iter().all(|flow| flow.bytes == of(flow.source.0)));
        assert_eq!(gather.jobs[0].collective.unwrap().bytes, Bytes(13));
    }
}
