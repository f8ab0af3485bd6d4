//! Links with credits: what both engines have to come to, worked out by hand for 400 Gbps, 1000 ns each
//! way, cells of 256 B and packets of 4160 B.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{completed, fat_tree, permutation, plan};
use raddle_schemes::congestion;
use raddle_schemes::ids::{FlowId, PortId, SwitchId};
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::check::violations;
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::headroom::pause_headroom;
use raddle_sim::plan::{Cbfc, Llr, Plan, WITHOUT_END};
use raddle_sim::record::{CreditRecord, Outcome, Stop};
use raddle_sim::topology::Node;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::topology::routing::{Forwarding, Table, Weighting};
use raddle_sim::workload::{Flow, Traffic};

fn credits(frames: u32) -> Option<Cbfc> {
    let credits = Some(Size::Packets(frames.into()));
    Some(Cbfc { credits, ..Cbfc::default() })
}

/// Hosts, and two switches with a link of `middle` between them: 1000 ns each way, everywhere.
fn dumbbell(hosts_per_side: u32, middle: u64, flows: Vec<Flow>) -> Plan {
    let shape = Dumbbell {
        hosts_per_side,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(middle),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ns(500),
    };
    let mut fabric = shape.build().unwrap();
    fabric.host_latency = Span::ns(500);
    let mut plan = plan(fabric, flows.into(), "ecmp", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan
}

/// A saturated sender behind so many frames of credit.
fn saturated(packets: u64, frames: u32) -> Plan {
    let mut plan = dumbbell(1, 400, vec![Flow::at_zero(0, 1, Bytes(packets * 4096))]);
    plan.queue.cbfc = credits(frames);
    plan.record.packets = vec![FlowId(0)];
    plan
}

fn port(plan: &Plan, name: &str) -> PortId {
    let place = plan.fabric.ports.iter().position(|port| port.name == name);
    PortId(place.unwrap() as u32)
}

/// When packets of the first flow came to the switch that has this port, in ps.
fn arrivals(plan: &Plan, outcome: &Outcome, name: &str) -> Vec<u64> {
    let port = port(plan, name);
    let own = outcome.packets.hops().filter(|hop| hop.port == port).map(|hop| hop.arrived.0);
    own.collect()
}

/// In Gb/s, from a packet on until another.
fn rate(at: &[u64], from: usize, until: usize) -> f64 {
    (until - from) as f64 * 4160.0 * 8.0 * 1e3 / (at[until] - at[from]) as f64
}

fn of_link(outcome: &Outcome, port: PortId) -> &CreditRecord {
    &outcome.credits[port.index()]
}

#[test]
fn a_sender_waits_for_credit_to_the_picosecond() {
    let plan = saturated(100, 13);
    let outcome = completed(&plan);
    let at = arrivals(&plan, &outcome, "left.to.right");
    let expected: Vec<u64> = (0..13).map(|i| 1_083_200 + i * 83_200).collect();
    assert_eq!(at[..13], expected);
    assert_eq!(at[13..15], [3_249_760, 3_377_760]);
    assert_eq!(of_link(&outcome, PortId(0)).classes[0].in_use_max, 13 * 17);
}

#[test]
fn a_message_that_is_lost_is_made_good_by_the_next() {
    let mut plan = saturated(100, 13);
    // The first about freed cells starts when the first frame has left the switch.
    let back = plan.fabric.ports[0].peer;
    let loss = |probability| PortChange::Loss { probability };
    let changes = [(Time(1_166_000), loss(1 << 32)), (Time(1_167_000), loss(0))];
    plan.faults.ports.push((back, changes.to_vec()));
    let outcome = completed(&plan);
    let at = arrivals(&plan, &outcome, "left.to.right");
    assert_eq!(at[13..15], [3_377_760, 3_460_960]);
    assert_eq!(of_link(&outcome, back).lost_frames, 1);
    assert_eq!(outcome.flows.at(0).dropped, 0);
}

#[test]
fn the_rate_is_in_proportion_to_credit_up_to_the_full_one() {
    let expected = [(7, 107.46), (13, 199.64), (26, 383.17), (27, 394.81), (28, 400.0)];
    let run = |frames, spacing| {
        let mut plan = saturated(3000, frames);
        plan.queue.cbfc.as_mut().unwrap().cf_spacing = Bytes(spacing);
        let outcome = engine::run(&plan, &mut ());
        assert_eq!(violations(&plan, &outcome), [""; 0]);
        let at = arrivals(&plan, &outcome, "left.to.right");
        rate(&at, 500, 2500)
    };
    // Within a frame more or less of what was counted.
    let is_about = |got: f64, gbps: f64| (got - gbps).abs() < 0.1;
    for (frames, gbps) in expected {
        let got = run(frames, 6400);
        assert!(is_about(got, gbps), "{frames} frames: {got}");
    }
    for (frames, gbps) in [(26, 399.38), (27, 400.0)] {
        let got = run(frames, 800);
        assert!(is_about(got, gbps), "{frames} frames: {got}");
    }
}

/// Pauses need about as much above the point at which they are asked for.
#[test]
fn credits_by_default_are_those_of_the_full_rate() {
    let mut plan = saturated(200, 1);
    plan.queue.cbfc = Some(Cbfc::default());
    let link = |plan: &Plan| plan.credit_base().unwrap().of_link(PortId(0));
    assert_eq!(link(&plan), Some(476));
    let left = &plan.fabric.switches[0];
    assert_eq!(plan.credit_base().unwrap().promised(left, 1), Bytes(2 * 121_856));
    let back = plan.fabric.ports[0].peer;
    let headroom = pause_headroom(&plan.fabric, &plan.faults, back, Bytes(4160), Bytes(0));
    assert_eq!(headroom, Bytes(112_544));
    for port in &mut plan.fabric.ports {
        port.rate = Rate::gbps(800);
    }
    assert_eq!(link(&plan), Some(884));
    assert_eq!(plan.credit_base().unwrap().promised(&plan.fabric.switches[0], 1).0, 2 * 226_304);
    assert_eq!(plan.credit_base().unwrap().of_link(back), None);
}

#[test]
fn a_slow_link_behind_fills_what_was_promised_and_no_more() {
    for (middle, held, gbps) in [(200, 16, 200.0), (40, 26, 40.0)] {
        let mut plan = dumbbell(1, middle, vec![Flow::at_zero(0, 1, Bytes(400 * 4096))]);
        plan.queue.cbfc = credits(28);
        plan.queue.size = Size::Packets(1.0);
        plan.record.packets = vec![FlowId(0)];
        let outcome = completed(&plan);
        let at = arrivals(&plan, &outcome, "left.to.right");
        assert!((rate(&at, 100, 350) - gbps).abs() < 0.1, "{}", rate(&at, 100, 350));
        let own = of_link(&outcome, plan.fabric.ports[0].peer).classes[0];
        assert_eq!(own.held_max, held * 17);
        assert_eq!(outcome.flows.at(0).dropped, 0);
        assert!(of_link(&outcome, PortId(0)).classes[0].without > Span::ZERO);
    }
}

/// Three hosts keep the wire busy by which messages come to a fourth, which sends to the other side.
#[test]
fn messages_wait_for_the_end_of_a_frame() {
    let message = Bytes(1700 * 4096);
    let senders = (1..4).map(|from| Flow::at_zero(from, 0, message));
    let flows: Vec<Flow> = [Flow::at_zero(0, 4, message)].into_iter().chain(senders).collect();
    for (frames, gbps) in [(13, 192.59), (27, 385.73), (28, 400.0)] {
        let mut plan = dumbbell(4, 400, flows.clone());
        plan.transport.ack = Bytes(1);
        plan.queue.cbfc = credits(frames);
        plan.record.packets = vec![FlowId(0)];
        let outcome = completed(&plan);
        let at = arrivals(&plan, &outcome, "left.to.right");
        let got = rate(&at, 500, 1500);
        assert!((got - gbps).abs() < 0.005 * gbps, "{frames} frames: {got}");
    }
}

/// A saturated sender over a link with a bit error rate of 1e-6, for a while: in Gb/s what the switch sends
/// on, and the cells that were given back.
fn over_noise(frames: u32, llr: Option<Llr>) -> (f64, u64) {
    let mut plan = saturated(60_000, frames);
    plan.record.packets.clear();
    let noise = PortChange::BitErrors { rate: 1e-6 };
    plan.faults.ports.push((PortId(0), vec![(Time::ZERO, noise)]));
    plan.llr = llr;
    let end = 256_000_000 * 16;
    plan.end = Some(Time(end));
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(violations(&plan, &outcome), [""; 0]);
    let sent = outcome.ports[port(&plan, "left.to.right").index()].bytes;
    let leaked = of_link(&outcome, plan.fabric.ports[0].peer).classes[0].leaked;
    (sent as f64 * 8e3 / end as f64, leaked)
}

#[test]
fn what_noise_takes_keeps_its_cells_until_the_sender_tells() {
    // At most frames / p in each period, of which a run of sixteen has 5 % more or less.
    for (frames, least, most) in [(14, 45.0, 59.0), (28, 90.0, 117.0)] {
        let (gbps, leaked) = over_noise(frames, None);
        assert!((least..=most).contains(&gbps) && leaked > 0, "{frames} frames: {gbps}");
    }
    for (frames, least, most) in [(14, 0.45, 0.47), (28, 0.66, 0.70)] {
        let bytes_max = Some(Bytes(14 * 4160));
        let llr = Llr { bytes_max, replays_max: WITHOUT_END, ..Llr::default() };
        let (gbps, leaked) = over_noise(frames, Some(llr));
        let share = gbps / 400.0;
        assert!(
            (least..=most).contains(&share) && leaked == 0,
            "{frames} frames: {share}, {leaked}"
        );
    }
}

/// Every packet goes two switches on in a ring of three, all in the same direction.
#[test]
fn a_circle_of_links_without_credit_stalls_and_is_named() {
    let text = "host a\nhost b\nhost c\n\
        switch x latency \"500 ns\"\nswitch y latency \"500 ns\"\nswitch z latency \"500 ns\"\n\
        link a x \"400 Gbps\" \"500 ns\"\nlink b y \"400 Gbps\" \"500 ns\"\n\
        link c z \"400 Gbps\" \"500 ns\"\nlink x y \"400 Gbps\" \"500 ns\"\n\
        link y z \"400 Gbps\" \"500 ns\"\nlink z x \"400 Gbps\" \"500 ns\"\n";
    let fabric = parse_graph(text).unwrap();
    let onwards = |port: PortId| {
        let from = fabric.ports[port.index()].owner;
        match (from, fabric.destination(port)) {
            (Node::Switch(from), Node::Switch(to)) => to.0 == (from.0 + 1) % 3,
            _ => true,
        }
    };
    let ring = Forwarding::Table(Table::shortest(&fabric, Weighting::Equal, &onwards));
    let flows = (0..3).map(|host| Flow::at_zero(host, (host + 2) % 3, Bytes::mib(1)));
    let traffic: Traffic = flows.collect::<Vec<_>>().into();
    let mut plan = plan(fabric, traffic, "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.cbfc = credits(20);
    plan.routes = vec![(Time::ZERO, ring)];
    plan.patience = Span::ms(1);
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert!(matches!(outcome.stop, Stop::Stalled(_)), "{:?}", outcome.stop);
    let owner = |port: &PortId| plan.fabric.ports[port.index()].owner;
    let owners: Vec<Node> = outcome.deadlock.iter().map(owner).collect();
    assert_eq!(owners, [0, 1, 2].map(|switch| Node::Switch(SwitchId(switch))));
    plan.queue.cbfc = None;
    plan.queue.size = Size::Unlimited;
    assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
}

#[test]
fn credits_lose_nothing_where_queues_without_them_would() {
    let mut plan = permutation(fat_tree(2, 16), Bytes::kib(256), "ecmp", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Packets(8.0);
    let dropped = |outcome: &Outcome| outcome.flows.iter().map(|flow| flow.dropped).sum::<u64>();
    assert!(dropped(&engine::run(&plan, &mut ())) > 0);
    plan.queue.cbfc = Some(Cbfc::default());
    assert_eq!(dropped(&completed(&plan)), 0);
}

/// Random plans with credits run out of them, leak, and tell all there is to tell.
#[test]
fn random_plans_run_out_of_credit_and_leak() {
    let mut rng = Rng::new(3, "plans", 0);
    let (mut without, mut leaked, mut lost, mut consumed) = (0, 0, 0, 0);
    for _ in 0..60 {
        let numbers: Vec<u32> = (0..200).map(|_| rng.next_u64() as u32).collect();
        let plan = crate::random::plan_with_credits(&numbers);
        assert_eq!(trouble(&plan), None, "&{numbers:?}");
        for own in engine::run(&plan, &mut ()).credits {
            without += u64::from(own.sum(|class| class.without.0) > 0);
            leaked += own.sum(|class| class.leaked);
            lost += own.lost_frames;
            consumed += own.consumed_frames;
        }
    }
    let counts = [without, leaked, lost, consumed];
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}
