//! Fabrics from lists of hosts, switches and cables that form no regular tree.

use super::{Fabric, Node, Port, Switch};
use crate::topology::routing::Forwarding;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Rate, Span};
use std::collections::BTreeMap;

/// A cable with its rates there and back.
pub(super) struct Cable {
    pub(super) ends: [Node; 2],
    pub(super) rates: [Rate; 2],
    pub(super) delay: Span,
}

/// The fabric of these parts. Every host must have exactly one cable, to a switch.
///
/// Ports of a switch are ordered as the cables are, and named `SWITCH.to.NEIGHBOUR`, parallel ones
/// with `.1`, `.2`, ... after that. A switch's tier is its distance from the nearest one with
/// hosts; links between switches of one tier count as leading up in both directions. Forwarding is
/// by shortest paths.
pub(super) fn assemble(
    hosts: &[String],
    switches: Vec<(String, Span)>,
    cables: &[Cable],
) -> Fabric {
    let tiers = tiers(switches.len(), cables);
    let name = |node: Node| match node {
        Node::Host(host) => hosts[host.index()].as_str(),
        Node::Switch(switch) => switches[switch.index()].0.as_str(),
    };
    // The ends of cables (cable, end) at each node.
    let mut ends = vec![Vec::new(); hosts.len() + switches.len()];
    let position = |node: Node| match node {
        Node::Host(host) => host.index(),
        Node::Switch(switch) => hosts.len() + switch.index(),
    };
    for (cable, Cable { ends: nodes, .. }) in cables.iter().enumerate() {
        for (end, &node) in nodes.iter().enumerate() {
            ends[position(node)].push((cable, end));
        }
    }
    let mut port_of = vec![[PortId(0); 2]; cables.len()];
    for (port, &(cable, end)) in ends.iter().flatten().enumerate() {
        port_of[cable][end] = PortId(port as u32);
    }
    let tier = |node: Node| match node {
        Node::Host(_) => None,
        Node::Switch(switch) => Some(tiers[switch.index()]),
    };
    let mut ports = Vec::with_capacity(2 * cables.len());
    let mut ranges = Vec::with_capacity(ends.len());
    for here in &ends {
        let first = ports.len() as u32;
        let mut count: BTreeMap<Node, u32> = BTreeMap::new();
        for &(cable, end) in here {
            *count.entry(cables[cable].ends[1 - end]).or_default() += 1;
        }
        let mut seen: BTreeMap<Node, u32> = BTreeMap::new();
        for &(cable, end) in here {
            let Cable { ends: nodes, rates, delay } = &cables[cable];
            let (owner, far) = (nodes[end], nodes[1 - end]);
            let number = seen.entry(far).or_default();
            *number += 1;
            let port_name = match owner {
                Node::Host(_) => name(owner).to_owned(),
                Node::Switch(_) if count[&far] == 1 => format!("{}.to.{}", name(owner), name(far)),
                Node::Switch(_) => format!("{}.to.{}.{number}", name(owner), name(far)),
            };
            ports.push(Port {
                name: port_name,
                owner,
                peer: port_of[cable][1 - end],
                rate: rates[end],
                delay: *delay,
                // `None`, a host, is below every switch.
                up: tier(far) >= tier(owner),
            });
        }
        ranges.push(first..ports.len() as u32);
    }
    let switches = switches.into_iter().zip(&tiers).zip(ranges.split_off(hosts.len()));
    let switches = switches
        .map(|(((name, latency), &tier), ports)| Switch {
            name,
            tier,
            pod: Some(0),
            ports,
            latency,
        })
        .collect();
    let mut fabric = Fabric {
        host_latency: Span::ZERO,
        hosts: hosts.len() as u32,
        planes: 1,
        switches,
        ports,
        forwarding: Forwarding::Tree(Vec::new()),
        circuits: None,
        scale_up: None,
    };
    fabric.route_by_shortest_paths();
    fabric
}

/// Hops from each switch to the nearest one with hosts.
fn tiers(switches: usize, cables: &[Cable]) -> Vec<u8> {
    let mut neighbours = vec![Vec::new(); switches];
    let mut tiers = vec![u8::MAX; switches];
    for cable in cables {
        match cable.ends {
            [Node::Switch(a), Node::Switch(b)] => {
                neighbours[a.index()].push(b);
                neighbours[b.index()].push(a);
            }
            [Node::Switch(edge), Node::Host(_)] | [Node::Host(_), Node::Switch(edge)] => {
                tiers[edge.index()] = 0;
            }
            [Node::Host(_), Node::Host(_)] => {}
        }
    }
    let mut queue: Vec<usize> = (0..switches).filter(|&i| tiers[i] == 0).collect();
    let mut next = 0;
    while let Some(&at) = queue.get(next) {
        next += 1;
        for neighbour in &neighbours[at] {
            if tiers[neighbour.index()] == u8::MAX {
                tiers[neighbour.index()] = tiers[at].saturating_add(1);
                queue.push(neighbour.index());
            }
        }
    }
    tiers
}

/// Host number `i`.
pub(super) fn host(i: usize) -> Node {
    Node::Host(HostId(i as u32))
}

/// Switch number `i`.
pub(super) fn switch(i: usize) -> Node {
    Node::Switch(SwitchId(i as u32))
}
