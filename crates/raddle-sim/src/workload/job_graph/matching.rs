//! Which receive belongs to which send, and which nodes are one collective.

use super::error::Mistakes;
use super::{CollectiveOp, Does, JobError, JobGraph};
use raddle_schemes::units::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
        let mut left = if named { Left::default() } else { Left::of(&open, job) };
        for (rank, own) in (0..).zip(&job.ranks) {
            for (place, node) in (0..).zip(&own.nodes) {
                let Does::Recv { from, tag, bytes } = node.does else { continue };
                let key = from.zip(tag).map(|(from, tag)| (rank, from, tag));
                if key.is_some() != named {
                    continue;
                }
                let key = key.or_else(|| left.take(rank, from, tag));
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

/// What receives from any sender, or of any tag, choose from: sends that are left, by what such a receive
/// names, each with the one first that is written first at its rank.
#[derive(Debug, Default)]
struct Left {
    of_receiver: BTreeMap<u32, BTreeSet<(u32, u32, u64)>>,
    of_sender: BTreeMap<(u32, u32), BTreeSet<(u32, u64)>>,
    of_tag: BTreeMap<(u32, u64), BTreeSet<(u32, u32)>>,
}

impl Left {
    /// Of ranks with such receives.
    fn of(open: &Open, job: &JobGraph) -> Self {
        let any = |does: &Does| {
            matches!(does, Does::Recv { from: None, .. } | Does::Recv { tag: None, .. })
        };
        let has: Vec<bool> =
            job.ranks.iter().map(|own| own.nodes.iter().any(|node| any(&node.does))).collect();
        let mut left = Self::default();
        for (&(to, from, tag), sends) in
            open.iter().filter(|((to, ..), _)| has.get(*to as usize) == Some(&true))
        {
            for &(place, _) in sends {
                left.of_receiver.entry(to).or_default().insert((place, from, tag));
                left.of_sender.entry((to, from)).or_default().insert((place, tag));
                left.of_tag.entry((to, tag)).or_default().insert((place, from));
            }
        }
        left
    }

    /// Takes the first send that fits.
    fn take(&mut self, to: u32, from: Option<u32>, tag: Option<u64>) -> Option<(u32, u32, u64)> {
        let (place, from, tag) = match (from, tag) {
            (None, None) => *self.of_receiver.get(&to)?.first()?,
            (Some(from), None) => {
                let (place, tag) = *self.of_sender.get(&(to, from))?.first()?;
                (place, from, tag)
            }
            (None, Some(tag)) => {
                let (place, from) = *self.of_tag.get(&(to, tag))?.first()?;
                (place, from, tag)
            }
            (Some(_), Some(_)) => return None,
        };
        self.of_receiver.get_mut(&to)?.remove(&(place, from, tag));
        self.of_sender.get_mut(&(to, from))?.remove(&(place, tag));
        self.of_tag.get_mut(&(to, tag))?.remove(&(place, from));
        Some((to, from, tag))
    }
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
