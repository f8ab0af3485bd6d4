//! How collectives become messages: by which algorithm, in which chunks, over which rails.

use super::{CollectiveOp, collectives, listed};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Rate, Span};
use std::collections::BTreeMap;

/// What is said of all collectives of a job, beside the number of channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// GPUs of a server, which are so many hosts that are neighbours by number: GPU i of each has the NIC
    /// on rail i. 0 where each is alone.
    pub gpus: u32,
    /// How messages get from server to server.
    pub rails: Rails,
    /// Whether each message that a server hands to the GPU of a rail goes on by itself, in an all-to-all;
    /// else those for one receiver go on as one.
    pub apart: bool,
    /// What a message of a ring or a tree is cut into, [`WHOLE`] for nothing; `None` for whole messages on
    /// rings, and for [`TREE_CHUNK`] in trees.
    pub chunk: Option<Bytes>,
    /// How the algorithm of an all-reduce is chosen.
    pub choice: Choice,
    /// What a byte takes on the way.
    pub protocol: Protocol,
    /// What a sender does before each message to one receiver, one after the other.
    pub overhead: Span,
}

/// A chunk that no message is larger than.
pub const WHOLE: Bytes = Bytes(u64::MAX);

/// Steps that are under way to one receiver on one channel at most: those of NCCL's buffer.
const STEPS: u64 = 8;

/// What a step takes: NCCL's buffer has 4 MiB in eight steps.
const STEP: Bytes = Bytes(4 * (1 << 20) / STEPS);

/// Chunks in trees, unless they are said: NCCL's 2 MiB, which are four steps of its buffer.
pub const TREE_CHUNK: Bytes = Bytes(4 * STEP.0);

/// How many chunks are under way to one receiver on one channel at most. A chunk takes whole steps: one of
/// 2 MiB takes four of the eight, so that there are two of them; one of more than the buffer goes alone.
pub fn outstanding(chunk: Bytes) -> u32 {
    (STEPS / chunk.0.div_ceil(STEP.0).max(1)).max(1) as u32
}

/// What of its bandwidth a pair of trees has, as NCCL reckons: 92 of 100.
const TREE_EFFICIENCY: f64 = 0.92;

raddle_schemes::words! {
    /// How messages get from server to server.
    #[derive(Default)]
    pub enum Rails {
        /// Handed to the GPU of the server whose NIC is on the receiver's rail, which sends them on.
        #[default]
        Pxn = "pxn",
        /// A ring enters servers in turn by its own rail and by the one beside it, and leaves by the other.
        Alternate = "alternate",
        /// By the sender's own NIC, into the receiver's rail.
        Cross = "cross",
    }
}

raddle_schemes::words! {
    /// An algorithm of all-reduces.
    #[derive(Default)]
    pub enum Algorithm {
        /// Rings.
        #[default]
        Ring = "ring",
        /// Two binary trees over servers, chains within.
        DoubleTree = "double_tree",
    }
}

raddle_schemes::words! {
    /// What a byte takes on the way.
    #[derive(Default)]
    pub enum Protocol {
        /// A byte.
        #[default]
        Simple = "simple",
        /// Two: a flag of 4 B beside each 4 B.
        Ll = "ll",
        /// 128 for 120.
        Ll128 = "ll128",
    }
}

impl Protocol {
    /// What so many bytes are on the way.
    pub fn on_wire(self, bytes: Bytes) -> Bytes {
        match self {
            Self::Simple => bytes,
            Self::Ll => Bytes(bytes.0.saturating_mul(2)),
            Self::Ll128 => Bytes(bytes.0.saturating_mul(16).div_ceil(15)),
        }
    }
}

/// How the algorithm of an all-reduce is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// One for all.
    One(Algorithm),
    /// The one that takes less time by NCCL's model.
    Auto(Model),
    /// By size: up to which, if not for all that are larger.
    BySize(Vec<(Option<Bytes>, Algorithm)>),
}

impl Default for Choice {
    fn default() -> Self {
        Self::One(Algorithm::Ring)
    }
}

/// What the times of rings and trees are reckoned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What each step takes beside its bytes.
    pub alpha: Span,
    /// What the slowest NIC sends.
    pub rate: Rate,
}

