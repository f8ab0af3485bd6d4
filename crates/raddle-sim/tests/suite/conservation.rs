//! Every outcome obeys the laws of [`raddle_sim::check`], and the laws notice when one does not.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{fat_tree, plan};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::check::violations;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{Overflow, Plan};
use raddle_sim::record::{DropCause, FlowRecord, Outcome, RecordPlan, Stop};
use raddle_sim::topology::Node;
use raddle_sim::topology::routing::{Forwarding, Table, Weighting};
use raddle_sim::workload::Flow;
use raddle_sim::workload::incast::Incast;
use raddle_sim::{engine, reference};

fn everything_recorded(mut plan: Plan) -> Plan {
    let ports = (0..plan.fabric.ports.len() as u32).map(PortId).collect();
    plan.record =
        RecordPlan { ports, bucket: Span::us(1), queue_means: true, ..Default::default() };
    plan
}

/// One flow between two pods of a small tree, everything recorded.
fn lone_flow() -> Plan {
    let flow = Flow::at_zero(0, 15, Bytes(40_000));
    let mut plan = everything_recorded(plan(fat_tree(3, 16), vec![flow].into(), "ops", 1));
    plan.patience = Span::us(50);
    plan
}

/// Runs both engines and returns the outcome after it passed every check.
fn run(plan: &Plan) -> Outcome {
    let outcome = engine::run(plan, &mut ());
    assert_eq!(violations(plan, &outcome), Vec::<String>::new());
    let expected = reference::run(plan, &mut ());
    assert_eq!(Outcome { events: 0, ..outcome.clone() }, Outcome { events: 0, ..expected });
    outcome
}

#[test]
fn frames_that_die_with_a_switch_count_at_the_host_port_they_left() {
    let mut plan = lone_flow();
    // The first frame is on the wire to ToR 0 from 83 ns on and arrives at 1083 ns.
    plan.faults.nodes.push((Node::Switch(SwitchId(0)), vec![(Time(500_000), Time::NEVER)]));
    let outcome = run(&plan);
    assert!(outcome.ports[0].dropped[DropCause::NodeDown as usize] >= 10);
    assert!(matches!(outcome.stop, Stop::Stalled(_)));
}

#[test]
fn frames_without_a_route_count_at_the_host_port_they_left() {
    let mut plan = lone_flow();
    let unreachable = plan.fabric.ports[15].peer;
    let table = Table::shortest(&plan.fabric, Weighting::Equal, &|port| port != unreachable);
    let isolated = Table { ports: vec![], starts: vec![0; table.starts.len()], ..table };
    plan.routes.push((Time(1), Forwarding::Table(isolated)));
    let outcome = run(&plan);
    assert!(outcome.ports[0].dropped[DropCause::NoRoute as usize] >= 10);
}

/// Many to one through tiny queues that trim and mark, and over a lossy link.
fn crowded() -> Plan {
    let traffic = Incast { senders: 8, receiver: HostId(0), message: Bytes(100_000) };
    let mut plan =
        everything_recorded(plan(fat_tree(2, 16), traffic.generate(16).unwrap(), "ops", 1));
    plan.queue.size = Size::Packets(20.0);
    plan.queue.overflow = Overflow::Trim;
    let loss = PortChange::Loss { probability: 1 << 28 };
    plan.faults.ports.push((plan.fabric.ports[0].peer, vec![(Time::ZERO, loss)]));
    plan
}

#[test]
fn laws_hold_where_packets_are_trimmed_marked_lost_and_sent_again() {
    let outcome = run(&crowded());
    let sum =
        |count: fn(&FlowRecord) -> u64| outcome.flows.iter().map(|flow| count(&flow)).sum::<u64>();
    assert!(sum(|flow| flow.trimmed) > 0);
    assert!(sum(|flow| flow.marked) > 0);
    assert!(sum(|flow| flow.dropped) > 0);
    assert!(sum(|flow| flow.timeouts) > 0);
}

#[test]
fn laws_hold_wherever_a_run_is_stopped() {
    let mut plan = crowded();
    for end in (1..20).map(|i| i * 1_777_777) {
        plan.end = Some(Time(end));
        run(&plan);
    }
}

#[test]
fn every_counter_is_watched() {
    let plan = crowded();
    let outcome = run(&plan);
    let last_hop = plan.fabric.ports[0].peer.index();
    // Whatever is counted once too often, or happens too early or too late, is noticed.
    type Change = fn(&mut Outcome, usize);
    fn first(outcome: &mut Outcome, change: fn(&mut FlowRecord)) {
        outcome.flows.change(0, change);
    }
    let changes: &[(&str, Change)] = &[
        ("started", |o, _| first(o, |flow| flow.started = None)),
        ("started late", |o, _| {
            first(o, |flow| flow.started = flow.acked.map(|at| Time(at.0 + 1)));
        }),
        ("acked early", |o, _| first(o, |flow| flow.acked = flow.started)),
        ("delivered", |o, _| first(o, |flow| flow.delivered = None)),
        ("sent", |o, _| first(o, |flow| flow.sent += 1)),
        ("retransmitted", |o, _| first(o, |flow| flow.retransmitted += 1)),
        ("received", |o, _| first(o, |flow| flow.received += 1)),
        ("duplicates", |o, _| first(o, |flow| flow.duplicates += 1)),
        ("refused", |o, _| first(o, |flow| flow.refused += 1)),
        ("marked", |o, _| first(o, |flow| flow.marked += 10_000)),
        ("trimmed", |o, _| first(o, |flow| flow.trimmed += 1)),
        ("dropped", |o, _| first(o, |flow| flow.dropped += 1)),
        ("timeouts", |o, _| first(o, |flow| flow.timeouts += 1)),
        ("frames", |o, port| o.ports[port].frames += 1),
        ("bytes", |o, port| o.ports[port].bytes += 1),
        ("data frames", |o, port| o.ports[port].data_frames += 1),
        ("marks", |o, port| o.ports[port].marked += 1),
        ("trims", |o, port| o.ports[port].trimmed += 1),
        ("overflows", |o, port| o.ports[port].dropped[DropCause::Overflow as usize] += 1),
        ("losses", |o, port| o.ports[port].dropped[DropCause::Loss as usize] += 1),
        ("lost data", |o, port| o.ports[port].dropped_data[0] += 1),
        ("queue", |o, port| o.ports[port].queue_bytes_max += 1),
        ("series", |o, port| o.series[port].bytes[0] += 1),
        ("timeline", |o, _| o.timeline.marked[0] += 1),
        ("stop", |o, _| o.stop = Stop::Stalled(vec![])),
        ("end", |o, _| o.end.0 += 1),
        ("in flight", |o, _| o.in_flight_data += 1),
        ("pulls", |o, _| o.credit_frames.made += 1),
        ("pulls lost", |o, _| o.credit_frames.dropped += 1),
        ("hops", |o, _| o.packet_hops += 1),
        ("flows", |o, _| o.flows = o.flows.range(0..1).collect()),
    ];
    for (what, change) in changes {
        let mut changed = outcome.clone();
        change(&mut changed, last_hop);
        assert_ne!(changed, outcome, "{what}");
        assert_ne!(violations(&plan, &changed), Vec::<String>::new(), "{what}");
    }
}
