//! The links, switches and hosts that faults name, found in one pass over the fabric.

use super::error::FaultError;
use super::spec::{Direction, Fault, Target};
use super::struck::Struck;
use super::targets::{both_ways, whole_switch};
use super::uplinks::{of_rotor, of_uplink, rotor_names, uplink_names};
use crate::topology::nearest::nearest;
use crate::topology::pattern::matches;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use std::collections::BTreeMap;

/// So many unknown names are told which known ones are like them: each is compared with all.
const MOST_LIKENED: usize = 100;

/// What the names of faults stand for.
pub(super) struct Names<'a> {
    fabric: &'a Fabric,
    ports: BTreeMap<&'a str, Option<PortId>>,
    switches: BTreeMap<&'a str, Option<SwitchId>>,
    hosts: BTreeMap<&'a str, Option<HostId>>,
    unknown: usize,
}

impl<'a> Names<'a> {
    /// Looks all names of the faults up.
    pub(super) fn of(fabric: &'a Fabric, faults: &'a [Fault]) -> Self {
        let (mut ports, mut switches) = (BTreeMap::new(), BTreeMap::new());
        let mut hosts = BTreeMap::new();
        for fault in faults {
            match &fault.target {
                Target::Link { name, .. } => {
                    ports.insert(name.as_str(), None);
                }
                Target::Host { name } => {
                    hosts.insert(name.as_str(), None);
                }
                Target::Switch { name } => {
                    switches.insert(name.as_str(), None);
                }
                Target::HostNumber { .. } | Target::Random { .. } => {}
            }
        }
        for (port, id) in fabric.ports.iter().zip(0..) {
            if let Some(found) = ports.get_mut(port.name.as_str()) {
                found.get_or_insert(PortId(id));
            }
        }
        for (switch, id) in fabric.switches.iter().zip(0..) {
            if let Some(found) = switches.get_mut(switch.name.as_str()) {
                found.get_or_insert(SwitchId(id));
            }
        }
        for host in (0..fabric.hosts).map(HostId) {
            if let Some(found) = hosts.get_mut(fabric.host_name(host)) {
                found.get_or_insert(host);
            }
        }
        Self { fabric, ports, switches, hosts, unknown: 0 }
    }

    /// What the target of a fault strikes; a random one nothing yet.
    pub(super) fn struck(&mut self, fault: usize, target: &Target) -> Result<Struck, FaultError> {
        let fabric = self.fabric;
        let port = |name: &str| self.ports.get(name).copied().flatten();
        match target {
            Target::Link { name, direction } if name.contains('*') => {
                let named = (0..).map(PortId).zip(&fabric.ports);
                let such = named.filter(|(_, port)| matches(name, &port.name));
                let ports = directed(fabric, such.map(|(id, _)| id), *direction);
                if ports.is_empty() {
                    let (name, nearest) = (name.clone(), Vec::new());
                    return Err(FaultError::UnknownLink { fault, name, nearest });
                }
                Ok(Struck::together(vec![Struck { ports, ..Struck::default() }]))
            }
            Target::Link { name, direction } => {
                let Some(port) = port(name) else {
                    if let Some(struck) = of_uplink(fabric, name, *direction) {
                        return Ok(struck);
                    }
                    let mut nearest = ports_of_host(fabric, name);
                    if nearest.is_empty() {
                        let uplinks: Vec<String> = uplink_names(fabric).collect();
                        let known = uplinks.iter().map(String::as_str).chain(fabric.link_names());
                        nearest = self.like(name, known);
                    }
                    return Err(FaultError::UnknownLink { fault, name: name.clone(), nearest });
                };
                let ports = directed(fabric, [port], *direction);
                Ok(Struck { ports, ..Struck::default() })
            }
            Target::Switch { name } => {
                let Some(switch) = self.switches.get(name.as_str()).copied().flatten() else {
                    if let Some(struck) = of_rotor(fabric, name) {
                        return Ok(struck);
                    }
                    let rotors: Vec<String> = rotor_names(fabric).collect();
                    let known = fabric.switches.iter().map(|s| s.name.as_str());
                    let nearest = self.like(name, known.chain(rotors.iter().map(String::as_str)));
                    return Err(FaultError::UnknownSwitch { fault, name: name.clone(), nearest });
                };
                Ok(whole_switch(fabric, switch))
            }
            Target::Host { name } => {
                let Some(host) = self.hosts.get(name.as_str()).copied().flatten() else {
                    let hosts = (0..fabric.hosts).map(|host| fabric.host_name(HostId(host)));
                    let nearest = self.like(name, hosts);
                    return Err(FaultError::UnknownHost { fault, name: name.clone(), nearest });
                };
                Ok(whole_host(fabric, host))
            }
            Target::HostNumber { host } if host.0 < fabric.hosts => Ok(whole_host(fabric, *host)),
            Target::HostNumber { host } => {
                Err(FaultError::NoSuchHost { fault, host: host.0, hosts: fabric.hosts })
            }
            Target::Random { .. } => Ok(Struck::default()),
        }
    }

