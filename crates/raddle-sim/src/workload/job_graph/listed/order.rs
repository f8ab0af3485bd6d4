//! How a ring goes through servers, channel by channel.

use super::Making;
use crate::workload::job_graph::style::Rails;
use std::collections::BTreeMap;

impl Making<'_> {
    /// The places of the group in the order of a channel's ring, server by server: each from the GPU on.
    /// Where GPUs are alone, each is a server.
    ///
    /// A channel enters a server of g GPUs by that of number c, modulo g, and leaves it by the one before.
    /// With alternating rails it leaves the first by the one of number c xor 1 and enters the second by it,
    /// leaves that by number c, and so on.
    pub(super) fn servers(&self, channel: u32) -> Vec<Vec<u32>> {
        let mut servers: Vec<Vec<u32>> = Vec::new();
        let mut known = BTreeMap::new();
        for (place, host) in (0..).zip(self.hosts) {
            let number = self.style.server(*host);
            let at = *known.entry(number).or_insert_with(|| {
                servers.push(Vec::new());
                servers.len() - 1
            });
            servers[at].push(place);
        }
        for (number, own) in servers.iter_mut().enumerate() {
            let gpus = own.len();
            let first = channel as usize % gpus;
            let alternates = self.style.rails == Rails::Alternate && self.style.gpus > 0;
            if alternates && gpus.is_multiple_of(2) {
                // Round to the one beside the first, the long way.
                let step = if first.is_multiple_of(2) { gpus - 1 } else { 1 };
                *own = (0..gpus).map(|hop| own[(first + hop * step) % gpus]).collect();
                if !number.is_multiple_of(2) {
                    own.reverse();
                }
            } else {
                own.rotate_left(first);
            }
        }
        servers
    }
}
