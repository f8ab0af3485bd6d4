//! MRC's recovery: packets in any order, one ACK a packet, and a packet counts as lost when about a
//! window of later ones has arrived.
//!
//! The receiver's half is that of `sack`, with a NACK for each trimmed header. A packet
//! is lost when x packets sent after its last transmission have been acknowledged, x being the smaller
//! of `gap_factor` windows and `gap_most`, and at least `gap_least`: the rule of the Ultra Ethernet
//! consortium's simulator. MRC's own is not published ("a few tens of microseconds", section 2.4 of the
//! paper). A packet with too few behind it waits for its timeout.

use super::sack::{self, Sack};
use super::{AckEntropies, AckNews, Recovery};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::size::{SOME, Size};
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Bytes, Span};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes mrc` says.
pub const CARD: Card = Card {
    name: "mrc",
    title: "MRC: selective repeat by gaps of a window",
    paper: "Multipath Reliable Connection (MRC), OCP specification 1.0 (2026); the rule for gaps is \
            that of the Ultra Ethernet consortium's simulator",
    needs: &[],
    summary: "As `sack`, and a packet is sent again when about a window of later ones has arrived. \
              For flows whose packets take many paths.",
};

crate::parameters! {
    /// Parameters of MRC's recovery.
    pub struct Config {
        /// Retransmission timeout; `auto` is that of `sack`.
        pub rto: Option<Span> = None, in Span(1)..;
        /// Windows of later packets that have to arrive before a packet counts as lost.
        pub gap_factor: f64 = 1.5, in 0.0..=1000.0;
        /// Later packets that have to arrive, however small the window is.
        pub gap_least: u32 = 5, in 1..;
        /// As many bytes of later packets are enough, however large the window is.
        pub gap_most: Size = Size::Bdp(1.5), in SOME;
    }
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct Mrc {
    sack: Sack,
    packet: u64,
    factor: f64,
    least: u32,
    most: Bytes,
}

impl Mrc {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sack = sack::Config { rto: config.rto, ..sack::Config::default() };
        Self {
            sack: Sack::new(&sack, context),
            packet: context.packet().0.max(1),
            factor: config.gap_factor,
            least: config.gap_least,
            most: config.gap_most.resolve(&context.sizes()),
        }
    }

    /// So many later packets have to arrive under a window.
    fn gap(&self, window: Bytes) -> u32 {
        let bytes = Bytes((self.factor * window.0 as f64) as u64).min(self.most);
        (bytes.0 / self.packet).min(u32::MAX.into()).max(self.least.into()) as u32
    }
}

impl Recovery for Mrc {
    #[inline]
    fn on_ack(&mut self, _cx: &mut Cx<'_>, news: &AckNews, ledger: &mut Ledger) {
        ledger.declare_overtaken(self.gap(news.window), LossCause::Reordering);
    }

    fn on_nack(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        self.sack.on_nack(cx, psn, ledger);
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        self.sack.on_timeout(cx, psn, ledger)
    }

    #[inline]
    fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply {
        self.sack.on_data(data, fresh, arrived)
    }

    fn ack_entropies(&self) -> AckEntropies {
        AckEntropies::Trigger
    }

    fn counts_overtaking(&self) -> bool {
        true
    }

    fn rto(&self) -> Span {
        self.sack.rto()
    }

    fn offers(&self, need: Need) -> bool {
        self.sack.offers(need)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Entropy;
    use crate::rng::Rng;
    use crate::units::Time;
    use alloc::vec::Vec;

    const PACKET: Bytes = Bytes(4160);

    fn at(us: u64) -> Time {
        Time::ZERO + Span::us(us)
    }

    /// A recovery whose largest window is 120 packets, and 300 packets sent a microsecond apart.
    fn sent() -> (Mrc, Ledger) {
        let config = Config { gap_most: Size::Packets(120.0), ..Config::default() };
        let mut ledger = Ledger::new(1000, PACKET, PACKET).counting_overtaking();
        (0..300).for_each(|psn| {
            ledger.sent(at(psn), Psn(psn as u32), Entropy(psn as u16));
        });
        (Mrc::new(&config, &FlowContext::NOMINAL), ledger)
    }

    /// An ACK for `psn` under a window of so many packets. Returns what it shows to be lost.
    fn ack(ends: &mut (Mrc, Ledger), psn: u32, window: u64) -> Vec<u16> {
        let (recovery, ledger) = ends;
        ledger.acked(Psn(psn));
        let window = Bytes(window * PACKET.0);
        let news = AckNews { window, ..AckNews::NOTHING };
        let mut cx = Cx { now: at(400), rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        recovery.on_ack(&mut cx, &news, ledger);
        let lost = ledger.unreported().unwrap_or_default();
        lost.iter().map(|lost| lost.entropy.0).collect()
    }

    /// Known answer 11.
    #[test]
    fn a_packet_is_lost_when_a_window_of_later_ones_has_arrived() {
        for (window, count) in [(100, 120), (2, 5), (4, 6)] {
            let mut ends = sent();
            for psn in 1..count {
                assert_eq!(ack(&mut ends, psn, window), [], "{psn} of {count}");
            }
            assert_eq!(ack(&mut ends, count, window), [0], "{count}");
        }
    }

    #[test]
    fn each_gap_counts_what_was_sent_behind_it() {
        let mut ends = sent();
        for psn in [1, 2, 3, 4] {
            assert_eq!(ack(&mut ends, psn, 1), []);
        }
        // 5 and 8 are missing, too.
        assert_eq!(ack(&mut ends, 6, 1), [0]);
        assert_eq!(ack(&mut ends, 7, 1), []);
        assert_eq!(ack(&mut ends, 9, 1), []);
        assert_eq!(ack(&mut ends, 10, 1), []);
        assert_eq!(ack(&mut ends, 11, 1), [5]);
        assert_eq!(ack(&mut ends, 12, 1), []);
        assert_eq!(ack(&mut ends, 13, 1), [8]);
    }

    /// What counts is what was sent after the last transmission.
    #[test]
    fn a_packet_sent_again_has_later_ones_of_its_own() {
        let mut ends = sent();
        (1..=4).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), []));
        assert_eq!(ack(&mut ends, 5, 1), [0]);
        ends.1.sent(at(410), Psn(0), Entropy(77));
        (6..100).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), [], "sent before it"));
        (300..306).for_each(|psn| {
            ends.1.sent(at(420), Psn(psn), Entropy(0));
        });
        let lost: Vec<Vec<u16>> = (100..300).map(|psn| ack(&mut ends, psn, 1)).collect();
        assert!(lost.iter().all(Vec::is_empty), "{lost:?}");
        (301..305).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), []));
        assert_eq!(ack(&mut ends, 305, 1), [77, 0], "and the one that left before the five");
    }
}
