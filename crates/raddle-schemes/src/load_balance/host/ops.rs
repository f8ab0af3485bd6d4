//! OPS: oblivious packet spraying, also known as random packet spraying.
//!
//! Each packet takes an entropy drawn uniformly at random; feedback is ignored. It spreads load
//! well on a healthy symmetric fabric and is blind to slow or failed paths, which makes it the
//! baseline every adaptive sprayer has to beat.

use super::{Outgoing, PathSelector};
use crate::family::Need;
use crate::ids::Entropy;
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

/// What `raddle schemes ops` says.
pub const CARD: Card = Card {
    name: "ops",
    title: "Oblivious packet spraying",
    paper: "Dixit et al., On the impact of packet spraying in data center networks, INFOCOM 2013",
    needs: &[Need::OutOfOrder],
    summary: "Every packet takes a uniformly random entropy. Spreads well, blind to trouble. \
              The load-balancing study's HOST PKT.",
};

crate::parameters! {
    /// Parameters of OPS.
    pub struct Config {
        /// How many entropy values there are to draw from (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
    }
}

/// One flow's sprayer: nothing but its parameter.
#[derive(Clone, Debug, Serialize)]
pub struct Ops {
    entropies: u32,
}

impl Ops {
    /// A sprayer over the configured entropies.
    pub fn new(config: &Config, _context: &FlowContext) -> Self {
        Self { entropies: config.entropies }
    }
}

impl PathSelector for Ops {
    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        Entropy(cx.rng.below(u64::from(self.entropies)) as u16)
    }
}
