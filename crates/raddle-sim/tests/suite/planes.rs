//! Hosts with a port in each of several planes: what runs must come to, worked out by hand or taken
//! from fabrics of one plane.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion::{self, fixed_rate, fixed_rate::Pace};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::load_balance::plane::{self, PlaneContext, Planes};
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::rng::stream;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{marking, tor};
use raddle_sim::bound::ideals;
use raddle_sim::bound::rho_max::NoRhoMax;
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, FlowRecord, Outcome, Stop};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};

const RATE: Rate = Rate::gbps(400);
/// What a full packet of 4160 B takes on a link.
const PACKET: u64 = 83_200;

/// Runs a plan in the fast engine, after both have agreed.
fn run(plan: &Plan) -> Outcome {
    plan.check_limits().unwrap();
    if let Some(trouble) = trouble(plan) {
        panic!("{trouble}");
    }
    engine::run(plan, &mut ())
}

/// Leaves of four hosts.
fn leaf_spine(leaves: u32, spines: u32, planes: u32) -> Fabric {
    let delay = Span::ns(500);
    let shape = TreeShape::leaf_spine(leaves, 4, spines, 1, RATE, delay, delay).unwrap();
    shape.build().unwrap().in_planes(planes).unwrap()
}

fn in_planes(planes: u32, flows: Vec<Flow>, selector: &str) -> Plan {
    let mut plan = plan(leaf_spine(2, 1, planes), flows.into(), "ops", 1);
    plan.transport.plane = plane::Config::named(selector).unwrap();
    plan
}

/// At line rate, of one port or of all that a flow may take, into queues with room for all of it.
fn at_line_rate(plan: &mut Plan) {
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Packets(2_000.0);
    plan.queue.marking = marking::Config::named("none").unwrap();
}

/// The plane that a flow's hash names.
fn plane_of(plan: &Plan, flow: u32) -> u32 {
    let context = PlaneContext {
        planes: plan.fabric.planes,
        stream: stream(plan.seed, "plane", flow.into()),
    };
    let planes = Planes { usable: (1 << plan.fabric.planes) - 1, waiting: &|_| 0 };
    plane::Config::named("hash").unwrap().build(&context).next_plane(&planes)
}

/// What goes wrong with the link out of a port, or with both.
fn cut(plan: &mut Plan, port: &str, direction: Direction, window: (u64, Option<u64>)) {
    let target = Target::Link { name: port.to_owned(), direction };
    let windows = vec![(Time(window.0), window.1.map(Time))];
    let faults = vec![Fault { target, effect: Effect::Down, windows }];
    resolve(plan, FaultPlan { faults, ..FaultPlan::default() });
}

