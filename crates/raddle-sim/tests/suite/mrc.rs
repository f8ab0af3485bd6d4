//! MRC over planes: what runs come to where links and ports die, in both engines.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{plan, sent};
use raddle_schemes::load_balance::host::mrc::{Config, PortStatus};
use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{congestion, recovery};
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{Overflow, Plan};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

const PLANES: u32 = 4;

/// Every host of four leaves with four hosts and four spines sends to the one five further on, or both of
/// two neighbours to each other.
fn ring(bytes: u64, config: &Config) -> Plan {
    over_planes((0..16).map(|i| Flow::at_zero(i, (i + 5) % 16, Bytes(bytes))).collect(), config)
}

fn over_planes(flows: Vec<Flow>, config: &Config) -> Plan {
    let delay = Span::ns(500);
    let shape = TreeShape::leaf_spine(4, 4, 4, 1, Rate::gbps(100), delay, delay).unwrap();
    let fabric = shape.build().unwrap().in_planes(PLANES).unwrap();
    let mut plan = plan(fabric, flows.into(), "ops", 1);
    plan.queue.overflow = Overflow::Trim;
    plan.switch_load_balance = switch::Config::named("source_route").unwrap();
    let transport = &mut plan.transport;
    transport.load_balance = host::Config::Mrc(config.clone());
    transport.plane = plane::Config::named("round_robin").unwrap();
    transport.congestion = congestion::Config::named("nscc").unwrap();
    transport.recovery = recovery::Config::named("mrc").unwrap();
    plan
}

