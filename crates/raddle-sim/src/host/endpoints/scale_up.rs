//! The ports of GPUs at the crossbar of their server (`docs/design/0036-scale-up.md`).
//!
//! A host runs its own two ports by timers. What passes between hosts takes the crossbar's latency, and
//! no window is wider than that, so hosts of a server may lie in different parts: each window ends with
//! all [`Crossing`]s handed over.

use super::Ends;
use crate::host::nic::Nic;
use crate::host::nic::timers::TimerKind;
use crate::plan::Plan;
use crate::record::ScaleUpRecord;
use crate::topology::scale_up::ScaleUp;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};
use std::collections::{BTreeMap, VecDeque};

/// What one GPU of a server hears of from another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// When.
    pub(crate) at: Time,
    /// Who.
    pub(crate) host: HostId,
    /// What.
    pub(crate) what: Crossed,
    /// The number of the message among those that end there, of an answer among those that begin there.
    pub(crate) index: u32,
}

/// What has crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossed {
    /// The next quantum of a message.
    Quantum,
    /// That all of a message has come.
    Answer,
}

/// The ports of a part's hosts.
#[derive(Default)]
pub(in crate::host) struct Crossbars {
    /// By place; none where there are no crossbars.
    pub(in crate::host) ports: Vec<Ports>,
    /// What crosses to hosts from those of this part.
    pub(in crate::host) crossings: Vec<Crossing>,
}

/// The ports of one GPU.
#[derive(Default)]
pub(in crate::host) struct Ports {
    out: Out,
    into: In,
    /// Answers that are under way to it, and quanta.
    coming: u32,
    pub(in crate::host) record: ScaleUpRecord,
}

/// A port out.
#[derive(Default)]
struct Out {
    /// Its messages in turn: sender slots, and what they have left.
    turns: VecDeque<(u32, Bytes)>,
    /// Whether a timer is set for when it may take the next quantum.
    is_awake: bool,
    free_at: Time,
}

/// A port in.
#[derive(Default)]
struct In {
    /// Messages under way to it, by receiver slot.
    messages: BTreeMap<u32, Incoming>,
    /// Those of which something waits, in turn.
    turns: VecDeque<u32>,
    /// Whose quantum it takes.
    serving: Option<(u32, Bytes)>,
    is_awake: bool,
    /// Bytes that wait.
    waiting: u64,
}

/// What has come of a message.
#[derive(Default)]
struct Incoming {
    arrived: u64,
    /// Of these, in quanta that the port has taken, or takes.
    taken: u64,
}

impl Crossbars {
    /// Of so many hosts.
    pub(in crate::host) fn of(plan: &Plan, hosts: usize) -> Self {
        let hosts = plan.fabric.scale_up.map_or(0, |_| hosts);
        Self { ports: (0..hosts).map(|_| Ports::default()).collect(), crossings: Vec::new() }
    }

    /// Whether a message may end at a place, or an answer come, in the window that begins now.
    pub(in crate::host) fn may_fire(&self, place: u32) -> bool {
        let ports = self.ports.get(place as usize);
        ports.is_some_and(|own| own.coming > 0 || own.into.is_awake)
    }
}

/// A part of what is left of a message, or of what waits of it.
fn quantum_of(domain: &ScaleUp, left: u64) -> Bytes {
    Bytes(left.min(domain.quantum.0))
}

