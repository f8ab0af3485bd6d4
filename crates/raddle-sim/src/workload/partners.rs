//! Open-loop traffic as the REPS artifact generates its traces: every host has a partner.

use super::law::{Law, Sampling};
use super::permutation::leaving;
use super::poisson::{any_other, check_open_loop, expected, flows_within};
use super::{Flow, Start, Traffic, WorkloadError};
use crate::topology::Fabric;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;

/// Every host has a partner below another ToR and is the partner of one ("for each node we select
/// randomly the receiver", REPS, section 4.1). It sends it flow after flow, each when the one before
/// would have ended at `load` times the rate of the host's link, whatever became of it; a few flows
/// go to anyone.
#[derive(Clone, Debug, PartialEq)]
pub struct Partners {
    /// The flow sizes.
    pub law: Law,
    /// What lies between the law's points.
    pub sampling: Sampling,
    /// The load, over 0 and at most 1, of the host's link.
    pub load: f64,
    /// The share of flows, 0 to 1, that go to a host drawn uniformly from all others. The artifact:
    /// 5 of 101.
    pub strays: f64,
    /// No flow starts at or after this time.
    pub horizon: Time,
}

impl Partners {
    /// Draws the traffic, in the order of start times, then of senders.
    ///
    /// Partners are drawn from stream `("partners", hosts)`; host `h` draws from `("partners", h)`,
    /// for each flow its size and whether it strays. The same seed at another load gives each host
    /// the same receivers and sizes in the same order.
    ///
    /// # Errors
    /// Fewer than 2 hosts, a ToR with more than half of them, a load or a share of strays that is
    /// none, a horizon of zero, or so much traffic that flow numbers (32 bits) would run out.
    pub fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, WorkloadError> {
        check_open_loop(fabric.hosts, self.load, self.horizon)?;
        if !(0.0..=1.0).contains(&self.strays) {
            return Err(WorkloadError::new("strays", self.strays, "0 to 1"));
        }
        let expected = expected(&self.mean_gaps(fabric), self.horizon)?;
        let tors: Vec<u32> = (0..fabric.hosts).map(|host| fabric.edge(HostId(host)).0).collect();
        let mut rng = Rng::new(seed, "partners", u64::from(fabric.hosts));
        let partners = leaving(&tors, &mut rng).map_err(|(_, count)| {
            let found = format!("partners, and one ToR has {count} of {} hosts", fabric.hosts);
            WorkloadError::new("kind", found, "no ToR with more than half of all hosts")
        })?;
        let mut flows = Vec::with_capacity(expected);
        for (host, &partner) in (0..).zip(&partners) {
            self.arrivals(fabric, host, partner, seed, &mut flows);
        }
        flows.sort_by_key(|(start, flow)| (*start, flow.source));
        Ok(flows.into_iter().map(|(_, flow)| flow).collect::<Vec<_>>().into())
    }

    /// About how many flows it draws on this fabric.
    pub fn expected_flows(&self, fabric: &Fabric) -> u64 {
        flows_within(&self.mean_gaps(fabric), self.horizon) as u64
    }

    /// The mean time between a host's arrivals, in picoseconds, per host.
    fn mean_gaps(&self, fabric: &Fabric) -> Vec<f64> {
        let mean = self.law.mean(self.sampling);
        (0..fabric.hosts).map(|host| self.gap(fabric, host, mean)).collect()
    }

    /// How long a flow of so many bytes keeps a host busy, in picoseconds.
    fn gap(&self, fabric: &Fabric, host: u32, bytes: f64) -> f64 {
        8e12 * bytes / (self.load * fabric.host_rate(HostId(host)).0 as f64)
    }

