//! Forwarding: which ports of a switch lead towards a host.
//!
//! Trees compute the answer from a few numbers per switch; arbitrary graphs, and any fabric after
//! routing has converged around a fault, look it up in a table of shortest paths.

use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};

/// How every switch forwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Forwarding {
    /// Up/down forwarding in a tree of two or three tiers.
    Tree(Vec<TreeSwitch>),
    /// All shortest paths, by table.
    Table(Table),
}

/// The ports a packet may take: `count` of them starting at `first`, or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports<'a> {
    /// Consecutive ports.
    Run {
        /// The first.
        first: PortId,
        /// How many; at least one.
        count: u32,
    },
    /// Any ports; empty if the host cannot be reached.
    List(&'a [PortId]),
}

impl Ports<'_> {
    /// How many ports there are to choose from.
    pub fn count(&self) -> usize {
        match self {
            Self::Run { count, .. } => *count as usize,
            Self::List(list) => list.len(),
        }
    }

    /// The port with index `i` below [`Ports::count`].
    pub fn get(&self, i: usize) -> PortId {
        match self {
            Self::Run { first, .. } => PortId(first.0 + i as u32),
            Self::List(list) => list[i],
        }
    }
}

/// A switch of a tree. Hosts `hosts_low..hosts_high` are below it, reached through runs of
/// `parallel` down ports, one run per `hosts_per_down` hosts; all others through its up ports.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeSwitch {
    /// First host below.
    pub hosts_low: u32,
    /// One past the last host below.
    pub hosts_high: u32,
    /// Hosts behind each run of down ports.
    pub hosts_per_down: u32,
    /// Parallel cables to each lower neighbour.
    pub parallel: u32,
    /// First down port.
    pub down_first: PortId,
    /// First up port.
    pub up_first: PortId,
    /// Number of up ports.
    pub up_count: u32,
}

/// Choice sets per switch and edge switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The edge switch of each host.
    pub edge_of: Vec<SwitchId>,
    /// The last hop: the edge switch's port to each host, if it is usable.
    pub host_port: Vec<Option<PortId>>,
    /// Position of each edge switch in the rows below, by switch; `u32::MAX` for others.
    pub column: Vec<u32>,
    /// Number of edge switches.
    pub columns: u32,
    /// `lists[starts[switch * columns + column]..starts[.. + 1]]` are the ports of a choice set.
    pub starts: Vec<u32>,
    /// All choice sets, one after the other.
    pub lists: Vec<PortId>,
}

impl Forwarding {
    /// The ports of `switch` on shortest paths to `host`.
    #[inline]
    pub fn ports(&self, switch: SwitchId, host: HostId) -> Ports<'_> {
        match self {
            Self::Tree(switches) => switches[switch.index()].ports(host),
            Self::Table(table) => table.ports(switch, host),
        }
    }
}

impl TreeSwitch {
    /// The ports towards `host`.
    #[inline]
    pub fn ports(&self, host: HostId) -> Ports<'static> {
        if self.hosts_low <= host.0 && host.0 < self.hosts_high {
            let run = (host.0 - self.hosts_low) / self.hosts_per_down;
            let first = PortId(self.down_first.0 + run * self.parallel);
            Ports::Run { first, count: self.parallel }
        } else {
            Ports::Run { first: self.up_first, count: self.up_count }
        }
    }
}

impl Table {
    /// All shortest paths, by number of hops, from every switch to every edge switch over the
    /// directed links that are `usable`. Ports of a choice set are in ascending order.
    pub fn shortest(fabric: &Fabric, usable: &dyn Fn(PortId) -> bool) -> Self {
        let hosts = (0..fabric.hosts).map(HostId);
        let edge_of: Vec<SwitchId> = hosts.map(|host| fabric.edge(host)).collect();
        let host_port = (0..fabric.hosts as usize)
            .map(|host| Some(fabric.ports[host].peer).filter(|&port| usable(port)))
            .collect();
        let mut edges = edge_of.clone();
        edges.sort_unstable();
        edges.dedup();
        let mut column = vec![u32::MAX; fabric.switches.len()];
        for (i, edge) in edges.iter().enumerate() {
            column[edge.index()] = i as u32;
        }
        let links = Links::new(fabric, usable);
        let distances: Vec<Vec<u32>> = edges.iter().map(|&edge| links.distances(edge)).collect();
        let mut starts = vec![0];
        let mut lists = Vec::new();
        for from in 0..fabric.switches.len() {
            for distance in &distances {
                if distance[from] != u32::MAX {
                    let closer = |&&(_, to): &&(PortId, SwitchId)| {
                        // An unreachable neighbour is at the largest distance of all.
                        distance[to.index()] < distance[from]
                    };
                    lists.extend(links.out_of(from).iter().filter(closer).map(|(port, _)| *port));
                }
                starts.push(lists.len() as u32);
            }
        }
        Self { edge_of, host_port, column, columns: edges.len() as u32, starts, lists }
    }

