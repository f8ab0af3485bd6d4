//! Corner cases in which the engines once differed or broke a law.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, permutation, plan};
use raddle_schemes::ids::{FlowId, PortId, SwitchId};
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{Overflow, Pfc, Plan};
use raddle_sim::record::{Observer, Progress, Stop};
use raddle_sim::topology::Node;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::topology::routing::{Forwarding, Table, Weighting};
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_sim::{bound, engine, reference};

/// Two hosts, round packets, cables without delay.
fn two_hosts(flows: Vec<Flow>) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 1,
        rate: Rate::gbps(80),
        link_delay: Span::ZERO,
        bottleneck_rate: Rate::gbps(80),
        bottleneck_delay: Span::ZERO,
        switch_delay: Span::ns(100),
    };
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.transport.payload = Bytes(936);
    plan
}

#[test]
fn what_arrives_without_delay_goes_before_the_wire_and_timers() {
    // Every ACK arrives at an instant at which its host's wire becomes free.
    let flow = |from, to| Flow::at_zero(from, to, Bytes(93_600));
    let mut plan = two_hosts(vec![flow(0, 1), flow(1, 0)]);
    plan.transport.ack = Bytes(1_000);
    assert_eq!(trouble(&plan), None);
}

#[test]
fn the_end_is_the_last_completion_whichever_host_runs_last() {
    let shape = Dumbbell {
        hosts_per_side: 2,
        rate: Rate::gbps(80),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ZERO,
    };
    // Host 0 completes 3.6 ns after host 1, in the same window, and runs before it.
    let flows = vec![Flow::at_zero(0, 2, Bytes(936)), Flow::at_zero(1, 3, Bytes(900))];
    let plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    assert_eq!(trouble(&plan), None);
}

#[test]
fn a_run_without_anything_left_to_do_ends_as_if_time_went_on() {
    // Host 0 never gets a frame out, so no timeout is ever set.
    let mut plan = two_hosts(vec![Flow::at_zero(0, 1, Bytes(936))]);
    plan.patience = Span::ms(1);
    let later = (PortId(2), vec![(Time(10_000_000_000), PortChange::Down)]);
    plan.faults.ports = vec![(PortId(0), vec![(Time::ZERO, PortChange::Down)]), later];
    assert_eq!(trouble(&plan), None);
    assert_eq!(engine::run(&plan, &mut ()).end, Time(11_000_000_000));
    plan.end = Some(Time(5_000_000_000));
    assert_eq!(trouble(&plan), None);
    assert_eq!(engine::run(&plan, &mut ()).stop, Stop::EndTime(vec![FlowId(0)]));
}

#[test]
fn hosts_hear_of_frames_that_arrive_after_the_patience_is_looked_at() {
    let mut plan = two_hosts(vec![Flow::at_zero(0, 1, Bytes(93_600))]);
    for switch in &mut plan.fabric.switches {
        switch.latency = Span::us(1);
    }
    // In the middle of windows of 1 us in which frames reach host 1 all the time.
    plan.patience = Span::ns(3_333);
    assert_eq!(trouble(&plan), None);
}

#[test]
fn scheme_events_are_in_order_of_time_whichever_host_runs_first() {
    let fabric = fat_tree(2, 16);
    let spine = Node::Switch(SwitchId(4));
    let mut plan = permutation(fabric, Bytes::mib(1), "reps", 1);
    plan.faults.nodes.push((spine, vec![(Time(10_000_000), Time::NEVER)]));
    let outcome = engine::run(&plan, &mut ());
    assert!(outcome.timeline.events.iter().any(|(_, _, name)| *name == "reps: freeze"));
    assert!(outcome.timeline.events.is_sorted());
    assert_eq!(trouble(&plan), None);
}

#[test]
fn more_flows_at_once_than_the_caches_hold() {
    // The hosts of one half send only, so that frames of flow control find hosts that receive no flow.
    let pairs = (0..27).flat_map(|from| (27..54).map(move |to| (from, to)));
    let flows = pairs.flat_map(|(from, to)| vec![Flow::at_zero(from, to, Bytes(9_000)); 3]);
    let mut plan = plan(fat_tree(3, 54), flows.collect::<Vec<_>>().into(), "reps", 64);
    plan.queue.overflow = Overflow::Trim;
    plan.queue.size = Size::Packets(20.0);
    assert_eq!(trouble(&plan), None);
    plan.queue.overflow = Overflow::Drop;
    let (xoff, xon) = (Size::Packets(8.0), Size::Packets(6.0));
    plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(50)) });
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert!(outcome.ports.iter().any(|port| port.pfc.as_ref().is_some_and(|pfc| pfc.frames > 0)));
}

