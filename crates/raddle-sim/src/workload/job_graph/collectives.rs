//! The sends of one collective of a job: those of the collectives of scenarios, but that each rank
//! begins when it has come to it.

use super::listed::Listed;
use super::matching::Instance;
use super::{CollectiveOp, JobGraph, SendDone};
use crate::workload::collective::ring::go_round;
use crate::workload::collective::volume::Volume;
use crate::workload::graph::{After, End, Graph, Send, StepId};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};

/// The end of a send that its own rank waits for.
pub(super) fn done_end(job: &JobGraph) -> End {
    match job.send_done {
        SendDone::Acked => End::Acked,
        SendDone::Delivered => End::Delivered,
    }
}

/// Messages of a collective among `n` ranks: how many there are, and their bytes.
pub(super) fn messages(op: CollectiveOp, n: u64, bytes: Bytes, channels: u32) -> (u64, u64) {
    if n < 2 {
        return (0, 0);
    }
    let (channels, once) = (u64::from(channels.max(1)), n * (n - 1));
    let rounds = match op {
        CollectiveOp::AllReduce => 2,
        CollectiveOp::Barrier => {
            let sends = n * u64::from((n - 1).ilog2() + 1);
            return (sends, sends);
        }
        CollectiveOp::AllToAll => {
            // A rank keeps its own part.
            let volume = Volume::Size(bytes);
            let parts = (0..n as u32).map(|part| volume.part(part, n as u32).0.max(1));
            return (once, parts.sum::<u64>() * (n - 1));
        }
        _ => 1,
    };
    let parts = (channels * n) as u32;
    let volume = Volume::Size(bytes);
    let whole = if bytes.0 >= u64::from(parts) {
        bytes.0
    } else {
        (0..parts).map(|part| volume.part(part, parts).0.max(1)).sum()
    };
    (rounds * once * channels, whole.saturating_mul(rounds * (n - 1)))
}

/// What each rank waits for before it goes on.
pub(super) struct Ends(pub(super) Vec<Vec<After>>);

/// Adds the sends of a collective among `ranks`, which come to it at `entries`.
pub(super) fn add(
    job: &JobGraph,
    graph: &mut Graph,
    instance: &Instance,
    ranks: &[HostId],
    entries: &[Option<After>],
) -> Ends {
    let mut adding =
        Adding { graph, ranks, entries, done: done_end(job), ends: vec![Vec::new(); ranks.len()] };
    if ranks.len() < 2 {
        return Ends(entries.iter().map(|entry| entry.iter().copied().collect()).collect());
    }
    let volume = Volume::Size(instance.bytes);
    let once = ranks.len() as u32 - 1;
    match instance.op {
        CollectiveOp::AllReduce => adding.rings(volume, 2 * once, job.channels),
        CollectiveOp::ReduceScatter | CollectiveOp::AllGather => {
            adding.rings(volume, once, job.channels);
        }
        CollectiveOp::AllToAll => adding.exchange(volume),
        CollectiveOp::Broadcast => adding.chain(volume, job.channels),
        CollectiveOp::Barrier => adding.barrier(),
    }
    Ends(adding.ends)
}

/// Adds the sends of a list among `ranks`, two at least, which come to the collective at `entries`.
pub(super) fn add_listed(
    job: &JobGraph,
    graph: &mut Graph,
    list: &Listed,
    ranks: &[HostId],
    entries: &[Option<After>],
) -> Ends {
    let done = done_end(job);
    let mut adding = Adding { graph, ranks, entries, done, ends: vec![Vec::new(); ranks.len()] };
    let works = job.style.overhead > Span::ZERO;
    let (mut steps, mut work): (Vec<StepId>, Vec<StepId>) = (Vec::new(), Vec::new());
    let mut sends = vec![false; ranks.len()];
    for send in 0..list.len() {
        let (from, to) = list.ends(send);
        sends[from as usize] = true;
        let waited_for = list.after(send).map(|(before, acked)| {
            After::new(steps[before as usize], if acked { End::Acked } else { End::Delivered })
        });
        let entry = adding.entries[from as usize];
        let mut after: Vec<After> = waited_for.chain(entry).collect();
        if works {
            let turn = list.turn(send).map(|turn| work[turn as usize]);
            after.extend(turn.map(|turn| After::new(turn, End::Delivered)));
            let own = adding.graph.work(job.style.overhead, &after);
            work.push(own);
            after = vec![After::new(own, End::Delivered)];
        }
        let message = adding.message(from, to, list.bytes(send));
        let step = adding.graph.send_after(message, &after);
        steps.push(step);
        adding.sent(from, step);
        adding.received(to, step);
    }
    (0..).zip(sends).filter(|(_, sends)| !sends).for_each(|(rank, _)| adding.comes(rank));
    Ends(adding.ends)
}

