//! Memory that the ports of a switch share, where what it comes to can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::buffer;
use raddle_schemes::congestion;
use raddle_schemes::family::Raw;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::faults::{OnDown, PortChange};
use raddle_sim::plan::{BufferPlan, Overflow, Per, Pfc, Plan, Service};
use raddle_sim::record::{DropCause, Outcome, PortRecord};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

const PACKET: u64 = 4_160;
/// Of a leaf in the ABM spec: 9.6 KiB per port and Gbps, 40 ports of 10 Gbps.
const SIZE: u64 = 3_932_160;

/// Two racks of 16 hosts, one spine with a link to each host's worth.
fn racks() -> raddle_sim::topology::Fabric {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    TreeShape::leaf_spine(2, 16, 16, 1, Rate::gbps(400), link, switch).unwrap().build().unwrap()
}

/// Two hosts of a rack send to each of `receivers` of the same rack, at line rate, without
/// congestion control: the queues of their ToR grow until its memory says no.
fn congested(receivers: u32, policy: &str, alpha: Option<f64>) -> Plan {
    let flow = |i: u32| Flow::at_zero(receivers + i, i % receivers, Bytes::mib(16));
    let flows: Vec<Flow> = (0..2 * receivers).map(flow).collect();
    let mut plan = plan(racks(), flows.into(), "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.queue.marking = raddle_schemes::marking::Config::named("none").unwrap();
    plan.end = Some(Time(400_000_000));
    let mut policy = buffer::Config::named(policy).unwrap();
    if let Some(alpha) = alpha {
        policy.set("alpha", Raw::Float(alpha)).unwrap();
    }
    plan.buffer = Some(BufferPlan { size: Size::Bytes(Bytes(SIZE)), policy, per: Per::Switch });
    plan
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

/// Most bytes of each congested queue of the first ToR, in order of host.
fn queues(outcome: &Outcome, plan: &Plan, receivers: u32) -> Vec<u64> {
    let down = |host: u32| plan.fabric.ports[host as usize].peer;
    (0..receivers).map(|host| outcome.ports[down(host).index()].queue_bytes_max).collect()
}

#[test]
fn dynamic_thresholds_settle_at_their_fixed_point() {
    // alpha B / (1 + n alpha) each: ABM spec, section 6, items 1 and 3 (five queues, 561 737).
    for (alpha, n, expected) in [
        (0.5, 1, 1_310_720),
        (0.5, 4, 655_360),
        (0.5, 5, 561_737),
        (1.0, 2, 1_310_720),
        (8.0, 3, 1_258_291),
    ] {
        let plan = congested(n, "dynamic_thresholds", Some(alpha));
        let outcome = run(&plan);
        let queues = queues(&outcome, &plan, n);
        // The first to get there find more free than the last leave: a packet per queue, alpha
        // times, and the few ACKs of the way back, which count as well.
        let slack = PACKET * (1 + (f64::from(n) * alpha.max(1.0)) as u64);
        for (host, &most) in queues.iter().enumerate() {
            assert!(most.abs_diff(expected) <= slack, "{alpha}, {n}: {host} {most}, {expected}");
        }
        let total = u64::from(n) * expected;
        let most = outcome.memory_bytes_max[0];
        assert!(most.abs_diff(total) <= slack * u64::from(n), "{alpha}, {n}: {most}, {total}");
        assert!(outcome.ports.iter().any(|port| port.dropped[DropCause::Overflow as usize] > 0));
    }
}

#[test]
fn complete_sharing_fills_the_memory_and_partitioning_does_not() {
    let plan = congested(1, "complete_sharing", None);
    let outcome = run(&plan);
    let most = outcome.memory_bytes_max[0];
    assert!((SIZE - PACKET..=SIZE).contains(&most), "{most}");
    // 32 ports, one class each.
    let plan = congested(1, "complete_partitioning", None);
    let outcome = run(&plan);
    let part = SIZE / 32;
    let most = queues(&outcome, &plan, 1)[0];
    assert!((part - PACKET..=part).contains(&most), "{most} of {part}");
}

#[test]
fn a_long_queue_starves_another_under_complete_sharing_and_not_under_dynamic_thresholds() {
    // Twelve hosts fill one queue; two others then send a burst through another.
    let lost = |policy: &str| {
        let mut flows: Vec<Flow> =
            (0..12).map(|i| Flow::at_zero(2 + i, 0, Bytes::mib(16))).collect();
        flows.extend([14, 15].map(|from| Flow {
            start: raddle_sim::workload::Start::At(Time(200_000_000)),
            ..Flow::at_zero(from, 1, Bytes::kib(512))
        }));
        let mut plan = congested(1, policy, None);
        plan.traffic = flows.into();
        plan.end = Some(Time(260_000_000));
        let outcome = run(&plan);
        outcome.flows.iter().skip(12).map(|flow| flow.dropped).sum::<u64>()
    };
    assert_eq!(lost("dynamic_thresholds"), 0);
    assert!(lost("complete_sharing") > 50);
}

#[test]
fn control_frames_need_room_and_nothing_else() {
    let control_lost = |outcome: &Outcome| {
        let lost = |port: &PortRecord| {
            let cause = DropCause::Overflow as usize;
            port.dropped[cause] - port.dropped_data[cause]
        };
        outcome.ports.iter().map(lost).sum::<u64>()
    };
    // A threshold that keeps hardly any data: every ACK finds room all the same.
    let mut plan = congested(2, "dynamic_thresholds", Some(0.01));
    plan.end = Some(Time(20_000_000));
    let outcome = run(&plan);
    assert!(outcome.flows.iter().map(|flow| flow.dropped).sum::<u64>() > 100);
    assert_eq!(control_lost(&outcome), 0);
    // Memory for one packet, taken by it: nothing else finds room, be it as short as an ACK.
    let mut plan = congested(2, "complete_sharing", None);
    plan.buffer.as_mut().unwrap().size = Size::Bytes(Bytes(PACKET));
    plan.queue.overflow = Overflow::Trim;
    plan.end = Some(Time(20_000_000));
    let outcome = run(&plan);
    assert_eq!(outcome.memory_bytes_max[0], PACKET);
    assert!(outcome.ports.iter().map(|port| port.trimmed).sum::<u64>() > 100);
    assert!(control_lost(&outcome) > 0);
}

#[test]
fn every_discipline_shares_memory_in_both_engines_alike() {
    for service in [Service::Fifo, Service::Priority, Service::Drr, Service::Wrr] {
        let mut plan = congested(3, "dynamic_thresholds", Some(0.5));
        plan.buffer.as_mut().unwrap().size = Size::Packets(90.0);
        plan.queue.service = service;
        if service != Service::Fifo {
            plan.queue.classes = 2;
            let share = if service == Service::Wrr { 2 } else { PACKET };
            plan.queue.shares = match service {
                Service::Priority => Vec::new(),
                _ => vec![share; 2],
            };
            (0..).zip(&mut plan.traffic.flows).for_each(|(i, flow)| flow.class = i % 2);
        }
        plan.end = Some(Time(60_000_000));
        // Three queues of one class take 54 packets in all.
        assert!(run(&plan).memory_bytes_max[0] > 50 * PACKET);
    }
}

#[test]
fn flow_control_above_shared_memory_loses_nothing_while_there_is_room() {
    let mut plan = congested(2, "complete_sharing", None);
    let (xoff, xon) = (Size::Packets(20.0), Size::Packets(10.0));
    plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
    plan.end = Some(Time(100_000_000));
    let outcome = run(&plan);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0));
    // Four hosts that pause at 20 packets each, and what is under way until they do.
    let most = outcome.memory_bytes_max[0];
    assert!((4 * 20 * PACKET..4 * 60 * PACKET).contains(&most), "{most}");
    // Where thresholds let too little in, pauses come too late.
    plan.buffer.as_mut().unwrap().size = Size::Packets(60.0);
    assert!(run(&plan).flows.iter().any(|flow| flow.dropped > 0));
}

#[test]
fn a_link_that_goes_down_gives_its_memory_back() {
    for on_down in [OnDown::Drop, OnDown::Keep] {
        let mut plan = congested(2, "complete_sharing", None);
        let port = plan.fabric.ports[0].peer;
        let down = Time(100_000_000);
        let up = Time(150_000_000);
        plan.faults.on_down = on_down;
        plan.faults.ports = vec![(port, vec![(down, PortChange::Down), (up, PortChange::Up)])];
        let outcome = run(&plan);
        let lost = outcome.ports[port.index()].dropped[DropCause::LinkDown as usize];
        assert!(if on_down == OnDown::Drop { lost > 100 } else { lost == 1 }, "{lost}");
        // Both queues grow alike, so before it goes down neither has much more than half of the
        // memory. The other takes what is given back, and nothing of what is kept.
        let most = queues(&outcome, &plan, 2)[1];
        let half = SIZE / 2 + 20 * PACKET;
        assert!(if on_down == OnDown::Drop { most > half } else { most < half }, "{most}");
    }
}
