//! Source routing by hosts: the ways between two hosts as the switches' `source_route` reads them,
//! and the rotations over them that a host keeps.

use crate::plan::Plan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node};
use crate::workload::Flow;
use raddle_schemes::ids::{Entropy, HostId};
use raddle_schemes::load_balance::plane::Paths;
use raddle_schemes::load_balance::route::{Rotation, route};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use raddle_schemes::{FlowContext, Need};
use std::collections::BTreeMap;

/// The rotations of a part's hosts: one per path selector, source, destination and class, made when
/// the first flow asks for it.
pub(in crate::host) struct SourceRoutes<'a> {
    plan: &'a Plan,
    numbers: BTreeMap<(u8, HostId, HostId, Class), Turns>,
    pointers: Vec<Pointer>,
    /// By receiver slot, what its ACKs take turns in; as long as the last one that is source-routed.
    acks: Vec<Turns>,
}

/// What rotates apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::host) enum Class {
    Data,
    Acks,
}

/// The rotation that a flow's packets take turns in, if they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct Turns(u32);

impl Turns {
    /// Of a flow that is not source-routed.
    const NONE: Self = Self(u32::MAX);

    /// Whether there is one.
    #[inline]
    pub(in crate::host) fn exist(self) -> bool {
        self != Self::NONE
    }
}

/// A rotation and how long it holds.
struct Pointer {
    rotation: Rotation,
    /// When the routes change next.
    until: Time,
    load_balance: u8,
    source: HostId,
    destination: HostId,
    rng: Rng,
}

impl<'a> SourceRoutes<'a> {
    pub(in crate::host) fn new(plan: &'a Plan) -> Self {
        Self { plan, numbers: BTreeMap::new(), pointers: Vec::new(), acks: Vec::new() }
    }

    /// The turns that flows with this path selector take.
    pub(in crate::host) fn turns(
        &mut self,
        load_balance: u8,
        source: HostId,
        destination: HostId,
        class: Class,
    ) -> Turns {
        let needs = self.plan.transport.load_balance_of(load_balance).card().needs;
        if !needs.contains(&Need::SourceRouting) {
            return Turns::NONE;
        }
        *self.numbers.entry((load_balance, source, destination, class)).or_insert_with(|| {
            let key = u64::from(source.0) << 33 | u64::from(destination.0) << 1 | class as u64;
            self.pointers.push(Pointer {
                rotation: Rotation::default(),
                until: Time::ZERO,
                load_balance,
                source,
                destination,
                rng: Rng::new(self.plan.seed, "rotation", key),
            });
            Turns(self.pointers.len() as u32 - 1)
        })
    }

    /// Keeps what the ACKs of a flow, which arrives at this receiver slot, take turns in.
    pub(in crate::host) fn note_acks(&mut self, slot: u32, flow: &Flow) {
        let turns = self.turns(flow.load_balance, flow.destination, flow.source, Class::Acks);
        if turns.exist() {
            let slots = self.acks.len().max(slot as usize + 1);
            self.acks.resize(slots, Turns::NONE);
            self.acks[slot as usize] = turns;
        }
    }

    /// What the ACKs of a receiver slot take turns in, if its flow is source-routed.
    #[inline]
    pub(in crate::host) fn of_acks(&self, slot: u32) -> Option<Turns> {
        self.acks.get(slot as usize).copied().filter(|turns| turns.exist())
    }

    /// The route that is due.
    #[inline]
    pub(in crate::host) fn due(&mut self, turns: Turns, now: Time) -> Entropy {
        let pointer = &mut self.pointers[turns.0 as usize];
        if now >= pointer.until {
            pointer.draw(self.plan, now);
        }
        pointer.rotation.due()
    }

    /// A packet has taken the route that was due.
    #[inline]
    pub(in crate::host) fn turn(&mut self, turns: Turns) {
        self.pointers[turns.0 as usize].rotation.turn();
    }
}

impl Pointer {
    /// Routes have changed, or this is the first packet.
    #[cold]
    fn draw(&mut self, plan: &Plan, now: Time) {
        let scheme = plan.transport.load_balance_of(self.load_balance);
        let selector = scheme.build(&FlowContext::NOMINAL);
        let (forwarding, until) = if selector.knows_at_once() && !plan.known_routes.is_empty() {
            let (current, until) = in_force(&plan.known_routes, now);
            (plan.known_routes.get(current).map(|(_, forwarding)| forwarding.as_ref()), until)
        } else {
            let (current, until) = in_force(&plan.routes, now);
            (plan.routes.get(current).map(|(_, forwarding)| forwarding), until)
        };
        self.until = until;
        let Some(forwarding) = forwarding else { return };
        let routes = routes(&plan.fabric, forwarding, 0, (self.source, self.destination));
        self.rotation = selector.rotation(routes, &mut self.rng);
    }
}

