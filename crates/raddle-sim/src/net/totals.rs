//! What the hosts of a run's parts brought about, put together.

use super::ends::EVENTS_KEPT;
use super::hosts::Hosts;
use super::slab::Slab;
use crate::record::{FlowRecord, PortRecord, Timeline};
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::Time;

/// What one part's hosts, or those of all parts, brought about so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTotals {
    /// When a receiver last got a new packet, or a flow last started.
    pub last_progress: Time,
    /// When the last flow completed so far.
    pub last_completion: Time,
    /// Flows completed.
    pub flows_done: u64,
    /// Packets known to their senders to have arrived.
    pub packets_acked: u64,
}

impl HostTotals {
    /// Adds what another part's hosts brought about.
    pub fn add(&mut self, other: &Self) {
        self.last_progress = self.last_progress.max(other.last_progress);
        self.last_completion = self.last_completion.max(other.last_completion);
        self.flows_done += other.flows_done;
        self.packets_acked += other.packets_acked;
    }
}

/// Keeps the first events by time and flow. Hosts are run in an order that depends on the windows
/// and on the parts of the run; the events of one flow are in order, and stay so.
pub(super) fn keep_first(events: &mut Vec<(Time, FlowId, &'static str)>) {
    events.sort_by_key(|&(at, flow, _)| (at, flow));
    events.truncate(EVENTS_KEPT);
}

/// See [`Hosts::finish`].
pub(super) fn finish(mut parts: Vec<Hosts<'_>>) -> (Vec<FlowRecord>, Vec<PortRecord>, Timeline) {
    let hosts = parts.iter().map(|part| part.ends.own.len()).sum();
    let mut ports = vec![PortRecord::default(); hosts];
    let mut timeline = Timeline::default();
    let flows = parts.first().map_or(0, |part| part.layout().flows());
    let mut received = Vec::with_capacity(parts.len());
    for part in &mut parts {
        // What lives of flows is freed before their table is made.
        let ends = &mut part.ends;
        for end in &mut ends.senders {
            end.end(&mut ends.live_senders, &mut ends.counts);
        }
        ends.live_senders = Slab::EMPTY;
        let live = std::mem::replace(&mut ends.live_receivers, Slab::EMPTY);
        received.push(ends.receivers.iter().map(|end| end.received(&live)).collect::<Vec<_>>());
        for (host, nic) in part.ends.own.iter().zip(part.nics.drain(..)) {
            ports[host.index()] = nic.record;
        }
        let own = std::mem::take(&mut part.ends.timeline);
        add(&mut timeline.retransmitted, &own.retransmitted);
        add(&mut timeline.timeouts, &own.timeouts);
        timeline.events.extend(own.events);
    }
    keep_first(&mut timeline.events);
    let mut flows = vec![FlowRecord::default(); flows];
    for (part, received) in parts.iter().map(|part| &part.ends).zip(received) {
        let layout = &part.layout;
        let total = |id: &FlowId| {
            let bytes = part.plan.traffic.flows[id.index()].bytes;
            packets(bytes, part.plan.transport.payload)
        };
        let begin = part.own.iter().flat_map(|&host| layout.senders.at(host));
        for (id, end) in begin.zip(&part.senders) {
            end.note(total(id), &part.counts, &mut flows[id.index()]);
        }
        let finish = part.own.iter().flat_map(|&host| layout.receivers.at(host));
        for ((id, end), received) in finish.zip(&part.receivers).zip(received) {
            let received = received.unwrap_or(total(id));
            end.note(received, &part.repeated, &mut flows[id.index()]);
        }
        for (&to, count) in &part.dropped {
            flows[layout.flow_to(to).index()].dropped += count;
        }
    }
    (flows, ports, timeline)
}

fn add(sum: &mut Vec<u32>, more: &[u32]) {
    sum.resize(sum.len().max(more.len()), 0);
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}
