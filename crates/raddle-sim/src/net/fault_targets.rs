//! What faults name, and what they leave to chance.

use super::fault_changes::{in_units_of_2_to_minus_32, is_probability};
use super::fault_error::FaultError;
use super::fault_plan::{Amount, Direction, Effect, FaultPlan, Target};
use crate::topology::nearest::nearest;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::rng::Rng;
use std::collections::BTreeSet;

/// How many random choices are tried before giving up.
const DRAWS: u32 = 1_000;

impl FaultPlan {
    /// Chooses the ports of random targets, in the order of the faults.
    pub(super) fn draw(
        &self,
        fabric: &Fabric,
        pairs: &[(HostId, HostId)],
        seed: u64,
        targets: &mut [Vec<PortId>],
    ) -> Result<(), FaultError> {
        let host_name = |host: HostId| fabric.ports[host.index()].name.clone();
        let mut dead: BTreeSet<PortId> = BTreeSet::new();
        for (fault, ports) in self.faults.iter().zip(targets.iter()) {
            if fault.is_down_for_good() {
                dead.extend(ports);
            }
        }
        if let Some((source, destination)) = self.cut(fabric, pairs, &dead) {
            let (source, destination) = (host_name(source), host_name(destination));
            return Err(FaultError::Disconnected { source, destination });
        }
        for (i, fault) in self.faults.iter().enumerate() {
            let Target::Random { amount, tier, two_way } = fault.target else { continue };
            let mut cables = cables(fabric, tier);
            let draw = Draw::new(i, amount, tier, cables.len())?;
            let mut rng = Rng::new(seed, "fault", i as u64);
            let mut draws = 0;
            loop {
                draws += 1;
                let mut ports = draw.of(&mut cables, &mut rng);
                if two_way {
                    let peers = ports.iter().map(|port| fabric.ports[port.index()].peer);
                    ports.extend(peers.collect::<Vec<_>>());
                }
                ports.sort_unstable();
                if fault.effect != Effect::Down {
                    targets[i] = ports;
                    break;
                }
                let with_these = dead.iter().chain(&ports).copied().collect();
                let cut = self.cut(fabric, pairs, &with_these);
                match cut {
                    None => {
                        if fault.is_down_for_good() {
                            dead = with_these;
                        }
                        targets[i] = ports;
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
            None => fabric.unrouted(pairs, &fabric.forwarding, &usable),
        }
    }
}

/// The host of this name.
pub(super) fn host_named(fabric: &Fabric, name: &str) -> Option<HostId> {
    fabric
        .link_names()
        .take(fabric.hosts as usize)
        .position(|n| n == name)
        .map(|i| HostId(i as u32))
}

/// The directed links of a target; none of a random one.
pub(super) fn named_ports(
    fabric: &Fabric,
    fault: usize,
    target: &Target,
) -> Result<Vec<PortId>, FaultError> {
    let peer = |port: PortId| fabric.ports[port.index()].peer;
    let both_ways = |ports: &[PortId]| ports.iter().flat_map(|&p| [p, peer(p)]).collect();
    match target {
        Target::Link { name, direction } => {
            let port = fabric.port_named(name).ok_or_else(|| FaultError::UnknownLink {
                fault,
                name: name.clone(),
                nearest: nearest(name, fabric.link_names()),
            })?;
            Ok(match direction {
                Direction::Both => both_ways(&[port]),
                Direction::Out => vec![port],
                Direction::In => vec![peer(port)],
            })
        }
        Target::Switch { name } => {
            let switch = fabric.switch_named(name).ok_or_else(|| FaultError::UnknownSwitch {
                fault,
                name: name.clone(),
                nearest: nearest(name, fabric.switches.iter().map(|s| s.name.as_str())),
            })?;
            let ports = fabric.switches[switch.index()].ports.clone().map(PortId);
            Ok(both_ways(&ports.collect::<Vec<_>>()))
        }
        Target::Host { name } => {
            let host = host_named(fabric, name).ok_or_else(|| FaultError::UnknownHost {
                fault,
                name: name.clone(),
                nearest: nearest(name, fabric.link_names().take(fabric.hosts as usize)),
            })?;
            Ok(both_ways(&[PortId(host.0)]))
        }
        Target::Random { .. } => Ok(Vec::new()),
    }
}

/// The cables between switches, each as the port at its lower end (of two ends in the same tier:
/// the first).
fn cables(fabric: &Fabric, tier: Option<u8>) -> Vec<PortId> {
    let end = |node: Node| match node {
        Node::Host(_) => None,
        Node::Switch(switch) => Some(fabric.switches[switch.index()].tier),
    };
    let ports = (fabric.hosts..fabric.ports.len() as u32).map(PortId);
    ports
        .filter(|&port| {
            let near = end(fabric.ports[port.index()].owner);
            let far = end(fabric.destination(port));
            let lower = (near, port) < (far, fabric.ports[port.index()].peer);
            lower && tier.is_none_or(|tier| near == Some(tier))
        })
        .collect()
}

/// How cables are drawn.
enum Draw {
    /// So many of them.
    Count(usize),
    /// Each with this probability, in units of 2^-32.
    Each(u64),
}

impl Draw {
    /// The draw of this amount of `cables`.
    fn new(
        fault: usize,
        amount: Amount,
        tier: Option<u8>,
        cables: usize,
    ) -> Result<Self, FaultError> {
        match amount {
            Amount::Share(share) if !(0.0..=1.0).contains(&share) => {
                Err(FaultError::Share { fault, share })
            }
            Amount::Probability(value) if !is_probability(value) => {
                Err(FaultError::CableProbability { fault, value })
            }
            _ if cables == 0 => Err(FaultError::NoCables { fault, tier }),
            Amount::Probability(value) => Ok(Self::Each(in_units_of_2_to_minus_32(value))),
            Amount::Share(share) => {
                let count = (share * cables as f64).round() as usize;
                if count == 0 && share > 0.0 {
                    return Err(FaultError::NothingChosen { fault, share, cables });
                }
                Ok(Self::Count(count))
            }
        }
    }

    /// The cables drawn now.
    fn of(&self, cables: &mut [PortId], rng: &mut Rng) -> Vec<PortId> {
        match *self {
            Self::Count(count) => {
                rng.shuffle(cables);
                cables[..count].to_vec()
            }
            Self::Each(probability) => {
                let drawn = cables.iter().filter(|_| rng.below(1 << 32) < probability);
                drawn.copied().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::fault_plan::{Fault, ResolvedFaults};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span, Time};

    fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
        TreeShape::fat_tree(tiers, hosts, Rate::gbps(400), Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn random(share: f64, tier: Option<u8>, two_way: bool, effect: Effect) -> Fault {
        let amount = Amount::Share(share);
        let target = Target::Random { amount, tier, two_way };
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
        let half = Effect::Rate { to: crate::net::fault_plan::RateTo::Factor(0.5), scale: true };
        assert_eq!(cables(&fabric, None).len(), 256);
        assert_eq!(cables(&fabric, Some(1)).len(), 128);
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
            target: Target::Random { amount: Amount::Probability(p), tier: None, two_way: true },
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
        let half = Effect::Rate { to: crate::net::fault_plan::RateTo::Factor(0.5), scale: true };
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
            let target = Target::Random { amount, tier: None, two_way: true };
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
            let target = Target::Random { amount, tier: None, two_way: true };
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

    #[test]
    fn a_bottleneck_between_equals_is_one_cable() {
        let text = "host a\nhost b\nswitch s\nswitch t\nlink a s 1Gbps 1us\n\
                    link t s 1Gbps 1us\nlink b t 1Gbps 1us";
        let fabric = crate::topology::graph::parse_graph(text).unwrap();
        let found = cables(&fabric, None);
        assert_eq!(found, [fabric.port_named("s.to.t").unwrap()]);
    }
}
