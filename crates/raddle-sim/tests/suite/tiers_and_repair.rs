//! Trees whose tiers have rates and delays of their own, and switches that leave their own dead ports
//! out: what a run must come to, worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion::{self, fixed_rate::Pace};
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::bound::{Frames, completion};
use raddle_sim::engine;
use raddle_sim::faults::OnDown;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

/// Runs a plan in the fast engine, after both have agreed.
fn run(plan: &Plan) -> Outcome {
    plan.check_limits().unwrap();
    if let Some(trouble) = trouble(plan) {
        panic!("{trouble}");
    }
    engine::run(plan, &mut ())
}

/// Four pods of one host: hosts' links 400 Gbps and 100 ns, uplinks 800 Gbps and 1 us, core links
/// 40 Gbps and 5 us; switches take 300 ns.
fn uneven() -> TreeShape {
    TreeShape {
        tiers: 3,
        hosts: 4,
        hosts_per_tor: 1,
        tors_per_pod: 1,
        aggs_per_pod: 1,
        cores: 1,
        parallel: [1; 2],
        rates: [400, 800, 40].map(Rate::gbps),
        delays: [Span::ns(100), Span::us(1), Span::us(5)],
        switch_delays: [Span::ns(300); 3],
    }
}

/// One way: six links, of which two of each kind, and five switches.
const LATENCY: u64 = 2 * (100_000 + 1_000_000 + 5_000_000) + 5 * 300_000;
/// 4160 B and 64 B over the six links, at 400, 800 and 40 Gbps, twice each.
const PACKET: u64 = 2 * (83_200 + 41_600 + 832_000);
const ACK: u64 = 2 * (1_280 + 640 + 12_800);

#[test]
fn a_permutation_over_uneven_tiers_takes_what_the_formula_says() {
    let fabric = uneven().build().unwrap();
    let flows: Vec<Flow> =
        (0..4).map(|host| Flow::at_zero(host, (host + 1) % 4, Bytes(4096))).collect();
    let mut plan = plan(fabric, flows.into(), "ecmp", 1);
    plan.queue.size = Size::Unlimited;
    let expected = 2 * LATENCY + PACKET + ACK;
    let rtt = |plan: &Plan| plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
    assert_eq!(rtt(&plan), Span(expected));
    for flow in run(&plan).flows.iter() {
        assert_eq!(flow.acked, Some(Time(expected)));
    }
    // Many packets: the core links set the pace, each with the data and the ACKs of one flow. An ACK
    // gets ahead of the data that waits, so the last packet has waited for the ACKs of all but those
    // that came too late for it.
    let packets = 500;
    for flow in &mut plan.traffic.flows {
        flow.bytes = Bytes(4096 * packets);
    }
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    let (data, ack) = (832_000, 12_800);
    let alone = LATENCY + PACKET + (packets - 1) * data;
    let outcome = run(&plan);
    let frames = Frames {
        payload: plan.transport.payload,
        header: plan.transport.header,
        ack: plan.transport.ack,
        gap: Bytes(0),
    };
    let bounds = completion(&plan.traffic, &plan.fabric, &frames);
    // A pace of equal links has no meaning here.
    assert!(bounds.iter().all(|bound| bound.name != "permutation"), "{bounds:?}");
    for flow in outcome.flows.iter() {
        let delivered = flow.delivered.unwrap().0;
        // All that were back there when the last packet passed: an ACK comes so long after its own.
        let lag =
            LATENCY - 1_400_000 - 400_000 + 832_000 + 41_600 + 83_200 + 1_280 + 640 + 1_700_000;
        let passed = packets - 1 - lag / (data + ack);
        let waited = (delivered - alone) / ack;
        assert!(waited.abs_diff(passed) <= 1, "{waited} of {passed} ACKs");
        assert!(bounds.iter().all(|bound| bound.time.0 <= flow.acked.unwrap().0), "{bounds:?}");
    }
}

#[test]
fn a_lone_flow_is_as_fast_as_the_slowest_tier_and_no_bound_is_closer() {
    let fabric = uneven().build().unwrap();
    let packets = 20;
    let flow = Flow::at_zero(0, 3, Bytes(4096 * packets));
    let mut plan = plan(fabric, vec![flow].into(), "ecmp", 1);
    plan.queue.size = Size::Unlimited;
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    let expected = 2 * LATENCY + PACKET + (packets - 1) * 832_000 + ACK;
    assert_eq!(run(&plan).flows.at(0).acked, Some(Time(expected)));
    let frames = Frames {
        payload: plan.transport.payload,
        header: plan.transport.header,
        ack: plan.transport.ack,
        gap: Bytes(0),
    };
    let bounds = completion(&plan.traffic, &plan.fabric, &frames);
    let tightest = bounds.iter().map(|bound| bound.time.0).max();
    assert_eq!(tightest, Some(expected), "{bounds:?}");
}

