//! Which ports each flow's data left by, how long it waited there, and what reached its receiver over
//! time: the same few calls from both engines.

use super::rows::{ProgressRow, RouteRow, merged};
use super::series::Buckets;
use crate::host::layout::Layout;
use crate::plan::Plan;
use crate::wire::frame::{Frame, Locator, Locators, flag};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Rate, Span, Time};
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Copy)]
struct Passed {
    packets: u64,
    lost: u64,
    first: Time,
    last: Time,
    waited: u64,
}

/// A data packet in a queue: where it goes, which it is, and when it came.
type Queued = (u32, u32, Time);

/// Fills them.
pub(super) struct Routes {
    locators: Locators,
    rates: Vec<Rate>,
    /// Whether a port leads to a host.
    to_host: Vec<bool>,
    /// By port, and the locator of its frames.
    passed: Vec<BTreeMap<u32, Passed>>,
    queues: Vec<VecDeque<Queued>>,
    /// By the locator of frames: buckets and bytes, in order.
    progress: BTreeMap<u32, Vec<(u32, u64)>>,
}

impl Routes {
    pub(super) fn new(plan: &Plan) -> Self {
        let ports = &plan.fabric.ports;
        let hosts = plan.fabric.host_ports();
        Self {
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            rates: ports.iter().map(|port| port.rate).collect(),
            to_host: ports.iter().map(|port| port.peer.0 < hosts).collect(),
            passed: vec![BTreeMap::new(); ports.len()],
            queues: vec![VecDeque::new(); ports.len()],
            progress: BTreeMap::new(),
        }
    }

    /// What tells a packet in a queue from others there, whatever mark it gets.
    fn id(frame: Frame) -> u32 {
        frame.number() << 1 | u32::from(frame.has(flag::AGAIN))
    }

    fn passed(&mut self, port: PortId, now: Time, frame: Frame) -> &mut Passed {
        let none = Passed { packets: 0, lost: 0, first: now, last: now, waited: 0 };
        let own = self.passed[port.index()].entry(self.locators.key(frame.to)).or_insert(none);
        own.first = own.first.min(now);
        own.last = own.last.max(now);
        own
    }

    /// A frame joined a queue.
    pub(super) fn queued(&mut self, port: PortId, now: Time, frame: Frame) {
        if frame.is_data() && !frame.is_trimmed() {
            self.queues[port.index()].push_back((frame.to.0, Self::id(frame), now));
        }
    }

    /// When a frame that is in a queue no more came there, if it was in one.
    fn take(&mut self, port: PortId, frame: Frame) -> Option<Time> {
        let queue = &mut self.queues[port.index()];
        let own = (frame.to.0, Self::id(frame));
        let place = queue.iter().position(|&(to, id, _)| (to, id) == own)?;
        queue.remove(place).map(|(_, _, came)| came)
    }

    /// A frame is gone from a queue without having left.
    pub(super) fn flushed(&mut self, port: PortId, frame: Frame) {
        if frame.is_data() && !frame.is_trimmed() {
            self.take(port, frame);
        }
    }

    /// A frame's last bit left.
    pub(super) fn departed(&mut self, port: PortId, now: Time, frame: Frame, buckets: Buckets) {
        if !frame.is_data() {
            return;
        }
        let came = if frame.is_trimmed() { None } else { self.take(port, frame) };
        let sending = self.rates[port.index()].serialisation(frame.size());
        let own = self.passed(port, now, frame);
        own.packets += 1;
        own.waited += came.map_or(0, |came| now.since(came).0.saturating_sub(sending.0));
        if self.to_host[port.index()] && !frame.is_trimmed() {
            let Some(bucket) = now.0.checked_div(buckets.width()) else { return };
            let list = self.progress.entry(self.locators.key(frame.to)).or_default();
            add_to(list, bucket as u32, frame.size().0);
        }
    }

    /// A frame was lost.
    pub(super) fn dropped(&mut self, port: PortId, now: Time, frame: Frame) {
        if frame.is_data() {
            self.passed(port, now, frame).lost += 1;
        }
    }

    /// Pairs of buckets are joined.
    pub(super) fn join_pairs(&mut self) {
        for list in self.progress.values_mut() {
            list.iter_mut().for_each(|(bucket, _)| *bucket /= 2);
            list.dedup_by(|next, own| {
                let same = next.0 == own.0;
                own.1 += if same { next.1 } else { 0 };
                same
            });
        }
    }

    /// Adds what another part recorded. A frame on its way to another part is lost in that.
    pub(super) fn add(&mut self, other: Self) {
        for (own, other) in self.passed.iter_mut().zip(other.passed) {
            for (to, more) in other {
                let entry =
                    own.entry(to).or_insert(Passed { packets: 0, lost: 0, waited: 0, ..more });
                entry.packets += more.packets;
                entry.lost += more.lost;
                entry.waited += more.waited;
                entry.first = entry.first.min(more.first);
                entry.last = entry.last.max(more.last);
            }
        }
        for (to, more) in other.progress {
            let own = self.progress.entry(to).or_default();
            more.into_iter().for_each(|(bucket, bytes)| add_to(own, bucket, bytes));
        }
    }

    /// Both tables, by flow, then by port or by time.
    pub(super) fn finish(self, plan: &Plan) -> (Vec<RouteRow>, Vec<ProgressRow>) {
        let layout = Layout::new(plan);
        let flow = |to: u32| layout.flow_to(Locator(to));
        let mut routes = Vec::new();
        for (port, own) in (0..).map(PortId).zip(self.passed) {
            routes.extend(own.into_iter().map(|(to, own)| {
                let Passed { packets, lost, first, last, waited } = own;
                let waited = Span(waited);
                RouteRow { flow: flow(to), port, packets, lost, first, last, waited }
            }));
        }
        let progress = self.progress.into_iter().flat_map(|(to, list)| {
            let flow = flow(to);
            list.into_iter().map(move |(bucket, bytes)| ProgressRow { flow, bucket, bytes })
        });
        merged(routes, progress.collect())
    }
}

/// Adds to the bucket of a list in order of buckets; mostly it is the last one.
fn add_to(list: &mut Vec<(u32, u64)>, bucket: u32, bytes: u64) {
    let place = list.partition_point(|own| own.0 < bucket);
    match list.get_mut(place) {
        Some(own) if own.0 == bucket => own.1 += bytes,
        _ => list.insert(place, (bucket, bytes)),
    }
}
