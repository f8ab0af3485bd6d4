//! Tables of shortest paths: next-hop groups per switch and edge switch.

use super::{Fabric, Node};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::gcd;
use std::collections::{BTreeMap, HashMap};

/// The ports a packet may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports<'a> {
    /// Consecutive ports of equal weight.
    Run {
        /// The first.
        first: PortId,
        /// How many; at least one.
        count: u32,
    },
    /// Any ports; none if the host cannot be reached.
    List(NextHops<'a>),
}

/// A next-hop group: what packets of one switch to one or more edge switches choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextHops<'a> {
    /// Its number in the table.
    pub number: u32,
    /// The ports, in ascending order.
    pub ports: &'a [PortId],
    /// What each carries, relative to the others; empty if all carry the same.
    pub weights: &'a [u32],
}

impl<'a> Ports<'a> {
    /// How many ports there are to choose from.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Self::Run { count, .. } => *count as usize,
            Self::List(next_hops) => next_hops.ports.len(),
        }
    }

    /// The port with index `i` below [`Ports::count`].
    #[inline]
    pub fn get(&self, i: usize) -> PortId {
        match self {
            Self::Run { first, .. } => PortId(first.0 + i as u32),
            Self::List(next_hops) => next_hops.ports[i],
        }
    }

    /// The weights, where they differ.
    #[inline]
    pub fn weights(&self) -> Option<&'a [u32]> {
        match self {
            Self::Run { .. } => None,
            Self::List(next_hops) => Some(next_hops.weights).filter(|weights| !weights.is_empty()),
        }
    }

    /// The number of the next-hop group; of a run, that of its first port.
    #[inline]
    pub fn number(&self) -> u32 {
        match self {
            Self::Run { first, .. } => first.0,
            Self::List(next_hops) => next_hops.number,
        }
    }
}

raddle_schemes::words! {
    /// What ports carry once routing has converged around a fault.
    #[derive(Default)]
    pub enum Weighting {
        /// As much as the paths behind them can: a port's weight is the sum, over all shortest paths
        /// that begin with it, of the rate of the slowest link (W-ECMP, LB study spec 2.4).
        #[default]
        Capacity = "capacity",
        /// All the same.
        Equal = "equal",
    }
}

/// Next-hop groups per switch and edge switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What its ports carry.
    pub weighting: Weighting,
    /// The edge switch of each port of a host.
    pub edge_of: Vec<SwitchId>,
    /// The last hop: the edge switch's port to each port of a host, if it is usable.
    pub host_port: Vec<Option<PortId>>,
    /// Position of each edge switch in the rows below, by switch; `u32::MAX` for others.
    pub column: Vec<u32>,
    /// Number of edge switches.
    pub columns: u32,
    /// The next-hop group of each row: `switch * columns + column`.
    pub groups: Vec<u32>,
    /// `ports[starts[group]..starts[group + 1]]` are the ports of a group.
    pub starts: Vec<u32>,
    /// The ports of all groups, one after the other.
    pub ports: Vec<PortId>,
    /// Their weights; zero throughout a group whose ports carry the same.
    pub weights: Vec<u32>,
}

/// Weights without a common divisor. Of rates without one, over very many paths, the smallest
/// differences go.
pub(super) fn reduced(weights: &[(PortId, u64)]) -> Vec<(PortId, u32)> {
    let divisor = gcd(weights.iter().map(|&(_, weight)| weight)).max(1);
    let largest = weights.iter().map(|&(_, weight)| weight / divisor).max().unwrap_or(0);
    let shift = (u64::BITS - largest.leading_zeros()).saturating_sub(u32::BITS);
    let small = |weight: u64| ((weight / divisor) >> shift).max(1) as u32;
    weights.iter().map(|&(port, weight)| (port, small(weight))).collect()
}

impl Table {
    /// All shortest paths, by number of hops, from every switch to every edge switch over the
    /// directed links that are `usable`.
    pub fn shortest(
        fabric: &Fabric,
        weighting: Weighting,
        usable: &dyn Fn(PortId) -> bool,
    ) -> Self {
        let rates: Vec<u64> = fabric.ports.iter().map(|port| port.rate.0).collect();
        let links = Links::new(fabric, usable);
        Self::over(fabric, (weighting, &rates), usable, &links)
    }

