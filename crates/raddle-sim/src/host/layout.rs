//! Where the ends of flows lie: those that begin at a host, and those that end there, are numbered
//! in order of flows. A frame's locator names host and number; the slots of a host are neighbours.

use crate::host::endpoints::triggers::groups;
use crate::middleware::Ends;
use crate::plan::{Connections, Plan};
use crate::wire::frame::{Frame, Locator, Locators};
use crate::workload::Flow;
use raddle_schemes::ids::{FlowId, HostId};
use std::collections::BTreeMap;

/// The tables that all parts of a run share.
pub struct Layout {
    locators: Locators,
    groups: Vec<u32>,
    pub(super) senders: FlowsByHost,
    pub(super) receivers: FlowsByHost,
}

impl Layout {
    /// The layout of a plan's flows.
    pub fn new(plan: &Plan) -> Self {
        let hosts = plan.fabric.hosts;
        let flows = &plan.traffic.flows;
        let mut layout = Self {
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            groups: groups(&plan.traffic, hosts),
            senders: FlowsByHost::new(flows, hosts, |flow| flow.source),
            receivers: FlowsByHost::new(flows, hosts, |flow| flow.destination),
        };
        layout.find_pairs(plan.transport.connections, flows, hosts);
        layout
    }

    /// Lets the flows of a pair have one key, if they have one connection.
    fn find_pairs(&mut self, connections: Connections, flows: &[Flow], hosts: u32) {
        if connections == Connections::Pair {
            self.senders.note_pairs(flows, hosts, |flow| flow.destination);
            self.receivers.note_pairs(flows, hosts, |flow| flow.source);
        }
    }

    /// What a switch takes for the flow of a frame: where it goes, whatever its class, or, where
    /// connections outlive messages, where it would go if it belonged to the first flow between its
    /// hosts.
    #[inline]
    pub(crate) fn flow_key(&self, frame: Frame) -> u32 {
        let ends = self.ends(frame);
        let (host, index) = (self.locators.host(frame.to), self.locators.index(frame.to));
        let slot = ends.base[host.index()] + index;
        let first = ends.first_of_pair.get(slot as usize).copied();
        self.locators.key(frame.to) - index + first.unwrap_or(index)
    }

    /// The ends of flows among which a frame goes to one.
    #[inline]
    fn ends(&self, frame: Frame) -> &FlowsByHost {
        if frame.goes_to_receiver() { &self.receivers } else { &self.senders }
    }

    /// Whether a flow's key may be that of others, too: it is not [`Locators::key`].
    pub(crate) fn shares_keys(&self) -> bool {
        !self.senders.first_of_pair.is_empty()
    }

    /// The split of this run's locators.
    pub fn locators(&self) -> Locators {
        self.locators
    }

    /// For each host, the smallest host that must be run together with it, hence in one part.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Where the data of flow `id` goes.
    pub(super) fn receiver(&self, id: FlowId, flow: &Flow) -> Locator {
        let index = self.receivers.index(flow.destination, id);
        self.locators.locate(flow.destination, flow.class, index)
    }

    /// Where the ACKs of flow `id` go; their class is that of its data, which they may queue with.
    pub(super) fn sender(&self, id: FlowId, flow: &Flow) -> Locator {
        self.locators.locate(flow.source, flow.class, self.senders.index(flow.source, id))
    }

    /// The flow that ends at `to`.
    pub(crate) fn flow_to(&self, to: Locator) -> FlowId {
        let index = self.locators.index(to);
        self.receivers.at(self.locators.host(to))[index as usize]
    }
}

impl Ends for Layout {
    fn flow_of(&self, frame: Frame) -> FlowId {
        let own = self.ends(frame).at(self.locators.host(frame.to));
        own[self.locators.index(frame.to) as usize]
    }

    fn to_sender(&self, id: FlowId, flow: &Flow) -> Locator {
        self.sender(id, flow)
    }

    fn to_receiver(&self, id: FlowId, flow: &Flow) -> Locator {
        self.receiver(id, flow)
    }

    fn class_of(&self, frame: Frame) -> u8 {
        self.locators.class(frame.to)
    }
}

/// The flows that begin, or end, at each host.
pub(super) struct FlowsByHost {
    /// Those of host `h` begin here.
    base: Vec<u32>,
    flows: Vec<FlowId>,
    /// For each of `flows`, the number of the first one at its host with the same other end and queue
    /// pair; empty where that makes no difference.
    first_of_pair: Vec<u32>,
}

impl FlowsByHost {
    fn new(flows: &[Flow], hosts: u32, host_of: impl Fn(&Flow) -> HostId) -> Self {
        let mut base = vec![0u32; hosts as usize + 1];
        for flow in flows {
            base[host_of(flow).index() + 1] += 1;
        }
        for h in 0..hosts as usize {
            base[h + 1] += base[h];
        }
        let mut next = base.clone();
        let mut sorted = vec![FlowId(0); flows.len()];
        for (id, flow) in flows.iter().enumerate() {
            let slot = &mut next[host_of(flow).index()];
            sorted[*slot as usize] = FlowId(id as u32);
            *slot += 1;
        }
        Self { base, flows: sorted, first_of_pair: Vec::new() }
    }

