//! Slices of circuits, where they can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::circuits::{packets, run, saturated};
use crate::common::agree::trouble;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::rng::Rng;
use raddle_schemes::tor;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome};
use raddle_sim::topology::circuits::{CircuitShape, Rotors, Turn};
use raddle_sim::topology::routing::Forwarding;
use raddle_sim::topology::slices::Slices;
use raddle_sim::topology::slicing::Late;
use raddle_sim::topology::{Fabric, Node};
use raddle_sim::workload::{Flow, Start};

/// 1,500 B at 10 Gbps.
const S: u64 = 1_200_000;
/// Of every cable.
const DELAY: u64 = 500_000;
const US: u64 = 1_000_000;

fn shape(tors: u32, dark: Span, rotors: Vec<Vec<Turn>>) -> CircuitShape {
    CircuitShape {
        tors,
        hosts_per_tor: 1,
        rate: Rate::gbps(10),
        uplink_rate: Rate::gbps(10),
        link_delay: Span(DELAY),
        circuit_delay: Span(DELAY),
        switch_delay: Span::ZERO,
        rotors: Rotors { slots: vec![Span::us(100); rotors[0].len()], dark, rotors },
        guard: Span::ZERO,
        slicing: Some((Late::Reroute, 0)),
        changes: Vec::new(),
    }
}

/// Exchanges what two matchings are to the ToRs that both of them join among each other, from one on.
fn exchange(matchings: &mut [Vec<u16>], [one, other]: [usize; 2], from: u16) {
    let (mut part, mut next) = (vec![from], 0);
    while next < part.len() {
        let tor = usize::from(part[next]);
        for to in [matchings[one][tor], matchings[other][tor]] {
            if !part.contains(&to) {
                part.push(to);
            }
        }
        next += 1;
    }
    for tor in part.into_iter().map(usize::from) {
        let own = matchings[one][tor];
        matchings[one][tor] = std::mem::replace(&mut matchings[other][tor], own);
    }
}

/// Opera's schedule of the complete graph with self-loops: matching m joins i and m - i, before parts of
/// two are exchanged, again and again. Rotors have as many matchings each, in a drawn order, and turn one
/// after the other.
fn opera(tors: u16, uplinks: usize) -> Fabric {
    opera_with(tors, uplinks, |_| ())
}

/// The same with other numbers.
fn opera_with(tors: u16, uplinks: usize, change: impl Fn(&mut CircuitShape)) -> Fabric {
    let build = |draw: u64| {
        let mut matchings: Vec<Vec<u16>> =
            (0..tors).map(|m| (0..tors).map(|tor| (m + tors - tor) % tors).collect()).collect();
        let mut rng = Rng::new(1, "opera", draw);
        for _ in 0..64 * usize::from(tors) {
            let mut below = || rng.below(tors.into()) as usize;
            let (pair, from) = ([below(), below()], below() as u16);
            if pair[0] != pair[1] {
                exchange(&mut matchings, pair, from);
            }
        }
        rng.shuffle(&mut matchings);
        let slots = usize::from(tors);
        let lists = matchings.chunks(slots / uplinks).enumerate();
        let rotor = |(rotor, list): (usize, &[Vec<u16>])| {
            let turn = |slot: usize| Turn {
                targets: list[(slot + slots - rotor) % slots / uplinks].clone(),
                turns: slot % uplinks == rotor,
            };
            (0..slots).map(turn).collect()
        };
        let mut own = shape(tors.into(), Span::us(10), lists.map(rotor).collect());
        change(&mut own);
        own.build().ok()
    };
    (0..1000).find_map(build).unwrap()
}

fn slices(fabric: &Fabric) -> &Slices {
    match &fabric.forwarding {
        Forwarding::Slices(slices) => slices,
        _ => panic!("no slices"),
    }
}

/// How many lanes a frame passes in a slice, that begins then.
fn hops(fabric: &Fabric, start: Span, (from, to): (u32, u32)) -> u32 {
    let (mut at, mut hops) = (SwitchId(from), 0);
    while at != SwitchId(to) {
        let ports = slices(fabric).ports(Time::ZERO + start, None, at, PortId(to));
        match fabric.destination(ports.get(0)) {
            Node::Switch(next) => (at, hops) = (next, hops + 1),
            Node::Host(_) => unreachable!("not there yet"),
        }
    }
    hops
}

