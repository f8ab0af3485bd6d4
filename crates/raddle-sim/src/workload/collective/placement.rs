//! Which host is which rank.

use crate::workload::WorkloadError;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;

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
}

impl Placement {
    /// How many ranks there are among so many hosts, if that fits them.
    pub fn count(&self, hosts: u32) -> u32 {
        let among = self.hosts.map(|(first, last)| last.saturating_sub(first).saturating_add(1));
        self.ranks.or(among).unwrap_or(hosts)
    }

    /// The host of each rank; random orders are drawn with `seed`.
    ///
    /// # Errors
    /// Hosts that do not exist, fewer than 2 ranks, more ranks than hosts, or hosts that are not
    /// whole servers.
    pub fn ranks(&self, hosts: u32, seed: u64) -> Result<Vec<HostId>, WorkloadError> {
        let (first, last) = self.hosts.unwrap_or((0, hosts.saturating_sub(1)));
        if last >= hosts || first > last {
            let found = format!("{first}..{last}");
            let fits = format!("a range of hosts from 0 to {}", hosts.saturating_sub(1));
            return Err(WorkloadError::new("hosts", found, fits));
        }
        let mut chosen: Vec<u32> = (first..=last).collect();
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
        let placement = Placement { hosts, ranks, order, server: 4 };
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
            let placement = Placement { hosts, ranks, order, server: 3 };
            placement.ranks(16, 1).unwrap_err().quantity
        };
        assert_eq!(refuse(Some((4, 16)), None, Order::Linear), "hosts");
        assert_eq!(refuse(Some((4, 3)), None, Order::Linear), "hosts");
        assert_eq!(refuse(None, Some(17), Order::Linear), "ranks");
        assert_eq!(refuse(None, Some(1), Order::Linear), "ranks");
        assert_eq!(refuse(None, None, Order::Servers), "gpus_per_server");
    }
}
