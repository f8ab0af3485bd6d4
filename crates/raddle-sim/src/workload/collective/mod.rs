//! Collective operations as dependency graphs of sends, and the training steps made of them.

pub mod butterfly;
pub mod compute;
pub mod direct;
pub mod exchange;
pub mod fsdp;
pub mod halving_doubling;
pub mod placement;
pub mod ring;
pub mod tree;
pub mod volume;

use super::graph::Graph;
use super::job::{Collective, Job, Operation, Phase};
use super::{Traffic, WorkloadError};

/// The traffic of a graph as one job without a name.
fn job(graph: &Graph, collective: Option<Collective>, phases: Vec<Phase>) -> Traffic {
    let jobs = vec![Job { collective, phases, ..Job::new("", 0..graph.sends()) }];
    Traffic { jobs, ..graph.traffic() }
}

/// Flow numbers have 32 bits, and a graph is not to fill the memory.
const MOST_SENDS: u64 = 1 << 26;

fn check_sends(quantity: &'static str, found: u64, sends: u64) -> Result<(), WorkloadError> {
    if sends > MOST_SENDS {
        let fits = format!("fewer: {sends} messages are more than {MOST_SENDS}");
        return Err(WorkloadError::new(quantity, found, fits));
    }
    Ok(())
}

/// Whether an operation scatters, and whether it gathers: the halves of an AllReduce.
fn halves(operation: Operation, how: &str) -> Result<(bool, bool), WorkloadError> {
    match operation {
        Operation::AllReduce => Ok((true, true)),
        Operation::ReduceScatter => Ok((true, false)),
        Operation::AllGather => Ok((false, true)),
        Operation::AllToAll => {
            let fits = format!("all_reduce, reduce_scatter or all_gather {how}");
            Err(WorkloadError::new("operation", "all_to_all", fits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_send_more_than_fit_is_an_error() {
        assert!(check_sends("ranks", 8192, MOST_SENDS).is_ok());
        let error = check_sends("ranks", 8193, MOST_SENDS + 1).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("67108865 messages are more than 67108864")));
    }
}
