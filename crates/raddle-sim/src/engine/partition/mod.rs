//! Which node belongs to which part of a run.
//!
//! A host is always with its switches, hosts tied by triggers are in one part with theirs. So only
//! links between switches lead from part to part, whose latency windows go by
//! ([`grid`](crate::engine::schedule::windows)).
//! - Trees of three tiers: by pod, cores spread, unless that leaves one part with far more than its
//!   share.
//! - Trees of two tiers: by ToR, spines spread.
//! - Everything else: by a balanced [`cut`](graph_cut).
//!
//! Results do not depend on the partition; speed does.

mod graph_cut;

use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node};
use graph_cut::{Graph, cut};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// More threads than this are not used for one run.
pub(super) const MOST_PARTS: usize = 64;

/// What a host weighs against a port: its own port included, by instructions at full load.
const HOST_WEIGHT: u64 = 2;

/// The nodes of a part, in ascending order.
pub(super) struct Members {
    pub(super) hosts: Vec<HostId>,
    pub(super) switches: Vec<SwitchId>,
}

/// The parts of a run.
pub(super) struct Partition {
    /// The nodes of each part.
    pub(super) members: Vec<Members>,
    part_of_switch: Vec<u32>,
    part_of_host: Vec<u32>,
    /// Per port whose link comes from another part, that link's line in the port's own part.
    lines: Vec<u32>,
}

impl Partition {
    /// At most `parts` parts of about equal weight: fewer if there are not as many nodes that can
    /// be parted. `groups` names for each host the smallest one that it must be run with.
    pub(super) fn new(fabric: &Fabric, groups: &[u32], parts: usize) -> Self {
        let parts = parts.clamp(1, MOST_PARTS);
        let owners =
            if parts == 1 { vec![0; fabric.switches.len()] } else { assign(fabric, groups, parts) };
        Self::of(fabric, owners)
    }

    fn of(fabric: &Fabric, owners: Vec<u32>) -> Self {
        // Numbered by their first switch; a part without any does not exist.
        let mut numbers = BTreeMap::new();
        let part_of_switch: Vec<u32> = owners
            .into_iter()
            .map(|owner| {
                let next = numbers.len() as u32;
                *numbers.entry(owner).or_insert(next)
            })
            .collect();
        let part_of_host: Vec<u32> = (0..fabric.hosts)
            .map(|host| part_of_switch[fabric.edge(HostId(host)).index()])
            .collect();
        let mut members: Vec<Members> =
            numbers.iter().map(|_| Members { hosts: Vec::new(), switches: Vec::new() }).collect();
        for (host, &part) in part_of_host.iter().enumerate() {
            members[part as usize].hosts.push(HostId(host as u32));
        }
        for (switch, &part) in part_of_switch.iter().enumerate() {
            members[part as usize].switches.push(SwitchId(switch as u32));
        }
        let mut partition = Self { members, part_of_switch, part_of_host, lines: Vec::new() };
        partition.lines = partition.number_lines(fabric);
        partition
    }

    /// A part's lines are those of its own ports, then those that come in from other parts.
    fn number_lines(&self, fabric: &Fabric) -> Vec<u32> {
        let mut next: Vec<u32> = self
            .members
            .iter()
            .map(|own| {
                let ports = own.switches.iter().map(|s| fabric.switches[s.index()].ports.len());
                (own.hosts.len() * fabric.planes as usize + ports.sum::<usize>()) as u32
            })
            .collect();
        let number = |port: &crate::topology::Port| {
            let part = self.part_of(port.owner);
            let from = self.part_of(fabric.ports[port.peer.index()].owner);
            if part == from {
                return u32::MAX;
            }
            let line = &mut next[part as usize];
            *line += 1;
            *line - 1
        };
        fabric.ports.iter().map(number).collect()
    }

    /// The part of a node.
    pub(super) fn part_of(&self, node: Node) -> u32 {
        match node {
            Node::Host(host) => self.part_of_host[host.index()],
            Node::Switch(switch) => self.part_of_switch[switch.index()],
        }
    }

    /// If the link that ends at `port` comes from another part: its line in the port's own part.
    pub(super) fn line_into(&self, port: PortId) -> Option<u32> {
        Some(self.lines[port.index()]).filter(|&line| line != u32::MAX)
    }
}

/// The part of each switch.
fn assign(fabric: &Fabric, groups: &[u32], parts: usize) -> Vec<u32> {
    let top = fabric.switches.iter().map(|switch| switch.tier).max();
    let tree = matches!(fabric.forwarding, Forwarding::Tree(_));
    if tree && top == Some(1) {
        let units = Units::new(fabric, groups, false);
        return units.of_switches(&spread(&units.weights, parts));
    }
    if tree && top == Some(2) {
        let units = Units::new(fabric, groups, true);
        let owners = spread(&units.weights, parts);
        if is_even(&units.weights, &owners, parts) {
            return units.of_switches(&owners);
        }
    }
    let units = Units::new(fabric, groups, false);
    units.of_switches(&cut(&units.graph(fabric), parts))
}