    /// The ports of `switch` towards `host`.
    #[inline]
    pub fn ports(&self, switch: SwitchId, host: HostId) -> Ports<'_> {
        let edge = self.edge_of[host.index()];
        if edge == switch {
            return Ports::List(self.host_port[host.index()].as_slice());
        }
        let row = switch.index() * self.columns as usize + self.column[edge.index()] as usize;
        Ports::List(&self.lists[self.starts[row] as usize..self.starts[row + 1] as usize])
    }
}

/// The usable links between switches, by the switch they leave and by the switch they enter.
struct Links {
    out_starts: Vec<usize>,
    out: Vec<(PortId, SwitchId)>,
    into: Vec<Vec<SwitchId>>,
}

impl Links {
    fn new(fabric: &Fabric, usable: &dyn Fn(PortId) -> bool) -> Self {
        let mut out_starts = vec![0];
        let mut out = Vec::new();
        let mut into = vec![Vec::new(); fabric.switches.len()];
        for (from, switch) in fabric.switches.iter().enumerate() {
            for port in switch.ports.clone().map(PortId).filter(|&port| usable(port)) {
                if let Node::Switch(to) = fabric.destination(port) {
                    out.push((port, to));
                    into[to.index()].push(SwitchId(from as u32));
                }
            }
            out_starts.push(out.len());
        }
        Self { out_starts, out, into }
    }

    fn out_of(&self, switch: usize) -> &[(PortId, SwitchId)] {
        &self.out[self.out_starts[switch]..self.out_starts[switch + 1]]
    }

    /// Hops from every switch to `edge`, breadth first; `u32::MAX` where there is no path.
    fn distances(&self, edge: SwitchId) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.into.len()];
        distances[edge.index()] = 0;
        let mut queue = vec![edge];
        let mut next = 0;
        while let Some(&to) = queue.get(next) {
            next += 1;
            for &from in &self.into[to.index()] {
                if distances[from.index()] == u32::MAX {
                    distances[from.index()] = distances[to.index()] + 1;
                    queue.push(from);
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};

    fn two_tier() -> Fabric {
        TreeShape::leaf_spine(3, 2, 2, 1, Rate::gbps(400), Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn names<'a>(fabric: &'a Fabric, table: &Table, switch: &str, host: u32) -> Vec<&'a str> {
        let ports = table.ports(fabric.switch_named(switch).unwrap(), HostId(host));
        (0..ports.count()).map(|i| fabric.ports[ports.get(i).index()].name.as_str()).collect()
    }

    #[test]
    fn routes_avoid_a_dead_link_from_every_switch() {
        let fabric = two_tier();
        let dead = fabric.port_named("spine0.down2").unwrap();
        let table = Table::shortest(&fabric, &|port| port != dead);
        assert_eq!(names(&fabric, &table, "tor0", 5), ["tor0.up1"]);
        assert_eq!(names(&fabric, &table, "tor0", 3), ["tor0.up0", "tor0.up1"]);
        assert_eq!(names(&fabric, &table, "tor2", 0), ["tor2.up0", "tor2.up1"]);
        assert_eq!(names(&fabric, &table, "spine0", 4), ["spine0.down0", "spine0.down1"]);
        assert_eq!(names(&fabric, &table, "spine1", 4), ["spine1.down2"]);
    }

    #[test]
    fn a_host_behind_a_dead_port_has_no_last_hop() {
        let fabric = two_tier();
        let dead = fabric.ports[4].peer;
        let table = Table::shortest(&fabric, &|port| port != dead);
        assert!(names(&fabric, &table, "tor2", 4).is_empty());
        assert_eq!(names(&fabric, &table, "tor2", 5), ["tor2.down1"]);
        assert_eq!(names(&fabric, &table, "tor0", 4), ["tor0.up0", "tor0.up1"]);
    }

    #[test]
    fn an_isolated_edge_switch_cannot_be_reached() {
        let fabric = two_tier();
        let isolated = fabric.switches[2].ports.clone();
        let usable = |port: PortId| {
            !isolated.contains(&port.0) && !isolated.contains(&fabric.ports[port.index()].peer.0)
        };
        let table = Table::shortest(&fabric, &usable);
        assert!(names(&fabric, &table, "tor0", 4).is_empty());
        assert!(names(&fabric, &table, "tor2", 0).is_empty());
        assert_eq!(names(&fabric, &table, "tor0", 2).len(), 2);
    }
}
