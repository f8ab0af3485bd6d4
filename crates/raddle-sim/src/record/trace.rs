//! Packets of chosen flows, hop by hop: what both engines tell of them, and what it comes to.

use super::FlowRecords;
use super::event::{Event, What};
use super::lives::Lives;
use super::rows::{HopRow, PacketRow};
use crate::host::layout::Layout;
use crate::middleware::Ends;
use crate::plan::Plan;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

/// Keeps what happens to frames of chosen flows.
pub(super) struct Trace {
    layout: Layout,
    /// By flow.
    chosen: Vec<bool>,
    hosts: u32,
    /// The far end of each port.
    to_host: Vec<bool>,
    events: Vec<Event>,
}

impl Trace {
    /// Of the flows that the plan names, if it names any.
    pub(super) fn of(plan: &Plan) -> Option<Box<Self>> {
        if plan.record.packets.is_empty() {
            return None;
        }
        let mut chosen = vec![false; plan.traffic.flows.len()];
        plan.record.packets.iter().for_each(|flow| chosen[flow.index()] = true);
        let hosts = plan.fabric.host_ports();
        let to_host = plan.fabric.ports.iter().map(|port| port.peer.0 < hosts).collect();
        let layout = Layout::new(plan);
        Some(Box::new(Self { layout, chosen, hosts, to_host, events: Vec::new() }))
    }

    /// Something happened to a frame.
    pub(super) fn note(&mut self, port: PortId, at: Time, frame: Frame, what: What) {
        let is_reply = frame.is_reply();
        if !frame.is_data() && !is_reply {
            return;
        }
        let flow = self.layout.flow_of(frame);
        if !self.chosen[flow.index()] {
            return;
        }
        // Of replies only their arrivals are of interest, and the losses on the last link.
        let at_end = matches!(what, What::Left | What::Lost(_)) && self.to_host[port.index()];
        if !is_reply || at_end && port.0 >= self.hosts {
            self.events.push(Event { flow, at, what, port, frame });
        }
    }

    /// Adds what another part of the run kept.
    pub(super) fn add(&mut self, other: Self) {
        self.events.extend(other.events);
    }

    /// Packets by flow, then as they were sent; hops by packet, then in order of time.
    pub(super) fn finish(
        self,
        plan: &Plan,
        records: &FlowRecords,
        stop: Option<Time>,
    ) -> (Vec<PacketRow>, Vec<HopRow>) {
        let mut events = self.events;
        events.sort_by_key(|own| {
            let frame = own.frame;
            let id = (frame.number(), frame.flags(), frame.entropy().0, frame.size());
            (own.flow, own.at, own.what, own.port, id)
        });
        let (mut packets, mut hops) = (Vec::new(), Vec::new());
        for events in events.chunk_by(|a, b| a.flow == b.flow) {
            let Some(flow) = events.first().map(|own| own.flow.index()) else { continue };
            let mut lives = Lives::new(plan, packets.len() as u64);
            events.iter().for_each(|own| lives.on_event(own));
            let (own, of_hops) = lives.finish(&records.at(flow), stop);
            packets.extend(own);
            hops.extend(of_hops);
        }
        (packets, hops)
    }
}
