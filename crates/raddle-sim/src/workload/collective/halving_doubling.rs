//! Collectives by recursive halving and doubling (Thakur, Rabenseifner, Gropp, "Optimization of
//! collective communication operations in MPICH", IJHPCA 2005, section 4.5: Rabenseifner's
//! AllReduce).

use super::compute::ComputeTimes;
use super::volume::Volume;
use super::{halves, job};
use crate::workload::graph::{Graph, Send, StepId};
use crate::workload::job::{Collective, Operation};
use crate::workload::{Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// A ReduceScatter halves: ranks exchange half of what they still have with the one whose number
/// differs in the highest bit, then a quarter, until each has its own part. An AllGather doubles:
/// the same backwards. An AllReduce is both. A rank's next round begins when it has received its
/// partner's message and its own has been acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalvingDoubling {
    /// What is done: all but an all-to-all.
    pub operation: Operation,
    /// As many parts as ranks.
    pub volume: Volume,
}

impl HalvingDoubling {
    /// The traffic among these ranks, flows in the order of rounds and then of ranks. Every round is
    /// a step, before which each rank computes.
    ///
    /// # Errors
    /// An empty part, a number of ranks that is not a power of two, or an all-to-all.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        let n = ranks.len() as u32;
        self.volume.check(n)?;
        if n < 2 || !n.is_power_of_two() {
            let fits = "a power of two, from 2, for halving and doubling";
            return Err(WorkloadError::new("ranks", n, fits));
        }
        let (scatters, gathers) = halves(self.operation, "by halving and doubling")?;
        let bits = n.trailing_zeros();
        let down = (0..bits).rev().filter(|_| scatters).map(|bit| (bit, true));
        let up = (0..bits).filter(|_| gathers).map(|bit| (bit, false));
        let mut graph = Graph::default();
        let mut before: Option<(u32, Vec<StepId>)> = None;
        for (round, (bit, halving)) in (0..).zip(down.chain(up)) {
            let distance = 1 << bit;
            let sends = (0..n).map(|rank| {
                let partner = rank ^ distance;
                let after = match &before {
                    None => Vec::new(),
                    Some((last, sends)) => {
                        vec![sends[rank as usize], sends[(rank ^ last) as usize]]
                    }
                };
                // Halving, the partner's half; doubling, all that the rank has.
                let first = (if halving { partner } else { rank }) & !(distance - 1);
                let source = ranks[rank as usize];
                let send = Send {
                    source,
                    destination: ranks[partner as usize],
                    bytes: self.volume.range(first, first + distance, n),
                    work: compute.before(source, round),
                };
                graph.work_and_send(send, &after)
            });
            before = Some((distance, sends.collect()));
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
    use crate::workload::Start;
    use raddle_schemes::units::Bytes;

    fn traffic(operation: Operation, volume: Volume) -> Traffic {
        let ranks: Vec<HostId> = (0..8).map(HostId).collect();
        let both = HalvingDoubling { operation, volume };
        both.generate(&ranks, &ComputeTimes::default()).unwrap()
    }

    #[test]
    fn halves_shrink_and_then_double() {
        let traffic = traffic(Operation::AllReduce, Volume::Message(Bytes(10)));
        let rounds: Vec<(u32, u64)> = traffic
            .flows
            .chunks(8)
            .map(|round| {
                let distance = round[0].source.0 ^ round[0].destination.0;
                assert!(round.iter().all(|f| f.source.0 ^ f.destination.0 == distance));
                assert!(round.iter().all(|flow| flow.bytes == round[0].bytes));
                (distance, round[0].bytes.0)
            })
            .collect();
        assert_eq!(rounds, [(4, 40), (2, 20), (1, 10), (1, 10), (2, 20), (4, 40)]);
        assert_eq!(traffic.jobs[0].collective.unwrap().bytes, Bytes(80));
        let free = traffic.flows.iter().filter(|flow| flow.start != Start::WHEN_TRIGGERED).count();
        assert_eq!(free, 8);
        assert_eq!(groups(&traffic, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn every_rank_gets_every_part_of_a_size_once() {
        let size = Volume::Size(Bytes(1_003));
        for operation in [Operation::ReduceScatter, Operation::AllGather] {
            let traffic = traffic(operation, size);
            assert_eq!(traffic.flows.len(), 3 * 8);
            for (rank, own) in (0..8).zip([126, 126, 126, 125, 125, 125, 125, 125]) {
                let sum = |of: fn(&crate::workload::Flow) -> HostId| -> u64 {
                    traffic.flows.iter().filter(|f| of(f).0 == rank).map(|f| f.bytes.0).sum()
                };
                match operation {
                    Operation::AllGather => assert_eq!(sum(|flow| flow.destination), 1_003 - own),
                    _ => assert_eq!(sum(|flow| flow.source), 1_003 - own),
                }
            }
        }
        let odd = HalvingDoubling { operation: Operation::AllReduce, volume: size };
        let ranks: Vec<HostId> = (0..6).map(HostId).collect();
        let error = odd.generate(&ranks, &ComputeTimes::default()).unwrap_err();
        assert_eq!(error.quantity, "ranks");
    }
}
