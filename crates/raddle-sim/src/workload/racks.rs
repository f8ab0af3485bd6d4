//! Hosts by the ToR that they are below.

use super::derangement::derangement;
use crate::topology::Fabric;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;

/// Which hosts are below which ToR.
pub(super) struct Racks {
    /// Hosts of each ToR, in the order of ToRs.
    pub(super) hosts: Vec<Vec<u32>>,
    /// The place of each host's ToR among them.
    pub(super) of_host: Vec<u32>,
}

impl Racks {
    pub(super) fn of(fabric: &Fabric) -> Self {
        let mut tors: Vec<_> = (0..fabric.hosts).map(|host| fabric.edge(HostId(host))).collect();
        tors.sort_unstable();
        tors.dedup();
        let mut hosts = vec![Vec::new(); tors.len()];
        let mut of_host = Vec::with_capacity(fabric.hosts as usize);
        for host in 0..fabric.hosts {
            let edge = fabric.edge(HostId(host));
            let rack = tors.partition_point(|&tor| tor < edge);
            hosts[rack].push(host);
            of_host.push(rack as u32);
        }
        Self { hosts, of_host }
    }

    /// The hosts below the ToR with the number after that of a host's own; of the last ToR, below the
    /// first.
    pub(super) fn below_next(&self, host: u32) -> &[u32] {
        let own = self.of_host[host as usize] as usize;
        &self.hosts[(own + 1) % self.hosts.len()]
    }

    /// For each ToR another one, each of them once: every such permutation is as likely.
    pub(super) fn drawn(&self, seed: u64) -> Vec<u32> {
        derangement(self.hosts.len() as u32, &mut Rng::new(seed, "drawn_tor", 0))
    }

    /// ToRs in pairs at random: for each ToR the other one of its pair. Their number is even.
    pub(super) fn paired(&self, seed: u64) -> Vec<u32> {
        let mut rng = Rng::new(seed, "paired_tor", 0);
        let mut order: Vec<u32> = (0..self.hosts.len() as u32).collect();
        rng.shuffle(&mut order);
        let mut other = vec![0; order.len()];
        for pair in order.chunks_exact(2) {
            (other[pair[0] as usize], other[pair[1] as usize]) = (pair[1], pair[0]);
        }
        other
    }
}
