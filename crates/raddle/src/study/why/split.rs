//! Where a flow's time went, bucket by bucket.

use super::Spent;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::faults::PortChange;
use raddle_sim::host::first_rto;
use raddle_sim::plan::Plan;
use raddle_sim::record::layers::Layers;
use raddle_sim::record::rows::RouteRow;
use raddle_sim::record::{FlowRecord, Outcome};
use std::collections::BTreeMap;

/// A link with more than this share of what it can carry is full.
const FULL: f64 = 0.93;
/// A flow that gets this share of its host's rate is at speed.
const AT_SPEED: f64 = 0.85;
/// Over how long both are taken; less of a short life.
const OVER: Span = Span::us(20);

/// The life of a flow over time.
pub(super) struct Life<'a> {
    plan: &'a Plan,
    outcome: &'a Outcome,
    record: FlowRecord,
    routes: &'a [RouteRow],
    /// Frames' bytes that left for the receiver, by bucket.
    progress: Vec<u64>,
    /// First bucket and last.
    buckets: (usize, usize),
    from: Time,
    until: Time,
    rate: Rate,
    rtt: Span,
    rto: Span,
    layers: Layers,
    /// Half of the buckets that a share is taken over, beside the one itself.
    beside: usize,
}

/// What held the flow back in a bucket, and at which port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Fault(PortId),
    Full(PortId),
    Timeout,
    Window,
    AtSpeed,
}

impl<'a> Life<'a> {
    /// That of a flow which has started, in a run with a map; until it has ended, or before that.
    pub(super) fn of(
        plan: &'a Plan,
        outcome: &'a Outcome,
        flow: FlowId,
        until: Option<Time>,
    ) -> Option<Self> {
        let record = outcome.flows.at(flow.index());
        let width = outcome.bucket.0;
        let (from, until) = (record.started?, until.or(record.acked).unwrap_or(outcome.end));
        if width == 0 || until <= from {
            return None;
        }
        let own = &plan.traffic.flows[flow.index()];
        let rows = |first: FlowId| outcome.routes.partition_point(|row| row.flow < first);
        let routes = &outcome.routes[rows(flow)..rows(FlowId(flow.0 + 1))];
        let buckets = ((from.0 / width) as usize, (until.0 / width) as usize);
        let mut progress = vec![0; buckets.1 + 1];
        let first = outcome.progress.partition_point(|row| row.flow < flow);
        for row in outcome.progress[first..].iter().take_while(|row| row.flow == flow) {
            if let Some(bytes) = progress.get_mut(row.bucket as usize) {
                *bytes += row.bytes;
            }
        }
        let (packet, ack) = (plan.packet(), plan.transport.ack);
        let over = OVER.0.min(until.since(from).0 / 10).max(width);
        Some(Self {
            plan,
            outcome,
            record,
            routes,
            progress,
            buckets,
            from,
            until,
            rate: plan.fabric.host_rate(own.source),
            rtt: plan.fabric.base_rtt(own.source, own.destination, packet, ack),
            rto: first_rto(plan, flow),
            layers: Layers::of_fabric(&plan.fabric),
            beside: (over / width / 2) as usize,
        })
    }

    fn width(&self) -> u64 {
        self.outcome.bucket.0
    }

    /// The picoseconds of the flow's life that lie in a bucket.
    fn within(&self, bucket: usize) -> u64 {
        let start = bucket as u64 * self.width();
        let end = (start + self.width()).min(self.until.0);
        end.saturating_sub(start.max(self.from.0))
    }

    /// What held it back, over its whole life.
    pub(super) fn spent(&self) -> Spent {
        let mut spent = Spent::default();
        let waits = self.waits();
        for bucket in self.buckets.0..=self.buckets.1 {
            let time = self.within(bucket);
            let from = Time((bucket as u64 * self.width()).max(self.from.0));
            let held = self.held(bucket, &waits);
            let held_by = match held {
                Held::Fault(_) => super::FAULT,
                Held::Full(port) => self.kind(port),
                Held::Timeout => super::TIMEOUT,
                Held::Window => super::WINDOW,
                Held::AtSpeed => super::AT_SPEED,
            };
            spent.hold(held_by, from, time);
            if let Held::Fault(port) | Held::Full(port) = held {
                spent.note((port, held_by), time, bucket);
            }
        }
        spent
    }

