//! What link-level retry counted fits together, and with what its port counted.

use super::Findings;
use crate::plan::Plan;
use crate::record::{DropCause, Outcome, PortRecord, RetryRecord};
use crate::retry::RetryFacts;
use raddle_schemes::ids::PortId;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let listed = outcome.retries.len() as u64;
    let expected = plan.llr.map_or(0, |_| outcome.ports.len() as u64);
    found.equal("the plan", ("records of retry", listed), ("ports that may have it", expected));
    let ports = plan.fabric.ports.iter().zip(&outcome.ports).zip((0..).map(PortId));
    for (((own, port), id), record) in ports.zip(&outcome.retries) {
        match RetryFacts::of(plan, id) {
            Some(facts) => link(&own.name, (&facts, plan), (port, record), found),
            None if *record == RetryRecord::default() => {}
            None => found.note(format!("{}: no retry is needed, but {record:?}", own.name)),
        }
    }
}

fn link(
    place: &str,
    (facts, plan): (&RetryFacts, &Plan),
    (port, own): (&PortRecord, &RetryRecord),
    found: &mut Findings,
) {
    let came = own.accepted + own.spoiled + own.discarded + own.duplicates;
    let sent = ("transmissions with a number", own.frames + own.replayed_frames);
    found.equal(place, sent, ("what became of them", came));
    let first = ("frames with a number", own.frames);
    found.at_most(place, ("frames taken in or given up", own.accepted + own.flushed), first);
    let pfc = port.pfc.as_deref();
    let left = port.frames + pfc.map_or(0, |pfc| pfc.frames);
    let known = own.frames + own.unnumbered;
    found.at_most(place, ("frames that left", left), ("those with and without a number", known));
    // One without a number may be in service.
    let left = ("frames that left, and one in service", left + 1);
    found.at_most(place, ("frames with and without a number", known), left);
    let lost = port.dropped[DropCause::Loss as usize] + pfc.map_or(0, |pfc| pfc.lost);
    found.at_most(place, ("frames given up", own.flushed), ("frames lost on the link", lost));
    if plan.queue.pfc.is_none() {
        let most = ("its window", facts.bytes_max);
        found.at_most(place, ("most bytes not acknowledged", own.kept_bytes_max), most);
    }
}
