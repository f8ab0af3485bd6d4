//! Forwarding: which ports of a switch lead towards a host's port.
//!
//! Trees compute the answer from a few numbers per switch; arbitrary graphs, and any fabric after
//! routing has converged around a fault, look it up in a table of shortest paths.

use crate::topology::slices::Slices;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Time, gcd};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How every switch forwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Forwarding {
    /// Up/down forwarding in a tree of two or three tiers.
    Tree(Vec<TreeSwitch>),
    /// All shortest paths, by table.
    Table(Table),
    /// Those of each slice of circuits, by tables.
    Slices(Arc<Slices>),
}

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

/// A switch of a tree. Hosts' ports `hosts_low..hosts_high` are below it, reached through runs of
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

impl Forwarding {
    /// The ports of `switch` on shortest paths to `to`, a port of a host, whenever links are open.
    #[inline]
    pub fn ports(&self, switch: SwitchId, to: PortId) -> Ports<'_> {
        match self {
            Self::Tree(switches) => switches[switch.index()].ports(to),
            Self::Table(table) => table.ports(switch, to),
            Self::Slices(slices) => slices.whenever.ports(switch, to),
        }
    }

    /// The same at `now` for a frame of a class, none being control.
    pub(crate) fn ports_at(
        &self,
        now: Time,
        class: Option<u8>,
        switch: SwitchId,
        to: PortId,
    ) -> Ports<'_> {
        match self {
            Self::Slices(slices) => slices.ports(now, class, switch, to),
            _ => self.ports(switch, to),
        }
    }

    /// A number that changes whenever these routes do by themselves.
    pub(crate) fn epoch(&self, now: Time) -> u32 {
        match self {
            Self::Slices(slices) => slices.epoch(now),
            _ => 0,
        }
    }

    /// The tables of what holds at some time: these routes, or those of each slice.
    pub(crate) fn at_any_time(&self) -> Vec<AtSomeTime<'_>> {
        match self {
            Self::Slices(slices) => slices.tables.iter().map(AtSomeTime::Slice).collect(),
            _ => vec![AtSomeTime::Always(self)],
        }
    }
}

/// Routes as they are at some time.
#[derive(Clone, Copy)]
pub(crate) enum AtSomeTime<'a> {
    Always(&'a Forwarding),
    Slice(&'a Table),
}

impl<'a> AtSomeTime<'a> {
    /// The ports of `switch` towards `to`, a port of a host.
    pub(crate) fn ports(self, switch: SwitchId, to: PortId) -> Ports<'a> {
        match self {
            Self::Always(forwarding) => forwarding.ports(switch, to),
            Self::Slice(table) => table.ports(switch, to),
        }
    }
}

/// The ports of `switch` on shortest paths to other edge switches of `pod`, and what each carries of
/// the traffic to the one that it can carry most to, relative to the others: the links to the edge
/// switches do not count (LB study spec, section 2.4).
pub fn towards_pod(
    fabric: &Fabric,
    forwarding: &Forwarding,
    switch: SwitchId,
    pod: u32,
) -> Vec<(PortId, u32)> {
    let weighted = matches!(forwarding, Forwarding::Table(t) if t.weighting == Weighting::Capacity);
    let mut found = BTreeMap::new();
    let mut last = None;
    for host in (0..fabric.host_ports()).map(PortId) {
        let edge = fabric.edge_of(host);
        let elsewhere = fabric.switches[edge.index()].pod != Some(pod) || edge == switch;
        if elsewhere || last.replace(edge) == Some(edge) {
            continue;
        }
        let mut ways = Ways { fabric, forwarding, host, edge, known: BTreeMap::new() };
        let ports = forwarding.ports(switch, host);
        for port in (0..ports.count()).map(|i| ports.get(i)) {
            let sum = |ways: Rates| ways.into_iter().map(|(rate, count)| rate * count).sum();
            let weight = if weighted { sum(ways.through(port)) } else { 1 };
            let most: &mut u64 = found.entry(port).or_default();
            *most = weight.max(*most);
        }
    }
    reduced(&found.into_iter().collect::<Vec<_>>())
}

/// How many ways have a slowest link of each rate.
type Rates = BTreeMap<u64, u64>;

/// The shortest paths to an edge switch, but for their last links.
struct Ways<'a> {
    fabric: &'a Fabric,
    forwarding: &'a Forwarding,
    edge: SwitchId,
    /// A port of one of its hosts.
    host: PortId,
    /// Of the switches on the way.
    known: BTreeMap<SwitchId, Rates>,
}

