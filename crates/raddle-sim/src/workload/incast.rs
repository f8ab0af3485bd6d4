//! Many hosts send to one.

use super::{Flow, Traffic, WorkloadError, check_hosts, check_message};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;

/// `senders` hosts send one message each to `receiver`.
///
/// The senders are the hosts whose numbers are farthest from the receiver's, the lower number first
/// where two are equally far. REPS (EuroSys '26, artifact) sends to host 0 from 8 hosts of the
/// upper half; this does the same with `senders = 8` and `receiver = 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incast {
    /// Number of senders.
    pub senders: u32,
    /// The host they send to.
    pub receiver: HostId,
    /// Size of every message.
    pub message: Bytes,
}

impl Incast {
    /// The traffic; nothing in it is random.
    ///
    /// # Errors
    /// Fewer than 2 hosts, no senders or more than the other hosts, a receiver that does not
    /// exist, or an empty message.
    pub fn generate(&self, hosts: u32) -> Result<Traffic, WorkloadError> {
        check_hosts(hosts)?;
        check_message(self.message)?;
        let receiver = self.receiver.0;
        if receiver >= hosts {
            return Err(WorkloadError::new(
                "receiver",
                receiver,
                format!("a host from 0 to {}", hosts - 1),
            ));
        }
        if !(1..hosts).contains(&self.senders) {
            let fits = format!("1 to {}: all hosts but the receiver", hosts - 1);
            return Err(WorkloadError::new("senders", self.senders, fits));
        }
        let mut others: Vec<u32> = (0..hosts).filter(|&host| host != receiver).collect();
        others.sort_by_key(|&host| (std::cmp::Reverse(host.abs_diff(receiver)), host));
        others.truncate(self.senders as usize);
        others.sort_unstable();
        let flows = others.iter().map(|&host| Flow::at_zero(host, receiver, self.message));
        Ok(flows.collect::<Vec<_>>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn senders(hosts: u32, senders: u32, receiver: u32) -> Result<Vec<u32>, WorkloadError> {
        let incast = Incast { senders, receiver: HostId(receiver), message: Bytes(9) };
        let traffic = incast.generate(hosts)?;
        assert!(traffic.flows.iter().all(|flow| flow.destination.0 == receiver));
        Ok(traffic.flows.iter().map(|flow| flow.source.0).collect())
    }

    #[test]
    fn the_farthest_hosts_send() {
        assert_eq!(senders(128, 8, 0).unwrap(), Vec::from_iter(120..128));
        assert_eq!(senders(8, 3, 4).unwrap(), [0, 1, 7]);
        assert_eq!(senders(4, 3, 1).unwrap(), [0, 2, 3]);
    }

    #[test]
    fn impossible_incasts_are_refused() {
        assert_eq!(senders(8, 8, 0).unwrap_err().quantity, "senders");
        assert_eq!(senders(8, 0, 0).unwrap_err().quantity, "senders");
        assert_eq!(senders(8, 1, 8).unwrap_err().fits, "a host from 0 to 7");
    }
}
