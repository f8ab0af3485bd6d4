//! Connections that outlive messages (docs/design/0011).
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, permutation};
use raddle_schemes::load_balance::host;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{Connections, Overflow, Plan};
use raddle_sim::record::Outcome;
use raddle_sim::workload::{Flow, Start};
use raddle_sim::{check, engine};

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(check::violations(plan, &outcome), Vec::<String>::new());
    outcome
}

const MS: u64 = 1_000_000_000;

/// Messages of 256 KiB from host 0 to host 7, one every `gap` ps, on 16 hosts below 4 ToRs with 4
/// uplinks each.
fn messages(count: u64, gap: u64, scheme: &str, connections: Connections) -> Plan {
    let message = |i| {
        let start = Start::At(Time(i * gap));
        Flow { start, ..Flow::at_zero(0, 7, Bytes::kib(256)) }
    };
    let flows: Vec<Flow> = (0..count).map(message).collect();
    let mut plan = crate::common::plan(fat_tree(2, 16), flows.into(), scheme, 1);
    plan.transport.connections = connections;
    plan
}

/// `tor0.up1` loses every data packet.
fn with_dead_uplink(mut plan: Plan) -> Plan {
    let target = Target::Link { name: "tor0.up1".to_owned(), direction: Direction::Out };
    let fault = Fault { target, effect: Effect::Down, windows: vec![(Time::ZERO, None)] };
    let faults = FaultPlan { faults: vec![fault], ..FaultPlan::default() };
    plan.faults = faults.resolve(&plan.fabric, &[], plan.seed).unwrap().faults;
    // Any timeout freezes.
    plan.queue.overflow = Overflow::Trim;
    plan
}

fn lost(plan: &Plan) -> Vec<u64> {
    run(plan).flows.iter().map(|flow| flow.dropped).collect()
}

/// Data packets that left the uplinks of the first ToR.
fn over_uplinks(plan: &Plan) -> Vec<u64> {
    let outcome = run(plan);
    let ports = plan.fabric.ports.iter().zip(&outcome.ports);
    let up = ports.filter(|(port, _)| port.name.starts_with("tor0.up"));
    up.map(|(_, record)| record.data_frames).collect()
}

#[test]
fn what_one_message_learned_of_a_dead_path_the_next_ones_know() {
    let plan = |connections| with_dead_uplink(messages(4, MS, "reps", connections));
    let anew = lost(&plan(Connections::Message));
    assert!(anew.iter().all(|&lost| lost > 0), "{anew:?}");
    let kept = lost(&plan(Connections::Pair));
    assert_eq!((kept[0], &kept[1..]), (anew[0], &[0; 3][..]), "{anew:?}");
}

#[test]
fn every_message_of_a_pair_is_hashed_alike() {
    let used = |connections| {
        let packets = over_uplinks(&messages(12, 0, "ecmp", connections));
        packets.iter().filter(|&&packets| packets > 0).count()
    };
    assert_eq!(used(Connections::Pair), 1);
    assert!(used(Connections::Message) > 2);
}

#[test]
fn queue_pairs_have_paths_of_their_own_and_keep_them() {
    let spread = |count| {
        let mut plan = messages(count, MS, "ecmp", Connections::Pair);
        plan.traffic.flows.iter_mut().for_each(|flow| flow.qps = 4);
        plan.cut_messages(None).unwrap();
        plan
    };
    let one = over_uplinks(&spread(1));
    assert!(one.iter().filter(|&&packets| packets > 0).count() > 1, "{one:?}");
    let six: Vec<u64> = one.iter().map(|packets| 6 * packets).collect();
    assert_eq!(over_uplinks(&spread(6)), six);
    // Results tell of messages.
    let plan = spread(6);
    let outcome = run(&plan);
    let (plan, outcome) = outcome.of_messages(plan);
    assert_eq!(plan.traffic.flows.len(), 6);
    assert!(outcome.flows.iter().all(|message| message.sent == 64));
}

#[test]
fn a_connection_is_of_one_path_selector_and_one_class() {
    let plan = |change: &dyn Fn(&mut Flow)| {
        let mut plan = with_dead_uplink(messages(2, MS, "reps", Connections::Pair));
        plan.transport.other_load_balances = vec![host::Config::named("reps").unwrap()];
        plan.queue.classes = 2;
        change(&mut plan.traffic.flows[1]);
        lost(&plan)[1]
    };
    assert_eq!(plan(&|_| {}), 0);
    assert!(plan(&|flow| flow.load_balance = 1) > 0);
    assert!(plan(&|flow| flow.class = 1) > 0);
}

/// The first is still under way when the second starts: that one finds nothing. The third finds what
/// the two have left, and so do the next two, at once.
#[test]
fn messages_under_way_at_once_begin_with_what_the_last_one_to_end_has_left() {
    let mut plan = with_dead_uplink(messages(5, MS, "reps", Connections::Pair));
    for (flow, at) in plan.traffic.flows.iter_mut().zip([0, 1_000_000, MS, 2 * MS, 2 * MS]) {
        flow.start = Start::At(Time(at));
    }
    let lost = lost(&plan);
    assert!(lost[..2].iter().all(|&lost| lost > 0), "{lost:?}");
    assert_eq!(lost[2..], [0; 3]);
}

#[test]
fn where_no_pair_has_two_messages_nothing_changes() {
    for scheme in host::SCHEMES.iter().filter(|scheme| scheme.card.name != "host_dr") {
        let mut plan = permutation(fat_tree(3, 16), Bytes::kib(256), scheme.card.name, 1);
        let expected = run(&plan);
        plan.transport.connections = Connections::Pair;
        assert!(run(&plan) == expected, "{}", scheme.card.name);
    }
}
