//! Messages on planned paths, in pieces: Ethereal (its spec, sections 2 and 6).
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use proptest::prelude::*;
use raddle_schemes::family::Raw;
use raddle_schemes::ids::{FlowId, SwitchId};
use raddle_schemes::load_balance::route::first_hop;
use raddle_schemes::load_balance::switch;
use raddle_schemes::planner::{self, ethereal};
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{Connections, Overflow, PairOrder, Plan, Turns};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::all_to_all::{AllToAll, Order};
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_sim::{check, engine};
use std::collections::BTreeMap;

fn leaf_spine(leaves: u32, hosts_per_leaf: u32, spines: u32) -> Fabric {
    let shape = TreeShape {
        tiers: 2,
        hosts: leaves * hosts_per_leaf,
        hosts_per_tor: hosts_per_leaf,
        tors_per_pod: leaves,
        aggs_per_pod: spines,
        cores: 0,
        parallel: [1, 1],
        rates: [Rate::gbps(100); 3],
        delays: [Span::ns(500); 3],
        switch_delays: [Span::ZERO; 3],
    };
    shape.build().unwrap()
}

/// Planned by Ethereal, as it is by default.
fn planned(fabric: Fabric, traffic: Traffic, change: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = crate::common::plan(fabric, traffic, "planned", 1);
    plan.switch_load_balance = switch::Config::named("source_route").unwrap();
    plan.transport.payload = Bytes(1_000);
    plan.transport.header = Bytes(48);
    change(&mut plan);
    plan.cut_messages(Some(&planner::Config::Ethereal(ethereal::Config::default()))).unwrap();
    plan
}

/// Bytes and pieces on the link from each leaf to each spine, and from each spine to each leaf, by
/// the spine's number.
type Loads = BTreeMap<(SwitchId, u8), (u64, u32)>;

fn loads(plan: &Plan) -> [Loads; 2] {
    let pieces = plan.traffic.pieces.as_deref().unwrap();
    let mut loads = [Loads::new(), Loads::new()];
    for (id, flow) in (0..).map(FlowId).zip(&plan.traffic.flows) {
        let Some(path) = pieces.path(id) else { continue };
        let ends = [pieces.leaf(flow.source), pieces.leaf(flow.destination)];
        for (loads, leaf) in loads.iter_mut().zip(ends) {
            let load = loads.entry((leaf, first_hop(path))).or_default();
            *load = (load.0 + flow.bytes.0, load.1 + 1);
        }
    }
    loads
}

/// Acceptance 4.
#[test]
fn in_an_all_to_all_each_link_of_the_core_carries_as_many_flows_and_none_is_split() {
    let all = AllToAll { message: Bytes(16_000), order: Order::Shifted, in_flight: None };
    let plan = planned(leaf_spine(16, 16, 16), all.generate(256, 1).unwrap(), |_| {});
    assert_eq!(plan.traffic.flows.len(), 65_280);
    assert_eq!(plan.traffic.pieces.as_ref().unwrap().split(), 0);
    for loads in loads(&plan) {
        assert_eq!(loads.len(), 256);
        assert!(loads.values().all(|&(_, flows)| flows == 240));
    }
}

/// Four channels from each host to the one so many hosts on.
fn ring(hosts: u32, next: u32, bytes: u64) -> Traffic {
    let channel = |n: u32| Flow::at_zero(n / 4, (n / 4 + next) % hosts, Bytes(bytes));
    (0..4 * hosts).map(channel).collect::<Vec<_>>().into()
}

