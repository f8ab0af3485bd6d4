//! Selective acknowledgement: the receiver takes packets in any order and says which arrived.
//!
//! Per-packet or coalesced ACKs, a NACK for each trimmed header, one retransmission timeout per
//! packet counted from its last transmission, and an optional reorder threshold. Coalescing
//! follows the REPS spec, section 2.6: an ACK after every `ack_every` packets, and at once for the
//! first packet of a message, a marked packet, a duplicate, a packet sent again, and a packet on
//! which the sender asks for one (its last, or the one that fills its window).

use super::{AckEntropies, Recovery};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, Receiver};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes sack` says.
pub const CARD: Card = Card {
    name: "sack",
    title: "Selective acknowledgement",
    paper: "Mathis et al., RFC 2018 (1996); coalescing as in REPS, EuroSys 2026, section 4.5.1",
    needs: &[],
    summary: "Any order at the receiver, bitmap ACKs, timeout per packet, NACK on trim.",
};

crate::parameters! {
    /// Parameters of `sack`.
    pub struct Config {
        /// Retransmission timeout; `auto` is the fabric's longest unloaded round trip plus the
        /// time to drain 4 full queues.
        pub rto: Option<Span> = None;
        /// Packets per ACK.
        pub ack_every: u32 = 1, in 1..=1024;
        /// What a coalesced ACK tells of entropies: `trigger` or `carry`.
        pub ack_entropies: AckEntropies = AckEntropies::Trigger;
        /// Packets missing while a packet more than this far ahead has arrived are sent again, at
        /// most once per unloaded round trip; `auto` is never.
        pub reorder_threshold: Option<u32> = None;
    }
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct Sack {
    ack_every: u32,
    ack_entropies: AckEntropies,
    reorder_threshold: Option<u32>,
    base_rtt: Span,
    rto: Span,
    /// Receiver: packets since the last ACK.
    unacked: u32,
}

impl Sack {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        Self {
            ack_every: config.ack_every,
            ack_entropies: config.ack_entropies,
            reorder_threshold: config.reorder_threshold,
            base_rtt: context.base_rtt,
            rto: config.rto.unwrap_or(context.rto),
            unacked: 0,
        }
    }
}

impl Recovery for Sack {
    /// LB study spec, 3.2.2: if highest acknowledged - lowest missing > x, all missing below the
    /// highest are sent again, each at most once per zero-load round trip.
    #[inline]
    fn on_ack(&mut self, cx: &mut Cx<'_>, ledger: &mut Ledger) {
        if let Some(threshold) = self.reorder_threshold {
            let highest = ledger.high().saturating_sub(1);
            if highest > ledger.low() && highest - ledger.low() > threshold {
                let before = Time(cx.now.0.saturating_sub(self.base_rtt.0));
                ledger.declare_lost_below(Psn(highest), before, LossCause::Reordering);
            }
        }
    }

    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        ledger.declare_lost(psn, LossCause::Trim);
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        ledger.declare_lost(psn, LossCause::Timeout);
    }

    #[inline]
    fn on_data(&mut self, data: &Data, fresh: bool, receiver: &mut Receiver) -> Reply {
        if data.trimmed {
            return if receiver.has(data.psn) { Reply::Ack } else { Reply::Nack };
        }
        self.unacked += 1;
        let at_once = !fresh
            || data.marked
            || data.again
            || data.ack_request
            || data.psn.0 == 0
            || self.unacked >= self.ack_every;
        if at_once {
            self.unacked = 0;
            Reply::Ack
        } else {
            Reply::Nothing
        }
    }

    fn ack_entropies(&self) -> AckEntropies {
        self.ack_entropies
    }

    fn rto(&self) -> Span {
        self.rto
    }

    fn offers(&self, need: Need) -> bool {
        match need {
            Need::OutOfOrder => true,
            Need::PacketAcks => self.ack_every == 1,
            _ => false,
        }
    }
}
