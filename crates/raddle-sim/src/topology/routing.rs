//! Forwarding: which ports of a switch lead towards a host's port.
//!
//! Trees compute the answer from a few numbers per switch; arbitrary graphs, and any fabric after
//! routing has converged around a fault, look it up in a table of shortest paths.

use super::slices::Slices;
use super::table::reduced;
pub use super::table::{NextHops, Ports, Table, Weighting};
use super::{Fabric, Node};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Time;
use std::collections::BTreeMap;
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
