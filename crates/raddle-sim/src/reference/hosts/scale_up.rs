//! The ports of GPUs at the crossbar of their server (`docs/design/0036-scale-up.md`).

use super::{Hosts, TimerKind};
use crate::plan::PairOrder;
use crate::record::ScaleUpRecord;
use crate::topology::scale_up::ScaleUp;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Time};
use std::collections::{BTreeMap, VecDeque};

/// A port: whole quanta that wait, of each message in turn, and what it is doing.
#[derive(Default)]
struct Port {
    turns: VecDeque<FlowId>,
    /// The sizes of those of each message, in order; no message without any.
    quanta: BTreeMap<FlowId, VecDeque<u64>>,
    /// What it takes, and until when.
    taking: Option<(FlowId, u64, Time)>,
    is_set: bool,
}

/// The two ports of a GPU.
#[derive(Default)]
pub(super) struct Crossbar {
    out: Port,
    into: Port,
    /// Bytes that have come of each message that is under way.
    come: BTreeMap<FlowId, u64>,
    pub(super) record: ScaleUpRecord,
}

impl Port {
    fn put(&mut self, flow: FlowId, bytes: u64) {
        if !self.quanta.contains_key(&flow) {
            self.turns.push_back(flow);
        }
        self.quanta.entry(flow).or_default().push_back(bytes);
    }

    /// Begins to take the next quantum. Returns whose, its size, and whether the message has no other.
    fn take(&mut self, now: Time, domain: &ScaleUp) -> Option<(FlowId, u64, bool)> {
        let flow = self.turns.pop_front()?;
        let own = self.quanta.get_mut(&flow)?;
        let bytes = own.pop_front()?;
        let is_last = own.is_empty();
        if is_last {
            self.quanta.remove(&flow);
        } else {
            self.turns.push_back(flow);
        }
        let until = now + domain.rate.serialisation(Bytes(bytes));
        self.taking = Some((flow, bytes, until));
        Some((flow, bytes, is_last))
    }

    fn waiting(&self) -> u64 {
        self.quanta.values().flatten().sum()
    }
}

/// A message cut into quanta.
fn cut(domain: &ScaleUp, message: Bytes) -> impl Iterator<Item = u64> {
    let (quantum, whole) = (domain.quantum.0, message.0);
    let ends = (0..whole.div_ceil(quantum)).map(move |number| number * quantum);
    ends.map(move |from| (whole - from).min(quantum))
}

impl Hosts<'_> {
    /// The crossbar that a message goes by, if it does.
    pub(super) fn crossbar(&self, flow: FlowId) -> Option<ScaleUp> {
        let message = &self.plan.traffic.flows[flow.index()];
        let domain = self.plan.fabric.scale_up?;
        let server = |host: HostId| host.0 / domain.gpus;
        (server(message.source) == server(message.destination)).then_some(domain)
    }

    /// A message may be sent to another GPU of the server.
    pub(super) fn send_across(&mut self, now: Time, flow: FlowId, domain: &ScaleUp) {
        let bytes = self.plan.traffic.flows[flow.index()].bytes;
        let host = self.host_of(flow);
        let out = &mut host.crossbar.out;
        cut(domain, bytes).for_each(|quantum| out.put(flow, quantum));
        if !out.is_set {
            out.is_set = true;
            let free = out.taking.map_or(now, |(.., until)| until.max(now));
            host.timers.insert((free, TimerKind::CrossbarOut, FlowId(0)));
        }
    }

    /// The port out may begin to take a quantum.
    pub(super) fn cross_out(&mut self, now: Time, host: HostId) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let own = &mut self.hosts[host.index()];
        let Some((flow, bytes, is_last)) = own.crossbar.out.take(now, &domain) else {
            own.crossbar.out.is_set = false;
            return;
        };
        own.crossbar.record.sent_bytes += bytes;
        let free = now + domain.rate.serialisation(Bytes(bytes));
        own.timers.insert((free, TimerKind::CrossbarOut, FlowId(0)));
        let there = self.plan.traffic.flows[flow.index()].destination;
        let at = now + domain.latency;
        self.hosts[there.index()].timers.insert((at, TimerKind::CrossbarQuantum, flow));
        self.woken.push(there);
        if is_last && self.plan.transport.pair_order == PairOrder::Fifo {
            self.send_next(now, flow);
        }
    }

    /// A quantum has come to the port in.
    pub(super) fn cross_in(&mut self, now: Time, host: HostId, flow: FlowId) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let message = self.plan.traffic.flows[flow.index()].bytes;
        let own = &mut self.hosts[host.index()];
        let come = own.crossbar.come.entry(flow).or_default();
        let quantum = domain.quantum.0.min(message.0 - *come);
        *come += quantum;
        let into = &mut own.crossbar.into;
        into.put(flow, quantum);
        if !into.is_set {
            into.is_set = true;
            own.timers.insert((now, TimerKind::CrossbarIn, FlowId(0)));
        }
        self.note_progress(now);
    }

    /// The port in has taken a quantum, and may begin to take the next.
    pub(super) fn pass_in(&mut self, now: Time, host: HostId) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let own = &mut self.hosts[host.index()];
        let came = own.crossbar.into.taking.take();
        if own.crossbar.into.take(now, &domain).is_some() {
            let waiting = own.crossbar.into.waiting();
            let most = &mut own.crossbar.record.waiting_bytes_max;
            *most = waiting.max(*most);
        }
        match own.crossbar.into.taking {
            Some((.., until)) => {
                own.timers.insert((until, TimerKind::CrossbarIn, FlowId(0)));
            }
            None => own.crossbar.into.is_set = false,
        }
        let Some((flow, bytes, _)) = came else { return };
        own.crossbar.record.received_bytes += bytes;
        let message = &self.plan.traffic.flows[flow.index()];
        let into = &own.crossbar.into;
        let more = into.quanta.contains_key(&flow)
            || into.taking.is_some_and(|(other, ..)| other == flow)
            || own.crossbar.come.get(&flow) != Some(&message.bytes.0);
        self.note_progress(now);
        if more {
            return;
        }
        self.hosts[host.index()].crossbar.come.remove(&flow);
        self.records[flow.index()].delivered = Some(now);
        let at = now + domain.latency;
        self.hosts[message.source.index()].timers.insert((at, TimerKind::CrossbarAnswer, flow));
        self.woken.push(message.source);
        if let Some(trigger) = message.on_delivered {
            self.fire(now, trigger);
        }
    }

    /// The sender hears that all of a message has come.
    pub(super) fn answered(&mut self, now: Time, flow: FlowId) {
        self.records[flow.index()].acked = Some(now);
        self.progress.flows_done += 1;
        self.progress.last_completion = now;
        if let Some(trigger) = self.plan.traffic.flows[flow.index()].on_acked {
            self.fire(now, trigger);
        }
    }

    /// What passed the ports of all hosts, where they have any.
    pub(in crate::reference) fn scale_up_records(&self) -> Vec<ScaleUpRecord> {
        let some = self.plan.fabric.scale_up.is_some();
        self.hosts.iter().filter(|_| some).map(|host| host.crossbar.record).collect()
    }
}
