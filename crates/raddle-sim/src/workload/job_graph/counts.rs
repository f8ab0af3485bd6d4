//! What there is in a job, counted without a network.

use super::matching::Matched;
use super::{CollectiveOp, Compiled, Does, JobGraph, Point, collectives};
use raddle_schemes::units::{Bytes, Span};
use std::collections::BTreeMap;

/// What a job comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ranks.
    pub ranks: u64,
    /// Nodes of all ranks.
    pub nodes: u64,
    /// Work.
    pub calcs: u64,
    /// The time of all work together.
    pub calc_time: Span,
    /// Messages between ranks, without those of collectives.
    pub sends: u64,
    /// Receives.
    pub recvs: u64,
    /// Parts in collectives.
    pub colls: u64,
    /// Named instants.
    pub marks: u64,
    /// Edges from the end of a node.
    pub edges: u64,
    /// Edges from the start of a node.
    pub start_edges: u64,
    /// Nodes that wait for nothing but their unit.
    pub roots: u64,
    /// The bytes of the messages.
    pub send_bytes: u64,
    /// The collectives, by operation and by how many take part.
    pub collectives: Vec<CollectiveCount>,
}

/// Collectives that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveCount {
    /// What they do.
    pub op: CollectiveOp,
    /// How many take part in each.
    pub ranks: u64,
    /// How many there are.
    pub count: u64,
    /// Their sizes together, as nccl-tests counts them.
    pub bytes: u64,
    /// The messages that they are made of.
    pub sends: u64,
    /// The bytes of these.
    pub send_bytes: u64,
}

impl Compiled {
    /// Counts the job.
    pub fn counts(&self, job: &JobGraph) -> Counts {
        Counts { collectives: self.matched.counted(job), ..job.counts() }
    }
}

impl JobGraph {
    /// The largest message: of a collective at most its size.
    pub fn largest(&self) -> Bytes {
        let nodes = self.ranks.iter().flat_map(|rank| &rank.nodes);
        let bytes = nodes.filter_map(|node| match node.does {
            Does::Send { bytes, .. } => Some(bytes),
            Does::Coll { group, bytes, .. } => {
                let ranks = self.groups.get(group as usize)?.ranks.len() as u64;
                let parts = ranks.max(1) * u64::from(self.channels.max(1));
                Some(Bytes(bytes.0.div_ceil(parts)))
            }
            _ => None,
        });
        bytes.max().unwrap_or_default().max(Bytes(1))
    }

    /// Counts the nodes and edges of the job, without its collectives.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { ranks: self.ranks.len() as u64, ..Counts::default() };
        for rank in &self.ranks {
            for node in &rank.nodes {
                counts.nodes += 1;
                let after = rank.after(node);
                counts.roots += u64::from(after.is_empty());
                let starts = after.iter().filter(|edge| edge.point == Point::Start).count() as u64;
                counts.start_edges += starts;
                counts.edges += after.len() as u64 - starts;
                match &node.does {
                    Does::Calc(time) => {
                        counts.calcs += 1;
                        counts.calc_time = Span(counts.calc_time.0.saturating_add(time.0));
                    }
                    Does::Send { bytes, .. } => {
                        counts.sends += 1;
                        counts.send_bytes = counts.send_bytes.saturating_add(bytes.0);
                    }
                    Does::Recv { .. } => counts.recvs += 1,
                    Does::Coll { .. } => counts.colls += 1,
                    Does::Mark(_) => counts.marks += 1,
                }
            }
        }
        counts
    }
}

impl Matched {
    fn counted(&self, job: &JobGraph) -> Vec<CollectiveCount> {
        let mut counted: BTreeMap<(usize, u64), CollectiveCount> = BTreeMap::new();
        for instance in &self.collectives {
            let (op, ranks) = (instance.op, instance.nodes.len() as u64);
            let order = CollectiveOp::ALL.iter().position(|known| *known == op).unwrap_or(0);
            let (sends, send_bytes) =
                collectives::messages(op, ranks, instance.bytes, job.channels);
            let zero = CollectiveCount { op, ranks, count: 0, bytes: 0, sends: 0, send_bytes: 0 };
            let own = counted.entry((order, ranks)).or_insert(zero);
            own.count += 1;
            own.bytes = own.bytes.saturating_add(instance.bytes.0);
            own.sends += sends;
            own.send_bytes = own.send_bytes.saturating_add(send_bytes);
        }
        counted.into_values().collect()
    }
}
