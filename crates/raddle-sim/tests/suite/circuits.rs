//! Circuits, where it can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::family::Raw;
use raddle_schemes::load_balance::switch;
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{congestion, recovery};
use raddle_sim::engine;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{Overflow, Plan};
use raddle_sim::record::{FlowRecord, Outcome, Stop};
use raddle_sim::topology::circuits::{CircuitShape, Rotors, Turn};
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::workload::{Flow, Start};

/// 1,500 B at 10 Gbps.
const S: u64 = 1_200_000;
/// Of every cable.
const DELAY: u64 = 500_000;

fn shift(tors: u16, by: u16) -> Turn {
    Turn { targets: (0..tors).map(|tor| (tor + by) % tors).collect(), turns: true }
}

/// ToRs of one host, one uplink for each list of shifts, all of 10 Gbps; slots of 100 us, dark for 10.
pub(crate) fn shape(tors: u16, shifts: &[&[u16]]) -> CircuitShape {
    let turns = |own: &&[u16]| own.iter().map(|&by| shift(tors, by)).collect();
    let rotors = shifts.iter().map(turns).collect();
    CircuitShape {
        tors: tors.into(),
        hosts_per_tor: 1,
        rate: Rate::gbps(10),
        uplink_rate: Rate::gbps(10),
        link_delay: Span(DELAY),
        circuit_delay: Span(DELAY),
        switch_delay: Span::ZERO,
        rotors: Rotors { slots: vec![Span::us(100); shifts[0].len()], dark: Span::us(10), rotors },
        guard: Span::ZERO,
        slicing: None,
        changes: Vec::new(),
    }
}

/// Frames of 1,500 B, sent at line rate, never again, into endless queues.
pub(crate) fn saturated(shape: &CircuitShape, flows: Vec<Flow>) -> Plan {
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.transport.payload = Bytes(1_436);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    if let recovery::Config::Sack(sack) = &mut plan.transport.recovery {
        sack.rto = Some(Span::ms(500));
    }
    plan.queue.size = Size::Unlimited;
    plan.patience = Span::ms(20);
    plan
}

pub(crate) fn packets(from: u32, to: u32, count: u64) -> Flow {
    Flow::at_zero(from, to, Bytes(count * 1_436))
}

pub(crate) fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// When the last byte of the first flow had arrived, in ps.
fn delivered(plan: &Plan) -> u64 {
    run(plan).flows.iter().next().unwrap().delivered.unwrap().0
}

/// From the last bit on a lane to the last bit at the host behind it.
const AFTER: u64 = DELAY + S + DELAY;

#[test]
fn a_saturated_pair_sends_what_fits_into_its_slots() {
    // Open from 110 us on, for 90 us, every 400 us.
    let four = shape(4, &[&[0, 1, 2, 3]]);
    let from = |period: u64, dark: u64| (100 + 400 * period) * 1_000_000 + dark;
    let plan = saturated(&four, vec![packets(0, 1, 750)]);
    assert_eq!(delivered(&plan), from(9, 10_000_000) + 75 * S + AFTER, "75 a slot, exactly");
    let one_less = saturated(&four, vec![packets(0, 1, 749)]);
    assert_eq!(delivered(&one_less), from(9, 10_000_000) + 74 * S + AFTER);
    // 89.99 us.
    let mut darker = four.clone();
    darker.rotors.dark = Span(10_010_000);
    let plan = saturated(&darker, vec![packets(0, 1, 750)]);
    assert_eq!(delivered(&plan), from(10, 10_010_000) + 10 * S + AFTER, "74 a slot");
    let guarded = CircuitShape { guard: Span(1), ..four };
    let plan = saturated(&guarded, vec![packets(0, 1, 750)]);
    assert_eq!(delivered(&plan), from(10, 10_000_000) + 10 * S + AFTER, "74 before the guard");
}

