//! What flows begin with: what their schemes are told of the fabric, and what is built from that.

use super::Hosts;
use super::rotations::{Class, Pointer};
use crate::plan::{BufferPlan, Overflow, Plan, Service};
use crate::topology::{Node, Port};
use crate::waits::{Waits, longest_hold};
use crate::workload::Flow;
use raddle_schemes::FlowContext;
use raddle_schemes::ids::FlowId;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::transport::{FlowTemplate, SenderPlan};
use raddle_schemes::units::{Bytes, Rate, Span};

impl Hosts<'_> {
    /// What the schemes of a flow are told.
    pub(super) fn context(&self, flow: FlowId) -> FlowContext {
        let plan = self.plan;
        let message = &plan.traffic.flows[flow.index()];
        let (source, destination) = (message.source, message.destination);
        let base_rtt = plan.fabric.base_rtt(source, destination, plan.packet(), plan.transport.ack);
        let ports = &plan.fabric.ports;
        let last_hop = ports[destination.index()].peer;
        let link = ports[source.index()].rate.min(ports[last_hop.index()].rate);
        // Where its packets take several planes, a flow has all of its host's links.
        let links = if plan.transport.plane.is_per_packet() { plan.fabric.planes } else { 1 };
        let rate = Rate(link.0 * u64::from(links));
        let queue = &plan.queue;
        let control_ends = queue.service != Service::Fifo && queue.control_size != Size::Unlimited;
        let queues_end = queue.size != Size::Unlimited || plan.buffer.is_some() || control_ends;
        let tors_drop = plan.tor.is_some();
        let links_fail = !plan.faults.ports.is_empty() || !plan.faults.nodes.is_empty();
        FlowContext {
            payload: plan.transport.payload,
            header: plan.transport.header,
            gap: plan.queue.gap,
            base_rtt,
            rate,
            bdp: rate.bytes_in(base_rtt),
            rto: self.rto,
            drain: (queues_end || links_fail || tors_drop).then_some(self.drain),
            trimming: plan.queue.overflow == Overflow::Trim,
            classes: plan.queue.classes,
            source,
            destination,
        }
    }

    /// What both ends of a flow begin with.
    pub(super) fn template(&self, flow: FlowId, context: &FlowContext) -> FlowTemplate {
        let transport = &self.plan.transport;
        let message = &self.plan.traffic.flows[flow.index()];
        let parts = SenderPlan {
            load_balance: transport.load_balance_of(message.load_balance),
            congestion: transport.congestion_of(message.transport),
            recovery: transport.recovery_of(message.transport),
        };
        FlowTemplate::new(&parts, context)
    }

    /// Packets of a flow's message.
    pub(super) fn packets(&self, flow: FlowId) -> u32 {
        packets(self.plan.traffic.flows[flow.index()].bytes, self.plan.transport.payload)
    }

    /// What the packets of one direction of a flow take turns in, if hosts route them.
    pub(super) fn pointer(&self, flow: FlowId, class: Class) -> Pointer {
        let message = &self.plan.traffic.flows[flow.index()];
        let (here, there) = match class {
            Class::Data => (message.source, message.destination),
            Class::Acks => (message.destination, message.source),
        };
        Pointer { load_balance: message.load_balance, here, there, class }
    }
}

/// How long the slowest port takes to drain a full queue, or all the memory that it shares if that
/// is less.
pub(super) fn longest_drain(plan: &Plan, longest_rtt: Span) -> Span {
    let largest = |buffer: &BufferPlan| buffer.largest(&plan.fabric, plan.packet(), longest_rtt).0;
    let memory = plan.buffer.as_ref().map_or(u64::MAX, largest);
    let packets = |flow: &Flow| u64::from(packets(flow.bytes, plan.transport.payload));
    let all = plan.traffic.flows.iter().map(packets).sum::<u64>() * plan.packet().0;
    let is_endless = plan.queue.size == Size::Unlimited && plan.buffer.is_none();
    // A queue without a limit is as long as all that is sent, and no longer than 4 GiB.
    let memory = if is_endless { all } else { memory };
    let drain = |port: &Port| {
        let bdp = port.rate.bytes_in(longest_rtt);
        let queue = plan.queue.size.resolve(&Base { packet: plan.packet(), bdp, whole: Bytes(0) });
        port.rate.serialisation(Bytes(queue.0.min(memory).min(1 << 32)))
    };
    plan.fabric.ports.iter().map(drain).max().unwrap_or(Span::ZERO)
}

/// The retransmission timeout unless a recovery has its own: the longest round trip and four full
/// queues, or all that lossless switches hold, what waits in queues of hosts, and no longer than any
/// run.
pub(super) fn default_rto(plan: &Plan, drain: Span, longest_rtt: Span) -> Span {
    let wait = Span(drain.0.saturating_mul(4)).max(longest_hold(&Waits::of(plan)));
    let circuits = plan.fabric.longest_wait(plan.switch_load_balance.makes_detours());
    let trip = longest_rtt.0.saturating_add(circuits.0);
    let all = trip.saturating_add(wait.0).saturating_add(in_host_queues(plan).0);
    Span(all.min(TIME_LIMIT.0))
}

/// How long the slowest host takes to send what its queue holds, but no more than all that is sent and
/// 4 GiB; twice that where ACKs wait there as well.
fn in_host_queues(plan: &Plan) -> Span {
    let Some(queue) = plan.transport.host_queue else { return Span::ZERO };
    let packets = |flow: &Flow| u64::from(packets(flow.bytes, plan.transport.payload));
    let all = plan.traffic.flows.iter().map(packets).sum::<u64>() * plan.packet().0;
    let held = Bytes(queue.size.0.min(all).min(1 << 32));
    let hosts = plan.fabric.ports.iter().filter(|port| matches!(port.owner, Node::Host(_)));
    let one = hosts.map(|host| host.rate.serialisation(held)).max().unwrap_or(Span::ZERO);
    Span(if queue.acks { one.0.saturating_mul(2) } else { one.0 })
}
