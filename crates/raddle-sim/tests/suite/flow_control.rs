//! Priority-based flow control, where what it comes to can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion;
use raddle_schemes::family::Raw;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{Overflow, Pfc, PfcLinks, Plan, Service, Watchdog};
use raddle_sim::record::{Outcome, PfcRecord, RecordPlan, Stop};
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::topology::routing::{Forwarding, Table, Weighting};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::topology::{Fabric, Node};
use raddle_sim::workload::{Flow, Traffic};

const PACKET: u64 = 4_160;

/// No congestion control, and pauses of `quanta` from `xoff` packets on, down to `xon`.
fn paused(fabric: Fabric, traffic: Traffic, (xoff, xon): (f64, f64), quanta: Span) -> Plan {
    let mut plan = plan(fabric, traffic, "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Packets(1_000.0);
    plan.queue.pfc =
        Some(Pfc { xoff: Size::Packets(xoff), xon: Size::Packets(xon), ..Pfc::of_memory(quanta) });
    plan
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

fn dumbbell(hosts_per_side: u32, bottleneck_rate: Rate) -> Fabric {
    let shape = Dumbbell {
        hosts_per_side,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate,
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    shape.build().unwrap()
}

/// Eight hosts of one rack, and two of the other, send to one host.
fn incast() -> Plan {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::leaf_spine(2, 8, 4, 1, Rate::gbps(400), link, switch).unwrap();
    let senders = (8..16).chain([1, 2]);
    let flows: Vec<Flow> = senders.map(|from| Flow::at_zero(from, 0, Bytes::kib(512))).collect();
    paused(shape.build().unwrap(), flows.into(), (20.0, 10.0), Span::us(5))
}

fn pfc(outcome: &Outcome) -> impl Iterator<Item = &PfcRecord> {
    outcome.ports.iter().filter_map(|port| port.pfc.as_deref())
}

#[test]
fn with_headroom_an_incast_drops_nothing_and_stays_below_its_bound() {
    let mut plan = incast();
    let outcome = run(&plan);
    assert_eq!(outcome.stop, Stop::Completed);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0 && flow.retransmitted == 0));
    // From the crossing until the last frame of the far end is there: one frame that is in service
    // here, the PFC frame, its way, one frame that is in service there, the way back.
    let rate = Rate::gbps(400);
    let wire = rate.serialisation(Bytes(2 * PACKET + 64));
    let longest_way = Span::ns(2_000);
    let headroom = rate.bytes_in(wire + longest_way);
    let bound = 20 * PACKET + PACKET + headroom.0;
    let most = pfc(&outcome).map(|record| record.ingress_bytes_max).max().unwrap();
    assert!((20 * PACKET + 1..=bound).contains(&most), "{most} of {bound}");
    let told: u64 = pfc(&outcome).map(|record| record.pauses).sum();
    assert!(told > 10, "{told}");
    // PFC frames are neither forwarded nor among the frames of their port.
    assert!(pfc(&outcome).any(|record| record.frames > 0));
    assert_eq!(outcome.in_flight_data, 0);
    // The same without pauses loses packets. With them a queue has room for all that they let come,
    // whatever its size.
    plan.queue.size = Size::Packets(100.0);
    plan.queue.pfc = None;
    assert!(run(&plan).flows.iter().any(|flow| flow.dropped > 0));
    plan.queue.pfc = Some(Pfc {
        xoff: Size::Packets(99.0),
        xon: Size::Packets(98.0),
        ..Pfc::of_memory(Span::us(5))
    });
    let outcome = run(&plan);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0));
    assert!(outcome.ports.iter().any(|port| port.queue_bytes_max > 100 * PACKET));
}

/// `scale_queue` takes a slow link's queue down to a packet, and `xoff` stays what it is.
#[test]
fn a_slow_link_behind_flow_control_loses_nothing() {
    let mut plan = incast();
    plan.queue.size = Size::Packets(60.0);
    let ports = (0..).map(PortId).zip(&plan.fabric.ports).skip(16);
    let slow = |rate: Rate| PortChange::Rate { rate: Rate(rate.0 / 100), scale: true };
    plan.faults.ports = ports.map(|(id, port)| (id, vec![(Time::ZERO, slow(port.rate))])).collect();
    plan.end = Some(Time(2_000_000_000));
    let outcome = run(&plan);
    assert!(pfc(&outcome).map(|record| record.pauses).sum::<u64>() > 0);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0));
    assert!(pfc(&outcome).all(|record| record.refused == 0));
}