#[test]
fn each_pair_is_one_hop_apart_in_as_many_slices_as_rotors_do_not_turn() {
    for (tors, uplinks) in [(16, 4), (64, 8)] {
        let fabric = opera(tors, uplinks);
        let starts = &slices(&fabric).starts;
        assert_eq!(starts.len(), usize::from(tors));
        let (mut sum, mut pairs) = (0, 0);
        for from in 0..u32::from(tors) {
            for to in (0..u32::from(tors)).filter(|to| *to != from) {
                let each: Vec<u32> =
                    starts.iter().map(|start| hops(&fabric, *start, (from, to))).collect();
                // Opera, section 3.3: n slices, and u - 1 of the rotors are in use in each.
                let direct = each.iter().filter(|hops| **hops == 1).count();
                assert_eq!(direct, uplinks - 1, "{from} to {to}");
                sum += each.iter().sum::<u32>();
                pairs += each.len();
            }
        }
        let mean = f64::from(sum) / pairs as f64;
        if tors == 64 {
            assert!((2.31..2.34).contains(&mean), "{mean}");
        }
    }
}

#[test]
fn an_idle_fabric_takes_a_serialisation_and_a_delay_for_each_hop_of_the_slice() {
    let fabric = opera(16, 4);
    let starts = slices(&fabric).starts.clone();
    for (from, to, slice) in [(0, 5, 3), (7, 2, 15), (3, 12, 0), (9, 10, 8), (14, 1, 11)] {
        let start = starts[slice];
        let hops = u64::from(hops(&fabric, start, (from, to)));
        let flow = Flow { start: Start::At(Time::ZERO + start), ..packets(from, to, 1) };
        let mut plan = saturated(&shape(2, Span::ZERO, vec![vec![stays(2)]]), vec![]);
        plan.fabric = fabric.clone();
        plan.routes = vec![(Time::ZERO, fabric.forwarding.clone())];
        plan.traffic = vec![flow].into();
        let at = run(&plan).flows.iter().next().unwrap().delivered.unwrap();
        let expected = start.0 + (S + DELAY) * (hops + 2);
        assert_eq!(at.0, expected, "{from} to {to} in slice {slice}, {hops} hops");
    }
}

/// Each sends to the next, for good.
fn stays(tors: u16) -> Turn {
    shift(tors, 1, false)
}

fn shift(tors: u16, by: u16, turns: bool) -> Turn {
    Turn { targets: (0..tors).map(|tor| (tor + by) % tors).collect(), turns }
}

/// Four ToRs with fast hosts. `tor0.to.tor2` is open from 310 us to 500 us in each period of 400 us; in
/// the slice from 410 us on packets for ToR 2 go by ToR 1, at twice the rate.
fn four(slicing: (Late, u8)) -> CircuitShape {
    let own = |by: u16, turns| shift(4, by, turns);
    let first = vec![own(1, true), own(1, false), own(3, true), own(3, false)];
    let second = vec![own(2, false), own(3, true), own(3, false), own(2, true)];
    let rotors = vec![first, second, vec![stays(4); 4]];
    let shape = shape(4, Span::us(10), rotors);
    CircuitShape { rate: Rate::gbps(400), slicing: Some(slicing), ..shape }
}

/// Packets to ToR 2, all of them at ToR 0 before its direct lane is out of use.
fn burst(slicing: (Late, u8)) -> Plan {
    let flow = Flow { start: Start::At(Time(400 * US)), ..packets(0, 2, 100) };
    saturated(&four(slicing), vec![flow])
}

fn port(plan: &Plan, name: &str) -> usize {
    plan.fabric.port_named(name).unwrap().index()
}

fn data_frames(plan: &Plan, outcome: &Outcome, name: &str) -> u64 {
    outcome.ports[port(plan, name)].data_frames
}

