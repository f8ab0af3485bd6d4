//! What switches, routes and links ask of a plan.

use super::{DETOURS_MAX, HOSTS_BELOW_LIMIT, LimitError};
use crate::engine::{self, HORIZON, SHORTEST_WINDOW};
use crate::faults::PortChange;
use crate::plan::Plan;
use crate::topology::routing::Forwarding;
use crate::topology::{RouteMisfit, Switch};
use crate::wire::frame::PFC_SIZE;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::host;
use raddle_schemes::load_balance::route::PORT_LIMIT;
use raddle_schemes::units::{Rate, Span};
use raddle_schemes::{FlowContext, Need};

impl Plan {
    /// Nothing else needs the entropies that switches write over, or chooses among other ways.
    pub(super) fn check_detours(&self) -> Result<(), LimitError> {
        if !self.switch_load_balance.makes_detours() {
            return Ok(());
        }
        let learns = |own: &host::Config| own.build(&FlowContext::NOMINAL).learns_entropies();
        let transport = &self.transport;
        let mut hosts = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let edges = self.fabric.switches.iter().filter(|switch| switch.tier == 0).count();
        let beside = [
            (hosts.any(learns), "hosts that learn which entropies are good"),
            (self.tor.is_some(), "middleware, which chooses among ways to the destination"),
            (self.fabric.planes > 1, "hosts with several ports"),
            (edges > DETOURS_MAX, "more than 32,768 switches with hosts, whose numbers do not fit"),
        ];
        let found = beside.into_iter().find(|(is, _)| *is);
        found.map_or(Ok(()), |(_, what)| Err(LimitError::Detours { what }))
    }

    pub(super) fn check_switches(&self) -> Result<(), LimitError> {
        let transport = &self.transport;
        let mut selectors = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let needs = |own: &host::Config, need| own.card().needs.contains(&need);
        let named = [Need::SourceRouting, Need::Planner];
        let name_routes = selectors.any(|own| named.iter().any(|&need| needs(own, need)));
        let names_planes = |own: &&host::Config| own.names_planes();
        let selectors = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let follows = self.switch_load_balance.offers(Need::SourceRouting);
        let along_planes = follows && selectors.clone().any(|own| names_planes(&own));
        let some_name = selectors.clone().any(|own| names_planes(&own));
        let by_flow = some_name && !transport.plane.is_per_packet();
        if self.fabric.planes > 1 {
            // A route of two choices leaves no bits for the plane.
            let chooses_twice = self.fabric.ways_up()[1] > 1;
            let what = [
                (name_routes, "hosts that name routes"),
                (along_planes && chooses_twice, "routes with a second choice"),
                (by_flow, "planes by flow, beside paths that name theirs,"),
                (self.tor.is_some(), "switches with middleware"),
            ];
            if let Some((_, what)) = what.into_iter().find(|(is, _)| *is) {
                return Err(LimitError::Planes { what });
            }
        }
        let too_wide = |switch: &&Switch| switch.ports.len() > PORT_LIMIT as usize;
        if let Some(switch) =
            self.fabric.switches.iter().find(too_wide).filter(|_| name_routes || along_planes)
        {
            let (switch, ports) = (switch.name.clone(), switch.ports.len());
            return Err(LimitError::SourceRoute { switch, ports });
        }
        for (_, forwarding) in &self.routes {
            let Forwarding::Tree(switches) = forwarding else { continue };
            for (tree, switch) in switches.iter().zip(&self.fabric.switches) {
                let hosts = u64::from(tree.hosts_high.saturating_sub(tree.hosts_low));
                if hosts > HOSTS_BELOW_LIMIT {
                    return Err(LimitError::HostsBelow { switch: switch.name.clone(), hosts });
                }
            }
        }
        self.check_routes().map_err(LimitError::Routes)
    }

    pub(super) fn check_routes(&self) -> Result<(), RouteMisfit> {
        self.fabric.check_routes(self.routes.iter().map(|(at, own)| (*at, own)))?;
        if self.known_routes.is_empty() {
            return Ok(());
        }
        self.fabric.check_routes(self.known_routes.iter().map(|(at, own)| (*at, &**own)))
    }

    pub(super) fn check_links(&self) -> Result<(), LimitError> {
        let window = engine::shortest_way_into_a_switch(&self.fabric);
        if window < SHORTEST_WINDOW {
            return Err(LimitError::Window { window });
        }
        let has_pauses = self.queue.pfc.is_some() || self.queue.cbfc.is_some();
        let pfc = has_pauses.then_some(PFC_SIZE);
        let largest = self.packet().max(self.transport.ack).max(pfc.unwrap_or_default());
        let mut slowest: Vec<Rate> = self.fabric.ports.iter().map(|port| port.rate).collect();
        for (port, changes) in &self.faults.ports {
            for (_, change) in changes {
                if let PortChange::Rate { rate, .. } = *change {
                    slowest[port.index()] = slowest[port.index()].min(rate);
                }
            }
        }
        for (index, port) in self.fabric.ports.iter().enumerate() {
            let (link, rate) = (|| port.name.clone(), slowest[index]);
            if rate.0 == 0 {
                return Err(LimitError::Horizon { link: link(), rate, time: None });
            }
            let wire = rate.serialisation(largest).0;
            let latency = self.fabric.latency(PortId(index as u32));
            let time = Span(wire.saturating_add(latency.0));
            if time.0 >= HORIZON.0 {
                return Err(LimitError::Horizon { link: link(), rate, time: Some(time) });
            }
        }
        self.check_hybrid()?;
        self.check_gates(largest, &slowest)
    }
}