#[test]
fn pauses_hold_in_every_discipline_and_with_trimming() {
    for (service, shares) in [
        (Service::Fifo, vec![]),
        (Service::Drr, vec![2_000, 8_000, 4_160]),
        (Service::Wrr, vec![1, 2, 3]),
    ] {
        let mut plan = incast();
        plan.queue.service = service;
        plan.queue.classes = shares.len().max(1) as u8;
        plan.queue.shares = shares;
        for (class, flow) in plan.traffic.flows.iter_mut().enumerate() {
            flow.class = class as u8 % plan.queue.classes;
        }
        let outcome = run(&plan);
        assert_eq!(outcome.stop, Stop::Completed);
        assert!(outcome.flows.iter().all(|flow| flow.dropped == 0 && flow.retransmitted == 0));
        if service != Service::Fifo {
            plan.queue.overflow = Overflow::Trim;
            plan.queue.size = Size::Packets(21.0);
            assert!(run(&plan).flows.iter().all(|flow| flow.trimmed == 0));
        }
    }
}

/// One flow into a link of a fifth of the host's rate, and the host's departures in buckets of
/// 10 ns.
fn into_slow_link(quanta: Span) -> Plan {
    let flow = Flow::at_zero(0, 1, Bytes(1_000 * 4_096));
    let mut plan = paused(dumbbell(1, Rate::gbps(80)), vec![flow].into(), (10.0, 5.0), quanta);
    plan.record = RecordPlan { ports: vec![PortId(0)], bucket: Span::ns(10), ..Default::default() };
    plan
}

/// The longest time in which host 0 sent nothing, in ns, before it was done.
fn longest_silence(outcome: &Outcome) -> usize {
    let buckets = &outcome.series[0].data_frames;
    let sent: Vec<usize> = (0..buckets.len()).filter(|&i| buckets[i] > 0).collect();
    10 * sent.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
}

#[test]
fn a_pause_that_nobody_renews_ends_by_itself() {
    let quanta = Span::us(20);
    let mut plan = into_slow_link(quanta);
    // Once the first pause has come, nothing more reaches the host, neither PFC frame nor ACK.
    let back = plan.fabric.ports[0].peer;
    plan.faults.ports = vec![(back, vec![(Time(5_000_000), PortChange::Down)])];
    plan.transport.recovery.set("rto", Raw::Text("1 ms")).unwrap();
    plan.end = Some(Time(200_000_000));
    let silence = longest_silence(&run(&plan));
    // From the end of the frame in service, at most one frame after the pause came, to the end of
    // the first frame after it.
    let packet = 84;
    assert!((20_000..=20_000 + packet + 20).contains(&silence), "{silence} ns");
}

#[test]
fn a_pause_is_renewed_until_the_queue_has_drained() {
    // 14 packets or so wait at 416 ns each; a pause of 1 us has to be renewed.
    let mut plan = into_slow_link(Span::us(1));
    let short = run(&plan);
    plan.queue.pfc.as_mut().unwrap().quanta = Span::us(100);
    let long = run(&plan);
    let frames = |outcome: &Outcome| pfc(outcome).map(|record| record.frames).sum::<u64>();
    let pauses = |outcome: &Outcome| pfc(outcome).map(|record| record.pauses).sum::<u64>();
    // A pause and a resume each, with a long one; the last resume may not be needed any more.
    assert_eq!(frames(&long), 2 * pauses(&long));
    assert_eq!(pauses(&short), pauses(&long));
    assert!(frames(&short) >= 5 * pauses(&short), "{} {}", frames(&short), pauses(&short));
    assert_eq!(short.flows, long.flows);
}

#[test]
fn a_paused_class_holds_up_flows_that_go_elsewhere() {
    // Hosts 0 and 4 send to host 3; host 1 sends to host 5 across the same cable of 800 Gbps.
    let message = Bytes(1_000 * 4_096);
    let flows = [(0, 3), (4, 3), (1, 5)].map(|(from, to)| Flow::at_zero(from, to, message));
    let fabric = dumbbell(3, Rate::gbps(800));
    let mut plan = paused(fabric, flows.to_vec().into(), (20.0, 10.0), Span::us(5));
    let victim = |plan: &Plan| run(plan).flows.at(2).delivered.unwrap().as_us();
    let held_up = victim(&plan);
    plan.queue.classes = 2;
    plan.traffic.flows[2].class = 1;
    let in_its_own_class = victim(&plan);
    let pfc = plan.queue.pfc.take();
    plan.queue.size = Size::Unlimited;
    let free = victim(&plan);
    assert!(pfc.is_some());
    // Paused as often as host 0, it gets the half of its rate.
    assert!(held_up / free > 1.6, "{held_up} us, {free} us");
    assert!(in_its_own_class / free < 1.01, "{in_its_own_class} us, {free} us");
}

/// Every packet goes two switches on in a ring of three, all in the same direction.
fn ring() -> Plan {
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
    let mut plan = paused(fabric, traffic, (20.0, 0.0), Span::us(5));
    plan.routes = vec![(Time::ZERO, ring)];
    plan.patience = Span::ms(1);
    plan
}

