//! Times of 32 bits come round every 4.3 ms and tell apart half of that: runs that are longer, links
//! and queues that come close.

use crate::common::agree::trouble;
use crate::common::{fat_tree, permutation, plan};
use raddle_schemes::buffer;
use raddle_schemes::congestion::{self, fixed_rate};
use raddle_schemes::family::Raw;
use raddle_schemes::ids::HostId;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine::{self, HORIZON};
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{BufferPlan, Overflow, Per, Pfc, Plan, Service};
use raddle_sim::record::DropCause;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::{Flow, Start};

/// One turn of 32 bits.
const TURN: u64 = 1 << 32;

/// The plan with each kind of port: computed departures for one class, for two and for several, with
/// and without trimming, and real queues.
fn with_every_port(plan: &Plan) -> impl Iterator<Item = Plan> {
    let kinds = [
        (Service::Fifo, Overflow::Drop, 1),
        (Service::Priority, Overflow::Drop, 1),
        (Service::Priority, Overflow::Trim, 1),
        (Service::Drr, Overflow::Trim, 2),
        (Service::Drr, Overflow::Trim, 1),
    ];
    kinds.into_iter().map(|(service, overflow, classes)| {
        let mut plan = plan.clone();
        (plan.queue.service, plan.queue.overflow, plan.queue.classes) =
            (service, overflow, classes);
        plan.queue.shares = vec![4160; usize::from(classes)];
        plan
    })
}

fn assert_engines_agree(plan: &Plan) {
    for plan in with_every_port(plan) {
        assert_eq!(trouble(&plan), None, "{:?}", plan.queue);
    }
}

fn set_delays(plan: &mut Plan, delay: Span) {
    plan.fabric.ports.iter_mut().for_each(|port| port.delay = delay);
}

/// Flows that start before, at and after each turn.
fn flows_around_turns() -> Plan {
    let starts = [0, TURN - 1_000_000, TURN - 1, TURN, TURN + 1, 2 * TURN, 3 * TURN - 600_000];
    let flows: Vec<_> = starts
        .into_iter()
        .zip(0..)
        .map(|(at, i)| Flow {
            start: Start::At(Time(at)),
            ..Flow::at_zero(i, 15 - i, Bytes(100_000))
        })
        .collect();
    plan(fat_tree(2, 16), flows.into(), "ops", 1)
}

/// A fabric that is busy through several turns.
fn busy_turns() -> Plan {
    // 10 Gbps: 4 MiB take 3.5 ms, two of them one after the other on the same links.
    let mut plan = permutation(fat_tree(2, 4), Bytes::mib(4), "reps", 1);
    plan.fabric.ports.iter_mut().for_each(|port| port.rate = Rate::gbps(10));
    let mut later = plan.traffic.flows.clone();
    for flow in &mut later {
        flow.start = Start::At(Time(TURN - 7));
    }
    plan.traffic.flows.extend(later);
    plan.queue.size = Size::Packets(20.0);
    plan
}

#[test]
fn flows_start_before_at_and_after_each_turn() {
    assert_engines_agree(&flows_around_turns());
}

#[test]
fn a_busy_fabric_runs_through_several_turns() {
    assert_engines_agree(&busy_turns());
}

#[test]
fn ports_are_paused_through_a_turn() {
    for mut plan in [flows_around_turns(), busy_turns()] {
        let [xoff, xon] = [3.0, 1.0].map(Size::Packets);
        plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(500)) });
        assert_eq!(trouble(&plan), None);
        let outcome = engine::run(&plan, &mut ());
        let records = outcome.ports.iter().filter_map(|port| port.pfc.as_ref());
        assert!(records.map(|pfc| pfc.pauses).sum::<u64>() > 0);
        plan.queue.classes = 3;
        plan.traffic.flows.iter_mut().zip(0..).for_each(|(flow, i)| flow.class = i % 3);
        assert_eq!(trouble(&plan), None);
    }
}

/// Both, with all flows to one host: what is between it and its switch is full around each turn.
fn to_one_host() -> impl Iterator<Item = (Plan, HostId)> {
    [flows_around_turns(), busy_turns()].into_iter().map(|mut plan| {
        let last = HostId(plan.fabric.hosts - 1);
        plan.traffic.flows.retain(|flow| flow.source != last);
        plan.traffic.flows.iter_mut().for_each(|flow| flow.destination = last);
        (plan, last)
    })
}

