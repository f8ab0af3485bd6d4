//! Queues and loads by layer.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, permutation, plan};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{congestion, size::Size};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::layers::{Layer, LayerRecord, layers};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

fn of(plan: &Plan, layer: Layer) -> LayerRecord {
    let outcome = engine::run(plan, &mut ());
    let found = layers(&plan.fabric, &outcome);
    *found.iter().find(|record| record.layer == layer).unwrap()
}

/// Two hosts send 100 packets each to a third through one switch, at line rate: packets of 4160 B take
/// 83.2 ns each, every slot from 1083.2 ns on brings two and takes one away.
fn incast() -> Plan {
    let shape = TreeShape::leaf_spine(1, 3, 1, 1, Rate::gbps(400), Span::ns(500), Span::ns(500));
    let flows = (1..3).map(|from| Flow::at_zero(from, 0, Bytes(100 * 4096))).collect::<Vec<_>>();
    let mut plan = plan(shape.unwrap().build().unwrap(), flows.into(), "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Packets(300.0);
    plan.record.queue_means = true;
    plan
}

/// The mean is over the time in which hosts send (LB study, section 6.1), 8320 ns.
#[test]
fn the_mean_queue_of_an_incast_is_exact() {
    let plan = incast();
    assert_eq!(trouble(&plan), None);
    let down = of(&plan, Layer::TorHost);
    // 2, 3, .. 87 packets for a slot each, and 88 for the rest; over the three ports of the layer. ACKs
    // do not count.
    let rest = (8320.0 - 1083.2) / 83.2 - 86.0;
    let slots = f64::from((2..=87).sum::<u32>()) + 88.0 * rest;
    let expected = slots / 100.0 * 4160.0 / 3.0;
    assert!((down.queue_bytes_mean.unwrap() / expected - 1.0).abs() < 1e-9, "{down:?} {expected}");
    assert_eq!(down.queue_bytes_max, Some(101 * 4160));
    assert_eq!((down.links, down.data_overload), (3, Some(2.0)));
}

/// In slots of 83.2 ns that begin 1.6 ns before those of the packets there are k packets for 1.6 ns and
/// one more for the rest.
#[test]
fn the_mean_queue_of_a_bucket_is_exact() {
    let mut plan = incast();
    let down = plan.fabric.ports[0].peer;
    plan.record.ports = vec![down];
    plan.record.bucket = Span(83_200);
    assert_eq!(trouble(&plan), None);
    let series = &engine::run(&plan, &mut ()).series[0];
    assert_eq!(series.queue_bytes_mean[..13], [0; 13]);
    assert_eq!(series.queue_bytes_mean[13..16], [8_160, 12_400, 16_560]);
    assert_eq!(series.queue_bytes_mean.len(), series.bytes.len());
    assert_eq!(series.queue_bytes_mean.last(), Some(&80));
    plan.record.queue_means = false;
    assert!(engine::run(&plan, &mut ()).series[0].queue_bytes_mean.is_empty());
}

#[test]
fn measuring_changes_nothing_else_and_is_off_unless_wanted() {
    let mut plan = permutation(fat_tree(3, 16), Bytes::kib(256), "ops", 1);
    let off = engine::run(&plan, &mut ());
    plan.record.queue_means = true;
    let mut on = engine::run(&plan, &mut ());
    assert!(on.occupancy.take().is_some_and(|all| all.byte_ps[16..].iter().any(|&sum| sum > 0)));
    assert_eq!(on, off);
    let names: Vec<_> = layers(&plan.fabric, &off).iter().map(|one| one.layer.word()).collect();
    let expected = ["host_tor", "tor_agg", "agg_core", "core_agg", "agg_tor", "tor_host"];
    assert_eq!(names, expected);
    assert!(layers(&plan.fabric, &off).iter().all(|one| one.queue_bytes_mean.is_none()));
}
