//! Flows: how many a host has, their pace, what they and triggers name.

use super::{between, small};
use crate::common::plan;
use raddle_schemes::congestion;
use raddle_schemes::family::Raw;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::Plan;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::{Flow, Trigger, TriggerId, TriggerKind};

#[test]
fn flows_of_a_host_fit_a_locator() {
    let shape = Dumbbell {
        hosts_per_side: 1 << 15,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    let fabric = shape.build().unwrap();
    let limit = 1 << 16;
    let flow = |to| Flow::at_zero(7, to, Bytes(1));
    let flows: Vec<_> = (0..limit).map(|i| flow(10 + i % 100)).collect();
    let mut plan = plan(fabric, flows.into(), "ops", 1);
    assert_eq!(plan.check_limits(), Ok(()));
    plan.traffic.flows.push(flow(9));
    let count = u64::from(limit) + 1;
    let refused = |begin, host, flows| LimitError::FlowsPerHost {
        host: HostId(host),
        begin,
        flows,
        limit: u64::from(limit),
    };
    assert_eq!(plan.check_limits(), Err(refused(true, 7, count)));
    for (source, flow) in (100..).zip(&mut plan.traffic.flows) {
        (flow.source, flow.destination) = (HostId(source % 1_000), HostId(5_000));
    }
    assert_eq!(plan.check_limits(), Err(refused(false, 5_000, count)));
    assert_eq!(
        refused(false, 5_000, count).to_string(),
        "65537 flows end at host 5000; at most 65536 in a fabric of this size"
    );
    plan.traffic.flows.pop();
    assert_eq!(plan.check_limits(), Ok(()));
}

#[test]
fn classes_take_their_bits_from_the_flows_of_a_host() {
    let shape = Dumbbell {
        hosts_per_side: 1 << 15,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    let flows: Vec<_> = (0..8_192).map(|i| Flow::at_zero(7, 10 + i, Bytes(1))).collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ops", 1);
    plan.queue.classes = 7;
    assert_eq!(plan.check_limits(), Ok(()));
    plan.traffic.flows.push(Flow::at_zero(7, 9, Bytes(1)));
    let refused =
        LimitError::FlowsPerHost { host: HostId(7), begin: true, flows: 8_193, limit: 8_192 };
    assert_eq!(plan.check_limits(), Err(refused));
    plan.queue.classes = 4;
    assert_eq!(plan.check_limits(), Ok(()));
}

#[test]
fn a_pace_is_a_number_before_a_run() {
    let paced = |plan: &mut Plan, rate: &str| {
        plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
        plan.transport.congestion.set("rate", Raw::Text(rate)).unwrap();
    };
    between(
        |plan| {
            paced(plan, "rho_max");
            plan.resolve_rho_max().unwrap();
        },
        |plan| paced(plan, "rho_max"),
        LimitError::RhoMax,
        "the pace `rho_max` is still to be put in; `Plan::resolve_rho_max` does that",
    );
}

#[test]
fn what_flows_and_triggers_name_exists() {
    let hosts = small().fabric.hosts;
    let [own, last, none] = [0, hosts - 1, hosts].map(HostId);
    between(
        |plan| plan.traffic.flows[0].destination = last,
        |plan| plan.traffic.flows[0].destination = none,
        LimitError::Ends { flow: FlowId(0), source: own, destination: none, hosts },
        &format!(
            "flow 0 goes from host 0 to host {hosts}; these are to be two of 0 to {}",
            hosts - 1
        ),
    );
    between(
        |_| (),
        |plan| plan.traffic.flows[0].destination = own,
        LimitError::Ends { flow: FlowId(0), source: own, destination: own, hosts },
        &format!("flow 0 goes from host 0 to host 0; these are to be two of 0 to {}", hosts - 1),
    );
    let trigger = |plan: &mut Plan, targets: u32, fires: u32| {
        plan.traffic.flows[0].on_acked = Some(TriggerId::new(0));
        plan.traffic.triggers = vec![Trigger {
            fires: vec![TriggerId::new(fires)],
            ..Trigger::new(TriggerKind::All { count: 1 }, vec![FlowId(targets)])
        }];
    };
    let missing = |by, named, count| LimitError::Missing { by, named, count };
    let flows = small().traffic.flows.len();
    between(
        |plan| trigger(plan, 0, 0),
        |plan| trigger(plan, flows as u32, 0),
        missing(("trigger", 0), ("flow", flows as u32), flows),
        &format!("trigger 0 names flow {flows}; there are {flows}"),
    );
    between(
        |plan| trigger(plan, 0, 0),
        |plan| trigger(plan, 0, 1),
        missing(("trigger", 0), ("trigger", 1), 1),
        "trigger 0 names trigger 1; there are 1",
    );
    between(
        |plan| trigger(plan, 0, 0),
        |plan| plan.traffic.flows[0].on_delivered = Some(TriggerId::new(1)),
        missing(("flow", 0), ("trigger", 1), 1),
        "flow 0 names trigger 1; there are 1",
    );
}

/// What is fired after work is counted before its time: nothing else may be late.
#[test]
fn a_trigger_that_is_fired_after_work_waits_for_all_that_fires_it() {
    let fired = |plan: &mut Plan, kind: TriggerKind, work: Span| {
        plan.traffic.flows[0].on_acked = Some(TriggerId::new(0));
        plan.traffic.flows[0].on_delivered = Some(TriggerId::new(1));
        let all = TriggerKind::All { count: 1 };
        let fires = vec![TriggerId::new(1)];
        plan.traffic.triggers = vec![
            Trigger { work, fires, ..Trigger::new(all, Vec::new()) },
            Trigger::new(kind, Vec::new()),
        ];
    };
    let works = Span::ns(1);
    between(
        |plan| fired(plan, TriggerKind::All { count: 2 }, works),
        |plan| fired(plan, TriggerKind::All { count: 1 }, works),
        LimitError::LateFiring { trigger: 1, firings: 2, count: Some(1) },
        "trigger 1 is fired 2 times, after work among it, and waits for 1; it has to wait for all of \
         them",
    );
    between(
        |plan| fired(plan, TriggerKind::Next, Span::ZERO),
        |plan| fired(plan, TriggerKind::Next, works),
        LimitError::LateFiring { trigger: 1, firings: 2, count: None },
        "trigger 1 is fired 2 times, after work among it, and starts a flow with each; it has to wait \
         for all of them",
    );
    let two = TriggerKind::All { count: 2 };
    between(
        |plan| fired(plan, two, Span(TIME_LIMIT.0)),
        |plan| fired(plan, two, Span(TIME_LIMIT.0 + 1)),
        LimitError::TriggerStart { trigger: 0, start: Time(TIME_LIMIT.0 + 1) },
        &format!("trigger 0 acts at {}; at the latest at {TIME_LIMIT}", Time(TIME_LIMIT.0 + 1)),
    );
}
