//! What the simulator's fields can hold, checked before anything runs.

use super::reader::Log;
use super::spec::Place;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine::{HORIZON, SHORTEST_WINDOW, shortest_way_into_a_switch};
use raddle_sim::plan::TransportPlan;
use raddle_sim::topology::Fabric;
use raddle_sim::wire::frame::{Locators, NUMBER_LIMIT, PFC_SIZE};
use raddle_sim::workload::{Flow, Start, Traffic};
use std::cmp::Reverse;

/// Hosts of a fabric: what stays exact when forwarding divides by multiplication.
const MAX_HOSTS: u32 = 1 << 20;

/// Packets of a message.
const MAX_PACKETS: u64 = NUMBER_LIMIT as u64;

/// The latest time that a scenario may name.
pub(crate) const LATEST: Span = Span(TIME_LIMIT.0);

/// Adds a problem if a fabric would have too many hosts.
pub(crate) fn hosts(hosts: u64, place: &Place, log: &Log) -> bool {
    if hosts <= u64::from(MAX_HOSTS) {
        return true;
    }
    let problem = place.problem(format!("the fabric has {hosts} hosts"));
    log.add(problem.label(format!("expected at most {MAX_HOSTS}")));
    false
}

/// Adds a problem if the way into a switch is too short.
pub(crate) fn shortest_way(fabric: &Fabric, place: &Place, log: &Log) -> bool {
    let shortest = shortest_way_into_a_switch(fabric);
    if shortest < SHORTEST_WINDOW {
        let message = format!("a link and the switch behind it have a delay of {shortest} in all");
        let label = format!("expected at least {SHORTEST_WINDOW}: the width of the time window");
        log.add(place.problem(message).label(label));
        return false;
    }
    true
}

/// Adds a problem if a frame takes too long from one end of a link to the other. `slowed` are links
/// that faults slow down, with their lowest rates; `pfc` if there are PFC frames.
pub(crate) fn links(
    fabric: &Fabric,
    slowed: &[(PortId, Rate)],
    transport: &TransportPlan,
    pfc: bool,
    place: &Place,
    log: &Log,
) {
    let pfc = if pfc { PFC_SIZE } else { Bytes(0) };
    let frame = (transport.payload + transport.header).max(transport.ack).max(pfc);
    let own = fabric.ports.iter().zip(0..).map(|(port, id)| (PortId(id), port.rate));
    let time = |(port, rate): (PortId, Rate)| {
        (rate.serialisation(frame).0.saturating_add(fabric.latency(port).0), Reverse(port))
    };
    let Some((longest, Reverse(port))) = own.chain(slowed.iter().copied()).map(time).max() else {
        return;
    };
    if longest < HORIZON.0 {
        return;
    }
    let name = &fabric.ports[port.index()].name;
    let (longest, horizon) = (Span(longest), Span(HORIZON.0));
    let problem =
        place.problem(format!("the largest frame takes {longest} to cross link `{name}`"));
    log.add(problem.label(format!("expected less than {horizon}, delays included")));
}

/// Adds a problem if the largest message has too many packets; `place` is that of its size.
pub(crate) fn messages(largest: Bytes, place: &Place, payload: Bytes, log: &Log) {
    let packets = largest.0.div_ceil(payload.0);
    if packets > MAX_PACKETS {
        let message = format!("a message of {largest} has {packets} packets of {payload}");
        let label = format!("expected at most {MAX_PACKETS} packets");
        log.add(place.problem(message).label(label));
    }
}

/// Bulk data and other data have a class each.
pub(crate) fn bulk(classes: u8, topology: &Place, log: &Log) {
    if classes < 2 {
        let problem = topology.problem("`bulk` has data of two classes, and the queues have one");
        log.add(problem.label("set `classes = 2` in [fabric] queue"));
    }
}

/// What is too much about generated traffic, if anything is.
pub(crate) fn traffic(traffic: &Traffic, fabric: &Fabric, classes: u8) -> Option<String> {
    let most = Locators::of(fabric, classes).flows_per_host();
    let hosts = fabric.hosts;
    let busiest = |host: fn(&Flow) -> HostId| {
        let mut counts = vec![0u64; hosts as usize];
        traffic.flows.iter().for_each(|flow| counts[host(flow).index()] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    let busiest = busiest(|flow| flow.source).max(busiest(|flow| flow.destination));
    if busiest > most {
        return Some(format!(
            "{busiest} flows begin or end at one host; with {hosts} hosts at most {most} can"
        ));
    }
    let late = |flow: &Flow| matches!(flow.start, Start::At(at) if at > Time(LATEST.0));
    let late = traffic.flows.iter().any(late);
    late.then(|| format!("a flow starts later than {LATEST}, the latest time there is"))
}
