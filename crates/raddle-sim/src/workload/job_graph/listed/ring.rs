//! Rings, and chains along them.

use super::Making;
use crate::workload::job_graph::style::{Algorithm, Style, TREE_CHUNK, WHOLE};
use raddle_schemes::units::Bytes;

/// What messages are cut into; `None` for whole ones.
pub(super) fn chunk_of(style: &Style, algorithm: Algorithm) -> Option<Bytes> {
    let chunk = style.chunk.or((algorithm == Algorithm::DoubleTree).then_some(TREE_CHUNK));
    chunk.filter(|chunk| *chunk != WHOLE)
}

/// Into how many chunks a message is cut.
pub(super) fn pieces(message: Bytes, chunk: Option<Bytes>) -> u64 {
    chunk.map_or(1, |chunk| message.0.div_ceil(chunk.0.max(1)).max(1))
}

/// The chunks of a message.
pub(super) fn cut(message: Bytes, chunk: Option<Bytes>) -> impl Iterator<Item = Bytes> {
    let chunk = chunk.map_or(u64::MAX, |chunk| chunk.0.max(1));
    let all = pieces(message, Some(Bytes(chunk)));
    (0..all).map(move |piece| Bytes((message.0 - piece * chunk).min(chunk)))
}

impl Making<'_> {
    /// As many hops of each part, in channels that know nothing of each other. The chunks of a part follow
    /// each other.
    pub(super) fn rings(&mut self, hops: u32) {
        let (n, channels) = (self.n(), self.channels);
        let chunk = chunk_of(self.style, Algorithm::Ring);
        for channel in 0..channels {
            let order = self.ring(channel);
            let mut came: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
            for hop in 0..hops {
                for part in 0..n {
                    let at = |hop: u32| order[((part + hop) % n) as usize];
                    let message = self.part(channel * n + part, channels * n);
                    let before = std::mem::take(&mut came[part as usize]);
                    for (piece, bytes) in cut(message, chunk).enumerate() {
                        let after = before.get(piece).map_or(&[][..], std::slice::from_ref);
                        let ends = (at(hop), at(hop + 1));
                        let own = self.message(channel, ends, bytes, after);
                        came[part as usize].push(own);
                    }
                }
            }
        }
    }

    /// From the first of the group on along each channel's ring, in as many parts as a ring would have.
    pub(super) fn chains(&mut self) {
        let (n, channels) = (self.n(), self.channels);
        let chunk = chunk_of(self.style, Algorithm::Ring);
        for channel in 0..channels {
            let mut order = self.ring(channel);
            let root = order.iter().position(|place| *place == 0).unwrap_or(0);
            order.rotate_left(root);
            for part in 0..n {
                for bytes in cut(self.part(channel * n + part, channels * n), chunk) {
                    let mut last: Option<u32> = None;
                    for ends in order.windows(2) {
                        let after = last.as_slice();
                        last = Some(self.message(channel, (ends[0], ends[1]), bytes, after));
                    }
                }
            }
        }
    }
}
