//! The hot half of a port: the link that leaves it, with the packets on it.

use super::calendar::{Calendar, Wake};
use super::part::{Handover, Outbox};
use super::ring::{Entry, Ring};
use crate::net::frame::Frame;
use crate::net::wire::Wire;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

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
    /// Which port it belongs to.
    pub(super) place: Place,

    /// Of a fast port: when the wire is free.
    pub(super) busy_until: Time,
    /// Of a fast port: bytes of data queued or in service, those included that have left since the
    /// port was last looked at.
    pub(super) bytes: u32,
    /// Of a fast port: above this many bytes a frame that joins may be marked, dropped or make a
    /// maximum.
    pub(super) exact_above: u32,
    /// Of a fast port: how many frames of the ring are known to have left.
    pub(super) departed: u32,
    /// Of a fast port.
    pub(super) ps_per_byte: u32,
}

/// The port that a link leaves: its kind, and its number among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// What kinds of ports there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortKind {
    /// Fast, one class of data.
    Fast,
    /// Fast, several classes of data.
    FastClasses,
    General,
}

impl Place {
    const FAST: u32 = 1 << 31;
    const CLASSES: u32 = 1 << 30;
    const NUMBER: u32 = Self::CLASSES - 1;

    pub(super) fn new(kind: PortKind, number: usize) -> Self {
        Self(match kind {
            PortKind::Fast => number as u32 | Self::FAST,
            PortKind::FastClasses => number as u32 | Self::FAST | Self::CLASSES,
            PortKind::General => number as u32,
        })
    }

    /// A host's port, or a link from another part: nothing queues there.
    pub(super) fn none() -> Self {
        Self::new(PortKind::General, Self::NUMBER as usize)
    }

    #[inline]
    pub(super) fn kind(self) -> PortKind {
        match self.0 {
            place if place & Self::FAST == 0 => PortKind::General,
            place if place & Self::CLASSES == 0 => PortKind::Fast,
            _ => PortKind::FastClasses,
        }
    }

    #[inline]
    pub(super) fn number(self) -> usize {
        (self.0 & Self::NUMBER) as usize
    }
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
    pub(super) fn new(latency: Span, place: Place) -> Self {
        Self {
            ring: Ring::default(),
            woken_until: Time::ZERO,
            latency: latency.0 as u32,
            place,
            busy_until: Time::ZERO,
            bytes: 0,
            exact_above: 0,
            departed: 0,
            ps_per_byte: 0,
        }
    }

    /// The line of a fast port; its rate is a whole number of picoseconds per byte.
    pub(super) fn of_fast_port(latency: Span, place: Place, rate: Rate) -> Self {
        let ps_per_byte = Wire::new(rate).whole_ps_per_byte().unwrap_or(0);
        Self { ps_per_byte: ps_per_byte as u32, ..Self::new(latency, place) }
    }

    /// From the last bit sent until the frame can be queued or received at the far end.
    #[inline]
    pub(super) fn latency(&self) -> Span {
        Span(u64::from(self.latency))
    }

    /// The last bit of `frame` left at `departs`.
    #[inline(always)]
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
        self.wake_for(arrival, wake, calendar);
    }

    /// A frame on the link arrives at `arrival`.
    #[inline]
    pub(super) fn wake_for(&mut self, arrival: Time, wake: Wake, calendar: &mut Calendar) {
        if arrival >= self.woken_until {
            self.woken_until = calendar.wake_through(arrival, wake);
        }
    }

    /// Puts a frame of a fast port, which starts at `start`, behind those on the ring.
    #[inline]
    pub(super) fn send(&mut self, start: Time, frame: Frame, gap: Bytes) {
        let ps_per_byte = u64::from(self.ps_per_byte);
        let departs = start + Span(frame.size().0 * ps_per_byte);
        self.busy_until = departs + Span(gap.0 * ps_per_byte);
        self.ring.push(Entry::new(departs + self.latency(), frame));
    }

    /// Takes the first `n` frames, which have arrived, off the link.
    #[inline]
    pub(super) fn take(&mut self, n: u32) {
        self.ring.skip(n);
        // Only a fast port counts.
        self.departed = self.departed.saturating_sub(n);
    }

    /// The first frame of a fast port that is not known to have left.
    #[inline]
    pub(super) fn first_waiting(&self) -> Option<Entry> {
        self.ring.find(self.departed)
    }

    /// All frames of a fast port that are not known to have left, in order, in two pieces.
    #[inline]
    pub(super) fn waiting(&self) -> (&[Entry], &[Entry]) {
        self.ring.slices(self.departed)
    }

    /// Picoseconds from `instant` to the departure of `entry`, negative if it came before.
    #[inline]
    pub(super) fn departure_after(&self, entry: Entry, instant: Time) -> i32 {
        entry.offset(instant).wrapping_sub(self.latency) as i32
    }

    /// Forgets for which windows the far end has been woken, and wakes it for all frames on the
    /// link; `origin` is not after their arrival.
    pub(super) fn wake_again(&mut self, origin: Time, wake: Wake, calendar: &mut Calendar) {
        self.woken_until = origin;
        for i in 0..self.ring.len() as u32 {
            let offset = self.ring.get(i).offset(origin);
            self.wake_for(Time(origin.0 + u64::from(offset)), wake, calendar);
        }
    }
}
