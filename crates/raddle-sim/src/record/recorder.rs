//! Series and timelines while a run goes on: the same few calls from both engines.

use super::series::Buckets;
use super::{Occupancy, PortSeries, Timeline};
use crate::faults::link::Lost;
use crate::faults::{Faults, PortChange};
use crate::plan::{Plan, Service};
use crate::topology::Node;
use crate::topology::circuits::Circuits;
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Span, Time};

/// Fills the series of the ports a plan names, and fabric-wide counts over time.
pub struct Recorder {
    buckets: Buckets,
    /// Whether anything is recorded at all.
    on: bool,
    /// Index into `series`, per port; empty if no port is named.
    series_of: Vec<Option<u32>>,
    series: Vec<PortSeries>,
    timeline: Timeline,
    queues: Option<Queues>,
    circuits: Option<Watch>,
    /// Frames taken out when their circuit closed, per port; empty where that does not happen.
    late: Vec<u64>,
    /// Frames that were on the wire while their circuit was not up, per port; empty where all clocks are
    /// right.
    clipped: Vec<u64>,
}

/// What watches that frames pass links with gates in their openings.
struct Watch {
    circuits: Circuits,
    /// How long a frame took is not known at ports whose rate changes.
    faults: Faults,
    /// The node of each port.
    owners: Vec<Node>,
    /// Frames that did not.
    outside: u64,
}

impl Watch {
    fn new(whole: &Plan) -> Option<Self> {
        let circuits = (**whole.fabric.circuits.as_ref()?).clone();
        let owners = whole.fabric.ports.iter().map(|port| port.owner).collect();
        Some(Self { circuits, faults: whole.faults.clone(), owners, outside: 0 })
    }

    fn note(&mut self, port: PortId, now: Time, frame: Frame) {
        let changes = self.faults.changes_of(port);
        let size = if changes.is_empty() { frame.size() } else { Bytes(0) };
        let mut uplinks = changes.iter().rev().filter_map(|(at, change)| match change {
            // At one instant the last bit leaves before the link changes.
            PortChange::Uplinks { dead } if *at < now => Some(*dead),
            _ => None,
        });
        let dead = uplinks.next().unwrap_or_default();
        let behind = match self.owners.get(port.index()) {
            Some(Node::Switch(switch)) => self.faults.behind(*switch),
            _ => 0,
        };
        // As the ToR's clock has it; before time zero it is as at the end of a period.
        let own = now.0.checked_add_signed(-behind);
        let own = own.unwrap_or_else(|| now.0 + self.circuits.period.0 - behind.unsigned_abs());
        self.outside += u64::from(!self.circuits.passes(port, (size, Time(own)), dead));
    }
}

/// Integrals of queues until the last host has sent its last data: a frame that joins at t and leaves
/// at u adds its bytes times u - t, or what of that lies before.
struct Queues {
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
    over_time: Vec<OverTime>,
    /// A bit for each lossless data class, where not all are.
    lossless: u8,
    /// The same of frames of these classes; empty if there are none.
    lossless_over_time: Vec<OverTime>,
}

/// Integrals of one queue, bucket by bucket: sums whose order does not matter.
#[derive(Clone, Default)]
struct OverTime {
    /// Bytes that joined in the bucket, less those that left.
    net: Vec<u64>,
    /// Bytes times the picoseconds from the joining, or less those from the leaving, to the bucket's end.
    within: Vec<u128>,
}

