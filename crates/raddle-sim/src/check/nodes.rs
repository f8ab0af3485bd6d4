//! What enters a node has left the ports that lead there; what leaves it has entered it.

use super::Findings;
use crate::plan::{Plan, Service};
use crate::record::{DropCause, Outcome, PortRecord};
use crate::wire::port_facts::PortFacts;
use crate::wire::switch_memory::Memory;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::recovery::Coding;
use raddle_schemes::transport::sender::packets;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    switches(plan, outcome, found);
    memories(plan, outcome, found);
    pools(plan, outcome, found);
    sources(plan, outcome, found);
    destinations(plan, outcome, found);
}

/// Frames that left `port` and were taken in at the far end, or still will be.
fn through(port: &PortRecord) -> u64 {
    port.frames
        .saturating_sub(DropCause::BEHIND.map(|cause| port.dropped[cause as usize]).iter().sum())
}

fn switches(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    for (index, switch) in plan.fabric.switches.iter().enumerate() {
        let tor = outcome.tors.get(index).copied().unwrap_or_default();
        let own = || switch.ports.clone().map(|port| &outcome.ports[port as usize]);
        let ports = &plan.fabric.ports;
        let into = || {
            let peers = switch.ports.clone().map(|port| ports[port as usize].peer);
            peers.map(|peer| &outcome.ports[peer.index()])
        };
        let entered = into().map(through).sum::<u64>() + tor.sent;
        let left = own().map(|port| {
            let refused = [DropCause::Overflow, DropCause::LinkDown];
            port.frames + refused.map(|cause| port.dropped[cause as usize]).iter().sum::<u64>()
        });
        let left = left.sum::<u64>() + tor.dropped;
        found.at_most(&switch.name, ("frames out or lost", left), ("frames in", entered));
        let sent = own().map(|port| port.data_frames).sum();
        let received = into().map(|port| port.data_frames).sum();
        found.at_most(&switch.name, ("data frames out", sent), ("data frames in", received));
        let bytes_out = own().map(|port| port.bytes).sum();
        let bytes_in = into().map(|port| port.bytes).sum::<u64>() + tor.sent_bytes;
        found.at_most(&switch.name, ("bytes out", bytes_out), ("bytes in", bytes_in));
    }
}

/// A switch's memory holds at least what its fullest queue does, and never more than there is.
fn memories(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let longest_rtt = PortFacts::longest_rtt(plan);
    let of = |switch| Memory::of(plan, switch, longest_rtt);
    let planned: Vec<_> =
        (0..plan.fabric.switches.len() as u32).filter_map(|switch| of(SwitchId(switch))).collect();
    let (memories, most) = (planned.len() as u64, outcome.memory_bytes_max.len() as u64);
    found.equal("the plan", ("switches that share memory", memories), ("counts of it", most));
    let switches = plan.fabric.switches.iter().zip(&planned);
    for ((switch, memory), &most) in switches.zip(&outcome.memory_bytes_max) {
        let own = switch.ports.clone().map(|port| outcome.ports[port as usize].queue_bytes_max);
        let queue = ("most bytes of a queue", own.max().unwrap_or(0));
        found.at_most(&switch.name, queue, ("most bytes of memory", most));
        found.at_most(&switch.name, ("most bytes of memory", most), ("its size", memory.size()));
    }
}

/// Counters of ingress and egress fitted together after every event (Reverie thesis, equations 5.2 to
/// 5.4), and nothing is counted of what is no longer there.
fn pools(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let switches = plan.fabric.switches.iter();
    let refused = |port| outcome.ports[port as usize].pfc.as_ref().map_or(0, |pfc| pfc.refused);
    for (switch, (pools, &most)) in
        switches.zip(outcome.pools.iter().zip(&outcome.memory_bytes_max))
    {
        let name = &switch.name;
        found.equal(name, ("events that left its pools unbalanced", pools.unbalanced), ("none", 0));
        if plan.queue.pfc.is_some_and(|pfc| pfc.by_memory()) && plan.lossless_classes() != 0 {
            found.equal(
                name,
                ("frames of lossless classes that its memory refused", pools.lossless_refused),
                ("those that its ports counted", switch.ports.clone().map(refused).sum()),
            );
        }
        for (what, bytes) in [
            ("most bytes of headroom", pools.headroom_max),
            ("most bytes of lossless classes", pools.lossless_max),
            ("most bytes of lossy classes", pools.lossy_max),
        ] {
            found.at_most(name, (what, bytes), ("most bytes of memory", most));
        }
        // Where control shares the queue of data, it counts as data does, and may be under way.
        let apart = plan.queue.service != Service::Fifo && plan.queue.ack_classes() == 0;
        if outcome.in_flight_data == 0 && apart {
            found.equal(name, ("bytes left in its pools", pools.left), ("data in flight", 0));
        }
    }
}

