//! What there is in a job, counted without a network.

use super::matching::{Instance, Matched};
use super::{CollectiveOp, Compiled, Does, JobGraph, Listed, Point, collectives};
use raddle_schemes::ids::HostId;
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
    /// Where rank r is GPU r of servers: which way they go.
    pub ways: Option<Ways>,
}

/// Messages by the way that they go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Within a server.
    pub inside: u64,
    /// To another server, on one rail.
    pub on_rails: u64,
    /// To another rail.
    pub across: u64,
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

/// Messages of a collective, their bytes and their ways, where rank r is host r.
fn listed(job: &JobGraph, instance: &Instance) -> (u64, u64, Ways) {
    let hosts: Vec<HostId> =
        job.groups[instance.group as usize].ranks.iter().copied().map(HostId).collect();
    let list = Listed::of(&job.style, instance.op, instance.bytes, job.channels, &hosts);
    let gpus = job.style.gpus.max(1);
    let (mut bytes, mut ways) = (0, Ways::default());
    for send in 0..list.len() {
        let (from, to) = list.ends(send);
        let [from, to] = [from, to].map(|place| hosts[place as usize].0);
        bytes += list.bytes(send).0;
        let own = if from / gpus == to / gpus {
            &mut ways.inside
        } else if from % gpus == to % gpus {
            &mut ways.on_rails
        } else {
            &mut ways.across
        };
        *own += 1;
    }
    (list.len().into(), bytes, ways)
}

impl Matched {
    fn counted(&self, job: &JobGraph) -> Vec<CollectiveCount> {
        let mut counted: BTreeMap<(usize, u64), CollectiveCount> = BTreeMap::new();
        let mut known: BTreeMap<(u32, usize, Bytes), (u64, u64, Ways)> = BTreeMap::new();
        for instance in &self.collectives {
            let (op, ranks) = (instance.op, instance.nodes.len() as u64);
            let order = CollectiveOp::ALL.iter().position(|known| *known == op).unwrap_or(0);
            let is_plain = job.style.is_plain() || ranks < 2;
            let (sends, send_bytes, ways) = if is_plain {
                let all = collectives::messages(op, ranks, instance.bytes, job.channels);
                (all.0, all.1, None)
            } else {
                let key = (instance.group, order, instance.bytes);
                let own = *known.entry(key).or_insert_with(|| listed(job, instance));
                (own.0, own.1, (job.style.gpus > 0).then_some(own.2))
            };
            let (count, bytes) = (0, 0);
            let zero =
                CollectiveCount { op, ranks, count, bytes, sends: 0, send_bytes: 0, ways: None };
            let own = counted.entry((order, ranks)).or_insert(zero);
            own.count += 1;
            own.bytes = own.bytes.saturating_add(instance.bytes.0);
            own.sends += sends;
            own.send_bytes = own.send_bytes.saturating_add(send_bytes);
            if let Some(ways) = ways {
                let all = own.ways.get_or_insert_default();
                all.inside += ways.inside;
                all.on_rails += ways.on_rails;
                all.across += ways.across;
            }
        }
        counted.into_values().collect()
    }
}