    /// The same at all times, and over those links alone that stay in each of several times. Ports of
    /// hosts stay.
    pub(super) fn shortest_of_each(
        fabric: &Fabric,
        weighting: Weighting,
        usable: &dyn Fn(PortId) -> bool,
        stays: impl Iterator<Item = Vec<bool>>,
    ) -> (Self, Vec<Self>) {
        let rates: Vec<u64> = fabric.ports.iter().map(|port| port.rate.0).collect();
        let links = Links::new(fabric, usable);
        let over = |links: &Links| Self::over(fabric, (weighting, &rates), usable, links);
        (over(&links), stays.map(|stays| over(&links.of(&stays))).collect())
    }

    /// All shortest paths over these links; ports have these rates.
    fn over(
        fabric: &Fabric,
        (weighting, rates): (Weighting, &[u64]),
        usable: &dyn Fn(PortId) -> bool,
        links: &Links,
    ) -> Self {
        let ports = (0..fabric.host_ports()).map(PortId);
        let edge_of: Vec<SwitchId> = ports.map(|port| fabric.edge_of(port)).collect();
        let host_port = (0..fabric.host_ports() as usize)
            .map(|host| Some(fabric.ports[host].peer).filter(|&port| usable(port)))
            .collect();
        let mut edges = edge_of.clone();
        edges.sort_unstable();
        edges.dedup();
        let mut column = vec![u32::MAX; fabric.switches.len()];
        for (i, edge) in edges.iter().enumerate() {
            column[edge.index()] = i as u32;
        }
        let columns = edges.len();
        let mut groups = Groups::default();
        let mut rows = vec![0; fabric.switches.len() * columns];
        for (column, &edge) in edges.iter().enumerate() {
            let paths = Paths::to(edge, links, rates, weighting);
            for from in 0..fabric.switches.len() {
                rows[from * columns + column] = groups.number(paths.next_hops(from));
            }
        }
        Self {
            weighting,
            edge_of,
            host_port,
            column,
            columns: columns as u32,
            groups: rows,
            starts: groups.starts,
            ports: groups.ports,
            weights: groups.weights,
        }
    }

    /// The same without the ports that are `dead`, but for sets of which nothing would be left.
    pub fn without(&self, dead: &dyn Fn(PortId) -> bool) -> Self {
        let mut groups = Groups::default();
        let numbers: Vec<u32> = (0..self.starts.len() - 1)
            .map(|group| {
                let range = self.starts[group] as usize..self.starts[group + 1] as usize;
                let all = self.ports[range.clone()].iter().copied();
                let all: Vec<_> = all.zip(self.weights[range].iter().copied()).collect();
                let mut left = all.clone();
                left.retain(|&(port, _)| !dead(port));
                if left.is_empty() {
                    return groups.number(all);
                }
                // Zeros say that all weigh the same.
                if left.windows(2).all(|pair| pair[0].1 == pair[1].1) {
                    left.iter_mut().for_each(|(_, weight)| *weight = 0);
                }
                groups.number(left)
            })
            .collect();
        Self {
            groups: self.groups.iter().map(|&group| numbers[group as usize]).collect(),
            starts: groups.starts,
            ports: groups.ports,
            weights: groups.weights,
            ..self.clone()
        }
    }

    /// The ports of `switch` towards `to`, a port of a host.
    #[inline]
    pub fn ports(&self, switch: SwitchId, to: PortId) -> Ports<'_> {
        let edge = self.edge_of[to.index()];
        if edge == switch {
            let ports = self.host_port[to.index()].as_slice();
            return Ports::List(NextHops { number: u32::MAX, ports, weights: &[] });
        }
        let row = switch.index() * self.columns as usize + self.column[edge.index()] as usize;
        let number = self.groups[row];
        let (from, until) = (self.starts[number as usize], self.starts[number as usize + 1]);
        let range = from as usize..until as usize;
        let weights = &self.weights[range.clone()];
        let weights = if weights.first().is_none_or(|&first| first == 0) { &[] } else { weights };
        Ports::List(NextHops { number, ports: &self.ports[range], weights })
    }
}

/// Next-hop groups while a table is made, each kept once.
struct Groups {
    numbers: HashMap<Vec<(PortId, u32)>, u32>,
    starts: Vec<u32>,
    ports: Vec<PortId>,
    weights: Vec<u32>,
}

impl Default for Groups {
    fn default() -> Self {
        let (numbers, ports, weights) = (HashMap::new(), Vec::new(), Vec::new());
        Self { numbers, starts: vec![0], ports, weights }
    }
}

