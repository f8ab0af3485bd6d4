//! What a rank did over the time of a step.

use super::Kind;
use super::collectives::CollectiveRow;
use super::replay::Replay;
use crate::workload::job_graph::{Does, Node};
use raddle_schemes::units::{Span, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where a rank's time of a step went: all of it adds up to the time of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// It computed, whatever else was under way.
    pub compute: Span,
    /// It did not, and had come to something before its peers; by kind.
    pub peers: [Span; Kind::COUNT],
    /// All had come, and it was not done; by kind.
    pub transfer: [Span; Kind::COUNT],
    /// It had nothing under way: it waited for a message, or had not begun, or was done.
    pub idle: Span,
}

/// A rank in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankRow {
    /// The step.
    pub step: u32,
    /// The rank.
    pub rank: u32,
    /// When the step began, for all ranks.
    pub from: Time,
    /// When it ended, for all ranks.
    pub until: Time,
    /// When the rank was done with it.
    pub end: Time,
    /// Where its time went.
    pub spent: Spent,
    /// For how long others waited in collectives for this rank alone.
    pub waited_for: Span,
}

/// Something under way beside computation.
struct Under {
    from: Time,
    /// When all peers had come.
    all: Time,
    until: Time,
    kind: Kind,
    /// Whether it goes one at a time with computation.
    blocks: bool,
}

impl Spent {
    /// All of it.
    pub fn total(&self) -> Span {
        let exposed = self.peers.iter().chain(&self.transfer).map(|own| own.0).sum::<u64>();
        Span(self.compute.0 + self.idle.0 + exposed)
    }

    /// What was exposed, of one kind: before all had come, and after.
    pub fn exposed(&self, kind: Kind) -> [Span; 2] {
        [self.peers[kind as usize], self.transfer[kind as usize]]
    }
}

/// Every rank in every step, by step; `collectives` are those of the job.
pub fn ranks(replay: &Replay<'_>, collectives: &[CollectiveRow]) -> Vec<RankRow> {
    let steps = replay.steps();
    let count = replay.script.job().ranks.len() as u32;
    let mut rows = Vec::with_capacity(steps.len() * count as usize);
    for (step, own) in (0..).zip(&steps) {
        rows.extend((0..count).map(|rank| RankRow {
            step,
            rank,
            from: own.start,
            until: own.end,
            end: own.start,
            spent: Spent::default(),
            waited_for: Span::ZERO,
        }));
    }
    let at = |step: u32, rank: u32| step as usize * count as usize + rank as usize;
    for rank in 0..count {
        let (busy, under) = life(replay, rank, collectives);
        for (step, spent) in (0..).zip(spent(&steps, &busy, &under)) {
            rows[at(step, rank)].spent = spent;
        }
        for (step, nodes) in (0..).zip(replay.steps_of(rank)) {
            let end = &mut rows[at(step, rank)].end;
            *end = replay.ended(nodes).unwrap_or(*end).max(*end);
        }
    }
    for own in collectives {
        let row = &mut rows[at(own.step, own.last_rank)].waited_for;
        *row = *row + own.waited();
    }
    rows
}

/// When a rank computes, and what else it has under way.
fn life(
    replay: &Replay<'_>,
    rank: u32,
    collectives: &[CollectiveRow],
) -> (Vec<Range<Time>>, Vec<Under>) {
    let nodes = &replay.script.job().ranks[rank as usize].nodes;
    let computes = |own: &&Node| matches!(own.does, Does::Calc(_));
    let units: BTreeSet<u32> = nodes.iter().filter(computes).filter_map(|own| own.unit).collect();
    let (mut busy, mut under) = (Vec::new(), Vec::new());
    for (number, node) in replay.nodes(rank).zip(nodes) {
        let (from, until) = (replay.start(number), replay.end(number));
        if from == until {
            continue;
        }
        let blocks = node.unit.is_some_and(|unit| units.contains(&unit));
        let (all, kind) = match node.does {
            Does::Calc(_) => {
                busy.push(from..until);
                continue;
            }
            Does::Send { .. } => (from, Kind::Send),
            Does::Coll { .. } => {
                let own = replay.script.with(number);
                let Some(own) = own.and_then(|own| collectives.get(own as usize)) else { continue };
                (own.last, own.kind)
            }
            Does::Recv { .. } | Does::Mark(_) => continue,
        };
        under.push(Under { from, all, until, kind, blocks });
    }
    (busy, under)
}

