//! Pauses that the memory's policy decides on: lossless and lossy classes in one switch.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::buffer::classes::{Alpha, PerClass};
use raddle_schemes::buffer::{self, reverie, sonic, sonic_abm};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{congestion, marking};
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::headroom::pause_headroom;
use raddle_sim::lossless::Shortage;
use raddle_sim::plan::{BufferPlan, Per, Pfc, Plan, Service};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Traffic};

const PACKET: u64 = 4_160;

/// A rack of 20 hosts that send at line rate, without congestion control or marks.
fn rack(traffic: Traffic, policy: buffer::Config) -> Plan {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::leaf_spine(2, 20, 20, 1, Rate::gbps(25), link, switch).unwrap();
    let mut plan = plan(shape.build().unwrap(), traffic, "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.queue.marking = marking::Config::named("none").unwrap();
    plan.queue.pfc = policy.decides_pauses().then(|| Pfc::of_memory(Span::us(10)));
    plan.buffer =
        Some(BufferPlan { size: Size::Bytes(Bytes(2_560_000)), policy, per: Per::Switch });
    plan
}

fn policies(lossless: &PerClass<bool>) -> [buffer::Config; 3] {
    let sonic = sonic::Config { lossless: lossless.clone(), ..sonic::Config::default() };
    let abm = sonic_abm::Config { lossless: lossless.clone(), ..sonic_abm::Config::default() };
    let reverie = reverie::Config { lossless: lossless.clone(), ..reverie::Config::default() };
    [buffer::Config::Sonic(sonic), buffer::Config::SonicAbm(abm), buffer::Config::Reverie(reverie)]
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

fn pauses(outcome: &Outcome) -> u64 {
    outcome.ports.iter().filter_map(|port| port.pfc.as_ref()).map(|pfc| pfc.pauses).sum()
}

#[test]
fn an_incast_at_line_rate_loses_nothing_and_stays_within_headroom() {
    // Reverie spec, section 6, items 11 to 13: 16 to 1.
    let flows = (1..17).map(|host| Flow::at_zero(host, 0, Bytes::mib(1)));
    let traffic: Traffic = flows.collect::<Vec<_>>().into();
    for policy in policies(&PerClass::All(true)) {
        // The default timeout outlasts all that switches hold.
        let plan = rack(traffic.clone(), policy);
        let outcome = run(&plan);
        assert_eq!(outcome.stop, Stop::Completed);
        assert!(outcome.flows.iter().all(|flow| flow.dropped == 0 && flow.retransmitted == 0));
        let pools = outcome.pools[0];
        let port = plan.fabric.ports[1].peer;
        let needed =
            pause_headroom(&plan.fabric, &plan.faults, port, Bytes(PACKET), plan.queue.gap).0;
        assert!((1..=needed).contains(&pools.headroom_queue_max), "{pools:?}, {needed}");
        assert_eq!((pools.lossless_refused, pools.left, pools.unbalanced), (0, 0, 0));
        assert!(pauses(&outcome) >= 15, "{}", pauses(&outcome));
        // A port is paused for most of the time until its host has sent all: 16 share the rate of one.
        let record = outcome.ports[port.index()].pfc.as_ref().unwrap();
        let share = record.paused.0 as f64 / outcome.flows.at(0).acked.unwrap().0 as f64;
        assert!((0.8..1.0).contains(&share), "{share}");
    }
}

#[test]
fn filters_that_wait_for_departures_take_headroom_once_the_pool_is_full() {
    // The released code of Reverie, same incast: a queue that has emptied sends on behind all others'
    // packets, and until the first of its own leaves its filter is 0, below any threshold. What the pool
    // has no room for takes headroom all the same; the code drops it.
    let flows = (1..17).map(|host| Flow::at_zero(host, 0, Bytes::mib(1)));
    let config = reverie::Config {
        mode: reverie::Mode::Released,
        lossless: PerClass::All(true),
        ..reverie::Config::default()
    };
    let outcome = run(&rack(flows.collect::<Vec<_>>().into(), buffer::Config::Reverie(config)));
    let pools = outcome.pools[0];
    assert_eq!(pools.lossless_refused, 0);
    assert!(pools.headroom_max > 0 && outcome.flows.iter().all(|flow| flow.dropped == 0));
}

/// Queues of a packet, of which slow links leave a hundredth, under a memory that keeps what comes.
#[test]
fn the_memory_alone_limits_a_lossless_queue() {
    let flows = (1..17).map(|host| Flow::at_zero(host, 0, Bytes::mib(1)));
    let traffic: Traffic = flows.collect::<Vec<_>>().into();
    for policy in policies(&PerClass::All(true)) {
        let mut plan = rack(traffic.clone(), policy);
        plan.queue.size = Size::Packets(1.0);
        plan.end = Some(Time(2_000_000_000));
        plan.queue.pfc = Some(Pfc::of_memory(Span::us(700)));
        let slow = PortChange::Rate { rate: Rate(250_000_000), scale: true };
        let ports = [plan.fabric.ports[0].peer, plan.fabric.ports[1].peer];
        plan.faults.ports = ports.map(|port| (port, vec![(Time(20_000_000), slow)])).to_vec();
        let outcome = run(&plan);
        assert!(outcome.flows.iter().all(|flow| flow.dropped == 0));
        assert!(pauses(&outcome) > 0);
        // The headroom behind a slow link is that of the time in which a frame leaves there.
        let [slow, healthy] = [1, 2].map(|host| plan.fabric.ports[host].peer);
        let headroom = |port| {
            pause_headroom(&plan.fabric, &plan.faults, port, Bytes(PACKET), plan.queue.gap).0
        };
        assert!(headroom(slow) > 10 * headroom(healthy));
        assert_eq!(plan.lossless_shortage(), None);
        // What would not suffice is told.
        plan.queue.pfc = Some(Pfc::of_memory(Span::us(100)));
        assert!(matches!(plan.lossless_shortage(), Some(Shortage::Quanta { .. })));
    }
}

#[test]
fn lossless_and_lossy_classes_share_a_port() {
    // Two hosts send to each of two others: lossy to the first, lossless to the second; and both kinds
    // to a third.
    let flow = |from, to, class| Flow { class, ..Flow::at_zero(from, to, Bytes::mib(8)) };
    let flows: Vec<Flow> = (0..2)
        .flat_map(|i| [flow(4 + i, 0, 0), flow(6 + i, 1, 1), flow(8 + i, 2, 0), flow(10 + i, 2, 1)])
        .collect();
    for policy in policies(&PerClass::Each(vec![false, true])) {
        let mut plan = rack(flows.clone().into(), policy);
        plan.queue.classes = 2;
        plan.queue.service = Service::Drr;
        plan.queue.shares = vec![PACKET; 2];
        plan.end = Some(Time(3_000_000_000));
        let outcome = run(&plan);
        let lost = |class: u8| -> u64 {
            let flows = flows.iter().zip(outcome.flows.iter());
            flows.filter(|(flow, _)| flow.class == class).map(|(_, record)| record.dropped).sum()
        };
        assert!(lost(0) > 100, "{}", lost(0));
        assert_eq!(lost(1), 0);
        let pools = outcome.pools[0];
        assert!(pools.lossless_max > 0 && pools.lossy_max > 0 && pauses(&outcome) > 0);
    }
}

#[test]
fn a_filter_lets_bursts_pass_that_sonic_pauses_for() {
    // Two bursts of 40 packets each into one queue, with little memory.
    let flow = |from| Flow::at_zero(from, 0, Bytes(40 * 4_096));
    let flows: Vec<Flow> = [1, 2].map(flow).to_vec();
    let (lossless, alpha) = (PerClass::All(true), PerClass::All(Alpha(0.05)));
    let sonic = sonic::Config {
        alpha_ingress: Some(alpha.clone()),
        lossless: lossless.clone(),
        ..sonic::Config::default()
    };
    let reverie = reverie::Config { alpha, lossless, ..reverie::Config::default() };
    let [sonic, reverie] = [buffer::Config::Sonic(sonic), buffer::Config::Reverie(reverie)]
        .map(|policy| pauses(&run(&rack(flows.clone().into(), policy))));
    assert!(sonic > 0 && reverie == 0, "{sonic}, {reverie}");
}
