//! Go-back-N: the receiver keeps packets in order alone, and a gap sends everything again.
//!
//! Ethereal, section 3.2 (algorithm 3), and its spec, 2.7 to 2.9: a packet beyond the expected one is
//! thrown away and answered with a NACK that carries the expected number; then the receiver stays mute
//! about gaps for a round trip, so that what is in flight causes no storm of NACKs. The sender goes
//! back to the expected packet. A packet below the expected one is acknowledged again and thrown away.
//!
//! Reading, where the paper is silent:
//! - The round trip of the mute is the unloaded one of the flow. RoCE NICs as the PowerTCP study
//!   simulates them are mute for 500 us, but about the same expected packet only (`mute_about`).
//! - The timeout is of the flow: it starts anew when the first unacknowledged packet changes, and does
//!   not double.
//! - The header of a trimmed packet says nothing.
//! - All packets of a go-back are one loss for the congestion control. A NACK is no verdict on a path.

use super::flow_timer::{FlowTimer, by_flow_timer};
use super::{AckEntropies, AckForm, AckNews, Recovery, Resend};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes go_back_n` says.
pub const CARD: Card = Card {
    name: "go_back_n",
    title: "Go-back-N",
    paper: "Ethereal (Addanki, thesis 2025, chapter 3), section 3.2; RoCE",
    needs: &[],
    summary: "Receivers keep packets in order alone; a gap sends everything again. For one path per \
              flow, best without loss.",
};

crate::words! {
    /// What a receiver that has sent a NACK is mute about.
    pub enum MuteAbout {
        /// Any gap.
        Flow = "flow",
        /// A gap before the same expected packet.
        Packet = "packet",
    }
}

crate::parameters! {
    /// Parameters of `go_back_n`.
    pub struct Config {
        /// Timeout of a flow, from the last time that its first unacknowledged packet changed.
        pub rto: Span = Span::ms(1), in Span(1)..;
        /// How long a receiver sends no other NACK after one; `auto` is the unloaded round trip of its
        /// flow.
        pub mute: Option<Span> = None;
        /// What it is mute about: `flow`, any gap, or `packet`, one before the same packet.
        pub mute_about: MuteAbout = MuteAbout::Flow;
    }
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct GoBackN {
    timer: FlowTimer,
    mute: Span,
    mute_about: MuteAbout,
    /// Receiver: the last NACK, and what it asked for.
    nacked: Option<(Time, Psn)>,
}

impl GoBackN {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let Config { rto, mute, mute_about } = *config;
        let mute = mute.unwrap_or(context.base_rtt);
        Self { timer: FlowTimer::new(rto, Resend::GoBack), mute, mute_about, nacked: None }
    }

    fn is_mute(&self, now: Time, expected: Psn) -> bool {
        self.nacked.is_some_and(|(at, psn)| {
            now < at + self.mute && (self.mute_about == MuteAbout::Flow || psn == expected)
        })
    }
}

impl Recovery for GoBackN {
    by_flow_timer!();

    /// Spec 2.7, step 2. A NACK that was overtaken by what it asks for says nothing.
    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        if psn.0 == ledger.low() {
            self.timer.hold(ledger);
            ledger.declare_all_lost(LossCause::Nack);
        }
    }

    /// Spec 2.9, steps 3 and 4.
    #[inline]
    fn on_data(&mut self, data: &Data, _fresh: bool, arrived: &PacketSet) -> Reply {
        if data.trimmed {
            return Reply::Nothing;
        }
        let expected = Psn(arrived.low());
        if data.psn < expected {
            return Reply::AckExpected;
        }
        if self.is_mute(data.at, expected) {
            return Reply::Nothing;
        }
        self.nacked = Some((data.at, expected));
        Reply::NackExpected
    }

    #[inline]
    fn accepts(&self, data: &Data, arrived: &PacketSet) -> bool {
        data.psn.0 == arrived.low()
    }

    fn ack_form(&self) -> AckForm {
        AckForm::Expected { span: u32::MAX }
    }

    fn offers(&self, _need: Need) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Ends, Told};
    use super::*;

    fn ends(packets: u32, config: Config) -> Ends {
        Ends::new(packets, super::super::Config::GoBackN(config))
    }

    #[test]
    fn a_gap_throws_away_what_follows_and_sends_it_again() {
        let mut ends = ends(6, Config::default());
        assert_eq!(ends.send().len(), 6);
        assert_eq!(ends.arrive(0), Told::Ack(1));
        assert_eq!(ends.arrive(2), Told::Nack(1));
        assert!(!ends.receiver.arrived().has(Psn(2)));
        assert_eq!([ends.arrive(3), ends.arrive(4), ends.arrive(5)], [Told::Nothing; 3]);
        ends.nack(1);
        assert_eq!(ends.sender.heard(), 1);
        assert_eq!(ends.send(), [1, 2, 3, 4, 5]);
        for psn in 1..6 {
            assert_eq!(ends.arrive(psn), Told::Ack(psn + 1));
        }
        assert_eq!(ends.arrive(3), Told::Ack(6), "a duplicate");
        ends.ack(6);
        assert!(ends.sender.complete());
    }

    /// 8 us are the unloaded round trip of these flows.
    #[test]
    fn a_receiver_is_mute_for_a_round_trip() {
        let at = |us: u64| Time::ZERO + Span::us(us);
        let mut by_flow = ends(9, Config::default());
        let mut by_packet = ends(9, Config { mute_about: MuteAbout::Packet, ..Config::default() });
        let course = [
            (0, 1, Told::Nack(0), Told::Nack(0)),
            (7, 2, Told::Nothing, Told::Nothing),
            (7, 0, Told::Ack(1), Told::Ack(1)),
            (7, 3, Told::Nothing, Told::Nack(1)),
            (8, 3, Told::Nack(1), Told::Nothing),
            (15, 3, Told::Nothing, Told::Nack(1)),
            (16, 3, Told::Nack(1), Told::Nothing),
        ];
        for (us, psn, flow, packet) in course {
            (by_flow.now, by_packet.now) = (at(us), at(us));
            assert_eq!(
                (by_flow.arrive(psn), by_packet.arrive(psn)),
                (flow, packet),
                "{psn} at {us}"
            );
        }
    }

    #[test]
    fn the_timeout_goes_back_too() {
        let mut ends = ends(4, Config::default());
        ends.send();
        ends.ack(2);
        ends.now = Time::ZERO + Span::ms(1);
        assert_eq!(ends.sender.on_timeout(ends.now, &mut ()), 1);
        assert_eq!(ends.send(), [2, 3]);
    }
}