/// Acceptance 3.
#[test]
fn a_ring_of_four_channels_has_sixteen_queue_pairs_at_each_host() {
    let plan = planned(leaf_spine(16, 16, 16), ring(256, 16, 1 << 20), |_| {});
    assert_eq!(plan.traffic.flows.len(), 256 * 16);
    assert!(plan.traffic.flows.iter().all(|flow| flow.bytes == Bytes(262_144)));
    for loads in loads(&plan) {
        assert!(loads.values().all(|&load| load == (16 * 262_144, 16)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Theorem 4 (acceptance 5): messages of one size per source, to other leaves: no link of the core
    /// carries more than under ideal spraying, but for a byte a piece.
    #[test]
    fn links_carry_what_they_would_under_ideal_spraying(
        leaves in 2_u32..5,
        hosts_per_leaf in 1_u32..4,
        spines in 1_u32..17,
        seed in any::<u64>(),
    ) {
        let fabric = leaf_spine(leaves, hosts_per_leaf, spines);
        let mut rng = Rng::new(seed, "demand", 0);
        let mut flows = Vec::new();
        let mut ideal = [(); 2].map(|()| BTreeMap::<u32, u64>::new());
        for source in 0..fabric.hosts {
            let bytes = 16_000 + rng.below(50_000);
            for leaf in (0..leaves).filter(|leaf| *leaf != source / hosts_per_leaf) {
                for _ in 0..rng.below(2 * u64::from(spines) + 2) {
                    let to = leaf * hosts_per_leaf + rng.below(hosts_per_leaf.into()) as u32;
                    flows.push(Flow::at_zero(source, to, Bytes(bytes)));
                    *ideal[0].entry(source / hosts_per_leaf).or_default() += bytes;
                    *ideal[1].entry(leaf).or_default() += bytes;
                }
            }
        }
        rng.shuffle(&mut flows);
        let plan = planned(fabric, flows.into(), |plan| plan.seed = seed);
        for (loads, ideal) in loads(&plan).into_iter().zip(&ideal) {
            for ((leaf, _), (bytes, pieces)) in loads {
                let ideal = ideal[&leaf.0] as f64 / f64::from(spines);
                prop_assert!((bytes as f64 - ideal).abs() <= f64::from(pieces));
            }
        }
    }
}

/// Runs a plan in all ways, and tells of messages.
fn run(plan: Plan) -> Outcome {
    assert_eq!(trouble(&plan), None);
    let (messages, outcome) = engine::run(&plan, &mut ()).of_messages(plan);
    assert_eq!(check::violations(&messages, &outcome), Vec::<String>::new());
    outcome
}

#[test]
fn a_message_completes_with_its_last_piece() {
    let plan = planned(leaf_spine(2, 4, 4), ring(8, 4, 40_000), |_| {});
    let each = engine::run(&plan, &mut ()).flows;
    let outcome = run(plan.clone());
    assert_eq!((outcome.flows.len(), each.len(), &outcome.stop), (32, 32, &Stop::Completed));
    let uneven = planned(leaf_spine(2, 4, 8), ring(8, 4, 40_000), |_| {});
    let outcome = run(uneven);
    let pieces = outcome.pieces.as_deref().unwrap();
    assert_eq!((outcome.flows.len(), pieces.records.len()), (32, 64));
    for (message, record) in outcome.flows.iter().enumerate() {
        let own = pieces.traffic.pieces.as_deref().unwrap().of(message);
        let own = pieces.records.range(own.start as usize..own.end as usize);
        assert_eq!(own.clone().map(|piece| piece.sent).sum::<u64>(), record.sent);
        assert_eq!(own.map(|piece| piece.acked).max().unwrap(), record.acked);
        assert_eq!(record.sent, 40);
    }
}

/// Two messages after each other: the second batch is planned by itself, and starts when all pieces of
/// the first message have had their last ACKs.
#[test]
fn what_waits_for_a_message_waits_for_all_of_its_pieces() {
    let mut flows = vec![Flow::at_zero(0, 4, Bytes(100_000)), Flow::at_zero(0, 5, Bytes(50_000))];
    flows[0].on_acked = Some(TriggerId::new(0));
    flows[1].start = Start::WHEN_TRIGGERED;
    let kind = TriggerKind::All { count: 1 };
    let triggers = vec![Trigger::new(kind, vec![FlowId(1)])];
    let traffic = Traffic { flows, triggers, ..Traffic::default() };
    let plan = planned(leaf_spine(2, 4, 4), traffic, |_| {});
    assert_eq!(plan.traffic.flows.len(), 8);
    let outcome = run(plan);
    assert_eq!(outcome.flows.at(1).started, outcome.flows.at(0).acked);
}

/// Every host to every other, three messages at a time.
#[test]
fn messages_that_follow_one_another_are_batches_of_their_own() {
    let all = AllToAll { message: Bytes(8_000), order: Order::Shifted, in_flight: Some(2) };
    let plan = planned(leaf_spine(2, 3, 4), all.generate(6, 1).unwrap(), |_| {});
    let pieces = plan.traffic.pieces.clone().unwrap();
    for (message, flow) in pieces.messages.flows.iter().enumerate() {
        let same_leaf = pieces.leaf(flow.source) == pieces.leaf(flow.destination);
        let count = pieces.of(message).len();
        assert!(if same_leaf { count == 1 } else { count == 2 || count == 4 }, "{count}");
    }
    assert_eq!(run(plan).stop, Stop::Completed);
}

/// Acceptance 15: one of four spines is cut off from a leaf while messages are on their way.
#[test]
fn flows_leave_a_dead_spine_and_do_not_come_back() {
    let mut plan = planned(leaf_spine(2, 4, 4), ring(8, 4, 200_000), |plan| {
        // Long queues, so that nothing else gets lost, and a timeout beyond them.
        plan.queue.size = Size::Packets(2_000.0);
        plan.transport.recovery.set("rto", Raw::Text("300 us")).unwrap();
        plan.record.bucket = Span::us(10);
    });
    let target = Target::Link { name: "tor0.up1".to_owned(), direction: Direction::Both };
    let windows = vec![(Time::ZERO + Span::us(20), None)];
    let faults = FaultPlan {
        faults: vec![Fault { target, effect: Effect::Down, windows }],
        ..FaultPlan::default()
    };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let pieces = plan.traffic.pieces.as_deref().unwrap();
    let mut moved: Vec<FlowId> =
        outcome.timeline.events.iter().map(|&(_, flow, ..)| flow).collect();
    moved.sort_unstable();
    let dead = plan.fabric.port_named("tor0.up1").unwrap();
    let digit = dead.0 - plan.fabric.switches[0].ports.start;
    let flows = (0..plan.traffic.flows.len() as u32).map(FlowId);
    // One flow of each host, whichever end of its path is cut; each moves once.
    let on_it = |flow: &FlowId| u32::from(first_hop(pieces.path(*flow).unwrap())) == digit;
    assert_eq!(moved, flows.filter(on_it).collect::<Vec<_>>());
    assert_eq!(moved.len(), 8);
    // What each had sent before its first timeout, at most: a window, not its message again and again.
    let most = outcome.flows.iter().map(|flow| flow.dropped).max();
    assert!(most <= Some(100), "{most:?}");
}

#[test]
fn trimmed_packets_move_flows_in_both_engines() {
    let incast =
        (0..12).map(|n| Flow::at_zero(4 + n % 4, n % 2, Bytes(60_000))).collect::<Vec<_>>();
    let plan = planned(leaf_spine(2, 4, 2), incast.into(), |plan| {
        plan.queue.overflow = Overflow::Trim;
        plan.queue.size = Size::Packets(4.0);
    });
    let outcome = run(plan);
    assert_eq!(outcome.stop, Stop::Completed);
    assert!(outcome.timeline.events.iter().any(|(.., name)| name == "ethereal: reroute"));
}

/// Randomised places and starts, pairs in order, connections that go on.
#[test]
fn planned_paths_go_with_all_that_hosts_may_do() {
    for &turns in Turns::ALL {
        let plan = planned(leaf_spine(2, 4, 8), ring(8, 4, 30_000), |plan| {
            plan.transport.turns = turns;
            plan.transport.phase = Span::ns(500);
            plan.transport.pair_order = PairOrder::Fifo;
            plan.transport.connections = Connections::Pair;
        });
        assert_eq!(run(plan).stop, Stop::Completed);
    }
}

/// The repeated incast of an all-to-all that every host begins at rank 0 (spec, item 8): random places
/// spread it.
#[test]
fn random_places_in_the_turn_spread_an_incast() {
    let hosts = 64_u32;
    let all = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to)));
    let flows = all.filter(|(from, to)| from != to);
    let flows: Vec<Flow> = flows.map(|(a, b)| Flow::at_zero(a, b, Bytes(16_000))).collect();
    let longest = |turns| {
        let plan = planned(leaf_spine(8, 8, 8), flows.clone().into(), |plan| {
            plan.transport.turns = turns;
            plan.queue.size = Size::Unlimited;
        });
        let outcome = engine::run(&plan, &mut ());
        outcome.ports.iter().map(|port| port.queue_bytes_max).max().unwrap()
    };
    let (rank, placed) = (longest(Turns::RoundRobin), longest(Turns::RandomPlace));
    assert!(2 * rank > 3 * placed, "{rank} {placed}");
}