#[test]
fn pairs_do_not_keep_each_other() {
    let four = shape(4, &[&[0, 1, 2, 3]]);
    let all = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(a, b)| a != b);
    let plan = saturated(&four, all.map(|(from, to)| packets(from, to, 600)).collect());
    let outcome = run(&plan);
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        // Hosts' links are shared by three, so the first slots may not be full: eight or nine do.
        let turn = u64::from((flow.destination.0 + 4 - flow.source.0) % 4);
        let slot = (400 * 8 + 100 * turn + 10) * 1_000_000;
        let at = record.delivered.unwrap().0;
        assert!(at <= slot + 75 * S + AFTER, "{turn}: {at}");
        assert_eq!((record.dropped, record.retransmitted), (0, 0));
    }
}

/// When a packet that starts at `start` has arrived, if nothing else is there: with one opening from
/// 110 us to 200 us in a period of 400 us it waits for that, and has to fit.
fn alone(start: u64) -> u64 {
    let at_tor = start + S + DELAY;
    let (period, from, last) = (400_000_000, 110_000_000, 200_000_000 - S);
    let phase = at_tor % period;
    let wait = match phase {
        _ if phase < from => from - phase,
        _ if phase <= last => 0,
        _ => period + from - phase,
    };
    at_tor + wait + S + AFTER
}

#[test]
fn a_packet_waits_for_its_circuit() {
    let four = shape(4, &[&[0, 1, 2, 3]]);
    let flow = |start| Flow { start: Start::At(Time(start)), ..packets(0, 1, 1) };
    let starts = [0, 108_300_000, 108_300_001, 150_000_000, 197_100_000, 197_100_001, 399_999_999];
    let mut longest = 0;
    for start in starts {
        let plan = saturated(&four, vec![flow(start)]);
        let at = delivered(&plan);
        assert_eq!(at, alone(start), "from {start}");
        longest = longest.max(at - start);
    }
    // P - L + s, and the way.
    assert_eq!(longest, 310_000_000 + S - 1 + 3 * S + 3 * DELAY);
    // The mean over many starts, evenly spread over a period: (P - L + s)^2 / 2 P and the way.
    let count = 400_u64;
    let starts: Vec<u64> = (0..count).map(|i| i * 400_000_000 / count + 500_000).collect();
    let mean = starts.iter().map(|&start| alone(start) - start).sum::<u64>() / count;
    let (open, period, s) = (90e6, 400e6, S as f64);
    let expected = (period - open + s).powi(2) / (2.0 * period) + (3 * S + 3 * DELAY) as f64;
    assert!((mean as f64 - expected).abs() < 1e6, "{mean} and {expected}");
}

#[test]
fn several_circuits_at_once_are_a_faster_one() {
    // Vermilion, thesis, section 8.2.1: n = 4, k = 3, a ring: 9 of 12 slots are those of the ring.
    let ring: Vec<u16> = vec![1, 1, 1, 2, 1, 1, 1, 3, 1, 1, 1, 0];
    let plan = saturated(&shape(4, &[&ring]), vec![packets(0, 1, 9 * 75 * 2)]);
    // The host fills the first slot late: the first frame comes at s + delay, when it is dark still.
    assert_eq!(delivered(&plan), (1_200 + 1_000 + 10) * 1_000_000 + 75 * S + AFTER);
    // Two uplinks to the same ToR at once: twice as fast, from a queue that is full.
    let twice = CircuitShape { rate: Rate::gbps(40), ..shape(4, &[&[2, 1], &[3, 1]]) };
    let plan = saturated(&twice, vec![packets(0, 1, 150)]);
    let last = DELAY + S / 4 + DELAY;
    assert_eq!(delivered(&plan), 110_000_000 + 150 * S / 2 + last);
    let lane = plan.fabric.port_named("tor0.to.tor1").unwrap();
    assert_eq!(plan.fabric.ports[lane.index()].rate, Rate::gbps(20));
}

