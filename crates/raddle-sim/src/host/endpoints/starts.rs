//! When flows start, and when they may send.

use super::slots::{End, LiveSender};
use super::source_routes::{self, Class};
use super::{Ends, FlowEvents};
use crate::host::nic::Nic;
use crate::plan::Plan;
use crate::wire::frame::flag;
use crate::workload::Start;
use raddle_schemes::ids::FlowId;
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::units::{Span, Time};

impl Ends<'_> {
    /// Lists the flows that start at given times at one host, and sets a timer for the first.
    pub(in crate::host) fn list_starts(&mut self, nic: &mut Nic) {
        let flows = self.layout.senders.at(self.own[nic.place as usize]);
        let starts = (nic.first_sender..).zip(flows);
        let mut starts: Vec<(Time, u32)> =
            starts.filter_map(|(slot, &flow)| Some((start_of(self.plan, flow)?, slot))).collect();
        starts.sort_unstable();
        nic.starts = self.starts.len() as u32;
        self.starts.extend(starts.iter().map(|&(_, slot)| slot));
        if let Some(&(at, slot)) = starts.first() {
            nic.set_start(at, slot);
        }
    }

    /// Sets a timer for the flow that starts after the one of `slot`, if that one was listed.
    fn next_start(&self, nic: &mut Nic, slot: u32) {
        if self.starts.get(nic.starts as usize) != Some(&slot) {
            return;
        }
        nic.starts += 1;
        let flows = self.layout.senders.at(self.own[nic.place as usize]);
        // The next in the list may be the first of the next host.
        let Some(&slot) = self.starts.get(nic.starts as usize) else { return };
        let Some(&flow) = flows.get((slot - nic.first_sender) as usize) else { return };
        if let Some(at) = start_of(self.plan, flow) {
            nic.set_start(at, slot);
        }
    }

    pub(super) fn start(&mut self, now: Time, nic: &mut Nic, slot: u32) {
        self.next_start(nic, slot);
        let end = &mut self.senders[slot as usize];
        if end.started != Time::NEVER {
            return;
        }
        end.started = now;
        self.totals.last_progress = self.totals.last_progress.max(now);
        let plan = self.plan;
        let flow = self.layout.senders.at(self.own[nic.place as usize])
            [(slot - nic.first_sender) as usize];
        let message = &plan.traffic.flows[flow.index()];
        if self.queues.as_mut().is_none_or(|queues| queues.post(message, slot)) {
            self.send(now, nic, slot);
        }
    }

    /// Lets a flow that has started send.
    fn send(&mut self, now: Time, nic: &mut Nic, slot: u32) {
        if self.scales_up(nic, slot) {
            return self.send_across(now, nic, slot);
        }
        let plan = self.plan;
        let index = (slot - nic.first_sender) as usize;
        let flows = self.layout.senders.at(self.own[nic.place as usize]);
        let (flow, flows) = (flows[index], flows.len() as u32);
        let context = self.context(flow);
        let rng = Rng::new(plan.seed, "flow", u64::from(flow.0));
        let message = &plan.traffic.flows[flow.index()];
        let (here, there) = (message.source, message.destination);
        let mut sender = self.beginnings.sender(message, &context, rng);
        if sender.names_planes() {
            let paths = source_routes::paths(plan, here, there);
            let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
            sender.begin_paths(now, &paths, events);
        }
        let mut live = LiveSender {
            flow,
            turns: self.source_routes.turns(message.load_balance, here, there, Class::Data),
            to: self.layout.receiver(flow, message),
            flags: if message.hashed { flag::HASHED } else { 0 },
            in_ready: false,
            chooses_class: sender.next_class().is_some(),
            wake_at: Time::NEVER,
            unwatched: true,
            sender,
        };
        let key = stream(plan.seed, "slots", here.0.into());
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        live.sender.begin_slots(now, (index as u32, flows, key), events);
        if let Some(planners) = &mut self.planners {
            planners.begin(flow, &mut live.sender);
        }
        live.make_ready(now, slot, nic);
        live.set_wake(now, slot, nic);
        let end = &mut self.senders[slot as usize];
        end.live = self.live_senders.insert(live);
        if message.on_acked.is_some() {
            self.awaited.begin(nic.place, End::Sender(slot));
        }
    }

    /// Whether messages of a pair wait for each other.
    pub(super) fn has_queues(&self) -> bool {
        self.queues.is_some()
    }

    /// The flow of a sender slot of the host.
    pub(super) fn flow_sent(&self, nic: &Nic, slot: u32) -> FlowId {
        let flows = self.layout.senders.at(self.own[nic.place as usize]);
        flows[(slot - nic.first_sender) as usize]
    }

    /// Lets the next message of a pair send.
    #[cold]
    pub(super) fn send_next(&mut self, now: Time, nic: &mut Nic, flow: FlowId) {
        let message = &self.plan.traffic.flows[flow.index()];
        if let Some(next) = self.queues.as_mut().and_then(|queues| queues.sent(message)) {
            self.send(now, nic, next);
        }
    }
}

/// When a flow starts by itself; `None` if a trigger starts it.
fn start_of(plan: &Plan, flow: FlowId) -> Option<Time> {
    let Start::At(at) = plan.traffic.flows[flow.index()].start else { return None };
    Some(at + phase_of(plan, flow))
}

/// How long after its start time, or its trigger, a flow starts.
pub(in crate::host) fn phase_of(plan: &Plan, flow: FlowId) -> Span {
    Span(Rng::new(plan.seed, "phase", u64::from(flow.0)).below(plan.transport.phase.0 + 1))
}
