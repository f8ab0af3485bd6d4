//! AllToAll among ranks.

use super::compute::ComputeTimes;
use super::volume::Volume;
use crate::workload::all_to_all::{AllToAll, Order};
use crate::workload::job::{Collective, Job, Operation};
use crate::workload::{Start, Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// An all-to-all among ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// As many parts as ranks: what each sends to each. That to itself is part of the size, as in
    /// nccl-tests.
    pub volume: Volume,
    /// See [`AllToAll::order`].
    pub order: Order,
    /// See [`AllToAll::in_flight`].
    pub in_flight: Option<u32>,
}

impl Exchange {
    /// Whether the limit on messages in flight can be one among so many ranks.
    ///
    /// # Errors
    /// Those of [`AllToAll::check`], and an empty part.
    pub fn check(&self, ranks: u32) -> Result<(), WorkloadError> {
        self.volume.check(ranks)?;
        self.among(ranks).check(ranks)
    }

    fn among(&self, ranks: u32) -> AllToAll {
        let Self { volume, order, in_flight } = *self;
        AllToAll { message: volume.largest(ranks), order, in_flight }
    }

    /// The traffic among these ranks; `seed` draws random orders. It is one step: each rank computes
    /// before its first messages.
    ///
    /// # Errors
    /// Those of [`AllToAll::generate`], and an empty part.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
        seed: u64,
    ) -> Result<Traffic, WorkloadError> {
        let n = ranks.len() as u32;
        self.volume.check(n)?;
        let mut traffic = self.among(n).generate(n, seed)?;
        for flow in &mut traffic.flows {
            flow.bytes = self.volume.part(flow.destination.0, n);
            flow.source = ranks[flow.source.index()];
            flow.destination = ranks[flow.destination.index()];
            if let Start::At(at) = &mut flow.start {
                *at += compute.before(flow.source, 0);
            }
        }
        let bytes = self.volume.all(n);
        let collective = Some(Collective { operation: Operation::AllToAll, ranks: n, bytes });
        traffic.jobs = vec![Job { collective, ..Job::new("", 0..traffic.flows.len() as u32) }];
        Ok(traffic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::units::Bytes;

    #[test]
    fn ranks_exchange_where_they_are_placed() {
        let ranks = [7, 3, 5].map(HostId);
        let volume = Volume::Message(Bytes(9));
        let exchange = Exchange { volume, order: Order::Shifted, in_flight: Some(1) };
        let traffic = exchange.generate(&ranks, &ComputeTimes::default(), 1).unwrap();
        let ends: Vec<_> = traffic.flows.iter().map(|f| (f.source.0, f.destination.0)).collect();
        assert_eq!(ends, [(7, 3), (7, 5), (3, 5), (3, 7), (5, 7), (5, 3)]);
        assert_eq!(traffic.jobs[0].collective.unwrap().bytes, Bytes(27));
    }
}
