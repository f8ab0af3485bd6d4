//! Hosts that name the route of each packet: HOST DR (LB study spec, section 2.6).
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use raddle_schemes::family::Raw;
use raddle_schemes::load_balance::switch;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};
use raddle_sim::{check, engine};

const PAYLOAD: u64 = 4096;

/// A 4-ary fat tree whose hosts rotate: host 0 is under `tor0` with host 1, in one pod with 2 and 3.
fn rotating(flows: Vec<Flow>) -> Plan {
    let shape = TreeShape::fat_tree(3, 16, Rate::gbps(800), Span::ns(500), Span::ZERO).unwrap();
    let mut plan = crate::common::plan(shape.build().unwrap(), flows.into(), "host_dr", 1);
    plan.switch_load_balance = switch::Config::named("source_route").unwrap();
    plan
}

fn packets(from: u32, to: u32, packets: u64) -> Flow {
    Flow::at_zero(from, to, Bytes(packets * PAYLOAD))
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(check::violations(plan, &outcome), Vec::<String>::new());
    outcome
}

/// Data packets and other frames that left the ports whose names begin with one of these.
fn left(plan: &Plan, outcome: &Outcome, names: &[&str]) -> Vec<(u64, u64)> {
    let of = |name: &&str| {
        let ports = plan.fabric.ports.iter().zip(&outcome.ports);
        let own = ports.filter(|(port, _)| port.name.starts_with(&format!("{name}.")));
        own.fold((0, 0), |(data, other), (_, record)| {
            (data + record.data_frames, other + record.frames - record.data_frames)
        })
    };
    names.iter().map(of).collect()
}

const CORES: [&str; 4] = ["core0", "core1", "core2", "core3"];

/// LB study spec, acceptance 9; its ACKs rotate by themselves.
#[test]
fn eight_packets_to_another_pod_cross_each_core_twice_and_so_do_their_acks() {
    let plan = rotating(vec![packets(0, 15, 8)]);
    assert_eq!(left(&plan, &run(&plan), &CORES), [(2, 2); 4]);
}

/// LB study spec, acceptance 9.
#[test]
fn four_packets_within_a_pod_cross_each_aggregation_switch_twice() {
    let plan = rotating(vec![packets(0, 2, 4)]);
    let outcome = run(&plan);
    assert_eq!(left(&plan, &outcome, &["agg0", "agg1"]), [(2, 2); 2]);
    assert_eq!(left(&plan, &outcome, &CORES), [(0, 0); 4]);
}

#[test]
fn below_one_edge_switch_there_is_no_route_to_choose() {
    let plan = rotating(vec![packets(0, 1, 4)]);
    let outcome = run(&plan);
    assert_eq!(left(&plan, &outcome, &["tor0", "agg0", "agg1"]), [(4, 4), (0, 0), (0, 0)]);
}

#[test]
fn flows_of_a_host_to_one_destination_share_its_pointer() {
    let plan = rotating(vec![packets(0, 15, 3), packets(0, 15, 1)]);
    assert_eq!(left(&plan, &run(&plan), &CORES), [(1, 1); 4]);
    // Those of another host have their own, which starts anywhere.
    let cores = |seed| {
        let mut plan = rotating((0..8).map(|from| packets(from, 15, 1)).collect());
        plan.seed = seed;
        left(&plan, &run(&plan), &CORES)
    };
    assert_ne!(cores(1), cores(2));
}

/// Two flows of 24 packets, one at time zero and one after 200 us, by hosts that know what is down as
/// `knows` says; one of four ways is down for the time given, and switches never hear of it, or after
/// a while.
fn across_a_dead_link(
    knows: &str,
    window: (Time, Option<Time>),
    convergence: Option<Span>,
) -> Outcome {
    let second = Flow { start: Start::At(Time::ZERO + Span::us(200)), ..packets(0, 15, 24) };
    let mut plan = rotating(vec![packets(0, 15, 24), second]);
    plan.transport.load_balance.set("knows", Raw::Text(knows)).unwrap();
    let name = "agg7.up1".to_owned();
    let faults = FaultPlan {
        faults: vec![Fault {
            target: Target::Link { name, direction: Direction::Both },
            effect: Effect::Down,
            windows: vec![window],
        }],
        convergence,
        hosts_know: plan.transport.hosts_know(),
        ..FaultPlan::default()
    };
    let resolved = faults.resolve(&plan.fabric, &[], 1).unwrap();
    plan.faults = resolved.faults;
    (plan.routes, plan.known_routes) = (resolved.routes, resolved.known_routes);
    run(&plan)
}

/// Until routing has converged, a quarter of the packets is lost; after that none is.
#[test]
fn once_routing_has_converged_only_switches_that_both_ends_reach_have_turns() {
    let outcome = across_a_dead_link("converged", (Time::ZERO, None), Some(Span::us(100)));
    let flows = &outcome.flows;
    assert!(flows.at(0).dropped >= 6, "{:?}", flows.at(0));
    assert_eq!((flows.at(1).dropped, flows.at(1).sent), (0, 24));
}

/// LB study, section 6.1: hosts have full knowledge of the topology, whatever switches know.
#[test]
fn a_host_that_knows_at_once_sends_nothing_to_dead_links() {
    let outcome = across_a_dead_link("at_once", (Time::ZERO, None), None);
    for flow in 0..2 {
        let flow = outcome.flows.at(flow);
        assert_eq!((flow.dropped, flow.sent), (0, 24));
    }
    // What is on its way when the link goes down is lost, and its turn comes again when it is up.
    let down = (Time::ZERO + Span::us(201), Some(Time::ZERO + Span::us(300)));
    let outcome = across_a_dead_link("at_once", down, None);
    let lost = outcome.flows.at(1).dropped;
    assert!((1..=6).contains(&lost), "{lost}");
}
