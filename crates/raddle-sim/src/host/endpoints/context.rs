//! What is told to the schemes at a flow's two ends when they begin.

use crate::plan::{Overflow, Plan};
use crate::topology::RoundTrips;
use crate::waits::Waits;
use raddle_schemes::FlowContext;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Span;

/// What the schemes at both ends of a flow know of it: its round trip among them, the default timeout and
/// how long a full queue takes to drain, if packets may be lost.
pub(super) fn context(
    plan: &Plan,
    flow: FlowId,
    trips: &RoundTrips,
    (rto, drain): (Span, Option<Span>),
) -> FlowContext {
    let flow = &plan.traffic.flows[flow.index()];
    let (source, destination) = (flow.source, flow.destination);
    let base_rtt = trips.of(&plan.fabric, source, destination);
    let rate = plan.flow_rate(source, destination);
    FlowContext {
        payload: plan.transport.payload,
        header: plan.transport.header,
        gap: plan.queue.gap,
        base_rtt,
        rate,
        bdp: rate.bytes_in(base_rtt),
        rto,
        drain,
        trimming: plan.queue.overflow == Overflow::Trim,
        classes: plan.queue.classes,
        source,
        destination,
    }
}

/// What a flow's first retransmission timeout takes.
pub fn first_rto(plan: &Plan, flow: FlowId) -> Span {
    let waits = Waits::of(plan);
    let (drain, rto) = (waits.drain(), waits.rto());
    let trips = plan.fabric.round_trips(plan.packet(), plan.transport.ack);
    let context = context(plan, flow, &trips, (rto, may_lose(plan).then_some(drain)));
    let transport = plan.traffic.flows[flow.index()].transport;
    plan.transport.recovery_of(transport).build(&context).rto()
}

/// Whether packets may be lost.
pub(super) fn may_lose(plan: &Plan) -> bool {
    let faults = &plan.faults;
    let limited = plan.queue.may_lose() || plan.buffer.is_some() || plan.tor.is_some();
    limited || !faults.ports.is_empty() || !faults.nodes.is_empty()
}
