//! Who goes first of those that meet at one instant: each as often as any other, so that no label
//! and no order of cables decides who loses.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::Flow;

/// The packets of a message of 1 MiB.
const MIB: u64 = 256;

/// Senders at full rate, one host each, into one queue of 5.2 MB at 100 Gbps that drops what does
/// not fit.
fn incast(flows: Vec<Flow>, seed: u64) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 16,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(100),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    };
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", seed);
    plan.queue.size = Size::Bytes(Bytes(5_200_000));
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan
}

fn equal_senders(senders: u32, mib: u64, seed: u64) -> Plan {
    let flow = |from| Flow::at_zero(from, 16 + from, Bytes::mib(mib));
    incast((0..senders).map(flow).collect(), seed)
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

fn resent(outcome: &Outcome) -> Vec<u64> {
    outcome.flows.iter().map(|flow| flow.retransmitted).collect()
}

#[test]
fn two_equal_senders_lose_half_each_and_end_together() {
    let outcome = engine::run(&equal_senders(2, 32, 1), &mut ());
    for flow in outcome.flows.iter() {
        eprintln!("{} {:?}", flow.retransmitted, flow.delivered);
    }
}

#[test]
fn however_many_meet_each_loses_as_much_as_any_other() {
    for senders in [2, 3, 5, 16] {
        let mib = 64 / u64::from(senders);
        for seed in 1..=4 {
            let outcome = engine::run(&equal_senders(senders, mib, seed), &mut ());
            eprintln!("{senders} {:?}", resent(&outcome));
        }
    }
}
