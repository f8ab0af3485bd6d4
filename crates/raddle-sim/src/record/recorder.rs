//! Series and timelines while a run goes on: the same few calls from both engines.

use super::series::Buckets;
use super::{PortSeries, RecordPlan, Timeline};
use crate::net::frame::Frame;
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
}

impl Recorder {
    /// A recorder for a fabric of `ports` ports.
    pub fn new(plan: &RecordPlan, ports: usize) -> Self {
        let mut series_of = vec![None; if plan.ports.is_empty() { 0 } else { ports }];
        for (index, port) in plan.ports.iter().enumerate() {
            series_of[port.index()] = Some(index as u32);
        }
        Self {
            buckets: Buckets::new(plan.bucket),
            on: plan.bucket.0 > 0,
            series_of,
            series: vec![PortSeries::default(); plan.ports.len()],
            timeline: Timeline::default(),
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

    /// `port` holds this many bytes of data now, after a frame joined.
    #[inline]
    pub fn queued(&mut self, port: PortId, now: Time, bytes: u64) {
        if self.on {
            self.note_queued(port, now, bytes);
        }
    }

    fn note_queued(&mut self, port: PortId, now: Time, bytes: u64) {
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
        for (own, other) in self.series.iter_mut().zip(&other.series) {
            sum(&mut own.data_frames, &other.data_frames);
            sum(&mut own.bytes, &other.bytes);
            sum(&mut own.dropped, &other.dropped);
            // A port's queue lies in one part.
            sum(&mut own.queue_bytes_max, &other.queue_bytes_max);
        }
    }

    /// What was recorded, with what the hosts recorded; all series equally long.
    pub fn finish(mut self, hosts: Timeline) -> (Vec<PortSeries>, Timeline) {
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
        (self.series, timeline)
    }
}

fn sum<T: Copy + Default + std::ops::AddAssign>(own: &mut Vec<T>, other: &[T]) {
    own.resize(own.len().max(other.len()), T::default());
    for (own, &other) in own.iter_mut().zip(other) {
        *own += other;
    }
}
