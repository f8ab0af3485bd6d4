//! Open-loop arrivals: hosts start flows at random times, whatever became of earlier ones.

use super::host_set::HostSet;
use super::law::{Law, Sampling};
use super::racks::Racks;
use super::{Flow, Start, Traffic, WorkloadError, check_hosts};
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Rate, Time};

/// Poisson arrivals at hosts, sizes from a law, receivers uniform over the hosts that may be.
///
/// Arrivals at a host come at `load * base / (8 * mean size)` per second, with the mean of the law
/// as it is sampled. Sizes are application bytes: headers and ACKs come on top of the load.
#[derive(Clone, Debug, PartialEq)]
pub struct Poisson {
    /// The flow sizes.
    pub law: Law,
    /// What lies between the law's points.
    pub sampling: Sampling,
    /// The load, over 0 and at most 1, of the base.
    pub load: f64,
    /// What the load is a fraction of.
    pub base: LoadBase,
    /// The hosts that send; else all do.
    pub senders: Option<HostSet>,
    /// Who receives.
    pub receivers: Receivers,
    /// The hosts that do; else all may.
    pub destinations: Option<HostSet>,
    /// No flow starts at or after this time.
    pub horizon: Time,
    /// Of the flows drawn only those of this size and more are there.
    pub at_least: Bytes,
    /// And only those of less than this, if it is set.
    pub below: Option<Bytes>,
}

raddle_schemes::words! {
    /// Whom a flow goes to, each as likely as any other.
    pub enum Receivers {
        /// Any other host.
        Any = "any",
        /// Any host below another ToR: all of the load is on uplinks (PowerTCP, ABM, Reverie).
        OtherTors = "other_tors",
        /// Any host below the ToR with the next number; of the last one, below the first (the released
        /// programs of ABM, Reverie and Credence).
        NextTor = "next_tor",
        /// Any host below the one ToR that the seed draws for the sender's ToR; each ToR is drawn for
        /// one other (Mars: a random permutation of racks).
        DrawnTor = "drawn_tor",
        /// The same with ToRs in pairs at random, whose hosts send to each other (Vermilion:
        /// communication in pairs).
        PairedTor = "paired_tor",
    }
}

raddle_schemes::words! {
    /// What a load is a fraction of.
    pub enum LoadBase {
        /// The rate of the host's link (HPCC, ConWeave, REPS, Opera).
        HostLink = "host_link",
        /// The host's share of its ToR's uplinks (ns3-datacenter). All flows count, also those
        /// that stay below the ToR.
        TorUplink = "tor_uplink",
    }
}

impl Poisson {
    /// Draws the traffic, in the order of start times, then of senders.
    ///
    /// Host `h`, if it sends, draws from stream `("poisson", h)`, for each flow the time since the one before,
    /// the receiver and the size. The same seed at another load gives each host the same receivers
    /// and sizes in the same order.
    ///
    /// # Errors
    /// Fewer than 2 hosts, a load outside of 0 to 1, a horizon of zero, uplinks as the base where a
    /// host's ToR has none, senders or destinations that the fabric does not have, a sender that has
    /// nobody to send to, ToRs in pairs where their number is odd, or so much traffic that flow numbers
    /// (32 bits) would run out.
    pub fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, WorkloadError> {
        check_open_loop(fabric.hosts, self.load, self.horizon)?;
        HostSet::check(self.senders.as_ref(), "senders", fabric)?;
        HostSet::check(self.destinations.as_ref(), "destinations", fabric)?;
        let gaps = self.mean_gaps(fabric)?;
        let mut flows = Vec::with_capacity(expected(&gaps, self.horizon)?);
        let racks = Racks::of(fabric);
        let tors = self.tors(&racks, seed)?;
        for (host, &gap) in self.senders(fabric).zip(&gaps) {
            let receivers = self.receivers_of(fabric, &racks, tors.as_deref(), host)?;
            self.arrivals((host, fabric.hosts), receivers.as_deref(), gap, seed, &mut flows);
        }
        flows.sort_by_key(|(start, flow)| (*start, flow.source));
        Ok(flows.into_iter().map(|(_, flow)| flow).collect::<Vec<_>>().into())
    }

