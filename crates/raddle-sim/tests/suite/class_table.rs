//! Data classes that differ in more than their turns: in who marks them, and in where their ACKs go.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, hash, permutation, plan};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{congestion, marking};
use raddle_sim::engine;
use raddle_sim::plan::{AckQueue, Pfc, Plan, Service};
use raddle_sim::record::{DropCause, Outcome, Stop};
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::Flow;

fn step(packets: f64) -> marking::Config {
    marking::Config::Step(marking::step::Config { threshold: Size::Packets(packets) })
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// Two incasts on one port, in a class each.
fn two_classes(service: Service) -> Plan {
    let flow = |i: u32| Flow { class: (i % 2) as u8, ..Flow::at_zero(i, 0, Bytes::kib(128)) };
    let flows: Vec<Flow> = (1..9).map(flow).collect();
    let mut plan = plan(fat_tree(2, 32), flows.into(), "ops", 1);
    (plan.queue.service, plan.queue.classes) = (service, 2);
    if service == Service::Drr {
        plan.queue.shares = vec![4_160, 4_160];
    }
    plan
}

/// A table all of whose rows are alike is none, to the bit.
#[test]
fn a_table_of_one_row_changes_nothing() {
    for service in [Service::Priority, Service::Drr] {
        let mut plan = two_classes(service);
        let plain = run(&plan);
        plan.queue.class_markings = vec![plan.queue.marking.clone(); 2];
        plan.queue.acks = vec![AckQueue::Control; 2];
        assert_eq!(hash(&run(&plan)), hash(&plain));
    }
}

#[test]
fn each_class_has_the_marks_of_its_own_marking() {
    let mut plan = two_classes(Service::Drr);
    plan.queue.size = Size::Packets(400.0);
    plan.queue.class_markings = vec![marking::Config::named("none").unwrap(), step(2.0)];
    let outcome = run(&plan);
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        assert_eq!(record.marked > 0, flow.class == 1, "{flow:?}: {record:?}");
    }
}

/// Flows both ways across one slow cable: the ACKs of either side wait behind the other's data, as
/// they do where a port has one class for everything.
fn both_ways(acks: bool) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 4,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(100),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    };
    let flow = |i: u32| Flow::at_zero(i, (i + 4) % 8, Bytes::kib(256));
    let mut plan =
        plan(shape.build().unwrap(), (0..8).map(flow).collect::<Vec<_>>().into(), "ops", 1);
    plan.queue.size = Size::Packets(300.0);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    if acks {
        plan.queue.acks = vec![AckQueue::Data];
    }
    plan
}

/// Known answer: with one class all of whose frames are data or ACKs, ACKs in it make it a port of
/// one class for everything.
#[test]
fn acks_that_queue_with_data_make_one_queue_of_all() {
    let with_data = run(&both_ways(true));
    let mut fifo = both_ways(false);
    fifo.queue.service = Service::Fifo;
    assert_eq!(hash(&with_data), hash(&run(&fifo)));
    assert_ne!(hash(&with_data), hash(&run(&both_ways(false))));
    assert!(with_data.ports.iter().all(|port| port.dropped == [0; DropCause::ALL.len()]));
}

/// A pause of a class is one of its ACKs, too, in switches and hosts.
#[test]
fn pauses_hold_the_acks_of_a_class() {
    let mut plan = permutation(fat_tree(3, 16), Bytes::kib(512), "ops", 4);
    plan.queue.classes = 2;
    plan.queue.size = Size::Packets(60.0);
    plan.queue.pfc = Some(Pfc {
        xoff: Size::Packets(3.0),
        xon: Size::Packets(2.0),
        ..Pfc::of_memory(Span::us(5))
    });
    for (i, flow) in (0..).zip(&mut plan.traffic.flows) {
        flow.class = i % 2;
    }
    let apart = run(&plan);
    plan.queue.acks = vec![AckQueue::Data; 2];
    let together = run(&plan);
    assert_ne!(hash(&together), hash(&apart));
    let paused = |outcome: &Outcome| -> u64 {
        outcome.ports.iter().filter_map(|port| port.pfc.as_ref()).map(|pfc| pfc.frames).sum()
    };
    assert!(paused(&together) > 0);
}

/// ACKs go by the class of their data: where all of it is in class 1, what class 0 says is nothing.
#[test]
fn acks_have_the_class_of_their_data() {
    let mut plan = two_classes(Service::Priority);
    plan.traffic.flows.iter_mut().for_each(|flow| flow.class = 1);
    let back = plan.traffic.flows.iter().map(|flow| Flow {
        source: flow.destination,
        destination: flow.source,
        ..*flow
    });
    let back: Vec<Flow> = back.collect();
    plan.traffic.flows.extend(back);
    let plain = hash(&run(&plan));
    plan.queue.acks = vec![AckQueue::Data, AckQueue::Control];
    assert_eq!(hash(&run(&plan)), plain);
    plan.queue.acks = vec![AckQueue::Control, AckQueue::Data];
    assert_ne!(hash(&run(&plan)), plain);
}
