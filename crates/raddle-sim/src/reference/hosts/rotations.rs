//! Hosts that route their packets themselves: the ways between two hosts, and whose turn it is
//! (`docs/design/0010-source-routing.md`).

use crate::plan::Plan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{Entropy, HostId, PortId, SwitchId};
use raddle_schemes::load_balance::plane::Paths;
use raddle_schemes::load_balance::route::{Rotation, route};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use raddle_schemes::{FlowContext, Need};
use std::collections::BTreeMap;

/// What rotates apart at a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Data,
    Acks,
}

/// The packets that share a pointer: of one class, from here to there, by one path selector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pointer {
    pub(super) load_balance: u8,
    pub(super) here: HostId,
    pub(super) there: HostId,
    pub(super) class: Class,
}

/// All pointers of all hosts.
pub(super) struct Rotations<'a> {
    plan: &'a Plan,
    rotations: BTreeMap<Pointer, State>,
}

struct State {
    rotation: Rotation,
    /// Which routes it goes over; none before the first packet.
    epoch: Option<usize>,
    rng: Rng,
}

impl<'a> Rotations<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self { plan, rotations: BTreeMap::new() }
    }

    /// The route whose turn it is; `None` for packets that switches route.
    pub(super) fn due(&mut self, now: Time, pointer: Pointer) -> Option<Entropy> {
        let plan = self.plan;
        let config = plan.transport.load_balance_of(pointer.load_balance);
        if !config.card().needs.contains(&Need::SourceRouting) {
            return None;
        }
        let Pointer { here, there, class, .. } = pointer;
        let key = u64::from(here.0) << 33 | u64::from(there.0) << 1 | class as u64;
        let begin = || State {
            rotation: Rotation::default(),
            epoch: None,
            rng: Rng::new(plan.seed, "rotation", key),
        };
        let state = self.rotations.entry(pointer).or_insert_with(begin);
        let selector = config.build(&FlowContext::NOMINAL);
        let at_once = selector.knows_at_once() && !plan.known_routes.is_empty();
        let in_force = if at_once {
            plan.known_routes.iter().rposition(|(from, _)| *from <= now)
        } else {
            plan.routes.iter().rposition(|(from, _)| *from <= now)
        };
        let epoch = in_force.unwrap_or(0);
        if state.epoch != Some(epoch) {
            let forwarding =
                if at_once { &*plan.known_routes[epoch].1 } else { &plan.routes[epoch].1 };
            let ways = ways(&plan.fabric, forwarding, 0, here, there);
            state.rotation = selector.rotation(ways, &mut state.rng);
            state.epoch = Some(epoch);
        }
        Some(state.rotation.due())
    }

    /// A packet has taken the route that was due.
    pub(super) fn turn(&mut self, pointer: Pointer) {
        if let Some(state) = self.rotations.get_mut(&pointer) {
            state.rotation.turn();
        }
    }
}

/// What a path selector that names planes is told of the ways from one host to another: those of the
/// whole fabric, where switches follow a packet's.
pub(super) fn paths(plan: &Plan, from: HostId, to: HostId) -> Paths {
    let planes = plan.fabric.planes;
    if plan.switch_load_balance.offers(Need::SourceRouting) {
        let in_plane = |plane| ways(&plan.fabric, &plan.fabric.forwarding, plane, from, to);
        Paths::Routes((0..planes).map(in_plane).collect())
    } else {
        Paths::Hashed { planes }
    }
}

/// The ways in a plane from one host to another, as two digits each: ports of the edge switch and of the
/// one above it. Where there is no second choice, its digit is 0.
fn ways(
    fabric: &Fabric,
    forwarding: &Forwarding,
    plane: u32,
    from: HostId,
    to: HostId,
) -> Vec<Entropy> {
    let edge = fabric.edge_of(fabric.host_port(from, plane));
    if edge == fabric.edge_of(fabric.host_port(to, plane)) {
        return vec![route(0, 0)];
    }
    let digit =
        |switch: SwitchId, port: PortId| port.0 - fabric.switches[switch.index()].ports.start;
    let ports = |switch: SwitchId| {
        let ports = forwarding.ports(switch, fabric.host_port(to, plane));
        (0..ports.count()).map(|choice| ports.get(choice)).collect::<Vec<PortId>>()
    };
    let mut ways = Vec::new();
    for first in ports(edge) {
        let Node::Switch(above) = fabric.destination(first) else { continue };
        let seconds = ports(above);
        // An edge switch on a detour reads the first digit again.
        if seconds.len() < 2 || fabric.switches[above.index()].tier == 0 {
            ways.push(route(digit(edge, first), 0));
        } else {
            let second = |port| route(digit(edge, first), digit(above, port));
            ways.extend(seconds.into_iter().map(second));
        }
    }
    ways
}
