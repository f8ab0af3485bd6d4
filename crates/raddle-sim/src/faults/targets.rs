//! What faults strike, and what they leave to chance.

use super::error::FaultError;
use super::probability::{in_units_of_2_to_minus_32, is_probability};
use super::spec::{Among, Amount, Effect, FaultPlan, Target};
use super::struck::{Dead, Struck};
use super::uplinks::dead_lanes;
use crate::topology::routing::Weighting;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::rng::Rng;
use std::collections::BTreeSet;

/// How many random choices are tried before giving up.
const DRAWS: u32 = 1_000;

impl FaultPlan {
    /// Chooses what random targets strike, in the order of the faults.
    pub(super) fn draw(
        &self,
        fabric: &Fabric,
        pairs: &[(HostId, HostId)],
        seed: u64,
        targets: &mut [Struck],
    ) -> Result<(), FaultError> {
        let host_name = |host: HostId| fabric.host_name(host).to_owned();
        let mut dead: BTreeSet<PortId> = BTreeSet::new();
        let mut dead_hosts = BTreeSet::new();
        let mut circuits = Dead::new();
        for (fault, struck) in self.faults.iter().zip(targets.iter()) {
            if fault.is_down_for_good() {
                dead.extend(&struck.ports);
                circuits.extend(&struck.circuits);
                dead_hosts.extend(struck.nodes.iter().filter_map(|node| match node {
                    Node::Host(host) => Some(*host),
                    Node::Switch(_) => None,
                }));
            }
        }
        dead.extend(dead_lanes(fabric, &circuits));
        // Nothing is to reach a host that dies for good.
        let lives = |host: &HostId| !dead_hosts.contains(host);
        let pairs = pairs.iter().filter(|(from, to)| lives(from) && lives(to));
        let pairs = &pairs.copied().collect::<Vec<_>>()[..];
        if let Some((source, destination)) = self.cut(fabric, pairs, &dead) {
            let (source, destination) = (host_name(source), host_name(destination));
            return Err(FaultError::Disconnected { source, destination });
        }
        for (i, fault) in self.faults.iter().enumerate() {
            let Target::Random { amount, among } = fault.target else { continue };
            let mut choices = choices(fabric, among);
            let draw = Draw::new(i, amount, among, choices.len())?;
            let mut rng = Rng::new(seed, "fault", i as u64);
            let mut draws = 0;
            loop {
                draws += 1;
                let struck = Struck::together(draw.of(&mut choices, &mut rng));
                if fault.effect != Effect::Down {
                    targets[i] = struck;
                    break;
                }
                let with_these = dead.iter().chain(&struck.ports).copied().collect();
                let cut = self.cut(fabric, pairs, &with_these);
                match cut {
                    None => {
                        if fault.is_down_for_good() {
                            dead = with_these;
                        }
                        targets[i] = struck;
                        break;
                    }
                    Some((source, destination)) if draws == DRAWS => {
                        return Err(FaultError::NoDraw {
                            fault: i,
                            draws,
                            source: host_name(source),
                            destination: host_name(destination),
                        });
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// What random targets strike whatever is drawn: all that there is, or as far as is known nothing.
    pub(super) fn certainly_struck(
        &self,
        fabric: &Fabric,
        targets: &mut [Struck],
    ) -> Result<(), FaultError> {
        for (i, fault) in self.faults.iter().enumerate() {
            let Target::Random { amount, among } = fault.target else { continue };
            let choices = choices(fabric, among);
            if Draw::new(i, amount, among, choices.len())?.takes_all(choices.len()) {
                targets[i] = Struck::together(choices);
            }
        }
        Ok(())
    }

    /// A pair that is not connected while the `dead` links are down.
    fn cut(
        &self,
        fabric: &Fabric,
        pairs: &[(HostId, HostId)],
        dead: &BTreeSet<PortId>,
    ) -> Option<(HostId, HostId)> {
        if dead.is_empty() {
            return None;
        }
        let mut alive = vec![true; fabric.ports.len()];
        for port in dead {
            alive[port.index()] = false;
        }
        let usable = |port: PortId| alive[port.index()];
        match self.convergence {
            Some(_) => fabric.disconnected(pairs, &usable),
            None => {
                let last = fabric.changes_of_schedule().last();
                let last = last
                    .map(|(_, own)| fabric.shortest_paths(Weighting::Equal, &[], own, &|_| true));
                fabric.unrouted(pairs, last.as_ref().unwrap_or(&fabric.forwarding), &usable)
            }
        }
    }
}

/// Both links of the cables at these ports.
pub(super) fn both_ways(fabric: &Fabric, ports: impl IntoIterator<Item = PortId>) -> Vec<PortId> {
    ports.into_iter().flat_map(|port| [port, fabric.ports[port.index()].peer]).collect()
}

/// A switch and all its cables.
pub(super) fn whole_switch(fabric: &Fabric, switch: SwitchId) -> Struck {
    let ports = fabric.switches[switch.index()].ports.clone().map(PortId);
    let nodes = vec![Node::Switch(switch)];
    Struck { ports: both_ways(fabric, ports), nodes, ..Struck::default() }
}

/// What is chosen from.
fn choices(fabric: &Fabric, among: Among) -> Vec<Struck> {
    match among {
        Among::Cables { tier, two_way } => cables(fabric, tier, two_way),
        Among::Switches { tier } => switches(fabric, tier),
    }
}

/// The cables between switches, each as the port at its lower end (of two ends in the same tier:
/// the first) or as both.
fn cables(fabric: &Fabric, tier: Option<u8>, two_way: bool) -> Vec<Struck> {
    let end = |node: Node| match node {
        Node::Host(_) => None,
        Node::Switch(switch) => Some(fabric.switches[switch.index()].tier),
    };
    let ports = (fabric.host_ports()..fabric.ports.len() as u32).map(PortId);
    let lower_ends = ports.filter(|&port| {
        let near = end(fabric.ports[port.index()].owner);
        let far = end(fabric.destination(port));
        let lower = (near, port) < (far, fabric.ports[port.index()].peer);
        lower && tier.is_none_or(|tier| near == Some(tier))
    });
    let struck = |port| if two_way { both_ways(fabric, [port]) } else { vec![port] };
    lower_ends.map(|port| Struck { ports: struck(port), ..Struck::default() }).collect()
}

/// The switches without hosts.
fn switches(fabric: &Fabric, tier: Option<u8>) -> Vec<Struck> {
    let with_hosts: BTreeSet<Node> =
        (0..fabric.host_ports()).map(|port| fabric.destination(PortId(port))).collect();
    let all = (0..fabric.switches.len() as u32).map(SwitchId);
    let chosen = all.filter(|&switch| {
        let is_of_tier = |tier| fabric.switches[switch.index()].tier == tier;
        !with_hosts.contains(&Node::Switch(switch)) && tier.is_none_or(is_of_tier)
    });
    chosen.map(|switch| whole_switch(fabric, switch)).collect()
}

/// How things are drawn.
enum Draw {
    /// So many of them.
    Count(usize),
    /// Each with this probability, in units of 2^-32.
    Each(u64),
}

impl Draw {
    /// The draw of this amount of `count` things.
    fn new(fault: usize, amount: Amount, among: Among, count: usize) -> Result<Self, FaultError> {
        match amount {
            Amount::Share(share) if !(0.0..=1.0).contains(&share) => {
                Err(FaultError::Share { fault, share })
            }
            Amount::Probability(value) if !is_probability(value) => {
                Err(FaultError::Chance { fault, value, among })
            }
            _ if count == 0 => Err(FaultError::NoneToChoose { fault, among }),
            Amount::Probability(value) => Ok(Self::Each(in_units_of_2_to_minus_32(value))),
            Amount::Share(share) => {
                let chosen = (share * count as f64).round() as usize;
                if chosen == 0 && share > 0.0 {
                    return Err(FaultError::NothingChosen { fault, share, among, count });
                }
                Ok(Self::Count(chosen))
            }
        }
    }

    /// Whether all `count` things are drawn, whatever the seed.
    fn takes_all(&self, count: usize) -> bool {
        match *self {
            Self::Count(drawn) => drawn == count,
            Self::Each(probability) => probability == 1 << 32,
        }
    }

    /// What is drawn now.
    fn of<T: Clone>(&self, choices: &mut [T], rng: &mut Rng) -> Vec<T> {
        match *self {
            Self::Count(count) => {
                rng.shuffle(choices);
                choices[..count].to_vec()
            }
            Self::Each(probability) => {
                let drawn = choices.iter().filter(|_| rng.below(1 << 32) < probability);
                drawn.cloned().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::resolve::ResolvedFaults;
    use crate::faults::spec::Fault;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span, Time};

    const ALL: Among = Among::Cables { tier: None, two_way: true };

    fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
        TreeShape::fat_tree(tiers, hosts, Rate::gbps(400), Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn random(share: f64, tier: Option<u8>, two_way: bool, effect: Effect) -> Fault {
        let amount = Amount::Share(share);
        let target = Target::Random { amount, among: Among::Cables { tier, two_way } };
        Fault { target, effect, windows: vec![(Time(0), None)] }
    }

    fn resolve(
        fabric: &Fabric,
        faults: &[Fault],
        seed: u64,
    ) -> Result<ResolvedFaults, Vec<FaultError>> {
        let half = fabric.hosts / 2;
        let pairs: Vec<_> = (0..half).map(|h| (HostId(h), HostId(h + half))).collect();
        FaultPlan { faults: faults.to_vec(), ..FaultPlan::default() }.resolve(fabric, &pairs, seed)
    }

    fn ports(resolved: &ResolvedFaults) -> Vec<PortId> {
        resolved.faults.ports.iter().map(|(port, _)| *port).collect()
    }

    #[test]
    fn a_share_is_rounded_to_whole_cables_of_the_tier() {
        let fabric = fat_tree(3, 128);
        let half = Effect::Rate { to: crate::faults::spec::RateTo::Factor(0.5), scale: true };
        assert_eq!(cables(&fabric, None, true).len(), 256);
        assert_eq!(cables(&fabric, Some(1), true).len(), 128);
        for (tier, lower, upper) in [(0, "tor", "agg"), (1, "agg", "core")] {
            let fault = random(0.05, Some(tier), true, half);
            let chosen = ports(&resolve(&fabric, &[fault], 1).unwrap());
            assert_eq!(chosen.len(), 12);
            for port in chosen {
                let port = &fabric.ports[port.index()];
                assert!(port.name.starts_with(if port.up { lower } else { upper }));
            }
        }
        let one_way = ports(&resolve(&fabric, &[random(1.0, None, false, half)], 1).unwrap());
        assert_eq!(one_way.len(), 256);
        assert!(one_way.iter().all(|port| fabric.ports[port.index()].up));
    }

    #[test]
    fn draws_depend_on_the_seed_and_the_fault_alone() {
        let fabric = fat_tree(3, 128);
        let fault = || random(0.05, None, true, Effect::Down);
        let of = |seed| ports(&resolve(&fabric, &[fault()], seed).unwrap());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let loss = random(0.05, None, true, Effect::Loss(0.5));
        let second = resolve(&fabric, &[random(0.0, None, true, Effect::Down), loss], 1).unwrap();
        assert_ne!(ports(&second), of(1));
    }

    #[test]
    fn every_draw_keeps_the_pairs_connected() {
        // 4 ToRs, 4 spines: with 8 of 16 cables dead, most draws cut some pair off.
        let fabric = fat_tree(2, 16);
        let mut plain_draws_that_cut = 0;
        for seed in 0..50 {
            let fault = random(0.5, None, true, Effect::Down);
            let chosen = ports(&resolve(&fabric, &[fault], seed).unwrap());
            assert_eq!(chosen.len(), 16);
            let pairs: Vec<_> = (0..8).map(|h| (HostId(h), HostId(h + 8))).collect();
            let usable = |port: PortId| !chosen.contains(&port);
            assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &usable), None);
            let loss = random(0.5, None, true, Effect::Loss(0.5));
            plain_draws_that_cut +=
                usize::from(ports(&resolve(&fabric, &[loss], seed).unwrap()) != chosen);
        }
        assert!((10..50).contains(&plain_draws_that_cut), "{plain_draws_that_cut}");
    }

    #[test]
    fn a_draw_counts_what_is_dead_already() {
        let fabric = fat_tree(2, 16);
        let dead = |name: &str| Fault {
            target: Target::Switch { name: name.into() },
            effect: Effect::Down,
            windows: vec![(Time(5), None)],
        };
        // One spine is left: no ToR with traffic may lose its cable to it.
        let faults = ["spine0", "spine1", "spine2"].map(dead);
        let faults = [faults.to_vec(), vec![random(0.25, None, true, Effect::Down)]].concat();
        for seed in 0..10 {
            let chosen = ports(&resolve(&fabric, &faults, seed).unwrap());
            assert!((0..4).all(|tor| {
                !chosen.contains(&fabric.port_named(&format!("tor{tor}.up3")).unwrap())
            }));
        }
    }

    #[test]
    fn cables_break_independently_with_a_probability() {
        let fabric = fat_tree(3, 128);
        let fault = |p, effect| Fault {
            target: Target::Random { amount: Amount::Probability(p), among: ALL },
            effect,
            windows: vec![(Time(0), None)],
        };
        // 256 cables at 5 %: 12.8 on average, with a deviation of 3.5 from seed to seed.
        let counts: Vec<f64> = (0..200)
            .map(|seed| {
                let resolved = resolve(&fabric, &[fault(0.05, Effect::Loss(0.5))], seed).unwrap();
                ports(&resolved).len() as f64 / 2.0
            })
            .collect();
        let mean = counts.iter().sum::<f64>() / 200.0;
        let variance = counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 199.0;
        assert!((mean - 12.8).abs() < 0.8, "{mean}");
        assert!((variance.sqrt() - 3.49).abs() < 0.6, "{variance}");
        // None and all are draws like any other, and both links of a cable go together.
        let of = |p, effect| ports(&resolve(&fabric, &[fault(p, effect)], 3).unwrap());
        assert_eq!(of(0.0, Effect::Down), []);
        let half = Effect::Rate { to: crate::faults::spec::RateTo::Factor(0.5), scale: true };
        assert_eq!(of(1.0, half).len(), 512);
        let chosen = of(0.05, Effect::Down);
        assert!(chosen.iter().all(|p| chosen.contains(&fabric.ports[p.index()].peer)));
    }

    #[test]
    fn probable_failures_keep_the_pairs_connected_too() {
        let fabric = fat_tree(2, 16);
        let pairs: Vec<_> = (0..8).map(|h| (HostId(h), HostId(h + 8))).collect();
        for seed in 0..50 {
            let amount = Amount::Probability(0.5);
            let target = Target::Random { amount, among: ALL };
            let windows = vec![(Time(0), None)];
            let fault = Fault { target, effect: Effect::Down, windows };
            let chosen = ports(&resolve(&fabric, &[fault], seed).unwrap());
            let usable = |port: PortId| !chosen.contains(&port);
            assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &usable), None);
        }
    }

    #[test]
    fn hopeless_shares_are_refused() {
        let fabric = fat_tree(2, 16);
        let texts = |fault: Fault| -> Vec<String> {
            let errors = resolve(&fabric, &[fault], 1).unwrap_err();
            errors.iter().map(ToString::to_string).collect()
        };
        let all = texts(random(1.0, None, true, Effect::Down));
        assert!(all[0].starts_with("fault 1: none of 1000 random choices"), "{all:?}");
        assert_eq!(
            texts(random(0.01, None, true, Effect::Down)),
            ["fault 1: the share 0.01 of 16 cables is less than half a cable; one cable is 0.0625"]
        );
        assert_eq!(
            texts(random(1.5, None, true, Effect::Down)),
            ["fault 1: the share 1.5 is not from 0 to 1"]
        );
        for value in [1.5, 1e-11, -0.1, f64::NAN] {
            let amount = Amount::Probability(value);
            let target = Target::Random { amount, among: ALL };
            let text = texts(Fault { target, ..random(0.5, None, true, Effect::Down) });
            let expected = format!(
                "fault 1: {value} is no probability of a cable's failure; use 0, or from 2.4e-10 to 1"
            );
            assert_eq!(text, [expected]);
        }
        assert_eq!(
            texts(random(0.5, Some(1), true, Effect::Down)),
            ["fault 1: no cable leads up from switches of tier 1"]
        );
    }

    fn random_switches(share: f64, tier: Option<u8>, effect: Effect) -> Fault {
        let (amount, among) = (Amount::Share(share), Among::Switches { tier });
        let target = Target::Random { amount, among };
        Fault { target, effect, windows: vec![(Time(0), None)] }
    }

    #[test]
    fn switches_without_hosts_are_drawn_with_all_their_cables() {
        // 32 ToRs, 32 aggregation and 16 core switches, each of 8 ports.
        let fabric = fat_tree(3, 128);
        let name = |node: &Node| match node {
            Node::Switch(switch) => fabric.switches[switch.index()].name.clone(),
            Node::Host(_) => panic!("a host was drawn"),
        };
        let half = Effect::Rate { to: crate::faults::spec::RateTo::Factor(0.5), scale: true };
        for (tier, count, prefixes) in
            [(None, 5, &["agg", "core"][..]), (Some(1), 3, &["agg"]), (Some(2), 2, &["core"])]
        {
            for seed in 0..20 {
                let down = random_switches(0.1, tier, Effect::Down);
                let resolved = resolve(&fabric, &[down], seed).unwrap();
                let dead: Vec<_> = resolved.faults.nodes.iter().map(|(node, _)| node).collect();
                assert_eq!(dead.len(), count);
                for node in &dead {
                    let name = name(node);
                    assert!(prefixes.iter().any(|prefix| name.starts_with(prefix)), "{name}");
                }
                let of_dead = |port: &PortId| {
                    let ends = [fabric.ports[port.index()].owner, fabric.destination(*port)];
                    ends.iter().any(|end| dead.contains(&end))
                };
                let ports = ports(&resolved);
                assert!(ports.iter().all(of_dead));
                let all = (0..fabric.ports.len() as u32).map(PortId);
                assert_eq!(all.filter(of_dead).count(), ports.len());
                // Neighbours share a cable, which slows down once.
                let slow = resolve(&fabric, &[random_switches(0.5, tier, half)], seed).unwrap();
                assert_eq!(slow.faults.nodes, []);
            }
        }
    }

    #[test]
    fn switches_are_drawn_so_that_pairs_stay_connected() {
        let fabric = fat_tree(2, 16);
        let of = |share, seed| {
            let fault = random_switches(share, None, Effect::Down);
            resolve(&fabric, &[fault], seed).map(|resolved| resolved.faults.nodes)
        };
        let drawn: BTreeSet<_> =
            (0..40).map(|seed| of(0.25, seed).unwrap()).map(|nodes| nodes[0].0).collect();
        assert_eq!(drawn.len(), 4, "each spine at times");
        assert_eq!(of(0.75, 1).unwrap().len(), 3);
        let text = |fault: Fault| resolve(&fabric, &[fault], 1).unwrap_err()[0].to_string();
        let all = text(random_switches(1.0, None, Effect::Down));
        assert!(all.starts_with("fault 1: none of 1000 random choices"), "{all}");
        assert_eq!(
            text(random_switches(0.1, None, Effect::Down)),
            "fault 1: the share 0.1 of 4 switches is less than half a switch; one switch is 0.25"
        );
        assert_eq!(
            text(random_switches(0.5, Some(0), Effect::Down)),
            "fault 1: no switch of tier 0 is without hosts"
        );
    }

    #[test]
    fn a_bottleneck_between_equals_is_one_cable() {
        let text = "host a\nhost b\nswitch s\nswitch t\nlink a s 1Gbps 1us\n\
                    link t s 1Gbps 1us\nlink b t 1Gbps 1us";
        let fabric = crate::topology::graph::parse_graph(text).unwrap();
        let found: Vec<_> = cables(&fabric, None, false).into_iter().map(|c| c.ports).collect();
        assert_eq!(found, [[fabric.port_named("s.to.t").unwrap()]]);
    }
}
