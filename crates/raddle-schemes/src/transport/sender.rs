//! The sender: one message, a congestion control, a path selector and a recovery.

mod answers;
mod paths;
mod template;

pub use answers::{AckHeader, NackHeader};
pub use template::{Connection, FlowTemplate};

use super::ledger::LossEpisode;
use super::pacer::{Pacer, Place};
use super::{Arrivals, Ledger};
use crate::congestion::{self, AnyCongestionControl, Loss, LossCause};
use crate::ids::{Entropy, Psn};
use crate::load_balance::host::{self, AnyPathSelector, Fate, Feedback, Outgoing};
use crate::probe::Probes;
use crate::recovery::{self, Answered, AnyRecovery};
use crate::rng::Rng;
use crate::size::UNLIMITED;
use crate::units::{Bytes, Time};
use crate::{Cx, Events, FlowContext};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The parts a sender is composed of.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderPlan<'a> {
    /// Path of every packet.
    pub load_balance: &'a host::Config,
    /// Window and rate.
    pub congestion: &'a congestion::Config,
    /// Loss detection and retransmission.
    pub recovery: &'a recovery::Config,
}

/// A packet to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Its number.
    pub psn: Psn,
    /// Its entropy.
    pub entropy: Entropy,
    /// Its bytes, header included.
    pub bytes: Bytes,
    /// Whether it was sent before.
    pub again: bool,
    /// Whether the receiver shall acknowledge it at once: the window, or what there is to send,
    /// ends with it.
    pub ack_request: bool,
}

/// Counts of one sender, for records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Packets sent, again or not.
    pub sent: u64,
    /// Of these, sent again; none of a coded message.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Whether it sent a packet as often as it may, and gave the message up.
    pub gave_up: bool,
}

/// The sending end of one flow.
pub struct Sender {
    ledger: Ledger,
    arrivals: Arrivals,
    /// The congestion control's window, asked for after each of its calls.
    window: Bytes,
    rng: Rng,
    /// The pace, where the congestion control sets one.
    pacer: Option<Box<Pacer>>,
    congestion: AnyCongestionControl,
    paths: AnyPathSelector,
    recovery: AnyRecovery,
}

impl Sender {
    /// The sender of a message of `bytes` application bytes. `rng` is the flow's own stream.
    pub fn new(plan: &SenderPlan<'_>, context: &FlowContext, bytes: Bytes, rng: Rng) -> Self {
        FlowTemplate::new(plan, context).sender(context, bytes, rng)
    }

    /// Before the first packet: if there is a pace, its slots begin now, or where the congestion
    /// control wants those of flow `place` of the `flows` of its host; `key` is the host's, where
    /// they change places. The slots of an earlier message of the connection go on.
    pub fn begin_slots(
        &mut self,
        now: Time,
        (place, flows, key): (u32, u32, u64),
        events: &mut dyn Events,
    ) {
        self.pass_timers(now, events);
        if self.pacer.is_some() {
            return;
        }
        let Some(rate) = self.congestion.limits().rate else { return };
        let pacing = self.congestion.pacing();
        let pacer = if self.congestion.spreads_slots() {
            let bytes = self.ledger.size(Psn(0)) + Bytes(u64::from(self.ledger.gap));
            let key = self.congestion.shuffles_slots().then_some(key);
            Pacer::spread(now, rate.serialisation(bytes), Place { place, flows }, pacing, key)
        } else {
            Pacer::from(now, pacing)
        };
        self.pacer = Some(Box::new(pacer));
    }

    /// Carries out the timers that ran out while the connection had no message.
    fn pass_timers(&mut self, now: Time, events: &mut dyn Events) {
        if self.congestion.next_timer().is_some_and(|at| at <= now) {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.window = self.congestion.on_timer(&mut cx).window;
            self.retime();
        }
    }

