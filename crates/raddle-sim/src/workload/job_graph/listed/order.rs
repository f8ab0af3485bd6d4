//! How a ring goes through servers, channel by channel.

use super::Making;
use crate::workload::job_graph::style::Rails;
use std::collections::BTreeMap;

impl Making<'_> {
    /// The places of the group in the order of a channel's ring, server by server, as `rails` asks for.
    pub(super) fn ring(&self, channel: u32) -> Vec<u32> {
        if self.style.gpus == 0 || self.style.rails != Rails::Alternate {
            return self.servers(channel).concat();
        }
        self.alternating(channel).concat()
    }

    /// The places of the group, server by server: each from the GPU on by which the channel enters it, then
    /// by number. Where GPUs are alone, each is a server.
    ///
    /// A channel enters all servers by GPUs of one number, so that it keeps to a rail. Of the numbers that
    /// the group has in each of its servers, that is the channel's own: where the group has whole servers,
    /// number c, modulo all. Where there is none that all have, servers are entered by the channel's own of
    /// theirs, and the ring leaves its rail.
    pub(super) fn servers(&self, channel: u32) -> Vec<Vec<u32>> {
        let mut servers = self.by_server();
        let shared = self.shared(&servers);
        for own in &mut servers {
            let first = match shared.len() {
                0 => channel as usize % own.len(),
                all => self.at(own, shared[channel as usize % all]),
            };
            own.rotate_left(first);
        }
        servers
    }

    /// With alternating rails a channel enters the first server by the GPU of number c and leaves it by c
    /// xor 1, enters the second by that and leaves it by c, and so on. Both are of the numbers that all
    /// servers have; an odd one that is left over has no partner, and takes no part in this.
    fn alternating(&self, channel: u32) -> Vec<Vec<u32>> {
        let mut servers = self.by_server();
        let shared = self.shared(&servers);
        let paired = shared.len() & !1;
        if paired == 0 {
            return self.servers(channel);
        }
        let number = channel as usize % paired;
        let [enters, leaves] = [number, number ^ 1].map(|number| shared[number]);
        for (server, own) in servers.iter_mut().enumerate() {
            let first = self.at(own, enters);
            // Round to the one beside the first, the long way.
            own.rotate_left(first);
            if enters < leaves {
                own[1..].reverse();
            }
            let last = own.remove(self.at(own, leaves));
            own.push(last);
            if !server.is_multiple_of(2) {
                own.reverse();
            }
        }
        servers
    }

    /// The places of the group in each server, in the order of servers in the group, and of GPUs in servers.
    fn by_server(&self) -> Vec<Vec<u32>> {
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
        for own in &mut servers {
            own.sort_unstable_by_key(|place| self.hosts[*place as usize]);
        }
        servers
    }

    /// The number of a GPU in its server, which is that of its rail.
    fn number(&self, place: u32) -> u32 {
        self.hosts[place as usize].0 % self.style.gpus.max(1)
    }

    /// The numbers of GPUs that are in all servers.
    fn shared(&self, servers: &[Vec<u32>]) -> Vec<u32> {
        let mut have: BTreeMap<u32, usize> = BTreeMap::new();
        for place in servers.iter().flatten() {
            *have.entry(self.number(*place)).or_default() += 1;
        }
        have.into_iter().filter(|(_, count)| *count == servers.len()).map(|(own, _)| own).collect()
    }

    /// Where the GPU of a number is among those of a server.
    fn at(&self, own: &[u32], number: u32) -> usize {
        own.iter().position(|place| self.number(*place) == number).unwrap_or(0)
    }
}
