//! What crossbars of servers passed is what the messages between their GPUs had.

use super::Findings;
use crate::plan::Plan;
use crate::record::Outcome;

/// Bytes of a host's messages across: those that have come, and those that have begun.
#[derive(Clone, Copy, Default)]
struct Bytes {
    come: u64,
    begun: u64,
}

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let hosts = plan.fabric.hosts as usize;
    let expected = plan.fabric.scale_up.map_or(0, |_| hosts as u64);
    let records = ("hosts whose ports to a crossbar are told", outcome.scale_up.len() as u64);
    found.equal("the plan", records, ("hosts with such", expected));
    if outcome.scale_up.len() != hosts {
        return;
    }
    let mut sides = vec![[Bytes::default(); 2]; hosts];
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        if !plan.fabric.scales_up(flow.source, flow.destination) {
            continue;
        }
        for (host, side) in [(flow.source, 0), (flow.destination, 1)] {
            let own = &mut sides[host.index()][side];
            own.begun += record.started.map_or(0, |_| flow.bytes.0);
            own.come += record.delivered.map_or(0, |_| flow.bytes.0);
        }
    }
    for (host, (sides, record)) in sides.iter().zip(&outcome.scale_up).enumerate() {
        let place = format!("crossbar ports of host {host}");
        for (what, own, bytes) in [
            ("bytes sent", sides[0], record.sent_bytes),
            ("bytes received", sides[1], record.received_bytes),
        ] {
            found.at_most(&place, ("bytes of messages that have come", own.come), (what, bytes));
            found.at_most(&place, (what, bytes), ("bytes of messages that began", own.begun));
        }
    }
    let servers = plan.fabric.scale_up.map_or(1, |own| own.gpus as usize);
    for (server, own) in outcome.scale_up.chunks(servers).enumerate() {
        let sent = own.iter().map(|record| record.sent_bytes).sum();
        let received = own.iter().map(|record| record.received_bytes).sum();
        let place = format!("server {server}");
        found.at_most(place, ("bytes received inside", received), ("bytes sent", sent));
    }
}
