//! Training steps in both engines.

use crate::common::agree::trouble;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::training::{Schedule, Training};

/// Sixteen ranks, with messages of each kind.
#[test]
fn both_engines_run_a_step_alike() {
    let step = Training {
        tensor: 2,
        pipeline: 2,
        data: 4,
        expert: 2,
        layers: 4,
        forward: Span::us(1),
        backward: Span::us(1),
        weight_gradient: Span::us(1),
        micro_batches: 2,
        schedule: Schedule::Interleaved,
        chunks: 2,
        activation: Bytes(9_000),
        tensor_bytes: Bytes(6_000),
        expert_bytes: Bytes(3_000),
        gradient: Bytes(20_000),
        expert_gradient: Bytes(10_000),
        parameters: Bytes(5_000),
        prefetch: 1,
        steps: 2,
    };
    let hosts: Vec<HostId> = (0..16).map(HostId).collect();
    let traffic = step.job().unwrap().traffic(&hosts).unwrap();
    let plan = crate::common::plan(crate::common::fat_tree(2, 16), traffic, "ops", 3);
    assert_eq!(trouble(&plan), None);
}