    fn arrivals(
        &self,
        fabric: &Fabric,
        host: u32,
        partner: u32,
        seed: u64,
        flows: &mut Vec<(Time, Flow)>,
    ) {
        let mut rng = Rng::new(seed, "partners", u64::from(host));
        let mut now = 0u64;
        while now < self.horizon.0 {
            let bytes = self.law.sample(self.sampling, &mut rng);
            let receiver = if rng.unit() < self.strays {
                any_other(host, fabric.hosts, &mut rng)
            } else {
                partner
            };
            let start = Start::At(Time(now));
            flows.push((Time(now), Flow { start, ..Flow::at_zero(host, receiver, bytes) }));
            // A gap of nothing would never end; one beyond 2^64 ps saturates, and ends it.
            let gap = self.gap(fabric, host, bytes.0 as f64).round() as u64;
            now = now.saturating_add(gap.max(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::LeafSpine;
    use raddle_schemes::units::{Bytes, Rate};

    fn partners(load: f64, horizon: u64) -> Partners {
        let law = Law::from_csv("size_bytes,cdf\n1000,0\n3000,1\n").unwrap();
        let sampling = Sampling::Linear;
        Partners { law, sampling, load, strays: 0.05, horizon: Time(horizon) }
    }

    /// 16 hosts at 100 Gbps below 4 ToRs.
    fn fabric() -> Fabric {
        LeafSpine { tors: 4, hosts_per_tor: 4, ..LeafSpine::default() }.fabric()
    }

    fn of_host(traffic: &Traffic, host: u32) -> Vec<&Flow> {
        traffic.flows.iter().filter(|flow| flow.source.0 == host).collect()
    }

    #[test]
    fn most_flows_go_to_one_partner_each_below_another_tor() {
        let traffic = partners(0.5, 8_000_000_000).generate(&fabric(), 1).unwrap();
        let mut favourites = Vec::new();
        for host in 0..16 {
            let own = of_host(&traffic, host);
            let mut counts = [0usize; 16];
            own.iter().for_each(|flow| counts[flow.destination.index()] += 1);
            assert_eq!(counts[host as usize], 0);
            let favourite = (0..16).max_by_key(|&to| counts[to]).unwrap();
            assert_ne!(favourite as u32 / 4, host / 4);
            let share = counts[favourite] as f64 / own.len() as f64;
            assert!((share - 0.953).abs() < 0.01, "{share}");
            favourites.push(favourite);
        }
        favourites.sort_unstable();
        assert!(favourites.into_iter().eq(0..16));
    }

    #[test]
    fn a_flow_starts_when_the_one_before_would_have_ended_at_the_load() {
        let traffic = partners(0.4, 400_000_000).generate(&fabric(), 2).unwrap();
        for host in 0..16 {
            let mut due = 0;
            for flow in of_host(&traffic, host) {
                assert_eq!(flow.start, Start::At(Time(due)));
                // 40 Gbps: 25 ps a bit.
                due += flow.bytes.0 * 8 * 25;
            }
            assert!(due >= 400_000_000);
        }
        let offered: u64 = traffic.flows.iter().map(|flow| flow.bytes.0).sum();
        let capacity = Rate::gbps(16 * 100).bytes_in(Time(400_000_000).since(Time::ZERO)).0;
        assert!((offered as f64 / capacity as f64 / 0.4 - 1.0).abs() < 0.02);
    }

    #[test]
    fn loads_do_not_move_receivers_and_sizes() {
        let draw = |load| -> Vec<(HostId, Bytes)> {
            let traffic = partners(load, 500_000_000).generate(&fabric(), 7).unwrap();
            let own = of_host(&traffic, 3);
            own.into_iter().take(100).map(|flow| (flow.destination, flow.bytes)).collect()
        };
        assert_eq!(draw(0.4), draw(0.9));
    }

    #[test]
    fn impossible_traffic_is_refused() {
        let refuse = |load, strays, horizon, fabric: &Fabric| {
            let partners = Partners { strays, ..partners(load, horizon) };
            partners.generate(fabric, 1).unwrap_err()
        };
        for load in [0.0, -0.1, 40.0, f64::NAN] {
            assert_eq!(refuse(load, 0.05, 1, &fabric()).quantity, "load");
        }
        assert_eq!(refuse(0.5, 1.5, 1, &fabric()).quantity, "strays");
        assert_eq!(refuse(0.5, 0.05, 0, &fabric()).quantity, "horizon");
        assert_eq!(refuse(0.5, 0.05, u64::MAX, &fabric()).quantity, "horizon");
        let single = LeafSpine { tors: 1, spines: 0, ..LeafSpine::default() }.fabric();
        assert_eq!(refuse(0.5, 0.05, 1, &single).quantity, "kind");
    }
}
