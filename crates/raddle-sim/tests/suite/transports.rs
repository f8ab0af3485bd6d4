//! Flows with different congestion controls and recoveries on one fabric.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, hash, permutation, plan};
use crate::outside::sleeper;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Time};
use raddle_schemes::{congestion, recovery};
use raddle_sim::engine;
use raddle_sim::plan::{Connections, Overflow, Plan, Transport};
use raddle_sim::record::Stop;
use raddle_sim::workload::{Flow, Start};

fn transport(congestion: &str, recovery: &str) -> Transport {
    Transport {
        congestion: congestion::Config::named(congestion).unwrap(),
        recovery: recovery::Config::named(recovery).unwrap(),
    }
}

/// Gives `own` to every flow.
fn all_have(plan: &mut Plan, own: &Transport) {
    plan.transport.congestion = own.congestion.clone();
    plan.transport.recovery = own.recovery.clone();
}

/// Incasts in two racks that share no port.
fn two_racks() -> Plan {
    let incast = |first: u32| (1..4).map(move |i| Flow::at_zero(first + i, first, Bytes::kib(300)));
    let flows: Vec<Flow> = incast(0).chain(incast(4)).collect();
    let mut plan = plan(fat_tree(2, 32), flows.into(), "ops", 3);
    plan.queue.size = Size::Packets(20.0);
    plan
}

/// Known answer: where jobs meet nowhere, each does what it does if all flows have its transport.
#[test]
fn a_job_is_as_if_alone_where_the_other_transport_is_elsewhere() {
    let pairs = [
        [transport("cubic", "sack"), transport("dcqcn", "go_back_n")],
        [transport("eqds", "sack"), transport("mprdma_dctcp", "rnic_sr")],
        [transport("fixed_rate", "erasure"), transport("swift", "timeout_only")],
    ];
    for [first, second] in pairs {
        let mut plan = two_racks();
        plan.queue.overflow = Overflow::Trim;
        let alone = [&first, &second].map(|own| {
            let mut plan = plan.clone();
            all_have(&mut plan, own);
            engine::run(&plan, &mut ()).flows
        });
        all_have(&mut plan, &first);
        plan.transport.other_transports = vec![second.clone()];
        plan.traffic.flows[3..].iter_mut().for_each(|flow| flow.transport = 1);
        let both = engine::run(&plan, &mut ());
        for i in 0..6 {
            assert_eq!(both.flows.at(i), alone[i / 3].at(i), "{first:?} beside {second:?}, {i}");
        }
        assert_ne!(alone[0].at(3), alone[1].at(3));
        assert_eq!(trouble(&plan), None);
    }
}

/// The names of transports are no part of what happens: swapped, everything is as before.
#[test]
fn which_transport_is_that_of_all_makes_no_difference() {
    let [first, second] = [transport("cubic", "sack"), transport("dcqcn", "go_back_n")];
    let mut plan = permutation(fat_tree(2, 32), Bytes::kib(128), "ecmp", 5);
    plan.queue.size = Size::Packets(30.0);
    let run = |own: &Transport, other: &Transport, odd: u8| {
        let mut plan = plan.clone();
        all_have(&mut plan, own);
        plan.transport.other_transports = vec![other.clone()];
        for (i, flow) in (0..).zip(&mut plan.traffic.flows) {
            flow.transport = if i % 2 == 0 { 1 - odd } else { odd };
        }
        assert_eq!(trouble(&plan), None);
        hash(&engine::run(&plan, &mut ()))
    };
    assert_eq!(run(&first, &second, 1), run(&second, &first, 0));
}

/// Cubic and DCQCN fill one queue; the sleeper, from another crate, drips beside them.
#[test]
fn transports_share_a_queue_and_one_of_them_is_from_outside() {
    let flows: Vec<Flow> = (1..9).map(|i| Flow::at_zero(i, 0, Bytes::kib(200))).collect();
    let mut plan = plan(fat_tree(2, 32), flows.into(), "ops", 1);
    all_have(&mut plan, &transport("cubic", "sack"));
    let drip = sleeper::transport(recovery::Config::named("sack").unwrap());
    plan.transport.other_transports = vec![transport("dcqcn", "go_back_n"), drip];
    for (i, flow) in (0..).zip(&mut plan.traffic.flows) {
        flow.transport = i % 3;
    }
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let awake: Vec<u32> = outcome
        .timeline
        .events
        .iter()
        .filter(|event| event.2 == "sleeper: awake")
        .map(|e| e.1.0)
        .collect();
    assert!(awake.iter().all(|flow| flow % 3 == 2) && awake.contains(&2) && awake.contains(&5));
    assert!(outcome.flows.at(0).marked > 0 && outcome.flows.at(1).marked > 0);
}

/// A connection that outlives messages is one of a transport.
#[test]
fn messages_of_a_pair_go_on_where_the_last_of_their_transport_ended() {
    let message = |i: u64| Flow {
        start: Start::At(Time(i * 100_000_000)),
        ..Flow::at_zero(0, 20, Bytes::kib(256))
    };
    let mut plan = plan(fat_tree(2, 32), (0..4).map(message).collect::<Vec<_>>().into(), "reps", 1);
    plan.transport.connections = Connections::Pair;
    all_have(&mut plan, &transport("cubic", "sack"));
    let run = |plan: &Plan| {
        assert_eq!(trouble(plan), None);
        let outcome = engine::run(plan, &mut ());
        let times =
            outcome.flows.iter().map(|flow| flow.acked.unwrap().since(flow.started.unwrap()));
        times.collect::<Vec<_>>()
    };
    let same = run(&plan);
    plan.transport.other_transports = vec![transport("cubic", "sack")];
    plan.traffic.flows.iter_mut().skip(1).step_by(2).for_each(|flow| flow.transport = 1);
    let apart = run(&plan);
    // The second message of either connection is as the second of the only one.
    assert_eq!((apart[0], apart[2]), (same[0], same[1]));
    assert_eq!(apart[1], same[0]);
}