    /// Whether a packet may leave now.
    #[inline]
    pub fn can_transmit(&mut self, now: Time) -> bool {
        self.on_pace(now) && self.window_open()
    }

    /// When pacing alone lets the next packet leave, if that is what it waits for.
    pub fn paced_until(&mut self, now: Time) -> Option<Time> {
        let at = self.pacer.as_ref()?.at;
        (at > now && self.window_open()).then_some(at)
    }

    /// When the flow is to be looked at for its pace, unless that is known ([`Sender::on_paced`]).
    pub fn await_pace(&mut self, now: Time) -> Option<Time> {
        let at = self.paced_until(now)?;
        self.pacer.as_mut()?.awaits(at).then_some(at)
    }

    /// The time of [`Sender::await_pace`] has come. Returns whether no other has taken its place.
    pub fn on_paced(&mut self, now: Time) -> bool {
        self.pacer.as_mut().is_some_and(|pacer| pacer.came(now))
    }

    /// Times the packet that waits for its pace anew, where a new rate does that.
    #[inline]
    fn retime(&mut self) {
        if let Some(pacer) = &mut self.pacer
            && self.congestion.retimes()
            && let Some(rate) = self.congestion.limits().rate
        {
            pacer.retime(rate);
        }
    }

    /// Whether the pace, if there is one, lets a packet leave now.
    #[inline]
    pub fn on_pace(&self, now: Time) -> bool {
        self.pacer.as_ref().is_none_or(|pacer| pacer.at <= now)
    }

    /// What may be in flight now: the window, unless the recovery has a say.
    #[inline]
    fn allowed(&self) -> Bytes {
        self.recovery.allowance(self.window, &self.ledger).unwrap_or(self.window)
    }

    #[inline]
    fn window_open(&mut self) -> bool {
        self.ledger.due().is_some_and(|psn| self.window_takes(psn))
    }

    /// Whether the window has room for `psn`. A window holds a packet, unless receivers pace.
    #[inline]
    fn window_takes(&self, psn: Psn) -> bool {
        self.ledger.in_flight() + self.ledger.size(psn) <= self.allowed()
            || (self.ledger.in_order && self.holds_up_all(psn))
    }

    /// Whether no ACK can tell of what is in flight before `psn` has arrived: then it goes, however
    /// full a window that a loss has shrunk may be.
    #[cold]
    fn holds_up_all(&self, psn: Psn) -> bool {
        psn.0 == self.ledger.low() && self.congestion.pulls().is_none()
    }

    /// The route that is due for the next packet, where the path selector needs source routing, or the
    /// path that a planner gives it.
    pub fn on_route(&mut self, route: Entropy) {
        self.paths.on_route(route);
    }

    /// The path that its packets take and what became of some, if they have been lost since this was
    /// last asked and a planner may name another.
    pub fn poll_lost(&mut self) -> Option<(Entropy, Fate)> {
        self.paths.poll_lost()
    }