    /// Whose link a full one is: of its host, to its receiver, or between switches.
    fn kind(&self, port: PortId) -> &'static str {
        let hosts = self.plan.fabric.host_ports();
        let to = self.plan.fabric.ports[port.index()].peer;
        match () {
            () if port.0 < hosts => super::NIC,
            () if to.0 < hosts => super::RECEIVER,
            () => super::LINK,
        }
    }

    /// The buckets in which nothing arrived for so long that a timeout was waited for.
    fn waits(&self) -> Vec<bool> {
        let mut waits = vec![false; self.progress.len()];
        if self.record.timeouts == 0 {
            return waits;
        }
        let least = (self.rto.0 / 2).max(2 * self.rtt.0);
        let mut first = self.buckets.0;
        for bucket in self.buckets.0..=self.buckets.1 + 1 {
            if self.progress.get(bucket).is_some_and(|bytes| *bytes == 0) {
                continue;
            }
            let length = (bucket - first) as u64 * self.width();
            if length >= least {
                waits[first..bucket].fill(true);
            }
            first = bucket + 1;
        }
        waits
    }

    /// What held it back in a bucket, in this order: a fault on its only path, a timeout, a full link
    /// of its path while it was not at speed, itself.
    fn held(&self, bucket: usize, waits: &[bool]) -> Held {
        let stands = self.progress[bucket] == 0;
        let at = Time(bucket as u64 * self.width() + self.width() / 2);
        if stands && let Some(port) = self.broken(at) {
            return Held::Fault(port);
        }
        if waits[bucket] {
            return Held::Timeout;
        }
        // Nothing can have arrived yet, or all has.
        let is_over = self.record.delivered.is_some_and(|delivered| at > delivered);
        if at.0 < (self.from + self.rtt).0 || is_over {
            return Held::AtSpeed;
        }
        let around = self.around(bucket);
        let bytes: u64 = self.progress[around.0..=around.1].iter().sum();
        let time = ((around.1 - around.0 + 1) as u64 * self.width()) as f64 / 8e12;
        if bytes as f64 >= AT_SPEED * self.rate.0 as f64 * time {
            return Held::AtSpeed;
        }
        self.fullest(around, at, time).map_or(Held::Window, Held::Full)
    }

    /// The buckets that shares are taken over around one.
    fn around(&self, bucket: usize) -> (usize, usize) {
        let first = bucket.saturating_sub(self.beside).max(self.buckets.0);
        (first, (bucket + self.beside).min(self.buckets.1))
    }

    /// A port whose link is down, where all that the flow used at its height of the fabric are: its only
    /// path. Without tiers, all that it used from that node on.
    fn broken(&self, at: Time) -> Option<PortId> {
        let fabric = &self.plan.fabric;
        let place = |port: PortId| {
            let layer = self.layers.of(fabric, port).word();
            let owner = &fabric.ports[port.index()].owner;
            (layer, (layer == "switches").then_some(owner))
        };
        let is_down = |row: &&RouteRow| self.capacity(row.port, at) == 0;
        let down = self.routes.iter().filter(is_down).map(|row| row.port);
        down.into_iter().find(|port| {
            let beside = self.routes.iter().filter(|row| place(row.port) == place(*port));
            beside.into_iter().all(|row| is_down(&row))
        })
    }

    /// The fullest link that the flow used about then, if one is full.
    fn fullest(&self, around: (usize, usize), at: Time, time: f64) -> Option<PortId> {
        let reach = Span((self.beside as u64 + 1) * self.width());
        let used = self
            .routes
            .iter()
            .filter(|row| row.packets > 0 && row.first <= at + reach && row.last + reach >= at);
        let share = |row: &RouteRow| {
            // A map has all ports, in their order.
            let series = self.outcome.series.get(row.port.index())?;
            let bytes: u64 = (around.0..=around.1).filter_map(|own| series.bytes.get(own)).sum();
            let most = self.capacity(row.port, at) as f64 * time;
            (most > 0.0).then(|| (bytes as f64 / most, row.port))
        };
        let most = used.filter_map(share).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        most.filter(|(share, _)| *share > FULL).map(|(_, port)| port)
    }

    /// Bits a second that a link carries at an instant.
    fn capacity(&self, port: PortId, at: Time) -> u64 {
        let mut rate = self.plan.fabric.ports[port.index()].rate;
        let mut is_up = true;
        for (_, change) in self.plan.faults.changes_of(port).iter().filter(|own| own.0 <= at) {
            match change {
                PortChange::Down => is_up = false,
                PortChange::Up => is_up = true,
                PortChange::Rate { rate: to, .. } => rate = *to,
                PortChange::Uplinks { .. } | PortChange::Loss { .. } => {}
                PortChange::BitErrors { .. } => {}
            }
        }
        if is_up { rate.0 } else { 0 }
    }

    /// Each link that it waited at, with its share of the waiting of its packets.
    pub(super) fn waiting(&self) -> BTreeMap<PortId, f64> {
        let all: u64 = self.routes.iter().map(|row| row.waited.0).sum();
        let share = |row: &RouteRow| (row.port, row.waited.0 as f64 / all.max(1) as f64);
        self.routes.iter().map(share).collect()
    }

    /// Its packets lost, by port.
    pub(super) fn lost(&self) -> impl Iterator<Item = (PortId, u64)> {
        self.routes.iter().filter(|row| row.lost > 0).map(|row| (row.port, row.lost))
    }
}
