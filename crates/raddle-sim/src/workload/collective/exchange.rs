//! AllToAll among ranks.

use super::compute::ComputeTimes;
use crate::workload::all_to_all::AllToAll;
use crate::workload::job::{Collective, Job, Operation};
use crate::workload::{Start, Traffic, WorkloadError};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;

/// The traffic of [`AllToAll`] among these ranks, as a job without a name; `seed` draws random
/// orders. It is one step: each rank computes before its first messages.
///
/// # Errors
/// Those of [`AllToAll::generate`].
pub fn all_to_all(
    exchange: &AllToAll,
    ranks: &[HostId],
    compute: &ComputeTimes,
    seed: u64,
) -> Result<Traffic, WorkloadError> {
    let n = ranks.len() as u32;
    let mut traffic = exchange.generate(n, seed)?;
    for flow in &mut traffic.flows {
        flow.source = ranks[flow.source.index()];
        flow.destination = ranks[flow.destination.index()];
        if let Start::At(at) = &mut flow.start {
            *at += compute.before(flow.source, 0);
        }
    }
    // A rank's message to itself is part of the size, as in nccl-tests.
    let bytes = Bytes(exchange.message.0 * u64::from(n));
    traffic.jobs = vec![Job {
        name: String::new(),
        flows: 0..traffic.flows.len() as u32,
        collective: Some(Collective { operation: Operation::AllToAll, ranks: n, bytes }),
        phases: Vec::new(),
    }];
    Ok(traffic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::all_to_all::Order;

    #[test]
    fn ranks_exchange_where_they_are_placed() {
        let ranks = [7, 3, 5].map(HostId);
        let exchange = AllToAll { message: Bytes(9), order: Order::Shifted, in_flight: Some(1) };
        let traffic = all_to_all(&exchange, &ranks, &ComputeTimes::default(), 1).unwrap();
        let ends: Vec<_> = traffic.flows.iter().map(|f| (f.source.0, f.destination.0)).collect();
        assert_eq!(ends, [(7, 3), (7, 5), (3, 5), (3, 7), (5, 7), (5, 3)]);
        assert_eq!(traffic.jobs[0].collective.unwrap().bytes, Bytes(27));
    }
}
