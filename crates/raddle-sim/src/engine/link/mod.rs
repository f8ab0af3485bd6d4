//! The hot half of a port: the link that leaves it, with the packets on it.

pub(super) mod arrivals;
pub(super) mod outbox;
pub(super) mod ring;

use crate::engine::schedule::calendar::{Calendar, Wake};
use crate::wire::frame::Frame;
use crate::wire::serialisation::Wire;
use outbox::{Handover, Outbox};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use ring::{Entry, Ring};

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
    /// Of a fast port of one class: bytes queued or in service, those included that have left since
    /// the port was last looked at.
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
    /// Fast, one class.
    Fifo,
    /// Fast, control before one class of data.
    Priority,
    /// Fast, control before several classes of data.
    Classes,
    /// With real queues.
    General,
}

impl Place {
    const KIND: u32 = 30;
    const NUMBER: u32 = (1 << Self::KIND) - 1;

    pub(super) fn new(kind: PortKind, number: usize) -> Self {
        Self((kind as u32) << Self::KIND | number as u32)
    }

    /// A host's port, or a link from another part: nothing queues there.
    pub(super) fn none() -> Self {
        Self::new(PortKind::General, Self::NUMBER as usize)
    }

    #[inline]
    pub(super) fn kind(self) -> PortKind {
        match self.0 >> Self::KIND {
            0 => PortKind::Fifo,
            1 => PortKind::Priority,
            2 => PortKind::Classes,
            _ => PortKind::General,
        }
    }

    #[inline]
    pub(super) fn number(self) -> usize {
        (self.0 & Self::NUMBER) as usize
    }
}

/// Frames that left a fast port.
#[derive(Default)]
pub(super) struct Departed {
    pub(super) frames: u32,
    pub(super) bytes: u64,
    pub(super) data_frames: u64,
    pub(super) control_bytes: u64,
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

    /// Puts a frame of a fast port, which starts at `start`, behind those on the ring. Returns when
    /// it leaves.
    #[inline]
    pub(super) fn send(&mut self, start: Time, frame: Frame, gap: Bytes) -> Time {
        let ps_per_byte = u64::from(self.ps_per_byte);
        let departs = start + Span(frame.size().0 * ps_per_byte);
        self.busy_until = departs + Span(gap.0 * ps_per_byte);
        self.ring.push(Entry::new(departs + self.latency(), frame));
        departs
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

    /// The same with its departure, if that is at or before `until`.
    #[inline]
    pub(super) fn first_departed(&self, until: Time) -> Option<(Time, Frame)> {
        let entry = self.first_waiting()?;
        (self.departure_after(entry, until) <= 0)
            .then(|| (self.departure_of(entry, until), entry.frame))
    }

    /// Moves the cursor of a fast port behind what has left at or before `until`, and wakes the far
    /// end for it.
    #[inline(always)]
    pub(super) fn depart_together(
        &mut self,
        until: Time,
        wake: Wake,
        calendar: &mut Calendar,
    ) -> Departed {
        let mut left = Departed::default();
        let (mut first, mut last) = (0, 0);
        let (front, back) = self.ring.slices(self.departed);
        'left: for entries in [front, back] {
            for &entry in entries {
                let early = self.departure_after(entry, until);
                if early > 0 {
                    break 'left;
                }
                first = if left.frames == 0 { early } else { first };
                last = early;
                left.frames += 1;
                let size = entry.frame.size().0;
                left.bytes += size;
                left.data_frames += u64::from(entry.frame.is_data());
                left.control_bytes += if entry.frame.is_control() { size } else { 0 };
            }
        }
        if left.frames == 0 {
            return left;
        }
        // What leaves within a window arrives within two, in one of them first, in one last.
        let mut wake_after = |early: i32| {
            let departure = Time(until.0.wrapping_add_signed(i64::from(early)));
            self.wake_for(departure + self.latency(), wake, calendar);
        };
        wake_after(first);
        if left.frames > 1 {
            wake_after(last);
        }
        self.departed += left.frames;
        left
    }

    /// Picoseconds from `instant` to the departure of `entry`, negative if it came before.
    #[inline]
    pub(super) fn departure_after(&self, entry: Entry, instant: Time) -> i32 {
        entry.offset(instant).wrapping_sub(self.latency) as i32
    }

    /// When `entry` of a fast port leaves; `instant` is not far from that.
    #[inline]
    pub(super) fn departure_of(&self, entry: Entry, instant: Time) -> Time {
        let after = self.departure_after(entry, instant);
        Time(instant.0.wrapping_add_signed(after.into()))
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
