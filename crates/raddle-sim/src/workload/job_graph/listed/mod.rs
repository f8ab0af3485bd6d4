//! The sends of a collective, one by one, where who waits for what does not follow from their numbers:
//! over rails, in chunks, in trees.
//!
//! | file | what it does |
//! |---|---|
//! | `order.rs` | how a ring goes through servers |
//! | `ring.rs` | rings, and chains along them |
//! | `tree.rs` | pairs of trees over servers |
//! | `exchange.rs` | each to all others; barriers |

mod exchange;
mod order;
mod ring;
#[cfg(test)]
mod tests;
mod tree;

use super::CollectiveOp;
use super::style::{Algorithm, Rails, Style, outstanding};
use crate::workload::collective::volume::Volume;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// The sends of a collective, what each waits for before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub(super) algorithm: &'static str,
    sends: Vec<Hop>,
    /// What sends wait for, one after the other: sends, each with whether for its last ACK.
    after: Vec<u32>,
}

/// A send, by places in the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hop {
    from: u32,
    to: u32,
    bytes: Bytes,
    /// Where its part of what is waited for ends.
    after_end: u32,
    /// The one before it to the same receiver on its channel, where senders do something before each.
    turn: u32,
}

impl Listed {
    /// Those of a collective among GPUs at these hosts, two at least.
    pub(super) fn of(
        style: &Style,
        op: CollectiveOp,
        size: Bytes,
        channels: u32,
        hosts: &[HostId],
    ) -> Self {
        let n = hosts.len() as u32;
        let algorithm = style.algorithm(op, hosts, size, channels);
        let mut making = Making {
            style,
            hosts,
            place_of: hosts.iter().copied().zip(0..).collect(),
            channels: channels.max(1),
            volume: Volume::Size(size),
            window: ring::chunk_of(style, algorithm).map(outstanding),
            list: Self { algorithm: algorithm.word(), sends: Vec::new(), after: Vec::new() },
            earlier: BTreeMap::new(),
        };
        match (op, algorithm) {
            (CollectiveOp::AllReduce, Algorithm::DoubleTree) => making.trees(),
            (CollectiveOp::AllReduce, Algorithm::Ring) => making.rings(2 * (n - 1)),
            (CollectiveOp::ReduceScatter | CollectiveOp::AllGather, _) => making.rings(n - 1),
            (CollectiveOp::AllToAll, _) => making.exchange(),
            (CollectiveOp::Broadcast, _) => making.chains(),
            (CollectiveOp::Barrier, _) => making.barrier(),
        }
        making.list
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.sends.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sends.is_empty()
    }

    /// Sender and receiver of a send, by their places in the group.
    pub fn ends(&self, send: u32) -> (u32, u32) {
        let Hop { from, to, .. } = self.sends[send as usize];
        (from, to)
    }

    /// What it sends.
    pub fn bytes(&self, send: u32) -> Bytes {
        self.sends[send as usize].bytes
    }

    /// The sends that a send waits for: for the last ACK of each, or for its delivery.
    pub fn after(&self, send: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let from = send.checked_sub(1).map_or(0, |before| self.sends[before as usize].after_end);
        let own = &self.after[from as usize..self.sends[send as usize].after_end as usize];
        own.iter().map(|on| (on >> 1, on & 1 == 1))
    }

    /// The send before it to the same receiver on its channel, where senders do something before each.
    pub fn turn(&self, send: u32) -> Option<u32> {
        Some(self.sends[send as usize].turn).filter(|turn| *turn != NONE)
    }
}