#[test]
fn circuits_that_stay_are_cables() {
    // One slot: up for good.
    let shifts: &[&[u16]] = &[&[1], &[2], &[5]];
    let static_shape = CircuitShape { hosts_per_tor: 2, ..shape(6, shifts) };
    let mut rotors = static_shape.clone();
    rotors.rotors.rotors.iter_mut().flatten().for_each(|turn| turn.turns = false);
    let mut text = String::new();
    (0..6).for_each(|tor| text += &format!("switch tor{tor}\n"));
    (0..12).for_each(|host| text += &format!("host host{host}\n"));
    for host in 0..12 {
        text += &format!("link host{host} tor{} 10Gbps 500ns\n", host / 2);
    }
    for (a, b) in [
        (0, 1),
        (0, 2),
        (0, 4),
        (0, 5),
        (1, 2),
        (1, 3),
        (1, 5),
        (2, 3),
        (2, 4),
        (3, 4),
        (3, 5),
        (4, 5),
    ] {
        text += &format!("link tor{a} tor{b} 10Gbps 500ns\n");
    }
    let flows = || (0..12).map(|host| packets(host, (host + 5) % 12, 200)).collect::<Vec<_>>();
    // Shifts 1 and 5 lead there and back, shift 2 only there.
    let mut circuits = saturated(&rotors, flows());
    let cables = parse_graph(&text).unwrap();
    let mut graph = circuits.clone();
    graph.fabric = cables;
    graph.fabric.forwarding = circuits.fabric.forwarding.clone();
    graph.routes = vec![(Time::ZERO, graph.fabric.forwarding.clone())];
    for scheme in ["ecmp", "rsq", "simple_rr"] {
        for plan in [&mut circuits, &mut graph] {
            plan.switch_load_balance = switch::Config::named(scheme).unwrap();
        }
        let names = |plan: &Plan| -> Vec<String> {
            plan.fabric.ports.iter().map(|port| port.name.clone()).collect()
        };
        assert_eq!(names(&circuits), names(&graph));
        assert_eq!(run(&circuits), run(&graph), "{scheme}");
    }
}

#[test]
fn packets_take_any_of_the_shortest_ways_of_the_emulated_graph() {
    // Shifts 1 and 3 of 8 ToRs: to the fourth by two ways of two lanes.
    let eight = shape(8, &[&[1, 3], &[3, 1]]);
    let mut plan = saturated(&eight, vec![packets(0, 4, 100)]);
    plan.switch_load_balance = switch::Config::named("rsq").unwrap();
    let outcome = run(&plan);
    let frames =
        |name: &str| outcome.ports[plan.fabric.port_named(name).unwrap().index()].data_frames;
    let (one, three) = (frames("tor0.to.tor1"), frames("tor0.to.tor3"));
    assert!(one > 20 && three > 20 && one + three == 100, "{one} and {three}");
    assert_eq!(frames("tor1.to.tor4") + frames("tor3.to.tor4"), 100);
}

#[test]
fn a_frame_that_fits_into_no_slot_is_refused() {
    let mut short = shape(4, &[&[0, 1, 2, 3]]);
    short.rotors.dark = Span(100_000_000 - S + 1);
    let plan = saturated(&short, vec![packets(0, 1, 1)]);
    let link = "tor0.to.tor1".to_owned();
    let (open, time) = (Span(S - 1), Span(S));
    let expected = LimitError::Gate { link, bytes: Bytes(1_500), open, time };
    assert_eq!(plan.check_limits(), Err(expected));
}

#[test]
fn valiant_spreads_any_demand_evenly_over_all_lanes() {
    // Each ToR of 8 sends to the next: half of the capacity, self-loops included, and no lane has more
    // than another.
    let eight = shape(8, &[&[0, 1, 2, 3, 4, 5, 6, 7]]);
    let (hosts, each) = (8, 2_000);
    let flows = (0..hosts).map(|host| packets(host, (host + 1) % hosts, each)).collect();
    let mut plan = saturated(&eight, flows);
    plan.switch_load_balance = switch::Config::named("valiant").unwrap();
    let outcome = run(&plan);
    let lanes = &plan.fabric.circuits.as_ref().unwrap().lanes;
    let frames = lanes.iter().map(|lane| outcome.ports[lane.port.index()].data_frames);
    let (least, most) = (frames.clone().min().unwrap(), frames.clone().max().unwrap());
    // 2 of n of the packets, give or take four deviations of a binomial.
    assert!(least > 410 && most < 590, "{least} to {most}");
    let total: u64 = frames.sum();
    assert!(total.abs_diff(hosts as u64 * each * 7 / 4) < 300, "{total}: 2 (n - 1) / n lanes each");
}