/// At 400 Gbps.
const FAST: u64 = 30_000;

#[test]
fn exactly_what_cannot_leave_before_its_lane_closes_is_sent_on() {
    // From 400.53 us to 500 us: 82 frames of 1.2 us.
    let plan = burst((Late::Reroute, 0));
    let outcome = run(&plan);
    let late: u64 = outcome.late_frames.iter().sum();
    assert_eq!((late, outcome.late_frames[port(&plan, "tor0.to.tor2")]), (18, 18));
    let passed = |name| data_frames(&plan, &outcome, name);
    assert_eq!(
        (passed("tor0.to.tor2"), passed("tor0.to.tor1"), passed("tor1.to.tor2")),
        (82, 18, 18)
    );
    let flow = outcome.flows.iter().next().unwrap();
    assert_eq!((flow.dropped, flow.retransmitted), (0, 0));
    let twice = S / 2;
    let expected = 500 * US + 18 * twice + DELAY + twice + DELAY + FAST + DELAY;
    assert_eq!(flow.delivered, Some(Time(expected)));
}

#[test]
fn what_is_late_may_wait_or_be_dropped() {
    let plan = burst((Late::Wait, 0));
    let outcome = run(&plan);
    assert_eq!(outcome.late_frames.iter().sum::<u64>(), 0);
    let flow = outcome.flows.iter().next().unwrap();
    assert_eq!(flow.delivered, Some(Time(710 * US + 18 * S + DELAY + FAST + DELAY)));
    let mut plan = burst((Late::Drop, 0));
    plan.end = Some(Time(1_000 * US));
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    let lane = port(&plan, "tor0.to.tor2");
    assert_eq!(outcome.late_frames[lane], 18);
    assert_eq!(outcome.ports[lane].dropped[DropCause::LinkDown as usize], 18);
}

#[test]
fn classes_that_wait_take_their_direct_lane() {
    // In slice 0 but for its lane's last part, which bulk data may use.
    let start = |us: u64| Start::At(Time(us * US));
    let mut plan = saturated(&four((Late::Reroute, 0b01)), vec![]);
    plan.queue.classes = 2;
    let flow = |us, class| Flow { start: start(us), class, ..packets(0, 2, 1) };
    plan.traffic = vec![flow(420, 0), flow(430, 1), flow(505, 0), flow(506, 1)].into();
    let outcome = run(&plan);
    let delivered: Vec<u64> = outcome.flows.iter().map(|flow| flow.delivered.unwrap().0).collect();
    let sent = |us: u64| us * US + FAST + DELAY;
    let after = DELAY + FAST + DELAY;
    let by_two = S / 2 + DELAY + S / 2;
    let expected = [
        sent(420) + S + after,
        sent(430) + by_two + after,
        710 * US + S + after,
        sent(506) + by_two + after,
    ];
    assert_eq!(delivered, expected);
    assert_eq!(outcome.late_frames.iter().sum::<u64>(), 0, "bulk data is never late");
}

/// Three packets to ToR 2, all of them at ToR 0 before its lane to ToR 3 has an opening at 210 us, that
/// lane and the one from there to ToR 2 then having 20 Gbps; its own lane to ToR 2 opens at 310 us.
fn three(backlog: f64) -> Plan {
    let flow = Flow { start: Start::At(Time(205 * US)), ..packets(0, 2, 3) };
    let mut plan = saturated(&four((Late::Reroute, 0b01)), vec![flow]);
    plan.queue.classes = 2;
    let mut hook = tor::Config::named("rotorlb").unwrap();
    if let tor::Config::RotorLb(own) = &mut hook {
        own.backlog = backlog;
    }
    plan.tor = Some(hook);
    plan
}

fn delivered(plan: &Plan) -> u64 {
    run(plan).flows.iter().next().unwrap().delivered.unwrap().0
}