impl Model {
    /// The times of a ring and of a pair of trees that have so much of the bandwidth of `nics`, in ps:
    /// 2 (n - 1) and twice log2 n steps, and 2 (n - 1) / n or twice the size.
    fn times(&self, n: u32, nics: u32, size: Bytes, efficiency: f64) -> [f64; 2] {
        let (n, alpha) = (f64::from(n), self.alpha.0 as f64);
        let bytes = size.0 as f64 * 8e12 / (self.rate.0 as f64 * f64::from(nics.max(1)));
        let ring = 2.0 * (n - 1.0) * (alpha + bytes / n);
        [ring, 2.0 * n.log2().ceil() * alpha + 2.0 * bytes / efficiency]
    }

    /// Which takes less for an all-reduce among `n` ranks by so many NICs of each server.
    pub fn choose(&self, n: u32, nics: u32, size: Bytes) -> Algorithm {
        let [ring, tree] = self.times(n, nics, size, TREE_EFFICIENCY);
        if tree < ring { Algorithm::DoubleTree } else { Algorithm::Ring }
    }
}

impl Choice {
    /// The algorithm of a collective among `n` ranks, whose channels use so many NICs of each server: only
    /// an all-reduce has a choice.
    pub fn of(&self, op: CollectiveOp, n: u32, nics: u32, size: Bytes) -> Algorithm {
        match self {
            _ if op != CollectiveOp::AllReduce => Algorithm::Ring,
            Self::One(algorithm) => *algorithm,
            Self::Auto(model) => model.choose(n, nics, size),
            Self::BySize(steps) => {
                let fits = |step: &&(Option<Bytes>, _)| step.0.is_none_or(|most| size <= most);
                steps.iter().find(fits).map_or(Algorithm::Ring, |(_, algorithm)| *algorithm)
            }
        }
    }
}

impl Style {
    /// Whether each rank is alone and rings have whole messages: then what a message waits for follows
    /// from its number.
    pub fn is_plain(&self) -> bool {
        let Self { gpus, rails: _, apart: _, chunk, choice, protocol, overhead } = self;
        let rings = *choice == Choice::One(Algorithm::Ring);
        *gpus == 0 && chunk.is_none() && rings && *protocol == Protocol::Simple && overhead.0 == 0
    }

    /// How many messages a collective among GPUs at these hosts has; at most, where some of them are not
    /// relayed that could be.
    pub fn sends_at_most(
        &self,
        op: CollectiveOp,
        hosts: &[HostId],
        size: Bytes,
        channels: u32,
    ) -> u64 {
        match self.is_plain() {
            true => collectives::messages(op, hosts.len() as u64, size, channels).0,
            false => listed::at_most(self, op, hosts, size, channels),
        }
    }

    /// The algorithm of a collective among GPUs at these hosts.
    pub fn algorithm(
        &self,
        op: CollectiveOp,
        hosts: &[HostId],
        size: Bytes,
        channels: u32,
    ) -> Algorithm {
        self.choice.of(op, hosts.len() as u32, self.nics(hosts, channels), size)
    }

    /// How many NICs of a server so many channels use: at most as many as the group has GPUs in the server
    /// in which it has fewest.
    fn nics(&self, hosts: &[HostId], channels: u32) -> u32 {
        let fewest = self.by_server(hosts).into_values().min().unwrap_or(1);
        channels.max(1).min(fewest)
    }

    /// How many of these hosts each server has.
    pub(super) fn by_server(&self, hosts: &[HostId]) -> BTreeMap<u32, u32> {
        let mut counts = BTreeMap::new();
        for host in hosts {
            *counts.entry(self.server(*host)).or_default() += 1;
        }
        counts
    }

    /// The server of a host: its own, where each is alone.
    pub(super) fn server(&self, host: HostId) -> u32 {
        host.0 / self.gpus.max(1)
    }

