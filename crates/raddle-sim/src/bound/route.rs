//! The links between two hosts, as far as a lower bound needs to know them.

use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Bytes, Rate, Span};
use std::collections::BTreeMap;
use std::iter;
use std::rc::Rc;

/// A link: its rate, and the time from a frame's last bit leaving it until the frame can be queued
/// or is received at the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The link's rate.
    pub rate: Rate,
    /// Cable delay and the next switch's latency.
    pub latency: Span,
}

/// The hops from a host to another: the first leaves the sender's NIC, the last one ends at the
/// receiver; there are at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The hops.
    pub hops: Vec<Hop>,
    /// For each hop, how many links it may be.
    pub links: Vec<u32>,
}

impl Route {
    /// The latencies of all hops.
    pub fn latency(&self) -> Span {
        Span(self.hops.iter().map(|hop| hop.latency.0).sum())
    }

    /// The time of a frame that meets empty queues: latencies and serialisations.
    pub fn crossing(&self, frame: Bytes) -> Span {
        crossing(&self.hops, frame)
    }
}

/// The time a frame takes over `hops` through empty queues.
pub(super) fn crossing(hops: &[Hop], frame: Bytes) -> Span {
    Span(hops.iter().map(|hop| hop.rate.serialisation(frame).0 + hop.latency.0).sum())
}

/// Finds routes in a fabric. Pairs of hosts whose links are alike share the route between their
/// edge switches, which is searched once.
///
/// Where switches have a choice, hop `k` of the route has the highest rate and the lowest latency
/// among all links that hop `k` may be. In a tree these are all alike; in any fabric no packet is
/// faster than the route says.
pub struct Routes<'a> {
    fabric: &'a Fabric,
    found: BTreeMap<Ends, Option<Rc<Route>>>,
}

/// What a route depends on: the hosts' links, and their edge switches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    edges: (SwitchId, SwitchId),
    links: (Hop, Hop),
}

impl Ends {
    /// Of the route from `source` to `destination`.
    pub(super) fn of(fabric: &Fabric, source: HostId, destination: HostId) -> Self {
        let edges = (fabric.edge(source), fabric.edge(destination));
        let down = fabric.ports[destination.index()].peer;
        Self { edges, links: (hop(fabric, PortId(source.0)), hop(fabric, down)) }
    }
}

impl<'a> Routes<'a> {
    /// Routes of `fabric` while nothing is broken.
    pub fn new(fabric: &'a Fabric) -> Self {
        Self { fabric, found: BTreeMap::new() }
    }

    /// The route from `source` to `destination`; `None` if there is no path.
    pub fn find(&mut self, source: HostId, destination: HostId) -> Option<Rc<Route>> {
        let fabric = self.fabric;
        let ends = Ends::of(fabric, source, destination);
        let Ends { links: (first, last), .. } = ends;
        let route = || {
            let planes = 0..fabric.planes;
            let ways = planes.filter_map(|plane| search(fabric, plane, source, destination));
            // Where a host's ToRs are in several pods, planes differ: no packet is faster than over the
            // fewest hops.
            let between = ways.min_by_key(Vec::len)?;
            let hops = iter::once((first, 1)).chain(between).chain([(last, 1)]);
            let (hops, mut links): (Vec<Hop>, Vec<u32>) = hops.unzip();
            links.iter_mut().for_each(|links| *links *= fabric.planes);
            Some(Rc::new(Route { hops, links }))
        };
        self.found.entry(ends).or_insert_with(route).clone()
    }
}

/// The best of both, where packets may take a circuit or a packet network.
fn hop(fabric: &Fabric, port: PortId) -> Hop {
    if let Some((rate, latency)) = fabric.best_of_both(port) {
        return Hop { rate, latency };
    }
    Hop { rate: fabric.ports[port.index()].rate, latency: fabric.latency(port) }
}

/// The hops between the edge switches of two hosts in a plane, level by level, and how many links each
/// may be.
fn search(
    fabric: &Fabric,
    plane: u32,
    source: HostId,
    destination: HostId,
) -> Option<Vec<(Hop, u32)>> {
    let goal = fabric.host_port(destination, plane);
    let from = fabric.edge_of(fabric.host_port(source, plane));
    let to = fabric.edge_of(goal);
    let mut hops = Vec::new();
    let mut level = vec![from];
    while level.binary_search(&to).is_err() {
        let mut next = Vec::new();
        let mut best: Option<Hop> = None;
        let mut links = 0;
        for &switch in &level {
            let ports = fabric.forwarding.ports(switch, goal);
            for port in (0..ports.count()).map(|i| ports.get(i)) {
                let Node::Switch(reached) = fabric.destination(port) else { continue };
                next.push(reached);
                links += 1;
                let this = hop(fabric, port);
                best = Some(best.map_or(this, |best| Hop {
                    rate: best.rate.max(this.rate),
                    latency: best.latency.min(this.latency),
                }));
            }
        }
        // A path that visits more switches than there are goes round in a circle.
        if hops.len() > fabric.switches.len() {
            return None;
        }
        hops.push((best?, links));
        next.sort_unstable();
        next.dedup();
        level = next;
    }
    Some(hops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::LeafSpine;

    #[test]
    fn routes_have_two_hops_below_a_tor_and_four_across_the_spine() {
        let fabric = LeafSpine::default().fabric();
        let mut routes = Routes::new(&fabric);
        let near = routes.find(HostId(0), HostId(1)).unwrap();
        let far = routes.find(HostId(0), HostId(3)).unwrap();
        assert_eq!(near.hops.len(), 2);
        assert_eq!(far.hops.len(), 4);
        assert_eq!((&near.links[..], &far.links[..]), (&[1, 1][..], &[1, 2, 2, 1][..]));
        // Four cables of 500 ns and three switches of 200 ns.
        assert_eq!(far.latency(), Span::ns(2_600));
        assert_eq!(far.crossing(Bytes(1000)), Span::ns(2_600 + 4 * 80));
    }

    #[test]
    fn a_hop_with_a_choice_is_as_good_as_the_best_of_each_kind() {
        let mut fabric = LeafSpine::default().fabric();
        let ups: Vec<_> = (0..).zip(&fabric.ports).filter(|(_, port)| port.up).collect();
        let up = |name: &str| ups.iter().find(|(_, port)| port.name == name).unwrap().0 as usize;
        let (up0, up1) = (up("tor0.up0"), up("tor0.up1"));
        fabric.ports[up0].rate = Rate::gbps(400);
        fabric.ports[up1].delay = Span::ns(100);
        let hop = Routes::new(&fabric).find(HostId(0), HostId(3)).unwrap().hops[1];
        assert_eq!(hop, Hop { rate: Rate::gbps(400), latency: Span::ns(300) });
    }
}
