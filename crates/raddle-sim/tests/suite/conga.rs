//! CONGA in a fabric.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, plan, sent};
use raddle_schemes::tor::{self, conga};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, RateTo, Target};
use raddle_sim::plan::Plan;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};

/// Two racks of four hosts and two spines at 100 Gbit/s; flows start one after the other.
fn racks(flows: u32, apart: Span, bytes: Bytes) -> Plan {
    let link = Span::ns(500);
    let shape = TreeShape::leaf_spine(2, 4, 2, 1, Rate::gbps(100), link, link).unwrap();
    let starts = (0..flows).map(|i| Time(u64::from(i) * apart.0));
    let flows = (0..).zip(starts);
    let flows: Vec<Flow> = flows
        .map(|(i, at)| Flow { start: Start::At(at), ..Flow::at_zero(i % 4, 4 + i % 4, bytes) })
        .collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.tor = Some(tor::Config::Conga(conga::Config::default()));
    plan
}

/// The second flow begins when the first has sent 600 kB at the full rate, which is more than an
/// eighth of what a link sends in 160 us: it takes the other uplink, whatever the seed.
#[test]
fn a_second_flow_takes_the_other_uplink() {
    for seed in 1..9 {
        let plan = Plan { seed, ..racks(2, Span::us(50), Bytes(1_000_000)) };
        let ups = sent(&plan, &completed(&plan), "tor0.up");
        assert_eq!(ups[0], ups[1], "seed {seed}");
    }
}

/// A spine whose way down to the second rack is slow is found out by what packets collect there, which
/// the first rack's own uplinks do not show: most new flows take the other spine.
#[test]
fn what_is_slow_behind_a_spine_is_told_and_avoided() {
    let mut plan = racks(64, Span::us(20), Bytes(200_000));
    let slow = Fault {
        target: Target::Link { name: "tor1.up0".to_owned(), direction: Direction::Both },
        effect: Effect::Rate { to: RateTo::Factor(0.1), scale: false },
        windows: vec![(Time::ZERO, None)],
    };
    let faults = FaultPlan { faults: vec![slow], ..FaultPlan::default() };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
    let slow_up = |plan: &Plan| sent(plan, &completed(plan), "tor0.up")[0];
    let with = slow_up(&plan);
    plan.tor = None;
    let without = slow_up(&plan);
    assert!(with * 2 < without, "{with} of {without} packets");
}