/// Which of `routes` is in force, and until when.
fn in_force<T>(routes: &[(Time, T)], now: Time) -> (usize, Time) {
    let later = routes.iter().position(|(from, _)| *from > now);
    let until = later.map_or(Time::NEVER, |next| routes[next].0);
    (later.unwrap_or(routes.len()).saturating_sub(1), until)
}

/// The paths between two hosts that a path selector is told of which names planes: as switches are
/// set up, whatever breaks.
pub(super) fn paths(plan: &Plan, source: HostId, destination: HostId) -> Paths {
    let planes = plan.fabric.planes;
    if !plan.switch_load_balance.offers(Need::SourceRouting) {
        return Paths::Hashed { planes };
    }
    let routes =
        |plane| routes(&plan.fabric, &plan.fabric.forwarding, plane, (source, destination));
    Paths::Routes((0..planes).map(routes).collect())
}

/// The routes in a plane from one host to another: in a fat tree one for each switch in which the ways
/// up from both meet, or as many as the cables up to it are parallel. A digit that no switch will
/// read is 0.
fn routes(
    fabric: &Fabric,
    forwarding: &Forwarding,
    plane: u32,
    (source, destination): (HostId, HostId),
) -> Vec<Entropy> {
    let destination = fabric.host_port(destination, plane);
    let edge = fabric.edge_of(fabric.host_port(source, plane));
    if edge == fabric.edge_of(destination) {
        return vec![route(0, 0)];
    }
    let first_port = |switch: usize| fabric.switches[switch].ports.start;
    let ports = forwarding.ports(edge, destination);
    let choices = ports.count();
    let mut found = Vec::new();
    for port in (0..choices).map(|i| ports.get(i)) {
        let digit = port.0 - first_port(edge.index());
        let Node::Switch(above) = fabric.destination(port) else { continue };
        let ports = forwarding.ports(above, destination);
        // A switch of the lowest tier reads the first digit again.
        if ports.count() < 2 || fabric.switches[above.index()].tier == 0 {
            found.push(route(digit, 0));
            continue;
        }
        if found.is_empty() {
            // As many above each as above the first: there may be millions of such lists.
            found.reserve_exact(choices * ports.count());
        }
        let digits = (0..ports.count()).map(|i| ports.get(i).0 - first_port(above.index()));
        found.extend(digits.map(|second| route(digit, second)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::routing::{Table, Weighting};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};

    fn fat_tree(hosts: u32) -> Fabric {
        let (link, switch) = (Span::ns(500), Span::ZERO);
        TreeShape::fat_tree(3, hosts, Rate::gbps(800), link, switch).unwrap().build().unwrap()
    }

    fn between(fabric: &Fabric, forwarding: &Forwarding, to: u32) -> Vec<Entropy> {
        routes(fabric, forwarding, 0, (HostId(0), HostId(to)))
    }

    /// LB study spec, section 2.6: other pod, same pod, same edge switch.
    #[test]
    fn there_is_a_route_for_each_common_switch() {
        for (hosts, half) in [(16, 2), (128, 4)] {
            let fabric = fat_tree(hosts);
            let other_edge = half;
            for (to, count) in [(hosts - 1, half * half), (other_edge, half), (1, 1)] {
                let mut routes = between(&fabric, &fabric.forwarding, to);
                assert_eq!(routes.len() as u32, count, "{hosts} hosts, to {to}");
                routes.dedup();
                assert_eq!(routes.len() as u32, count);
            }
        }
    }

    #[test]
    fn only_switches_that_both_ends_reach_are_rotated_over() {
        let fabric = fat_tree(16);
        // Aggregation 0 loses one of its cores; the far pod's aggregation 7 loses its way down.
        for (cut, left) in [("agg0.up0", 3), ("agg7.down1", 2), ("tor0.up0", 2)] {
            let dead = fabric.port_named(cut).unwrap();
            let peer = fabric.ports[dead.index()].peer;
            let table =
                Table::shortest(&fabric, Weighting::Capacity, &|port| port != dead && port != peer);
            let routes = between(&fabric, &Forwarding::Table(table), 15);
            assert_eq!(routes.len(), left, "{cut}");
        }
    }
}
