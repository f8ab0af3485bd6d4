//! The hot half of a port: the link that leaves it, with the packets on it.

use super::calendar::{Calendar, Wake};
use super::part::{Handover, Outbox};
use super::ring::{Entry, Ring};
use crate::net::frame::Frame;
use raddle_schemes::units::{Span, Time};

/// A link, in one cache line. Switch ports and hosts' NICs have one each; so has every link that
/// comes in from another part of the fabric.
#[repr(C, align(64))]
pub(super) struct Line {
    /// Packets on the link, in order of arrival. Where the port computes departures at enqueue,
    /// followed by those that have not left yet.
    pub(super) ring: Ring,
    /// The far end has been woken for every window that ends at or before this.
    woken_until: Time,
    latency: u32,
    /// Which port of its kind this is, see [`super::part::Place`].
    pub(super) place: u32,
}

const _: () = assert!(size_of::<Line>() == 64);

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum FarEnd {
    /// To a node of the same part, which an arrival wakes.
    Here(Wake),
    /// To another part: its number, and the link's line there.
    Elsewhere { part: u32, line: u32 },
}

impl Line {
    pub(super) fn new(latency: Span, place: u32) -> Self {
        Self { ring: Ring::default(), woken_until: Time::ZERO, latency: latency.0 as u32, place }
    }

    /// From the last bit sent until the frame can be queued or received at the far end.
    #[inline]
    pub(super) fn latency(&self) -> Span {
        Span(u64::from(self.latency))
    }

    /// The last bit of `frame` left at `departs`.
    #[inline]
    pub(super) fn launch(
        &mut self,
        departs: Time,
        frame: Frame,
        far_end: FarEnd,
        calendar: &mut Calendar,
        outbox: &mut Outbox,
    ) {
        let arrival = departs + self.latency();
        match far_end {
            FarEnd::Here(wake) => self.accept(Entry::new(arrival, frame), arrival, wake, calendar),
            FarEnd::Elsewhere { part, line } => {
                outbox.frames[part as usize].push(Handover { line, arrival, frame });
            }
        }
    }

    /// Puts an entry that arrives at `arrival` behind those on the link.
    #[inline]
    pub(super) fn accept(
        &mut self,
        entry: Entry,
        arrival: Time,
        wake: Wake,
        calendar: &mut Calendar,
    ) {
        self.ring.push(entry);
        if arrival >= self.woken_until {
            self.woken_until = calendar.wake_through(arrival, wake);
        }
    }

    /// Wakes the far end again for the packet that arrives next; `origin` is not after it. If there
    /// is none, the next one wakes it, though it may arrive in a window that it was woken for.
    pub(super) fn wake_again(&mut self, origin: Time, wake: Wake, calendar: &mut Calendar) {
        if self.ring.is_empty() {
            self.woken_until = origin;
        } else {
            let offset = self.ring.get(0).offset(origin);
            calendar.wake(Time(origin.0 + u64::from(offset)), wake);
        }
    }
}
