//! Every host sends one message and receives one.

use super::derangement::derangement;
use super::racks::Racks;
use super::{Flow, Traffic, WorkloadError, check_hosts, check_message};
use crate::topology::Fabric;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Bytes;

/// A random permutation without fixed points: no host sends to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// Size of every message.
    pub message: Bytes,
    /// Whether every message has to leave its pod.
    pub inter_pod_only: bool,
}

impl Permutation {
    /// Draws the traffic; `pod_of` is asked only with `inter_pod_only`.
    ///
    /// Without `inter_pod_only` every derangement is equally likely: whole permutations are drawn
    /// until one has no fixed point (one in e does). With it that would take e^(k^2/4) draws in a
    /// fat tree of k pods, so pairs within a pod swap their receivers with random others instead.
    ///
    /// # Errors
    /// Fewer than 2 hosts, an empty message, or a pod with more than half of all hosts.
    pub fn generate(
        &self,
        hosts: u32,
        pod_of: &dyn Fn(HostId) -> u32,
        seed: u64,
    ) -> Result<Traffic, WorkloadError> {
        check_hosts(hosts)?;
        check_message(self.message)?;
        let mut rng = Rng::new(seed, "permutation", 0);
        let receiver = if self.inter_pod_only {
            let pods: Vec<u32> = (0..hosts).map(|host| pod_of(HostId(host))).collect();
            leaving(&pods, &mut rng).map_err(|(pod, count)| {
                let found = format!("true, and pod {pod} has {count} of {hosts} hosts");
                let fits = "no pod with more than half of all hosts";
                WorkloadError::new("inter_pod_only", found, fits)
            })?
        } else {
            derangement(hosts, &mut rng)
        };
        let flows = receiver.iter().zip(0..);
        let flows = flows.map(|(&to, from)| Flow::at_zero(from, to, self.message));
        Ok(flows.collect::<Vec<_>>().into())
    }
}

/// A permutation in which every host sends below the ToR with the next number; those of the last ToR
/// send below the first (the permutation of racks in the released programs of ABM, Reverie and
/// Credence).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextTorPermutation {
    /// Size of every message.
    pub message: Bytes,
}

impl NextTorPermutation {
    /// Draws the traffic: below each ToR, who receives from whom.
    ///
    /// # Errors
    /// Fewer than two ToRs, ToRs with different numbers of hosts, or an empty message.
    pub fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, WorkloadError> {
        check_hosts(fabric.hosts)?;
        check_message(self.message)?;
        let racks = Racks::of(fabric);
        let sizes = || racks.hosts.iter().map(Vec::len);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        let found = match racks.hosts.len() {
            0 | 1 => Some("next_tor, and there is one ToR".to_owned()),
            _ if least < most => Some(format!("next_tor, and ToRs have {least} to {most} hosts")),
            _ => None,
        };
        if let Some(found) = found {
            return Err(WorkloadError::new("receivers", found, "any"));
        }
        let mut rng = Rng::new(seed, "permutation", 0);
        let mut receiver = vec![0; fabric.hosts as usize];
        for rack in &racks.hosts {
            let mut next = racks.below_next(rack[0]).to_vec();
            rng.shuffle(&mut next);
            rack.iter().zip(next).for_each(|(&from, to)| receiver[from as usize] = to);
        }
        let flows = (0..).zip(receiver).map(|(from, to)| Flow::at_zero(from, to, self.message));
        Ok(flows.collect::<Vec<_>>().into())
    }
}

/// A receiver for each host outside of its group, so that each receives once; groups by host. If
/// one has more than half of the hosts: which, and how many it has.
pub(super) fn leaving(groups: &[u32], rng: &mut Rng) -> Result<Vec<u32>, (u32, usize)> {
    let mut sorted = groups.to_vec();
    sorted.sort_unstable();
    let too_many = sorted.chunk_by(|a, b| a == b).find(|group| group.len() * 2 > groups.len());
    if let Some(group) = too_many {
        return Err((group[0], group.len()));
    }
    let mut receiver: Vec<u32> = (0..groups.len() as u32).collect();
    rng.shuffle(&mut receiver);
    leave(&mut receiver, groups, rng);
    Ok(receiver)
}

