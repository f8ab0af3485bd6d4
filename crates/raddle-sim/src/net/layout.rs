//! Where the ends of flows lie: those that begin at a host, and those that end there, are numbered
//! in order of flows. A frame's locator names host and number; the slots of a host are neighbours.

use super::frame::{Locator, Locators};
use super::triggers::groups;
use crate::plan::Plan;
use crate::workload::Flow;
use raddle_schemes::ids::{FlowId, HostId};

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
        Self {
            locators: Locators::new(hosts, plan.queue.classes),
            groups: groups(&plan.traffic, hosts),
            senders: FlowsByHost::new(flows, hosts, |flow| flow.source),
            receivers: FlowsByHost::new(flows, hosts, |flow| flow.destination),
        }
    }

    /// The split of this run's locators.
    pub fn locators(&self) -> Locators {
        self.locators
    }

    /// For each host, the smallest host that must be run together with it, hence in one part.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// How many flows the run has.
    pub(super) fn flows(&self) -> usize {
        self.senders.flows.len()
    }

    /// Where the data of flow `id` goes.
    pub(super) fn receiver(&self, id: FlowId, flow: &Flow) -> Locator {
        let index = self.receivers.index(flow.destination, id);
        self.locators.locate(flow.destination, flow.class, index)
    }

    /// Where the ACKs of flow `id` go.
    pub(super) fn sender(&self, id: FlowId, flow: &Flow) -> Locator {
        self.locators.locate(flow.source, 0, self.senders.index(flow.source, id))
    }

    /// The flow that ends at `to`.
    pub(super) fn flow_to(&self, to: Locator) -> FlowId {
        let index = self.locators.index(to);
        self.receivers.at(self.locators.host(to))[index as usize]
    }
}

/// The flows that begin, or end, at each host.
pub(super) struct FlowsByHost {
    /// Those of host `h` begin here.
    base: Vec<u32>,
    flows: Vec<FlowId>,
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
        Self { base, flows: sorted }
    }

    /// The flows with this end at `host`, in order.
    pub(super) fn at(&self, host: HostId) -> &[FlowId] {
        &self.flows[self.base[host.index()] as usize..self.base[host.index() + 1] as usize]
    }

    /// The number of `flow` among those of `host`.
    pub(super) fn index(&self, host: HostId, flow: FlowId) -> u32 {
        self.at(host).partition_point(|&other| other < flow) as u32
    }
}
