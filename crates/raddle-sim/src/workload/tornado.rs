//! Every host sends to the host half of all hosts further on.

use super::{Flow, Traffic, WorkloadError, check_hosts, check_message};
use raddle_schemes::units::Bytes;

/// Host `i` sends one message to host `(i + n/2) mod n`: in a tree, all messages cross its top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tornado {
    /// Size of every message.
    pub message: Bytes,
}

impl Tornado {
    /// The traffic; nothing in it is random.
    ///
    /// # Errors
    /// Fewer than 2 hosts, or an empty message.
    pub fn generate(&self, hosts: u32) -> Result<Traffic, WorkloadError> {
        check_hosts(hosts)?;
        check_message(self.message)?;
        let receiver = |host| ((u64::from(host) + u64::from(hosts / 2)) % u64::from(hosts)) as u32;
        let flows = (0..hosts).map(|host| Flow::at_zero(host, receiver(host), self.message));
        Ok(flows.collect::<Vec<_>>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_send_half_way_round() {
        let receivers = |hosts| -> Vec<u32> {
            let traffic = Tornado { message: Bytes(9) }.generate(hosts).unwrap();
            traffic.flows.iter().map(|flow| flow.destination.0).collect()
        };
        assert_eq!(receivers(6), [3, 4, 5, 0, 1, 2]);
        assert_eq!(receivers(5), [2, 3, 4, 0, 1]);
        assert_eq!(Tornado { message: Bytes(9) }.generate(1).unwrap_err().quantity, "hosts");
    }
}