#[test]
fn valiant_carries_half_of_what_the_uplinks_do() {
    let eight = shape(8, &[&[0, 1, 2, 3, 4, 5, 6, 7]]);
    // 0.97 and 1.06 of half the duty of 0.9: 4.365 and 4.77 Gbps with headers, over 20 periods.
    let late = |pace: &str| {
        let flows = (0..8).map(|host| packets(host, (host + 1) % 8, 6_000)).collect();
        let mut plan = saturated(&eight, flows);
        plan.switch_load_balance = switch::Config::named("valiant").unwrap();
        plan.transport.congestion.set("rate", Raw::Text(pace)).unwrap();
        let outcome = run(&plan);
        let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max().unwrap();
        // Beyond the time in which the hosts send it all.
        let sends =
            6_000.0 * 1_500.0 * 8.0 / pace.trim_end_matches(" Gbps").parse::<f64>().unwrap();
        last.0 as f64 / 1e3 - sends
    };
    let (below, above) = (late("4.365 Gbps"), late("4.77 Gbps"));
    // In ns. Below, what waits at the end is what random draws made of a few periods of 800 us; above,
    // 6 % of 15 ms come on top.
    assert!(below < 2_400_000.0, "{below}");
    assert!(above > below, "{above} and {below}");
}

/// Mars's emulated graph of degree d over d^2 ToRs (de Bruijn), as matchings: matching c leads from ToR
/// d a + b to d b + (a + c) mod d. Each uplink has as many of them as the others.
fn de_bruijn(degree: u16, uplinks: usize) -> CircuitShape {
    let tors = degree * degree;
    let matching = |c: u16| Turn {
        targets: (0..tors).map(|i| i % degree * degree + (i / degree + c) % degree).collect(),
        turns: true,
    };
    let all: Vec<Turn> = (0..degree).map(matching).collect();
    let mut mars = shape(tors, &[&[0]]);
    mars.rotors.rotors = all.chunks(all.len() / uplinks).map(<[Turn]>::to_vec).collect();
    mars.rotors.slots = vec![Span::us(100); all.len() / uplinks];
    mars
}

#[test]
fn valiant_over_an_emulated_graph_carries_what_its_busiest_lanes_do() {
    // 16 ToRs, degree 4, 2 uplinks. By shortest ways a lane has 1 + 4 + 4 of the 16 x 16 pairs at most:
    // its own two ends, and ways of two lanes that begin or end with it; both halves of a detour are
    // even. So each host sends 16 / 18 of what a lane carries, 4 Gbps: 2/9 of its ToR's uplinks. Walks
    // of two lanes for all pairs, as in Mars's theorem, load all lanes alike and give 1/4.
    let mars = de_bruijn(4, 2);
    let run_at = |pace: &str| {
        let flows = (0..16).map(|host| packets(host, (host + 1) % 16, 4_000)).collect();
        let mut plan = saturated(&mars, flows);
        plan.switch_load_balance = switch::Config::named("valiant").unwrap();
        plan.transport.congestion.set("rate", Raw::Text(pace)).unwrap();
        let outcome = run(&plan);
        let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max().unwrap();
        let lanes = &plan.fabric.circuits.as_ref().unwrap().lanes;
        let frames = lanes.iter().map(|lane| outcome.ports[lane.port.index()].data_frames);
        let sends = 4_000.0 * 12_000.0 / pace.trim_end_matches(" Gbps").parse::<f64>().unwrap();
        (last.0 as f64 / 1e3 - sends, frames.max().unwrap())
    };
    let (below, busiest) = run_at("3.88 Gbps");
    // 4,500 packets, give or take four deviations.
    assert!(busiest.abs_diff(4_500) < 300, "{busiest}");
    let (above, _) = run_at("4.4 Gbps");
    // In ns: below, a few periods of 200 us; above, a tenth of 11 ms comes on top.
    assert!(below < 700_000.0, "{below}");
    assert!(above > below + 700_000.0, "{above} and {below}");
}