impl OverTime {
    fn change(&mut self, width: u64, change: Change) {
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

    fn add(&mut self, other: Self) {
        let longest = self.net.len().max(other.net.len());
        self.net.resize(longest, 0);
        self.within.resize(longest, 0);
        let net = self.net.iter_mut().zip(other.net);
        net.for_each(|(own, other)| *own = own.wrapping_add(other));
        let within = self.within.iter_mut().zip(other.within);
        within.for_each(|(own, other)| *own = own.wrapping_add(other));
    }

    /// The mean of each of so many buckets, in whole bytes.
    fn means(&self, width: u64, buckets: usize) -> Vec<u64> {
        let mut before = 0_u64;
        let mean = |bucket: usize| {
            let within = self.within.get(bucket).copied().unwrap_or(0);
            let area = (u128::from(before) * u128::from(width)).wrapping_add(within);
            before = before.wrapping_add(self.net.get(bucket).copied().unwrap_or(0));
            (area / u128::from(width)) as u64
        };
        (0..buckets).map(mean).collect()
    }
}

/// A frame that joins a queue, or leaves it.
#[derive(Clone, Copy)]
struct Change {
    at: Time,
    port: PortId,
    bytes: u32,
    joins: bool,
}

/// Changes kept before they are looked through for the first time.
const LATE: usize = 1 << 12;

impl Queues {
    fn new(whole: &Plan) -> Self {
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
    fn joined(&mut self, port: PortId, now: Time, frame: Frame, series: Option<(usize, u64)>) {
        let change = Change { at: now, port, bytes: frame.size().0 as u32, joins: true };
        self.note(change, frame, series);
    }

    /// A frame leaves a port, which has a series or not.
    fn left(&mut self, port: PortId, now: Time, frame: Frame, series: Option<(usize, u64)>) {
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

    fn add(&mut self, other: Self) {
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
    fn finish(mut self) -> Occupancy {
        self.look_through();
        let until = u128::from(self.occupancy.sent_until.0);
        for (sum, bytes) in self.occupancy.byte_ps.iter_mut().zip(self.bytes) {
            *sum = sum.wrapping_add(u128::from(bytes) * until);
        }
        self.occupancy
    }
}

impl Recorder {
    /// A recorder for a run.
    pub fn new(whole: &Plan) -> Self {
        let (plan, ports) = (&whole.record, whole.fabric.ports.len());
        let queues = plan.queue_means.then(|| Queues::new(whole));
        let circuits = whole.fabric.circuits.as_ref();
        let by_slices = circuits.is_some_and(|own| own.slicing.is_some());
        let mut series_of = vec![None; if plan.ports.is_empty() { 0 } else { ports }];
        for (index, port) in plan.ports.iter().enumerate() {
            series_of[port.index()] = Some(index as u32);
        }
        Self {
            buckets: Buckets::new(plan.bucket),
            on: plan.watches_queues(),
            series_of,
            series: vec![PortSeries::default(); plan.ports.len()],
            timeline: Timeline::default(),
            queues,
            circuits: plan.watches_queues().then(|| Watch::new(whole)).flatten(),
            late: vec![0; if by_slices { ports } else { 0 }],
            clipped: vec![0; if whole.faults.clocks.is_empty() { 0 } else { ports }],
        }
    }

    fn series(&mut self, port: PortId) -> Option<&mut PortSeries> {
        self.series.get_mut((*self.series_of.get(port.index())?)? as usize)
    }

    /// The place of a port's series, and the width of its buckets.
    fn place(&self, port: PortId) -> Option<(usize, u64)> {
        let place = (*self.series_of.get(port.index())?)?;
        (self.buckets.width() > 0).then_some((place as usize, self.buckets.width()))
    }

    /// A frame's last bit left `port`.
    #[inline]
    pub fn departed(&mut self, port: PortId, now: Time, frame: Frame) {
        if self.on {
            self.note_departed(port, now, frame);
        }
    }

    fn note_departed(&mut self, port: PortId, now: Time, frame: Frame) {
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame, place);
        }
        if let Some(circuits) = &mut self.circuits {
            circuits.note(port, now, frame);
        }
        let buckets = self.buckets;
        if let Some(series) = self.series(port) {
            if let Some(bytes) = buckets.at(&mut series.bytes, now) {
                *bytes += frame.size().0;
            }
            if frame.is_data() {
                buckets.count(&mut series.data_frames, now);
            }
        }
    }

    /// A frame joined a data class of `port`, which holds this many bytes now.
    #[inline]
    pub fn queued(&mut self, port: PortId, now: Time, frame: Frame, bytes: u64) {
        if self.on {
            self.note_queued(port, now, frame, bytes);
        }
    }

    /// A frame that was queued at `port`, or half sent, was lost there.
    pub fn flushed(&mut self, port: PortId, now: Time, frame: Frame) {
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame, place);
        }
    }

