//! Links that send again: what both engines have to come to, worked out by hand for 400 Gbps, cables of
//! 500 ns, packets of 4160 B and a window of 14 of them.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::{difference, trouble};
use crate::common::{completed, fat_tree, permutation, plan};
use raddle_schemes::congestion;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::load_balance::plane;
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::{Faults, OnDown, PortChange};
use raddle_sim::plan::{Flush, Llr, Plan};
use raddle_sim::record::{Outcome, RetryRecord};
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;
use raddle_sim::{engine, reference};

/// A saturated sender behind a window of 14 packets, two switches without latency.
fn saturated(packets: u64) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 1,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    let flow = Flow::at_zero(0, 1, Bytes(packets * 4096));
    let mut plan = plan(shape.build().unwrap(), vec![flow].into(), "ecmp", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.llr = Some(Llr { bytes_max: Some(Bytes(14 * 4160)), ..Llr::default() });
    plan.record.packets = vec![FlowId(0)];
    plan
}

fn port(plan: &Plan, name: &str) -> PortId {
    let place = plan.fabric.ports.iter().position(|port| port.name == name);
    PortId(place.unwrap() as u32)
}

fn change(plan: &mut Plan, port: PortId, changes: &[(u64, PortChange)]) {
    let changes = changes.iter().map(|&(at, change)| (Time(at), change)).collect();
    plan.faults.ports.push((port, changes));
    plan.faults.ports.sort_by_key(|own| own.0);
}

/// All that starts there in a nanosecond is lost.
fn spoil(plan: &mut Plan, port: PortId, at: u64) {
    let loss = |probability| PortChange::Loss { probability };
    change(plan, port, &[(at, loss(1 << 32)), (at + 1_000, loss(0))]);
}

/// When packets came to the switch that has this port.
fn arrivals(plan: &Plan, outcome: &Outcome, name: &str) -> Vec<Time> {
    let port = port(plan, name);
    let own = outcome.packets.hops().filter(|hop| hop.port == port).map(|hop| hop.arrived);
    own.collect()
}

#[test]
fn a_frame_lost_by_a_host_delays_all_later_ones_by_a_round() {
    let mut plan = saturated(100);
    spoil(&mut plan, PortId(0), 5 * 83_200);
    let outcome = completed(&plan);
    let at = arrivals(&plan, &outcome, "left.to.right");
    assert_eq!((at[4], at[5], at[39]), (Time(916_000), Time(2_164_000), Time(4_992_800)));
    let RetryRecord { nacks, spoiled, discarded, replayed_frames, .. } = outcome.retries[0];
    assert_eq!((nacks, spoiled, discarded, replayed_frames), (1, 1, 13, 14));
    let flow = outcome.flows.at(0);
    assert_eq!((flow.dropped, flow.retransmitted), (0, 0));
}

#[test]
fn a_frame_lost_by_a_switch_does_too() {
    let mut plan = saturated(100);
    let middle = port(&plan, "left.to.right");
    spoil(&mut plan, middle, 6 * 83_200 + 500_000);
    let outcome = completed(&plan);
    let at = arrivals(&plan, &outcome, "right.to.host1");
    assert_eq!((at[5], at[39]), (Time(2_164_000 + 583_200), Time(4_992_800 + 583_200)));
    assert_eq!(outcome.retries[middle.index()].replayed_frames, 14);
    // What waits at the port meanwhile is in its queue, and what may go again is not.
    assert_eq!(outcome.ports[middle.index()].queue_bytes_max, 14 * 4160 + 4160);
}

#[test]
fn a_cut_loses_nothing_unless_it_lasts() {
    let cut = [(1_000_000, PortChange::Down), (21_000_000, PortChange::Up)];
    let mut plan = saturated(40);
    let back = plan.fabric.ports[0].peer;
    change(&mut plan, PortId(0), &cut);
    change(&mut plan, back, &cut);
    let outcome = completed(&plan);
    assert_eq!(arrivals(&plan, &outcome, "left.to.right")[12], Time(22_082_400));
    assert_eq!(outcome.retries[0].duplicates, 6);
    assert_eq!(outcome.flows.at(0).dropped, 0);
    plan.llr.as_mut().unwrap().down_timeout = Span::us(10);
    let outcome = completed(&plan);
    assert_eq!((outcome.retries[0].flushed, outcome.flows.at(0).dropped), (1, 1 + 13));
    // Thirteen more start while the far end is asked to begin anew, which takes a microsecond.
    plan.llr.as_mut().unwrap().flush = Flush::Block;
    let outcome = completed(&plan);
    assert_eq!((outcome.retries[0].flushed, outcome.flows.at(0).dropped), (1, 1));
    plan.llr.as_mut().unwrap().flush = Flush::BestEffort;
    let outcome = completed(&plan);
    assert_eq!((outcome.retries[0].unnumbered, outcome.flows.at(0).dropped), (13, 1));
}