/// Two ToRs of a host each, two spines. Host 0 paces a packet every 100 ns; its ToR takes the uplinks
/// in turn, of which the second is cut on its way up for good.
fn cut_uplink(repair: Option<Span>) -> Plan {
    let (link, latency) = (Span::ns(500), Span::ZERO);
    let shape = TreeShape::leaf_spine(2, 1, 2, 1, Rate::gbps(400), link, latency).unwrap();
    let fabric = shape.build().unwrap();
    let target = Target::Link { name: "tor0.up1".to_owned(), direction: Direction::Out };
    let windows = vec![(Time(20_000_000), None)];
    let faults = FaultPlan {
        faults: vec![Fault { target, effect: Effect::Down, windows }],
        local_repair: repair,
        on_down: OnDown::Drop,
        ..FaultPlan::default()
    };
    let resolved = faults.resolve(&fabric, &[], 1).unwrap();
    let flow = Flow::at_zero(0, 1, Bytes(4096 * 1_000));
    let mut plan = plan(fabric, vec![flow].into(), "ecmp", 1);
    (plan.routes, plan.faults) = (resolved.routes, resolved.faults);
    plan.switch_load_balance = switch::Config::named("simple_rr").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    if let congestion::Config::FixedRate(fixed) = &mut plan.transport.congestion {
        // 4160 B in 100 ns.
        fixed.rate = Pace::At(Rate(332_800_000_000));
    }
    plan.end = Some(Time(60_000_000));
    plan
}

/// Packet n reaches the ToR 583.2 ns after it starts, at n times 100 ns, and leaves at once. Of those
/// that arrive from the cut on until the repair, and of the one in service at the cut, every second
/// goes into the dead link.
#[test]
fn as_many_packets_are_lost_as_go_into_a_dead_port_before_its_switch_leaves_it_out() {
    for repair in [Span::us(1), Span::us(5), Span(7_777_777)] {
        let plan = cut_uplink(Some(repair));
        let outcome = run(&plan);
        let dead = plan.fabric.port_named("tor0.up1").unwrap();
        let lost = outcome.ports[dead.index()].dropped[DropCause::LinkDown as usize];
        let (cut, until) = (20_000_000, 20_000_000 + repair.0);
        // Which of the two uplinks an even packet takes, the seed has drawn.
        let counts = [0, 1].map(|first| {
            let arrives = |n: u64| n * 100_000 + 583_200;
            let into = (first..1_000).step_by(2).map(arrives);
            into.filter(|&at| at + 83_200 > cut && at < until).count() as u64
        });
        assert!(counts.contains(&lost), "{lost} of {counts:?} with {repair}");
        let own = outcome.flows.at(0);
        assert_eq!(own.dropped, lost);
        // All that was lost has been sent again or still waits to be.
        assert!(
            outcome.ports.iter().map(|port| port.dropped.iter().sum::<u64>()).sum::<u64>() == lost
        );
    }
    // Without, half of all are lost.
    let plan = cut_uplink(None);
    let outcome = run(&plan);
    assert!(outcome.flows.at(0).dropped > 150);
}

/// A data packet is had by its receiver, and an ACK by its sender, that much later, and nothing else
/// changes: the wires are as busy as without.
#[test]
fn a_latency_of_hosts_comes_once_each_way() {
    let packets = 20;
    let acked = |latency: Span| {
        let mut fabric = uneven().build().unwrap();
        fabric.host_latency = latency;
        let flow = Flow::at_zero(0, 3, Bytes(4096 * packets));
        let mut plan = plan(fabric, vec![flow].into(), "ecmp", 1);
        plan.queue.size = Size::Unlimited;
        plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
        let rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
        assert_eq!(rtt, Span(2 * LATENCY + PACKET + ACK + 2 * latency.0));
        let flow = run(&plan).flows.at(0);
        (flow.delivered.unwrap().0, flow.acked.unwrap().0)
    };
    let (delivered, done) = acked(Span::ZERO);
    for latency in [1, 700_000, 3_000_000] {
        assert_eq!(acked(Span(latency)), (delivered + latency, done + 2 * latency));
    }
}
