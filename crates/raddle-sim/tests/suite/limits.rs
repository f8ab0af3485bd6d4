//! Every limit of the engines, at the limit and one beyond.

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use crate::outside::juggler;
use raddle_schemes::congestion;
use raddle_schemes::family::Raw;
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::tor;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine::{self, HORIZON, SHORTEST_WINDOW};
use raddle_sim::faults::PortChange;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{
    AckQueue, HostQueue, Overflow, Pfc, Plan, Service, Transport, TransportPlan, Turns, Watchdog,
};
use raddle_sim::record::Stop;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::routing::Forwarding;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::wire::frame::{NUMBER_LIMIT, SIZE_LIMIT};
use raddle_sim::workload::{Flow, Start, Trigger, TriggerId, TriggerKind};

/// One small flow, host 0 to host 3, in a small tree.
fn small() -> Plan {
    plan(fat_tree(2, 16), vec![Flow::at_zero(0, 3, Bytes(10_000))].into(), "ops", 1)
}

/// Checks that the plan is fine as `at_limit` makes it and refused as `beyond` makes it then.
fn between(
    at_limit: impl FnOnce(&mut Plan),
    beyond: impl FnOnce(&mut Plan),
    error: LimitError,
    message: &str,
) {
    let mut plan = small();
    at_limit(&mut plan);
    assert_eq!(plan.check_limits(), Ok(()));
    beyond(&mut plan);
    assert_eq!(plan.check_limits(), Err(error.clone()));
    assert_eq!(error.to_string(), message);
}

#[test]
fn packets_per_flow_fit_a_frame() {
    between(
        |plan| {
            plan.transport.payload = Bytes(2);
            plan.traffic.flows[0].bytes = Bytes(2 * u64::from(NUMBER_LIMIT));
        },
        |plan| plan.traffic.flows[0].bytes.0 += 1,
        LimitError::Packets { flow: FlowId(0), packets: 1 << 24 },
        "flow 0 has 16777216 packets; at most 16777215 fit, so send less or choose a larger payload",
    );
}

#[test]
fn sizes_of_frames_fit_a_frame() {
    between(
        |plan| plan.transport.payload.0 = SIZE_LIMIT.0 - plan.transport.header.0,
        |plan| plan.transport.header.0 += 1,
        LimitError::FrameTooLarge { frame: "data packet", bytes: Bytes(65_536) },
        "the data packet takes 65536 B on the wire; at most 65535 B",
    );
    between(
        |plan| plan.transport.ack = SIZE_LIMIT,
        |plan| plan.transport.ack.0 += 1,
        LimitError::FrameTooLarge { frame: "ACK", bytes: Bytes(65_536) },
        "the ACK takes 65536 B on the wire; at most 65535 B",
    );
    between(
        |plan| plan.queue.gap = SIZE_LIMIT,
        |plan| plan.queue.gap.0 += 1,
        LimitError::FrameTooLarge { frame: "gap", bytes: Bytes(65_536) },
        "the gap takes 65536 B on the wire; at most 65535 B",
    );
}

#[test]
fn no_frame_is_empty() {
    between(
        |plan| (plan.transport.ack, plan.transport.header) = (Bytes(1), Bytes(0)),
        |plan| plan.transport.ack = Bytes(0),
        LimitError::Empty { what: "ACK" },
        "the ACK has 0 B; at least 1 B",
    );
    between(
        |plan| plan.transport.header = Bytes(0),
        |plan| plan.queue.overflow = Overflow::Trim,
        LimitError::Empty { what: "trimmed header" },
        "the trimmed header has 0 B; at least 1 B",
    );
    between(
        |plan| plan.transport.payload = Bytes(1),
        |plan| plan.transport.payload = Bytes(0),
        LimitError::Empty { what: "payload" },
        "the payload has 0 B; at least 1 B",
    );
    between(
        |plan| plan.traffic.flows[0].bytes = Bytes(1),
        |plan| plan.traffic.flows[0].bytes = Bytes(0),
        LimitError::Empty { what: "message" },
        "the message has 0 B; at least 1 B",
    );
}

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

