//! Hybrid ToRs: circuits beside a packet network.

use crate::common::{completed, plan};
use raddle_schemes::buffer::{self, resizing};
use raddle_schemes::congestion::{self, fixed_rate, retcp};
use raddle_schemes::ids::PortId;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{marking, recovery};
use raddle_sim::plan::{BufferPlan, Per, Plan};
use raddle_sim::record::Outcome;
use raddle_sim::topology::Topology;
use raddle_sim::topology::hybrid::HybridShape;
use raddle_sim::topology::packet_network::Counters;
use raddle_sim::workload::{Flow, Start};

/// Etalon's circuit and packet network between three racks, so that there is none back in a day; links
/// of hosts hardly count.
fn racks(day: Span) -> HybridShape {
    HybridShape {
        tors: 3,
        hosts_per_tor: 2,
        rate: Rate::gbps(400),
        circuit_rate: Rate::gbps(80),
        packet_rate: Rate::gbps(10),
        link_delay: Span::ns(10),
        circuit_delay: Span::us(30),
        packet_delay: Span::ns(2_500),
        switch_delay: Span::ZERO,
        day,
        night: Span::us(20),
        notice: Span::ZERO,
        counters: Counters::Voq,
    }
}

/// These flows, each with a fixed window, packets of 1,500 B.
fn windows(shape: &HybridShape, flows: Vec<Flow>, window: Size) -> Plan {
    let mut plan = plan(shape.build().expect("a fabric"), flows.into(), "ecmp", 1);
    plan.transport.payload = Bytes(1_436);
    plan.queue.size = Size::Unlimited;
    plan.queue.marking = marking::Config::named("none").expect("a scheme");
    plan.transport.congestion =
        congestion::Config::FixedRate(fixed_rate::Config { window, ..Default::default() });
    plan
}

fn port(plan: &Plan, name: &str) -> PortId {
    plan.fabric.port_named(name).expect("a port")
}

fn bytes(plan: &Plan, outcome: &Outcome, name: &str) -> u64 {
    outcome.ports[port(plan, name).index()].bytes
}

/// A window of the queue and the 12.5 kB that the packet network has under way fills the day to that
/// over 35 us of 80 Gbps, which is 14, 24, 45, 86 and 100 % for queues of 4 to 64 packets of 9 kB.
#[test]
fn a_fixed_window_fills_so_much_of_a_day() {
    let day = Span::ms(2);
    for (packets, share) in [(4, 13.9), (8, 24.1), (16, 44.7), (32, 85.9), (64, 100.0)] {
        let window = Bytes(packets * 9_000 + 12_500);
        let flows = vec![Flow::at_zero(0, 2, Bytes::mib(100))];
        let mut plan = windows(&racks(day), flows, Size::Bytes(window));
        // The second day of the pair.
        plan.end = Some(Time(2 * day.0 + 3 * Span::us(20).0 + day.0));
        assert_eq!(crate::common::agree::trouble(&plan), None);
        let outcome = raddle_sim::engine::run(&plan, &mut ());
        let sent = bytes(&plan, &outcome, "tor0.to.tor1");
        let most = 2 * Rate::gbps(80).bytes_in(day).0;
        let got = 100.0 * sent as f64 / most as f64;
        assert!((got - share).abs() < 2.0, "{packets}: {got} % and not {share}");
    }
}

/// From the night to the end of the pair's day nothing of it goes over the packet network, and at other
/// times nothing over the circuit.
#[test]
fn a_pair_uses_one_network_at_a_time() {
    let flows = vec![Flow::at_zero(0, 2, Bytes::mib(4))];
    let mut plan = windows(&racks(Span::us(180)), flows, Size::Packets(100.0));
    plan.record.bucket = Span::us(20);
    plan.record.ports = vec![port(&plan, "tor0.to.tor1"), port(&plan, "tor0.to.core")];
    let outcome = completed(&plan);
    let [circuit, packets] = [0, 1].map(|series: usize| &outcome.series[series].bytes);
    assert!(circuit.iter().sum::<u64>() > 0 && packets.iter().sum::<u64>() > 0);
    for (bucket, (circuit, packets)) in circuit.iter().zip(packets).enumerate() {
        // A week of 400 us: night, day of 180 us, then the other pair's.
        let in_week = bucket % 20;
        // The last packet of the day may end as it does, and that before the night in it.
        let most = if in_week == 10 { 1_500 } else { 0 };
        assert!((1..10).contains(&in_week) || *circuit <= most, "bucket {bucket}: {circuit}");
        let most = if in_week == 0 { 1_500 } else { 0 };
        assert!(in_week >= 10 || *packets <= most, "bucket {bucket}: {packets}");
    }
}

