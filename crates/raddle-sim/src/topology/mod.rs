//! Fabrics: hosts, switches, ports and cables as one graph, whatever generated them.
//!
//! Ports are numbered densely: first those of hosts, then each switch's in one run. Where hosts have
//! several ports, the first of every host come first, in order of host, then the second of every
//! host. With one, host `h` has port `h`. A port stands for the directed link that leaves it; the port at the
//! far end of the same cable is its `peer`, and `peer` of `peer` is the port itself.
//!
//! A topology is a file here and a line in [`KINDS`]: its [`Kind`] and the [`Topology`] that its
//! numbers make.

mod assemble;
pub mod circuits;
mod connectivity;
pub mod dumbbell;
pub mod fat_tree;
pub mod graph;
pub mod hybrid;
pub mod inventory;
pub mod kind;
pub mod later;
pub mod leaf_spine;
pub(crate) mod nearest;
pub mod packet_network;
mod paths;
pub mod pattern;
pub mod planes;
pub mod rail;
mod routes_fit;
pub mod routing;
pub mod scale_up;
pub mod shape_error;
mod slice_tables;
pub mod slices;
pub mod slicing;
mod table;
pub mod torus;
pub mod tree;

pub use kind::{Draw, HostPorts, Kind, Topology};
pub use paths::RoundTrips;
pub use routes_fit::RouteMisfit;

use raddle_schemes::ids::{Entropy, HostId, PortId, SwitchId};
use raddle_schemes::load_balance::route::first_hop;
use raddle_schemes::units::{Rate, Span};
use routing::{Forwarding, Table, Weighting};
use slices::Slices;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Every topology that numbers describe; files may describe others ([`graph`]).
pub const KINDS: &[&Kind] = &[
    &dumbbell::KIND,
    &leaf_spine::KIND,
    &fat_tree::KIND,
    &torus::KIND,
    &circuits::KIND,
    &rail::KIND,
];

/// A host or a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A host.
    Host(HostId),
    /// A switch.
    Switch(SwitchId),
}

/// A switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// Its name: `tor0`, `agg3`, `core1`, or what a graph file calls it.
    pub name: String,
    /// 0 for switches with hosts (ToR, leaf), 1 above them, 2 above those.
    pub tier: u8,
    /// The pod it belongs to; `None` for core switches. Fabrics without pods are all one.
    pub pod: Option<u32>,
    /// Its ports.
    pub ports: Range<u32>,
    /// From the arrival of a frame's last bit until the frame can be queued at its output.
    pub latency: Span,
}

/// A port and the directed link that leaves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name: `tor0.up1`, `agg2.down3`, `host7`.
    pub name: String,
    /// The node it belongs to.
    pub owner: Node,
    /// The port at the other end of the cable.
    pub peer: PortId,
    /// Rate of the link that leaves it.
    pub rate: Rate,
    /// Propagation delay of the cable.
    pub delay: Span,
    /// Whether it leads away from hosts, towards the top of the tree.
    pub up: bool,
}

/// Hosts, switches and the cables between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Number of hosts; host `h` has the ports `h`, `h + hosts`, `h + 2 hosts` and so on.
    pub hosts: u32,
    /// How many ports every host has: one for each plane.
    pub planes: u32,
    /// The switches.
    pub switches: Vec<Switch>,
    /// All ports, hosts' first.
    pub ports: Vec<Port>,
    /// From the arrival of a frame's last bit at a host until the host has received it: what its NIC
    /// takes before an ACK can leave, a sender hears of one, or a pause begins.
    pub host_latency: Span,
    /// How switches forward while nothing is known to be broken.
    pub forwarding: crate::topology::routing::Forwarding,
    /// When the links between ToRs are open, where those are circuits.
    pub circuits: Option<Box<circuits::Circuits>>,
    /// What the GPUs of a server send each other by, where hosts are such.
    pub scale_up: Option<scale_up::ScaleUp>,
}

impl Fabric {
    /// Forwards by all shortest paths over links that ever are open.
    pub(crate) fn route_by_shortest_paths(&mut self) {
        self.forwarding = self.shortest_paths(Weighting::Equal, &[], 0, &|_| true);
    }

    /// All shortest paths over links that ever are open and `usable`; where circuits say so, in each
    /// slice over those that are open then. Of lanes, some uplinks may be dead, a bit each; of several
    /// schedules of circuits, they are those of one.
    pub(crate) fn shortest_paths(
        &self,
        weighting: Weighting,
        dead: &[(PortId, u64)],
        schedule: usize,
        usable: &dyn Fn(PortId) -> bool,
    ) -> Forwarding {
        if let Some(circuits) = &self.circuits
            && let Some(slicing) = &circuits.slicing
        {
            let left = circuits.without(dead);
            let slices = Slices::of(self, &left, slicing, (weighting, usable));
            return Forwarding::Slices(Arc::new(slices));
        }
        let circuits = self.circuits.as_ref();
        let opens = |port| circuits.is_none_or(|own| own.opens(schedule, port));
        Forwarding::Table(Table::shortest(self, weighting, &|port| usable(port) && opens(port)))
    }

