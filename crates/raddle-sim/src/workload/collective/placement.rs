//! Which host is which rank.

use crate::workload::WorkloadError;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;
use std::ops::RangeInclusive;

raddle_schemes::words! {
    /// In which order hosts become ranks.
    pub enum Order {
        /// By number.
        Linear = "linear",
        /// At random.
        Random = "random",
        /// Whole servers, each of neighbouring hosts, at random; their hosts by number.
        Servers = "servers",
    }
}

/// Chooses hosts for the ranks of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The first and the last host to choose from; `None` for all hosts.
    pub hosts: Option<(u32, u32)>,
    /// How many ranks there are; `None` for as many as hosts to choose from.
    pub ranks: Option<u32>,
    /// The order.
    pub order: Order,
    /// Hosts of a server, for [`Order::Servers`].
    pub server: u32,
    /// Into which groups they fall; `None` for one.
    pub groups: Option<Groups>,
}

/// Groups of ranks, each of which does the same among its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    /// So many ranks in each, one after the other.
    Sizes(Vec<u32>),
    /// The hosts of each, in the order of ranks.
    Hosts(Vec<Vec<u32>>),
}

impl Placement {
    /// How many ranks each group has among so many hosts, if that fits them.
    pub fn counts(&self, hosts: u32) -> Vec<u32> {
        match &self.groups {
            Some(Groups::Sizes(sizes)) => sizes.clone(),
            Some(Groups::Hosts(groups)) => groups.iter().map(|group| group.len() as u32).collect(),
            None => {
                let among =
                    |(first, last): (u32, u32)| last.saturating_sub(first).saturating_add(1);
                vec![self.ranks.or(self.hosts.map(among)).unwrap_or(hosts)]
            }
        }
    }

    /// The hosts of the ranks of each group; random orders are drawn with `seed`.
    ///
    /// # Errors
    /// Hosts that do not exist or are named twice, fewer than 2 ranks in a group, more ranks than
    /// hosts, or hosts that are not whole servers.
    pub fn groups(&self, hosts: u32, seed: u64) -> Result<Vec<Vec<HostId>>, WorkloadError> {
        for (group, count) in self.counts(hosts).into_iter().enumerate() {
            if count < 2 && self.groups.is_some() {
                let found = format!("a list whose entry {group} has {count}");
                return Err(WorkloadError::new("groups", found, "at least 2 ranks in each group"));
            }
        }
        match &self.groups {
            None => Ok(vec![self.ranks(hosts, seed)?]),
            Some(Groups::Sizes(sizes)) => {
                let all = sizes.iter().fold(0, |all: u32, size| all.saturating_add(*size));
                let among = self.among(hosts)?.count();
                if all as usize > among {
                    let found = format!("a list of {all} ranks");
                    let fits = format!("at most the number of hosts to choose from, {among}");
                    return Err(WorkloadError::new("groups", found, fits));
                }
                let ranks = Self { ranks: Some(all), ..self.clone() }.ranks(hosts, seed)?;
                let mut left = &ranks[..];
                let groups = sizes.iter().map(|&size| {
                    let (group, others) = left.split_at(size as usize);
                    left = others;
                    group.to_vec()
                });
                Ok(groups.collect())
            }
            Some(Groups::Hosts(groups)) => {
                let mut named = vec![false; hosts as usize];
                for &host in groups.iter().flatten() {
                    let Some(named) = named.get_mut(host as usize) else {
                        let found = format!("a list with host {host}");
                        let fits = format!("hosts from 0 to {}", hosts.saturating_sub(1));
                        return Err(WorkloadError::new("groups", found, fits));
                    };
                    if std::mem::replace(named, true) {
                        let found = format!("a list that has host {host} twice");
                        return Err(WorkloadError::new("groups", found, "each host once"));
                    }
                }
                Ok(groups.iter().map(|group| group.iter().copied().map(HostId).collect()).collect())
            }
        }
    }

    /// The hosts to choose from.
    fn among(&self, hosts: u32) -> Result<RangeInclusive<u32>, WorkloadError> {
        let (first, last) = self.hosts.unwrap_or((0, hosts.saturating_sub(1)));
        if last >= hosts || first > last {
            let found = format!("{first}..{last}");
            let fits = format!("a range of hosts from 0 to {}", hosts.saturating_sub(1));
            return Err(WorkloadError::new("hosts", found, fits));
        }
        Ok(first..=last)
    }

