//! What both ends of a link with credits counted fits together, and no credit was exceeded.

use super::Findings;
use crate::plan::{Cbfc, Plan};
use crate::record::{ClassCredit, DropCause, Outcome, Stop};
use raddle_schemes::ids::PortId;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let listed = outcome.credits.len() as u64;
    let base = plan.credit_base();
    let expected = base.map_or(0, |_| outcome.ports.len() as u64);
    found.equal("the plan", ("records of credits", listed), ("ports that have them", expected));
    let (Some(base), true) = (base, listed == expected) else { return };
    let classes = usize::from(plan.queue.classes);
    let ports = (0..).map(PortId).zip(&plan.fabric.ports);
    let hosts = plan.fabric.host_ports();
    for ((id, port), record) in ports.zip(&outcome.ports) {
        let (own, there) =
            (&outcome.credits[id.index()].classes, &outcome.credits[port.peer.index()].classes);
        if own.len() != classes || there.len() != classes {
            found.note(format!("{}: credits of {} classes", port.name, own.len()));
            continue;
        }
        for (class, (own, there)) in own.iter().zip(there).enumerate() {
            let place = format!("{}, class {class}", port.name);
            match base.of_link(id) {
                Some(limit) => link(&place, limit, (own, there), found),
                None => found.equal(&place, ("cells consumed", own.consumed), ("none", 0)),
            }
        }
        if id.0 >= hosts {
            let refused = record.dropped_data[DropCause::Overflow as usize];
            // Headers of packets are control.
            if plan.queue.control_size == raddle_schemes::size::Size::Unlimited {
                found.equal(&port.name, ("data refused", refused), ("none, with credits", 0));
            }
        }
    }
    if outcome.in_flight_data == 0 && plan.queue.ack_classes() == 0 {
        drained(plan, outcome, found);
    }
}

/// The counts of a class at both ends of a link whose far end has so many cells for it.
fn link(place: &str, limit: u64, (own, there): (&ClassCredit, &ClassCredit), found: &mut Findings) {
    let (consumed, told) = (("cells consumed", own.consumed), ("cells told of as freed", own.told));
    let (stored, freed) = (("cells stored", there.stored), ("cells freed", there.freed));
    found.at_most(place, told, freed);
    found.at_most(place, freed, stored);
    found.at_most(place, stored, consumed);
    let credit = ("its credit", limit);
    found.at_most(place, ("most cells in use", own.in_use_max), credit);
    found.at_most(place, ("most cells held", there.held_max), credit);
    let out = own.consumed.saturating_sub(own.told);
    found.at_most(place, ("cells in use", out), ("most of them", own.in_use_max));
    found.at_most(place, ("cells never stored", there.leaked), stored);
    debug_assert!(limit < 1 << Cbfc::BITS_TOLD);
}

/// Where no data is in flight all that was stored is free. Without faults all counts are equal once a run
/// has drained.
fn drained(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let faults = &plan.faults;
    let is_over = outcome.stop == Stop::Completed && plan.end.is_none();
    let whole = is_over && faults.ports.is_empty() && faults.nodes.is_empty();
    for (port, record) in plan.fabric.ports.iter().zip(&outcome.credits) {
        let there = &outcome.credits[port.peer.index()];
        let stored = ("cells stored", there.sum(|own| own.stored));
        found.equal(&port.name, ("cells freed", there.sum(|own| own.freed)), stored);
        if whole {
            found.equal(&port.name, ("cells consumed", record.sum(|own| own.consumed)), stored);
            found.equal(&port.name, ("cells told of as freed", record.sum(|own| own.told)), stored);
        }
    }
}
