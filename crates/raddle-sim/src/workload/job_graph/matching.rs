//! Which receive belongs to which send, and which nodes are one collective.

use super::error::Mistakes;
use super::{CollectiveOp, Does, JobError, JobGraph};
use raddle_schemes::units::Bytes;
use std::collections::{BTreeMap, VecDeque};

/// A node by its rank and its place there.
pub(super) type At = (u32, u32);

/// One collective of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    pub(super) group: u32,
    pub(super) op: CollectiveOp,
    pub(super) bytes: Bytes,
    /// Its node at each rank of the group, in the group's order.
    pub(super) nodes: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Matched {
    /// Each receive with its send, in order of receives.
    pub(super) messages: Vec<(At, At)>,
    pub(super) collectives: Vec<Instance>,
}

/// The sends that no receive has taken: by receiver, sender and tag, each with the first of them first.
type Open = BTreeMap<(u32, u32, u64), VecDeque<(u32, Bytes)>>;

pub(super) fn matched(job: &JobGraph) -> Result<Matched, Vec<JobError>> {
    let mut mistakes = Mistakes::default();
    let messages = messages(job, &mut mistakes);
    let collectives = collectives(job, &mut mistakes);
    mistakes.finish()?;
    Ok(Matched { messages, collectives })
}

/// First come, first served, for each sender and tag. Receives from any sender, or of any tag, take
/// what those leave that name both: of all that fit, the send written first at its rank.
fn messages(job: &JobGraph, mistakes: &mut Mistakes) -> Vec<(At, At)> {
    let mut open = Open::new();
    for (rank, own) in (0..).zip(&job.ranks) {
        for (place, node) in (0..).zip(&own.nodes) {
            if let Does::Send { to, bytes, tag } = node.does {
                open.entry((to, rank, tag)).or_default().push_back((place, bytes));
            }
        }
    }
    let mut messages = Vec::new();
    for named in [true, false] {
        for (rank, own) in (0..).zip(&job.ranks) {
            for (place, node) in (0..).zip(&own.nodes) {
                let Does::Recv { from, tag, bytes } = node.does else { continue };
                let key = from.zip(tag).map(|(from, tag)| (rank, from, tag));
                if key.is_some() != named {
                    continue;
                }
                let key = key.or_else(|| first(&open, rank, from, tag));
                let taken = key.and_then(|key| {
                    let (at, sent) = open.get_mut(&key)?.pop_front()?;
                    Some(((key.1, at), sent))
                });
                let at = (rank, place);
                let Some((send, sent)) = taken else {
                    mistakes.at(
                        job,
                        at,
                        format!("receives {}, and no send is left", from_tag(from, tag)),
                    );
                    continue;
                };
                if let Some(bytes) = bytes.filter(|bytes| *bytes != sent) {
                    let (from, id) = (send.0, job.ranks[send.0 as usize].nodes[send.1 as usize].id);
                    let message = format!(
                        "receives {bytes}, and its send, node {id} of rank {from}, has {sent}"
                    );
                    mistakes.at(job, at, message);
                }
                messages.push((at, send));
            }
        }
    }
    for ((to, from, tag), left) in &open {
        for (place, _) in left {
            let message = format!("sends to rank {to} with tag {tag}, which never receives it");
            mistakes.at(job, (*from, *place), message);
        }
    }
    messages
}

fn first(open: &Open, to: u32, from: Option<u32>, tag: Option<u64>) -> Option<(u32, u32, u64)> {
    let (low, high) = from.map_or((0, u32::MAX), |from| (from, from));
    let fits = open
        .range((to, low, 0)..=(to, high, u64::MAX))
        .filter(|((.., own), left)| !left.is_empty() && tag.is_none_or(|tag| tag == *own));
    fits.min_by_key(|(key, left)| (left[0].0, **key)).map(|(key, _)| *key)
}

fn from_tag(from: Option<u32>, tag: Option<u64>) -> String {
    let from = from.map_or("from any rank".to_owned(), |from| format!("from rank {from}"));
    tag.map_or(from.clone(), |tag| format!("{from} with tag {tag}"))
}

fn collectives(job: &JobGraph, mistakes: &mut Mistakes) -> Vec<Instance> {
    // For each group the nodes of each rank that takes part, in order.
    let mut entered: Vec<BTreeMap<u32, Vec<u32>>> = vec![BTreeMap::new(); job.groups.len()];
    for (rank, own) in (0..).zip(&job.ranks) {
        for (place, node) in (0..).zip(&own.nodes) {
            if let Does::Coll { group, .. } = node.does {
                entered[group as usize].entry(rank).or_default().push(place);
            }
        }
    }
    let mut collectives = Vec::new();
    for ((number, group), entered) in (0..).zip(&job.groups).zip(&entered) {
        let most = entered.values().map(Vec::len).max().unwrap_or(0);
        for k in 0..most {
            let nodes: Vec<Option<u32>> =
                group.ranks.iter().map(|rank| entered.get(rank)?.get(k).copied()).collect();
            let missing: Vec<String> = group
                .ranks
                .iter()
                .zip(&nodes)
                .filter(|(_, node)| node.is_none())
                .map(|(rank, _)| rank.to_string())
                .collect();
            let there = || {
                group.ranks.iter().zip(&nodes).filter_map(|(rank, node)| Some((*rank, (*node)?)))
            };
            let Some(first) = there().next() else { continue };
            if !missing.is_empty() {
                let shown = missing.len().min(8);
                let more = if missing.len() > shown { ", .." } else { "" };
                let message = format!(
                    "collective {} of group `{}` is not entered by rank {}{more}: the run would stall",
                    k + 1,
                    group.name,
                    missing[..shown].join(", "),
                );
                mistakes.at(job, first, message);
                continue;
            }
            let Some((op, bytes)) = what(job, first) else { continue };
            for at in there() {
                let Some((own, size)) = what(job, at) else { continue };
                if (own, size) != (op, bytes) {
                    let message = format!(
                        "collective {} of group `{}` is {own} of {size} here and {op} of {bytes} at rank {}",
                        k + 1,
                        group.name,
                        first.0,
                    );
                    mistakes.at(job, at, message);
                }
            }
            let nodes = nodes.into_iter().flatten().collect();
            collectives.push(Instance { group: number, op, bytes, nodes });
        }
    }
    collectives
}

fn what(job: &JobGraph, (rank, node): At) -> Option<(CollectiveOp, Bytes)> {
    match job.ranks[rank as usize].nodes[node as usize].does {
        Does::Coll { op, bytes, .. } => Some((op, bytes)),
        _ => None,
    }
}
