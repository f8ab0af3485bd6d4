//! What hosts do by themselves: paces, phases, turns at the NIC; in both engines.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion::{self, Pacing, fixed_rate};
use raddle_schemes::ids::FlowId;
use raddle_schemes::recovery::{self, sack};
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, RateTo, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_sim::{bound, engine};

/// Both engines' outcome, which obeys the laws.
fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

/// Cables of 100 Gbps and 1 us, a bottleneck that is none.
fn dumbbell(hosts_per_side: u32) -> Dumbbell {
    Dumbbell {
        hosts_per_side,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(800),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    }
}

/// Four flows paced at half the rate of the NIC that they share, of 8, 8, 8 and 24 MiB.
fn four_at_half_rate(pacing: Pacing) -> Plan {
    let flows = [8, 8, 8, 24].into_iter().zip(4..);
    let flows: Vec<_> = flows.map(|(mib, to)| Flow::at_zero(0, to, Bytes::mib(mib))).collect();
    let mut plan = plan(dumbbell(4).build().unwrap(), flows.into(), "ecmp", 1);
    plan.queue.size = Size::Unlimited;
    plan.transport.congestion = congestion::Config::FixedRate(fixed_rate::Config {
        rate: fixed_rate::Pace::At(Rate::gbps(50)),
        pacing,
        ..Default::default()
    });
    plan
}

/// While all four have something to send each gets 25 Gbps: 8192 packets of 4160 B at 100 Gbps.
/// After that the last of them has 4096 left, and its pace lets none leave earlier than 665.6 ns
/// after the one before. With the grid kept it makes up for missed slots at 100 Gbps.
#[test]
fn a_flow_that_shared_its_nic_is_no_faster_than_its_pace_when_it_is_alone() {
    let end = |pacing| run(&four_at_half_rate(pacing)).flows.at(3).delivered.unwrap().as_us();
    let (spaced, on_a_grid) = (end(Pacing::Spacing), end(Pacing::Slots));
    let (shared, alone) = (8192.0 * 0.3328, 4096.0 * 0.6656);
    let way = Time(3_000_000 + 2 * 332_800 + 41_600).as_us();
    assert!((spaced - (shared + alone + way)).abs() < 1.5, "{spaced}");
    assert!((on_a_grid - (12_288.0 * 0.3328 + way)).abs() < 1.5, "{on_a_grid}");
}

/// Switches hash a flow, not its class.
#[test]
fn a_class_moves_no_path() {
    let frames = |classes: u8, class: fn(u32) -> u8| {
        let fabric = crate::common::fat_tree(3, 16);
        let flows = (0..16).map(|host| Flow {
            class: class(host),
            ..Flow::at_zero(host, (host + 7) % 16, Bytes::kib(64))
        });
        let mut plan = plan(fabric, flows.collect::<Vec<_>>().into(), "ops", 3);
        plan.queue.classes = classes;
        plan.queue.size = Size::Unlimited;
        plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
        run(&plan).ports.iter().map(|port| port.data_frames).collect::<Vec<_>>()
    };
    let alike = frames(1, |_| 0);
    assert_eq!(alike, frames(4, |_| 0));
    assert_eq!(alike, frames(4, |_| 3));
    assert_eq!(alike, frames(3, |host| (host % 3) as u8));
}