impl Ways<'_> {
    /// The ways through a port; one without a slowest link where it is the last.
    fn through(&mut self, port: PortId) -> Rates {
        match self.fabric.destination(port) {
            Node::Switch(next) if next != self.edge => {
                let own = self.fabric.ports[port.index()].rate.0;
                let mut ways = Rates::new();
                for (&rate, &count) in self.from(next) {
                    *ways.entry(rate.min(own)).or_insert(0) += count;
                }
                ways
            }
            _ => Rates::from([(u64::MAX, 1)]),
        }
    }

    /// The ways from a switch on. Those through parallel last links are one.
    fn from(&mut self, switch: SwitchId) -> &Rates {
        if !self.known.contains_key(&switch) {
            let mut all = Rates::new();
            let ports = self.forwarding.ports(switch, self.host);
            for port in (0..ports.count()).map(|i| ports.get(i)) {
                for (rate, count) in self.through(port) {
                    *all.entry(rate).or_insert(0) += count;
                }
            }
            if all.contains_key(&u64::MAX) {
                all = Rates::from([(u64::MAX, 1)]);
            }
            self.known.insert(switch, all);
        }
        &self.known[&switch]
    }
}

/// Weights without a common divisor. Of rates without one, over very many paths, the smallest
/// differences go.
fn reduced(weights: &[(PortId, u64)]) -> Vec<(PortId, u32)> {
    let divisor = gcd(weights.iter().map(|&(_, weight)| weight)).max(1);
    let largest = weights.iter().map(|&(_, weight)| weight / divisor).max().unwrap_or(0);
    let shift = (u64::BITS - largest.leading_zeros()).saturating_sub(u32::BITS);
    let small = |weight: u64| ((weight / divisor) >> shift).max(1) as u32;
    weights.iter().map(|&(port, weight)| (port, small(weight))).collect()
}

impl TreeSwitch {
    /// The ports towards `to`, a port of a host.
    #[inline]
    pub fn ports(&self, to: PortId) -> Ports<'static> {
        if self.hosts_low <= to.0 && to.0 < self.hosts_high {
            let run = (to.0 - self.hosts_low) / self.hosts_per_down;
            let first = PortId(self.down_first.0 + run * self.parallel);
            Ports::Run { first, count: self.parallel }
        } else {
            Ports::Run { first: self.up_first, count: self.up_count }
        }
    }
}

