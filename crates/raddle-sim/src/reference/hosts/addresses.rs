//! Which flow a frame belongs to, and where the frames of a flow go.

use crate::middleware::Ends;
use crate::plan::{Connections, Plan};
use crate::wire::frame::{Frame, Kind, Locator, Locators, flag};
use crate::workload::Flow;
use raddle_schemes::ids::{FlowId, HostId};
use std::collections::BTreeMap;

/// The numbers that flows have at their hosts: those that begin at a host are counted in order, and
/// so are those that end there.
pub(in crate::reference) struct Addresses {
    pub(in crate::reference) locators: Locators,
    begin_at: Vec<Vec<FlowId>>,
    end_at: Vec<Vec<FlowId>>,
    /// Where the frames to each flow's sender go, and those to its receiver.
    senders: Vec<Locator>,
    receivers: Vec<Locator>,
    /// Where connections outlive messages: for each flow, the first between the same hosts.
    first_of_pair: Option<Vec<FlowId>>,
}

impl Addresses {
    pub(super) fn new(plan: &Plan) -> Self {
        let flows = &plan.traffic.flows;
        let hosts = plan.fabric.hosts as usize;
        let mut addresses = Self {
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            begin_at: vec![Vec::new(); hosts],
            end_at: vec![Vec::new(); hosts],
            senders: Vec::with_capacity(flows.len()),
            receivers: Vec::with_capacity(flows.len()),
            first_of_pair: None,
        };
        for (id, flow) in (0..).map(FlowId).zip(flows) {
            let locators = addresses.locators;
            let begin = &mut addresses.begin_at[flow.source.index()];
            addresses.senders.push(locators.locate(flow.source, flow.class, begin.len() as u32));
            begin.push(id);
            let end = &mut addresses.end_at[flow.destination.index()];
            let to = locators.locate(flow.destination, flow.class, end.len() as u32);
            addresses.receivers.push(to);
            end.push(id);
        }
        if plan.transport.connections == Connections::Pair {
            let mut first = BTreeMap::new();
            let pairs = (0..).map(FlowId).zip(flows);
            let pairs = pairs.map(|(id, flow)| {
                *first.entry((flow.source, flow.destination, flow.qp)).or_insert(id)
            });
            addresses.first_of_pair = Some(pairs.collect());
        }
        addresses
    }

    /// The flow that a frame belongs to.
    pub(super) fn flow_of(&self, frame: Frame) -> FlowId {
        let flows = if goes_to_receiver(frame) { &self.end_at } else { &self.begin_at };
        flows[self.locators.host(frame.to).index()][self.locators.index(frame.to) as usize]
    }

    /// Where the frames to a flow's sender go.
    pub(super) fn sender(&self, flow: FlowId) -> Locator {
        self.senders[flow.index()]
    }

    /// Where the frames to a flow's receiver go.
    pub(super) fn receiver(&self, flow: FlowId) -> Locator {
        self.receivers[flow.index()]
    }

    /// The flows that begin at a host, in order.
    pub(super) fn begin_at(&self, host: HostId) -> &[FlowId] {
        &self.begin_at[host.index()]
    }

    /// The first flow between the hosts of a flow, where connections outlive messages; else itself.
    pub(super) fn first_of_pair(&self, flow: FlowId) -> FlowId {
        self.first_of_pair.as_ref().map_or(flow, |first| first[flow.index()])
    }

    /// What a switch hashes for the flow of a frame: where it goes, whatever its class. Where
    /// connections outlive messages, all flows of a pair of hosts have the key of the first
    /// (`docs/design/0011-connections.md`).
    pub(in crate::reference) fn flow_key(&self, frame: Frame) -> u32 {
        let to = match &self.first_of_pair {
            None => frame.to,
            Some(first) => {
                let first = first[self.flow_of(frame).index()];
                let to =
                    if goes_to_receiver(frame) { self.receiver(first) } else { self.sender(first) };
                self.locators.in_plane(to, self.locators.plane(frame.to))
            }
        };
        self.locators.key(to)
    }
}

impl Ends for Addresses {
    fn flow_of(&self, frame: Frame) -> FlowId {
        self.flow_of(frame)
    }

    fn to_sender(&self, id: FlowId, _: &Flow) -> Locator {
        self.sender(id)
    }

    fn to_receiver(&self, id: FlowId, _: &Flow) -> Locator {
        self.receiver(id)
    }

    fn class_of(&self, frame: Frame) -> u8 {
        self.locators.class(frame.to)
    }
}

fn goes_to_receiver(frame: Frame) -> bool {
    match frame.kind() {
        Kind::Data | Kind::Trimmed | Kind::Request => true,
        Kind::Tor => frame.has(flag::FORWARD),
        Kind::Probe | Kind::TailProbe => !frame.has(flag::ANSWER),
        _ => false,
    }
}
