//! What the hosts of a run's parts brought about, put together.

use super::events::keep_first;
use super::slab::Slab;
use crate::host::Hosts;
use crate::record::{Finished, FlowRecord, FlowRecords, PortRecord, Timeline};
use crate::workload::Flow;
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::sender::packets;

/// See [`Hosts::finish`].
pub(super) fn finish(mut parts: Vec<Hosts<'_>>) -> Finished {
    let fabric = parts.first().map(|part| &part.ends.plan.fabric);
    let host_ports = fabric.map_or(0, |fabric| fabric.host_ports() as usize);
    let mut ports = vec![PortRecord::default(); host_ports];
    let mut timeline = Timeline::default();
    let mut dropped: Vec<(FlowId, u64)> = Vec::new();
    let mut received = Vec::with_capacity(parts.len());
    let mut probes = Vec::new();
    for part in &mut parts {
        // What lives of flows is freed before their table is made.
        let ends = &mut part.ends;
        if let Some(mut own) = ends.probes.take() {
            for live in ends.senders.iter().filter_map(|end| ends.live_senders.get(end.live)) {
                own.end(live.flow, &live.sender);
            }
            probes.extend(own.rows());
        }
        for end in &mut ends.senders {
            end.end(&mut ends.live_senders, &mut ends.counts);
        }
        ends.live_senders = Slab::EMPTY;
        let live = std::mem::replace(&mut ends.live_receivers, Slab::EMPTY);
        let slots = (0..).zip(&ends.receivers);
        let some = slots.filter_map(|(slot, end)| Some((slot, end.received(&live)?)));
        received.push(some.collect::<Vec<(usize, u32)>>());
        let own = std::mem::take(&mut ends.dropped).counts().into_iter();
        dropped.extend(own.map(|(to, count)| (ends.layout.flow_to(to), count)));
        for (host, nic) in part.ends.own.iter().zip(part.nics.drain(..)) {
            let ids = part.ends.plan.fabric.ports_of(*host);
            for (id, port) in ids.zip(nic.all_ports()) {
                ports[id.index()] = port.record.clone();
            }
        }
        let own = std::mem::take(&mut part.ends.timeline);
        add(&mut timeline.retransmitted, &own.retransmitted);
        add(&mut timeline.timeouts, &own.timeouts);
        timeline.events.extend(own.events);
    }
    keep_first(&mut timeline.events);
    (flow_records(&parts, &received, dropped), ports, timeline, probes)
}

/// Where the next slots of a host lie.
#[derive(Clone, Copy, Default)]
struct Next {
    part: usize,
    sender: usize,
    receiver: usize,
}

/// What both ends of each flow noted. `received` says how many packets have reached those receivers of
/// each part that lack some, by slot, and `dropped` how many each part knows lost.
fn flow_records(
    parts: &[Hosts<'_>],
    received: &[Vec<(usize, u32)>],
    mut dropped: Vec<(FlowId, u64)>,
) -> FlowRecords {
    let Some(plan) = parts.first().map(|part| part.ends.plan) else {
        return FlowRecords::default();
    };
    let mut next = vec![Next::default(); plan.fabric.hosts as usize];
    for (number, part) in parts.iter().enumerate() {
        let (mut sender, mut receiver) = (0, 0);
        for &host in &part.ends.own {
            next[host.index()] = Next { part: number, sender, receiver };
            sender += part.layout().senders.at(host).len();
            receiver += part.layout().receivers.at(host).len();
        }
    }
    dropped.sort_unstable();
    let mut dropped = dropped.into_iter().peekable();
    // A host's slots are in order of its flows.
    let record = |(id, flow): (u32, &Flow)| {
        let mut record = FlowRecord::default();
        let total = packets(flow.bytes, plan.transport.payload);
        let from = &mut next[flow.source.index()];
        let ends = &parts[from.part].ends;
        ends.senders[from.sender].note(total, &ends.counts, &mut record);
        from.sender += 1;
        let to = &mut next[flow.destination.index()];
        let ends = &parts[to.part].ends;
        let some = &received[to.part];
        let some = some.binary_search_by_key(&to.receiver, |&(slot, _)| slot).map(|i| some[i].1);
        ends.receivers[to.receiver].note(some.unwrap_or(total), &ends.repeated, &mut record);
        to.receiver += 1;
        // No packet of it was there to be counted.
        if plan.fabric.scales_up(flow.source, flow.destination) {
            (record.sent, record.received) = (0, 0);
        }
        while let Some((_, count)) = dropped.next_if(|&(flow, _)| flow == FlowId(id)) {
            record.dropped += count;
        }
        record
    };
    (0..).zip(&plan.traffic.flows).map(record).collect()
}

fn add(sum: &mut Vec<u32>, more: &[u32]) {
    sum.resize(sum.len().max(more.len()), 0);
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}
