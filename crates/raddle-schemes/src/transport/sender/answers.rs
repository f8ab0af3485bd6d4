//! What comes from the receiver, and what the sender makes of it: ACKs, NACKs, CNPs, pulls, grants.

use super::Sender;
use crate::congestion::{Ack, Grant, Hop, LossCause};
use crate::ids::{Entropy, Psn};
use crate::load_balance::host::{Fate, Feedback};
use crate::recovery::{AckEntropies, AckForm, AckNews};
use crate::transport::ledger::AckedPacket;
use crate::transport::{Arrivals, Entry};
use crate::units::{Span, Time};
use crate::{Cx, Events};

/// The header of an ACK; the packets it acknowledges are in the sender's log ([`Arrivals`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckHeader<'a> {
    /// Arrivals before this position are acknowledged; packets below this number, if ACKs tell of
    /// nothing else.
    pub upto: u32,
    /// Entropy of the packet that triggered the ACK.
    pub entropy: Entropy,
    /// Whether that packet was marked.
    pub marked: bool,
    /// Whether that packet had arrived before.
    pub duplicate: bool,
    /// What switches said of that packet, see [`Ack::hops`].
    pub hops: &'a [Hop],
    /// See [`Ack::circuit`].
    pub circuit: bool,
}

/// The header of a NACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NackHeader {
    /// The packet that did not make it, or that is expected next.
    pub psn: Psn,
    /// Entropy of the packet that triggered the NACK.
    pub entropy: Entropy,
    /// Whether that packet was marked.
    pub marked: bool,
    /// Whether a switch made it for the receiver.
    pub of_switch: bool,
    /// Whether that packet was trimmed at the port to its host.
    pub last_hop: bool,
    /// Whether switches write over entropies, so that this one need not be the sender's.
    pub rewritten: bool,
    /// See [`Ack::circuit`].
    pub circuit: bool,
}

impl Sender {
    /// Enters an arrival into the log; to be called in order of arrival, and before the first ACK
    /// that covers it.
    #[inline]
    pub fn on_arrival(&mut self, entry: Entry) {
        self.arrivals.push(entry);
    }

