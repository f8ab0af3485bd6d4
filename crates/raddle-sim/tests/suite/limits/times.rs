//! The times of a run.

use super::{between, small};
use crate::common::agree::trouble;
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine::HORIZON;
use raddle_sim::limits::LimitError;
use raddle_sim::wire::frame::SIZE_LIMIT;
use raddle_sim::workload::{Flow, Start};

#[test]
fn times_fit_a_ledger() {
    let end = Time(TIME_LIMIT.0 + 1);
    between(
        |plan| plan.end = Some(TIME_LIMIT),
        |plan| plan.end = Some(end),
        LimitError::End { end },
        &format!("the end time is {end}; from 1 ps to {TIME_LIMIT}"),
    );
    between(
        |plan| plan.end = Some(Time(1)),
        |plan| plan.end = Some(Time(0)),
        LimitError::End { end: Time(0) },
        &format!("the end time is 0 ps; from 1 ps to {TIME_LIMIT}"),
    );
    between(
        |plan| {
            plan.traffic.flows[0].start = Start::At(Time(TIME_LIMIT.0 - 7));
            plan.transport.phase = Span(7);
        },
        |plan| plan.transport.phase = Span(8),
        LimitError::FlowStart { flow: FlowId(0), start: end },
        &format!("flow 0 may start at {end}, phase included; at the latest at {TIME_LIMIT}"),
    );
}

#[test]
fn plans_at_the_limits_of_time_and_size_run() {
    let mut plan = small();
    plan.traffic.flows.push(Flow::at_zero(0, 15, Bytes(500_000)));
    plan.transport.payload.0 = SIZE_LIMIT.0 - plan.transport.header.0;
    plan.transport.ack = SIZE_LIMIT;
    for port in &mut plan.fabric.ports {
        port.delay = Span(HORIZON.0 - 1 - 500_000 - 20 * SIZE_LIMIT.0);
    }
    plan.patience = Span::ms(100);
    assert_eq!(plan.check_limits(), Ok(()));
    assert_eq!(trouble(&plan), None);
    let mut plan = small();
    plan.traffic.flows[0].start = Start::At(Time(TIME_LIMIT.0 - 1_000_000));
    assert_eq!(plan.check_limits(), Ok(()));
    assert_eq!(trouble(&plan), None);
}