fn lost(plan: &Plan, cause: DropCause) -> u64 {
    let ports = engine::run(plan, &mut ()).ports;
    ports.iter().map(|port| port.dropped[cause as usize]).sum()
}

#[test]
fn ports_share_memory_through_a_turn() {
    for (mut plan, _) in to_one_host() {
        plan.buffer = Some(BufferPlan {
            size: Size::Packets(12.0),
            policy: buffer::Config::named("dynamic_thresholds").unwrap(),
            per: Per::Switch,
        });
        assert_engines_agree(&plan);
        assert!(lost(&plan, DropCause::Overflow) > 0);
    }
}

#[test]
fn links_change_around_a_turn() {
    for (plan, host) in to_one_host() {
        let port = plan.fabric.ports[host.index()].peer;
        let half = Rate(plan.fabric.ports[port.index()].rate.0 / 2);
        for at in [TURN - 1_000_000, TURN - 1, TURN, TURN + 1] {
            let mut plan = plan.clone();
            let changes = [
                (at, PortChange::Down),
                (at + 4_000_000, PortChange::Up),
                (at + 4_000_000, PortChange::Rate { rate: half, scale: true }),
                (at + 4_500_000, PortChange::Loss { probability: 1 << 28 }),
            ];
            let changes = changes.map(|(at, change)| (Time(at), change)).to_vec();
            plan.faults.ports.push((port, changes));
            assert_engines_agree(&plan);
            assert!(lost(&plan, DropCause::LinkDown) > 0 && lost(&plan, DropCause::Loss) > 0);
        }
    }
}

#[test]
fn links_may_be_as_long_as_the_horizon_allows() {
    let mut plan = permutation(fat_tree(2, 4), Bytes(300_000), "reps", 1);
    plan.patience = Span::ms(200);
    // 4160 B take 83.2 ns, a switch 500 ns. From 2^30 ps on, ports compute no departures.
    for longest in [HORIZON.0 / 2, HORIZON.0] {
        let delay = longest - 1 - 83_200 - 500_000;
        for less in [0, 1, 400_000_000] {
            set_delays(&mut plan, Span(delay - less));
            plan.queue.size = Size::Packets(50.0);
            assert_eq!(plan.check_limits(), Ok(()));
            assert_engines_agree(&plan);
        }
    }
}

#[test]
fn ports_agree_on_both_sides_of_where_departures_are_computed() {
    // Below 2^30 ps for the largest frame, the gap and the link; 20 ps to the byte, 500 ns to the
    // switch's latency. The largest frame is a packet, and then an ACK.
    for (payload, ack, largest) in [(4_096, 64, 4_160), (1_000, 5_000, 5_000)] {
        for gap in [0, 20, 65_535] {
            let bound = (1 << 30) - 500_000 - 20 * (largest + gap);
            for delay in [bound - 1, bound, bound + 1] {
                let mut plan = permutation(fat_tree(2, 4), Bytes(100_000), "reps", 1);
                plan.transport.payload = Bytes(payload);
                plan.transport.ack = Bytes(ack);
                plan.queue.gap = Bytes(gap);
                plan.queue.size = Size::Packets(10.0);
                plan.patience = Span::ms(200);
                set_delays(&mut plan, Span(delay));
                assert_eq!(plan.check_limits(), Ok(()));
                assert_engines_agree(&plan);
            }
        }
    }
}

