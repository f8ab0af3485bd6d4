//! What the hosts of a run's parts brought about, put together.

use super::hosts::{Hosts, keep_first};
use crate::record::{FlowRecord, PortRecord, Timeline};
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

/// See [`Hosts::finish`].
pub(super) fn finish(mut parts: Vec<Hosts<'_>>) -> (Vec<FlowRecord>, Vec<PortRecord>, Timeline) {
    let hosts = parts.iter().map(|part| part.own.len()).sum();
    let mut ports = vec![PortRecord::default(); hosts];
    let mut timeline = Timeline::default();
    let flows = parts.first().map_or(0, |part| part.layout().flows());
    for part in &mut parts {
        // All live state is freed before the table of flows is made.
        part.senders.iter_mut().for_each(|end| end.end());
        part.receivers.iter_mut().for_each(|end| end.live = None);
        for (host, nic) in part.own.iter().zip(&mut part.nics) {
            ports[host.index()] = std::mem::take(&mut nic.record);
        }
        let own = std::mem::take(&mut part.timeline);
        add(&mut timeline.retransmitted, &own.retransmitted);
        add(&mut timeline.timeouts, &own.timeouts);
        timeline.events.extend(own.events);
    }
    keep_first(&mut timeline.events);
    let mut flows = vec![FlowRecord::default(); flows];
    for part in &parts {
        let layout = part.layout();
        let begin = part.own.iter().flat_map(|&host| layout.senders.at(host));
        for (id, end) in begin.zip(&part.senders) {
            end.note(&mut flows[id.index()]);
        }
        let finish = part.own.iter().flat_map(|&host| layout.receivers.at(host));
        for (id, end) in finish.zip(&part.receivers) {
            end.note(&mut flows[id.index()]);
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