/// What a host's ports, or those at their far ends, come to in all.
fn together<'a>(
    plan: &Plan,
    host: usize,
    record_of: impl Fn(PortId) -> &'a PortRecord,
) -> PortRecord {
    let mut sum = PortRecord::default();
    for record in plan.fabric.ports_of(HostId(host as u32)).map(record_of) {
        sum.frames += record.frames;
        sum.bytes += record.bytes;
        sum.data_frames += record.data_frames;
        sum.add_losses(record);
    }
    sum
}

fn sources(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let hosts = plan.fabric.hosts as usize;
    let header = plan.transport.header.0;
    let mut sent = vec![0; hosts];
    // Bytes that left a host once all its packets left exactly once.
    let mut bytes = vec![Some(0); hosts];
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        let host = flow.source.index();
        sent[host] += record.sent;
        let total = u64::from(packets(flow.bytes, plan.transport.payload));
        if record.retransmitted > 0 || (record.sent != 0 && record.sent != total) {
            bytes[host] = None;
        } else if record.sent > 0 {
            let coded = plan.transport.recovery_of(flow.transport).coding() == Coding::AnyOf;
            let own = if coded { total * plan.packet().0 } else { flow.bytes.0 + total * header };
            bytes[host] = bytes[host].map(|sum| sum + own);
        }
    }
    let mut waiting = 0;
    for host in 0..hosts {
        let place = format!("host {host}");
        let nic = together(plan, host, |port| &outcome.ports[port.index()]);
        let cut_off = nic.dropped[DropCause::LinkDown as usize];
        let sum = ("sent by its flows", sent[host]);
        found.at_most(&place, ("data frames of its NIC", nic.data_frames), sum);
        // What waits in a queue of the host has left its flow.
        let gone = nic.data_frames + cut_off;
        let waits = sent[host].saturating_sub(gone);
        waiting += waits;
        let room = plan.transport.host_queue.map_or(0, |own| own.size.0 / (header + 1));
        found.at_most(
            &place,
            sum,
            ("data frames of its NIC, those cut off and those that fit its queue", gone + room),
        );
        if let (Some(expected), 0) = (bytes[host], cut_off + waits) {
            let control = nic.frames.saturating_sub(nic.data_frames) * plan.transport.ack.0;
            let data = nic.bytes.saturating_sub(control);
            found.equal(&place, ("bytes of data sent", data), ("bytes of its flows", expected));
        }
    }
    let under_way = ("data packets in flight", outcome.in_flight_data);
    found.at_most("all hosts", ("data frames that wait in queues of hosts", waiting), under_way);
}

fn destinations(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let mut arrived = vec![0; plan.fabric.hosts as usize];
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        let whole = record.received + record.duplicates + record.refused;
        arrived[flow.destination.index()] += whole + record.trimmed;
    }
    for (host, &arrived) in arrived.iter().enumerate() {
        let peer = |port: PortId| plan.fabric.ports[port.index()].peer;
        let last_hop = together(plan, host, |port| &outcome.ports[peer(port).index()]);
        let place = format!("host {host}");
        found.at_most(
            &place,
            ("data frames arrived", arrived),
            ("data frames sent to it", last_hop.data_frames),
        );
        found.at_most(
            &place,
            ("data frames arrived", arrived),
            ("frames sent to it and not lost", through(&last_hop)),
        );
    }
}
