//! Forwarding: which ports of a switch lead towards a host.
//!
//! Trees compute the answer from a few numbers per switch; arbitrary graphs, and any fabric after
//! routing has converged around a fault, look it up in a table of shortest paths.

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
    /// The last hop: the edge switch's port to each host.
    pub host_port: Vec<PortId>,
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
    /// The ports of `switch` towards `host`.
    #[inline]
    pub fn ports(&self, switch: SwitchId, host: HostId) -> Ports<'_> {
        let edge = self.edge_of[host.index()];
        if edge == switch {
            return Ports::List(std::slice::from_ref(&self.host_port[host.index()]));
        }
        let row = switch.index() * self.columns as usize + self.column[edge.index()] as usize;
        Ports::List(&self.lists[self.starts[row] as usize..self.starts[row + 1] as usize])
    }
}
