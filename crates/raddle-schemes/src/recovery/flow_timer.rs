//! The timer of a flow whose packets have one between them, as a queue pair of an RNIC has.

use super::Resend;
use crate::congestion::LossCause;
use crate::ids::Psn;
use crate::transport::Ledger;
use crate::units::{Span, Time};

/// Runs while anything is unacknowledged, from the first packet that leaves after everything had been
/// acknowledged. It starts anew when the first unacknowledged packet becomes another one, and when it
/// has run out; neither an ACK that brings nothing new nor a retransmission puts it off.
#[derive(Clone, Debug)]
pub(super) struct FlowTimer {
    rto: Span,
    resend: Resend,
    /// When it last started anew.
    since: Time,
    /// The first unacknowledged packet at that time.
    una: u32,
}

impl FlowTimer {
    pub(super) fn new(rto: Span, resend: Resend) -> Self {
        Self { rto, resend, since: Time::ZERO, una: 0 }
    }

    pub(super) fn rto(&self) -> Span {
        self.rto
    }

    /// What has arrived was entered.
    #[inline]
    pub(super) fn on_ack(&mut self, now: Time, ledger: &Ledger) {
        if ledger.low() > self.una {
            self.una = ledger.low();
            self.since = now;
        }
    }

    /// Packets are about to be sent again: the timer goes on from where it began.
    pub(super) fn hold(&mut self, ledger: &Ledger) {
        self.since = self.began(ledger);
    }

    /// It has run out, of `una`: it starts anew, and what it is to send again is lost.
    pub(super) fn run_out(&mut self, now: Time, una: Psn, ledger: &mut Ledger) {
        self.since = now;
        match self.resend {
            Resend::GoBack => ledger.declare_all_lost(LossCause::Timeout),
            Resend::Single => ledger.declare_lost(una, LossCause::Timeout),
        };
    }

    /// When it runs out, and for which packet.
    pub(super) fn deadline(&self, ledger: &Ledger) -> Option<(Time, Psn)> {
        let low = ledger.low();
        (low < ledger.next()).then(|| (self.began(ledger) + self.rto, Psn(low)))
    }

    /// The first unacknowledged packet may have left after the last start.
    fn began(&self, ledger: &Ledger) -> Time {
        let sent = ledger.sent_once_at(Psn(ledger.low()));
        sent.map_or(self.since, |sent| sent.max(self.since))
    }
}

/// What all recoveries with such a timer have alike, within their `impl Recovery`: packets that are sent
/// again leave the timer as it is, and its end is a timeout (Themis's spec, 2.2, step 3; Ethereal's, 2.8).
macro_rules! by_flow_timer {
    () => {
        #[inline]
        fn on_ack(&mut self, cx: &mut Cx<'_>, _news: &AckNews, ledger: &mut Ledger) {
            self.timer.on_ack(cx.now, ledger);
        }

        fn on_resend(&mut self, _cx: &mut Cx<'_>, psn: Psn, before: Time, ledger: &mut Ledger) {
            self.timer.hold(ledger);
            ledger.declare_run_lost(psn, before, LossCause::Nack);
        }

        fn on_timeout(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
            self.timer.run_out(cx.now, psn, ledger);
            true
        }

        fn ack_entropies(&self) -> AckEntropies {
            AckEntropies::Trigger
        }

        fn rto(&self) -> Span {
            self.timer.rto()
        }

        fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
            self.timer.deadline(ledger)
        }
    };
}
pub(super) use by_flow_timer;
