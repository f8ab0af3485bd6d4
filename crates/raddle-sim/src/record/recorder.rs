//! Series and timelines while a run goes on: the same few calls from both engines.

use super::series::Buckets;
use super::{Occupancy, PortSeries, Timeline};
use crate::net::frame::Frame;
use crate::plan::{Plan, Service};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

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
}

/// Integrals of queues over time: a frame that joins at t and leaves at u adds its bytes times u - t.
struct Queues {
    hosts: usize,
    /// Whether control frames queue with data.
    one_class: bool,
    occupancy: Occupancy,
    /// Bytes queued at each port.
    bytes: Vec<u64>,
}

impl Queues {
    fn joined(&mut self, port: PortId, now: Time, frame: Frame) {
        let bytes = frame.size().0;
        self.bytes[port.index()] = self.bytes[port.index()].wrapping_add(bytes);
        let sum = &mut self.occupancy.byte_ps[port.index()];
        *sum = sum.wrapping_sub(u128::from(bytes) * u128::from(now.0));
    }

    fn left(&mut self, port: PortId, now: Time, frame: Frame) {
        if port.index() < self.hosts {
            if frame.is_data() {
                self.occupancy.sent_until = self.occupancy.sent_until.max(now);
            }
        } else if self.one_class || !frame.is_control() {
            let bytes = frame.size().0;
            self.bytes[port.index()] = self.bytes[port.index()].wrapping_sub(bytes);
            let sum = &mut self.occupancy.byte_ps[port.index()];
            *sum = sum.wrapping_add(u128::from(bytes) * u128::from(now.0));
        }
    }

    /// The integrals until `end`, of what is queued still, too.
    fn finish(mut self, end: Time) -> Occupancy {
        for (sum, bytes) in self.occupancy.byte_ps.iter_mut().zip(self.bytes) {
            *sum = sum.wrapping_add(u128::from(bytes) * u128::from(end.0));
        }
        self.occupancy
    }
}

impl Recorder {
    /// A recorder for a run.
    pub fn new(whole: &Plan) -> Self {
        let (plan, ports) = (&whole.record, whole.fabric.ports.len());
        let queues = plan.queue_means.then(|| Queues {
            hosts: whole.fabric.hosts as usize,
            one_class: whole.queue.service == Service::Fifo,
            occupancy: Occupancy { byte_ps: vec![0; ports], sent_until: Time::ZERO },
            bytes: vec![0; ports],
        });
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
        }
    }

    fn series(&mut self, port: PortId) -> Option<&mut PortSeries> {
        self.series.get_mut((*self.series_of.get(port.index())?)? as usize)
    }

    /// A frame's last bit left `port`.
    #[inline]
    pub fn departed(&mut self, port: PortId, now: Time, frame: Frame) {
        if self.on {
            self.note_departed(port, now, frame);
        }
    }

    fn note_departed(&mut self, port: PortId, now: Time, frame: Frame) {
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame);
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
        if let Some(queues) = &mut self.queues {
            queues.left(port, now, frame);
        }
    }

    fn note_queued(&mut self, port: PortId, now: Time, frame: Frame, bytes: u64) {
        if let Some(queues) = &mut self.queues {
            queues.joined(port, now, frame);
        }
        let buckets = self.buckets;
        if let Some(series) = self.series(port)
            && let Some(most) = buckets.at(&mut series.queue_bytes_max, now)
        {
            *most = (*most).max(bytes);
        }
    }

    /// A frame was lost at `port`.
    pub fn dropped(&mut self, port: PortId, now: Time) {
        let buckets = self.buckets;
        buckets.count(&mut self.timeline.dropped, now);
        if let Some(series) = self.series(port) {
            buckets.count(&mut series.dropped, now);
        }
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
        if let (Some(own), Some(other)) = (&mut self.queues, other.queues) {
            let until = &mut own.occupancy.sent_until;
            *until = (*until).max(other.occupancy.sent_until);
            let sums = own.occupancy.byte_ps.iter_mut().zip(other.occupancy.byte_ps);
            sums.for_each(|(own, other)| *own = own.wrapping_add(other));
            let bytes = own.bytes.iter_mut().zip(other.bytes);
            bytes.for_each(|(own, other)| *own = own.wrapping_add(other));
        }
        for (own, other) in self.series.iter_mut().zip(&other.series) {
            sum(&mut own.data_frames, &other.data_frames);
            sum(&mut own.bytes, &other.bytes);
            sum(&mut own.dropped, &other.dropped);
            // A port's queue lies in one part.
            sum(&mut own.queue_bytes_max, &other.queue_bytes_max);
        }
    }

    /// What was recorded until `end`, with what the hosts recorded; all series equally long.
    pub fn finish(
        mut self,
        hosts: Timeline,
        end: Time,
    ) -> (Vec<PortSeries>, Timeline, Option<Occupancy>) {
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
            series.bytes.resize(longest, 0);
            series.queue_bytes_max.resize(longest, 0);
        }
        (self.series, timeline, self.queues.map(|queues| queues.finish(end)))
    }
}

fn sum<T: Copy + Default + std::ops::AddAssign>(own: &mut Vec<T>, other: &[T]) {
    own.resize(own.len().max(other.len()), T::default());
    for (own, &other) in own.iter_mut().zip(other) {
        *own += other;
    }
}
