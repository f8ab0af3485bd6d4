//! Themis in a fabric.

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::load_balance::switch;
use raddle_schemes::tor::{self, themis};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

fn themis(fabric: Fabric, flows: Vec<Flow>) -> Plan {
    let mut plan = plan(fabric, flows.into(), "ecmp", 1);
    plan.tor = Some(tor::Config::Themis(themis::Config::default()));
    plan
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// Data frames by port, of the ports whose names begin so.
fn sent(plan: &Plan, outcome: &Outcome, name: &str) -> Vec<u64> {
    let ports = plan.fabric.ports.iter().zip(&outcome.ports);
    let named = ports.filter(|(port, _)| port.name.starts_with(name));
    named.map(|(_, record)| record.data_frames).collect()
}

/// Spec, section 5.2: the loads of a flow's paths differ by a packet at most.
#[test]
fn in_two_tiers_it_spreads_evenly_by_number() {
    let link = Span::ns(500);
    let shape = TreeShape::leaf_spine(2, 4, 4, 1, Rate::gbps(400), link, link).unwrap();
    let flows = (0..4).map(|i| Flow::at_zero(i, 4 + i, Bytes(402 * 4096))).collect();
    let plan = themis(shape.build().unwrap(), flows);
    let outcome = run(&plan);
    let ups = sent(&plan, &outcome, "tor0.up");
    assert_eq!(ups.iter().sum::<u64>(), 4 * 402);
    assert!(ups.iter().all(|up| (400..=404).contains(up)), "{ups:?}");
}

/// Spec, section 2.13: for a fixed flow each pair of aggregation and core switch takes as many.
#[test]
fn in_three_tiers_the_path_map_reaches_every_core_alike() {
    let link = Span::ns(500);
    let shape = TreeShape::fat_tree(3, 128, Rate::gbps(400), link, link).unwrap();
    let mut plan = themis(shape.build().unwrap(), vec![Flow::at_zero(0, 127, Bytes(160 * 4096))]);
    let hash = switch::ecmp::Config { hash: switch::ecmp::Hash::Linear };
    plan.switch_load_balance = switch::Config::Ecmp(hash);
    let outcome = run(&plan);
    let downs: Vec<u64> = sent(&plan, &outcome, "core").into_iter().filter(|n| *n > 0).collect();
    assert_eq!(downs, [10; 16]);
    // Between racks of a pod there are four paths.
    plan.traffic = vec![Flow::at_zero(0, 5, Bytes(160 * 4096))].into();
    let outcome = run(&plan);
    assert_eq!(sent(&plan, &outcome, "tor0.up"), [40; 4]);
}
