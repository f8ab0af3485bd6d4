//! What schemes that read telemetry have in common: the records of the ACK before, and windows that
//! follow a rate.

use super::{Hop, Limits};
use crate::FlowContext;
use crate::ids::PortId;
use crate::units::{Bytes, Rate, Span, Time};
use serde::Serialize;

crate::words! {
    /// When a flow's rate answers what ACKs tell.
    pub enum Every {
        /// At each ACK.
        Ack = "ack",
        /// Once in a round trip, when all that was sent before the last time has arrived.
        Rtt = "rtt",
    }
}

/// Most hops that a header has room for; ACKs of longer paths are ignored (PowerTCP spec 2.5).
pub(super) const MOST: usize = 5;

/// The hops of the latest ACK that had any.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HopMemory {
    hops: [Hop; MOST],
    count: usize,
}

/// What an ACK tells about a path, beside what the one before told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Told {
    /// Nothing that can be used.
    Nothing,
    /// The first records of this path: there is nothing to compare with.
    NewPath,
    /// How the path has changed.
    Change,
}

/// Two records of a hop, in bytes and seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Change {
    /// Seconds between them.
    pub(super) span: f64,
    /// Bytes that waited at the first and at the second.
    pub(super) queue_before: f64,
    pub(super) queue: f64,
    /// Bytes sent and bytes that joined in between.
    pub(super) sent: f64,
    pub(super) entered: f64,
    /// The rate of the link at the second, in bytes per second.
    pub(super) rate: f64,
    /// Whether it was another at the first.
    pub(super) rate_changed: bool,
}

impl HopMemory {
    pub(super) fn new() -> Self {
        let none = Hop {
            port: PortId(0),
            at: Time::ZERO,
            queue: Bytes(0),
            sent: Bytes(0),
            entered: Bytes(0),
            rate: Rate(0),
        };
        Self { hops: [none; MOST], count: 0 }
    }

    /// Whether no ACK has had hops yet.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Hands `each` what has changed at the hops of an ACK since the one before, and keeps its records.
    /// A hop whose record is not younger than the one kept is passed over, and the kept one stays.
    pub(super) fn compare(&mut self, hops: &[Hop], mut each: impl FnMut(&Change)) -> Told {
        if hops.is_empty() || hops.len() > MOST {
            return Told::Nothing;
        }
        let kept = &mut self.hops[..hops.len()];
        let same = |(own, other): (&Hop, &Hop)| own.port == other.port;
        if self.count != hops.len() || !kept.iter().zip(hops).all(same) {
            kept.copy_from_slice(hops);
            self.count = hops.len();
            return Told::NewPath;
        }
        let mut told = Told::Nothing;
        for (before, hop) in kept.iter_mut().zip(hops) {
            if hop.at <= before.at {
                continue;
            }
            each(&Change {
                span: seconds(hop.at - before.at),
                queue_before: before.queue.0 as f64,
                queue: hop.queue.0 as f64,
                sent: hop.sent.0.saturating_sub(before.sent.0) as f64,
                entered: hop.entered.0.saturating_sub(before.entered.0) as f64,
                rate: bytes_per_second(hop.rate),
                rate_changed: hop.rate != before.rate,
            });
            *before = *hop;
            told = Told::Change;
        }
        told
    }
}

/// A hop beside a record of nothing, as the header's fields have it: a clock of 2^24 ns, a count of 2^27
/// bytes (PowerTCP spec 2.6). Nothing where the clock shows 0.
pub(super) fn beside_nothing(hop: &Hop) -> Option<Change> {
    let clock = hop.at.0 % (1000 << 24);
    let count = |Bytes(bytes): Bytes| (bytes % (1 << 27)) as f64;
    (clock > 0).then(|| Change {
        span: seconds(Span(clock)),
        queue_before: 0.0,
        queue: hop.queue.0 as f64,
        sent: count(hop.sent),
        entered: count(hop.entered),
        rate: bytes_per_second(hop.rate),
        rate_changed: false,
    })
}

pub(super) fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e12
}

pub(super) fn bytes_per_second(rate: Rate) -> f64 {
    rate.0 as f64 / 8.0
}

/// An average over `memory` seconds: a sample that stands for `span` of them replaces as much of it.
pub(super) fn smooth(average: f64, sample: f64, span: f64, memory: f64) -> f64 {
    let span = span.min(memory);
    (average * (memory - span) + sample * span) / memory
}

/// Which bytes a window counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Counts {
    /// Those on the wire.
    Wire,
    /// Those of the message.
    Payload,
}

/// What a rate in bytes per second allows, where the window is what it carries in `memory` seconds.
/// A packet may leave while less than the window is in flight, so one always may.
pub(super) fn limits(rate: f64, memory: f64, packet: &Packet) -> Limits {
    let window = rate * memory * packet.scale;
    let window = Bytes(libm::ceil(window) as u64 + packet.wire - 1);
    Limits { window, rate: Some(Rate((rate * 8.0) as u64).max(Rate(1))) }
}

/// A full packet of the flow.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Packet {
    wire: u64,
    /// Bytes on the wire for each that windows count.
    scale: f64,
}

impl Packet {
    pub(super) fn of(context: &FlowContext, counts: Counts) -> Self {
        let wire = context.packet().0;
        let scale = match counts {
            Counts::Wire => 1.0,
            Counts::Payload => wire as f64 / context.payload.0.max(1) as f64,
        };
        Self { wire, scale }
    }
}

/// What the known answers of several schemes need.
#[cfg(test)]
pub(super) mod testing {
    use super::super::{Ack, CongestionControl, Hop};
    use crate::ids::PortId;
    use crate::rng::Rng;
    use crate::units::{Bytes, Rate, Span, Time};
    use crate::{Cx, FlowContext};

    /// A flow of a fabric of this rate and round trip, whose packets have no headers.
    pub(in super::super) fn context(gbps: u64, base_rtt: Span) -> FlowContext {
        let rate = Rate::gbps(gbps);
        FlowContext {
            payload: Bytes(1000),
            header: Bytes(0),
            base_rtt,
            rate,
            bdp: rate.bytes_in(base_rtt),
            ..FlowContext::NOMINAL
        }
    }

    /// The record of a 100 Gbps port at `ns`.
    pub(in super::super) fn hop(ns: u64, queue: u64, sent: u64) -> Hop {
        Hop {
            port: PortId(7),
            at: Time(ns * 1000),
            queue: Bytes(queue),
            sent: Bytes(sent),
            entered: Bytes(sent + queue),
            rate: Rate::gbps(100),
        }
    }

    /// An ACK for all below `cumulative`, when `next_new` is next.
    pub(in super::super) fn ack(
        flow: &mut impl CongestionControl,
        now: Time,
        (cumulative, next_new): (u32, u32),
        rtt: Option<Span>,
        hops: &[Hop],
    ) {
        let mut rng = Rng::new(1, "flow", 0);
        let mut cx = Cx { now, rng: &mut rng, events: &mut () };
        let (bytes, in_flight) = (Bytes(1000), Bytes(100_000));
        let circuit = false;
        let news =
            Ack { bytes, marked: false, rtt, in_flight, cumulative, next_new, hops, circuit };
        flow.on_ack(&mut cx, &news);
    }

    /// Whether two numbers are the same to the sixth digit.
    pub(in super::super) fn is_close(number: f64, expected: f64) -> bool {
        (number - expected).abs() <= 1e-6 * expected.abs()
    }
}
