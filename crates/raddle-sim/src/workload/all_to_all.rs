//! Every host sends one message to every other.

use super::{
    Flow, Start, Traffic, Trigger, TriggerId, TriggerKind, WorkloadError, check_hosts,
    check_message,
};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Bytes;

/// All ordered pairs of hosts exchange a message.
///
/// Host `i` serves its receivers in the order `i + 1`, `i + 2`, and so on round the hosts, so that
/// in each round every host is sent to once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllToAll {
    /// Size of every message.
    pub message: Bytes,
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

    /// The traffic, flows in the order of senders and then of rounds; nothing in it is random.
    ///
    /// # Errors
    /// Fewer than 2 hosts or more than 65 536 (flow numbers have 32 bits), an empty message, or
    /// none in flight.
    pub fn generate(&self, hosts: u32) -> Result<Traffic, WorkloadError> {
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
            for round in 1..hosts {
                let receiver = (host + round) % hosts;
                let mut flow = Flow::at_zero(host, receiver, self.message);
                if at_once < each {
                    flow.on_acked = Some(TriggerId::new(host));
                }
                if round > at_once {
                    flow.start = Start::Triggered;
                }
                traffic.flows.push(flow);
            }
            if at_once < each {
                let first = u64::from(host) * u64::from(each);
                let targets = (u64::from(at_once)..u64::from(each))
                    .map(|round| FlowId((first + round) as u32))
                    .collect();
                traffic.triggers.push(Trigger {
                    kind: TriggerKind::Next,
                    targets,
                    fires: Vec::new(),
                });
            }
        }
        Ok(traffic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generate(hosts: u32, in_flight: Option<u32>) -> Traffic {
        AllToAll { message: Bytes(9), in_flight }.generate(hosts).unwrap()
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

    #[test]
    fn a_bounded_exchange_starts_each_message_once() {
        let traffic = generate(5, Some(3));
        for host in 0..5 {
            let flows = &traffic.flows[host * 4..host * 4 + 4];
            let at_zero = flows.iter().filter(|flow| flow.start != Start::Triggered).count();
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
            AllToAll { message: Bytes(9), in_flight }.generate(hosts).unwrap_err().quantity
        };
        assert_eq!(refuse(1, None), "hosts");
        assert_eq!(refuse(65_537, None), "hosts");
        assert_eq!(refuse(4, Some(0)), "in_flight");
    }
}