/// Repairs pairs within a pod by random swaps. No pod holds more than half of the hosts, so a
/// partner with which both pairs leave their pods exists for each of them.
fn leave(receiver: &mut [u32], pods: &[u32], rng: &mut Rng) {
    let hosts = receiver.len();
    for host in 0..hosts {
        while pods[host] == pods[receiver[host] as usize] {
            let other = rng.below(hosts as u64) as usize;
            let leaves = pods[host] != pods[receiver[other] as usize]
                && pods[other] != pods[receiver[host] as usize];
            if leaves {
                receiver.swap(host, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::LeafSpine;

    fn receivers(hosts: u32, inter_pod_only: bool, pod_size: u32, seed: u64) -> Vec<u32> {
        let permutation = Permutation { message: Bytes(1), inter_pod_only };
        let traffic = permutation.generate(hosts, &|host| host.0 / pod_size, seed).unwrap();
        assert!(traffic.flows.iter().zip(0..).all(|(flow, i)| flow.source.0 == i));
        traffic.flows.iter().map(|flow| flow.destination.0).collect()
    }

    fn is_permutation(receivers: &[u32]) -> bool {
        let mut sorted = receivers.to_vec();
        sorted.sort_unstable();
        sorted.iter().copied().eq(0..receivers.len() as u32)
    }

    #[test]
    fn every_host_sends_once_receives_once_and_never_to_itself() {
        for hosts in [2, 3, 5, 128] {
            for seed in 0..50 {
                let receivers = receivers(hosts, false, 1, seed);
                assert!(is_permutation(&receivers));
                assert!(receivers.iter().zip(0..).all(|(&to, from)| to != from));
            }
        }
        assert_eq!(receivers(64, false, 1, 5), receivers(64, false, 1, 5));
        assert_ne!(receivers(64, false, 1, 5), receivers(64, false, 1, 6));
    }

    #[test]
    fn the_nine_derangements_of_four_hosts_are_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..9_000 {
            *counts.entry(receivers(4, false, 1, seed)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 9);
        assert!(counts.values().all(|count| (880..1_120).contains(count)), "{counts:?}");
    }

    #[test]
    fn inter_pod_messages_leave_their_pods_even_when_two_pods_hold_all_hosts() {
        for (hosts, pod_size) in [(128, 16), (16, 4), (8, 4), (2, 1), (128, 64)] {
            for seed in 0..50 {
                let receivers = receivers(hosts, true, pod_size, seed);
                assert!(is_permutation(&receivers));
                let pods = receivers.iter().zip(0..).map(|(&to, from)| (from, to));
                assert!(pods.into_iter().all(|(a, b): (u32, u32)| a / pod_size != b / pod_size));
            }
        }
    }

    #[test]
    fn hosts_send_below_the_next_tor_and_receive_once() {
        let racks = |tors| LeafSpine { tors, hosts_per_tor: 4, ..LeafSpine::default() }.fabric();
        let own = NextTorPermutation { message: Bytes(1) };
        let of = |seed| {
            let flows = own.generate(&racks(4), seed).unwrap().flows;
            assert!(flows.iter().zip(0..).all(|(flow, i)| flow.source.0 == i));
            flows.iter().map(|flow| flow.destination.0).collect::<Vec<_>>()
        };
        let receivers = of(1);
        assert!(is_permutation(&receivers));
        assert!((0..).zip(&receivers).all(|(from, to)| to / 4 == (from / 4 + 1) % 4));
        assert_ne!(receivers, of(2));
        assert_eq!(own.generate(&racks(1), 1).unwrap_err().quantity, "receivers");
    }

    #[test]
    fn impossible_permutations_are_refused() {
        let refuse = |message, inter_pod_only, hosts| {
            let permutation = Permutation { message: Bytes(message), inter_pod_only };
            permutation.generate(hosts, &|host| host.0 / 5, 1).unwrap_err()
        };
        assert_eq!(refuse(1, false, 1).to_string(), "`hosts` is 1; expected at least 2");
        assert_eq!(refuse(0, false, 4).quantity, "message");
        let pods = refuse(1, true, 8);
        assert_eq!(pods.quantity, "inter_pod_only");
        assert!(pods.found.contains("pod 0 has 5 of 8 hosts"), "{pods}");
    }
}