struct Adding<'a> {
    graph: &'a mut Graph,
    ranks: &'a [HostId],
    entries: &'a [Option<After>],
    done: End,
    ends: Vec<Vec<After>>,
}

impl Adding<'_> {
    fn n(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn message(&self, from: u32, to: u32, bytes: Bytes) -> Send {
        Send {
            source: self.ranks[from as usize],
            destination: self.ranks[to as usize],
            // There is no packet without a byte.
            bytes: bytes.max(Bytes(1)),
            work: Span::ZERO,
        }
    }

    fn sent(&mut self, from: u32, step: StepId) {
        self.ends[from as usize].push(After::new(step, self.done));
    }

    fn received(&mut self, to: u32, step: StepId) {
        self.ends[to as usize].push(After::new(step, End::Delivered));
    }

    /// A rank that sends nothing has all that is sent to it, maybe before it comes to the collective.
    fn comes(&mut self, rank: u32) {
        self.ends[rank as usize].extend(self.entries[rank as usize]);
    }

    /// As many hops of each chunk, in channels that know nothing of each other.
    fn rings(&mut self, volume: Volume, hops: u32, channels: u32) {
        let (n, channels) = (self.n(), channels.max(1));
        for channel in 0..channels {
            let mut graph = std::mem::take(self.graph);
            let sends = go_round(&mut graph, hops, n, |hop, chunk, last| {
                let (from, to) = ((chunk + hop) % n, (chunk + hop + 1) % n);
                let bytes = volume.part(channel * n + chunk, channels * n);
                let after = last.into_iter().chain(self.entries[from as usize]).collect();
                (self.message(from, to, bytes), after)
            });
            *self.graph = graph;
            for (number, step) in (0..).zip(sends) {
                let (hop, chunk) = (number / n, number % n);
                self.sent((chunk + hop) % n, step);
                if hop + 1 == hops {
                    self.received((chunk + hop + 1) % n, step);
                }
            }
        }
    }

    /// From the first rank to the last, in as many parts as a ring would have.
    fn chain(&mut self, volume: Volume, channels: u32) {
        let (n, parts) = (self.n(), self.n() * channels.max(1));
        for part in 0..parts {
            let mut last = None;
            for from in 0..n - 1 {
                let after: Vec<After> =
                    self.entries[from as usize].into_iter().chain(last).collect();
                let send = self.message(from, from + 1, volume.part(part, parts));
                let step = self.graph.send_after(send, &after);
                last = Some(After::new(step, End::Delivered));
                self.sent(from, step);
                self.received(from + 1, step);
            }
        }
        self.comes(n - 1);
    }

    /// Every rank to every other at once, from the next one on.
    fn exchange(&mut self, volume: Volume) {
        let n = self.n();
        for from in 0..n {
            for to in (1..n).map(|by| (from + by) % n) {
                let send = self.message(from, to, volume.part(to, n));
                let after: Vec<After> = self.entries[from as usize].into_iter().collect();
                let step = self.graph.send_after(send, &after);
                self.sent(from, step);
                self.received(to, step);
            }
        }
    }

    /// Round k tells the rank 2^k further on, when all that came before has been heard of.
    fn barrier(&mut self) {
        let n = self.n();
        let mut heard: Vec<Vec<After>> =
            self.entries.iter().map(|entry| entry.iter().copied().collect()).collect();
        let mut by = 1;
        while by < n {
            let mut next = heard.clone();
            for from in 0..n {
                let to = (from + by) % n;
                let send = self.message(from, to, Bytes(1));
                let step = self.graph.send_after(send, &heard[from as usize]);
                next[to as usize].push(After::new(step, End::Delivered));
                self.sent(from, step);
                self.received(to, step);
            }
            heard = next;
            by *= 2;
        }
    }
}
