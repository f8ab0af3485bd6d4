//! ECMP: one entropy per flow, for its life.

use super::{Outgoing, PathSelector};
use crate::ids::Entropy;
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

/// What `raddle schemes ecmp` says.
pub const CARD: Card = Card {
    name: "ecmp",
    title: "Equal-cost multi-path, one path per flow",
    paper: "Hopps, RFC 2992 (2000)",
    needs: &[],
    summary: "A flow keeps the entropy of its source host, hence one path. Packets stay in order. \
              The load-balancing study's FLOW.",
};

crate::parameters! {
    /// ECMP has no parameters.
    pub struct Config {}
}

/// One flow's fixed entropy.
#[derive(Clone, Debug, Serialize)]
pub struct Ecmp {
    entropy: Entropy,
}

impl Ecmp {
    /// The entropy is the source host's number (REPS spec, 4.1; switches hash the flow as well).
    pub fn new(_config: &Config, context: &FlowContext) -> Self {
        Self { entropy: Entropy(context.source.0 as u16) }
    }
}

impl PathSelector for Ecmp {
    fn begin(&mut self, context: &FlowContext) {
        *self = Self::new(&Config {}, context);
    }

    #[inline]
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.entropy
    }
}
