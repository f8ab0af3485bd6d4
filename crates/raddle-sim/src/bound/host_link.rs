//! What the links of hosts have to carry.

use super::flow_alone::Lone;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Span, Time};
use std::cmp::Reverse;

/// A flow's part in the work of one link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// When the link can begin with it, at the earliest.
    pub(super) release: Time,
    /// How long it occupies the link, gaps included.
    pub(super) occupancy: Span,
    /// The part of it after the last bit.
    pub(super) slack: Span,
    /// From the last bit to the ACK at the sender, at least.
    pub(super) after: Span,
}

impl Work {
    /// Of a flow that starts at time zero, at its sender's link.
    pub(super) fn at_sender(lone: &Lone<'_>) -> Self {
        Self {
            release: Time::ZERO,
            occupancy: lone.sender_occupancy(),
            slack: lone.sender_slack(),
            after: lone.after_sender(),
        }
    }

    /// The same at its receiver's link.
    pub(super) fn at_receiver(lone: &Lone<'_>) -> Self {
        Self {
            release: Time::ZERO + lone.release(),
            occupancy: lone.receiver_occupancy(),
            slack: lone.receiver_slack(),
            after: lone.after_receiver(),
        }
    }

    /// The same work of a flow that starts at `start`.
    pub(super) fn delayed(self, start: Time) -> Self {
        Self { release: start + self.release.since(Time::ZERO), ..self }
    }
}

/// The earliest instant at which the links of all hosts can be through with their flows and the last
/// ACK back; `None` if there are none. `work_of` says what a flow is to its link. There may be
/// millions, so it is asked link by link.
pub(super) fn finish<F: Copy>(
    mut flows: Vec<(HostId, F)>,
    mut work_of: impl FnMut(F) -> Work,
) -> Option<Time> {
    flows.sort_by_key(|&(host, _)| host);
    let mut link = Vec::new();
    let of_link = |flows: &[(HostId, F)]| {
        link.clear();
        link.extend(flows.iter().map(|&(_, flow)| work_of(flow)));
        link.sort_by_key(|work| Reverse(work.release));
        finish_one(&link)
    };
    flows.chunk_by(|(host, _), (other, _)| host == other).map(of_link).max()
}

/// The same of one link, whose work comes the latest release first; of several links of a host, each of
/// which has a share that may be less than a gap.
///
/// Whatever its order, all work that is released at or after some instant is carried after that
/// instant, and some flow of it comes last.
fn finish_one(link: &[Work]) -> Time {
    let (mut carried, mut slack, mut after) = (0, 0, u64::MAX);
    let mut latest = 0;
    for flow in link {
        carried += flow.occupancy.0;
        slack = slack.max(flow.slack.0);
        after = after.min(flow.after.0);
        latest = latest.max(flow.release.0 + carried.saturating_sub(slack) + after);
    }
    Time(latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(release: u64, occupancy: u64, after: u64) -> Work {
        Work {
            release: Time(release),
            occupancy: Span(occupancy),
            slack: Span(1),
            after: Span(after),
        }
    }

    #[test]
    fn the_busiest_stretch_counts() {
        let finish = |work: &[Work]| {
            finish(work.iter().map(|work| (HostId(3), *work)).collect(), |work| work)
        };
        // Busy from 0 to 30, then from 100 to 150: the later stretch ends last.
        let late = [work(0, 30, 7), work(100, 20, 9), work(110, 30, 7)];
        assert_eq!(finish(&late), Some(Time(100 + 50 - 1 + 7)));
        // One stretch from 0 to 130.
        let mut dense = [work(0, 100, 7), work(50, 20, 9), work(60, 10, 7)];
        assert_eq!(finish(&dense), Some(Time(130 - 1 + 7)));
        // The order of the list does not matter.
        dense.reverse();
        assert_eq!(finish(&dense), Some(Time(130 - 1 + 7)));
        assert_eq!(finish(&[]), None);
    }

    #[test]
    fn the_link_that_is_through_last_counts() {
        let work = [(2, 30), (1, 20), (2, 40), (1, 60)]
            .map(|(host, busy)| (HostId(host), work(0, busy, 7)));
        assert_eq!(finish(work.to_vec(), |work| work), Some(Time(80 - 1 + 7)));
    }
}