fn same_delays(plan: &mut Plan, delay: Span) {
    plan.fabric.ports.iter_mut().for_each(|port| port.delay = delay);
    plan.fabric.switches.iter_mut().for_each(|switch| switch.latency = Span::ZERO);
}

#[test]
fn windows_are_long_enough() {
    between(
        |plan| same_delays(plan, SHORTEST_WINDOW),
        |plan| plan.fabric.ports[0].delay.0 -= 1,
        LimitError::Window { window: Span(9_999) },
        "the shortest way into a switch, cable delay and switch latency, takes 9999 ps; at least \
         10 ns",
    );
}

#[test]
fn times_on_a_link_fit_an_entry() {
    // 4160 B take 83.2 ns at 400 Gbps, the far switch 500 ns.
    let longest = HORIZON.0 - 1 - 83_200 - 500_000;
    let refused = |rate| LimitError::Horizon {
        link: "host2".to_owned(),
        rate: Rate::gbps(rate),
        time: Some(Span(HORIZON.0)),
    };
    between(
        |plan| plan.fabric.ports[2].delay = Span(longest),
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(400),
        "at 400 Gbps the largest frame takes 2.147483648 ms across link `host2`, cable delay and \
         switch latency included; less than 2.147483648 ms",
    );
    let slow = |rate| vec![(PortId(2), vec![(Time(5), PortChange::Rate { rate, scale: true })])];
    between(
        |plan| {
            plan.fabric.ports[2].delay = Span(longest - 83_200 * 99);
            plan.faults.ports = slow(Rate::gbps(4));
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(4),
        &refused(4).to_string(),
    );
    between(
        |plan| plan.faults.ports = slow(Rate(400_000_000)),
        |plan| plan.faults.ports = slow(Rate(0)),
        LimitError::Horizon { link: "host2".to_owned(), rate: Rate(0), time: None },
        "the rate of link `host2` is 0 bps; at least 1 bps, or take it down",
    );
}

#[test]
fn the_largest_frame_on_a_link_may_be_an_ack_or_a_pfc_frame() {
    let refused = |beyond| LimitError::Horizon {
        link: "host2".to_owned(),
        rate: Rate::gbps(400),
        time: Some(Span(HORIZON.0 + beyond)),
    };
    // At 400 Gbps a byte takes 20 ps, the far switch 500 ns. Full packets have 114 B, then 60 B.
    let delay = |largest: u64| Span(HORIZON.0 - 1 - 20 * largest - 500_000);
    let small_frames = |plan: &mut Plan, payload, ack| {
        (plan.transport.payload, plan.transport.ack) = (Bytes(payload), Bytes(ack));
        plan.transport.header = Bytes(50);
    };
    between(
        |plan| {
            small_frames(plan, 64, 9_000);
            plan.fabric.ports[2].delay = delay(9_000);
        },
        |plan| plan.transport.ack.0 += 1,
        refused(19),
        "at 400 Gbps the largest frame takes 2.147483667 ms across link `host2`, cable delay and \
         switch latency included; less than 2.147483648 ms",
    );
    between(
        |plan| {
            small_frames(plan, 10, 60);
            plan.queue.pfc = pfc(5_000, 5_000, Span::us(1));
            plan.fabric.ports[2].delay = delay(64);
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(0),
        &refused(0).to_string(),
    );
    // Without flow control the same link may be longer by four bytes, 60 instead of 64.
    between(
        |plan| {
            small_frames(plan, 10, 60);
            plan.fabric.ports[2].delay = delay(60);
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(0),
        &refused(0).to_string(),
    );
}

#[test]
fn links_at_the_horizon_run_with_acks_and_pfc_frames_as_the_largest() {
    for (payload, ack, largest) in [(64, 9_000, 9_000), (10, 20, 64)] {
        let mut plan = small();
        plan.traffic.flows = (4..10).map(|from| Flow::at_zero(from, 3, Bytes(4_000))).collect();
        plan.transport.payload = Bytes(payload);
        plan.transport.header = Bytes(50);
        plan.transport.ack = Bytes(ack);
        plan.queue.pfc = pfc(500, 200, Span::us(20));
        plan.patience = Span::ms(100);
        for port in &mut plan.fabric.ports {
            port.delay = Span(HORIZON.0 - 1 - 20 * largest - 500_000);
        }
        assert_eq!(plan.check_limits(), Ok(()));
        assert_eq!(trouble(&plan), None);
    }
}

#[test]
fn hosts_below_a_switch_fit_the_compiled_division() {
    let hosts_below_spine = |plan: &mut Plan, hosts: u32| {
        let Forwarding::Tree(switches) = &mut plan.routes[0].1 else { panic!("a tree") };
        switches[4].hosts_high = switches[4].hosts_low + hosts;
        // Behind its four ports.
        switches[4].hosts_per_down = hosts.div_ceil(4);
    };
    between(
        |plan| hosts_below_spine(plan, 1 << 16),
        |plan| hosts_below_spine(plan, (1 << 16) + 1),
        LimitError::HostsBelow { switch: "spine0".to_owned(), hosts: (1 << 16) + 1 },
        "switch `spine0` has 65537 hosts below it; at most 65536 in a tree",
    );
}

#[test]
fn hosts_can_name_every_port_of_a_switch() {
    let spray_on_leaves_of = |plan: &mut Plan, spines| {
        let (rate, delay) = (Rate::gbps(400), Span::ns(500));
        let shape = TreeShape::leaf_spine(2, 2, spines, 1, rate, delay, delay).unwrap();
        let flows = vec![Flow::at_zero(0, 3, Bytes(10_000))];
        *plan = crate::common::plan(shape.build().unwrap(), flows.into(), "host_dr", 1);
    };
    between(
        |plan| spray_on_leaves_of(plan, 254),
        |plan| spray_on_leaves_of(plan, 255),
        LimitError::SourceRoute { switch: "tor0".to_owned(), ports: 257 },
        "switch `tor0` has 257 ports; at most 256 where hosts name the route",
    );
}

#[test]
fn middleware_is_not_beside_switches_that_look_at_queues_as_they_were() {
    between(
        |plan| plan.tor = Some(tor::Config::Custom(juggler::plugin())),
        |plan| {
            plan.switch_load_balance = switch::Config::named("adaptive_roce").unwrap();
            plan.switch_load_balance.set("mode", Raw::Text("artifact")).unwrap();
        },
        LimitError::Middleware,
        "middleware in ToRs beside switches that look at queues as they were before the instant; \
         only beside others",
    );
}

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
            kind: TriggerKind::All { count: 1 },
            targets: vec![FlowId(targets)],
            fires: vec![TriggerId::new(fires)],
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

#[test]
fn data_classes_fit_the_masks_and_flows_have_one_of_them() {
    between(
        |plan| plan.queue.classes = 8,
        |plan| plan.queue.classes = 9,
        LimitError::Classes { classes: 9, most: 8 },
        "the queues have 9 data classes; from 1 to 8",
    );
    between(
        |plan| plan.queue.classes = 1,
        |plan| plan.queue.classes = 0,
        LimitError::Classes { classes: 0, most: 8 },
        "the queues have 0 data classes; from 1 to 8",
    );
    between(
        |plan| plan.queue.service = Service::Fifo,
        |plan| plan.queue.classes = 2,
        LimitError::Classes { classes: 2, most: 1 },
        "the queues have 2 data classes; from 1 to 1",
    );
    between(
        |plan| (plan.queue.classes, plan.traffic.flows[0].class) = (3, 2),
        |plan| plan.traffic.flows[0].class = 3,
        LimitError::Class { flow: FlowId(0), class: 3, classes: 3 },
        "flow 0 travels in class 3; the queues have 3 data classes",
    );
    between(
        |plan| {
            plan.transport.other_load_balances = vec![plan.transport.load_balance.clone()];
            plan.traffic.flows[0].load_balance = 1;
        },
        |plan| plan.traffic.flows[0].load_balance = 2,
        LimitError::LoadBalance { flow: FlowId(0), number: 2, most: 1 },
        "flow 0 names path selector 2; there are 0 to 1",
    );
    between(
        |plan| (plan.queue.classes, plan.queue.acks) = (2, vec![AckQueue::Data; 2]),
        |plan| plan.queue.acks.push(AckQueue::Data),
        LimitError::ClassTable { what: "places of ACKs", listed: 3, classes: 2 },
        "3 places of ACKs for 2 data classes; none, or one for each",
    );
    between(
        |plan| plan.queue.class_markings = vec![plan.queue.marking.clone()],
        |plan| plan.queue.class_markings.push(plan.queue.marking.clone()),
        LimitError::ClassTable { what: "markings", listed: 2, classes: 1 },
        "2 markings for 1 data classes; none, or one for each",
    );
    between(
        |plan| plan.queue.acks = vec![AckQueue::Data],
        |plan| plan.queue.service = Service::Fifo,
        LimitError::AcksWithData,
        "ACKs shall travel with data, but the ports have one class for everything; leave that out",
    );
    let queue = |size| Some(HostQueue { size, acks: true });
    between(
        |plan| plan.transport.host_queue = queue(plan.packet()),
        |plan| plan.transport.host_queue = queue(Bytes(plan.packet().0 - 1)),
        LimitError::HostQueue { why: "no packet fits into it" },
        "hosts have a queue, and no packet fits into it",
    );
    between(
        |plan| plan.transport.host_queue = queue(plan.packet()),
        |plan| plan.transport.turns = Turns::Random,
        LimitError::HostQueue { why: "flows do not take turns" },
        "hosts have a queue, and flows do not take turns",
    );
    between(
        |plan| {
            let TransportPlan { congestion, recovery, .. } = plan.transport.clone();
            plan.transport.other_transports = vec![Transport { congestion, recovery }];
            plan.traffic.flows[0].transport = 1;
        },
        |plan| plan.traffic.flows[0].transport = 2,
        LimitError::Transport { flow: FlowId(0), number: 2, most: 1 },
        "flow 0 names transport 2; there are 0 to 1",
    );
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
fn shares_of_a_round_fit_a_deficit() {
    fn shares(service: Service, shares: &[u64]) -> impl FnOnce(&mut Plan) {
        let shares = shares.to_vec();
        move |plan| {
            (plan.queue.service, plan.queue.classes, plan.queue.shares) = (service, 2, shares);
        }
    }
    between(
        shares(Service::Drr, &[64, 1 << 24]),
        |plan| plan.queue.shares[0] = 63,
        LimitError::Share { class: 0, share: 63, least: 64 },
        "class 0 may send 63 in a round; from 64 to 16777216",
    );
    between(
        shares(Service::Drr, &[64, 1 << 24]),
        |plan| plan.queue.shares[1] += 1,
        LimitError::Share { class: 1, share: (1 << 24) + 1, least: 64 },
        "class 1 may send 16777217 in a round; from 64 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1 << 24]),
        |plan| plan.queue.shares[0] = 0,
        LimitError::Share { class: 0, share: 0, least: 1 },
        "class 0 may send 0 in a round; from 1 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1 << 24]),
        |plan| plan.queue.shares[1] += 1,
        LimitError::Share { class: 1, share: (1 << 24) + 1, least: 1 },
        "class 1 may send 16777217 in a round; from 1 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1]),
        |plan| plan.queue.shares = vec![1],
        LimitError::Shares { shares: 1, classes: 2 },
        "1 shares of a round for 2 data classes; one for each",
    );
    // The smallest and the largest there are, in both engines.
    for (service, extremes) in [
        (Service::Drr, [64, 1 << 24]),
        (Service::Drr, [1 << 24, 64]),
        (Service::Wrr, [1, 1 << 24]),
        (Service::Wrr, [1 << 24, 1]),
    ] {
        let mut plan = small();
        shares(service, &extremes)(&mut plan);
        plan.transport.payload.0 = SIZE_LIMIT.0 - plan.transport.header.0;
        plan.traffic.flows = (0..24).map(|i| Flow::at_zero(4 + i % 8, 3, Bytes::mib(1))).collect();
        for (i, flow) in plan.traffic.flows.iter_mut().enumerate() {
            flow.class = (i % 2) as u8;
        }
        assert_eq!(trouble(&plan), None);
    }
}

/// Flow control with thresholds in bytes.
fn pfc(xoff: u64, xon: u64, quanta: Span) -> Option<Pfc> {
    Some(Pfc {
        xoff: Size::Bytes(Bytes(xoff)),
        xon: Size::Bytes(Bytes(xon)),
        ..Pfc::of_memory(quanta)
    })
}

#[test]
fn pauses_last_and_thresholds_are_in_order() {
    let longest = Span(TIME_LIMIT.0);
    between(
        |plan| plan.queue.pfc = pfc(5_000, 5_000, longest),
        |plan| plan.queue.pfc = pfc(5_000, 5_000, longest + Span(1)),
        LimitError::Pause { quanta: longest + Span(1) },
        "a pause lasts 70.368744177664 s; from 1 ns to 70.368744177663 s",
    );
    between(
        |plan| plan.queue.pfc = pfc(5_000, 5_000, Span::ns(1)),
        |plan| plan.queue.pfc = pfc(5_000, 5_000, Span(999)),
        LimitError::Pause { quanta: Span(999) },
        "a pause lasts 999 ps; from 1 ns to 70.368744177663 s",
    );
    let watched = |detection, restoration| {
        let watchdog = Some(Watchdog { detection, restoration });
        pfc(5_000, 5_000, Span::us(5)).map(|pfc| Pfc { watchdog, ..pfc })
    };
    between(
        |plan| plan.queue.pfc = watched(longest, Span::ns(1)),
        |plan| plan.queue.pfc = watched(longest, Span(999)),
        LimitError::Watchdog { span: Span(999) },
        "the watchdog over pauses waits for 999 ps; from 1 ns to 70.368744177663 s",
    );
    let refused = |xon, xoff| LimitError::Thresholds {
        port: "tor0.down0".to_owned(),
        xon: Bytes(xon),
        xoff: Bytes(xoff),
        capacity: Bytes(10_000),
    };
    between(
        |plan| {
            plan.queue.size = Size::Bytes(Bytes(10_000));
            plan.queue.pfc = pfc(9_999, 9_999, Span::us(1));
        },
        |plan| plan.queue.pfc = pfc(10_000, 9_999, Span::us(1)),
        refused(9_999, 10_000),
        "at `tor0.down0`, xon is 9999 B, xoff 10000 B and the capacity 10000 B; in this order, and \
         xoff below the capacity",
    );
    between(
        |plan| {
            plan.queue.size = Size::Bytes(Bytes(10_000));
            plan.queue.pfc = pfc(0, 0, Span::us(1));
        },
        |plan| plan.queue.pfc = pfc(0, 1, Span::us(1)),
        refused(1, 0),
        "at `tor0.down0`, xon is 1 B, xoff 0 B and the capacity 10000 B; in this order, and \
         xoff below the capacity",
    );
    // A pause too short to reach anything, for every byte: all of it crosses all the same. The
    // longest one ends when the queue has drained.
    for (quanta, flows) in [(Span::ns(1), 1), (longest, 1), (longest, 8)] {
        let mut plan = small();
        plan.queue.pfc = pfc(0, 0, quanta);
        let senders = (4..4 + flows).map(|from| Flow::at_zero(from, 3, Bytes(100_000)));
        plan.traffic.flows = senders.collect();
        assert_eq!(trouble(&plan), None);
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
    }
}
