//! Hosts that compute before they send: completions by formula, stragglers, and both engines alike.
#![expect(clippy::unwrap_used, reason = "traffic that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::{FlowRecord, Outcome, Stop};
use raddle_sim::workload::Traffic;
use raddle_sim::workload::all_to_all::Order;
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::compute::{Compute, ComputeTimes, Extra, Per, Straggler};
use raddle_sim::workload::collective::exchange::Exchange;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::job::Operation;

const RANKS: u32 = 8;
const MESSAGE: Bytes = Bytes(50 * 4096);
/// Longer than a round trip, so that the ACKs of a step do not meet the messages of the next.
const TIME: Span = Span::us(20);

fn hosts() -> Vec<HostId> {
    (0..RANKS).map(HostId).collect()
}

fn times(time: Span, straggler: Option<Straggler>, seed: u64) -> ComputeTimes {
    Compute { time, straggler }.draw(&hosts(), seed)
}

fn ring(hops: Option<u32>, compute: &ComputeTimes) -> Traffic {
    let ring = Ring { operation: Operation::AllReduce, volume: Volume::Message(MESSAGE), hops };
    ring.generate(&hosts(), compute).unwrap()
}

/// Ranks below one ToR, so that the messages of a ring never share a link.
fn below_one_tor(traffic: Traffic) -> Plan {
    plan(fat_tree(2, 128), traffic, "ecmp", 1)
}

fn run(traffic: Traffic) -> Outcome {
    let plan = below_one_tor(traffic);
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// Of one hop of a ring without computing: when its messages are delivered, and acknowledged.
fn one_hop() -> (Span, Span) {
    let outcome = run(ring(Some(1), &ComputeTimes::default()));
    let ends = |end: fn(FlowRecord) -> Option<Time>| {
        outcome.flows.iter().filter_map(end).max().unwrap().since(Time::ZERO)
    };
    (ends(|flow| flow.delivered), ends(|flow| flow.acked))
}

#[test]
fn a_ring_takes_its_hops_and_the_compute_time_before_each() {
    let (delivered, acked) = one_hop();
    let hops = u64::from(2 * (RANKS - 1));
    let outcome = run(ring(None, &times(TIME, None, 1)));
    let expected = hops * TIME.0 + (hops - 1) * delivered.0 + acked.0;
    assert_eq!(outcome.end, Time(expected));
    assert!(outcome.flows.iter().take(RANKS as usize).all(|f| f.started == Some(Time(TIME.0))));
}

#[test]
fn a_ring_is_as_late_as_its_one_straggler_in_every_hop() {
    // A chunk is late whenever the straggler sends it on: once in n hops, so that most are twice in
    // 2 (n - 1). Late chunks do not meet others on a link, but ACKs as they meet none on time.
    let (delivered, acked) = one_hop();
    let extra = Span((TIME + delivered).0 * 31 / 3);
    let straggler = Straggler { per: Per::Host, percent: 12.5, extra: Extra::Constant(extra) };
    let hops = u64::from(2 * (RANKS - 1));
    let outcome = run(ring(None, &times(TIME, Some(straggler), 1)));
    let expected = hops * TIME.0 + 2 * extra.0 + (hops - 1) * delivered.0 + acked.0;
    assert!(outcome.end.0.abs_diff(expected) < 50_000, "{}, {expected}", outcome.end);
}

#[test]
fn every_collective_computes_alike_in_both_engines() {
    let stragglers = [
        None,
        Some(Straggler { per: Per::Host, percent: 50.0, extra: Extra::Constant(Span::us(7)) }),
        Some(Straggler { per: Per::Step, percent: 50.0, extra: Extra::Exponential(Span::us(3)) }),
        Some(Straggler {
            per: Per::Step,
            percent: 100.0,
            extra: Extra::Lognormal { median: Span::us(1), sigma: 1.0 },
        }),
    ];
    for (straggler, seed) in stragglers.into_iter().zip(1..) {
        let compute = times(Span::ns(700), straggler, seed);
        let exchange = Exchange {
            volume: Volume::Message(MESSAGE),
            order: Order::Shifted,
            in_flight: Some(2),
        };
        let fsdp =
            |barrier| Fsdp { layers: 2, message: MESSAGE, gpus_per_server: 2, steps: 2, barrier };
        for traffic in [
            ring(None, &compute),
            Butterfly { volume: Volume::Message(MESSAGE) }.generate(&hosts(), &compute).unwrap(),
            exchange.generate(&hosts(), &compute, 1).unwrap(),
            fsdp(true).generate(&hosts(), &compute).unwrap(),
            fsdp(false).generate(&hosts(), &compute).unwrap(),
        ] {
            let plan = plan(fat_tree(2, 16), traffic, "ops", seed);
            assert_eq!(trouble(&plan), None);
            assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
        }
    }
}

#[test]
fn a_phase_computes_after_its_barrier_and_once() {
    let fsdp = Fsdp { layers: 1, message: MESSAGE, gpus_per_server: 2, steps: 2, barrier: true };
    let outcome = run(fsdp.generate(&hosts(), &times(TIME, None, 1)).unwrap());
    let ranks = RANKS as usize;
    let step = |step: usize| outcome.flows.range(step * ranks..(step + 1) * ranks);
    let last = step(1).filter_map(|flow| flow.delivered).max().unwrap();
    assert!(step(2).all(|flow| flow.started == Some(last + TIME)));
    let own =
        step(2).zip(step(3)).all(|(before, next)| next.started <= Some(before.acked.unwrap()));
    assert!(own, "a step within a phase does not wait for its host to compute");
}

#[test]
fn computing_for_longer_than_the_patience_is_no_stall() {
    let mut plan = below_one_tor(ring(Some(2), &times(Span::ms(40), None, 1)));
    plan.patience = Span::ms(1);
    assert_eq!(trouble(&plan), None);
    assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
}