    /// The host that hands on what one sends to another, if a message between them is not to go by
    /// itself: it is of the sender's server, on the receiver's rail.
    pub(super) fn relay(&self, from: HostId, to: HostId) -> Option<HostId> {
        if self.gpus == 0 || self.rails != Rails::Pxn || self.server(from) == self.server(to) {
            return None;
        }
        let relay = HostId(self.server(from) * self.gpus + to.0 % self.gpus);
        (relay != from).then_some(relay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 ranks, 5 us, 50 GB/s: trees win below 912.0 MB, or below 138.9 MB with 0.92 of the bandwidth.
    #[test]
    fn trees_win_while_steps_take_longer_than_bytes() {
        let model = Model { alpha: Span::us(5), rate: Rate::gbps(400) };
        let wins = |mb: f64, efficiency| {
            let [ring, tree] = model.times(64, 1, Bytes((mb * 1e6) as u64), efficiency);
            tree < ring
        };
        assert_eq!([911.9, 912.1].map(|mb| wins(mb, 1.0)), [true, false]);
        assert_eq!([138.8, 139.0].map(|mb| wins(mb, 0.92)), [true, false]);
        let auto = Choice::Auto(model);
        let of = |op, mb: u64| auto.of(op, 64, 1, Bytes(mb * 1_000_000));
        assert_eq!(of(CollectiveOp::AllReduce, 138), Algorithm::DoubleTree);
        assert_eq!(of(CollectiveOp::AllReduce, 139), Algorithm::Ring);
        assert_eq!(of(CollectiveOp::AllGather, 1), Algorithm::Ring);
    }

    /// Eight channels have eight NICs of a group of whole servers, and one of a group of one GPU of each.
    #[test]
    fn channels_have_as_many_nics_as_their_group() {
        let choice = Choice::Auto(Model { alpha: Span::us(5), rate: Rate::gbps(400) });
        let style = Style { gpus: 8, choice, ..Style::default() };
        let of = |every: u32, channels, mb: u64| {
            let hosts: Vec<HostId> = (0..64).map(|rank| HostId(rank * every)).collect();
            style.algorithm(CollectiveOp::AllReduce, &hosts, Bytes(mb * 1_000_000), channels)
        };
        // Of so many NICs, sizes up to so many times 138.9 MB.
        for (every, channels, nics) in [(8, 8, 1), (4, 8, 2), (1, 8, 8), (1, 16, 8), (1, 2, 2)] {
            assert_eq!(
                of(every, channels, 138 * nics),
                Algorithm::DoubleTree,
                "{every} {channels}"
            );
            assert_eq!(of(every, channels, 139 * nics), Algorithm::Ring, "{every} {channels}");
        }
    }

    #[test]
    fn sizes_choose_the_first_step_that_they_fit() {
        let steps = vec![(Some(Bytes::kib(256)), Algorithm::DoubleTree), (None, Algorithm::Ring)];
        let choice = Choice::BySize(steps);
        let of = |bytes| choice.of(CollectiveOp::AllReduce, 8, 8, Bytes(bytes));
        assert_eq!(of(256 << 10), Algorithm::DoubleTree);
        assert_eq!(of((256 << 10) + 1), Algorithm::Ring);
    }

    /// 8 steps of a 4 MiB buffer: 2 MiB are four of them.
    #[test]
    fn as_many_chunks_are_under_way_as_have_eight_steps() {
        assert_eq!((STEP, TREE_CHUNK), (Bytes::kib(512), Bytes::mib(2)));
        let kib = [64, 512, 513, 1_024, 2_048, 4_096, 8_192];
        assert_eq!(kib.map(|kib| outstanding(Bytes::kib(kib))), [8, 8, 4, 4, 2, 1, 1]);
    }

    #[test]
    fn protocols_take_more_bytes() {
        let on_wire = |own: Protocol| own.on_wire(Bytes(1_200)).0;
        let all = [Protocol::Simple, Protocol::Ll, Protocol::Ll128].map(on_wire);
        assert_eq!(all, [1_200, 2_400, 1_280]);
        assert_eq!(Protocol::Ll128.on_wire(Bytes(1)), Bytes(2));
    }

    #[test]
    fn a_relay_is_on_the_rail_of_the_receiver() {
        let style = Style { gpus: 8, ..Style::default() };
        let relay = |from, to| style.relay(HostId(from), HostId(to)).map(|host| host.0);
        assert_eq!(relay(7, 8), Some(0));
        assert_eq!([relay(0, 8), relay(0, 7), relay(3, 27)], [None; 3]);
        let cross = Style { rails: Rails::Cross, ..style };
        assert_eq!(cross.relay(HostId(7), HostId(8)), None);
    }
}