    fn note_queued(&mut self, port: PortId, now: Time, frame: Frame, bytes: u64) {
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.joined(port, now, frame, place);
        }
        let buckets = self.buckets;
        if let Some(series) = self.series(port)
            && let Some(most) = buckets.at(&mut series.queue_bytes_max, now)
        {
            *most = (*most).max(bytes);
        }
    }

    /// A frame was lost at `port`.
    pub fn dropped(&mut self, port: PortId, now: Time, frame: Frame) {
        let buckets = self.buckets;
        buckets.count(&mut self.timeline.dropped, now);
        if let Some(series) = self.series(port) {
            buckets.count(&mut series.dropped, now);
            if frame.is_data() {
                buckets.count(&mut series.dropped_data, now);
            }
        }
    }

    /// A frame was dropped by a switch's middleware, at no port.
    pub fn dropped_within(&mut self, now: Time) {
        self.buckets.count(&mut self.timeline.dropped, now);
    }

    /// A frame that left is lost on its way.
    #[cold]
    pub fn lost(&mut self, port: PortId, why: Lost) {
        if let (Lost::Clipped, Some(clipped)) = (why, self.clipped.get_mut(port.index())) {
            *clipped += 1;
        }
    }

    /// A frame still waited at `port` when its circuit closed, and was taken out.
    pub fn late(&mut self, port: PortId, now: Time, frame: Frame) {
        self.late[port.index()] += 1;
        self.flushed(port, now, frame);
    }

    /// A packet was marked.
    #[inline]
    pub fn marked(&mut self, now: Time) {
        if self.on {
            self.buckets.count(&mut self.timeline.marked, now);
        }
    }

    /// A packet was trimmed.
    pub fn trimmed(&mut self, now: Time) {
        self.buckets.count(&mut self.timeline.trimmed, now);
    }

    /// Adds what another part of the same run recorded.
    pub(crate) fn add(&mut self, other: Self) {
        let own = &mut self.timeline;
        sum(&mut own.dropped, &other.timeline.dropped);
        sum(&mut own.marked, &other.timeline.marked);
        sum(&mut own.trimmed, &other.timeline.trimmed);
        sum(&mut self.late, &other.late);
        sum(&mut self.clipped, &other.clipped);
        if let (Some(own), Some(other)) = (&mut self.queues, other.queues) {
            own.add(other);
        }
        if let (Some(own), Some(other)) = (&mut self.circuits, other.circuits) {
            own.outside += other.outside;
        }
        for (own, other) in self.series.iter_mut().zip(&other.series) {
            sum(&mut own.data_frames, &other.data_frames);
            sum(&mut own.bytes, &other.bytes);
            sum(&mut own.dropped, &other.dropped);
            sum(&mut own.dropped_data, &other.dropped_data);
            // A port's queue lies in one part.
            sum(&mut own.queue_bytes_max, &other.queue_bytes_max);
        }
    }

    /// Frames that passed a link while it was not open, of those that somebody watched.
    pub fn outside_openings(&self) -> u64 {
        self.circuits.as_ref().map_or(0, |circuits| circuits.outside)
    }

    /// What was clipped, per port; once.
    pub fn clipped_frames(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.clipped)
    }

    /// What was late, per port; once.
    pub fn late_frames(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.late)
    }

    /// What was recorded, with what the hosts recorded; all series equally long.
    pub fn finish(mut self, hosts: Timeline) -> (Vec<PortSeries>, Timeline, Option<Occupancy>) {
        let mut timeline = Timeline {
            retransmitted: hosts.retransmitted,
            timeouts: hosts.timeouts,
            events: hosts.events,
            ..self.timeline
        };
        let counts = [
            &mut timeline.dropped,
            &mut timeline.marked,
            &mut timeline.trimmed,
            &mut timeline.retransmitted,
            &mut timeline.timeouts,
        ];
        let of_ports = self.series.iter().map(|series| {
            let counts = series.data_frames.len().max(series.dropped.len());
            counts.max(series.bytes.len()).max(series.queue_bytes_max.len())
        });
        let longest = counts.iter().map(|list| list.len()).chain(of_ports).max().unwrap_or(0);
        for list in counts {
            list.resize(longest, 0);
        }
        for series in &mut self.series {
            series.data_frames.resize(longest, 0);
            series.dropped.resize(longest, 0);
            series.dropped_data.resize(longest, 0);
            series.bytes.resize(longest, 0);
            series.queue_bytes_max.resize(longest, 0);
        }
        if let Some(queues) = self.queues.as_ref().filter(|_| self.buckets.width() > 0) {
            for (series, over_time) in self.series.iter_mut().zip(&queues.over_time) {
                series.queue_bytes_mean = over_time.means(self.buckets.width(), longest);
            }
            for (series, over_time) in self.series.iter_mut().zip(&queues.lossless_over_time) {
                series.lossless_bytes_mean = over_time.means(self.buckets.width(), longest);
            }
        }
        (self.series, timeline, self.queues.map(Queues::finish))
    }
}

fn sum<T: Copy + Default + std::ops::AddAssign>(own: &mut Vec<T>, other: &[T]) {
    own.resize(own.len().max(other.len()), T::default());
    for (own, &other) in own.iter_mut().zip(other) {
        *own += other;
    }
}