/// Switches that must lie in one part, taken together with their hosts.
struct Units {
    /// The unit of each switch; units are numbered by their first switch.
    unit_of: Vec<u32>,
    weights: Vec<u64>,
}

impl Units {
    /// Units as small as `groups` allow, or of whole pods.
    fn new(fabric: &Fabric, groups: &[u32], pods: bool) -> Self {
        let mut ties = Ties((0..fabric.switches.len() as u32).collect());
        for (host, &root) in groups.iter().enumerate() {
            let first = fabric.edge(HostId(root)).0;
            let ports = fabric.ports_of(HostId(host as u32));
            ports.for_each(|port| ties.tie(fabric.edge_of(port).0, first));
        }
        if pods {
            let mut first_of = BTreeMap::new();
            let below_core = (0..).zip(&fabric.switches).filter(|(_, switch)| switch.tier < 2);
            for (number, switch) in below_core {
                ties.tie(*first_of.entry(switch.pod).or_insert(number), number);
            }
        }
        let mut weights = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut unit_of = Vec::with_capacity(fabric.switches.len());
        for (number, switch) in (0..).zip(&fabric.switches) {
            let unit = *numbers.entry(ties.root(number)).or_insert(weights.len() as u32);
            if unit as usize == weights.len() {
                weights.push(0);
            }
            let peers = switch.ports.clone().map(|port| fabric.destination(PortId(port)));
            let hosts = peers.filter(|peer| matches!(peer, Node::Host(_))).count() as u64;
            weights[unit as usize] += switch.ports.len() as u64 + HOST_WEIGHT * hosts;
            unit_of.push(unit);
        }
        Self { unit_of, weights }
    }

    fn of_switches(&self, owners: &[u32]) -> Vec<u32> {
        self.unit_of.iter().map(|&unit| owners[unit as usize]).collect()
    }

    fn graph(&self, fabric: &Fabric) -> Graph {
        let mut edges: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); self.weights.len()];
        for (switch, &unit) in fabric.switches.iter().zip(&self.unit_of) {
            for port in switch.ports.clone() {
                if let Node::Switch(far) = fabric.destination(PortId(port))
                    && self.unit_of[far.index()] != unit
                {
                    let far = self.unit_of[far.index()];
                    *edges[unit as usize].entry(far).or_default() += 1;
                }
            }
        }
        let edges = edges.into_iter().map(|list| list.into_iter().collect()).collect();
        Graph { weights: self.weights.clone(), edges }
    }
}

/// Sets of switches, each named by its smallest.
struct Ties(Vec<u32>);

impl Ties {
    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            self.0[at as usize] = self.0[self.0[at as usize] as usize];
            at = self.0[at as usize];
        }
        at
    }

    fn tie(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The part of each unit: the heaviest goes first, each to the part that is lightest so far.
fn spread(weights: &[u64], parts: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&unit| Reverse(weights[unit]));
    let mut loads = vec![0; parts];
    let mut owners = vec![0; weights.len()];
    for unit in order {
        let part = (0..parts).min_by_key(|&part| loads[part]).unwrap_or(0);
        loads[part] += weights[unit];
        owners[unit] = part as u32;
    }
    owners
}