    /// About how many flows it draws on this fabric; none where it can draw none.
    pub fn expected_flows(&self, fabric: &Fabric) -> u64 {
        let gaps = self.mean_gaps(fabric).unwrap_or_default();
        flows_within(&gaps, self.horizon) as u64
    }

    /// Whether a seed decides which ToRs send to which.
    pub fn draws_tors(&self) -> bool {
        matches!(self.receivers, Receivers::DrawnTor | Receivers::PairedTor)
    }

    /// The bytes that hosts send on the mean until the horizon: sender, receiver and bytes.
    ///
    /// # Errors
    /// Those of [`generate`](Self::generate).
    pub fn mean_bytes(
        &self,
        fabric: &Fabric,
        seed: u64,
    ) -> Result<Vec<(HostId, HostId, f64)>, WorkloadError> {
        check_open_loop(fabric.hosts, self.load, self.horizon)?;
        HostSet::check(self.senders.as_ref(), "senders", fabric)?;
        HostSet::check(self.destinations.as_ref(), "destinations", fabric)?;
        let racks = Racks::of(fabric);
        let tors = self.tors(&racks, seed)?;
        let mut pairs = Vec::new();
        for (host, gap) in self.senders(fabric).zip(self.mean_gaps(fabric)?) {
            let all = || (0..fabric.hosts).filter(|to| *to != host).collect();
            let receivers = self.receivers_of(fabric, &racks, tors.as_deref(), host)?;
            let receivers = receivers.unwrap_or_else(all);
            let flows = self.horizon.0 as f64 / gap / receivers.len() as f64;
            let mean = self.law.mean_within(self.sampling, self.at_least, self.below);
            let bytes = flows * mean;
            pairs.extend(receivers.into_iter().map(|to| (HostId(host), HostId(to), bytes)));
        }
        Ok(pairs)
    }

    fn senders(&self, fabric: &Fabric) -> impl Iterator<Item = u32> {
        (0..fabric.hosts).filter(|&host| HostSet::has(self.senders.as_ref(), host))
    }

    /// The ToR to whose hosts those of each ToR send, where it is one.
    fn tors(&self, racks: &Racks, seed: u64) -> Result<Option<Vec<u32>>, WorkloadError> {
        let count = racks.hosts.len();
        let refused = |found: String, fits| Err(WorkloadError::new("receivers", found, fits));
        match self.receivers {
            Receivers::Any | Receivers::OtherTors => Ok(None),
            Receivers::PairedTor if count % 2 == 1 => {
                refused(format!("paired_tor, and there are {count} ToRs"), "drawn_tor")
            }
            _ if count < 2 => {
                refused(format!("{}, and there is one ToR", self.receivers.word()), "any")
            }
            Receivers::NextTor => {
                Ok(Some((0..count).map(|tor| ((tor + 1) % count) as u32).collect()))
            }
            Receivers::DrawnTor => Ok(Some(racks.drawn(seed))),
            Receivers::PairedTor => Ok(Some(racks.paired(seed))),
        }
    }

    /// Those to whom a host sends, unless they are all others.
    fn receivers_of(
        &self,
        fabric: &Fabric,
        racks: &Racks,
        tors: Option<&[u32]>,
        host: u32,
    ) -> Result<Option<Vec<u32>>, WorkloadError> {
        let own = racks.of_host[host as usize];
        let may = |to: &u32| HostSet::has(self.destinations.as_ref(), *to);
        let all = 0..fabric.hosts;
        let receivers: Vec<u32> = match (tors, self.receivers) {
            (Some(tors), _) => {
                let below = racks.hosts[tors[own as usize] as usize].iter().copied();
                below.filter(may).collect()
            }
            (None, Receivers::Any) if self.destinations.is_none() => return Ok(None),
            (None, Receivers::Any) => all.filter(|to| *to != host && may(to)).collect(),
            (None, _) => all.filter(|to| racks.of_host[*to as usize] != own && may(to)).collect(),
        };
        if !receivers.is_empty() {
            return Ok(Some(receivers));
        }
        Err(match &self.destinations {
            None => {
                let found = format!("{}, and there is one ToR", self.receivers.word());
                WorkloadError::new("receivers", found, "any")
            }
            Some(set) => {
                let found = format!("{set}, to none of which host {host} may send");
                WorkloadError::new("destinations", found, "ranges with others")
            }
        })
    }