    fn like<'b>(&mut self, name: &str, known: impl Iterator<Item = &'b str>) -> Vec<String> {
        self.unknown += 1;
        if self.unknown > MOST_LIKENED { Vec::new() } else { nearest(name, known) }
    }
}

/// The directed links at these ports.
fn directed(
    fabric: &Fabric,
    ports: impl IntoIterator<Item = PortId>,
    direction: Direction,
) -> Vec<PortId> {
    match direction {
        Direction::Both => both_ways(fabric, ports),
        Direction::Out => ports.into_iter().collect(),
        Direction::In => ports.into_iter().map(|port| fabric.ports[port.index()].peer).collect(),
    }
}

/// A host and its cables.
fn whole_host(fabric: &Fabric, host: HostId) -> Struck {
    let ports = both_ways(fabric, fabric.ports_of(host));
    Struck { ports, nodes: vec![Node::Host(host)], ..Struck::default() }
}

/// The first names of links out of the host of this name, if it has several.
fn ports_of_host(fabric: &Fabric, name: &str) -> Vec<String> {
    if fabric.planes == 1 {
        return Vec::new();
    }
    let host = (0..fabric.hosts).map(HostId).find(|&host| fabric.host_name(host) == name);
    let ports = host.into_iter().flat_map(|host| fabric.ports_of(host)).take(3);
    ports.map(|port| fabric.ports[port.index()].name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::spec::{Effect, FaultPlan};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span, Time};

    #[test]
    fn a_star_stands_for_any_characters() {
        let shape = TreeShape::fat_tree(2, 8, Rate::gbps(100), Span::ns(1), Span::ZERO).unwrap();
        let fabric = shape.build().unwrap();
        let strike = |name: &str, direction| {
            let target = Target::Link { name: name.to_owned(), direction };
            let faults =
                [Fault { target, effect: Effect::Down, windows: vec![(Time::ZERO, None)] }];
            Names::of(&fabric, &faults)
                .struck(0, &faults[0].target)
                .map(|struck| struck.ports.len())
        };
        assert_eq!(strike("host*", Direction::In), Ok(8));
        assert_eq!(strike("*", Direction::Both), Ok(fabric.ports.len()), "each once");
        assert!(strike("spline*", Direction::Out).is_err());
    }

    /// Twenty thousand names compared with all links took 25 s.
    #[test]
    fn of_many_unknown_names_the_first_are_told_what_is_like_them() {
        let tree = TreeShape::fat_tree(3, 16, Rate::gbps(400), Span::ns(500), Span::ns(500));
        let fabric = tree.unwrap().build().unwrap();
        let fault = |i: u32| {
            let name = format!("tor{i}.pu1");
            let target = Target::Link { name, direction: Direction::Both };
            Fault { target, effect: Effect::Down, windows: vec![(Time::ZERO, None)] }
        };
        let plan = FaultPlan { faults: (0..20_000).map(fault).collect(), ..FaultPlan::default() };
        let errors = plan.certain(&fabric).unwrap_err();
        assert_eq!(errors.len(), 20_000);
        let likened = |error: &&FaultError| matches!(error, FaultError::UnknownLink { nearest, .. } if !nearest.is_empty());
        assert_eq!(errors.iter().filter(likened).count(), MOST_LIKENED);
        assert!(errors[..MOST_LIKENED].iter().all(|error| likened(&error)));
    }
}
