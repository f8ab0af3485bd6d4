//! Receivers that grant: to whom, how far, in which class, and what they ask for again.

use raddle_schemes::congestion::GrantPlan;
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::units::{Span, Time};
use std::collections::BTreeMap;

/// The messages that arrive at one host.
#[derive(Default)]
pub(super) struct GrantBook {
    messages: BTreeMap<FlowId, Message>,
    /// Frames so far: the entropy of each.
    sent: u16,
}

struct Message {
    from: HostId,
    plan: GrantPlan,
    total: u32,
    arrived: u32,
    /// The first packet that is missing.
    missing: u32,
    granted: u32,
    class: u8,
    /// When there was news last, and how often it has been asked since the last packet.
    news_at: Time,
    asked: u32,
}

/// What a sender is told.
pub(super) struct Told {
    pub(super) flow: FlowId,
    pub(super) what: What,
    pub(super) entropy: Entropy,
}

pub(super) enum What {
    Grant { upto: u32, class: u8 },
    Resend { first: u32 },
}

impl Message {
    /// When its receiver's patience ends, if something is on its way.
    fn patience_ends(&self) -> Option<Time> {
        let doublings = self.asked.min(6);
        let patience = Span(self.plan.resend.0.saturating_mul(1 << doublings));
        (self.granted > self.arrived).then(|| self.news_at + patience)
    }
}

impl GrantBook {
    /// A message of `total` packets begins to arrive.
    pub(super) fn begin(
        &mut self,
        now: Time,
        flow: FlowId,
        from: HostId,
        total: u32,
        plan: GrantPlan,
    ) {
        let message = Message {
            from,
            plan,
            total,
            arrived: 0,
            missing: 0,
            granted: total.min(plan.window),
            class: 0,
            news_at: now,
            asked: 0,
        };
        self.messages.insert(flow, message);
    }

    /// A packet of a message has come.
    pub(super) fn on_data(&mut self, now: Time, flow: FlowId, arrived: u32, missing: u32) {
        if let Some(message) = self.messages.get_mut(&flow) {
            (message.arrived, message.missing) = (arrived, missing);
            (message.news_at, message.asked) = (now, 0);
        }
    }

    /// All of it has.
    pub(super) fn end(&mut self, flow: FlowId) {
        self.messages.remove(&flow);
    }

    /// The grants that are due after a packet has come.
    pub(super) fn grants(&mut self, now: Time) -> Vec<Told> {
        let ungranted = self.messages.iter().filter(|(_, message)| message.granted < message.total);
        let mut ranked: Vec<_> = ungranted
            .map(|(flow, message)| (message.total - message.arrived, *flow, message.from))
            .collect();
        ranked.sort();
        // Of each sender only the shortest.
        let mut chosen: Vec<(FlowId, HostId)> = Vec::new();
        for (_, flow, from) in ranked {
            let most = self.messages[&flow].plan.overcommitment as usize;
            if chosen.len() >= most {
                break;
            }
            if chosen.iter().all(|(_, other)| *other != from) {
                chosen.push((flow, from));
            }
        }
        // The first of them has the highest class, as many as there are of them or of classes.
        let mut told = Vec::new();
        for (rank, (flow, _)) in chosen.iter().enumerate() {
            let Some(message) = self.messages.get_mut(flow) else { continue };
            let upto = message.total.min(message.arrived.saturating_add(message.plan.window));
            if upto > message.granted {
                let classes = chosen.len().min(message.plan.classes.into());
                message.class = if rank < classes { (classes - 1 - rank) as u8 } else { 0 };
                message.granted = upto;
                message.news_at = now;
                told.push((*flow, What::Grant { upto, class: message.class }));
            }
        }
        self.with_paths(told)
    }

    /// When the first receiver's patience ends.
    pub(super) fn due(&self) -> Option<Time> {
        self.messages.values().filter_map(Message::patience_ends).min()
    }

    /// What those ask for whose patience has ended.
    pub(super) fn requests(&mut self, now: Time) -> Vec<Told> {
        let mut told = Vec::new();
        for (flow, message) in &mut self.messages {
            if message.patience_ends().is_some_and(|end| end <= now) {
                let (upto, class) = (message.granted, message.class);
                told.push((*flow, What::Grant { upto, class }));
                told.push((*flow, What::Resend { first: message.missing }));
                message.news_at = now;
                message.asked += 1;
            }
        }
        self.with_paths(told)
    }

    fn with_paths(&mut self, told: Vec<(FlowId, What)>) -> Vec<Told> {
        let path = |(flow, what)| {
            self.sent = self.sent.wrapping_add(1);
            Told { flow, what, entropy: Entropy(self.sent) }
        };
        told.into_iter().map(path).collect()
    }
}
