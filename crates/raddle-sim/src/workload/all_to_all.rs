//! Every host sends one message to every other.

use super::{
    Flow, Start, Traffic, Trigger, TriggerId, TriggerKind, WorkloadError, check_hosts,
    check_message,
};
use raddle_schemes::ids::FlowId;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Bytes;

raddle_schemes::words! {
    /// In which order hosts serve their receivers.
    pub enum Order {
        /// Host `i` serves `i + 1`, `i + 2`, and so on round the hosts, so that in each round every
        /// host is sent to once.
        Shifted = "shifted",
        /// Each host in an order of its own, drawn at random.
        Random = "random",
        /// With n messages in flight among g hosts: host `i` serves n hosts that lie
        /// (g - 1) / n apart at a time, beginning with `i + 1`; those that are left come last
        /// (the REPS artifact's n-parallel AllToAll).
        Strided = "strided",
        /// Every host serves hosts 0, 1, 2 and so on, so that all of them begin with the same one.
        Rank = "rank",
    }
}

/// All ordered pairs of hosts exchange a message.
///
/// A host that paces or takes turns over its flows goes through them in this order, round after
/// round. Reading: the study has such a host cycle over its destinations and leaves open whether
/// the order is drawn in each round (spec 3.2); for that see the slots of the fixed rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllToAll {
    /// Size of every message.
    pub message: Bytes,
    /// In which order hosts serve their receivers.
    pub order: Order,
    /// How many messages a host sends at a time: the first ones start at time zero, each last ACK
    /// starts the next. `None`: all at time zero.
    pub in_flight: Option<u32>,
}

impl AllToAll {
    /// Whether the limit on messages in flight can be one among `hosts` hosts.
    ///
    /// # Errors
    /// More in flight than there are other hosts.
    pub fn check(&self, hosts: u32) -> Result<(), WorkloadError> {
        let others = hosts.saturating_sub(1);
        match self.in_flight {
            Some(most) if most > others => {
                let fits = format!("at most {others}, the number of other hosts");
                Err(WorkloadError::new("in_flight", most, fits))
            }
            _ => Ok(()),
        }
    }

    /// The traffic, flows in the order of senders and then of rounds; `seed` draws random orders.
    ///
    /// # Errors
    /// Fewer than 2 hosts or more than 65 536 (flow numbers have 32 bits), an empty message, or
    /// none in flight.
    pub fn generate(&self, hosts: u32, seed: u64) -> Result<Traffic, WorkloadError> {
        check_hosts(hosts)?;
        check_message(self.message)?;
        if hosts > 1 << 16 {
            return Err(WorkloadError::new("hosts", hosts, "at most 65536"));
        }
        if self.in_flight == Some(0) {
            return Err(WorkloadError::new("in_flight", 0, "at least 1"));
        }
        let each = hosts - 1;
        let at_once = self.in_flight.unwrap_or(each).min(each);
        let mut traffic = Traffic::default();
        for host in 0..hosts {
            let shifts: Vec<u32> = match self.order {
                Order::Strided => strided(hosts, at_once),
                Order::Shifted | Order::Random => (1..hosts).collect(),
                Order::Rank => (0..hosts)
                    .filter(|&to| to != host)
                    .map(|to| (to + hosts - host) % hosts)
                    .collect(),
            };
            let mut receivers: Vec<u32> =
                shifts.into_iter().map(|by| (host + by) % hosts).collect();
            if self.order == Order::Random {
                Rng::new(seed, "all_to_all", u64::from(host)).shuffle(&mut receivers);
            }
            for (round, receiver) in (1..).zip(receivers) {
                let mut flow = Flow::at_zero(host, receiver, self.message);
                if at_once < each {
                    flow.on_acked = Some(TriggerId::new(host));
                }
                if round > at_once {
                    flow.start = Start::WHEN_TRIGGERED;
                }
                traffic.flows.push(flow);
            }
            if at_once < each {
                let first = u64::from(host) * u64::from(each);
                let targets = (u64::from(at_once)..u64::from(each))
                    .map(|round| FlowId((first + round) as u32))
                    .collect();
                traffic.triggers.push(Trigger::new(TriggerKind::Next, targets));
            }
        }
        Ok(traffic)
    }
}