impl Table {
    /// All shortest paths, by number of hops, from every switch to every edge switch over the
    /// directed links that are `usable`.
    pub fn shortest(
        fabric: &Fabric,
        weighting: Weighting,
        usable: &dyn Fn(PortId) -> bool,
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
        let links = Links::new(fabric, usable);
        let mut groups = Groups::default();
        let mut rows = vec![0; fabric.switches.len() * columns];
        for (column, &edge) in edges.iter().enumerate() {
            let paths = Paths::to(edge, &links, fabric, weighting);
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
    rates: Vec<u64>,
}

impl<'a> Paths<'a> {
    fn to(edge: SwitchId, links: &'a Links, fabric: &Fabric, weighting: Weighting) -> Self {
        let (distances, order) = links.distances(edge);
        let mut paths = Self { links, distances, capacities: Vec::new(), rates: Vec::new() };
        if weighting == Weighting::Equal {
            return paths;
        }
        paths.rates = fabric.ports.iter().map(|port| port.rate.0).collect();
        paths.capacities = vec![BTreeMap::new(); fabric.switches.len()];
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
        let ports = table.ports(fabric.switch_named(switch).unwrap(), PortId(host));
        (0..ports.count()).map(|i| fabric.ports[ports.get(i).index()].name.as_str()).collect()
    }

    #[test]
    fn routes_avoid_a_dead_link_from_every_switch() {
        let fabric = two_tier();
        let dead = fabric.port_named("spine0.down2").unwrap();
        let table = Table::shortest(&fabric, Weighting::Equal, &|port| port != dead);
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
        let table = Table::shortest(&fabric, Weighting::Equal, &|port| port != dead);
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
        let table = Table::shortest(&fabric, Weighting::Equal, &usable);
        assert!(names(&fabric, &table, "tor0", 4).is_empty());
        assert!(names(&fabric, &table, "tor2", 0).is_empty());
        assert_eq!(names(&fabric, &table, "tor0", 2).len(), 2);
    }

    /// Weights of a table's next hops from `switch` to `host`, by port name; 1 where all are equal.
    fn weights(fabric: &Fabric, table: &Table, switch: &str, host: u32) -> Vec<(String, u32)> {
        let ports = table.ports(fabric.switch_named(switch).unwrap(), PortId(host));
        let weight = |i: usize| ports.weights().map_or(1, |weights| weights[i]);
        let name = |i: usize| fabric.ports[ports.get(i).index()].name.clone();
        (0..ports.count()).map(|i| (name(i), weight(i))).collect()
    }

    fn three_tier() -> Fabric {
        let (link, switch) = (Span::ns(500), Span::ns(0));
        TreeShape::fat_tree(3, 16, Rate::gbps(800), link, switch).unwrap().build().unwrap()
    }

    /// LB study spec 2.4: a port weighs as many cores as are linked to both aggregation switches.
    #[test]
    fn a_port_weighs_as_much_as_the_paths_behind_it_carry() {
        let fabric = three_tier();
        let dead = fabric.port_named("agg0.up1").unwrap();
        let cut = |port: PortId| port != dead && fabric.ports[port.index()].peer != dead;
        let table = Table::shortest(&fabric, Weighting::Capacity, &cut);
        let named = |list: &[(&str, u32)]| -> Vec<(String, u32)> {
            list.iter().map(|&(name, weight)| (name.to_owned(), weight)).collect()
        };
        // Out of the pod, and into it: one path through agg0, two through agg1.
        let (out, back) = (named(&[("tor0.up0", 1), ("tor0.up1", 2)]), ("tor7.up0", "tor7.up1"));
        assert_eq!(weights(&fabric, &table, "tor0", 15), out);
        assert_eq!(weights(&fabric, &table, "tor7", 0), named(&[(back.0, 1), (back.1, 2)]));
        // Within the pod, and elsewhere: equal.
        assert_eq!(weights(&fabric, &table, "tor0", 2), named(&[("tor0.up0", 1), ("tor0.up1", 1)]));
        assert_eq!(weights(&fabric, &table, "tor7", 4), named(&[(back.0, 1), (back.1, 1)]));
        assert_eq!(
            weights(&fabric, &table, "agg1", 15),
            named(&[("agg1.up0", 1), ("agg1.up1", 1)])
        );
        let pod = |pod| towards_pod(&fabric, &Forwarding::Table(table.clone()), SwitchId(0), pod);
        let weights_of = |ports: Vec<(PortId, u32)>| ports.iter().map(|p| p.1).collect::<Vec<_>>();
        assert_eq!((weights_of(pod(3)), weights_of(pod(0))), (vec![1, 2], vec![1, 1]));
        // The other ToR of pod 3 without one of them: it still weighs what leads into the pod.
        let beside = fabric.port_named("tor7.up0").unwrap();
        let both =
            |port: PortId| cut(port) && port != beside && fabric.ports[port.index()].peer != beside;
        let table = Table::shortest(&fabric, Weighting::Capacity, &both);
        assert_eq!(weights(&fabric, &table, "tor0", 15), named(&[("tor0.up1", 1)]));
        let pod = |pod| towards_pod(&fabric, &Forwarding::Table(table.clone()), SwitchId(0), pod);
        assert_eq!((weights_of(pod(3)), weights_of(pod(2))), (vec![1, 2], vec![1, 2]));
        // The same ports all over when nobody weighs them.
        let equal = Table::shortest(&fabric, Weighting::Equal, &cut);
        assert_eq!(
            weights(&fabric, &equal, "tor0", 15),
            named(&[("tor0.up0", 1), ("tor0.up1", 1)])
        );
    }

    #[test]
    fn a_slow_link_weighs_less() {
        let mut fabric = three_tier();
        let slow = fabric.port_named("agg0.up1").unwrap();
        fabric.ports[slow.index()].rate = Rate::gbps(200);
        let table = Table::shortest(&fabric, Weighting::Capacity, &|_| true);
        let shares: Vec<u32> =
            weights(&fabric, &table, "tor0", 15).into_iter().map(|(_, weight)| weight).collect();
        assert_eq!(shares, [5, 8], "800 + 200 and 800 + 800");
        let shares: Vec<u32> =
            weights(&fabric, &table, "agg0", 15).into_iter().map(|(_, weight)| weight).collect();
        assert_eq!(shares, [4, 1]);
    }

    #[test]
    fn rows_with_the_same_next_hops_share_a_group() {
        let fabric = three_tier();
        let table = Table::shortest(&fabric, Weighting::Capacity, &|_| true);
        // Per ToR: up. Per aggregation switch: up, and down to each of 2 ToRs. Per core: 4 pods.
        // Nothing, for a ToR to itself.
        assert_eq!(table.starts.len() - 1, 8 + 8 * 3 + 4 * 4 + 1);
    }
}
