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
            Some(facts) => {
                let credits = outcome.credits.get(id.index());
                let messages = credits.map_or((0, 0), |own| (own.consumed_frames, own.lost_frames));
                let pfc = port.pfc.as_deref().map_or((0, 0), |pfc| (pfc.frames, pfc.lost));
                let messages = (messages.0 + pfc.0, messages.1 + pfc.1);
                link(&own.name, (&facts, plan), (port, record, messages), found);
            }
            None if *record == RetryRecord::default() => {}
            None => found.note(format!("{}: no retry is needed, but {record:?}", own.name)),
        }
    }
}

fn link(
    place: &str,
    (facts, plan): (&RetryFacts, &Plan),
    (port, own, messages): (&PortRecord, &RetryRecord, (u64, u64)),
    found: &mut Findings,
) {
    let came = own.accepted + own.spoiled + own.discarded + own.duplicates;
    let sent = ("transmissions with a number", own.frames + own.replayed_frames);
    found.equal(place, sent, ("what became of them", came));
    let first = ("frames with a number", own.frames);
    found.at_most(place, ("frames taken in or given up", own.accepted + own.flushed), first);
    let left = port.frames + messages.0;
    let known = own.frames + own.unnumbered;
    found.at_most(place, ("frames that left", left), ("those with and without a number", known));
    // One without a number may be in service.
    let left = ("frames that left, and one in service", left + 1);
    found.at_most(place, ("frames with and without a number", known), left);
    let lost = port.dropped[DropCause::Loss as usize] + messages.1;
    found.at_most(place, ("frames given up", own.flushed), ("frames lost on the link", lost));
    if plan.queue.pfc.is_none() && plan.queue.cbfc.is_none() {
        let most = ("its window", facts.bytes_max);
        found.at_most(place, ("most bytes not acknowledged", own.kept_bytes_max), most);
    }
}
