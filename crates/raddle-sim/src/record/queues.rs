//! Queues over time: exact integrals, whatever the order in which changes are told.

use super::Occupancy;
use super::series::{Buckets, join_pairs};
use crate::plan::{Plan, Service};
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};

/// Integrals of queues until the last host has sent its last data: a frame that joins at t and leaves
/// at u adds its bytes times u - t, or what of that lies before.
pub(super) struct Queues {
    hosts: usize,
    /// Whether control frames queue with data.
    one_class: bool,
    /// A bit for each data class whose ACKs are in its queue.
    acks: u8,
    locators: Locators,
    occupancy: Occupancy,
    /// Bytes queued at each port, as far as `late` does not say.
    bytes: Vec<u64>,
    /// What happened after the last data that is known to have left a host: it counts once a host
    /// sends later than that.
    late: Vec<Change>,
    /// How long `late` may be before it is looked through.
    late_limit: usize,
    /// Of each port that has a series.
    pub(super) over_time: Vec<OverTime>,
    /// A bit for each lossless data class, where not all are.
    lossless: u8,
    /// The same of frames of these classes; empty if there are none.
    pub(super) lossless_over_time: Vec<OverTime>,
}

/// Integrals of one queue, bucket by bucket: sums whose order does not matter.
#[derive(Clone, Default)]
pub(super) struct OverTime {
    /// Bytes that joined in the bucket, less those that left.
    net: Vec<u64>,
    /// Bytes times the picoseconds from the joining, or less those from the leaving, to the bucket's end.
    within: Vec<u128>,
}

impl OverTime {
    pub(super) fn change(&mut self, width: u64, change: Change) {
        let (bytes, buckets) = (u64::from(change.bytes), Buckets::new(Span(width)));
        let to_end = width - change.at.0 % width;
        let area = u128::from(bytes) * u128::from(to_end);
        if let (Some(net), Some(within)) =
            (buckets.at(&mut self.net, change.at), buckets.at(&mut self.within, change.at))
        {
            let joins = change.joins;
            *net = if joins { net.wrapping_add(bytes) } else { net.wrapping_sub(bytes) };
            *within = if joins { within.wrapping_add(area) } else { within.wrapping_sub(area) };
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        let longest = self.net.len().max(other.net.len());
        self.net.resize(longest, 0);
        self.within.resize(longest, 0);
        let net = self.net.iter_mut().zip(other.net);
        net.for_each(|(own, other)| *own = own.wrapping_add(other));
        let within = self.within.iter_mut().zip(other.within);
        within.for_each(|(own, other)| *own = own.wrapping_add(other));
    }

    /// Joins pairs of its buckets, which were `width` wide.
    pub(super) fn join_pairs(&mut self, width: u64) {
        // To the end of two buckets it is one more from the first of them.
        for (net, within) in self.net.iter().zip(&mut self.within).step_by(2) {
            // A net below zero is kept as one that wraps.
            let more = i128::from(*net as i64) * i128::from(width);
            *within = within.wrapping_add(more as u128);
        }
        join_pairs(&mut self.net, u64::wrapping_add);
        join_pairs(&mut self.within, u128::wrapping_add);
    }

    /// How many buckets it knows of.
    pub(super) fn len(&self) -> usize {
        self.net.len()
    }

    /// The integral over each of so many buckets.
    pub(super) fn areas(&self, width: u64, buckets: usize) -> impl Iterator<Item = u128> {
        let mut before = 0_u64;
        (0..buckets).map(move |bucket| {
            let within = self.within.get(bucket).copied().unwrap_or(0);
            let area = (u128::from(before) * u128::from(width)).wrapping_add(within);
            before = before.wrapping_add(self.net.get(bucket).copied().unwrap_or(0));
            area
        })
    }

    /// The mean of each of so many buckets, in whole bytes.
    pub(super) fn means(&self, width: u64, buckets: usize) -> Vec<u64> {
        self.areas(width, buckets).map(|area| (area / u128::from(width)) as u64).collect()
    }
}

/// A frame that joins a queue, or leaves it.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) at: Time,
    pub(super) port: PortId,
    pub(super) bytes: u32,
    pub(super) joins: bool,
}

/// Changes kept before they are looked through for the first time.
const LATE: usize = 1 << 12;

impl Queues {
    pub(super) fn new(whole: &Plan) -> Self {
        let ports = whole.fabric.ports.len();
        let lossless = whole.lossless_classes();
        let is_mixed = (0..whole.queue.classes).any(|class| lossless >> class & 1 == 0);
        let lossless = if is_mixed { lossless } else { 0 };
        let over_time = vec![OverTime::default(); whole.record.ports.len()];
        Self {
            hosts: whole.fabric.host_ports() as usize,
            one_class: whole.queue.service == Service::Fifo,
            acks: whole.queue.ack_classes(),
            locators: Locators::of(&whole.fabric, whole.queue.classes),
            occupancy: Occupancy { byte_ps: vec![0; ports], sent_until: Time::ZERO },
            bytes: vec![0; ports],
            late: Vec::new(),
            late_limit: LATE,
            lossless_over_time: if lossless == 0 { Vec::new() } else { over_time.clone() },
            over_time,
            lossless,
        }
    }