/// How far on the hosts lie that a host serves one after the other, `at_once` at a time.
fn strided(hosts: u32, at_once: u32) -> Vec<u32> {
    let rounds = (hosts - 1) / at_once;
    let strides = (1..=rounds).flat_map(|by| (0..at_once).map(move |n| by + n * rounds));
    strides.chain(rounds * at_once + 1..hosts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of `gen_serialn_alltoall.py`.
    #[test]
    fn strided_hosts_serve_hosts_that_lie_far_apart_at_a_time() {
        assert_eq!(strided(10, 2), [1, 5, 2, 6, 3, 7, 4, 8, 9]);
        assert_eq!(strided(10, 3), [1, 4, 7, 2, 5, 8, 3, 6, 9]);
        assert_eq!(strided(5, 4), [1, 2, 3, 4]);
        let exchange = AllToAll { message: Bytes(9), order: Order::Strided, in_flight: Some(2) };
        let traffic = exchange.generate(10, 1).unwrap();
        let first: Vec<u32> = traffic.flows[..9].iter().map(|flow| flow.destination.0).collect();
        assert_eq!(first, strided(10, 2));
        let last: Vec<u32> = traffic.flows[81..].iter().map(|flow| flow.destination.0).collect();
        assert_eq!(last, [0, 4, 1, 5, 2, 6, 3, 7, 8]);
    }

    #[test]
    fn in_order_of_rank_all_hosts_begin_with_the_same_one() {
        let exchange = AllToAll { message: Bytes(9), order: Order::Rank, in_flight: None };
        let traffic = exchange.generate(4, 1).unwrap();
        let to: Vec<u32> = traffic.flows.iter().map(|flow| flow.destination.0).collect();
        assert_eq!(to, [1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2]);
    }

    fn generate(hosts: u32, in_flight: Option<u32>) -> Traffic {
        let order = Order::Shifted;
        AllToAll { message: Bytes(9), order, in_flight }.generate(hosts, 1).unwrap()
    }

    #[test]
    fn every_ordered_pair_exchanges_one_message_and_rounds_are_permutations() {
        let traffic = generate(7, None);
        let mut pairs: Vec<_> = traffic.flows.iter().map(|f| (f.source, f.destination)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 7 * 6);
        assert!(pairs.iter().all(|(from, to)| from != to));
        for round in 0..6 {
            let flows = traffic.flows.iter().skip(round).step_by(6);
            let mut receivers: Vec<_> = flows.map(|flow| flow.destination.0).collect();
            receivers.sort_unstable();
            assert_eq!(receivers, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert!(traffic.triggers.is_empty());
    }

    /// LB study spec, section 3.2: the order of destinations is open.
    #[test]
    fn a_random_order_is_the_host_s_own_and_the_seed_s() {
        let random = |seed| {
            let exchange = AllToAll { message: Bytes(9), order: Order::Random, in_flight: None };
            let traffic = exchange.generate(32, seed).unwrap();
            let orders: Vec<Vec<u32>> = traffic
                .flows
                .chunks(31)
                .map(|flows| flows.iter().map(|flow| flow.destination.0).collect())
                .collect();
            orders
        };
        let orders = random(7);
        for (host, order) in (0..).zip(&orders) {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            let others: Vec<u32> = (0..32).filter(|&other| other != host).collect();
            assert_eq!(sorted, others);
            assert!(order.windows(2).any(|pair| (pair[0] + 1) % 32 != pair[1]));
        }
        // Relative to their hosts, no two orders are alike.
        let mut shifts: Vec<Vec<u32>> = (0..)
            .zip(&orders)
            .map(|(host, order)| order.iter().map(|&to| (to + 32 - host) % 32).collect())
            .collect();
        shifts.sort_unstable();
        shifts.dedup();
        assert_eq!(shifts.len(), 32);
        assert_eq!(orders, random(7));
        assert_ne!(orders, random(8));
    }

    #[test]
    fn a_bounded_exchange_starts_each_message_once() {
        let traffic = generate(5, Some(3));
        for host in 0..5 {
            let flows = &traffic.flows[host * 4..host * 4 + 4];
            let at_zero = flows.iter().filter(|flow| flow.start != Start::WHEN_TRIGGERED).count();
            assert_eq!(at_zero, 3);
            assert!(flows.iter().all(|flow| flow.on_acked == Some(TriggerId::new(host as u32))));
            let trigger = &traffic.triggers[host];
            assert_eq!(trigger.kind, TriggerKind::Next);
            assert_eq!(trigger.targets, [FlowId(host as u32 * 4 + 3)]);
        }
        assert_eq!(generate(5, Some(4)), generate(5, None));
        assert_eq!(generate(5, Some(9)), generate(5, None));
    }

    #[test]
    fn impossible_exchanges_are_refused() {
        let refuse = |hosts, in_flight| {
            let order = Order::Shifted;
            let exchange = AllToAll { message: Bytes(9), order, in_flight };
            exchange.generate(hosts, 1).unwrap_err().quantity
        };
        assert_eq!(refuse(1, None), "hosts");
        assert_eq!(refuse(65_537, None), "hosts");
        assert_eq!(refuse(4, Some(0)), "in_flight");
    }
}
