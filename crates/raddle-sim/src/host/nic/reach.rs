//! By which planes hosts reach each other, as switches route.

use crate::faults::PortChange;
use crate::faults::intervals::{Window, covers, merge};
use crate::plan::Plan;
use crate::topology::Fabric;
use crate::topology::routing::Forwarding;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Span, Time};
use std::collections::BTreeMap;

/// By which planes each host reaches each other one, over time.
pub(crate) struct Reach {
    /// Which set of edge switches a host is attached to.
    edges: Vec<u32>,
    sets: usize,
    epochs: Vec<(Time, Epoch)>,
    /// Hosts that ever take a link of their own for down.
    broken: BTreeMap<HostId, Broken>,
}

/// A host with links that it takes for down.
struct Broken {
    /// By plane, when.
    out: Vec<Vec<Window>>,
    /// How long its word takes to the hosts of each set of edge switches, across an idle fabric.
    word: Vec<Span>,
}

/// While one state of the routes is in force.
struct Epoch {
    /// From the hosts of one set of edge switches to those of another, a bit for each plane.
    between: Vec<u8>,
    /// To each host from its own edge switches.
    last_hops: Vec<u8>,
}

impl Reach {
    /// Of a plan; none where hosts have one port.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        let fabric = &plan.fabric;
        if fabric.planes == 1 {
            return None;
        }
        let mut known: BTreeMap<Vec<SwitchId>, u32> = BTreeMap::new();
        // One host of each set stands for all.
        let mut firsts = Vec::new();
        let edges = (0..fabric.hosts).map(HostId).map(|host| {
            let own = fabric.ports_of(host).map(|port| fabric.edge_of(port)).collect();
            *known.entry(own).or_insert_with(|| {
                firsts.push(host);
                firsts.len() as u32 - 1
            })
        });
        let edges = edges.collect();
        let epochs = plan.routes.iter().map(|(at, own)| (*at, Epoch::of(fabric, own, &firsts)));
        let epochs = epochs.collect();
        let sets = firsts.len();
        Some(Self { broken: broken(plan, &firsts), edges, sets, epochs })
    }

    /// A bit for each plane by which switches route from one host to another at `now`.
    pub(super) fn planes(&self, now: Time, from: HostId, to: HostId) -> u8 {
        let epoch = self.epochs.iter().rfind(|(at, _)| *at <= now);
        let Some((_, epoch)) = epoch else { return u8::MAX };
        let row = self.edges[from.index()] as usize * self.sets;
        epoch.between[row + self.edges[to.index()] as usize] & epoch.last_hops[to.index()]
    }

    /// A bit for each plane in which a host has heard from another that its port is dead, so long ago
    /// at least.
    pub(super) fn told(&self, now: Time, after: Span, here: HostId, there: HostId) -> u8 {
        let Some(broken) = self.broken.get(&there) else { return 0 };
        let word = broken.word[self.edges[here.index()] as usize];
        let Some(then) = now.0.checked_sub(word.0 + after.0) else { return 0 };
        bits(broken.out.iter().map(|out| covers(out, Time(then))))
    }
}

/// The hosts that take links of their own for down; of each set of edge switches the first is given.
fn broken(plan: &Plan, firsts: &[HostId]) -> BTreeMap<HostId, Broken> {
    let fabric = &plan.fabric;
    let ack = plan.transport.ack;
    let mut all = BTreeMap::new();
    for host in (0..fabric.hosts).map(HostId) {
        let out: Vec<_> = fabric.ports_of(host).map(|port| taken_for_down(plan, port)).collect();
        if out.iter().any(|windows| !windows.is_empty()) {
            let word = |&to: &HostId| Span(fabric.base_rtt(host, to, ack, ack).0 / 2);
            all.insert(host, Broken { out, word: firsts.iter().map(word).collect() });
        }
    }
    all
}

impl Epoch {
    fn of(fabric: &Fabric, routes: &Forwarding, firsts: &[HostId]) -> Self {
        // One host stands for those at the same switches, but for the last hop, which is its own.
        let routed = |from: HostId, to: HostId| {
            let ports = fabric.ports_of(from).zip(fabric.ports_of(to));
            bits(ports.map(|(from, to)| {
                let edge = fabric.edge_of(from);
                edge == fabric.edge_of(to) || leads(routes, edge, to)
            }))
        };
        let reached = |host: HostId| {
            bits(fabric.ports_of(host).map(|port| leads(routes, fabric.edge_of(port), port)))
        };
        let all = |&from: &HostId| firsts.iter().map(move |&to| routed(from, to));
        Self {
            between: firsts.iter().flat_map(all).collect(),
            last_hops: (0..fabric.hosts).map(HostId).map(reached).collect(),
        }
    }
}

/// Whether a switch has a way to a port.
fn leads(routes: &Forwarding, from: SwitchId, to: PortId) -> bool {
    routes.ports(from, to).count() > 0
}

fn bits(all: impl Iterator<Item = bool>) -> u8 {
    (0..).zip(all).fold(0, |bits, (plane, is)| bits | u8::from(is) << plane)
}

/// When a host takes the link of a port of its own for down.
pub(super) fn taken_for_down(plan: &Plan, port: PortId) -> Vec<Window> {
    let later = |at: Time, by: Span| Time(at.0.saturating_add(by.0));
    let (repair, mut down) = (plan.transport.plane_repair, None);
    let mut windows = Vec::new();
    for &(at, change) in plan.faults.changes_of(port) {
        match change {
            PortChange::Down => down = Some(later(at, repair)),
            PortChange::Up => windows.extend(down.take().map(|from| (from, later(at, repair)))),
            _ => {}
        }
    }
    windows.extend(down.map(|from| (from, Time::NEVER)));
    merge(windows)
}
