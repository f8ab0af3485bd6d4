//! What circuits have to carry: lanes are open at times only.
//!
//! Whatever its way, a packet passes as many lanes at least as the shortest one has, and all of them
//! together carry no more than their openings let. Where each packet goes by its direct lane, that one
//! carries all that its two ToRs send.

use super::Bound;
use super::flows::Flows;
use crate::plan::Plan;
use crate::topology::circuits::{Circuits, Lane};
use crate::topology::{Fabric, Node, Port};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Span;
use std::collections::BTreeMap;

/// A picosecond at one bit per second carries one of so many parts of a bit.
const PARTS: u128 = 1_000_000_000_000;

impl Bound {
    /// The bound of what circuits carry.
    pub const CIRCUIT: &'static str = "circuit";
}

/// The bound of a plan on a fabric of circuits with one schedule.
pub(super) fn of_plan(flows: &Flows<'_>, plan: &Plan) -> Option<Bound> {
    let circuits = plan.fabric.circuits.as_ref();
    let circuits = circuits.filter(|own| own.packet.is_none() && own.later.is_empty())?;
    // A plan made by hand may have gates on some links between switches alone.
    let between = |port: &Port| {
        matches!(
            (port.owner, plan.fabric.ports[port.peer.index()].owner),
            (Node::Switch(_), Node::Switch(_))
        )
    };
    if plan.fabric.ports.iter().filter(|port| between(port)).count() != circuits.lanes.len() {
        return None;
    }
    let mut together = 0;
    let mut of_pairs: BTreeMap<(SwitchId, SwitchId), u128> = BTreeMap::new();
    for (first, count) in flows.alike() {
        let bytes = first.flow.bytes;
        let each = bytes.0 + flows.frames.packets(bytes) * flows.frames.header.0;
        let bits = u128::from(count) * u128::from(each) * 8;
        // But for the hosts' links.
        let lanes = first.way.route.hops.len().saturating_sub(2);
        together += bits * lanes as u128;
        let ends = [first.flow.source, first.flow.destination].map(|host| plan.fabric.edge(host));
        if lanes == 1 {
            *of_pairs.entry((ends[0], ends[1])).or_default() += bits;
        }
    }
    let mut time = carried(circuits, circuits.lanes.iter(), together)?;
    if goes_directly(plan) {
        let (edges, hosts) = plan.fabric.edge_switches();
        let hosts: BTreeMap<SwitchId, PortId> = edges.into_iter().zip(hosts).collect();
        for (pair, bits) in of_pairs {
            let host = hosts[&pair.1];
            let Some(lane) = lane(&plan.fabric, circuits, pair, host) else { continue };
            time = time.max(carried(circuits, [lane].into_iter(), bits)?);
        }
    }
    Some(Bound { name: Bound::CIRCUIT, time })
}

/// Whether packets go by the shortest ways over lanes, and by no others.
fn goes_directly(plan: &Plan) -> bool {
    let circuits = plan.fabric.circuits.as_ref();
    let by_slices = circuits.is_some_and(|own| own.slicing.is_some());
    let elsewhere = plan.switch_load_balance.makes_detours() || plan.tor.is_some() || by_slices;
    !elsewhere && plan.routes.len() == 1
}

/// The lane from a ToR to another, with one of the hosts there, that packets go by.
fn lane<'a>(
    fabric: &Fabric,
    circuits: &'a Circuits,
    (from, to): (SwitchId, SwitchId),
    host: PortId,
) -> Option<&'a Lane> {
    let ways = fabric.forwarding.ports(from, host);
    let port = (ways.count() == 1).then(|| ways.get(0))?;
    let leads = fabric.destination(port) == Node::Switch(to);
    circuits.lane(port).filter(|_| leads)
}

/// When lanes can have carried so many bits, from time zero on; `None` for never.
fn carried<'a>(
    circuits: &Circuits,
    lanes: impl Iterator<Item = &'a Lane>,
    bits: u128,
) -> Option<Span> {
    let period = circuits.period.0;
    // Changes of the rate within a period.
    let mut changes: BTreeMap<u64, i128> = BTreeMap::new();
    for own in lanes.flat_map(|lane| &lane.openings) {
        let rate = i128::from(own.rate.0);
        let around = own.until.0.saturating_sub(period);
        for (from, until) in [(own.from.0, own.until.0.min(period)), (0, around)] {
            *changes.entry(from).or_default() += rate;
            *changes.entry(until).or_default() -= rate;
        }
    }
    let ends = changes.keys().skip(1).copied().chain([period]);
    let mut rate = 0;
    let spans: Vec<(u64, u64, u128)> = changes
        .iter()
        .zip(ends)
        .map(|((&from, change), until)| {
            rate += change;
            (from, until, rate as u128)
        })
        .collect();
    let each: u128 = spans.iter().map(|(from, until, rate)| u128::from(until - from) * rate).sum();
    let parts = bits * PARTS;
    if parts == 0 || each == 0 {
        return (parts == 0).then_some(Span::ZERO);
    }
    let whole = (parts - 1) / each;
    let mut left = parts - whole * each;
    let base = u64::try_from(whole).ok()?.checked_mul(period)?;
    for (from, until, rate) in spans {
        let most = u128::from(until - from) * rate;
        if left <= most {
            // The last picosecond may be half used.
            return Some(Span(base.checked_add(from)? + (left / rate) as u64));
        }
        left -= most;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::gate::Opening;
    use raddle_schemes::units::Rate;

    #[test]
    fn what_openings_let_is_carried_period_by_period() {
        let opening = |from: u64, until: u64| Opening {
            from: Span::us(from),
            until: Span::us(until),
            rate: Rate::gbps(10),
        };
        let lane = Lane {
            port: PortId(0),
            openings: vec![opening(10, 20), opening(90, 105)],
            uplinks: vec![1, 1],
        };
        let circuits = Circuits {
            period: Span::us(100),
            guard: Span::ZERO,
            uplinks: 1,
            uplink_rate: Rate::gbps(10),
            lanes: vec![lane.clone()],
            packet: None,
            slicing: None,
            later: Vec::new(),
        };
        // In each period from 0 to 5, 10 to 20, and 90 to 100 us: 250,000 bits.
        let time = |bits| carried(&circuits, [&lane].into_iter(), bits).unwrap();
        assert_eq!(time(0), Span::ZERO);
        assert_eq!(time(50_000), Span::us(5));
        assert_eq!(time(60_000), Span::us(11));
        assert_eq!(time(250_000), Span::us(100));
        assert_eq!(time(250_010), Span(100_001_000));
        assert_eq!(time(1_150_000), Span::us(420));
        assert_eq!(carried(&circuits, [].into_iter(), 1), None);
    }
}