    /// The mean time between a host's arrivals, in picoseconds, per host that sends.
    fn mean_gaps(&self, fabric: &Fabric) -> Result<Vec<f64>, WorkloadError> {
        let bits = 8.0 * self.law.mean(self.sampling);
        let rates = self.senders(fabric).map(|host| match self.base {
            LoadBase::HostLink => Ok(fabric.host_rate(HostId(host)).0 as f64),
            LoadBase::TorUplink => uplink_share(fabric, HostId(host)),
        });
        rates.map(|rate| Ok(1e12 * bits / (self.load * rate?))).collect()
    }

    fn arrivals(
        &self,
        (host, hosts): (u32, u32),
        receivers: Option<&[u32]>,
        mean_gap: f64,
        seed: u64,
        flows: &mut Vec<(Time, Flow)>,
    ) {
        let mut rng = Rng::new(seed, "poisson", u64::from(host));
        let mut now = 0u64;
        loop {
            // A gap beyond 2^64 ps saturates, and ends the host's arrivals.
            now = now.saturating_add(rng.exponential(mean_gap).round() as u64);
            if now >= self.horizon.0 {
                return;
            }
            let receiver = match receivers {
                None => any_other(host, hosts, &mut rng),
                Some(others) => others[rng.below(others.len() as u64) as usize],
            };
            let bytes = self.law.sample(self.sampling, &mut rng);
            if bytes < self.at_least || self.below.is_some_and(|below| bytes >= below) {
                continue;
            }
            let start = Start::At(Time(now));
            let flow = Flow { start, ..Flow::at_zero(host, receiver, bytes) };
            flows.push((Time(now), flow));
        }
    }
}

/// What any open loop must be.
pub(super) fn check_open_loop(hosts: u32, load: f64, horizon: Time) -> Result<(), WorkloadError> {
    check_hosts(hosts)?;
    if !(load > 0.0 && load <= 1.0) {
        return Err(WorkloadError::new("load", load, "over 0 and at most 1"));
    }
    if horizon == Time::ZERO {
        return Err(WorkloadError::new("horizon", horizon, "more than 0 ps"));
    }
    Ok(())
}

/// About how many flows there will be, of hosts with these mean gaps in picoseconds.
pub(super) fn expected(gaps: &[f64], horizon: Time) -> Result<usize, WorkloadError> {
    let expected = flows_within(gaps, horizon);
    if expected > 4e9 {
        let found = format!("{horizon}, which makes about {expected:.3e} flows");
        return Err(WorkloadError::new("horizon", found, "at most 4e9 flows"));
    }
    Ok(expected as usize)
}

/// Flows of hosts with these mean gaps before the horizon.
pub(super) fn flows_within(gaps: &[f64], horizon: Time) -> f64 {
    gaps.iter().map(|gap| horizon.0 as f64 / gap).sum()
}

/// A host drawn uniformly from all others.
pub(super) fn any_other(host: u32, hosts: u32, rng: &mut Rng) -> u32 {
    let other = rng.below(u64::from(hosts) - 1) as u32;
    if other < host { other } else { other + 1 }
}

/// The rate of the uplinks of a host's ToRs, divided by their hosts.
fn uplink_share(fabric: &Fabric, host: HostId) -> Result<f64, WorkloadError> {
    let shares = fabric.ports_of(host).map(|port| share_of_one(fabric, fabric.edge_of(port)));
    shares.sum()
}

