//! Fixed rate: the ideal congestion control of the load-balancing study.

use super::{Ack, CongestionControl, Limits, Loss};
use crate::size::Size;
use crate::units::{Bytes, Rate};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes dctcp` says.
pub const CARD: Card = Card {
    name: "dctcp",
    title: "Fixed rate",
    paper: "Load balancing for AI training (OFAN), section 3: ideal congestion control",
    needs: &[],
    summary: "A constant pace and an optional window; reacts to nothing.",
};

crate::parameters! {
    /// Parameters of the fixed rate.
    pub struct Config {
        /// The pace; `auto` is line rate, unpaced.
        pub rate: Option<Rate> = None;
        /// At most this much in flight.
        pub window: Size = Size::Unlimited;
    }
}

/// The constant limits.
#[derive(Clone, Debug)]
pub struct Dctcp {
    limits: Limits,
}

impl Dctcp {
    /// Limits resolved for one flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let window = Bytes(config.window.resolve(&context.sizes()).0.max(context.packet().0));
        Self { limits: Limits { window, rate: config.rate } }
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, _cx: &mut Cx<'_>, _ack: &Ack) {}
    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}
    fn limits(&self) -> Limits {
        self.limits
    }
}