/// Stops a run at its first report and keeps it.
struct FirstReport(Option<Progress>);

impl Observer for FirstReport {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0 = Some(*progress);
        false
    }
}

#[test]
fn progress_tells_what_the_outcome_would() {
    let plan = permutation(fat_tree(2, 16), Bytes::mib(16), "ops", 1);
    for run in [engine::run, reference::run] {
        let mut first = FirstReport(None);
        let outcome = run(&plan, &mut first);
        let progress = first.0.unwrap();
        assert_eq!((outcome.stop, outcome.end), (Stop::Interrupted, progress.now));
        assert_eq!(outcome.packet_hops, progress.packet_hops);
        let received: u64 = outcome.flows.iter().map(|flow| flow.received).sum();
        assert!(0 < progress.packets_acked && progress.packets_acked < received);
    }
}

/// A trigger may start a flow whose time has not come; the flows after it still start at theirs.
#[test]
fn a_flow_that_a_trigger_starts_before_its_time_leaves_the_others_theirs() {
    let at = |us| Start::At(Time::ZERO + Span::us(us));
    let first = Flow { on_acked: Some(TriggerId::new(0)), ..Flow::at_zero(0, 1, Bytes(4096)) };
    let later = |us| Flow { start: at(us), ..Flow::at_zero(2, 3, Bytes(40_960)) };
    let flows = vec![first, later(100), later(101), later(300)];
    let trigger = Trigger::new(TriggerKind::All { count: 1 }, vec![FlowId(1)]);
    let traffic = Traffic { flows, triggers: vec![trigger], ..Traffic::default() };
    let plan = plan(fat_tree(2, 16), traffic, "reps", 1);
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.flows.at(1).started, outcome.flows.at(0).acked);
    assert_eq!(outcome.flows.at(3).started, Some(Time::ZERO + Span::us(300)));
}

/// Pods of a fabric without tiers are joined wherever its switches are.
#[test]
fn pods_of_a_fabric_without_tiers_have_bounds() {
    let mut plan = permutation(fat_tree(3, 16), Bytes::kib(64), "ops", 1);
    let table = Table::shortest(&plan.fabric, Weighting::Capacity, &|_| true);
    plan.fabric.forwarding = Forwarding::Table(table.clone());
    plan.routes = vec![(Time::ZERO, plan.fabric.forwarding.clone())];
    plan.fabric.switches.iter_mut().for_each(|switch| switch.tier = 0);
    assert_eq!(trouble(&plan), None);
    assert!(bound::of_plan(&plan).iter().any(|bound| bound.name == "cut"));
}

#[test]
fn a_detour_may_be_shorter_than_the_way_with_the_fewest_hops() {
    // The cable from a's switch to b's is long, the two by way of c's are short.
    let text = "host a\nhost b\nhost c\nswitch s0\nswitch s1\nswitch s2\n\
        link a s0 80Gbps 100ns\nlink b s1 80Gbps 100ns\nlink c s2 80Gbps 100ns\n\
        link s0 s1 80Gbps 10us\nlink s0 s2 80Gbps 100ns\nlink s2 s1 80Gbps 100ns\n";
    let flow = Flow::at_zero(0, 1, Bytes(936));
    let mut plan = plan(parse_graph(text).unwrap(), vec![flow].into(), "ecmp", 1);
    plan.transport.payload = Bytes(936);
    plan.switch_load_balance = switch::Config::named("valiant").unwrap();
    // Some seed has the packet and its ACK go by way of c's.
    let quick = (0..32).any(|seed| {
        plan.seed = seed;
        assert_eq!(trouble(&plan), None);
        engine::run(&plan, &mut ()).flows.at(0).acked.unwrap() < Time(10_000_000)
    });
    assert!(quick);
}
