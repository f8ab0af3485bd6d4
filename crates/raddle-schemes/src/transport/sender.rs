//! The sender: one message, a congestion control, a path selector and a recovery.

use super::{Arrivals, Ledger};
use crate::congestion::{self, Ack, AnyCongestionControl, Loss, LossCause};
use crate::ids::{Entropy, Psn};
use crate::load_balance::host::{self, AnyPathSelector, Fate, Feedback, Outgoing};
use crate::recovery::{self, AckEntropies, AnyRecovery};
use crate::rng::Rng;
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Cx, Events, FlowContext};

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
    /// Whether the receiver shall acknowledge it at once.
    pub ack_request: bool,
}

/// The header of an ACK; the packets it acknowledges are in the receiver's [`Arrivals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckHeader {
    /// Arrivals before this position are acknowledged.
    pub upto: u32,
    /// Entropy of the packet that triggered the ACK.
    pub entropy: Entropy,
    /// Whether that packet was marked.
    pub marked: bool,
    /// Whether that packet had arrived before.
    pub duplicate: bool,
}

/// Counts of one sender, for records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Packets sent, again or not.
    pub sent: u64,
    /// Of these, sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// The sending end of one flow.
pub struct Sender {
    ledger: Ledger,
    congestion: AnyCongestionControl,
    paths: AnyPathSelector,
    recovery: AnyRecovery,
    rng: Rng,
    rto: Span,
    /// Arrivals before this position have been taken note of.
    heard: u32,
    /// The next packet leaves no earlier.
    pace_at: Time,
    /// Remainder of the pace, in bits x 10^12 modulo the rate, so that no pace drifts.
    pace_rest: u64,
    counts: SenderCounts,
}

impl Sender {
    /// The sender of a message of `bytes` application bytes. `rng` is the flow's own stream.
    pub fn new(plan: &SenderPlan<'_>, context: &FlowContext, bytes: Bytes, rng: Rng) -> Self {
        let total = packets(bytes, context.payload);
        let recovery = plan.recovery.build(context);
        let context = &FlowContext { rto: recovery.rto(), ..*context };
        let last = bytes.0 - u64::from(total - 1) * context.payload.0 + context.header.0;
        Self {
            ledger: Ledger::new(total, context.packet(), Bytes(last)),
            congestion: plan.congestion.build(context),
            paths: plan.load_balance.build(context),
            recovery,
            rng,
            rto: context.rto,
            heard: 0,
            pace_at: Time::ZERO,
            pace_rest: 0,
            counts: SenderCounts::default(),
        }
    }

    /// Whether a packet may leave now.
    #[inline]
    pub fn can_transmit(&mut self, now: Time) -> bool {
        self.pace_at <= now && self.window_open()
    }

    /// When pacing alone lets the next packet leave, if that is what it waits for.
    pub fn paced_until(&mut self, now: Time) -> Option<Time> {
        (self.pace_at > now && self.window_open()).then_some(self.pace_at)
    }

    #[inline]
    fn window_open(&mut self) -> bool {
        let Some(psn) = self.ledger.due() else { return false };
        let in_flight = self.ledger.in_flight();
        in_flight.0 == 0 || in_flight + self.ledger.size(psn) <= self.congestion.limits().window
    }

    /// The packet that leaves now, if one may.
    pub fn poll_transmit(&mut self, now: Time, events: &mut dyn Events) -> Option<Transmit> {
        if !self.can_transmit(now) {
            return None;
        }
        let psn = self.ledger.due()?;
        let again = self.ledger.is_again(psn);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        let entropy = self.paths.next_path(&mut cx, &Outgoing { psn, again });
        self.ledger.sent(now, psn, entropy);
        let bytes = self.ledger.size(psn);
        if let Some(rate) = self.congestion.limits().rate {
            self.pace(now, bytes, rate);
        }
        self.counts.sent += 1;
        self.counts.retransmitted += u64::from(again);
        let ack_request = !self.window_open();
        Some(Transmit { psn, entropy, bytes, again, ack_request })
    }

    fn pace(&mut self, now: Time, bytes: Bytes, rate: Rate) {
        let bits = u128::from(bytes.0) * 8 * 1_000_000_000_000 + u128::from(self.pace_rest);
        let rate = u128::from(rate.0);
        self.pace_rest = (bits % rate) as u64;
        self.pace_at = Time(self.pace_at.max(now).0 + (bits / rate) as u64);
    }