/// Two racks have all that they want; the packet uplink takes from their queues in turn.
#[test]
fn the_packet_uplink_is_shared_in_turn() {
    let flows = vec![Flow::at_zero(0, 2, Bytes::mib(8)), Flow::at_zero(1, 4, Bytes::mib(8))];
    let shape = HybridShape { tors: 6, ..racks(Span::us(200)) };
    let mut plan = windows(&shape, flows, Size::Packets(50.0));
    // The days of neither: the third to the fifth slot of the week.
    plan.record.bucket = Span::us(220);
    plan.record.ports =
        [2, 4].map(|host| port(&plan, &format!("tor{}.to.host{host}", host / 2))).into();
    plan.end = Some(Time::ZERO + Span::us(1_100));
    assert_eq!(crate::common::agree::trouble(&plan), None);
    let outcome = raddle_sim::engine::run(&plan, &mut ());
    let frames = [0, 1].map(|series: usize| &outcome.series[series].data_frames);
    for slot in 3..5 {
        let of_slot = frames.map(|frames| frames[slot]);
        assert!(of_slot[0].abs_diff(of_slot[1]) <= 1 && of_slot[0] > 85, "{of_slot:?}");
    }
}

/// A packet takes 1.2 us at 10 Gbps.
#[test]
fn a_day_is_long_enough_for_a_packet() {
    let shape = HybridShape { circuit_rate: Rate::gbps(10), ..racks(Span::us(1)) };
    let plan = windows(&shape, vec![Flow::at_zero(0, 2, Bytes(1))], Size::Unlimited);
    let error = plan.check_limits().unwrap_err().to_string();
    assert!(error.contains("make slots longer"), "{error}");
}

/// 16 packets, and 50 from 600 us before the day, which is from 1,220 to 1,400 us.
#[test]
fn a_queue_holds_what_its_size_is_at_the_time() {
    let shape = HybridShape { tors: 8, ..racks(Span::us(180)) };
    let policy = buffer::Config::Resizing(resizing::Config::default());
    for (start, end, packets) in [(0, 619, 16), (700, 900, 50), (1_100, 1_210, 50)] {
        let start = Start::At(Time::ZERO + Span::us(start));
        let flow = |host| Flow { start, ..Flow::at_zero(host, 14, Bytes::mib(8)) };
        let mut plan = windows(&shape, (0..2).map(flow).collect(), Size::Packets(100.0));
        plan.buffer = Some(BufferPlan {
            size: Size::Bytes(Bytes::mib(64)),
            policy: policy.clone(),
            per: Per::Switch,
        });
        plan.end = Some(Time::ZERO + Span::us(end));
        assert_eq!(crate::common::agree::trouble(&plan), None);
        let outcome = raddle_sim::engine::run(&plan, &mut ());
        let most = outcome.ports[port(&plan, "tor0.to.tor7").index()].queue_bytes_max;
        assert_eq!(most, packets * 1_500, "until {end} us");
    }
}

/// The window of a Reno that fills queues of 16 packets is doubled for its day.
#[test]
fn retcp_sends_more_in_a_day_than_the_tcp_below_it() {
    let sent = |scheme: congestion::Config| {
        let flows = (0..2).map(|host| Flow::at_zero(host, host + 2, Bytes::mib(30))).collect();
        let shape = racks(Span::us(400));
        let mut plan = windows(&shape, flows, Size::Unlimited);
        plan.transport.congestion = scheme;
        plan.transport.recovery = recovery::Config::named("tcp").unwrap();
        plan.queue.size = Size::Packets(64.0);
        plan.end = Some(Time::ZERO + Span::ms(20));
        assert_eq!(crate::common::agree::trouble(&plan), None);
        let outcome = raddle_sim::engine::run(&plan, &mut ());
        bytes(&plan, &outcome, "tor0.to.tor1")
    };
    let reno = sent(congestion::Config::named("reno").unwrap());
    let retcp = sent(congestion::Config::Retcp(retcp::Config::default()));
    assert!(retcp > reno, "{retcp} and {reno}");
}