    /// The packet that leaves now, if one may.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time, events: &mut dyn Events) -> Option<Transmit> {
        let psn = self.ledger.due()?;
        if !self.on_pace(now) || !self.window_takes(psn) {
            return None;
        }
        let again = self.ledger.is_again(psn);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        let entropy = self.paths.next_path(&mut cx, &Outgoing { psn, again });
        let bytes = self.ledger.sent(now, psn, entropy);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        if let Some(rate) = self.congestion.on_sent(&mut cx, bytes).rate {
            let bytes = bytes + Bytes(u64::from(self.ledger.gap));
            let pacing = self.congestion.pacing();
            let begin = || Box::new(Pacer::from(now, pacing));
            self.pacer.get_or_insert_with(begin).sent(now, bytes, rate);
        }
        let ack_request = !self.window_open();
        if let Some(pacer) = &mut self.pacer {
            pacer.idle = ack_request;
        }
        Some(Transmit { psn, entropy, bytes, again, ack_request })
    }

    /// Every packet below this one has been sent, and none from it on.
    pub(crate) fn sent_below(&self) -> u32 {
        self.ledger.next()
    }

    /// Whether ACKs tell it of nothing but the packet that is expected next.
    pub fn awaits_order(&self) -> bool {
        self.ledger.in_order
    }

    /// Whether its receiver grants it what it sends.
    pub fn is_granted(&self) -> bool {
        self.congestion.grants().is_some()
    }

    /// The data class of the packet that is due, where the congestion control chooses one for each;
    /// that of the next new one, if none is.
    pub fn next_class(&mut self) -> Option<u8> {
        let psn = self.ledger.due().unwrap_or(Psn(self.ledger.next()));
        self.congestion.class(psn)
    }

    /// What the sender has to ask its receiver for, if anything, and on which path. Looked at after
    /// [`Sender::on_timeout`].
    pub fn poll_request(&mut self, now: Time, events: &mut dyn Events) -> Option<(u32, Entropy)> {
        let request = self.congestion.poll_request()?;
        Some((request, self.next_path(now, events)))
    }

    /// Whether packets are in flight.
    #[inline]
    pub fn has_in_flight(&self) -> bool {
        self.ledger.in_flight().0 > 0
    }

    /// When the sender wants to be woken: a retransmission timeout or a scheme's own timer.
    pub fn poll_timeout(&mut self) -> Option<Time> {
        let deadline = self.recovery.deadline(&mut self.ledger).map(|(at, _)| at);
        match (deadline, self.scheme_timer()) {
            (Some(rto), Some(scheme)) => Some(rto.min(scheme)),
            (rto, scheme) => rto.or(scheme),
        }
    }

    /// Whether the sender wants to be woken before `then`, for which that is set; or will, once it sends
    /// again, if nothing is in flight and an ACK may have brought that closer.
    #[inline]
    pub fn wakes_before(&mut self, then: Time) -> bool {
        let at = if self.recovery.comes_closer() {
            if !self.has_in_flight() {
                return true;
            }
            self.poll_timeout()
        } else {
            self.scheme_timer()
        };
        at.is_some_and(|at| at < then)
    }

    /// Whether what has just been sent brought its wake-up before `then`, as a new last packet may bring
    /// a tail loss probe.
    #[inline]
    pub fn wakes_sooner(&mut self, then: Time) -> bool {
        self.recovery.comes_closer() && self.wakes_before(then)
    }

    /// When a scheme wants to be woken.
    #[inline]
    pub fn scheme_timer(&self) -> Option<Time> {
        match (self.congestion.next_timer(), self.paths.next_timer()) {
            (Some(congestion), Some(paths)) => Some(congestion.min(paths)),
            (congestion, paths) => congestion.or(paths),
        }
    }

    /// The time asked for has come; without effect if called early. Returns how many packets, or
    /// timers of the flow, timed out.
    pub fn on_timeout(&mut self, now: Time, events: &mut dyn Events) -> u32 {
        let mut timeouts = 0;
        while let Some((at, psn)) = self.recovery.deadline(&mut self.ledger) {
            if at > now {
                break;
            }
            let mut cx = Cx { now, rng: &mut self.rng, events };
            timeouts += u32::from(self.recovery.on_timeout(&mut cx, psn, &mut self.ledger));
            self.report_losses(now, events);
        }
        self.ledger.note_timeouts(timeouts);
        if self.congestion.next_timer().is_some_and(|at| at <= now) {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.window = self.congestion.on_timer(&mut cx).window;
            self.retime();
        }
        if self.paths.next_timer().is_some_and(|at| at <= now) {
            self.paths.on_timer(&mut Cx { now, rng: &mut self.rng, events });
        }
        timeouts
    }

    /// Whether as many packets as complete the message are known to have arrived.
    #[inline]
    pub fn complete(&self) -> bool {
        self.heard() == self.total()
    }

    /// Whether so many packets have arrived, heard of or not.
    pub fn all_arrived(&self) -> bool {
        self.arrivals.logged() == self.total()
    }

    /// How many packets complete the message.
    #[inline]
    pub fn total(&self) -> u32 {
        self.ledger.total()
    }

    /// How many of the receiver's arrivals have been taken note of.
    #[inline]
    pub fn heard(&self) -> u32 {
        self.arrivals.heard()
    }

    /// What was sent so far.
    pub fn counts(&self) -> SenderCounts {
        let (retransmitted, timeouts) = self.ledger.repeats();
        let sent = u64::from(self.ledger.next()) + retransmitted;
        let gave_up = self.recovery.has_given_up();
        SenderCounts { sent, retransmitted, timeouts, gave_up }
    }

    /// What it shows of itself, and what its parts show: `window` and `in_flight` (bytes), where there
    /// is a pace `rate`, and how many packets were `sent`, `resent` and are known to have arrived
    /// (`acked`).
    pub fn probes(&self, to: &mut dyn Probes) {
        let limits = self.congestion.limits();
        if limits.window < UNLIMITED {
            to.bytes("window", limits.window);
        }
        if let Some(rate) = limits.rate {
            to.rate("rate", rate);
        }
        let SenderCounts { sent, retransmitted, timeouts, .. } = self.counts();
        to.bytes("in_flight", self.ledger.in_flight());
        to.count("acked", self.heard().into());
        to.count("sent", sent);
        to.count("resent", retransmitted);
        to.count("timeouts", timeouts);
        self.congestion.probes(to);
        self.paths.probes(to);
        self.recovery.probes(to);
    }

    /// Where it notes what is sent and acknowledged, to be asked for ahead of time.
    #[inline]
    pub fn ledger_addresses(&self) -> [*const u8; 2] {
        self.ledger.addresses()
    }

    /// Where its path selector keeps its state, likewise.
    #[inline]
    pub fn paths_address(&self) -> *const u8 {
        self.paths.address()
    }

    /// Where it notes the next arrival.
    #[inline]
    pub fn arrival_address(&self) -> *const u8 {
        self.arrivals.address()
    }

    #[inline]
    fn report_losses(&mut self, now: Time, events: &mut dyn Events) {
        if let Some(losses) = self.ledger.unreported() {
            self.report(now, losses, events);
        }
    }

    #[cold]
    fn report(&mut self, now: Time, losses: Vec<LossEpisode>, events: &mut dyn Events) {
        for lost in losses {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            let in_flight = self.ledger.in_flight();
            let window_before = self.window;
            let LossEpisode { bytes, packets, cause, .. } = lost;
            let loss = Loss { bytes, packets, cause, in_flight, next_new: self.ledger.next() };
            self.window = self.congestion.on_loss(&mut cx, &loss).window;
            let answered = Answered { cause, before: window_before, after: self.window };
            self.recovery.on_answered(&mut cx, &answered, &self.ledger);
            let fate = match lost.cause {
                LossCause::Trim if lost.last_hop && self.paths.knows_last_hop() => continue,
                LossCause::Trim => Fate::Trimmed,
                LossCause::Timeout => Fate::TimedOut,
                LossCause::Reordering if self.paths.hears_of_overtaken() => Fate::Overtaken,
                // Later packets overtook it: no verdict on its path.
                LossCause::Reordering | LossCause::Nack | LossCause::SwitchNack => continue,
            };
            let feedback = Feedback {
                path: lost.entropy,
                fate,
                rtt: None,
                window_before,
                window_after: self.window,
                in_flight,
            };
            self.paths.on_feedback(&mut cx, &feedback);
        }
        self.retime();
    }
}

/// Packets of a message: its bytes over the payload, rounded up.
pub fn packets(bytes: Bytes, payload: Bytes) -> u32 {
    bytes.0.div_ceil(payload.0).max(1) as u32
}

#[cfg(test)]
mod tests;