/// The link out of a port is down, both ways, for this time in us.
fn cut(plan: &mut Plan, name: &str, from: u64, until: Option<u64>) {
    let at = |us: u64| Time(us * 1_000_000);
    let target = Target::Link { name: name.to_owned(), direction: Direction::Both };
    let windows = vec![(at(from), until.map(at))];
    let faults = vec![Fault { target, effect: Effect::Down, windows }];
    let faults = FaultPlan { faults, ..FaultPlan::default() };
    let resolved = faults.resolve(&plan.fabric, &[], plan.seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
}

/// Runs a plan in the fast engine, after both have agreed.
fn run(plan: &Plan) -> Outcome {
    plan.check_limits().unwrap();
    if let Some(trouble) = trouble(plan) {
        panic!("{trouble}");
    }
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

fn events(outcome: &Outcome, name: &str) -> Vec<u64> {
    let own = outcome.timeline.events.iter().filter(|event| event.2 == name);
    own.map(|event| event.0.0 / 1_000_000).collect()
}

fn dropped(outcome: &Outcome) -> u64 {
    outcome.flows.iter().map(|flow| flow.dropped).sum()
}

#[test]
fn each_of_many_flows_of_a_host_takes_all_planes() {
    // Twelve flows for four wires: the line of a wire is never empty.
    let flows = (4..16).map(|to| Flow::at_zero(0, to, Bytes(1 << 20))).collect();
    let plan = over_planes(flows, &Config::default());
    let outcome = run(&plan);
    for leaf in 1..4 {
        for plane in 0..PLANES {
            // 256 packets to each host, over four planes.
            let down = sent(&plan, &outcome, &format!("p{plane}.tor{leaf}.down"));
            let fair = down.iter().all(|&packets| packets.abs_diff(64) <= 16);
            assert!(fair, "p{plane}.tor{leaf}: {down:?}");
        }
    }
}

#[test]
fn packets_take_all_planes_and_paths_alike() {
    let outcome = run(&ring(2 << 20, &Config::default()));
    let plan = ring(2 << 20, &Config::default());
    // 16 x 512 packets over 4 planes of 4 leaves with 4 uplinks each.
    for plane in 0..PLANES {
        for leaf in 0..4 {
            let uplinks = sent(&plan, &outcome, &format!("p{plane}.tor{leaf}.up"));
            let fair = uplinks.iter().all(|&packets| packets.abs_diff(128) <= 8);
            assert!(fair, "p{plane}.tor{leaf}: {uplinks:?}");
        }
    }
    // 2 MiB at 400 Gbps with headers are 42.6 us, there and back 9.
    assert!(outcome.end < Time(54_000_000), "{:?}", outcome.end);
}

/// Specification, a path that dies: its values are retired, and no switch repairs anything.
#[test]
fn a_dead_cable_costs_few_packets_and_is_left_at_once() {
    let mut plan = ring(4 << 20, &Config::default());
    let healthy = run(&plan).end;
    cut(&mut plan, "p1.tor0.up2", 20, None);
    let outcome = run(&plan);
    let retired = events(&outcome, "mrc: retire");
    // Four flows go up that cable, four come down it.
    assert_eq!(retired.len(), 8, "{retired:?}");
    assert!(retired.iter().all(|&us| us < 60), "{retired:?}");
    // Eight flows of 0.75 packets a microsecond on each value, for a round trip and 1.5 windows.
    assert!(dropped(&outcome) < 8 * 24, "{}", dropped(&outcome));
    assert_eq!(outcome.flows.iter().map(|flow| flow.timeouts).sum::<u64>(), 0);
    // The plane keeps its share, and has three of four uplinks left at that leaf.
    let slowest = 20_000_000 + (healthy.0 - 20_000_000) * 4 / 3;
    assert!(outcome.end.0 < slowest, "{:?} {healthy:?}", outcome.end);
}

/// Probes go on while the cable is down, and three answers bring its values back.
#[test]
fn a_cable_that_is_back_is_used_again() {
    let config = Config { probe_interval: Some(Span::us(10)), ..Config::default() };
    let mut plan = ring(6 << 20, &config);
    cut(&mut plan, "p1.tor0.up2", 20, Some(50));
    let outcome = run(&plan);
    let (retired, revived) = (events(&outcome, "mrc: retire"), events(&outcome, "mrc: revive"));
    assert_eq!((retired.len(), revived.len()), (8, 8), "{retired:?} {revived:?}");
    // Three probes, 10 us apart, the first of them up to 10 us after the cable is up.
    assert!(revived.iter().all(|us| (70..100).contains(us)), "{revived:?}");
    // It carries what its neighbours carry but for about 60 of 130 us.
    let uplinks = sent(&plan, &outcome, "p1.tor0.up");
    assert!(uplinks[2] > uplinks[0] / 3 && uplinks[2] < uplinks[0], "{uplinks:?}");
}

/// Its host says so, and half an unloaded round trip later nothing goes there any more.
#[test]
fn a_peer_tells_of_its_dead_port() {
    let flows = || vec![Flow::at_zero(0, 1, Bytes(8 << 20)), Flow::at_zero(1, 0, Bytes(8 << 20))];
    let mut plan = over_planes(flows(), &Config::default());
    let healthy = run(&plan);
    cut(&mut plan, "host1.up3", 50, None);
    let told = run(&plan);
    plan.transport.load_balance =
        host::Config::Mrc(Config { port_status: PortStatus::Off, ..Config::default() });
    let untold = run(&plan);
    // What was on its way, and what left until the word came: 1.6 us of 24 packets a microsecond.
    assert!((1..12).contains(&dropped(&told)), "{}", dropped(&told));
    assert!(dropped(&untold) > 2 * dropped(&told), "{}", dropped(&untold));
    // Three of four ports carry what is left.
    let left = (healthy.end.0 - 50_000_000) * 4 / 3;
    assert!(told.end.0 < 50_000_000 + left * 105 / 100, "{:?} {:?}", told.end, healthy.end);
    // Its own dead port retires nothing but what was lost in it.
    assert!(events(&told, "mrc: retire").len() <= 2);
}

/// What goes on until then is lost.
#[test]
fn a_host_may_be_slow_to_go_by_that_word() {
    let lost = |remap_delay| {
        let flows = vec![Flow::at_zero(0, 1, Bytes(8 << 20)), Flow::at_zero(1, 0, Bytes(8 << 20))];
        let own = Config { remap_delay, min_active: 1.0, ..Config::default() };
        let mut plan = over_planes(flows, &own);
        cut(&mut plan, "host1.up3", 50, None);
        dropped(&run(&plan))
    };
    let (at_once, later) = (lost(Span(0)), lost(Span::us(10)));
    // A quarter of 12.5 packets a microsecond.
    assert!(later > at_once + 15 && later < at_once + 60, "{at_once} {later}");
}

/// Without source routes a value is a hash, and some may share a path.
#[test]
fn switches_may_hash_the_values() {
    let mut plan = ring(4 << 20, &Config::default());
    plan.switch_load_balance = switch::Config::named("ecmp").unwrap();
    cut(&mut plan, "p1.tor0.up2", 20, None);
    let outcome = run(&plan);
    assert!(!events(&outcome, "mrc: retire").is_empty());
}

/// A message of 50 packets, whose last ones are lost at the destination's port in one plane.
fn with_a_lost_tail(change: impl FnOnce(&mut recovery::mrc::Config)) -> Plan {
    let mut plan = over_planes(vec![Flow::at_zero(0, 5, Bytes(50 * 4096))], &Config::default());
    let mut own = recovery::mrc::Config { rto: Some(Span::us(200)), ..Default::default() };
    change(&mut own);
    plan.transport.recovery = recovery::Config::Mrc(own);
    // One plane would be left at once: the peer tells of its port.
    plan.transport.load_balance =
        host::Config::Mrc(Config { port_status: PortStatus::Off, ..Config::default() });
    cut(&mut plan, "host5.up1", 5, Some(9));
    plan
}

/// Specification, tail probe.
#[test]
fn a_probe_finds_a_lost_tail_long_before_its_timeout() {
    let probed = run(&with_a_lost_tail(|_| {}));
    let waiting = run(&with_a_lost_tail(|own| own.tail = 0.0));
    let timeouts = |outcome: &Outcome| outcome.flows.at(0).timeouts;
    assert!(dropped(&probed) > 0 && timeouts(&probed) == 0, "{:?}", probed.flows.at(0));
    assert!(timeouts(&waiting) > 0, "{:?}", waiting.flows.at(0));
    assert!(probed.end.0 * 3 / 2 < waiting.end.0, "{:?} {:?}", probed.end, waiting.end);
    // What was lost goes again, and little else.
    assert!(probed.flows.at(0).retransmitted <= dropped(&probed) + 2, "{:?}", probed.flows.at(0));
}

/// Specification, retry limits: the flow ends, and says why.
#[test]
fn a_message_is_given_up_after_its_last_retry() {
    let mut plan = with_a_lost_tail(|own| {
        (own.rto, own.linear, own.exponential) = (Some(Span::us(20)), Some(1), 1);
    });
    cut(&mut plan, "host5.up*", 5, None);
    plan.check_limits().unwrap();
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert!(matches!(outcome.stop, Stop::Stalled(_)), "{:?}", outcome.stop);
    let record = outcome.flows.at(0);
    assert!(record.gave_up && record.timeouts > 0, "{record:?}");
}