#[test]
fn a_circle_of_full_buffers_stalls() {
    let mut plan = ring();
    let outcome = run(&plan);
    assert!(matches!(outcome.stop, Stop::Stalled(_)), "{:?}", outcome.stop);
    assert!(outcome.in_flight_data > 0);
    // Each of the three links of the ring waits for the next.
    let name = |port: &PortId| plan.fabric.ports[port.index()].owner;
    let owners: Vec<Node> = outcome.deadlock.iter().map(name).collect();
    assert_eq!(owners, [0, 1, 2].map(|switch| Node::Switch(SwitchId(switch))));
    let ahead = |port: &PortId| plan.fabric.destination(*port);
    let next: Vec<Node> = outcome.deadlock.iter().map(ahead).collect();
    assert_eq!(next, [1, 2, 0].map(|switch| Node::Switch(SwitchId(switch))));
    // With a queue for each and no pauses they all get through.
    plan.queue.pfc = None;
    assert_eq!(run(&plan).stop, Stop::Completed);
}

#[test]
fn a_watchdog_breaks_a_circle_of_full_buffers() {
    let mut plan = ring();
    let detection = Span::us(100);
    let watchdog = Watchdog { detection, restoration: Span::us(20) };
    plan.queue.pfc = plan.queue.pfc.map(|pfc| Pfc { watchdog: Some(watchdog), ..pfc });
    let outcome = run(&plan);
    assert_eq!(outcome.stop, Stop::Completed);
    assert!(outcome.deadlock.is_empty());
    // Nothing moves from when the circle has closed until the watchdog bites.
    let longest = outcome.flows.iter().filter_map(|flow| flow.acked).max().unwrap();
    assert!(longest > Time::ZERO + detection, "{longest}");
    let ignored: Vec<u64> = pfc(&outcome).map(|record| record.ignored).collect();
    assert!(ignored.iter().sum::<u64>() > 0, "{ignored:?}");
    // The queues have room for what comes all the same.
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0));
}

#[test]
fn a_watchdog_that_never_bites_changes_nothing() {
    let mut plan = incast();
    let without = run(&plan);
    let watchdog = Watchdog { detection: Span::ms(100), restoration: Span::ms(100) };
    plan.queue.pfc = plan.queue.pfc.map(|pfc| Pfc { watchdog: Some(watchdog), ..pfc });
    assert_eq!(run(&plan), without);
}

#[test]
fn where_a_watchdog_may_send_on_queues_drop_beyond_their_size() {
    let mut plan = incast();
    plan.queue.size = Size::Packets(60.0);
    let kept = run(&plan);
    let longest = |outcome: &Outcome| outcome.ports.iter().map(|port| port.queue_bytes_max).max();
    assert!(longest(&kept).unwrap() > 60 * PACKET);
    assert!(kept.flows.iter().all(|flow| flow.dropped == 0));
    let watchdog = Watchdog { detection: Span::us(10), restoration: Span::us(10) };
    plan.queue.pfc = plan.queue.pfc.map(|pfc| Pfc { watchdog: Some(watchdog), ..pfc });
    let outcome = run(&plan);
    assert!(longest(&outcome).unwrap() <= 60 * PACKET, "{:?}", longest(&outcome));
    assert!(outcome.flows.iter().any(|flow| flow.dropped > 0));
}

#[test]
fn lossless_queues_send_nothing_again_that_only_waits() {
    // 16 hosts of 1 MiB, of which a queue of 40 packets holds a hundredth.
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::leaf_spine(2, 16, 4, 1, Rate::gbps(100), link, switch).unwrap();
    let flows: Vec<Flow> = (1..17).map(|from| Flow::at_zero(from, 0, Bytes::mib(1))).collect();
    let mut plan = paused(shape.build().unwrap(), flows.into(), (20.0, 10.0), Span::us(5));
    plan.queue.size = Size::Packets(40.0);
    let outcome = run(&plan);
    assert_eq!(outcome.stop, Stop::Completed);
    assert!(outcome.flows.iter().all(|flow| flow.dropped == 0 && flow.retransmitted == 0));
}

#[test]
fn between_hosts_and_switches_alone_switches_pause_hosts_and_lose_what_comes_from_above() {
    let mut plan = incast();
    plan.queue.size = Size::Packets(60.0);
    plan.queue.pfc = plan.queue.pfc.map(|pfc| Pfc { links: PfcLinks::Hosts, ..pfc });
    let outcome = run(&plan);
    for (port, record) in plan.fabric.ports.iter().zip(&outcome.ports).skip(16) {
        let below_is_host = plan.fabric.ports[port.peer.index()].owner;
        let is_told = matches!(below_is_host, Node::Host(_));
        assert_eq!(record.pfc.is_some(), is_told, "{}", port.name);
    }
    assert!(pfc(&outcome).map(|record| record.pauses).sum::<u64>() > 0);
    // The eight from the other rack come through uplinks that nobody pauses.
    assert!(outcome.flows.iter().take(8).any(|flow| flow.dropped > 0));
}