#[test]
fn ports_agree_on_both_sides_of_the_capacity_that_32_bits_count() {
    // Below 2^31 B departures are computed. 33 400 packets of 65 535 B come three times as fast as
    // they leave: the queue is full before the last of them.
    let shape = Dumbbell {
        hosts_per_side: 3,
        rate: Rate::gbps(400),
        link_delay: Span::us(2),
        bottleneck_rate: Rate::gbps(10),
        bottleneck_delay: Span::us(2),
        switch_delay: Span::ns(500),
    };
    let fabric = shape.build().unwrap();
    let flows: Vec<_> = (0..3).map(|i| Flow::at_zero(i, 3 + i, Bytes(11_200 * 65_471))).collect();
    let mut plan = plan(fabric, flows.into(), "ecmp", 1);
    plan.transport.payload = Bytes(65_471);
    let config = fixed_rate::Config { window: Size::Packets(20_000.0), ..Default::default() };
    plan.transport.congestion = congestion::Config::FixedRate(config);
    // Nothing is sent again while the queue is full.
    plan.end = Some(Time(40_000_000_000));
    plan.transport.recovery.set("rto", Raw::Text("1 s")).unwrap();
    for size in [(1 << 31) - 1, 1 << 31] {
        plan.queue.size = Size::Bytes(Bytes(size));
        for service in [Service::Fifo, Service::Priority] {
            plan.queue.service = service;
            assert_eq!(trouble(&plan), None, "{size} B, {service:?}");
            let outcome = engine::run(&plan, &mut ());
            let most = outcome.ports.iter().map(|port| port.queue_bytes_max).max();
            assert!(most.is_some_and(|most| most > size - 65_535 && most <= size), "{most:?}");
        }
    }
}

#[test]
fn queues_of_data_may_take_as_long_as_the_horizon() {
    // At 100 Mbps a packet takes 0.33 ms; 3, 6, 12 and 30 of them wait.
    let shape = Dumbbell {
        hosts_per_side: 4,
        rate: Rate::gbps(10),
        link_delay: Span::us(1),
        bottleneck_rate: Rate(100_000_000),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ns(500),
    };
    for packets in [3.0, 6.0, 12.0, 30.0] {
        let flows: Vec<_> = (0..4).map(|i| Flow::at_zero(i, 4 + i, Bytes(60_000))).collect();
        let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
        plan.queue.size = Size::Packets(packets);
        plan.patience = Span::ms(500);
        assert_engines_agree(&plan);
    }
}

#[test]
fn queues_of_data_may_take_many_times_the_horizon() {
    // At 1 Gbps a packet takes 33 us: 1500 of them take 50 ms.
    let shape = Dumbbell {
        hosts_per_side: 4,
        rate: Rate::gbps(10),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(1),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ns(500),
    };
    for service in [Service::Fifo, Service::Priority] {
        for packets in [100.0, 1_500.0] {
            let flows: Vec<_> = (0..4).map(|i| Flow::at_zero(i, 4 + i, Bytes(2_000_000))).collect();
            let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
            plan.queue.size = Size::Packets(packets);
            plan.queue.service = service;
            let config = fixed_rate::Config { window: Size::Packets(400.0), ..Default::default() };
            plan.transport.congestion = congestion::Config::FixedRate(config);
            plan.patience = Span::ms(500);
            plan.end = Some(Time(100_000_000_000));
            assert_engines_agree(&plan);
        }
    }
}

#[test]
fn gaps_may_take_longer_than_the_horizon() {
    let shape = Dumbbell {
        hosts_per_side: 2,
        rate: Rate::gbps(10),
        link_delay: Span::us(1),
        bottleneck_rate: Rate(100_000_000),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ns(500),
    };
    for service in [Service::Fifo, Service::Priority] {
        for gap in [20, 20_000, 40_000, 65_535].map(Bytes) {
            let flows: Vec<_> = (0..2).map(|i| Flow::at_zero(i, 2 + i, Bytes(60_000))).collect();
            let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
            plan.queue.size = Size::Packets(3.0);
            plan.queue.service = service;
            plan.queue.gap = gap;
            plan.patience = Span::ms(500);
            plan.end = Some(Time(200_000_000_000));
            assert_engines_agree(&plan);
        }
    }
}

#[test]
fn queues_of_control_frames_may_take_longer_than_the_horizon() {
    // Whatever finds the queue full is cut to 64 B: 5.12 us at 100 Mbps, 420 of them 2.1 ms.
    let shape = Dumbbell {
        hosts_per_side: 8,
        rate: Rate::gbps(10),
        link_delay: Span::us(1),
        bottleneck_rate: Rate(100_000_000),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ns(500),
    };
    let flows: Vec<_> = (0..8).map(|i| Flow::at_zero(i, 8 + i, Bytes(1_000_000))).collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.queue.size = Size::Packets(2.0);
    plan.end = Some(Time(40_000_000_000));
    for window in [20.0, 60.0, 240.0] {
        let config = fixed_rate::Config { window: Size::Packets(window), ..Default::default() };
        plan.transport.congestion = congestion::Config::FixedRate(config);
        assert_engines_agree(&plan);
    }
}