    /// The host of each rank; random orders are drawn with `seed`.
    ///
    /// # Errors
    /// Hosts that do not exist, fewer than 2 ranks, more ranks than hosts, or hosts that are not
    /// whole servers.
    pub fn ranks(&self, hosts: u32, seed: u64) -> Result<Vec<HostId>, WorkloadError> {
        let mut chosen: Vec<u32> = self.among(hosts)?.collect();
        let among = chosen.len() as u32;
        let ranks = self.ranks.unwrap_or(among);
        if ranks < 2 || ranks > among {
            let fits = format!("from 2 to the number of hosts to choose from, {among}");
            return Err(WorkloadError::new("ranks", ranks, fits));
        }
        let mut rng = Rng::new(seed, "placement", 0);
        match self.order {
            Order::Linear => {}
            Order::Random => rng.shuffle(&mut chosen),
            Order::Servers => {
                let server = self.server.max(1);
                if !among.is_multiple_of(server) {
                    let fits = format!("a divisor of the {among} hosts to choose from");
                    return Err(WorkloadError::new("gpus_per_server", server, fits));
                }
                let mut servers: Vec<Vec<u32>> =
                    chosen.chunks(server as usize).map(<[u32]>::to_vec).collect();
                rng.shuffle(&mut servers);
                chosen = servers.concat();
            }
        }
        chosen.truncate(ranks as usize);
        Ok(chosen.into_iter().map(HostId).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(order: Order, hosts: Option<(u32, u32)>, ranks: Option<u32>, seed: u64) -> Vec<u32> {
        let placement = Placement { hosts, ranks, order, server: 4, groups: None };
        placement.ranks(16, seed).unwrap().iter().map(|host| host.0).collect()
    }

    #[test]
    fn ranks_are_hosts_of_the_range_in_the_order_asked_for() {
        assert_eq!(placed(Order::Linear, Some((4, 9)), Some(3), 1), [4, 5, 6]);
        let mut random = placed(Order::Random, None, None, 1);
        assert_ne!(random, placed(Order::Random, None, None, 2));
        random.sort_unstable();
        assert_eq!(random, (0..16).collect::<Vec<_>>());
        let servers = placed(Order::Servers, None, None, 1);
        assert!(servers.chunks(4).all(|s| s[0] % 4 == 0 && s[3] == s[0] + 3));
        assert_ne!(servers, (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn impossible_placements_are_refused() {
        let refuse = |hosts, ranks, order| {
            let placement = Placement { hosts, ranks, order, server: 3, groups: None };
            placement.ranks(16, 1).unwrap_err().quantity
        };
        assert_eq!(refuse(Some((4, 16)), None, Order::Linear), "hosts");
        assert_eq!(refuse(Some((4, 3)), None, Order::Linear), "hosts");
        assert_eq!(refuse(None, Some(17), Order::Linear), "ranks");
        assert_eq!(refuse(None, Some(1), Order::Linear), "ranks");
        assert_eq!(refuse(None, None, Order::Servers), "gpus_per_server");
    }

    fn grouped(groups: Groups, order: Order) -> Result<Vec<Vec<u32>>, WorkloadError> {
        let placement =
            Placement { hosts: None, ranks: None, order, server: 1, groups: Some(groups) };
        let groups = placement.groups(16, 1)?;
        Ok(groups.iter().map(|group| group.iter().map(|host| host.0).collect()).collect())
    }

    #[test]
    fn groups_have_their_sizes_or_their_hosts() {
        let sizes = |order| grouped(Groups::Sizes(vec![3, 2, 4]), order).unwrap();
        assert_eq!(sizes(Order::Linear), [vec![0, 1, 2], vec![3, 4], vec![5, 6, 7, 8]]);
        let random = sizes(Order::Random);
        assert_eq!(random.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 4]);
        let mut all = random.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 9);
        let hosts = vec![vec![9, 2], vec![1, 15, 3]];
        assert_eq!(grouped(Groups::Hosts(hosts.clone()), Order::Linear).unwrap(), hosts);
    }

    #[test]
    fn impossible_groups_are_refused() {
        let refuse = |groups| grouped(groups, Order::Linear).unwrap_err().to_string();
        let error = refuse(Groups::Sizes(vec![9, 8]));
        assert!(error.contains("17 ranks") && error.contains("choose from, 16"), "{error}");
        assert!(refuse(Groups::Sizes(vec![4, 1])).contains("entry 1 has 1"));
        assert!(refuse(Groups::Hosts(vec![vec![0, 16]])).contains("host 16"));
        let error = refuse(Groups::Hosts(vec![vec![0, 1], vec![2, 1]]));
        assert!(error.contains("host 1 twice"), "{error}");
    }
}
