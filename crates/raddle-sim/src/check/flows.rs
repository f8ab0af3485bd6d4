//! Every packet of every flow is somewhere, and flows end as the run says they did.

use super::Findings;
use crate::bound::chain::{Least, earliest_starts};
use crate::plan::Plan;
use crate::record::{FlowRecord, Outcome, Stop};
use crate::workload::Start;
use raddle_schemes::ids::FlowId;
use raddle_schemes::recovery::Coding;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::{Span, Time};

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let (mut in_flight, mut surplus) = (0, 0);
    for (i, record) in outcome.flows.iter().enumerate() {
        let place = format!("flow {i}");
        let flow = &plan.traffic.flows[i];
        let total = u64::from(packets(flow.bytes, plan.transport.payload));
        let coded = plan.transport.recovery_of(flow.transport).coding() == Coding::AnyOf;
        let arrived = record.received + record.duplicates + record.refused + record.trimmed;
        let settled = arrived + record.dropped;
        found.at_most(&place, ("packets arrived or lost", settled), ("packets sent", record.sent));
        in_flight += record.sent.saturating_sub(settled);
        found.at_most(&place, ("received", record.received), ("its packets", total));
        found.at_most(&place, ("retransmitted", record.retransmitted), ("sent", record.sent));
        let first = record.sent.saturating_sub(record.retransmitted);
        if coded {
            found.equal(&place, ("symbols sent again", record.retransmitted), ("of a code", 0));
        } else {
            found.at_most(&place, ("packets sent a first time", first), ("its packets", total));
        }
        surplus += record.sent.saturating_sub(total);
        found.at_most(&place, ("received", record.received), ("packets sent a first time", first));
        let whole = record.received + record.duplicates + record.refused;
        found.at_most(&place, ("marked", record.marked), ("arrived whole", whole));
        check_times(&place, &record, found);
        if plan.fabric.scales_up(flow.source, flow.destination) {
            if record.counts() != [0; 9] {
                found.note(format!("{place}: packets, though it took no link: {record:?}"));
            }
            continue;
        }
        let complete = record.received == total;
        if record.delivered.is_some() != complete {
            found.note(format!(
                "{place}: delivered at {:?} with {} of {total} packets received",
                record.delivered, record.received
            ));
        }
    }
    found.equal(
        "all flows",
        ("sent and neither arrived nor lost", in_flight),
        ("data packets in flight", outcome.in_flight_data),
    );
    let credit = outcome.credit_frames;
    found.equal(
        "pulls and requests",
        (
            "made and neither arrived nor lost",
            credit.made.wrapping_sub(credit.arrived + credit.dropped),
        ),
        ("in flight", credit.in_flight),
    );
    if outcome.stop == Stop::Completed {
        // Each flow has every packet it needs, so what is still under way was sent for nothing.
        found.at_most(
            "completed run",
            ("data packets in flight", outcome.in_flight_data),
            ("sent beyond what completes the flows", surplus),
        );
    }
    check_starts(plan, outcome, found);
    check_stop(plan, outcome, found);
}

/// What a trigger starts begins when it acts, and the flow's own delay later.
fn check_starts(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    if plan.traffic.triggers.is_empty() || plan.transport.phase > Span::ZERO {
        return;
    }
    let took = |flow: FlowId| {
        let FlowRecord { started, delivered, acked, .. } = outcome.flows.at(flow.index());
        let since = |end: Option<Time>| Some(end?.since(started?));
        Least { delivered: since(delivered), acked: since(acked) }
    };
    let due = earliest_starts(&plan.traffic, took);
    for (i, (flow, due)) in plan.traffic.flows.iter().zip(due).enumerate() {
        let started = outcome.flows.at(i).started;
        let not_yet = started.is_none() && due.is_some_and(|due| due >= outcome.end);
        if matches!(flow.start, Start::After(_)) && started != due && !not_yet {
            found.note(format!("flow {i}: started at {started:?}, but due at {due:?}"));
        }
    }
}

fn check_times(place: &str, record: &FlowRecord, found: &mut Findings) {
    let FlowRecord { started, delivered, acked, .. } = *record;
    let in_order = match (started, delivered, acked) {
        (None, None, None) => *record == FlowRecord::default(),
        (Some(_), None, None) => true,
        (Some(started), Some(delivered), None) => started <= delivered,
        (Some(started), Some(delivered), Some(acked)) => started <= delivered && delivered <= acked,
        _ => false,
    };
    if !in_order {
        found.note(format!("{place}: its times and counts do not fit together: {record:?}"));
    }
}

fn check_stop(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let open = outcome.flows.iter().enumerate().filter(|(_, record)| record.acked.is_none());
    let open: Vec<FlowId> = open.map(|(i, _)| FlowId(i as u32)).collect();
    let last = |time: fn(&FlowRecord) -> Option<Time>| {
        outcome.flows.iter().filter_map(|record| time(&record)).max().unwrap_or(Time::ZERO)
    };
    let acked = last(|record| record.acked);
    let latest = last(|record| record.started).max(last(|record| record.delivered)).max(acked);
    let plan_end = plan.end.unwrap_or(TIME_LIMIT);
    let (named, fits): (Option<&[FlowId]>, bool) = match &outcome.stop {
        Stop::Completed => (Some(&[]), outcome.end == acked && latest == acked),
        Stop::EndTime(flows) => (Some(flows), outcome.end == plan_end && latest < outcome.end),
        Stop::Stalled(flows) => (Some(flows), latest <= outcome.end && outcome.end < plan_end),
        Stop::Interrupted => (None, latest <= outcome.end),
    };
    let unfinished = matches!(outcome.stop, Stop::EndTime(_) | Stop::Stalled(_));
    if named.is_some_and(|flows| flows != open) || (unfinished && open.is_empty()) {
        found.note(format!("stopped as {:?}, but open are {open:?}", outcome.stop));
    }
    if !fits {
        found.note(format!(
            "ended at {} as {:?}, but flows moved until {latest} and the end time is {plan_end}",
            outcome.end, outcome.stop
        ));
    }
}
