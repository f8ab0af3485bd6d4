//! The selective repeat of commodity RDMA NICs: a NACK at the first packet out of order.
//!
//! Themis, section 2, and its spec, 2.1 and 2.2. The receiver takes packets in any order into a
//! bitmap and acknowledges cumulatively. The first packet beyond the expected one is answered with a
//! NACK that carries nothing but the expected number, at most once for each expected number. On a NACK
//! the sender sends two packets again: the expected one and the newest. The second arrives out of order
//! wherever a hole is left, so that the receiver asks for the next one; mostly it is a duplicate.
//!
//! Reading, where the paper is silent:
//! - A packet below the expected one is acknowledged again, without a change of state.
//! - "The packet sent last" is the one with the highest number, even if another was sent again since.
//! - The timer of a flow starts anew only when the first unacknowledged packet changes: duplicate
//!   ACKs and retransmissions do not put it off. When it runs out, everything unacknowledged goes again
//!   (`resend`).
//! - The header of a trimmed packet says nothing: these NICs know of no trimming.
//! - What is sent again waits for the congestion control's pace and window as any packet does, but the
//!   first unacknowledged packet only for its pace: no ACK can tell of those in flight before it.
//! - Both packets of a NACK are one loss for the congestion control, and so is all that a timeout
//!   sends again. A NACK is no verdict on a path: most often the packet is merely late.

