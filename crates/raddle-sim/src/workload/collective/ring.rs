//! Collectives on a ring: every rank sends to the next one.

use super::compute::ComputeTimes;
use super::volume::Volume;
use super::{check_sends, halves, job};
use crate::workload::graph::{After, End, Graph, Send, StepId};
use crate::workload::job::{Collective, Operation};
use crate::workload::{Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// As many chunks as ranks go round the ring, each a chain of hops of which one waits for the
/// delivery of the one before. Chunks do not wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// What is done: all but an all-to-all.
    pub operation: Operation,
    /// As many parts as ranks: each is a chunk.
    pub volume: Volume,
    /// Hops of each chunk; `None` for as many as the operation needs.
    pub hops: Option<u32>,
}

impl Ring {
    /// The traffic among these ranks, flows in the order of hops and then of chunks. The chunk
    /// with number c starts at rank c. Every hop is a step, before which its sender computes.
    ///
    /// # Errors
    /// An empty message, no hops, too many messages, or an all-to-all.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        let n = ranks.len() as u32;
        self.volume.check(n)?;
        let once = n.saturating_sub(1);
        let (scatters, gathers) = halves(self.operation, "on a ring")?;
        let needed = once * (u32::from(scatters) + u32::from(gathers));
        let hops = self.hops.unwrap_or(needed);
        if hops == 0 {
            return Err(WorkloadError::new("hops", 0, "at least 1"));
        }
        check_sends("hops", hops.into(), u64::from(hops) * u64::from(n))?;
        let mut graph = Graph::default();
        go_round(&mut graph, hops, n, |hop, chunk, last| {
            let rank = |hop: u32| ranks[((chunk + hop) % n) as usize];
            let (source, destination) = (rank(hop), rank(hop + 1));
            let work = compute.before(source, hop);
            let send = Send { source, destination, bytes: self.volume.part(chunk, n), work };
            (send, last.into_iter().collect())
        });
        let bytes = self.volume.all(n);
        // With fewer hops it is not the operation, and has no bandwidth.
        let whole = hops >= needed;
        let collective = Collective { operation: self.operation, ranks: n, bytes };
        Ok(job(&graph, whole.then_some(collective), Vec::new()))
    }
}

/// Hops of `n` chunks, the first of each, then the second and so on: `hop` is told its number, its
/// chunk and the delivery of the hop before, and says what is sent after what. Gives all sends.
pub(crate) fn go_round(
    graph: &mut Graph,
    hops: u32,
    n: u32,
    mut hop: impl FnMut(u32, u32, Option<After>) -> (Send, Vec<After>),
) -> Vec<StepId> {
    let mut sends: Vec<StepId> = Vec::with_capacity(hops as usize * n as usize);
    for number in 0..hops {
        for chunk in 0..n {
            let before = sends.len().checked_sub(n as usize).map(|before| sends[before]);
            let before = before.map(|step| After::new(step, End::Delivered));
            let (send, after) = hop(number, chunk, before);
            sends.push(graph.send_after(send, &after));
        }
    }
    sends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;
    use crate::workload::Start;
    use raddle_schemes::units::Bytes;

    fn ring(operation: Operation, hops: Option<u32>) -> Traffic {
        let ranks = [3, 1, 2].map(HostId);
        Ring { operation, volume: Volume::Message(Bytes(100)), hops }
            .generate(&ranks, &ComputeTimes::default())
            .unwrap()
    }

    #[test]
    fn chunks_go_round_hop_by_hop() {
        let traffic = ring(Operation::AllReduce, None);
        assert_eq!(traffic.flows.len(), 3 * 4);
        let ends = |flow: usize| (traffic.flows[flow].source.0, traffic.flows[flow].destination.0);
        // Chunk 1 starts at host 1.
        assert_eq!([1, 4, 7, 10].map(ends), [(1, 2), (2, 3), (3, 1), (1, 2)]);
        let fired = traffic.flows[1].on_delivered.unwrap();
        assert_eq!(traffic.triggers[fired.index()].targets[0].0, 4);
        let first = traffic.flows.iter().filter(|flow| flow.start != Start::WHEN_TRIGGERED).count();
        assert_eq!(first, 3);
        assert_eq!(groups(&traffic, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn a_half_takes_half_the_hops_and_more_can_be_asked_for() {
        assert_eq!(ring(Operation::ReduceScatter, None).flows.len(), 3 * 2);
        assert_eq!(ring(Operation::AllGather, None).flows.len(), 3 * 2);
        let longer = ring(Operation::AllReduce, Some(5));
        assert_eq!(longer.flows.len(), 3 * 5);
        assert_eq!(longer.jobs[0].collective.unwrap().bytes, Bytes(300));
        assert_eq!(ring(Operation::AllReduce, Some(3)).jobs[0].collective, None);
    }

    #[test]
    fn impossible_rings_are_refused() {
        let refuse = |operation, hops| {
            let ring = Ring { operation, volume: Volume::Message(Bytes(1)), hops: Some(hops) };
            ring.generate(&[0, 1].map(HostId), &ComputeTimes::default()).unwrap_err().quantity
        };
        assert_eq!(refuse(Operation::AllReduce, 0), "hops");
        assert_eq!(refuse(Operation::AllReduce, (1 << 25) + 1), "hops");
        assert_eq!(refuse(Operation::AllToAll, 1), "operation");
    }
}
