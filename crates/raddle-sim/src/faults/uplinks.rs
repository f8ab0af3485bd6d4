//! Faults of uplinks of ToRs and of circuit switches (rotors): the lanes that have circuits over them.
//!
//! `tor0.up2` is what a ToR sends and receives over rotor 2, `rotor1` is all of uplink 1.

use super::intervals::{Window, covers, merge};
use super::spec::{Direction, Effect, FaultPlan};
use super::struck::{Dead, Struck};
use crate::topology::circuits::{Circuits, Lane};
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// When what is down: links, and circuits of lanes.
#[derive(Default)]
pub(super) struct Down {
    /// Of links, in which windows.
    pub(super) links: BTreeMap<PortId, Vec<Window>>,
    /// Of lanes that have dead uplinks at some time, which from when on.
    pub(super) uplinks: BTreeMap<PortId, Vec<(Time, u64)>>,
    /// Of lanes that some schedules of circuits never open, while these last.
    pub(super) closed: Vec<(PortId, Vec<Window>)>,
}

impl Down {
    /// When the link of each port is down, whatever for.
    pub(super) fn all_links(&self) -> BTreeMap<PortId, Vec<Window>> {
        let mut all = self.links.clone();
        for (port, windows) in &self.closed {
            let own = all.entry(*port).or_default();
            own.extend(windows);
            *own = merge(std::mem::take(own));
        }
        all
    }
}

/// The circuits of a fabric whose uplinks have names.
fn circuits(fabric: &Fabric) -> Option<&Circuits> {
    fabric.circuits.as_deref().filter(|own| own.packet.is_none())
}

/// The names of all uplinks.
pub(super) fn uplink_names(fabric: &Fabric) -> impl Iterator<Item = String> {
    let count = circuits(fabric).map_or(0, |own| own.uplinks);
    let names = move |tor: &str| (0..count).map(|i| format!("{tor}.up{i}")).collect::<Vec<_>>();
    fabric.switches.iter().flat_map(move |switch| names(&switch.name))
}

/// The names of all circuit switches.
pub(super) fn rotor_names(fabric: &Fabric) -> impl Iterator<Item = String> + use<> {
    (0..circuits(fabric).map_or(0, |own| own.uplinks)).map(|i| format!("rotor{i}"))
}

/// The number that follows a word, if it is one of an uplink.
fn uplink(circuits: &Circuits, text: &str, word: &str) -> Option<u32> {
    let digits = text.strip_prefix(word)?;
    let number: u32 = digits.parse().ok().filter(|number| *number < circuits.uplinks)?;
    (number.to_string() == digits).then_some(number)
}

/// What an uplink of this name strikes.
pub(super) fn of_uplink(fabric: &Fabric, name: &str, direction: Direction) -> Option<Struck> {
    let circuits = circuits(fabric)?;
    let (tor, uplink_name) = name.rsplit_once('.')?;
    let uplink = uplink(circuits, uplink_name, "up")?;
    let tor = Node::Switch(fabric.switch_named(tor)?);
    Some(struck(circuits, uplink, |lane| {
        let sends = fabric.ports[lane.port.index()].owner == tor;
        let receives = fabric.destination(lane.port) == tor;
        match direction {
            Direction::Both => sends || receives,
            Direction::Out => sends,
            Direction::In => receives,
        }
    }))
}

/// What a circuit switch of this name strikes.
pub(super) fn of_rotor(fabric: &Fabric, name: &str) -> Option<Struck> {
    let circuits = circuits(fabric)?;
    let uplink = uplink(circuits, name, "rotor")?;
    Some(struck(circuits, uplink, |_| true))
}

fn struck(circuits: &Circuits, uplink: u32, is_concerned: impl Fn(&Lane) -> bool) -> Struck {
    let bit = 1 << uplink;
    // By any schedule: all have the same lanes.
    let uses = |lane: &&Lane| {
        let by_each = circuits.schedules().filter_map(|own| own.lane(lane.port));
        let mut uplinks = by_each.flat_map(|own| own.uplinks.iter());
        uplinks.any(|own| own & bit != 0) && is_concerned(lane)
    };
    let circuits = circuits.lanes.iter().filter(uses).map(|lane| (lane.port, bit)).collect();
    Struck { circuits, is_uplink: true, ..Struck::default() }
}

/// Whether no opening of a lane is left without these uplinks.
fn is_dead(circuits: &Circuits, schedule: usize, port: PortId, dead: u64) -> bool {
    let lane = circuits.schedules().nth(schedule).and_then(|own| own.lane(port));
    lane.is_some_and(|lane| lane.uplinks.iter().all(|own| own & !dead == 0))
}

/// The lanes of which the last schedule leaves nothing while all these are dead.
pub(super) fn dead_lanes(fabric: &Fabric, struck: &[(PortId, u64)]) -> Vec<PortId> {
    let mut masks: BTreeMap<PortId, u64> = BTreeMap::new();
    struck.iter().for_each(|&(port, mask)| *masks.entry(port).or_default() |= mask);
    let Some(circuits) = &fabric.circuits else { return Vec::new() };
    let last = circuits.later.len();
    if last > 0 {
        circuits.lanes.iter().for_each(|lane| {
            masks.entry(lane.port).or_default();
        });
    }
    let dead = masks.into_iter().filter(|&(port, mask)| is_dead(circuits, last, port, mask));
    dead.map(|(port, _)| port).collect()
}

