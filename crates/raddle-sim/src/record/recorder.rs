//! Series and timelines while a run goes on: the same few calls from both engines.

use super::packets::Packets;
use super::queues::{Change, OverTime, Queues};
use super::routes::Routes;
use super::rows::{ProgressRow, RouteRow};
use super::series::Buckets;
use super::trace::Trace;
use super::trace::event::What;
use super::{DropCause, FlowRecords, Occupancy, PortSeries, Timeline};
use crate::faults::link::Lost;
use crate::faults::{Faults, PortChange};
use crate::plan::Plan;
use crate::topology::Node;
use crate::topology::circuits::Circuits;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Span, Time};

/// Fills the series of the ports a plan names, and fabric-wide counts over time.
pub struct Recorder {
    buckets: Buckets,
    /// From then on there are more buckets than there may be.
    full_at: u64,
    most_buckets: u64,
    /// Whether anything is recorded at all.
    on: bool,
    /// Index into `series`, per port; empty if no port is named.
    series_of: Vec<Option<u32>>,
    series: Vec<PortSeries>,
    timeline: Timeline,
    queues: Option<Queues>,
    routes: Option<Box<Routes>>,
    trace: Option<Box<Trace>>,
    /// How many classes of what came in through each recorded port were paused; empty without flow
    /// control.
    pauses: Vec<OverTime>,
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
        let most_buckets = plan.most_buckets.map_or(u64::MAX, |most| most.get().into());
        Self {
            buckets: Buckets::new(plan.bucket),
            full_at: full_at(plan.bucket.0, most_buckets),
            most_buckets,
            on: plan.watches_queues(),
            series_of,
            series: vec![PortSeries::default(); plan.ports.len()],
            timeline: Timeline::default(),
            queues,
            routes: plan.routes.then(|| Box::new(Routes::new(whole))),
            trace: Trace::of(whole),
            pauses: match whole.queue.pfc {
                Some(_) if plan.bucket.0 > 0 => vec![OverTime::default(); plan.ports.len()],
                _ => Vec::new(),
            },
            circuits: plan.watches_queues().then(|| Watch::new(whole)).flatten(),
            late: vec![0; if by_slices { ports } else { 0 }],
            clipped: vec![0; if whole.faults.clocks.is_empty() { 0 } else { ports }],
        }
    }

    /// Joins pairs of buckets until the one of `now` is among those that there may be.
    #[inline]
    fn make_room(&mut self, now: Time) {
        while now.0 >= self.full_at {
            self.widen();
        }
    }

    /// Joins pairs of buckets.
    #[cold]
    fn widen(&mut self) {
        let width = self.buckets.width();
        self.buckets = Buckets::new(Span(2 * width));
        self.full_at = full_at(2 * width, self.most_buckets);
        self.series.iter_mut().for_each(PortSeries::join_pairs);
        self.timeline.join_pairs();
        self.pauses.iter_mut().for_each(|own| own.join_pairs(width));
        self.queues.iter_mut().for_each(|own| own.join_pairs(width));
        self.routes.iter_mut().for_each(|own| own.join_pairs());
    }

    /// Something happened to a frame.
    #[inline]
    fn trace(&mut self, port: PortId, now: Time, frame: Frame, what: What) {
        if let Some(trace) = &mut self.trace {
            trace.note(port, now, frame, what);
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
        self.trace(port, now, frame, What::Left);
        self.note_sent(port, now, frame);
    }

    /// The same of one that the far end did not take in, and of which there is a copy.
    pub fn sent_in_vain(&mut self, port: PortId, now: Time, frame: Frame) {
        if self.on {
            self.note_sent(port, now, frame);
        }
    }

    /// A copy's last bit left `port`, and the far end took it in.
    pub fn copy_departed(&mut self, port: PortId, now: Time, frame: Frame) {
        self.trace(port, now, frame, What::Left);
    }

    fn note_sent(&mut self, port: PortId, now: Time, frame: Frame) {
        self.make_room(now);
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame, place);
        }
        if let Some(circuits) = &mut self.circuits {
            circuits.note(port, now, frame);
        }
        let buckets = self.buckets;
        if let Some(routes) = &mut self.routes {
            routes.departed(port, now, frame, buckets);
        }
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
        self.make_room(now);
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame, place);
        }
        if let Some(routes) = &mut self.routes {
            routes.flushed(port, frame);
        }
        self.trace(port, now, frame, What::Out);
    }

    fn note_queued(&mut self, port: PortId, now: Time, frame: Frame, bytes: u64) {
        self.make_room(now);
        let place = self.place(port);
        if let Some(queues) = &mut self.queues {
            queues.joined(port, now, frame, place);
        }
        if let Some(routes) = &mut self.routes {
            routes.queued(port, now, frame);
        }
        self.trace(port, now, frame, What::Queued(bytes - frame.size().0));
        let buckets = self.buckets;
        if let Some(series) = self.series(port)
            && let Some(most) = buckets.at(&mut series.queue_bytes_max, now)
        {
            *most = (*most).max(bytes);
        }
    }

    /// A frame was lost at `port`.
    pub fn dropped(&mut self, port: PortId, now: Time, frame: Frame, cause: DropCause) {
        self.trace(port, now, frame, What::Lost(cause));
        self.note_dropped(port, now, frame);
    }

    /// A copy of a frame that left `port` was given up, and the far end has not got it.
    pub fn gave_up(&mut self, port: PortId, now: Time, frame: Frame) {
        self.trace(port, now, frame, What::GivenUp);
        self.note_dropped(port, now, frame);
    }

    fn note_dropped(&mut self, port: PortId, now: Time, frame: Frame) {
        self.make_room(now);
        let buckets = self.buckets;
        buckets.count(&mut self.timeline.dropped, now);
        if let Some(routes) = &mut self.routes {
            routes.dropped(port, now, frame);
        }
        if let Some(series) = self.series(port) {
            buckets.count(&mut series.dropped, now);
            if frame.is_data() {
                buckets.count(&mut series.dropped_data, now);
            }
        }
    }

    /// A frame was dropped by a switch's middleware, at no port.
    pub fn dropped_within(&mut self, now: Time, frame: Frame) {
        self.trace(PortId(u32::MAX), now, frame, What::Within);
        self.make_room(now);
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

    /// A packet was marked at `port`.
    #[inline]
    pub fn marked(&mut self, port: PortId, now: Time) {
        if self.on {
            self.note_marked(port, now);
        }
    }

    fn note_marked(&mut self, port: PortId, now: Time) {
        self.make_room(now);
        let buckets = self.buckets;
        buckets.count(&mut self.timeline.marked, now);
        if let Some(series) = self.series(port) {
            buckets.count(&mut series.marked, now);
        }
    }

    /// A packet was trimmed at `port`.
    pub fn trimmed(&mut self, port: PortId, now: Time, frame: Frame) {
        self.trace(port, now, frame, What::Trimmed);
        self.make_room(now);
        let buckets = self.buckets;
        buckets.count(&mut self.timeline.trimmed, now);
        if let Some(series) = self.series(port) {
            buckets.count(&mut series.trimmed, now);
        }
    }

    /// The far end of `port` is to pause so many classes from now on, or may resume them.
    #[cold]
    pub fn paused(&mut self, port: PortId, now: Time, classes: u32, pauses: bool) {
        self.make_room(now);
        if let Some((place, width)) = self.place(port)
            && let Some(over_time) = self.pauses.get_mut(place)
        {
            over_time.change(width, Change { at: now, port, bytes: classes, joins: pauses });
        }
    }

    /// The run ends at `end`, while each port has the far end pause these classes, a bit each.
    pub fn end_pauses(&mut self, end: Time, pausing: &[u8]) {
        let pausing = (0..).map(PortId).zip(pausing).filter(|(_, classes)| **classes != 0);
        pausing.for_each(|(port, classes)| self.paused(port, end, classes.count_ones(), false));
    }

    /// Adds what another part of the same run recorded.
    pub(crate) fn add(&mut self, mut other: Self) {
        while self.buckets.width() != other.buckets.width() {
            let narrow =
                if self.buckets.width() < other.buckets.width() { &mut *self } else { &mut other };
            narrow.widen();
        }
        let own = &mut self.timeline;
        sum(&mut own.dropped, &other.timeline.dropped);
        sum(&mut own.marked, &other.timeline.marked);
        sum(&mut own.trimmed, &other.timeline.trimmed);
        sum(&mut self.late, &other.late);
        sum(&mut self.clipped, &other.clipped);
        if let (Some(own), Some(other)) = (&mut self.queues, other.queues) {
            own.add(other);
        }
        if let (Some(own), Some(other)) = (&mut self.routes, other.routes) {
            own.add(*other);
        }
        if let (Some(own), Some(other)) = (&mut self.trace, other.trace) {
            own.add(*other);
        }
        if let (Some(own), Some(other)) = (&mut self.circuits, other.circuits) {
            own.outside += other.outside;
        }
        for (own, other) in self.pauses.iter_mut().zip(other.pauses) {
            own.add(other);
        }
        for (own, other) in self.series.iter_mut().zip(&other.series) {
            sum(&mut own.data_frames, &other.data_frames);
            sum(&mut own.bytes, &other.bytes);
            sum(&mut own.dropped, &other.dropped);
            sum(&mut own.dropped_data, &other.dropped_data);
            sum(&mut own.marked, &other.marked);
            sum(&mut own.trimmed, &other.trimmed);
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

    /// What was recorded, with what the hosts recorded in buckets of the plan's width;
    /// all series equally long.
    ///
    /// What became of the flows is known, and when the run stopped, if before they had completed.
    pub fn finish(
        mut self,
        plan: &Plan,
        mut hosts: Timeline,
        flows: &FlowRecords,
        stop: Option<Time>,
    ) -> Recorded {
        let mut width = plan.record.bucket.0;
        while width < self.buckets.width() {
            hosts.join_pairs();
            width *= 2;
        }
        self.timeline.retransmitted = hosts.retransmitted;
        self.timeline.timeouts = hosts.timeouts;
        self.timeline.events = hosts.events;
        while self.longest() > self.most_buckets {
            self.widen();
        }
        let longest = self.longest() as usize;
        self.timeline.counts().into_iter().for_each(|list| list.resize(longest, 0));
        self.series.iter_mut().for_each(|series| series.resize(longest));
        let width = self.buckets.width();
        for (series, over_time) in self.series.iter_mut().zip(&self.pauses) {
            // A pause that begins after the last flow's end counts from there back, that is below zero.
            let area = |area: u128| u64::try_from(area as i128).unwrap_or(0);
            series.paused = over_time.areas(width, longest).map(area).collect();
        }
        if let Some(queues) = self.queues.as_ref().filter(|_| width > 0) {
            for (series, over_time) in self.series.iter_mut().zip(&queues.over_time) {
                series.queue_bytes_mean = over_time.means(width, longest);
            }
            for (series, over_time) in self.series.iter_mut().zip(&queues.lossless_over_time) {
                series.lossless_bytes_mean = over_time.means(width, longest);
            }
        }
        let (routes, progress) = self.routes.map(|own| own.finish(plan)).unwrap_or_default();
        let packets = self.trace.map(|own| own.finish(plan, flows, stop));
        Recorded {
            packets: packets.unwrap_or_default(),
            routes,
            progress,
            bucket: Span(width),
            series: self.series,
            timeline: self.timeline,
            occupancy: self.queues.map(Queues::finish),
        }
    }

    /// The number of buckets of what has most.
    fn longest(&mut self) -> u64 {
        let counts = self.timeline.counts().into_iter().map(|list| list.len()).max();
        let of_ports = self.series.iter().map(PortSeries::buckets);
        let paused = self.pauses.iter().map(OverTime::len);
        counts.into_iter().chain(of_ports).chain(paused).max().unwrap_or(0) as u64
    }
}

/// What a recorder has at the end of a run.
pub struct Recorded {
    /// How wide buckets are.
    pub bucket: Span,
    /// As in an outcome.
    pub series: Vec<PortSeries>,
    /// As in an outcome.
    pub timeline: Timeline,
    /// As in an outcome.
    pub packets: Packets,
    /// As in an outcome.
    pub routes: Vec<RouteRow>,
    /// As in an outcome.
    pub progress: Vec<ProgressRow>,
    /// As in an outcome.
    pub occupancy: Option<Occupancy>,
}

/// When so many buckets of this width end; never, without a width.
fn full_at(width: u64, buckets: u64) -> u64 {
    if width == 0 { u64::MAX } else { width.saturating_mul(buckets) }
}

fn sum<T: Copy + Default + std::ops::AddAssign>(own: &mut Vec<T>, other: &[T]) {
    own.resize(own.len().max(other.len()), T::default());
    for (own, &other) in own.iter_mut().zip(other) {
        *own += other;
    }
}
