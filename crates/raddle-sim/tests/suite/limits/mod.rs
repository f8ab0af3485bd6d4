//! Every limit of the engines, at the limit and one beyond.

mod flows;
mod frames;
mod links;
mod queues;
mod switches;
mod times;

use crate::common::{fat_tree, plan};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{Pfc, Plan};
use raddle_sim::workload::Flow;

/// One small flow, host 0 to host 3, in a small tree.
fn small() -> Plan {
    plan(fat_tree(2, 16), vec![Flow::at_zero(0, 3, Bytes(10_000))].into(), "ops", 1)
}

/// Checks that the plan is fine as `at_limit` makes it and refused as `beyond` makes it then.
fn between(
    at_limit: impl FnOnce(&mut Plan),
    beyond: impl FnOnce(&mut Plan),
    error: LimitError,
    message: &str,
) {
    let mut plan = small();
    at_limit(&mut plan);
    assert_eq!(plan.check_limits(), Ok(()));
    beyond(&mut plan);
    assert_eq!(plan.check_limits(), Err(error.clone()));
    assert_eq!(error.to_string(), message);
}

/// Flow control with thresholds in bytes.
fn pfc(xoff: u64, xon: u64, quanta: Span) -> Option<Pfc> {
    Some(Pfc {
        xoff: Size::Bytes(Bytes(xoff)),
        xon: Size::Bytes(Bytes(xon)),
        ..Pfc::of_memory(quanta)
    })
}