/// How many sends a collective has among GPUs at these hosts; at most, as each server that a ring leaves
/// may have a relay, and each of an all-to-all's messages to another rail.
pub(super) fn at_most(
    style: &Style,
    op: CollectiveOp,
    hosts: &[HostId],
    size: Bytes,
    channels: u32,
) -> u64 {
    let n = hosts.len() as u64;
    if n < 2 {
        return 0;
    }
    let algorithm = style.algorithm(op, hosts, size, channels);
    let channels = u64::from(channels.max(1));
    let whole = |parts: u64| style.protocol.on_wire(Bytes(size.0 / parts + 1));
    let pieces = |parts: u64| ring::pieces(whole(parts), ring::chunk_of(style, algorithm));
    let by_server = style.by_server(hosts);
    let is_relayed = style.gpus > 0 && style.rails == Rails::Pxn && by_server.len() > 1;
    // Of each hop round a ring or a tree those to other servers.
    let relays = if is_relayed { by_server.len() as u64 } else { 0 };
    let once = channels * (n - 1) * (n + relays);
    match (op, algorithm) {
        (CollectiveOp::AllReduce, Algorithm::DoubleTree) => {
            let parts = 2 * channels;
            2 * parts * (n - 1 + relays) * pieces(parts)
        }
        (CollectiveOp::AllReduce, Algorithm::Ring) => 2 * once * pieces(n * channels),
        (CollectiveOp::AllToAll, _) if is_relayed && style.apart => {
            let inside: u64 = by_server.values().map(|own| u64::from(*own).pow(2)).sum();
            n * (n - 1) + n * n - inside
        }
        // What is joined is a message of the relay's own.
        (CollectiveOp::AllToAll, _) => n * (n - 1),
        (CollectiveOp::Barrier, _) => {
            let rounds = u64::from((n - 1).ilog2() + 1);
            n * rounds * if is_relayed { 2 } else { 1 }
        }
        _ => once * pieces(n * channels),
    }
}

struct Making<'a> {
    style: &'a Style,
    hosts: &'a [HostId],
    place_of: BTreeMap<HostId, u32>,
    channels: u32,
    volume: Volume,
    list: Listed,
    /// How many messages to one receiver on a channel are under way at most, if they are chunks.
    window: Option<u32>,
    /// The sends so far from one to another on a channel, where that matters.
    earlier: BTreeMap<(u32, u32, u32), Vec<u32>>,
}

impl Making<'_> {
    fn n(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// A message on a channel, when all of `after` have been delivered: directly or by a relay of the
    /// group. Gives the send that delivers it.
    fn message(
        &mut self,
        channel: u32,
        (from, to): (u32, u32),
        bytes: Bytes,
        after: &[u32],
    ) -> u32 {
        match self.relay(from, to) {
            None => self.send(channel, (from, to), bytes, after),
            Some(relay) => {
                let handed = self.send(channel, (from, relay), bytes, after);
                self.send(channel, (relay, to), bytes, &[handed])
            }
        }
    }

    /// The GPU of the group that hands on what one sends to another, if one does.
    fn relay(&self, from: u32, to: u32) -> Option<u32> {
        let [source, destination] = [from, to].map(|place| self.hosts[place as usize]);
        let host = self.style.relay(source, destination)?;
        self.place_of.get(&host).copied()
    }

    fn send(&mut self, channel: u32, (from, to): (u32, u32), bytes: Bytes, after: &[u32]) -> u32 {
        let id = self.list.sends.len() as u32;
        self.list.after.extend(after.iter().map(|on| on << 1));
        let (window, in_turns) = (self.window, self.style.overhead.0 > 0);
        let mut turn = NONE;
        if window.is_some() || in_turns {
            let earlier = self.earlier.entry((channel, from, to)).or_default();
            let oldest = window.and_then(|most| earlier.len().checked_sub(most as usize));
            self.list.after.extend(oldest.map(|place| earlier[place] << 1 | 1));
            turn = earlier.last().copied().filter(|_| in_turns).unwrap_or(NONE);
            earlier.push(id);
        }
        let after_end = self.list.after.len() as u32;
        // There is no packet without a byte.
        let bytes = bytes.max(Bytes(1));
        self.list.sends.push(Hop { from, to, bytes, after_end, turn });
        id
    }

    /// What a part of the volume is on the way.
    fn part(&self, part: u32, parts: u32) -> Bytes {
        self.style.protocol.on_wire(self.volume.part(part, parts).max(Bytes(1)))
    }
}