    /// Takes an ACK: first the ledger, then the congestion control, then the path selector. Returns the
    /// round trip that it told of.
    #[inline]
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: &AckHeader<'_>,
        events: &mut dyn Events,
    ) -> Option<Span> {
        // Usually it is the first to speak of the packet that triggered it, and of that alone.
        let acked = if self.ledger.in_order {
            self.take_note_below(ack.upto)
        } else if self.heard() + 1 == ack.upto {
            self.take_note()
        } else {
            self.take_note_up_to(ack.upto)
        };
        let rtt = if ack.duplicate { None } else { acked.sent_once_at.map(|at| now - at) };
        let mut cx = Cx { now, rng: &mut self.rng, events };
        let heard = self.arrivals.heard();
        let AckedPacket { bytes, latest, .. } = acked;
        let window_before = self.window;
        let duplicate = ack.duplicate;
        let told = AckNews { bytes, rtt, latest, duplicate, heard, window: window_before };
        self.recovery.on_ack(&mut cx, &told, &mut self.ledger);
        let in_flight = self.ledger.in_flight();
        let news = Ack {
            bytes: acked.bytes,
            marked: ack.marked,
            rtt,
            in_flight,
            cumulative: self.ledger.low(),
            next_new: self.ledger.next(),
            hops: ack.hops,
            circuit: ack.circuit,
        };
        self.window = self.congestion.on_ack(&mut cx, &news).window;
        let feedback = Feedback {
            path: ack.entropy,
            fate: if ack.marked { Fate::Marked } else { Fate::Clean },
            rtt,
            window_before,
            window_after: self.window,
            in_flight,
        };
        if self.recovery.ack_entropies() == AckEntropies::Carry && !ack.duplicate {
            let tell = |path| {
                let news = Feedback { path, fate: Fate::Clean, rtt: None, ..feedback };
                self.paths.on_feedback(&mut cx, &news);
            };
            carried(&self.arrivals, ack.upto, tell);
        }
        self.paths.on_feedback_inlined(&mut cx, &feedback);
        self.retime();
        self.report_losses(now, events);
        rtt
    }

    /// Enters the next arrival into the ledger.
    #[inline]
    fn take_note(&mut self) -> AckedPacket {
        match self.arrivals.hear() {
            Some(arrival) => self.ledger.acked(arrival.psn),
            None => AckedPacket::NOTHING,
        }
    }

    /// Enters arrivals before position `upto` into the ledger. Returns their bytes; a time only if
    /// there were any, that of the last.
    #[inline(never)]
    fn take_note_up_to(&mut self, upto: u32) -> AckedPacket {
        let mut sum = AckedPacket::NOTHING;
        while self.heard() < upto {
            let acked = self.take_note();
            sum.bytes = sum.bytes + acked.bytes;
            sum.sent_once_at = acked.sent_once_at;
            sum.latest = sum.latest.max(acked.latest);
        }
        sum
    }

    /// Enters all packets below `expected` into the ledger.
    #[inline(never)]
    fn take_note_below(&mut self, expected: u32) -> AckedPacket {
        self.arrivals.hear_below(expected);
        self.ledger.acked_below(self.arrivals.heard(), self.span())
    }

    /// Most numbers from the first unacknowledged packet to the newest.
    fn span(&self) -> u32 {
        match self.recovery.ack_form() {
            AckForm::Expected { span } => span,
            AckForm::Arrivals => self.recovery.psn_window().unwrap_or(u32::MAX),
        }
    }

    /// Takes a NACK. One for a transmission that has been followed by another, on another path, says
    /// nothing about the packet now in flight. Where switches write over entropies one cannot be told
    /// from another, and each is believed.
    ///
    /// A NACK that names the expected packet is also an ACK for all below it, and of the packet that
    /// triggered it, but times nothing.
    pub fn on_nack(&mut self, now: Time, nack: &NackHeader, events: &mut dyn Events) {
        let NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit } = *nack;
        let is_of_another = |current: Entropy| !rewritten && current != entropy;
        if self.ledger.in_order {
            let ack =
                AckHeader { upto: psn.0, entropy, marked, duplicate: true, hops: &[], circuit };
            self.on_ack(now, &ack, events);
        } else if self.ledger.entropy_in_flight(psn).is_some_and(is_of_another) {
            return;
        }
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_nack(&mut cx, psn, &mut self.ledger);
        if let Some(mut losses) = self.ledger.unreported() {
            if of_switch {
                losses.iter_mut().for_each(|lost| lost.cause = LossCause::SwitchNack);
            }
            losses.iter_mut().for_each(|lost| lost.last_hop = last_hop);
            self.report(now, losses, events);
        }
    }

    /// Takes the answer to a probe: arrivals before position `upto` are acknowledged. Of no packet does it
    /// tell a round trip or a mark. `of_tail` if the [recovery](crate::recovery::Recovery::poll_probe)
    /// asked; else a path selector did, of its `path`.
    pub fn on_probe_answered(
        &mut self,
        now: Time,
        (path, of_tail): (Entropy, bool),
        upto: u32,
        events: &mut dyn Events,
    ) {
        if !of_tail {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.paths.on_probe_answered(&mut cx, path);
        }
        if !self.ledger.in_order && upto > self.heard() {
            let AckedPacket { bytes, latest, .. } = self.take_note_up_to(upto);
            let (heard, window) = (self.heard(), self.window);
            let mut cx = Cx { now, rng: &mut self.rng, events };
            let news = AckNews { bytes, rtt: None, latest, duplicate: true, heard, window };
            self.recovery.on_ack(&mut cx, &news, &mut self.ledger);
            let ack = Ack {
                bytes,
                marked: false,
                rtt: None,
                in_flight: self.ledger.in_flight(),
                cumulative: self.ledger.low(),
                next_new: self.ledger.next(),
                hops: &[],
                circuit: false,
            };
            self.window = self.congestion.on_ack(&mut cx, &ack).window;
            self.retime();
        }
        if of_tail {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.recovery.on_probe_answered(&mut cx, &mut self.ledger);
        }
        self.report_losses(now, events);
    }

    /// Takes a CNP.
    pub fn on_cnp(&mut self, now: Time, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.window = self.congestion.on_cnp(&mut cx).window;
        self.retime();
    }

    /// Takes a pull: credits since the start of the message, modulo 2^24.
    pub fn on_credit(&mut self, now: Time, count: u32, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.window = self.congestion.on_credit(&mut cx, count).window;
    }

    /// Takes a grant.
    pub fn on_grant(&mut self, now: Time, grant: &Grant, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.window = self.congestion.on_grant(&mut cx, grant).window;
        self.ledger.grant(grant.upto.max(self.ledger.granted()), self.span());
    }

    /// The receiver asks for the first packets that it lacks, `psn` and those behind it, to be sent
    /// again. What is on its way, or was never sent, is not lost.
    pub fn on_resend(&mut self, now: Time, psn: Psn, events: &mut dyn Events) {
        let Some(plan) = self.congestion.grants() else { return };
        let before = Time(now.0.saturating_sub(plan.base_rtt.0));
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_resend(&mut cx, psn, before, &mut self.ledger);
        self.report_losses(now, events);
    }
}

/// REPS spec 2.6: all unmarked entropies since the previous ACK in order of arrival, but for the
/// trigger of the ACK, which comes last also when it was marked itself.
#[cold]
fn carried(log: &Arrivals, upto: u32, mut tell: impl FnMut(Entropy)) {
    let mut first = upto - 1;
    while first > 0 && log.get(first - 1).is_some_and(|before| !before.acked_here) {
        first -= 1;
    }
    let arrivals = (first..upto - 1).filter_map(|position| log.get(position));
    arrivals.filter(|arrival| !arrival.marked).for_each(|arrival| tell(arrival.entropy));
}
