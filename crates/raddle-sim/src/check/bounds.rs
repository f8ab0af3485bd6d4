//! Nothing is faster than its bound.

use super::Findings;
use crate::bound::cut::{self, Cut};
use crate::bound::{Bound, detours, least, of_plan};
use crate::plan::Plan;
use crate::record::Outcome;
use raddle_schemes::units::{Span, Time};

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    completion(plan, outcome, found);
    if !detours(plan) {
        slowdowns(plan, outcome, found);
    }
}

/// The run's completion and what bounds it from below. Those for paced flows are measures.
fn completion(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let acked = outcome
        .flows
        .iter()
        .map(|flow| flow.acked)
        .try_fold(Time::ZERO, |last, acked| acked.map(|acked| last.max(acked)));
    let Some(acked) = acked else { return };
    let strict = of_plan(plan).into_iter().filter(|bound| !bound.name.ends_with(Bound::PACED));
    let cut = cut::under_faults(plan).map(|cut| Bound { name: Cut::UNDER_FAULTS, time: cut.time });
    for Bound { name, time } in strict.chain(cut) {
        let completion = ("its completion in ps", acked.0);
        found.at_most("the run", (&format!("its bound {name} in ps"), time.0), completion);
    }
}

/// Each flow's completion, or that of the message whose pieces flows are, and what it takes alone at
/// least.
fn slowdowns(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let took = |flow: usize| {
        let record = outcome.flows.at(flow);
        Some((record.started?, record.acked?))
    };
    let of_message = |number: usize| match plan.traffic.pieces.as_deref() {
        None => took(number),
        Some(pieces) => pieces.of(number).map(|piece| took(piece as usize)).reduce(|a, b| {
            let ((start, end), (other, last)) = (a?, b?);
            Some((start.min(other), end.max(last)))
        })?,
    };
    for (number, ideal) in least(plan).into_iter().enumerate() {
        let Some(((started, acked), Span(ideal))) = of_message(number).zip(ideal) else { continue };
        let took = ("its completion in ps", acked.since(started).0);
        found.at_most(format!("flow {number}"), ("what it takes alone in ps", ideal), took);
    }
}