#[test]
fn a_queue_waits_for_a_link_that_is_soon_back() {
    for on_down in [OnDown::Drop, OnDown::Keep] {
        let mut plan = saturated(40);
        let middle = port(&plan, "left.to.right");
        plan.faults.on_down = on_down;
        change(&mut plan, middle, &[(1_500_000, PortChange::Down), (9_500_000, PortChange::Up)]);
        let outcome = completed(&plan);
        assert_eq!(outcome.flows.at(0).dropped, 0, "{on_down:?}");
    }
}

#[test]
fn noise_on_all_links_costs_time_and_no_packet() {
    let noisy = |llr| {
        let mut plan = permutation(fat_tree(2, 16), Bytes::kib(256), "reps", 1);
        for id in 0..plan.fabric.ports.len() as u32 {
            change(&mut plan, PortId(id), &[(0, PortChange::BitErrors { rate: 1e-6 })]);
        }
        plan.llr = llr;
        completed(&plan)
    };
    let (with, without) = (noisy(Some(Llr::default())), noisy(None));
    let dropped = |outcome: &Outcome| outcome.flows.iter().map(|flow| flow.dropped).sum::<u64>();
    assert_eq!(dropped(&with), 0);
    assert!(dropped(&without) > 100);
    assert!(with.end < without.end);
    assert!(with.retries.iter().map(|own| own.replayed_frames).sum::<u64>() > 1_000);
    assert!(without.retries.is_empty());
}

/// Where nothing is ever lost, the window is wide and no tax is due.
#[test]
fn retry_that_is_never_needed_changes_nothing() {
    let mut rng = Rng::new(1, "plans", 0);
    let mut count = 0;
    for _ in 0..40 {
        let numbers: Vec<u32> = (0..160).map(|_| rng.next_u64() as u32).collect();
        let mut without = crate::random::plan(&numbers);
        without.llr = None;
        without.faults = Faults::default();
        without.routes.truncate(1);
        without.known_routes.truncate(1);
        let mut with = without.clone();
        with.llr = Some(Llr::default());
        if without.check_limits().is_err() || with.check_limits().is_err() {
            continue;
        }
        count += 1;
        for run in [engine::run, reference::run] {
            let (mut with, without) = (run(&with, &mut ()), run(&without, &mut ()));
            assert!(with.retries.iter().all(|own| *own == RetryRecord::default()));
            with.retries.clear();
            assert_eq!(difference(&without, &with), None);
        }
    }
    assert!(count > 10, "{count}");
}

/// Random plans with retry need it, lose and give up.
#[test]
fn random_plans_send_again_and_give_up() {
    let mut rng = Rng::new(2, "plans", 0);
    let mut sum = RetryRecord::default();
    for _ in 0..60 {
        let numbers: Vec<u32> = (0..200).map(|_| rng.next_u64() as u32).collect();
        let plan = crate::random::plan_with_retry(&numbers);
        assert_eq!(trouble(&plan), None);
        for own in engine::run(&plan, &mut ()).retries {
            sum.replayed_frames += own.replayed_frames;
            sum.unnumbered += own.unnumbered;
            sum.duplicates += own.duplicates;
            sum.discarded += own.discarded;
            sum.nacks += own.nacks;
            sum.timeouts += own.timeouts;
            sum.flushed += own.flushed;
        }
    }
    let RetryRecord { replayed_frames, unnumbered, duplicates, discarded, .. } = sum;
    let RetryRecord { nacks, timeouts, flushed, .. } = sum;
    for count in [replayed_frames, unnumbered, duplicates, discarded, nacks, timeouts, flushed] {
        assert!(count > 10, "{sum:?}");
    }
}

/// Two planes; a link with retry goes down while flows wait for it: they go by the other.
#[test]
fn flows_leave_a_port_whose_link_is_taken_for_down() {
    let delay = Span::ns(500);
    let shape = TreeShape::leaf_spine(2, 4, 2, 1, Rate::gbps(400), delay, delay).unwrap();
    let fabric = shape.build().unwrap().in_planes(2).unwrap();
    let flows: Vec<Flow> =
        (0..8).map(|i| Flow::at_zero(i % 2, 4 + i % 4, Bytes(100 * 4096))).collect();
    for (scheme, plane) in [("ops", "hash"), ("ops", "round_robin"), ("mrc", "round_robin")] {
        let mut plan = plan(fabric.clone(), flows.clone().into(), scheme, 1);
        plan.transport.plane = plane::Config::named(plane).unwrap();
        plan.transport.plane_repair = Span::us(1);
        plan.llr = Some(Llr::default());
        let dead = port(&plan, "host0.up1");
        let back = plan.fabric.ports[dead.index()].peer;
        for port in [dead, back] {
            let down = [(5_000_000, PortChange::Down), (400_000_000, PortChange::Up)];
            change(&mut plan, port, &down);
        }
        let outcome = completed(&plan);
        assert!(outcome.end < Time(400_000_000), "{scheme}, {plane}: {:?}", outcome.end);
    }
}