fn resolve(plan: &mut Plan, faults: FaultPlan) {
    let resolved = faults.resolve(&plan.fabric, &[], plan.seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
}

fn port(plan: &Plan, name: &str) -> PortId {
    plan.fabric.port_named(name).unwrap()
}

#[test]
fn two_planes_by_hash_are_two_fabrics_of_half_the_flows_each() {
    // Several flows of each host, on one path each; nothing happens at two ports at one instant.
    let flows: Vec<Flow> = (0..24)
        .map(|i| {
            let start = Start::At(Time(u64::from(i) * 1_234_567 + 1));
            let bytes = Bytes(100_000 + 37_813 * u64::from(i));
            Flow { start, ..Flow::at_zero(i % 8, (i % 8 + 3 + i / 8) % 8, bytes) }
        })
        .collect();
    let mut both = in_planes(2, flows.clone(), "hash");
    let marking = marking::step::Config { threshold: Size::Packets(2.0) };
    both.queue.marking = marking::Config::Step(marking);
    let planes: Vec<u32> = (0..24).map(|flow| plane_of(&both, flow)).collect();
    assert!(planes.contains(&0) && planes.contains(&1));
    let outcome = run(&both);
    for which in 0..2 {
        let own = || (0..24).filter(|&flow| planes[flow] == which);
        let mut one = both.clone();
        one.fabric = leaf_spine(2, 1, 1);
        one.routes[0].1 = one.fabric.forwarding.clone();
        one.traffic.flows = own().map(|flow| flows[flow].clone()).collect();
        let alone = run(&one);
        assert!(alone.flows.iter().any(|flow| flow.marked > 0), "flows meet");
        for (flow, record) in own().zip(alone.flows.iter()) {
            let there: FlowRecord = outcome.flows.iter().nth(flow).unwrap();
            assert_eq!(there, record, "flow {flow}");
        }
        for name in ["host3", "tor0.down1", "tor1.up0", "spine0.down0"] {
            let twin = match name.strip_prefix("host") {
                Some(host) => format!("host{host}.up{which}"),
                None => format!("p{which}.{name}"),
            };
            let there = &outcome.ports[port(&both, &twin).index()];
            let here = &alone.ports[port(&one, name).index()];
            assert_eq!((there.frames, there.bytes), (here.frames, here.bytes), "{twin}");
        }
    }
}

#[test]
fn packets_in_turn_take_as_long_as_half_of_them_in_one_plane() {
    let ring = |bytes: u64| -> Vec<Flow> {
        (0..8).map(|host| Flow::at_zero(host, (host + 4) % 8, Bytes(bytes))).collect()
    };
    let packets = 400;
    for selector in ["round_robin", "least_queued"] {
        let mut two = in_planes(2, ring(2 * packets * 4096), selector);
        let mut one = in_planes(1, ring(packets * 4096), selector);
        for plan in [&mut two, &mut one] {
            // One path between any two hosts, with room for all.
            let mut fabric = leaf_spine(2, 4, plan.fabric.planes);
            std::mem::swap(&mut plan.fabric, &mut fabric);
            plan.routes[0].1 = plan.fabric.forwarding.clone();
            plan.switch_load_balance = switch::Config::named("simple_rr").unwrap();
            at_line_rate(plan);
        }
        let (both, alone) = (run(&two), run(&one));
        let last = |outcome: &Outcome| outcome.flows.iter().map(|flow| flow.acked.unwrap()).max();
        let (both, alone) = (last(&both).unwrap().0, last(&alone).unwrap().0);
        let least = packets * PACKET;
        assert!(alone >= least && both >= least);
        assert!(both.abs_diff(alone) <= 4 * PACKET, "{selector}: {both} for {alone}");
    }
}

#[test]
fn a_cut_link_loses_what_is_put_on_the_wire_until_it_is_noticed_and_no_more() {
    let packets = 2_000;
    let at = 20 * PACKET + 1_000;
    for repair in [0, 50_000, 3 * PACKET, 1_000_000] {
        for selector in ["hash", "round_robin"] {
            let flow = Flow::at_zero(0, 4, Bytes(packets * 4096));
            let mut plan = in_planes(2, vec![flow], selector);
            at_line_rate(&mut plan);
            plan.transport.plane_repair = Span(repair);
            let plane = plane_of(&plan, 0);
            let name = format!("host0.up{plane}");
            cut(&mut plan, &name, Direction::Out, (at, None));
            let outcome = run(&plan);
            // One packet after the other from time zero on, at both ports alike where they take turns;
            // the one that is being sent at the cut is lost, and all that start until it is noticed.
            let expected = (at + repair).div_ceil(PACKET) - at / PACKET;
            let cut = &outcome.ports[port(&plan, &name).index()];
            assert_eq!(cut.dropped[DropCause::LinkDown as usize], expected, "{selector} {repair}");
            let lost: u64 = outcome.ports.iter().map(|port| port.dropped_total()).sum();
            assert_eq!(lost, expected);
            let record = outcome.flows.iter().next().unwrap();
            assert_eq!((record.dropped, record.retransmitted), (expected, expected));
            assert_eq!(outcome.stop, Stop::Completed);
            assert_eq!(cut.frames, at / PACKET);
        }
    }
}

#[test]
fn what_waits_moves_when_a_link_is_taken_for_down_and_comes_back_when_it_is_up() {
    // Four flows of a host by hash: some in each plane before and after, all in one meanwhile.
    let flows: Vec<Flow> = (0..8).map(|i| Flow::at_zero(0, 4 + i % 4, Bytes(4096 * 500))).collect();
    let mut plan = in_planes(2, flows, "hash");
    at_line_rate(&mut plan);
    let (down, up) = (1_000_000, 5_000_000);
    plan.transport.plane_repair = Span(500_000);
    cut(&mut plan, "host0.up1", Direction::Both, (down, Some(up)));
    let outcome = run(&plan);
    assert_eq!(outcome.stop, Stop::Completed);
    let frames = |name: &str| outcome.ports[port(&plan, name).index()].data_frames;
    let (first, second) = (frames("host0.up0"), frames("host0.up1"));
    let lost: u64 = outcome.flows.iter().map(|flow| flow.dropped).sum();
    assert!(lost > 0);
    // Until the first of them ends both ports are busy, but for the time that the one is out.
    let share = (up - down) / PACKET;
    assert!(first > second + share - 10, "{first} {second}");
    assert!(second > 1_000_000 / PACKET);
}

/// A message of the first window, whose own plane comes up in the middle of a packet in the other: for
/// a moment it has two links, and ends a packet sooner than in one plane without faults.
#[test]
fn a_message_whose_plane_comes_up_has_two_links_for_a_moment() {
    let mut plan = in_planes(2, vec![Flow::at_zero(0, 4, Bytes(30 * 4096))], "hash");
    plan.queue.marking = marking::Config::named("none").unwrap();
    let took = |plan: &Plan| run(plan).flows.iter().next().unwrap().acked.unwrap().0;
    let alone = took(&plan);
    assert_eq!(ideals(&plan), [Some(Span(alone))]);
    let own = format!("host0.up{}", plane_of(&plan, 0));
    cut(&mut plan, &own, Direction::Both, (0, Some(10 * PACKET + PACKET / 2)));
    assert_eq!(took(&plan), alone - PACKET);
}

#[test]
fn where_all_links_are_down_a_host_waits_for_the_first() {
    let flow = Flow::at_zero(0, 4, Bytes(4096 * 200));
    let mut plan = in_planes(2, vec![flow], "round_robin");
    at_line_rate(&mut plan);
    let down = |name: &str, from: u64, until: Option<u64>| Fault {
        target: Target::Link { name: name.to_owned(), direction: Direction::Both },
        effect: Effect::Down,
        windows: vec![(Time(from), until.map(Time))],
    };
    let faults = vec![
        down("host0.up0", 1_000_000, Some(20_000_000)),
        down("host0.up1", 2_000_000, Some(30_000_000)),
    ];
    resolve(&mut plan, FaultPlan { faults, ..FaultPlan::default() });
    let outcome = run(&plan);
    let acked = outcome.flows.iter().next().unwrap().acked.unwrap();
    // What was on the wire at the cuts is sent again after a timeout.
    assert!(acked.0 > 20_000_000 && acked.0 < 1_000_000_000, "{acked}");
    let frames = |name: &str| outcome.ports[port(&plan, name).index()].data_frames;
    assert!(frames("host0.up0") > 100 && frames("host0.up1") >= 2_000_000 / PACKET);
    let lost: u64 = outcome.flows.iter().map(|flow| flow.dropped).sum();
    assert_eq!(outcome.ports.iter().map(|port| port.dropped_data_total()).sum::<u64>(), lost);
}

#[test]
fn a_plane_in_which_the_other_end_is_lost_is_left_when_routing_has_converged() {
    for (convergence, completes) in [(None, false), (Some(Span::us(2)), true)] {
        let flow = Flow::at_zero(0, 4, Bytes(4096 * 1_000));
        let mut plan = in_planes(2, vec![flow], "hash");
        at_line_rate(&mut plan);
        let plane = plane_of(&plan, 0);
        let name = format!("host4.up{plane}");
        let target = Target::Link { name, direction: Direction::Both };
        let windows = vec![(Time(1_000_000), None)];
        let faults = vec![Fault { target, effect: Effect::Down, windows }];
        resolve(&mut plan, FaultPlan { faults, convergence, ..FaultPlan::default() });
        let outcome = run(&plan);
        assert_eq!(outcome.stop == Stop::Completed, completes, "{:?}", outcome.stop);
        let record = outcome.flows.iter().next().unwrap();
        assert!(record.dropped > 0);
        let other = &outcome.ports[port(&plan, &format!("host0.up{}", 1 - plane)).index()];
        assert_eq!(other.data_frames > 0, completes);
    }
}

#[test]
fn a_dead_link_of_one_host_is_no_matter_to_others_at_the_same_switch() {
    let flows =
        vec![Flow::at_zero(1, 2, Bytes(4096 * 100)), Flow::at_zero(5, 1, Bytes(4096 * 100))];
    let mut plan = in_planes(2, flows, "round_robin");
    let target = Target::Link { name: "host0.up1".to_owned(), direction: Direction::Both };
    let faults = vec![Fault { target, effect: Effect::Down, windows: vec![(Time::ZERO, None)] }];
    let convergence = Some(Span::ZERO);
    resolve(&mut plan, FaultPlan { faults, convergence, ..FaultPlan::default() });
    let outcome = run(&plan);
    for name in ["host1.up0", "host1.up1", "host5.up0", "host5.up1"] {
        assert_eq!(outcome.ports[port(&plan, name).index()].data_frames, 50, "{name}");
    }
}

#[test]
fn answers_go_back_in_the_plane_that_they_answer_in() {
    let flows: Vec<Flow> = (0..8).map(|i| Flow::at_zero(i, (i + 5) % 8, Bytes(900_000))).collect();
    for scheme in ["mprdma_dctcp", "eqds", "homa", "dcqcn"] {
        let mut plan = in_planes(2, flows.clone(), "hash");
        plan.transport.congestion = congestion::Config::named(scheme).unwrap();
        if scheme == "dcqcn" {
            plan.transport.load_balance = host::Config::named("ecmp").unwrap();
        }
        let outcome = run(&plan);
        assert_eq!(outcome.stop, Stop::Completed);
        for host in (0..8).map(HostId) {
            for (plane, port) in (0..2).zip(plan.fabric.ports_of(host)) {
                let takes_part = (0..).zip(&flows).any(|(id, flow)| {
                    [flow.source, flow.destination].contains(&host) && plane_of(&plan, id) == plane
                });
                let frames = outcome.ports[port.index()].frames;
                assert_eq!(frames > 0, takes_part, "{scheme}: {host:?} in plane {plane}");
            }
        }
    }
}

#[test]
fn hosts_at_two_tors_of_one_tree_lose_nothing_when_one_dies_that_both_are_at() {
    let delay = Span::ns(500);
    let shape = TreeShape::leaf_spine(4, 4, 4, 1, RATE, delay, delay).unwrap();
    let fabric = shape.build().unwrap().with_ports_per_host(2).unwrap();
    let flows: Vec<Flow> =
        (0..8).map(|host| Flow::at_zero(host, (host + 4) % 8, Bytes(2_000_000))).collect();
    let mut healthy = plan(fabric, flows.into(), "reps", 1);
    healthy.transport.plane = plane::Config::named("round_robin").unwrap();
    let mut dying = healthy.clone();
    let faults = vec![Fault {
        target: Target::Switch { name: "tor1".to_owned() },
        effect: Effect::Down,
        windows: vec![(Time(5_000_000), None)],
    }];
    let convergence = Some(Span::us(1));
    resolve(&mut dying, FaultPlan { faults, convergence, ..FaultPlan::default() });
    let last = |outcome: &Outcome| {
        assert_eq!(outcome.stop, Stop::Completed);
        outcome.flows.iter().map(|flow| flow.acked.unwrap()).max().unwrap()
    };
    let (whole, halved) = (run(&healthy), run(&dying));
    // 16 Mbit take 20 us over both ports and 40 us over one.
    assert!(last(&whole) < Time(35_000_000), "{}", last(&whole));
    assert!(last(&halved) > last(&whole));
    let frames = |name: &str| halved.ports[port(&dying, name).index()].data_frames;
    // The second port of the hosts at tor1 carries nearly all that is left.
    assert!(frames("host4.up1") > 2 * frames("host4.up0"));
}

#[test]
fn hosts_at_tors_of_several_pods_are_bound_by_the_nearer_ways() {
    let delay = Span::ns(500);
    let shape = TreeShape {
        tiers: 3,
        hosts: 6,
        hosts_per_tor: 1,
        tors_per_pod: 2,
        aggs_per_pod: 1,
        cores: 1,
        parallel: [1, 1],
        rates: [RATE; 3],
        delays: [delay; 3],
        switch_delays: [delay; 3],
    };
    // Host 0 is at ToRs 0 and 3, host 1 at 1 and 4, host 2 at 2 and 5: by their first ports, hosts 1 and
    // 2 are in pods 0 and 1, by their second both are in pod 2.
    let fabric = shape.build().unwrap().with_ports_per_host(2).unwrap();
    let flows = vec![Flow::at_zero(1, 2, Bytes(4_096)), Flow::at_zero(2, 0, Bytes(400_000))];
    for scheme in ["hash", "round_robin"] {
        for seed in 0..8 {
            let mut plan = plan(fabric.clone(), flows.clone().into(), "ecmp", seed);
            plan.transport.plane = plane::Config::named(scheme).unwrap();
            run(&plan);
        }
    }
}

#[test]
fn parts_and_threads_change_nothing() {
    let shape = TreeShape::fat_tree(3, 16, RATE, Span::ns(500), Span::ns(300)).unwrap();
    let fabric = shape.build().unwrap().in_planes(3).unwrap();
    let flows: Vec<Flow> =
        (0..48).map(|i| Flow::at_zero(i % 16, (i * 5 + 3 + i / 16) % 16, Bytes(300_000))).collect();
    let flows: Vec<Flow> =
        flows.into_iter().filter(|flow| flow.source != flow.destination).collect();
    for selector in ["hash", "round_robin", "random", "least_queued"] {
        let mut plan = plan(fabric.clone(), flows.clone().into(), "reps", 64);
        plan.transport.plane = plane::Config::named(selector).unwrap();
        cut(&mut plan, "p1.tor0.up1", Direction::Both, (5_000_000, Some(20_000_000)));
        let one = run(&plan);
        assert_eq!(one.stop, Stop::Completed);
        for threads in [2, 4] {
            let options = engine::Options { threads, width: None };
            let many = engine::run_with(&plan, &options, &mut ());
            assert_eq!(many.parts, threads);
            assert!(one.flows == many.flows && one.ports == many.ports, "{selector}");
        }
    }
}

#[test]
fn what_knows_of_one_port_a_host_is_refused() {
    let fine = in_planes(2, vec![Flow::at_zero(0, 4, Bytes(1))], "hash");
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = fine.clone();
        change(&mut plan);
        plan.check_limits().unwrap_err().to_string()
    };
    assert!(fine.check_limits().is_ok());
    assert_eq!(
        refused(&|plan| plan.tor = tor::Config::named("nack_filter")),
        "hosts have several ports, and switches with middleware know of one only"
    );
    assert_eq!(
        refused(&|plan| plan.transport.load_balance = host::Config::named("host_dr").unwrap()),
        "hosts have several ports, and hosts that name routes know of one only"
    );
    let mut paced = fine.clone();
    let pace = fixed_rate::Config { rate: Pace::RhoMax(1.0), ..fixed_rate::Config::default() };
    paced.transport.congestion = congestion::Config::FixedRate(pace);
    assert_eq!(paced.resolve_rho_max(), Err(NoRhoMax::Planes));
}

/// The short last packet of two has a port to itself and may be the first to arrive: a bound that
/// counts on a full one first would be beaten.
#[test]
fn bounds_hold_where_a_short_packet_has_a_port_to_itself() {
    for seed in 1..=8 {
        let flows = [1, 2].map(|from| Flow::at_zero(from, 0, Bytes(4096 + 512))).to_vec();
        let mut plan = in_planes(2, flows, "round_robin");
        plan.seed = seed;
        at_line_rate(&mut plan);
        assert_eq!(run(&plan).stop, Stop::Completed);
    }
}
