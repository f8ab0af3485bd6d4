//! Recovery, both halves: an ACK for each packet, a NACK for each trimmed one, and a timeout that is a
//! multiple of the default.

use raddle_schemes::congestion::LossCause;
use raddle_schemes::family::{Card, Need, Plugin};
use raddle_schemes::ids::Psn;
use raddle_schemes::recovery::{AckEntropies, AckNews, Recovery};
use raddle_schemes::transport::{Data, Ledger, PacketSet, Reply};
use raddle_schemes::units::Span;
use raddle_schemes::{Cx, FlowContext};

static CARD: Card = Card {
    name: "patient",
    title: "Patient",
    paper: "none: an example",
    needs: &[],
    summary: "Sends again what is trimmed, and what is not heard of for long.",
};

raddle_schemes::parameters! {
    /// Parameters of `patient`.
    pub struct Config {
        /// How many default timeouts it waits.
        pub patience: u64 = 2, in 1..=100;
    }
}

struct Patient(Span);

impl Recovery for Patient {
    /// The ledger knows what has arrived; nothing follows from it.
    fn on_ack(&mut self, _cx: &mut Cx<'_>, _news: &AckNews, _ledger: &mut Ledger) {}

    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        ledger.declare_lost(psn, LossCause::Trim);
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        ledger.declare_lost(psn, LossCause::Timeout);
        true
    }

    fn on_data(&mut self, data: &Data, _fresh: bool, arrived: &PacketSet) -> Reply {
        if data.trimmed && !arrived.has(data.psn) { Reply::Nack } else { Reply::Ack }
    }

    fn ack_entropies(&self) -> AckEntropies {
        AckEntropies::Trigger
    }

    fn rto(&self) -> Span {
        self.0
    }

    fn offers(&self, need: Need) -> bool {
        matches!(need, Need::OutOfOrder | Need::PacketAcks)
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<FlowContext, dyn Recovery + Send> {
    Plugin::with(&CARD, |config: &Config, flow| {
        Box::new(Patient(Span(flow.rto.0 * config.patience)))
    })
}