    /// A frame joins a queue, which has a series or not.
    pub(super) fn joined(
        &mut self,
        port: PortId,
        now: Time,
        frame: Frame,
        series: Option<(usize, u64)>,
    ) {
        let change = Change { at: now, port, bytes: frame.size().0 as u32, joins: true };
        self.note(change, frame, series);
    }

    /// A frame leaves a port, which has a series or not.
    pub(super) fn left(
        &mut self,
        port: PortId,
        now: Time,
        frame: Frame,
        series: Option<(usize, u64)>,
    ) {
        if port.index() < self.hosts {
            if frame.is_data() {
                self.occupancy.sent_until = self.occupancy.sent_until.max(now);
            }
        } else if self.one_class || !frame.is_control() || self.is_with_data(frame) {
            let change = Change { at: now, port, bytes: frame.size().0 as u32, joins: false };
            self.note(change, frame, series);
        }
    }

    fn note(&mut self, change: Change, frame: Frame, series: Option<(usize, u64)>) {
        if let Some((series, width)) = series {
            self.over_time[series].change(width, change);
            if self.lossless >> self.locators.class(frame.to) & 1 == 1 {
                self.lossless_over_time[series].change(width, change);
            }
        }
        self.change(change);
    }

    /// Whether it is an ACK that was in a queue of data.
    fn is_with_data(&self, frame: Frame) -> bool {
        self.acks != 0 && frame.is_reply() && self.acks >> self.locators.class(frame.to) & 1 == 1
    }

    fn change(&mut self, change: Change) {
        if change.at <= self.occupancy.sent_until {
            return self.apply(change);
        }
        self.late.push(change);
        if self.late.len() >= self.late_limit {
            self.look_through();
            self.late_limit = LATE.max(2 * self.late.len());
        }
    }

    fn apply(&mut self, Change { at, port, bytes, joins }: Change) {
        let area = u128::from(bytes) * u128::from(at.0);
        let (sum, queued) =
            (&mut self.occupancy.byte_ps[port.index()], &mut self.bytes[port.index()]);
        if joins {
            *sum = sum.wrapping_sub(area);
            *queued = queued.wrapping_add(u64::from(bytes));
        } else {
            *sum = sum.wrapping_add(area);
            *queued = queued.wrapping_sub(u64::from(bytes));
        }
    }

    /// Counts what is not late any more.
    fn look_through(&mut self) {
        let until = self.occupancy.sent_until;
        for change in std::mem::take(&mut self.late) {
            if change.at <= until {
                self.apply(change);
            } else {
                self.late.push(change);
            }
        }
    }

    /// Joins pairs of the buckets of all series, which were `width` wide.
    pub(super) fn join_pairs(&mut self, width: u64) {
        let all = self.over_time.iter_mut().chain(&mut self.lossless_over_time);
        all.for_each(|own| own.join_pairs(width));
    }

    pub(super) fn add(&mut self, other: Self) {
        let until = &mut self.occupancy.sent_until;
        *until = (*until).max(other.occupancy.sent_until);
        let sums = self.occupancy.byte_ps.iter_mut().zip(other.occupancy.byte_ps);
        sums.for_each(|(own, other)| *own = own.wrapping_add(other));
        let bytes = self.bytes.iter_mut().zip(other.bytes);
        bytes.for_each(|(own, other)| *own = own.wrapping_add(other));
        self.late.extend(other.late);
        let over_time = self.over_time.iter_mut().zip(other.over_time);
        over_time.for_each(|(own, other)| own.add(other));
        let lossless = self.lossless_over_time.iter_mut().zip(other.lossless_over_time);
        lossless.for_each(|(own, other)| own.add(other));
    }

    /// The integrals, of what is queued still, too.
    pub(super) fn finish(mut self) -> Occupancy {
        self.look_through();
        let until = u128::from(self.occupancy.sent_until.0);
        for (sum, bytes) in self.occupancy.byte_ps.iter_mut().zip(self.bytes) {
            *sum = sum.wrapping_add(u128::from(bytes) * until);
        }
        self.occupancy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_buckets_have_the_integrals_of_wider_ones() {
        let port = PortId(0);
        let changes = [(3, 5, true), (17, 2, true), (28, 5, false), (41, 2, false), (55, 9, true)];
        let of = |width: u64| {
            let mut own = OverTime::default();
            for (at, bytes, joins) in changes {
                own.change(width, Change { at: Time(at), port, bytes, joins });
            }
            own
        };
        let areas = |own: &OverTime, width| own.areas(width, 4).collect::<Vec<_>>();
        let (mut joined, wide) = (of(10), of(20));
        joined.join_pairs(10);
        assert_eq!(areas(&joined, 20), areas(&wide, 20));
        joined.join_pairs(20);
        assert_eq!(areas(&joined, 40), areas(&of(40), 40));
        assert_eq!(areas(&joined, 40)[0], 5 * 25 + 2 * 23);
    }
}
