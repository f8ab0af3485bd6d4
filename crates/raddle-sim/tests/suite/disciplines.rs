//! Who goes first at a port, where it can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::{MarkAt, Overflow, Plan, Service};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};
use std::num::NonZeroU32;

/// Hosts of 400 Gbps on both sides of a cable of 80 Gbps, cables of 500 ns, no switch latency, no
/// congestion control, endless queues.
fn bottleneck(hosts_per_side: u32, flows: Vec<Flow>, service: Service, shares: &[u64]) -> Plan {
    let shape = Dumbbell {
        hosts_per_side,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(80),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.queue.service = service;
    plan.queue.classes = shares.len() as u8;
    plan.queue.shares = shares.to_vec();
    plan
}

fn flow(from: u32, to: u32, bytes: u64, class: u8) -> Flow {
    Flow { class, ..Flow::at_zero(from, to, Bytes(bytes)) }
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

/// Packets of each class that were received.
fn received(plan: &Plan, outcome: &Outcome) -> Vec<u64> {
    let mut sums = vec![0; plan.queue.classes.into()];
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        sums[usize::from(flow.class)] += record.received;
    }
    sums
}

#[test]
fn the_highest_class_is_done_first_and_control_does_not_wait_for_it() {
    // One host per class, all at once but for class 0, whose first frame is there first.
    let packets = 20;
    let mut flows: Vec<Flow> = (0..7).map(|k| flow(k, 8 + k, packets * 4096, k as u8)).collect();
    for flow in &mut flows[1..] {
        flow.start = Start::At(Time(1));
    }
    // The ACKs of what comes from the right go left to right.
    flows.push(flow(15, 7, 4096, 0));
    let mut plan = bottleneck(8, flows, Service::Priority, &[1; 7]);
    let outcome = run(&plan);
    let (fast, slow, ack, link) = (83_200, 416_000, 6_400, 500_000);
    for class in 0..7 {
        let before = if class == 0 { 7 * packets } else { 1 + (7 - class) * packets };
        // The ACK passes them all.
        let expected = fast + link + before * slow + ack + link + fast + link;
        let delivered = outcome.flows.at(class as usize).delivered;
        assert_eq!(delivered, Some(Time(expected)), "class {class}");
    }
    // There and back, and at most one frame in service in the ACK's way.
    let there = fast + link + slow + link + fast + link;
    let back = 1_280 + link + ack + link + 1_280 + link;
    let acked = outcome.flows.at(7).acked.unwrap().0;
    assert!((there + back..there + back + slow).contains(&acked), "{acked}");
    // In one class with everything, it waits until all data has passed.
    (plan.queue.service, plan.queue.classes) = (Service::Fifo, 1);
    plan.traffic.flows.iter_mut().for_each(|flow| flow.class = 0);
    assert!(run(&plan).flows.at(7).acked.unwrap().0 > 30 * slow);
}

#[test]
fn deficit_round_robin_shares_bytes_whatever_the_packets() {
    // Class 0 in packets of 4160 B, class 1 in packets of 512 B; one quantum is not even a packet.
    for (shares, ratio) in [([4_160, 4_160], 1), ([3_000, 1_000], 3), ([64, 64], 1)] {
        let small = (0..2_000).map(|_| flow(1, 3, 448, 1));
        let flows = std::iter::once(flow(0, 2, 4 << 20, 0)).chain(small).collect();
        let mut plan = bottleneck(2, flows, Service::Drr, &shares);
        plan.end = Some(Time(80_000_000));
        let outcome = run(&plan);
        let packets = received(&plan, &outcome);
        let bytes = [packets[0] * 4_160, packets[1] * 512 * ratio];
        assert!(packets[0] > 90, "{packets:?}");
        // A quantum and a largest packet of each, theorem 2, and what is on its way.
        let slack = ratio * (shares[0] + 3 * 4_160);
        assert!(bytes[0].abs_diff(bytes[1]) <= slack, "{shares:?}: {bytes:?}");
    }
}

#[test]
fn weighted_round_robin_shares_frames_whatever_their_size() {
    for (weights, ratio) in [([1, 1], 1), ([3, 1], 3), ([9, 3], 3)] {
        let small = (0..2_000).map(|_| flow(1, 3, 448, 1));
        let flows = std::iter::once(flow(0, 2, 4 << 20, 0)).chain(small).collect();
        let mut plan = bottleneck(2, flows, Service::Wrr, &weights);
        plan.end = Some(Time(80_000_000));
        let packets = received(&plan, &run(&plan));
        assert!(packets[0] > 90, "{packets:?}");
        assert!(packets[0].abs_diff(packets[1] * ratio) <= 2 * weights[0] + 2, "{packets:?}");
    }
}

#[test]
fn what_a_class_does_not_use_goes_to_the_others() {
    for service in [Service::Drr, Service::Wrr] {
        let lone = |service, shares: &[u64], class| {
            let flows = vec![flow(0, 1, 100 * 4096, class)];
            run(&bottleneck(1, flows, service, shares)).flows.at(0).delivered
        };
        assert_eq!(lone(service, &[64, 10_000], 0), lone(Service::Priority, &[1], 0));
    }
}

#[test]
fn every_class_has_its_own_room_and_its_own_marks() {
    // Class 1 fills its queue; the one flow of class 0 loses nothing and is not marked.
    let mut flows: Vec<Flow> = (0..4).map(|i| flow(i, 5 + i, 400 * 4096, 1)).collect();
    flows.push(flow(4, 9, 20 * 4096, 0));
    let mut plan = bottleneck(5, flows, Service::Drr, &[41_600, 4_160]);
    plan.queue.size = Size::Packets(40.0);
    for at in [MarkAt::Dequeue, MarkAt::Enqueue] {
        plan.queue.mark_at = at;
        let outcome = run(&plan);
        let (busy, calm) = (outcome.flows.range(0..4), outcome.flows.at(4));
        assert!(busy.clone().all(|flow| flow.dropped > 0));
        assert!(busy.map(|flow| flow.marked).sum::<u64>() > 0);
        assert_eq!((calm.dropped, calm.retransmitted), (0, 0));
    }
}

/// 160 hosts of 100 Gbps send 32 KiB each to another of their switch, whose queue of 20 packets
/// trims. Windows never fall below a packet, so as many headers come to it in a round trip as it
/// could send in 0.8 us.
fn trimmed_incast(control_weight: Option<u32>) -> Plan {
    let leaf = TreeShape {
        tiers: 2,
        hosts: 161,
        hosts_per_tor: 161,
        tors_per_pod: 1,
        aggs_per_pod: 1,
        cores: 0,
        parallel: [1, 1],
        rates: [Rate::gbps(100); 3],
        delays: [Span::ns(50); 3],
        switch_delays: [Span::ZERO; 3],
    };
    let flows: Vec<Flow> = (1..161).map(|from| Flow::at_zero(from, 0, Bytes(1 << 15))).collect();
    let mut plan = plan(leaf.build().unwrap(), flows.into(), "ecmp", 1);
    plan.transport.congestion = congestion::Config::named("mprdma_dctcp").unwrap();
    plan.queue.size = Size::Packets(20.0);
    plan.queue.overflow = Overflow::Trim;
    plan.queue.control_weight = control_weight.map(|frames| NonZeroU32::new(frames).unwrap());
    plan.end = Some(Time::ZERO + Span::us(500));
    plan
}

#[test]
fn headers_starve_data_unless_it_has_turns() {
    let goodput = |plan: &Plan| {
        let received: u64 = run(plan).flows.iter().map(|flow| flow.received).sum();
        received
    };
    let packets = 160 * 8;
    let strict = goodput(&trimmed_incast(None));
    assert!(strict < packets / 2, "{strict}");
    // Ten headers to a packet, as NDP has it: 84 B each on the wire.
    let plan = trimmed_incast(Some(10));
    let outcome = run(&plan);
    assert_eq!(outcome.stop, Stop::Completed);
    let least = packets * (4_160 + plan.queue.gap.0) * 80;
    let most = packets * (4_160 + plan.queue.gap.0 + 10 * (64 + plan.queue.gap.0)) * 80;
    let slack = 20_000_000;
    assert!((least..most + slack).contains(&outcome.end.0), "{} {least} {most}", outcome.end.0);
}