/// The 99th percentile of what packets of an idle fabric wait for circuits, in slots.
fn waits_p99(shape: &CircuitShape) -> f64 {
    let (tors, slot, count) = (shape.tors, 100_000_000, 20_000_u64);
    let mut rng = Rng::new(1, "waits", 0);
    let mut below = |n: u64| rng.below(n);
    // A packet each 13.7 us, less than one in a hundred ToRs' slots.
    let flow = |i: u64| {
        let from = below(tors.into()) as u32;
        let to = (from + 1 + below(u64::from(tors) - 1) as u32) % tors;
        Flow { start: Start::At(Time(i * 13_700_000 + below(13_000_000))), ..packets(from, to, 1) }
    };
    let mut plan = saturated(shape, (0..count).map(flow).collect());
    plan.switch_load_balance = switch::Config::named("valiant").unwrap();
    let outcome = run(&plan);
    let mut waits: Vec<u64> = plan
        .traffic
        .flows
        .iter()
        .zip(outcome.flows.iter())
        .map(|(flow, record)| {
            let Start::At(start) = flow.start else { unreachable!("all start by themselves") };
            // But for what hosts' links and lanes take, of which there are 4 at most.
            record.delivered.unwrap().0 - start.0 - 2 * (S + DELAY)
        })
        .collect();
    waits.sort_unstable();
    waits[count as usize * 99 / 100] as f64 / f64::from(slot)
}

#[test]
fn packets_of_mars_wait_a_seventh_of_those_of_a_complete_graph() {
    // 64 ToRs, 4 uplinks: two slots a period and up to four lanes by Mars, 16 slots and two lanes else.
    // Circuit switches turn together, so after the first wait each other one takes whole slots: by Mars
    // one in 16 packets over four lanes waits 3 to 4 slots, of which 0.74 have so many. Waits that did
    // not know of each other would be 2.6 slots. Else it is two waits of 0 to 15 slots.
    let mut mars = de_bruijn(8, 4);
    let shifts: Vec<u16> = (0..64).collect();
    let lists: Vec<&[u16]> = shifts.chunks(16).collect();
    let mut complete = shape(64, &lists);
    for own in [&mut mars, &mut complete] {
        own.rotors.dark = Span::ZERO;
    }
    let (mars, complete) = (waits_p99(&mars), waits_p99(&complete));
    assert!((mars - 3.8).abs() < 0.1, "{mars}");
    assert!((complete - 27.8).abs() < 0.4, "{complete}");
}

#[test]
fn a_nack_is_believed_whatever_valiant_wrote_over_the_entropy() {
    // Seven hosts to one, whose lanes trim: each trimmed packet is sent again at its NACK.
    let eight = shape(8, &[&[0, 1, 2, 3, 4, 5, 6, 7]]);
    let mut plan = saturated(&eight, (1..8).map(|host| packets(host, 0, 60)).collect());
    plan.switch_load_balance = switch::Config::named("valiant").unwrap();
    plan.queue.size = Size::Packets(4.0);
    plan.queue.overflow = Overflow::Trim;
    let outcome = run(&plan);
    let sum = |of: fn(&FlowRecord) -> u64| outcome.flows.iter().map(|flow| of(&flow)).sum::<u64>();
    let (trimmed, again) = (sum(|flow| flow.trimmed), sum(|flow| flow.retransmitted));
    assert!(trimmed > 50, "{trimmed}");
    assert_eq!((again, sum(|flow| flow.timeouts)), (trimmed, 0));
}
