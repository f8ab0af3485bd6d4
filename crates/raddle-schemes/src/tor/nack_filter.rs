//! A filter in front of senders that lets a share of the NACKs through: what the motivation of
//! Themis does with a programmable switch (EuroSys 2026, section 2.2, Figure 2).

use super::{Kind, Packet, Side, TorContext, TorHook, Verdict, Ways};
use crate::probe::Probes;
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes nack_filter` says.
pub const CARD: Card = Card {
    name: "nack_filter",
    title: "NACK filter",
    paper: "Themis, EuroSys 2026, section 2.2 (Figure 2)",
    needs: &[],
    summary: "The sender's ToR lets this share of the NACKs pass and drops the others. Shows what \
              needless NACKs cost.",
};

crate::parameters! {
    /// Parameters of the filter.
    pub struct Config {
        /// The share of NACKs that pass; each is drawn by itself.
        pub pass: f64 = 0.0, in 0.0..=1.0;
    }
}

/// One ToR's filter.
#[derive(Clone, Debug, Serialize)]
pub struct NackFilter {
    pass: f64,
    /// How many it has dropped.
    blocked: u64,
}

impl NackFilter {
    /// A filter with these parameters.
    pub fn new(config: &Config, _context: &TorContext) -> Self {
        Self { pass: config.pass, blocked: 0 }
    }
}

impl TorHook for NackFilter {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("blocked", self.blocked);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        _: &dyn Ways,
    ) -> Verdict {
        let comes_back = p.kind == Kind::Nack && !p.forward && from == Side::Fabric;
        let blocks = comes_back && cx.rng.unit() >= self.pass;
        self.blocked += u64::from(blocks);
        if blocks { Verdict::Drop } else { Verdict::Pass }
    }
}