impl Groups {
    fn number(&mut self, next_hops: Vec<(PortId, u32)>) -> u32 {
        let new = self.numbers.len() as u32;
        *self.numbers.entry(next_hops).or_insert_with_key(|next_hops| {
            self.ports.extend(next_hops.iter().map(|&(port, _)| port));
            self.weights.extend(next_hops.iter().map(|&(_, weight)| weight));
            self.starts.push(self.ports.len() as u32);
            new
        })
    }
}

/// All shortest paths to one edge switch.
struct Paths<'a> {
    links: &'a Links,
    /// Hops from each switch; `u32::MAX` where there is no path.
    distances: Vec<u32>,
    /// By switch, how many shortest paths have a slowest link of each rate; empty for equal weights.
    capacities: Vec<BTreeMap<u64, u64>>,
    rates: &'a [u64],
}

impl<'a> Paths<'a> {
    fn to(edge: SwitchId, links: &'a Links, rates: &'a [u64], weighting: Weighting) -> Self {
        let (distances, order) = links.distances(edge);
        let mut paths = Self { links, distances, capacities: Vec::new(), rates };
        if weighting == Weighting::Equal {
            return paths;
        }
        paths.capacities = vec![BTreeMap::new(); paths.distances.len()];
        paths.capacities[edge.index()].insert(u64::MAX, 1);
        // Nearer switches first: a switch's paths are those of its next hops, one link longer.
        for &from in &order[1..] {
            let mut own = BTreeMap::new();
            for (port, to) in paths.nearer(from.index()) {
                for (rate, count) in paths.behind(port, to) {
                    *own.entry(rate).or_insert(0) += count;
                }
            }
            paths.capacities[from.index()] = own;
        }
        paths
    }

    /// Ports of a switch that lead nearer, and where to.
    fn nearer(&self, from: usize) -> impl Iterator<Item = (PortId, SwitchId)> + '_ {
        let reached = self.distances[from] != u32::MAX;
        // An unreachable neighbour is at the largest distance of all.
        let nearer = move |(_, to): &&(PortId, SwitchId)| {
            reached && self.distances[to.index()] < self.distances[from]
        };
        self.links.out_of(from).iter().filter(nearer).copied()
    }

    /// The paths through a port: the rate of the slowest link, and how many there are.
    fn behind(&self, port: PortId, to: SwitchId) -> impl Iterator<Item = (u64, u64)> + '_ {
        let own = self.rates[port.index()];
        self.capacities[to.index()].iter().map(move |(&rate, &count)| (rate.min(own), count))
    }

    /// The next hops of a switch, with weights of no common divisor; with zeros where they are all
    /// the same.
    fn next_hops(&self, from: usize) -> Vec<(PortId, u32)> {
        if self.capacities.is_empty() {
            return self.nearer(from).map(|(port, _)| (port, 0)).collect();
        }
        let weight = |port, to| -> u64 { self.behind(port, to).map(|(rate, n)| rate * n).sum() };
        let weights: Vec<(PortId, u64)> =
            self.nearer(from).map(|(port, to)| (port, weight(port, to))).collect();
        let equal = weights.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let weights = reduced(&weights).into_iter();
        weights.map(|(port, weight)| (port, if equal { 0 } else { weight })).collect()
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
            let own = switch.ports.clone().map(PortId);
            for port in own.filter(|&port| usable(port) && fabric.opens(port)) {
                if let Node::Switch(to) = fabric.destination(port) {
                    out.push((port, to));
                    into[to.index()].push(SwitchId(from as u32));
                }
            }
            out_starts.push(out.len());
        }
        Self { out_starts, out, into }
    }

    /// Those of them that stay, by port.
    fn of(&self, stays: &[bool]) -> Self {
        let (mut out_starts, mut out) = (vec![0], Vec::new());
        let mut into = vec![Vec::new(); self.into.len()];
        for from in 0..self.into.len() {
            let own = self.out_of(from).iter().filter(|(port, _)| stays[port.index()]);
            for &(port, to) in own {
                out.push((port, to));
                into[to.index()].push(SwitchId(from as u32));
            }
            out_starts.push(out.len());
        }
        Self { out_starts, out, into }
    }

    fn out_of(&self, switch: usize) -> &[(PortId, SwitchId)] {
        &self.out[self.out_starts[switch]..self.out_starts[switch + 1]]
    }

    /// Hops from every switch to `edge`, `u32::MAX` where there is no path; and those that have one,
    /// nearest first.
    fn distances(&self, edge: SwitchId) -> (Vec<u32>, Vec<SwitchId>) {
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
        (distances, queue)
    }
}
