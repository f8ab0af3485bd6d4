//! The events of schemes that a timeline keeps.

use crate::record::SchemeEvent;

/// Most scheme events kept in a timeline.
pub(super) const EVENTS_KEPT: usize = 10_000;

/// Keeps the first events by time and flow. Hosts are run in an order that depends on the windows
/// and on the parts of the run; the events of one flow are in order, and stay so.
pub(super) fn keep_first(events: &mut Vec<SchemeEvent>) {
    events.sort_by_key(|&(at, flow, ..)| (at, flow));
    events.truncate(EVENTS_KEPT);
}
