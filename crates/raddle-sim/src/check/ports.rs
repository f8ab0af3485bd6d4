//! What one port counted fits together: frames and bytes, lost data and all lost, queue and
//! capacity.

use super::Findings;
use crate::faults::PortChange;
use crate::plan::{Overflow, Plan};
use crate::record::{DropCause, Outcome, PortRecord};
use crate::topology::Node;
use crate::wire::port_facts::{PfcFacts, PortFacts};
use raddle_schemes::ids::PortId;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let transport = &plan.transport;
    let largest = plan.packet().0;
    let hosts = plan.fabric.host_ports() as usize;
    let lossless = plan.lossless_switches();
    for ((index, facts), port) in PortFacts::of(plan).enumerate().zip(&outcome.ports) {
        let place = plan.fabric.ports[index].name.as_str();
        found.at_most(place, ("data frames", port.data_frames), ("frames", port.frames));
        let control = port.frames.saturating_sub(port.data_frames) * transport.ack.0;
        found.at_most(place, ("bytes of its control frames", control), ("bytes", port.bytes));
        let data = port.bytes.saturating_sub(control);
        let (least, most) = (port.data_frames * transport.header.0, port.data_frames * largest);
        found.at_most(place, ("its data frames' headers", least), ("bytes of data", data));
        found.at_most(place, ("bytes of data", data), ("its data frames in full", most));
        let lost = port.dropped_total();
        found.at_most(
            place,
            ("data frames lost", port.dropped_data_total()),
            ("frames lost", lost),
        );
        let lost_on_link: u64 =
            DropCause::BEHIND.map(|cause| port.dropped[cause as usize]).iter().sum();
        found.at_most(place, ("frames lost behind it", lost_on_link), ("frames", port.frames));
        if plan.queue.overflow == Overflow::Drop {
            found.equal(place, ("trimmed", port.trimmed), ("without trimming", 0));
        }
        flow_control(place, facts.pfc.filter(|_| index >= hosts), port, found);
        let keeps = |node| matches!(node, Node::Switch(switch) if lossless[switch.index()]);
        if let Some(pfc) = port.pfc.as_ref().filter(|_| keeps(plan.fabric.ports[index].owner)) {
            found.equal(place, ("frames of lossless classes refused", pfc.refused), ("none", 0));
        }
        if plan.fabric.is_packet_uplink(PortId(index as u32)) {
            let one = ("largest data frame", largest);
            found.at_most(place, ("most bytes it was given at once", port.queue_bytes_max), one);
        } else if facts.lossless | facts.unlimited == 0
            && !capacity_changes(plan, PortId(index as u32))
        {
            found.at_most(
                place,
                ("most bytes queued", port.queue_bytes_max),
                ("its capacity", facts.capacity),
            );
        }
    }
}

/// A class is paused when it is above `xoff`, and only then is anything told.
fn flow_control(place: &str, facts: Option<PfcFacts>, port: &PortRecord, found: &mut Findings) {
    match (facts, &port.pfc) {
        (None, None) => {}
        (Some(facts), Some(record)) => {
            if facts.by_memory {
                if record.frames + record.lost > 0 && record.pauses == 0 {
                    found.note(format!("{place}: nobody was to pause, but {record:?}"));
                }
                return;
            }
            let above = record.ingress_bytes_max > facts.xoff;
            if above != (record.pauses > 0) || (record.frames + record.lost > 0 && !above) {
                found.note(format!("{place}: xoff is {} B, but {record:?}", facts.xoff));
            }
        }
        _ => found.note(format!("{place}: its record and the plan disagree about flow control")),
    }
}

fn capacity_changes(plan: &Plan, port: PortId) -> bool {
    let mut changes = plan.faults.ports.iter().filter(|(id, _)| *id == port);
    changes.any(|(_, list)| {
        list.iter().any(|(_, change)| matches!(change, PortChange::Rate { scale: true, .. }))
    })
}
