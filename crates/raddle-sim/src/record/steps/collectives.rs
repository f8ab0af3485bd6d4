//! When ranks came to the collectives of a job, and whom the others waited for.

use super::Kind;
use super::replay::Replay;
use crate::workload::job::{Collective, Operation};
use crate::workload::job_graph::{CollectiveOp, Part};
use raddle_schemes::units::{Bytes, Span, Time};

/// A collective of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveRow {
    /// Its number.
    pub number: u32,
    /// Of which step it is.
    pub step: u32,
    /// What is done.
    pub op: CollectiveOp,
    /// Its group's name.
    pub group: String,
    /// What the group is for.
    pub kind: Kind,
    /// How many take part.
    pub ranks: u32,
    /// Its size, as nccl-tests counts it.
    pub bytes: Bytes,
    /// How its messages go.
    pub algorithm: &'static str,
    /// Into how many parts it is cut.
    pub channels: u32,
    /// When the first rank had come to it.
    pub first: Time,
    /// When the last but one had.
    pub second_last: Time,
    /// When the last had.
    pub last: Time,
    /// Which rank that was; of several the lowest.
    pub last_rank: u32,
    /// When the last rank was done with it.
    pub end: Time,
}

impl CollectiveRow {
    fn of(replay: &Replay<'_>, number: u32, step: u32) -> Self {
        let part: Part<'_> = replay.script.collective(number);
        let nodes: Vec<u32> = replay.nodes_of(&part).collect();
        let ranks = part.ranks.iter().copied();
        let mut came: Vec<(Time, u32)> =
            nodes.iter().map(|node| replay.start(*node)).zip(ranks).collect();
        came.sort_unstable();
        let last = came.last().map_or(replay.begin, |(at, _)| *at);
        let late = came.iter().find(|(at, _)| *at == last);
        let before = came.len().checked_sub(2).map_or(last, |own| came[own].0);
        Self {
            number,
            step,
            op: part.op(),
            group: part.name.to_owned(),
            kind: Kind::of_group(part.name),
            ranks: part.ranks.len() as u32,
            bytes: part.bytes(),
            algorithm: part.sends.algorithm(),
            channels: part.sends.channels(),
            first: came.first().map_or(last, |(at, _)| *at),
            second_last: before,
            last,
            last_rank: late.map_or(0, |(_, rank)| *rank),
            end: nodes.iter().map(|node| replay.end(*node)).max().unwrap_or(last),
        }
    }

    /// How long the others waited for the last rank alone.
    pub fn waited(&self) -> Span {
        self.last.since(self.second_last)
    }

    /// Its size over the time since an instant, and that times its bus factor, in GB/s (10^9 bytes);
    /// `None` of what nccl-tests does not know, and where there was no time.
    pub fn bandwidths_gb_s(&self, since: Time) -> Option<[f64; 2]> {
        let operation = Operation::ALL.iter().find(|own| own.word() == self.op.word())?;
        let (ranks, bytes) = (self.ranks, self.bytes);
        let own = Collective { operation: *operation, ranks, bytes };
        let ps = self.end.since(since).0;
        let algorithm = bytes.0 as f64 * 1e3 / ps as f64;
        (ps > 0).then(|| [algorithm, algorithm * own.bus_factor()])
    }
}

/// Every collective of a job, in the order of their numbers.
pub fn collectives(replay: &Replay<'_>) -> Vec<CollectiveRow> {
    let row = |number| {
        let part = replay.script.collective(number);
        let first = part.ranks.first().zip(part.nodes().first());
        let step = first.map_or(0, |(rank, node)| {
            let steps = &replay.script.job().ranks[*rank as usize].steps;
            steps.partition_point(|begin| begin <= node).saturating_sub(1) as u32
        });
        CollectiveRow::of(replay, number, step)
    };
    (0..replay.script.collectives()).map(row).collect()
}