/// Whether no part has more than a quarter over its share.
fn is_even(weights: &[u64], owners: &[u32], parts: usize) -> bool {
    let mut loads = vec![0; parts];
    for (weight, &part) in weights.iter().zip(owners) {
        loads[part as usize] += weight;
    }
    let total: u64 = weights.iter().sum();
    let most = loads.into_iter().max().unwrap_or(0);
    4 * most * parts as u64 <= 5 * total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::graph::parse_graph;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};
    use std::fmt::Write;

    fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
        let shape =
            TreeShape::fat_tree(tiers, hosts, Rate::gbps(400), Span::ns(500), Span::ns(500));
        shape.unwrap().build().unwrap()
    }

    /// A ring of switches with two hosts each.
    fn ring(switches: u32) -> Fabric {
        let mut text = String::new();
        for s in 0..switches {
            let next = (s + 1) % switches;
            writeln!(text, "switch s{s} latency 500ns\nlink s{s} s{next} 400Gbps 500ns").unwrap();
            for h in [2 * s, 2 * s + 1] {
                writeln!(text, "host h{h}\nlink h{h} s{s} 400Gbps 500ns").unwrap();
            }
        }
        parse_graph(&text).unwrap()
    }

    fn alone(fabric: &Fabric) -> Vec<u32> {
        (0..fabric.hosts).collect()
    }

    fn weights(fabric: &Fabric, partition: &Partition) -> Vec<u64> {
        let weight = |own: &Members| {
            let ports = own.switches.iter().map(|s| fabric.switches[s.index()].ports.len() as u64);
            ports.sum::<u64>() + HOST_WEIGHT * own.hosts.len() as u64
        };
        partition.members.iter().map(weight).collect()
    }

    /// Everything that must hold of any partition.
    fn is_sound(fabric: &Fabric, groups: &[u32], partition: &Partition) {
        let parts = || (0..).zip(&partition.members);
        let mut hosts = vec![0; fabric.hosts as usize];
        let mut switches = vec![0; fabric.switches.len()];
        for (part, own) in parts() {
            assert!(own.hosts.is_sorted() && own.switches.is_sorted());
            assert!(!own.switches.is_empty());
            for &host in &own.hosts {
                hosts[host.index()] += 1;
                assert_eq!(partition.part_of(Node::Host(host)), part);
                assert_eq!(partition.part_of(Node::Switch(fabric.edge(host))), part);
                let root = HostId(groups[host.index()]);
                assert_eq!(partition.part_of(Node::Host(root)), part);
            }
            for &switch in &own.switches {
                switches[switch.index()] += 1;
                assert_eq!(partition.part_of(Node::Switch(switch)), part);
            }
        }
        assert!(hosts.iter().chain(&switches).all(|&count| count == 1));
        // Lines from elsewhere follow those of the part's own ports, in order of the own port.
        for (part, own) in parts() {
            let of_switches =
                own.switches.iter().flat_map(|s| fabric.switches[s.index()].ports.clone());
            let ids: Vec<u32> = own.hosts.iter().map(|host| host.0).chain(of_switches).collect();
            let elsewhere = |&id: &u32| partition.part_of(fabric.destination(PortId(id))) != part;
            let expected = (ids.len() as u32..).zip(ids.iter().filter(|&id| elsewhere(id)));
            for (line, &id) in expected {
                assert_eq!(partition.line_into(PortId(id)), Some(line));
            }
            assert!(
                ids.iter()
                    .filter(|&id| !elsewhere(id))
                    .all(|&id| { partition.line_into(PortId(id)).is_none() })
            );
        }
    }

    #[test]
    fn partitions_of_every_fabric_are_sound_and_balanced() {
        for fabric in [fat_tree(3, 128), fat_tree(3, 1024), fat_tree(2, 128), ring(48)] {
            for parts in [1, 2, 3, 4, 7, 8, 16] {
                let partition = Partition::new(&fabric, &alone(&fabric), parts);
                is_sound(&fabric, &alone(&fabric), &partition);
                let weights = weights(&fabric, &partition);
                assert_eq!(weights.len(), parts, "{weights:?}");
                let share = weights.iter().sum::<u64>() as f64 / parts as f64;
                let most = weights.iter().copied().max().unwrap() as f64;
                assert!(most <= 1.3 * share, "{parts}: {weights:?}");
            }
        }
    }

    #[test]
    fn pods_stay_whole_where_they_divide_evenly() {
        let fabric = fat_tree(3, 128);
        for parts in [2, 4, 8] {
            let partition = Partition::new(&fabric, &alone(&fabric), parts);
            for switch in fabric.switches.iter().filter(|switch| switch.tier < 2) {
                let of = |name: &str| {
                    partition.part_of(Node::Switch(fabric.switch_named(name).unwrap()))
                };
                assert_eq!(of(&switch.name), of(&format!("tor{}", 4 * switch.pod.unwrap())));
            }
            let cores = partition.members.iter().map(|own| {
                own.switches.iter().filter(|s| fabric.switches[s.index()].tier == 2).count()
            });
            assert!(cores.into_iter().all(|count| count == 16 / parts));
        }
    }

    #[test]
    fn a_ring_is_cut_in_as_many_places_as_parts() {
        let fabric = ring(48);
        for parts in [2, 3, 4] {
            let partition = Partition::new(&fabric, &alone(&fabric), parts);
            let ports = (0..fabric.ports.len() as u32).map(PortId);
            let lines = ports.filter(|&port| partition.line_into(port).is_some()).count();
            assert_eq!(lines, 2 * parts, "{parts} parts");
        }
    }

    #[test]
    fn hosts_tied_by_triggers_lie_in_one_part() {
        let fabric = fat_tree(3, 128);
        // Every host is tied to the one with the same place in the first pod's first ToR.
        let groups: Vec<u32> = (0..128).map(|host| host % 4).collect();
        let partition = Partition::new(&fabric, &groups, 4);
        is_sound(&fabric, &groups, &partition);
        assert!(partition.members.iter().filter(|own| !own.hosts.is_empty()).count() == 1);
        let pairs: Vec<u32> = (0..128).map(|host| host & !16).collect();
        let partition = Partition::new(&fabric, &pairs, 4);
        is_sound(&fabric, &pairs, &partition);
        assert_eq!(partition.members.len(), 4);
    }

    #[test]
    fn what_cannot_be_parted_runs_in_fewer_parts() {
        let fabric = ring(3);
        assert_eq!(Partition::new(&fabric, &alone(&fabric), 8).members.len(), 3);
        assert_eq!(Partition::new(&fabric, &[0; 6], 8).members.len(), 1);
        assert_eq!(Partition::new(&fabric, &alone(&fabric), 0).members.len(), 1);
        let large = fat_tree(2, 8192);
        assert_eq!(Partition::new(&large, &alone(&large), 1_000).members.len(), MOST_PARTS);
    }
}