impl Ends<'_> {
    /// Whether the message of a sender slot goes by the crossbar of its server.
    pub(in crate::host) fn scales_up(&self, nic: &Nic, slot: u32) -> bool {
        if self.scale_up.ports.is_empty() {
            return false;
        }
        let flow = &self.plan.traffic.flows[self.flow_sent(nic, slot).index()];
        self.plan.fabric.scales_up(flow.source, flow.destination)
    }

    /// A message that has started is in turn at its host's port out.
    pub(in crate::host) fn send_across(&mut self, now: Time, nic: &mut Nic, slot: u32) {
        let bytes = self.plan.traffic.flows[self.flow_sent(nic, slot).index()].bytes;
        let out = &mut self.scale_up.ports[nic.place as usize].out;
        out.turns.push_back((slot, bytes));
        if !out.is_awake {
            out.is_awake = true;
            nic.set_timer(now.max(out.free_at), TimerKind::CrossbarOut, 0);
        }
    }

    /// A timer of a port has fired.
    #[cold]
    pub(in crate::host) fn on_crossbar(
        &mut self,
        now: Time,
        nic: &mut Nic,
        kind: TimerKind,
        slot: u32,
    ) {
        match kind {
            TimerKind::CrossbarQuantum => self.take_in(now, nic, slot),
            TimerKind::CrossbarAnswer => self.answered(now, nic, slot),
            TimerKind::CrossbarOut => self.take_out(now, nic),
            _ => self.pass_in(now, nic),
        }
    }

    /// The port out may take a quantum.
    fn take_out(&mut self, now: Time, nic: &mut Nic) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let Ports { out, record, .. } = &mut self.scale_up.ports[nic.place as usize];
        let Some((slot, left)) = out.turns.pop_front() else {
            out.is_awake = false;
            return;
        };
        let bytes = quantum_of(&domain, left.0);
        if bytes < left {
            out.turns.push_back((slot, Bytes(left.0 - bytes.0)));
        }
        out.free_at = now + domain.rate.serialisation(bytes);
        nic.set_timer(out.free_at, TimerKind::CrossbarOut, 0);
        record.sent_bytes += bytes.0;
        let flow = self.flow_sent(nic, slot);
        let host = self.plan.traffic.flows[flow.index()].destination;
        let index = self.layout.receivers.index(host, flow);
        let at = now + domain.latency;
        self.scale_up.crossings.push(Crossing { at, host, what: Crossed::Quantum, index });
        if bytes == left && self.has_queues() {
            self.send_next(now, nic, flow);
        }
    }

    /// A quantum has come to the port in.
    fn take_in(&mut self, now: Time, nic: &mut Nic, slot: u32) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let bytes = self.plan.traffic.flows[self.flow_received(nic, slot).index()].bytes;
        let Ports { into, coming, .. } = &mut self.scale_up.ports[nic.place as usize];
        *coming -= 1;
        let message = into.messages.entry(slot).or_default();
        let quantum = quantum_of(&domain, bytes.0 - message.arrived);
        if message.arrived == message.taken {
            into.turns.push_back(slot);
        }
        message.arrived += quantum.0;
        into.waiting += quantum.0;
        if !into.is_awake {
            into.is_awake = true;
            nic.set_timer(now, TimerKind::CrossbarIn, 0);
        }
        self.totals.last_progress = self.totals.last_progress.max(now);
    }

    /// What the port in took has come, if it took anything, and it may take the next quantum.
    fn pass_in(&mut self, now: Time, nic: &mut Nic) {
        let Some(domain) = self.plan.fabric.scale_up else { return };
        let Ports { into, record, .. } = &mut self.scale_up.ports[nic.place as usize];
        let came = into.serving.take();
        if let Some(&slot) = into.turns.front()
            && let Some(message) = into.messages.get_mut(&slot)
        {
            let bytes = quantum_of(&domain, message.arrived - message.taken);
            message.taken += bytes.0;
            into.waiting -= bytes.0;
            into.turns.pop_front();
            if message.taken < message.arrived {
                into.turns.push_back(slot);
            }
            into.serving = Some((slot, bytes));
            record.waiting_bytes_max = record.waiting_bytes_max.max(into.waiting);
            let at = now + domain.rate.serialisation(bytes);
            nic.set_timer(at, TimerKind::CrossbarIn, 0);
        } else {
            into.is_awake = false;
        }
        let Some((slot, bytes)) = came else { return };
        record.received_bytes += bytes.0;
        self.totals.last_progress = self.totals.last_progress.max(now);
        self.end_if_all_came(now, nic, slot, &domain);
    }

    /// What has come of a message may be its last quantum.
    fn end_if_all_came(&mut self, now: Time, nic: &Nic, slot: u32, domain: &ScaleUp) {
        let id = self.flow_received(nic, slot);
        let flow = &self.plan.traffic.flows[id.index()];
        let into = &mut self.scale_up.ports[nic.place as usize].into;
        let all_taken = into.messages.get(&slot).is_some_and(|own| own.taken == flow.bytes.0);
        if !all_taken || into.serving.is_some_and(|(other, _)| other == slot) {
            return;
        }
        into.messages.remove(&slot);
        self.receivers[slot as usize].delivered = now;
        let (at, host) = (now + domain.latency, flow.source);
        let index = self.layout.senders.index(host, id);
        self.scale_up.crossings.push(Crossing { at, host, what: Crossed::Answer, index });
        if let Some(trigger) = flow.on_delivered {
            self.fire(now, trigger);
        }
    }

    /// The sender of a message hears that all of it has come.
    fn answered(&mut self, now: Time, nic: &Nic, slot: u32) {
        self.scale_up.ports[nic.place as usize].coming -= 1;
        self.senders[slot as usize].acked = now;
        self.totals.flows_done += 1;
        self.totals.last_completion = self.totals.last_completion.max(now);
        let flow = &self.plan.traffic.flows[self.flow_sent(nic, slot).index()];
        if let Some(trigger) = flow.on_acked {
            self.fire(now, trigger);
        }
    }

    /// What has crossed to one of these hosts will be there.
    pub(in crate::host) fn cross(&mut self, nic: &mut Nic, crossing: &Crossing) {
        self.scale_up.ports[nic.place as usize].coming += 1;
        let (kind, first) = match crossing.what {
            Crossed::Quantum => (TimerKind::CrossbarQuantum, nic.first_receiver),
            Crossed::Answer => (TimerKind::CrossbarAnswer, nic.first_sender),
        };
        nic.set_timer(crossing.at, kind, first + crossing.index);
    }
}