/// Where the time of each step went. Of several things under way that counts which computation waits
/// for by its unit, and else the one that began first.
fn spent(steps: &[Range<Time>], busy: &[Range<Time>], under: &[Under]) -> Vec<Spent> {
    let mut instants: Vec<Time> = steps.iter().flat_map(|step| [step.start, step.end]).collect();
    instants.extend(busy.iter().flat_map(|own| [own.start, own.end]));
    instants.extend(under.iter().flat_map(|own| [own.from, own.all, own.until]));
    instants.sort_unstable();
    instants.dedup();
    let mut begins: Vec<usize> = (0..under.len()).collect();
    begins.sort_by_key(|own| under[*own].from);
    let mut ends = begins.clone();
    ends.sort_by_key(|own| under[*own].until);
    let (mut begins, mut ends) = (begins.into_iter().peekable(), ends.into_iter().peekable());
    let [mut work, mut rest]: [Vec<Time>; 2] =
        [busy.iter().map(|own| own.start).collect(), busy.iter().map(|own| own.end).collect()];
    work.sort_unstable();
    rest.sort_unstable();
    let mut open: BTreeSet<(bool, Time, usize)> = BTreeSet::new();
    let mut all = vec![Spent::default(); steps.len()];
    for (two, at) in instants.windows(2).zip(&instants) {
        while let Some(own) = ends.next_if(|own| under[*own].until <= *at) {
            open.remove(&(!under[own].blocks, under[own].from, own));
        }
        while let Some(own) = begins.next_if(|own| under[*own].from <= *at) {
            if under[own].until > *at {
                open.insert((!under[own].blocks, under[own].from, own));
            }
        }
        let computes =
            work.partition_point(|own| own <= at) > rest.partition_point(|own| own <= at);
        let step = steps.partition_point(|step| step.end <= *at);
        let Some(spent) = all.get_mut(step).filter(|_| steps[step].start <= *at) else { continue };
        let time = two[1].since(two[0]);
        let first = open.first().map(|(.., own)| &under[*own]);
        let sum = match first {
            _ if computes => &mut spent.compute,
            Some(own) if *at < own.all => &mut spent.peers[own.kind as usize],
            Some(own) => &mut spent.transfer[own.kind as usize],
            None => &mut spent.idle,
        };
        *sum = *sum + time;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: u64, until: u64) -> Range<Time> {
        Time(from)..Time(until)
    }

    #[test]
    fn what_is_hidden_by_computation_is_not_exposed() {
        let under = |from, all, until, kind, blocks| Under {
            from: Time(from),
            all: Time(all),
            until: Time(until),
            kind,
            blocks,
        };
        let own = [
            under(5, 12, 30, Kind::Data, false),
            under(20, 24, 28, Kind::Tensor, true),
            under(32, 32, 34, Kind::Send, false),
        ];
        let busy = [range(0, 8), range(4, 10), range(26, 27)];
        let steps = [range(0, 16), range(16, 40)];
        let spent = spent(&steps, &busy, &own);
        let mut first = Spent { compute: Span(10), ..Spent::default() };
        first.peers[Kind::Data as usize] = Span(2);
        first.transfer[Kind::Data as usize] = Span(4);
        assert_eq!(spent[0], first);
        let mut second = Spent { compute: Span(1), idle: Span(8), ..Spent::default() };
        second.peers[Kind::Tensor as usize] = Span(4);
        second.transfer[Kind::Tensor as usize] = Span(3);
        second.transfer[Kind::Data as usize] = Span(6);
        second.transfer[Kind::Send as usize] = Span(2);
        assert_eq!(spent[1], second);
        assert_eq!(spent.iter().map(|own| own.total().0).sum::<u64>(), 40);
    }
}
