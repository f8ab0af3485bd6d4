//! Receivers that pace their senders: who gets credit next, and when.

use crate::plan::Plan;
use raddle_schemes::congestion::PullPlan;
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::transport::Grants;
use raddle_schemes::units::{Rate, Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// Hands out the credit of one receiving host.
pub(super) struct CreditPacer {
    /// Time that a packet takes on the links together.
    packet: Span,
    /// The messages that arrive, with how their senders are paced, and those that are owed a pull, in
    /// turn.
    messages: BTreeMap<FlowId, (PullPlan, Grants)>,
    turns: VecDeque<FlowId>,
    /// The next pull that the messages share a pace for leaves no earlier.
    next_at: Time,
    /// The same of each message with a pace of its own that has had a pull.
    own_next_at: BTreeMap<FlowId, Time>,
    /// Pulls so far: the entropy of each.
    sent: u16,
}

/// A pull: who gets it, how many credits that makes since the start, and its path.
pub(super) struct Pull {
    pub(super) flow: FlowId,
    pub(super) count: u32,
    pub(super) entropy: Entropy,
}

impl CreditPacer {
    pub(super) fn new(plan: &Plan, host: HostId) -> Self {
        let fabric = &plan.fabric;
        let last_hops = fabric.ports_of(host).map(|port| fabric.ports[port.index()].peer);
        let link = Rate(last_hops.map(|port| fabric.ports[port.index()].rate.0).sum());
        Self {
            packet: link.serialisation(plan.packet() + plan.queue.gap),
            messages: BTreeMap::new(),
            turns: VecDeque::new(),
            next_at: Time::ZERO,
            own_next_at: BTreeMap::new(),
            sent: 0,
        }
    }

    /// A message of `total` packets begins to arrive, for which the first window is that of `pulls`.
    pub(super) fn begin(&mut self, flow: FlowId, pulls: &PullPlan, total: u32) {
        self.messages.insert(flow, (*pulls, Grants::new(pulls, total)));
    }

    /// All of it has arrived.
    pub(super) fn end(&mut self, flow: FlowId) {
        self.messages.remove(&flow);
        self.own_next_at.remove(&flow);
        self.turns.retain(|other| *other != flow);
    }

    /// A packet has come, whole or not; `again` if it has to be sent once more.
    pub(super) fn on_data(&mut self, flow: FlowId, again: bool) {
        if let Some((_, grants)) = self.messages.get_mut(&flow) {
            grants.on_data(again);
            self.line_up(flow);
        }
    }

    /// The sender asks, and tells how many of its packets vanished.
    pub(super) fn on_request(&mut self, flow: FlowId, vanished: u32) {
        if let Some((_, grants)) = self.messages.get_mut(&flow) {
            grants.on_request(vanished);
            self.line_up(flow);
        }
    }

    /// When the pull of this message may leave.
    fn may(&self, flow: FlowId) -> Time {
        let alone = self.messages.get(&flow).is_some_and(|(plan, _)| plan.paced_alone);
        if alone {
            self.own_next_at.get(&flow).copied().unwrap_or(Time::ZERO)
        } else {
            self.next_at
        }
    }

    /// When the next pull is due, seen from `now`.
    pub(super) fn due(&self, now: Time) -> Option<Time> {
        self.turns.iter().map(|&flow| self.may(flow).max(now)).min()
    }

    /// The pull that is due now: of those that may leave, the first in turn.
    pub(super) fn pull(&mut self, now: Time) -> Option<Pull> {
        let turn = self.turns.iter().position(|&flow| self.may(flow) <= now)?;
        let flow = self.turns.remove(turn)?;
        let (plan, grants) = self.messages.get_mut(&flow)?;
        let (credits, count) = grants.pull(plan.packets_per_pull);
        let (alone, share) = (plan.paced_alone, plan.rate_share);
        let period = (self.packet.0 as f64 / share).ceil() as u64;
        self.line_up(flow);
        // One without credit, which repeats a pull that was lost, takes the place of a packet.
        let next_at = now + Span(period * u64::from(credits.max(1)));
        if alone {
            self.own_next_at.insert(flow, next_at);
        } else {
            self.next_at = next_at;
        }
        self.sent = self.sent.wrapping_add(1);
        Some(Pull { flow, count, entropy: Entropy(self.sent) })
    }

    fn line_up(&mut self, flow: FlowId) {
        let is_owed = self.messages.get(&flow).is_some_and(|(_, grants)| grants.wants_pull());
        if is_owed && !self.turns.contains(&flow) {
            self.turns.push_back(flow);
        }
    }
}
