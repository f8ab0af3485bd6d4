//! The same plan always gives the same outcome.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{fat_tree, hash, permutation};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{marking, recovery, tor};
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{MarkAt, NicOrder, Overflow, Plan};
use raddle_sim::workload::all_to_all::{AllToAll, Order};

fn simple(seed: u64) -> Plan {
    permutation(fat_tree(3, 16), Bytes::mib(1), "reps", seed)
}

/// Trimming, marking at enqueue, triggers, faults, converging routes, a phase.
fn rich(seed: u64) -> Plan {
    let fabric = fat_tree(2, 16);
    let traffic = AllToAll { message: Bytes::kib(64), order: Order::Shifted, in_flight: Some(4) }
        .generate(16, 1)
        .unwrap();
    let mut plan = crate::common::plan(fabric, traffic, "ops", seed);
    plan.queue.overflow = Overflow::Trim;
    plan.queue.mark_at = MarkAt::Enqueue;
    plan.queue.marking = marking::Config::named("step").unwrap();
    plan.queue.gap = Bytes(20);
    plan.transport.nic = NicOrder::RoundRobin;
    plan.transport.phase = Span::us(2);
    let link = |name: &str, effect, from, until| Fault {
        target: Target::Link { name: name.to_owned(), direction: Direction::Both },
        effect,
        windows: vec![(Time(from), Some(Time(until)))],
    };
    let faults = vec![
        link("tor0.up1", Effect::Down, 5_000_000, 25_000_000),
        link("tor1.up0", Effect::Loss(0.05), 0, 40_000_000),
    ];
    let faults = FaultPlan { faults, convergence: Some(Span::us(5)), ..FaultPlan::default() };
    let resolved = faults.resolve(&plan.fabric, &[], seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
    plan
}

#[test]
fn the_same_plan_gives_the_same_outcome_twice() {
    for plan in [simple(1), rich(1)] {
        assert_eq!(engine::run(&plan, &mut ()), engine::run(&plan.clone(), &mut ()));
    }
}

#[test]
fn another_seed_gives_another_outcome() {
    for plan in [simple, rich] {
        let [one, two] = [1, 2].map(|seed| engine::run(&plan(seed), &mut ()));
        assert_ne!(one.flows, two.flows);
        assert_ne!(one.ports, two.ports);
    }
}

/// These numbers notice every change of results. When one is meant, put the new numbers here (the
/// test prints them) and say in the changelog why results moved.
#[test]
fn outcomes_are_pinned() {
    let mut hashes = Vec::new();
    for name in ["ecmp", "ops", "reps", "bitmap"] {
        let plan = permutation(fat_tree(3, 16), Bytes::mib(1), name, 1);
        hashes.push((name, hash(&engine::run(&plan, &mut ()))));
    }
    hashes.push(("rich", hash(&engine::run(&rich(1), &mut ()))));
    for name in ["themis", "conga", "conweave"] {
        let mut plan = permutation(fat_tree(2, 16), Bytes::mib(1), "ecmp", 1);
        plan.transport.recovery = recovery::Config::named("rnic_sr").unwrap();
        plan.tor = tor::Config::named(name);
        hashes.push((name, hash(&engine::run(&plan, &mut ()))));
    }
    assert_eq!(hashes, PINNED);
}

const PINNED: &[(&str, u64)] = &[
    ("ecmp", 16_881_937_931_532_500_875),
    ("ops", 6_963_319_843_054_766_803),
    ("reps", 11_367_599_499_471_200_938),
    ("bitmap", 9_969_201_166_406_638_498),
    ("rich", 3_581_770_984_363_210_249),
    ("themis", 14_216_973_680_496_948_672),
    ("conga", 12_300_290_989_216_540_449),
    ("conweave", 17_924_905_613_274_263_132),
];
