//! Collective operations as dependency graphs of sends, and the training steps made of them.

pub mod butterfly;
pub mod exchange;
pub mod fsdp;
pub mod placement;
pub mod ring;

use super::graph::Graph;
use super::job::{Collective, Job, Phase};
use super::{Traffic, WorkloadError};

/// The traffic of a graph as one job without a name.
fn job(graph: &Graph, collective: Option<Collective>, phases: Vec<Phase>) -> Traffic {
    let flows = 0..graph.sends();
    let jobs = vec![Job { name: String::new(), flows, collective, phases }];
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
