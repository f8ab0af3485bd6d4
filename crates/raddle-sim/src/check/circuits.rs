//! Links that are circuits: uplinks and in-ports have one at a time, and frames pass while it is up.

use super::Findings;
use crate::plan::Plan;
use crate::record::Outcome;
use crate::topology::Node;
use crate::topology::circuits::Circuits;
use raddle_schemes::ids::PortId;
use std::collections::BTreeMap;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let Some(circuits) = &plan.fabric.circuits else { return };
    let outside = ("frames outside their openings", outcome.outside_openings);
    found.equal("links with gates", outside, ("none", 0));
    let peer = |port: PortId| plan.fabric.ports[port.index()].peer;
    let owner = |port: PortId| format!("{:?}", plan.fabric.ports[port.index()].owner);
    // Who sends over an uplink, and who receives from it.
    for circuits in circuits.schedules() {
        exclusive(circuits, owner, "sends to", found);
        exclusive(circuits, |port| owner(peer(port)), "receives from", found);
    }
    for (port, &clipped) in plan.fabric.ports.iter().zip(&outcome.clipped_frames) {
        let is_off = match port.owner {
            Node::Switch(switch) => plan.faults.behind(switch) != 0,
            Node::Host(_) => false,
        };
        if clipped > 0 && !is_off {
            found.note(format!("{}: {clipped} frames clipped by a clock that is right", port.name));
        }
    }
}

/// In no uplink of a node do two openings overlap.
fn exclusive(
    circuits: &Circuits,
    node: impl Fn(PortId) -> String,
    verb: &str,
    found: &mut Findings,
) {
    let mut of_uplinks: BTreeMap<(String, u32), Vec<(u64, u64)>> = BTreeMap::new();
    for lane in &circuits.lanes {
        for (open, &uplinks) in lane.openings.iter().zip(&lane.uplinks) {
            for uplink in (0..circuits.uplinks).filter(|uplink| uplinks >> uplink & 1 == 1) {
                let spans = of_uplinks.entry((node(lane.port), uplink)).or_default();
                spans.push((open.from.0, open.until.0));
            }
        }
    }
    for ((node, uplink), mut spans) in of_uplinks {
        spans.sort_unstable();
        let around = spans
            .last()
            .zip(spans.first())
            .map(|(last, first)| (last.1, first.0 + circuits.period.0));
        let pairs = spans.windows(2).map(|pair| (pair[0].1, pair[1].0)).chain(around);
        for (until, from) in pairs.filter(|(until, from)| until > from) {
            found.note(format!(
                "{node} {verb} two by uplink {uplink}: one until {until} ps, one from {from} ps"
            ));
        }
    }
}