    /// The node a frame leaving `port` reaches.
    pub fn destination(&self, port: PortId) -> Node {
        self.ports[self.ports[port.index()].peer.index()].owner
    }

    /// From the last bit leaving `port` until the frame can be queued (switch) or is received
    /// (host) at the far end: cable delay, plus the latency of the far node.
    pub fn latency(&self, port: PortId) -> Span {
        let delay = self.ports[port.index()].delay;
        match self.destination(port) {
            Node::Host(_) => delay + self.host_latency,
            Node::Switch(switch) => delay + self.switches[switch.index()].latency,
        }
    }

    /// The port of `host` in a plane.
    #[inline]
    pub fn host_port(&self, host: HostId, plane: u32) -> PortId {
        PortId(plane * self.hosts + host.0)
    }

    /// The ports of `host`, in order of planes.
    pub fn ports_of(&self, host: HostId) -> impl Iterator<Item = PortId> + Clone {
        let all = host.0..self.host_ports();
        all.step_by(self.hosts.max(1) as usize).map(PortId)
    }

    /// How many ports belong to hosts: they are the first.
    #[inline]
    pub fn host_ports(&self) -> u32 {
        self.hosts * self.planes
    }

    /// What the ports of `host` send together.
    pub fn host_rate(&self, host: HostId) -> Rate {
        Rate(self.ports_of(host).map(|port| self.ports[port.index()].rate.0).sum())
    }

    /// The switch that `host` is attached to by its first port.
    pub fn edge(&self, host: HostId) -> SwitchId {
        self.edge_of(self.host_port(host, 0))
    }

    /// The switch at the other end of a host's port.
    pub fn edge_of(&self, port: PortId) -> SwitchId {
        match self.destination(port) {
            Node::Switch(switch) => switch,
            Node::Host(_) => unreachable!("a host's cable ends at a switch"),
        }
    }

    /// The port of its own switch that a route of `host` takes, if the switch has one of this number;
    /// else its last.
    pub fn up_port(&self, host: HostId, path: Entropy) -> &Port {
        let ports = &self.switches[self.edge(host).index()].ports;
        let port = ports.start + u32::from(first_hop(path));
        &self.ports[port.min(ports.end - 1) as usize]
    }

    /// The switches that have hosts, each with a port of one of them, in order of switch.
    pub(crate) fn edge_switches(&self) -> (Vec<SwitchId>, Vec<PortId>) {
        let ports = (0..self.host_ports()).rev().map(PortId);
        let first: BTreeMap<SwitchId, PortId> =
            ports.map(|port| (self.edge_of(port), port)).collect();
        first.into_iter().unzip()
    }

    /// The pod of `host`.
    pub fn pod(&self, host: HostId) -> u32 {
        self.switches[self.edge(host).index()].pod.unwrap_or(0)
    }

    /// How many switches each plane has, where planes share nothing but the hosts: the first so many
    /// belong to the first plane, and so on. `None` where there is one, or where hosts with several
    /// ports are attached to one tree.
    pub fn switches_per_plane(&self) -> Option<u32> {
        let switches = self.switches.len() as u32;
        let each = (self.planes > 1).then(|| switches / self.planes).filter(|each| *each > 0)?;
        let tiers = |plane: u32| {
            let own = plane as usize * each as usize..(plane as usize + 1) * each as usize;
            self.switches[own].iter().map(|switch| switch.tier)
        };
        let alike = switches.is_multiple_of(self.planes)
            && (1..self.planes).all(|plane| tiers(plane).eq(tiers(0)));
        let own = |port| self.edge_of(PortId(port)).0 / each == port / self.hosts;
        (alike && (0..self.host_ports()).all(own)).then_some(each)
    }

    /// The name of a host: that of its port, or what its ports' names begin with.
    pub fn host_name(&self, host: HostId) -> &str {
        let port = self.ports[host.index()].name.as_str();
        if self.planes == 1 { port } else { port.rsplit_once('.').map_or(port, |(host, _)| host) }
    }

    /// The port of this name.
    pub fn port_named(&self, name: &str) -> Option<PortId> {
        self.ports.iter().position(|port| port.name == name).map(|i| PortId(i as u32))
    }

    /// The names of all links, each that of the port it leaves.
    pub fn link_names(&self) -> impl Iterator<Item = &str> {
        self.ports.iter().map(|port| port.name.as_str())
    }

    /// The switch of this name.
    pub fn switch_named(&self, name: &str) -> Option<SwitchId> {
        self.switches.iter().position(|s| s.name == name).map(|i| SwitchId(i as u32))
    }
}
