//! Selective acknowledgement: the receiver takes packets in any order and says which arrived.
//!
//! Per-packet or coalesced ACKs, a NACK for each trimmed header, one retransmission timeout per
//! packet counted from its last transmission, and an optional reorder threshold. Coalescing
//! follows the REPS spec, section 2.6: an ACK after every `ack_every` packets, and at once for the
//! first packet of a message, a marked packet, a duplicate, a packet sent again, and a packet on
//! which the sender asks for one (its last, or the one that fills its window). As in the REPS
//! artifact and in UET, a request is answered a second time, by the packet that closes the last gap:
//! without it, packets that the requesting one overtook could wait for the timeout.

use super::{AckEntropies, AckNews, Recovery};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;

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
        pub rto: Option<Span> = None, in Span(1)..;
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
    constants: Arc<Constants>,
    /// Receiver: packets since the last ACK.
    unacked: u32,
    /// Receiver: an ACK was asked for, and packets before that one may still be missing.
    requested: bool,
    /// Asked for at every ACK. Its unused values tell the schemes of the family apart.
    ack_entropies: AckEntropies,
}

/// What flows across equally long paths share.
#[derive(Debug)]
struct Constants {
    ack_every: u32,
    reorder_threshold: Option<u32>,
    base_rtt: Span,
    rto: Span,
}

impl Sack {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let constants = Constants {
            ack_every: config.ack_every,
            reorder_threshold: config.reorder_threshold,
            base_rtt: context.base_rtt,
            rto: config.rto.unwrap_or(context.rto),
        };
        let ack_entropies = config.ack_entropies;
        Self { constants: Arc::new(constants), unacked: 0, requested: false, ack_entropies }
    }
}

impl Recovery for Sack {
    /// LB study spec, 3.2.2: if highest acknowledged - lowest missing > x, all missing below the
    /// highest are sent again, each at most once per zero-load round trip.
    #[inline]
    fn on_ack(&mut self, cx: &mut Cx<'_>, _news: &AckNews, ledger: &mut Ledger) {
        if let Some(threshold) = self.constants.reorder_threshold {
            let highest = ledger.high().saturating_sub(1);
            if highest > ledger.low() && highest - ledger.low() > threshold {
                let before = Time(cx.now.0.saturating_sub(self.constants.base_rtt.0));
                ledger.declare_lost_below(Psn(highest), before, LossCause::Reordering);
            }
        }
    }

    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        ledger.declare_lost(psn, LossCause::Trim);
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        ledger.declare_lost(psn, LossCause::Timeout);
        true
    }

    #[inline]
    fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply {
        if data.trimmed {
            return if arrived.has(data.psn) { Reply::Ack } else { Reply::Nack };
        }
        self.unacked += 1;
        self.requested |= data.ack_request;
        let no_gap = arrived.low() == arrived.count();
        let answer = self.requested && no_gap;
        self.requested &= !no_gap;
        let at_once = self.unacked >= self.constants.ack_every
            || !fresh
            || data.marked
            || data.again
            || data.ack_request
            || answer
            || data.psn.0 == 0;
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
        self.constants.rto
    }

    fn offers(&self, need: Need) -> bool {
        match need {
            Need::OutOfOrder => true,
            Need::PacketAcks => self.constants.ack_every == 1,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Entropy;
    use crate::rng::Rng;
    use crate::units::Bytes;
    use std::vec::Vec;

    /// Eight packets, sent a microsecond apart from time zero on.
    fn ledger() -> Ledger {
        let mut ledger = Ledger::new(20, Bytes(100), Bytes(100));
        (0..8).for_each(|psn| {
            ledger.sent(Time::ZERO + Span::us(psn), Psn(psn as u32), Entropy(psn as u16));
        });
        ledger
    }

    fn ack(sack: &mut Sack, ledger: &mut Ledger, now: Time, psn: u32) {
        ledger.acked(Psn(psn));
        let news = AckNews { bytes: Bytes(100), ..AckNews::NOTHING };
        let mut cx = Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        sack.on_ack(&mut cx, &news, ledger);
    }

    /// What was found lost since this was last asked; packets have their numbers for entropies.
    fn lost(ledger: &mut Ledger) -> Vec<(Entropy, LossCause)> {
        let lost = ledger.unreported().unwrap_or_default();
        lost.iter().map(|lost| (lost.entropy, lost.cause)).collect()
    }

    #[test]
    fn a_packet_overtaken_by_more_than_the_threshold_is_lost_once_per_round_trip() {
        let config = Config { reorder_threshold: Some(3), ..Default::default() };
        let context = FlowContext::NOMINAL;
        let mut sack = Sack::new(&config, &context);
        let mut ledger = ledger();
        let now = Time::ZERO + context.base_rtt;
        (1..4).for_each(|psn| ack(&mut sack, &mut ledger, now, psn));
        assert_eq!(lost(&mut ledger), [], "3 ahead is not more than 3");
        ack(&mut sack, &mut ledger, now, 4);
        let first = (Entropy(0), LossCause::Reordering);
        assert_eq!(lost(&mut ledger), [first]);
        ledger.sent(now, Psn(0), Entropy(0));
        ack(&mut sack, &mut ledger, Time(now.0 + context.base_rtt.0 - 1), 5);
        assert_eq!(lost(&mut ledger), [], "its ACK cannot be here yet");
        ack(&mut sack, &mut ledger, now + context.base_rtt, 6);
        assert_eq!(lost(&mut ledger), [first]);
    }

    #[test]
    fn a_request_is_answered_again_when_what_it_overtook_is_there() {
        let config = Config { ack_every: 16, ..Default::default() };
        let mut sack = Sack::new(&config, &FlowContext::NOMINAL);
        let mut arrived = PacketSet::new(6);
        let mut reply = |psn, ack_request| {
            arrived.insert(Psn(psn));
            let entropy = Entropy(0);
            let (marked, trimmed, again) = (false, false, false);
            let data = Data {
                at: Time::ZERO,
                psn: Psn(psn),
                entropy,
                marked,
                trimmed,
                again,
                ack_request,
            };
            sack.on_data(&data, true, &arrived)
        };
        assert_eq!(reply(0, false), Reply::Ack);
        assert_eq!(reply(4, true), Reply::Ack);
        assert_eq!([reply(1, false), reply(3, false)], [Reply::Nothing; 2]);
        assert_eq!(reply(2, false), Reply::Ack, "no gap is left");
        assert_eq!(reply(5, false), Reply::Nothing, "the request is answered");
    }

    #[test]
    fn without_a_threshold_order_says_nothing() {
        let mut sack = Sack::new(&Config::default(), &FlowContext::NOMINAL);
        let mut ledger = ledger();
        (1..8).for_each(|psn| ack(&mut sack, &mut ledger, Time::ZERO + Span::ms(1), psn));
        assert_eq!(lost(&mut ledger), []);
    }
}