#[test]
fn rotorlb_relays_by_a_circuit_that_is_up_what_its_far_end_takes() {
    let direct = |count: u64| 310 * US + count * S + DELAY + FAST + DELAY;
    assert_eq!(delivered(&three(0.0)), direct(3));
    // The offer, 64 B at 20 Gbps; the answer by the ring, at 10.
    let answered = 210 * US + 25_600 + DELAY + 51_200 + DELAY;
    let twice = S / 2;
    let relayed = answered + 3 * twice + DELAY + twice + DELAY + FAST + DELAY;
    let plan = three(2.0);
    assert_eq!(delivered(&plan), relayed);
    let outcome = run(&plan);
    let passed = |name| data_frames(&plan, &outcome, name);
    let lanes = ["tor0.to.tor3", "tor3.to.tor2", "tor0.to.tor2"];
    assert_eq!(lanes.map(passed), [3, 3, 0]);
    assert_eq!(outcome.tors.iter().map(|own| own.sent).sum::<u64>(), 2);
    // 150 packets fit that opening: one is taken in it, one in the next, which begins at 300 us.
    assert_eq!(delivered(&three(0.01)), direct(1));
}

#[test]
fn queues_of_what_tors_keep_have_no_limit() {
    let mut plan = three(2.0);
    plan.queue.size = raddle_schemes::size::Size::Packets(1.0);
    plan.traffic = vec![packets(0, 2, 40), packets(3, 2, 40)].into();
    let outcome = run(&plan);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0 && flow.retransmitted == 0));
}

#[test]
fn a_packet_of_bulk_data_ends_a_fixed_time_after_a_circuit_switch_has_turned() {
    // Opera's 108 ToRs of 6 uplinks, slots of 98.9 us: a cycle is 10.68 ms, of which a lane is open for
    // six slots less 10 us.
    const SLOT: u64 = 98_900_000;
    let slots = |own: &mut CircuitShape| {
        own.rotors.slots.fill(Span(SLOT));
        own.slicing = Some((Late::Reroute, 0b01));
    };
    let fabric = opera_with(108, 6, slots);
    let period = 108 * SLOT;
    let after = S + DELAY + S + DELAY;
    let plan = |backlog: f64, (from, to): (u32, u32), start: u64| {
        let mut plan = saturated(&shape(2, Span::ZERO, vec![vec![stays(2)]]), vec![]);
        plan.fabric = fabric.clone();
        plan.routes = vec![(Time::ZERO, fabric.forwarding.clone())];
        plan.queue.classes = 2;
        plan.traffic = vec![Flow { start: Start::At(Time(start)), ..packets(from, to, 1) }].into();
        let mut hook = tor::Config::named("rotorlb").unwrap();
        if let tor::Config::RotorLb(own) = &mut hook {
            own.backlog = backlog;
        }
        plan.tor = Some(hook);
        plan
    };
    for (from, to) in [(0, 5), (107, 3)] {
        let name = format!("tor{from}.to.tor{to}");
        let lane = fabric.port_named(&name).unwrap();
        let open = fabric.circuits.as_ref().unwrap().lane(lane).unwrap().openings[0];
        assert_eq!(open.until.0 - open.from.0, 6 * SLOT - 10 * US);
        let mut waits = Vec::new();
        for step in 0..4 {
            let start = step * period / 4 + 1;
            let at_tor = start + S + DELAY;
            let phase = (at_tor + period - open.from.0) % period;
            let is_up = phase + S <= open.until.0 - open.from.0;
            let wait = if is_up { 0 } else { period - phase };
            waits.push(wait);
            let own = delivered(&plan(0.0, (from, to), start));
            assert_eq!(own, at_tor + wait + after, "{name} from {start}, by its own lane");
            // Lent or not, it leaves by a circuit that has just come up.
            let lent = delivered(&plan(2.0, (from, to), start));
            assert!(lent <= own + period, "{name} from {start}: {lent} and {own}");
            // As that comes up or, over two that are up, after an offer and its answer.
            let since = (lent - after) % SLOT;
            let turned = 10 * US..15 * US;
            assert!(is_up || turned.contains(&since), "{name} from {start}: {since}");
        }
        // Even over a cycle: steps of a quarter of it.
        waits.sort_unstable();
        assert!(waits.windows(2).all(|two| two[0] == 0 || two[1] - two[0] == period / 4));
    }
}
