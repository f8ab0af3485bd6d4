//! Timeout only: the selective repeat of RNICs with every NACK suppressed.
//!
//! Themis, section 6, and its spec, 2.3: bitmap and ACKs as in [`rnic_sr`](super::rnic_sr), but no
//! NACK is ever sent, and only the timeout repairs a loss. Spraying cannot mislead it, and each loss
//! costs milliseconds.

use super::flow_timer::{FlowTimer, by_flow_timer};
use super::{AckEntropies, AckForm, AckNews, Recovery};
use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes timeout_only` says.
pub const CARD: Card = Card {
    name: "timeout_only",
    title: "RNICs without NACKs",
    paper: "Themis, EuroSys 2026, section 6: timeout-only recovery",
    needs: &[],
    summary: "RNICs whose NACKs never arrive: reordering does no harm, and each loss costs a \
              timeout.",
};

/// They are those of the NIC whose NACKs are kept back.
pub use super::rnic_sr::Config;

/// One end's state.
#[derive(Clone, Debug)]
pub struct TimeoutOnly {
    timer: FlowTimer,
    window: u32,
}

impl TimeoutOnly {
    /// State of one end of a flow.
    pub fn new(config: &Config, _context: &FlowContext) -> Self {
        let Config { rto, resend, window } = *config;
        Self { timer: FlowTimer::new(rto, resend), window }
    }
}

impl Recovery for TimeoutOnly {
    by_flow_timer!();

    /// Its receivers send none; one of somebody else's acknowledges what lies below its number.
    fn on_nack(&mut self, _cx: &mut Cx<'_>, _psn: Psn, _ledger: &mut Ledger) {}

    #[inline]
    fn on_data(&mut self, data: &Data, _fresh: bool, arrived: &PacketSet) -> Reply {
        let below = !data.trimmed && data.psn.0 < arrived.low();
        if below { Reply::AckExpected } else { Reply::Nothing }
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

    #[test]
    fn order_says_nothing_and_a_loss_waits_for_the_timeout() {
        let mut ends = Ends::new(6, super::super::Config::TimeoutOnly(Config::default()));
        assert_eq!(ends.send().len(), 6);
        assert_eq!(ends.arrive(0), Told::Ack(1));
        for psn in [3, 2, 5, 4, 3] {
            assert_eq!(ends.arrive(psn), Told::Nothing, "{psn}");
        }
        ends.ack(1);
        ends.nack(1);
        assert_eq!(ends.send(), [], "no NACK moves it");
        ends.now = Time::ZERO + Span::ms(4);
        assert_eq!(ends.sender.on_timeout(ends.now, &mut ()), 1);
        assert_eq!(ends.send(), [1, 2, 3, 4, 5]);
        assert_eq!(ends.arrive(1), Told::Ack(6));
        ends.ack(6);
        assert!(ends.sender.complete());
    }
}