    /// Takes an ACK: first the ledger, then the congestion control, then the path selector.
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: &AckHeader,
        arrivals: &Arrivals,
        events: &mut dyn Events,
    ) {
        let mut bytes = Bytes(0);
        let mut rtt = None;
        for position in self.heard..ack.upto {
            let Some(arrival) = arrivals.get(position) else { continue };
            let acked = self.ledger.acked(arrival.psn);
            bytes = bytes + acked.bytes;
            if position + 1 == ack.upto && !ack.duplicate {
                rtt = acked.sent_once_at.map(|at| now - at);
            }
        }
        self.heard = self.heard.max(ack.upto);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_ack(&mut cx, &mut self.ledger);
        let window_before = self.congestion.limits().window;
        let news = Ack {
            bytes,
            marked: ack.marked,
            rtt,
            in_flight: self.ledger.in_flight(),
            cumulative: self.ledger.low(),
            next_new: self.ledger.next(),
        };
        self.congestion.on_ack(&mut cx, &news);
        let feedback = Feedback {
            path: ack.entropy,
            fate: if ack.marked { Fate::Marked } else { Fate::Clean },
            rtt,
            window_before,
            window_after: self.congestion.limits().window,
            in_flight: self.ledger.in_flight(),
        };
        if self.recovery.ack_entropies() == AckEntropies::Carry && !ack.duplicate {
            // REPS spec 2.6: all unmarked entropies since the previous ACK in order of arrival,
            // the trigger last, also when the trigger itself was marked.
            let mut first = ack.upto - 1;
            while first > 0 && arrivals.get(first - 1).is_some_and(|before| !before.acked_here) {
                first -= 1;
            }
            for arrival in (first..ack.upto - 1).filter_map(|position| arrivals.get(position)) {
                if !arrival.marked {
                    let carried = Feedback {
                        path: arrival.entropy,
                        fate: Fate::Clean,
                        rtt: None,
                        ..feedback
                    };
                    self.paths.on_feedback(&mut cx, &carried);
                }
            }
        }
        self.paths.on_feedback(&mut cx, &feedback);
        self.report_losses(now, events);
    }

    /// Takes a NACK for `psn`, sent on `entropy`.
    pub fn on_nack(&mut self, now: Time, psn: Psn, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_nack(&mut cx, psn, &mut self.ledger);
        self.report_losses(now, events);
    }

    /// When the sender wants to be woken: a retransmission timeout or a scheme's own timer.
    pub fn poll_timeout(&mut self) -> Option<Time> {
        let scheme = self.congestion.next_timer();
        match (self.ledger.deadline(self.rto), scheme) {
            (Some(rto), Some(scheme)) => Some(rto.min(scheme)),
            (rto, scheme) => rto.or(scheme),
        }
    }

    /// The time asked for has come; without effect if called early. Returns whether a packet timed
    /// out.
    pub fn on_timeout(&mut self, now: Time, events: &mut dyn Events) -> bool {
        let before = self.counts.timeouts;
        while let Some((at, psn)) = self.ledger.oldest() {
            if at + self.rto > now {
                break;
            }
            self.counts.timeouts += 1;
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.recovery.on_timeout(&mut cx, psn, &mut self.ledger);
            self.report_losses(now, events);
        }
        if self.congestion.next_timer().is_some_and(|at| at <= now) {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.congestion.on_timer(&mut cx);
        }
        self.counts.timeouts > before
    }

    /// Whether every packet is known to have arrived.
    pub fn complete(&self) -> bool {
        self.ledger.complete()
    }

    /// How many of the receiver's arrivals have been taken note of.
    pub fn heard(&self) -> u32 {
        self.heard
    }

    /// What was sent so far.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    fn report_losses(&mut self, now: Time, events: &mut dyn Events) {
        // Taken out and put back, so that the list's memory is used again.
        let mut losses = core::mem::take(&mut self.ledger.losses);
        for lost in losses.drain(..) {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            let in_flight = self.ledger.in_flight();
            let window_before = self.congestion.limits().window;
            let bytes = self.ledger.size(lost.psn);
            self.congestion.on_loss(&mut cx, &Loss { bytes, cause: lost.cause, in_flight });
            let fate = match lost.cause {
                LossCause::Trim => Fate::Trimmed,
                LossCause::Timeout => Fate::TimedOut,
                // Later packets overtook it: no verdict on its path.
                LossCause::Reordering => continue,
            };
            let feedback = Feedback {
                path: lost.entropy,
                fate,
                rtt: None,
                window_before,
                window_after: self.congestion.limits().window,
                in_flight,
            };
            self.paths.on_feedback(&mut cx, &feedback);
        }
        self.ledger.losses = losses;
    }
}

/// Packets of a message: its bytes over the payload, rounded up.
pub fn packets(bytes: Bytes, payload: Bytes) -> u32 {
    bytes.0.div_ceil(payload.0).max(1) as u32
}
