//! Pairs of binary trees over servers, with chains inside them.

use super::Making;
use super::ring::{chunk_of, cut};
use crate::workload::collective::tree::Shape;
use crate::workload::job_graph::style::Algorithm;
use raddle_schemes::units::Bytes;

impl Making<'_> {
    /// Each channel has two trees, each for half of what it carries, over the GPUs by which it enters
    /// servers. Chunk by chunk, sums go along a server's GPUs to that one, up the tree, and all of it back.
    /// It enters and leaves by the same one, and stays on its rail: there is nothing to alternate.
    pub(super) fn trees(&mut self) {
        let (channels, chunk) = (self.channels, chunk_of(self.style, Algorithm::DoubleTree));
        for channel in 0..channels {
            let servers = self.servers(channel);
            let first = Shape::in_order(servers.len() as u32);
            let second = first.second();
            for (tree, shape) in [(0, &first), (1, &second)] {
                let half = self.part(2 * channel + tree, 2 * channels);
                for bytes in cut(half, chunk) {
                    self.chunk_in_tree(channel, shape, &servers, bytes);
                }
            }
        }
    }

    fn chunk_in_tree(&mut self, channel: u32, shape: &Shape, servers: &[Vec<u32>], bytes: Bytes) {
        let mut sums: Vec<Vec<u32>> = Vec::with_capacity(servers.len());
        for own in servers {
            let mut last: Option<u32> = None;
            for ends in own.windows(2).rev() {
                last = Some(self.message(channel, (ends[1], ends[0]), bytes, last.as_slice()));
            }
            sums.push(last.into_iter().collect());
        }
        let head = |server: u32| servers[server as usize][0];
        for &(server, above) in shape.links.iter().rev() {
            let after = std::mem::take(&mut sums[server as usize]);
            let sent = self.message(channel, (head(server), head(above)), bytes, &after);
            sums[above as usize].push(sent);
        }
        // What is left are the sums at the root; all others get theirs from above.
        for &(server, above) in &shape.links {
            let after = sums[above as usize].clone();
            let sent = self.message(channel, (head(above), head(server)), bytes, &after);
            sums[server as usize] = vec![sent];
        }
        for (own, came) in servers.iter().zip(sums) {
            let mut after = came;
            for ends in own.windows(2) {
                after = vec![self.message(channel, (ends[0], ends[1]), bytes, &after)];
            }
        }
    }
}