fn share_of_one(fabric: &Fabric, tor: SwitchId) -> Result<f64, WorkloadError> {
    let tor = &fabric.switches[tor.index()];
    let ports = tor.ports.clone().map(PortId);
    let hosts = ports.clone().filter(|&port| matches!(fabric.destination(port), Node::Host(_)));
    let uplinks = ports.map(|port| &fabric.ports[port.index()]).filter(|port| port.up);
    let Rate(total) = Rate(uplinks.map(|port| port.rate.0).sum());
    if total == 0 {
        let found = format!("tor_uplink, and {} has no uplinks", tor.name);
        return Err(WorkloadError::new("base", found, "host_link"));
    }
    Ok(total as f64 / hosts.count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::LeafSpine;
    use raddle_schemes::units::Bytes;

    fn poisson(load: f64, base: LoadBase, horizon: Time) -> Poisson {
        let law = Law::from_csv("size_bytes,cdf\n1000,0\n3000,1\n").unwrap();
        Poisson {
            law,
            sampling: Sampling::Linear,
            load,
            base,
            senders: None,
            receivers: Receivers::Any,
            destinations: None,
            horizon,
            at_least: Bytes(0),
            below: None,
        }
    }

    fn set(text: &str) -> Option<HostSet> {
        HostSet::parse(text)
    }

    /// 16 hosts at 100 Gbps; ToRs have 4 hosts and 2 uplinks at 100 Gbps.
    fn fabric() -> Fabric {
        LeafSpine { tors: 4, hosts_per_tor: 4, ..LeafSpine::default() }.fabric()
    }

    fn started(flow: &Flow) -> Time {
        match flow.start {
            Start::At(time) => time,
            Start::After(_) => panic!("Poisson flows start by themselves"),
        }
    }

    #[test]
    fn the_offered_bytes_are_the_load_of_the_base() {
        let horizon = Time(2_000_000_000);
        for (base, rate) in [(LoadBase::HostLink, 100), (LoadBase::TorUplink, 50)] {
            let traffic = poisson(0.6, base, horizon).generate(&fabric(), 1).unwrap();
            let offered: u64 = traffic.flows.iter().map(|flow| flow.bytes.0).sum();
            let capacity = Rate::gbps(16 * rate).bytes_in(horizon.since(Time::ZERO)).0;
            let load = offered as f64 / capacity as f64;
            assert!((load / 0.6 - 1.0).abs() < 0.02, "{load}");
        }
    }

    #[test]
    fn mean_bytes_are_those_of_long_traffic() {
        let horizon = Time(4_000_000_000);
        let some = (Bytes(1_500), Some(Bytes(2_500)));
        for (receivers, (at_least, below)) in [
            (Receivers::Any, (Bytes(0), None)),
            (Receivers::OtherTors, some),
            (Receivers::PairedTor, some),
        ] {
            let all = poisson(0.5, LoadBase::HostLink, horizon);
            let pattern = Poisson { receivers, at_least, below, ..all };
            let tor = |host: HostId| host.index() / 4;
            let (mut mean, mut drawn) = ([[0.0; 4]; 4], [[0.0; 4]; 4]);
            for (from, to, bytes) in pattern.mean_bytes(&fabric(), 3).unwrap() {
                mean[tor(from)][tor(to)] += bytes;
            }
            for flow in pattern.generate(&fabric(), 3).unwrap().flows.iter() {
                drawn[tor(flow.source)][tor(flow.destination)] += flow.bytes.0 as f64;
            }
            for (mean, drawn) in mean.as_flattened().iter().zip(drawn.as_flattened()) {
                assert!((mean - drawn).abs() <= 0.05 * mean, "{receivers:?}: {mean} {drawn}");
            }
        }
    }

    #[test]
    fn gaps_are_exponential_and_receivers_uniform() {
        let traffic =
            poisson(0.5, LoadBase::HostLink, Time(8_000_000_000)).generate(&fabric(), 2).unwrap();
        assert!(traffic.flows.is_sorted_by_key(|flow| (started(flow), flow.source)));
        let first: Vec<_> = traffic.flows.iter().filter(|flow| flow.source.0 == 0).collect();
        let gaps: Vec<f64> =
            first.windows(2).map(|pair| (started(pair[1]) - started(pair[0])).0 as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / gaps.len() as f64;
        // 16 000 bits at 50 Gbps; the square of an exponential has mean 2.
        assert!((mean / 320_000.0 - 1.0).abs() < 0.03, "{mean}");
        assert!((square / (2.0 * mean * mean) - 1.0).abs() < 0.06);
        let mut counts = [0u32; 16];
        first.iter().for_each(|flow| counts[flow.destination.index()] += 1);
        assert_eq!(counts[0], 0);
        let even = first.len() as f64 / 15.0;
        assert!(counts[1..].iter().all(|&n| (f64::from(n) / even - 1.0).abs() < 0.1), "{counts:?}");
    }

    #[test]
    fn receivers_below_other_tors_are_uniform() {
        let any = poisson(0.5, LoadBase::TorUplink, Time(2_000_000_000));
        let other = Poisson { receivers: Receivers::OtherTors, ..any.clone() };
        let flows = other.generate(&fabric(), 2).unwrap().flows;
        let mut counts = [0u32; 16];
        let first = flows.iter().filter(|flow| flow.source.0 < 4);
        first.for_each(|flow| counts[flow.destination.index()] += 1);
        assert_eq!(counts[..4], [0; 4]);
        let even = f64::from(counts.iter().sum::<u32>()) / 12.0;
        assert!(counts[4..].iter().all(|&n| (f64::from(n) / even - 1.0).abs() < 0.2), "{counts:?}");
        let single = LeafSpine { tors: 1, spines: 0, ..LeafSpine::default() }.fabric();
        let alone = Poisson { base: LoadBase::HostLink, ..other };
        assert_eq!(alone.generate(&single, 1).unwrap_err().quantity, "receivers");
    }

    #[test]
    fn a_drawn_tor_is_another_one_and_paired_tors_send_to_each_other() {
        let any = poisson(0.5, LoadBase::TorUplink, Time(500_000_000));
        let tor_of = |receivers, seed| {
            let pattern = Poisson { receivers, ..any.clone() };
            let mut tors = [None; 4];
            for flow in pattern.generate(&fabric(), seed).unwrap().flows.iter() {
                let (from, to) = (flow.source.0 / 4, flow.destination.0 / 4);
                assert_eq!(*tors[from as usize].get_or_insert(to), to);
            }
            tors.map(Option::unwrap)
        };
        let mut drawn = std::collections::HashSet::new();
        for seed in 0..100 {
            let tors = tor_of(Receivers::DrawnTor, seed);
            assert!((0..4).all(|tor| tors.contains(&tor) && tors[tor as usize] != tor));
            drawn.insert(tors);
            let tors = tor_of(Receivers::PairedTor, seed);
            assert!((0..4).all(|tor| tors[tors[tor] as usize] == tor as u32));
            assert!((0..4).all(|tor| tors[tor as usize] != tor));
        }
        // All nine permutations of four that leave nobody to himself.
        assert_eq!(drawn.len(), 9);
        let odd = LeafSpine { tors: 3, hosts_per_tor: 4, ..LeafSpine::default() }.fabric();
        let paired = Poisson { receivers: Receivers::PairedTor, ..any };
        assert_eq!(paired.generate(&odd, 1).unwrap_err().quantity, "receivers");
    }

    #[test]
    fn receivers_below_the_next_tor_are_all_of_its_hosts() {
        let any = poisson(0.5, LoadBase::TorUplink, Time(2_000_000_000));
        let next = Poisson { receivers: Receivers::NextTor, ..any };
        let flows = next.generate(&fabric(), 2).unwrap().flows;
        let rack = |host: HostId| host.0 / 4;
        assert!(flows.iter().all(|flow| rack(flow.destination) == (rack(flow.source) + 1) % 4));
        let mut counts = [0u32; 16];
        flows.iter().for_each(|flow| counts[flow.destination.index()] += 1);
        let even = flows.len() as f64 / 16.0;
        assert!(counts.iter().all(|&n| (f64::from(n) / even - 1.0).abs() < 0.2), "{counts:?}");
        let part = Poisson { destinations: set("4..5"), senders: set("0..3"), ..next.clone() };
        let flows = part.generate(&fabric(), 2).unwrap().flows;
        assert!(flows.iter().all(|flow| (4..6).contains(&flow.destination.0)));
        let nobody = Poisson { destinations: set("4..5"), ..next.clone() };
        assert!(nobody.generate(&fabric(), 2).unwrap_err().to_string().contains("host 4 may send"));
        let single = LeafSpine { tors: 1, spines: 0, ..LeafSpine::default() }.fabric();
        let alone = Poisson { base: LoadBase::HostLink, ..next }.generate(&single, 1).unwrap_err();
        assert_eq!(
            alone.to_string(),
            "`receivers` is next_tor, and there is one ToR; expected any"
        );
    }

    /// Hosts 4 to 7 are those of one ToR.
    #[test]
    fn senders_and_destinations_are_those_given() {
        let all = poisson(0.5, LoadBase::TorUplink, Time(2_000_000_000));
        let some = Poisson { senders: set("4..7"), destinations: set("4..11"), ..all.clone() };
        let flows = some.generate(&fabric(), 2).unwrap().flows;
        assert!(flows.iter().all(|flow| (4..=7).contains(&flow.source.0)));
        assert_eq!(some.expected_flows(&fabric()), all.expected_flows(&fabric()) / 4);
        let mut counts = [0u32; 16];
        let first = flows.iter().filter(|flow| flow.source.0 == 5);
        first.for_each(|flow| counts[flow.destination.index()] += 1);
        let even = f64::from(counts.iter().sum::<u32>()) / 7.0;
        for (host, &count) in counts.iter().enumerate() {
            let expected = if (4..12).contains(&host) && host != 5 { even } else { 0.0 };
            assert!((f64::from(count) - expected).abs() <= 0.25 * expected, "{counts:?}");
        }
        // Who sends moves nobody's draws.
        let of = |poisson: &Poisson| {
            let flows = poisson.generate(&fabric(), 2).unwrap().flows;
            flows.iter().filter(|flow| flow.source.0 == 5).cloned().collect::<Vec<_>>()
        };
        assert_eq!(of(&Poisson { senders: set("5..5"), ..all.clone() }), of(&all));
        let refused = |senders, receivers, destinations| {
            let poisson = Poisson { senders, receivers, destinations, ..all.clone() };
            poisson.generate(&fabric(), 1).unwrap_err().to_string()
        };
        let (any, other) = (Receivers::Any, Receivers::OtherTors);
        assert_eq!(
            refused(set("3..16"), any, None),
            "`senders` is 3..16; expected hosts within 0..15"
        );
        assert_eq!(
            refused(None, any, set("3..3")),
            "`destinations` is 3..3, to none of which host 3 may send; expected ranges with others"
        );
        assert!(refused(set("4..7"), other, set("4..7")).contains("host 4 may send"));
    }

    #[test]
    fn hosts_and_loads_do_not_move_each_other_s_draws() {
        let of_host_3 = |fabric: &Fabric, load| -> Vec<(HostId, Bytes)> {
            let poisson = poisson(load, LoadBase::HostLink, Time(500_000_000));
            let flows = poisson.generate(fabric, 7).unwrap().flows;
            let flows = flows.iter().filter(|flow| flow.source.0 == 3);
            flows.take(100).map(|flow| (flow.destination, flow.bytes)).collect()
        };
        let mut slower = fabric();
        slower.ports[5].rate = Rate::gbps(10);
        let flows = of_host_3(&fabric(), 0.5);
        assert_eq!(flows.len(), 100);
        assert_eq!(flows, of_host_3(&slower, 0.5));
        assert_eq!(flows, of_host_3(&fabric(), 0.9));
    }

    #[test]
    fn impossible_arrivals_are_refused() {
        let refuse = |load, base, horizon, fabric: &Fabric| {
            poisson(load, base, Time(horizon)).generate(fabric, 1).unwrap_err()
        };
        let (host, uplink) = (LoadBase::HostLink, LoadBase::TorUplink);
        for load in [0.0, -0.1, 40.0, f64::NAN] {
            assert_eq!(refuse(load, host, 1, &fabric()).quantity, "load");
        }
        assert_eq!(refuse(0.5, host, 0, &fabric()).quantity, "horizon");
        assert_eq!(refuse(0.5, host, u64::MAX, &fabric()).quantity, "horizon");
        let single = LeafSpine { tors: 1, spines: 0, ..LeafSpine::default() }.fabric();
        let error = refuse(0.5, uplink, 1, &single).to_string();
        assert_eq!(error, "`base` is tor_uplink, and tor0 has no uplinks; expected host_link");
    }
}
