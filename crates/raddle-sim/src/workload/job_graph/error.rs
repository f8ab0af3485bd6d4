//! What is wrong with a job.

use super::JobGraph;
use std::fmt;

/// A mistake in a job, with the node it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    /// The rank, and the node as its file calls it; `None` for one that is about no single node.
    pub node: Option<(u32, u64)>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some((rank, node)) => write!(f, "rank {rank}, node {node}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for JobError {}

/// The mistakes found, of which the first are kept and the others counted.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    errors: Vec<JobError>,
    more: u64,
}

/// Mistakes that are listed.
const LISTED: usize = 20;

impl Mistakes {
    /// About a node by its place in its rank.
    pub(super) fn at(&mut self, job: &JobGraph, (rank, node): (u32, u32), message: String) {
        let id = job.ranks[rank as usize].nodes[node as usize].id;
        self.add(Some((rank, id)), message);
    }

    pub(super) fn add(&mut self, node: Option<(u32, u64)>, message: String) {
        if self.errors.len() < LISTED {
            self.errors.push(JobError { node, message });
        } else {
            self.more += 1;
        }
    }

    pub(super) fn finish(mut self) -> Result<(), Vec<JobError>> {
        if self.more > 0 {
            let message = format!("{} more mistakes like these", self.more);
            self.errors.push(JobError { node: None, message });
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }
}