/// A hundredth of the queue is less than a packet, and the link is slow, not dead: each packet of
/// 33.28 us has its way there, and its ACK the way back, before the next one leaves.
#[test]
fn a_link_at_one_percent_is_slow_and_not_dead() {
    let flow = Flow::at_zero(0, 1, Bytes(16 * 4096));
    let shape = Dumbbell { bottleneck_rate: Rate::gbps(100), ..dumbbell(1) };
    let mut plan = plan(shape.build().unwrap(), vec![flow].into(), "ops", 1);
    plan.transport.congestion = congestion::Config::FixedRate(fixed_rate::Config {
        window: Size::Packets(1.0),
        ..Default::default()
    });
    // The default's would be over before the packet has crossed.
    let rto = Some(Span::ms(1));
    plan.transport.recovery = recovery::Config::Sack(sack::Config { rto, ..Default::default() });
    let (name, direction) = ("left.to.right".to_owned(), Direction::Out);
    let fault = Fault {
        target: Target::Link { name, direction },
        effect: Effect::Rate { to: RateTo::Factor(0.01), scale: true },
        windows: vec![(Time::ZERO, None)],
    };
    let faults = FaultPlan { faults: vec![fault], ..Default::default() };
    let resolved = faults.resolve(&plan.fabric, &[], plan.seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
    let there = 2 * 332_800 + 33_280_000 + 3_000_000;
    let back = 3 * 5_120 + 3_000_000;
    assert_eq!(run(&plan).flows.at(0).acked, Some(Time(16 * (there + back))));
}

/// A packet that goes round a ring of hosts 30 times, each time after a draw of its own.
#[test]
fn a_phase_delays_every_step_of_a_ring_that_triggers_start() {
    let (steps, phase) = (30_u32, Span::us(12));
    let on = |step: u32| (step + 1 < steps).then(|| TriggerId::new(step));
    let flow = |step: u32| Flow {
        start: if step == 0 { Start::At(Time::ZERO) } else { Start::WHEN_TRIGGERED },
        on_delivered: on(step),
        ..Flow::at_zero(step % 4, (step + 1) % 4, Bytes(4096))
    };
    let mut traffic = Traffic::from((0..steps).map(flow).collect::<Vec<_>>());
    let next = |step: u32| Trigger::new(TriggerKind::All { count: 1 }, vec![FlowId(step + 1)]);
    traffic.triggers = (0..steps - 1).map(next).collect();
    let mut plan = plan(dumbbell(2).build().unwrap(), traffic, "ecmp", 9);
    plan.transport.phase = phase;
    // Longer than a step takes, shorter than a phase.
    plan.patience = Span::us(5);
    let outcome = run(&plan);
    let (mut due, mut drawn) = (Time::ZERO, Span::ZERO);
    for step in 0..steps {
        let draw = Span(Rng::new(9, "phase", step.into()).below(phase.0 + 1));
        let flow = outcome.flows.at(step as usize);
        assert_eq!(flow.started, Some(due + draw), "step {step}");
        (due, drawn) = (flow.delivered.unwrap(), Span(drawn.0 + draw.0));
    }
    // Fifteen steps stay on one side: two links. The others cross: two links and the bottleneck.
    let (near, far) = (2 * (1_000_000 + 332_800), 3_000_000 + 2 * 332_800 + 41_600);
    assert_eq!(due, Time(drawn.0 + 15 * (near + far)));
    assert!(drawn > Span::us(120) && drawn < Span::us(240), "{drawn}");
}

/// The bound of a permutation counts ACKs, and holds where each packet has one: whatever the gap, the
/// scheme and the length of messages.
#[test]
fn no_permutation_beats_its_bound() {
    let mut rng = Rng::new(4, "test", 0);
    for seed in 0..60 {
        let schemes = ["ops", "ecmp", "reps", "plb"];
        let scheme = schemes[rng.below(4) as usize];
        let message = Bytes(4096 * (1 + rng.below(60)));
        let fabric = crate::common::fat_tree(2 + rng.below(2) as u32, 16);
        let mut plan = crate::common::permutation(fabric, message, scheme, seed);
        plan.queue.gap = Bytes([0, 1, 20, 333][rng.below(4) as usize]);
        plan.transport.ack = Bytes([1, 64, 700][rng.below(3) as usize]);
        plan.queue.size = Size::Unlimited;
        plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
        let end = engine::run(&plan, &mut ()).end.since(Time::ZERO);
        for bound in bound::of_plan(&plan) {
            assert!(bound.time <= end, "seed {seed} {scheme}: {end} beats {bound:?}");
        }
    }
}

/// Two hosts that send to each other along one cable's way: what the bound is, to the picosecond.
#[test]
fn two_hosts_that_exchange_messages_reach_the_bound_and_no_more() {
    for gap in [0, 20] {
        let flows = [(0, 1), (1, 0)].map(|(from, to)| Flow::at_zero(from, to, Bytes::kib(1024)));
        let shape = Dumbbell { bottleneck_rate: Rate::gbps(100), ..dumbbell(1) };
        let mut plan = plan(shape.build().unwrap(), flows.to_vec().into(), "ecmp", 1);
        plan.queue.gap = Bytes(gap);
        plan.queue.size = Size::Unlimited;
        plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
        let end = run(&plan).end.since(Time::ZERO);
        let bounds = bound::of_plan(&plan);
        let permutation = bounds.iter().find(|bound| bound.name == "permutation").unwrap();
        assert!(permutation.time <= end, "{gap}: {end} beats {permutation:?}");
        assert!(end.0 < permutation.time.0 + 1_000_000, "{gap}: {end}, {permutation:?}");
    }
}