impl FaultPlan {
    /// When each link is down, and the uplinks of each lane are.
    pub(super) fn down(&self, fabric: &Fabric, targets: &[Struck]) -> Down {
        let mut down = Down::default();
        let mut of_lanes: BTreeMap<PortId, BTreeMap<u64, Vec<Window>>> = BTreeMap::new();
        for (fault, struck) in self.faults.iter().zip(targets) {
            if fault.effect != Effect::Down {
                continue;
            }
            for &port in &struck.ports {
                down.links.entry(port).or_default().extend(fault.merged());
            }
            for &(port, uplink) in &struck.circuits {
                let own = of_lanes.entry(port).or_default().entry(uplink).or_default();
                own.extend(fault.merged());
            }
        }
        for (port, of_uplinks) in of_lanes {
            let steps = steps(of_uplinks);
            let closed = fabric.circuits.as_ref().map(|own| closed(own, port, &steps));
            let closed = closed.unwrap_or_default();
            if !closed.is_empty() {
                down.links.entry(port).or_default().extend(closed);
            }
            down.uplinks.insert(port, steps);
        }
        if let Some(circuits) = fabric.circuits.as_ref().filter(|own| !own.later.is_empty()) {
            let ever = circuits.lanes.iter().filter(|lane| fabric.opens(lane.port));
            let closed = ever.map(|lane| (lane.port, never_open(circuits, lane.port)));
            down.closed = closed.filter(|(_, windows)| !windows.is_empty()).collect();
        }
        for windows in down.links.values_mut() {
            *windows = merge(std::mem::take(windows));
        }
        down
    }
}

/// Each schedule: its number, when it begins, and when the next does.
fn schedules(circuits: &Circuits) -> impl Iterator<Item = (usize, Window)> {
    let ends = circuits.begins().skip(1).chain([Time::NEVER]);
    circuits.begins().zip(ends).enumerate()
}

/// While which schedules last that never open a lane.
fn never_open(circuits: &Circuits, port: PortId) -> Vec<Window> {
    let closed = schedules(circuits).filter(|(schedule, _)| !circuits.opens(*schedule, port));
    merge(closed.map(|own| own.1).collect())
}

/// When a lane has lost all its circuits to dead uplinks: it is a link that is down.
fn closed(circuits: &Circuits, port: PortId, steps: &[(Time, u64)]) -> Vec<Window> {
    let ends = steps.iter().skip(1).map(|step| step.0).chain([Time::NEVER]);
    let spans: Vec<_> = steps.iter().zip(ends).collect();
    let of_schedule = |(schedule, (begins, ends)): (usize, Window)| {
        let dead = spans
            .iter()
            .filter(move |((_, dead), _)| *dead != 0 && is_dead(circuits, schedule, port, *dead));
        let within = dead.map(move |((from, _), until)| ((*from).max(begins), (*until).min(ends)));
        within.filter(|(from, until)| from < until).collect::<Vec<_>>()
    };
    let opens = |own: &(usize, Window)| circuits.opens(own.0, port);
    schedules(circuits).filter(opens).flat_map(of_schedule).collect()
}

/// From when on which uplinks are dead.
fn steps(of_uplinks: BTreeMap<u64, Vec<Window>>) -> Vec<(Time, u64)> {
    let of_uplinks: Vec<_> =
        of_uplinks.into_iter().map(|(uplink, windows)| (uplink, merge(windows))).collect();
    let edges = of_uplinks.iter().flat_map(|own| &own.1).flat_map(|own| [own.0, own.1]);
    let edges: BTreeSet<Time> = edges.filter(|&at| at != Time::NEVER).collect();
    let dead = |at: Time| {
        let own = of_uplinks.iter().filter(|own| covers(&own.1, at));
        own.fold(0, |all, own| all | own.0)
    };
    let mut steps: Vec<(Time, u64)> = edges.into_iter().map(|at| (at, dead(at))).collect();
    steps.dedup_by_key(|step| step.1);
    steps
}

impl Down {
    /// What is down at an instant: ports of switches, and uplinks of lanes.
    pub(super) fn at(&self, fabric: &Fabric, at: Time) -> (Vec<PortId>, Dead) {
        let links = self.links.range(PortId(fabric.host_ports())..);
        let links = links.filter(|(_, windows)| covers(windows, at)).map(|(port, _)| *port);
        let of_lane = |steps: &[(Time, u64)]| {
            let begun = steps.partition_point(|step| step.0 <= at);
            begun.checked_sub(1).map_or(0, |last| steps[last].1)
        };
        // What routes do not ask for makes no states of its own.
        let asks = fabric.circuits.as_ref().is_some_and(|own| own.slicing.is_some());
        let lanes = self.uplinks.iter().filter(|_| asks);
        let lanes = lanes.map(|(port, steps)| (*port, of_lane(steps)));
        (links.collect(), lanes.filter(|(_, dead)| *dead != 0).collect())
    }

    /// The instants at which that changes.
    pub(super) fn instants(&self, fabric: &Fabric) -> BTreeSet<Time> {
        let links = self.links.range(PortId(fabric.host_ports())..).flat_map(|own| own.1);
        let links = links.flat_map(|&(from, until)| [from, until]);
        let asks = fabric.circuits.as_ref().is_some_and(|own| own.slicing.is_some());
        let lanes = self.uplinks.values().filter(|_| asks).flatten().map(|step| step.0);
        links.chain(lanes).filter(|&at| at != Time::NEVER).collect()
    }
}