    /// Finds the first flow of each pair of hosts.
    fn note_pairs(&mut self, flows: &[Flow], hosts: u32, other: impl Fn(&Flow) -> HostId) {
        let mut first_of_pair = Vec::with_capacity(flows.len());
        for host in (0..hosts).map(HostId) {
            let mut first = BTreeMap::new();
            for (index, flow) in (0..).zip(self.at(host)) {
                let flow = &flows[flow.index()];
                first_of_pair.push(*first.entry((other(flow), flow.qp)).or_insert(index));
            }
        }
        self.first_of_pair = first_of_pair;
    }

    /// The flows with this end at `host`, in order.
    pub(super) fn at(&self, host: HostId) -> &[FlowId] {
        &self.flows[self.base[host.index()] as usize..self.base[host.index() + 1] as usize]
    }

    /// The number of `flow` among those of `host`.
    pub(super) fn index(&self, host: HostId, flow: FlowId) -> u32 {
        place(self.at(host), flow) as u32
    }
}

/// The place of `flow` among `flows`, which ascend. Where they do so evenly, as in an all-to-all, it
/// is looked for where it lies: each miss of a search by halves would be one of the caches, too.
fn place(flows: &[FlowId], flow: FlowId) -> usize {
    let (Some(&first), Some(&last)) = (flows.first(), flows.last()) else { return 0 };
    let ahead = u64::from(flow.0.saturating_sub(first.0));
    let span = u64::from(last.0 - first.0).max(1);
    let guess = (ahead * (flows.len() as u64 - 1) / span) as usize;
    match flows.get(guess) {
        Some(&there) if there == flow => guess,
        Some(&there) if there < flow => {
            guess + flows[guess..].partition_point(|&other| other < flow)
        }
        _ => flows[..guess.min(flows.len())].partition_point(|&other| other < flow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::Kind;
    use raddle_schemes::ids::Entropy;
    use raddle_schemes::units::Bytes;

    fn layout(connections: Connections) -> (Layout, Vec<Flow>) {
        let pairs = [(0, 2), (1, 2), (0, 2), (2, 0), (0, 1), (1, 2), (0, 2)];
        let flows: Vec<Flow> =
            pairs.iter().map(|&(from, to)| Flow::at_zero(from, to, Bytes(1))).collect();
        let mut layout = Layout {
            locators: Locators::new(3, 1, 1),
            groups: Vec::new(),
            senders: FlowsByHost::new(&flows, 3, |flow| flow.source),
            receivers: FlowsByHost::new(&flows, 3, |flow| flow.destination),
        };
        layout.find_pairs(connections, &flows, 3);
        (layout, flows)
    }

    /// The keys of the data and of the ACKs of each flow.
    fn keys((layout, flows): &(Layout, Vec<Flow>)) -> Vec<(u32, u32)> {
        let key = |to, kind| layout.flow_key(Frame::new(to, 0, (kind, 0), Entropy(0), Bytes(64)));
        let both = |(id, flow): (u32, &Flow)| {
            let data = key(layout.receiver(FlowId(id), flow), Kind::Data);
            (data, key(layout.sender(FlowId(id), flow), Kind::Ack))
        };
        (0..).zip(flows).map(both).collect()
    }

    #[test]
    fn a_flow_is_found_wherever_it_lies() {
        let lists: [&[u32]; 5] =
            [&[], &[7], &[0, 3, 6, 9, 12], &[0, 1, 2, 3, 1000], &[5, 900, 901, 902, u32::MAX]];
        for list in lists {
            let flows: Vec<FlowId> = list.iter().copied().map(FlowId).collect();
            for asked in list.iter().flat_map(|&f| [f.saturating_sub(1), f, f.saturating_add(1)]) {
                let expected = flows.partition_point(|&other| other.0 < asked);
                assert_eq!(place(&flows, FlowId(asked)), expected, "{asked} in {list:?}");
            }
        }
    }

    #[test]
    fn flows_have_keys_of_their_own_unless_their_pairs_do() {
        let own = layout(Connections::Message);
        let locators = (0..).zip(&own.1).map(|(id, flow)| {
            (own.0.receiver(FlowId(id), flow).0, own.0.sender(FlowId(id), flow).0)
        });
        let expected: Vec<_> = locators.collect();
        assert_eq!(keys(&own), expected);
        let of_pairs = keys(&layout(Connections::Pair));
        let first = [0, 1, 0, 3, 4, 1, 0].map(|flow: usize| expected[flow]);
        assert_eq!(of_pairs, first);
    }

    #[test]
    fn all_that_goes_to_a_receiver_has_one_key_and_all_that_comes_back() {
        let (layout, flows) = layout(Connections::Pair);
        let key = |to, kind| layout.flow_key(Frame::new(to, 0, (kind, 0), Entropy(0), Bytes(64)));
        let (there, back) =
            (layout.receiver(FlowId(6), &flows[6]), layout.sender(FlowId(6), &flows[6]));
        for kind in [Kind::Trimmed, Kind::Request] {
            assert_eq!(key(there, kind), key(there, Kind::Data));
        }
        for kind in [Kind::Nack, Kind::Credit] {
            assert_eq!(key(back, kind), key(back, Kind::Ack));
        }
    }
}