use super::flow_timer::{FlowTimer, by_flow_timer};
use super::{AckEntropies, AckForm, AckNews, Recovery, Resend};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes rnic_sr` says.
pub const CARD: Card = Card {
    name: "rnic_sr",
    title: "Selective repeat of commodity RNICs",
    paper: "Themis, EuroSys 2026, section 2: RNIC-SR",
    needs: &[],
    summary: "Cumulative ACKs, a NACK at the first packet out of order, and a timeout of \
              milliseconds. What RDMA NICs do; spraying misleads it.",
};

crate::parameters! {
    /// Parameters of `rnic_sr`.
    pub struct Config {
        /// Timeout of a flow, from the last time that its first unacknowledged packet changed.
        pub rto: Span = Span::ms(4), in Span(1)..;
        /// What a timeout sends again: `go_back`, all that is unacknowledged, or `single`, the first
        /// unacknowledged packet.
        pub resend: Resend = Resend::GoBack;
        /// Most packets from the first unacknowledged one to the newest, both included.
        pub window: u32 = 512, in 1..;
    }
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct RnicSr {
    timer: FlowTimer,
    window: u32,
    /// Receiver: whether a NACK was sent for the expected packet.
    nacked: bool,
}

impl RnicSr {
    /// State of one end of a flow.
    pub fn new(config: &Config, _context: &FlowContext) -> Self {
        let Config { rto, resend, window } = *config;
        Self { timer: FlowTimer::new(rto, resend), window, nacked: false }
    }
}

impl Recovery for RnicSr {
    by_flow_timer!();

    /// Spec 2.2, step 2. A NACK that was overtaken by what it asks for says nothing.
    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        if psn.0 == ledger.low() && psn.0 < ledger.next() {
            self.timer.hold(ledger);
            let newest = Psn(ledger.next() - 1);
            ledger.declare_lost_together([psn, newest], LossCause::Nack);
        }
    }

    /// Spec 2.1. A packet that is new and lies below the present expected one was the expected one.
    #[inline]
    fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply {
        if data.trimmed {
            return Reply::Nothing;
        }
        if data.psn.0 < arrived.low() {
            self.nacked &= !fresh;
            return Reply::AckExpected;
        }
        if core::mem::replace(&mut self.nacked, true) {
            Reply::Nothing
        } else {
            Reply::NackExpected
        }
    }

    fn ack_form(&self) -> AckForm {
        AckForm::Expected { span: self.window }
    }

    fn offers(&self, need: Need) -> bool {
        need == Need::OutOfOrder
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Ends, Told};
    use super::*;
    use std::vec::Vec;

    fn ends(packets: u32, config: Config) -> Ends {
        Ends::new(packets, super::super::Config::RnicSr(config))
    }

    /// Item 11 of the spec's acceptance list.
    #[test]
    fn a_receiver_nacks_each_expected_packet_at_most_once() {
        let mut ends = ends(20, Config::default());
        let told: Vec<_> = [0, 2, 3, 1, 5].map(|psn| ends.arrive(psn)).into();
        let expected = [Told::Ack(1), Told::Nack(1), Told::Nothing, Told::Ack(4), Told::Nack(4)];
        assert_eq!(told, expected);
        assert_eq!(ends.arrive(6), Told::Nothing, "once");
        assert_eq!(ends.arrive(2), Told::Ack(4), "a duplicate is acknowledged again");
        assert_eq!(ends.arrive(4), Told::Ack(7));
    }

    /// The same item: at NACK 4 with 9 as the next new packet go 4 and 8.
    #[test]
    fn a_nack_brings_the_expected_packet_and_the_newest() {
        let mut ends = ends(9, Config::default());
        assert_eq!(ends.send(), (0..9).collect::<Vec<_>>());
        ends.nack(4);
        assert_eq!(ends.send(), [4, 8]);
        assert_eq!(ends.sender.heard(), 4, "a NACK acknowledges what lies below");
        ends.nack(4);
        assert_eq!(ends.send(), [4, 8], "one NACK, one pair");
        ends.ack(9);
        ends.nack(4);
        assert_eq!(ends.send(), [], "one that was overtaken says nothing");
        assert!(ends.sender.complete());
    }

    #[test]
    fn a_nack_for_the_newest_packet_brings_one() {
        let mut ends = ends(1, Config::default());
        assert_eq!(ends.send(), [0]);
        ends.nack(0);
        assert_eq!(ends.send(), [0]);
    }

    /// The second of the two packets finds the next hole: a round trip for each, no timeout.
    #[test]
    fn each_hole_costs_a_round_trip() {
        let mut ends = ends(12, Config::default());
        ends.send();
        let lost = [2, 5, 8];
        let mut told: Vec<Told> =
            (0..12).filter(|psn| !lost.contains(psn)).map(|psn| ends.arrive(psn)).collect();
        for hole in lost {
            let nacks: Vec<Told> =
                told.iter().copied().filter(|told| matches!(told, Told::Nack(_))).collect();
            assert_eq!(nacks, [Told::Nack(hole)]);
            ends.nack(hole);
            told = ends.send().into_iter().map(|psn| ends.arrive(psn)).collect();
        }
        assert_eq!(told, [Told::Ack(12), Told::Ack(12)]);
    }

    #[test]
    fn the_window_spans_from_the_first_unacknowledged_packet() {
        let mut ends = ends(2_000, Config::default());
        assert_eq!(ends.send().len(), 512);
        ends.ack(3);
        assert_eq!(ends.send(), [512, 513, 514]);
        ends.nack(3);
        assert_eq!(ends.send(), [3, 514], "sent again within the window");
    }

    /// Spec 2.2, steps 1 and 3.
    #[test]
    fn only_a_new_first_packet_puts_the_timeout_off() {
        let at = |us: u64| Time::ZERO + Span::us(us);
        for (resend, expected) in [(Resend::GoBack, &[2, 3, 4][..]), (Resend::Single, &[2])] {
            let mut ends = ends(5, Config { resend, ..Config::default() });
            ends.now = at(1);
            ends.send();
            assert_eq!(ends.sender.poll_timeout(), Some(at(4_001)));
            ends.now = at(10);
            ends.ack(2);
            assert_eq!(ends.sender.poll_timeout(), Some(at(4_010)));
            ends.now = at(50);
            ends.ack(2);
            ends.nack(2);
            assert_eq!(ends.send(), [2, 4], "what was sent again does not, either");
            assert_eq!(ends.sender.poll_timeout(), Some(at(4_010)));
            ends.now = at(4_010);
            assert_eq!(ends.sender.on_timeout(ends.now, &mut ()), 1);
            assert_eq!(ends.send(), expected);
            assert_eq!(ends.sender.poll_timeout(), Some(at(8_010)));
            ends.ack(5);
            assert_eq!(ends.sender.poll_timeout(), None);
        }
    }

    #[test]
    fn a_header_says_nothing() {
        let mut ends = ends(5, Config::default());
        assert_eq!(ends.arrive_trimmed(1), Told::Nothing);
        assert_eq!(ends.arrive(1), Told::Nack(0), "none was sent yet");
    }
}
