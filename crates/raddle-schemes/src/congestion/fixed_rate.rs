//! Fixed rate: the ideal congestion control of the load-balancing study.

use super::{Ack, CongestionControl, Limits, Loss};
use crate::size::Size;
use crate::units::{Bytes, Rate};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes fixed_rate` says.
pub const CARD: Card = Card {
    name: "fixed_rate",
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
pub struct FixedRate {
    limits: Limits,
}

impl FixedRate {
    /// Limits resolved for one flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let window = Bytes(config.window.resolve(&context.sizes()).0.max(context.packet().0));
        Self { limits: Limits { window, rate: config.rate } }
    }
}

impl CongestionControl for FixedRate {
    fn on_ack(&mut self, _cx: &mut Cx<'_>, _ack: &Ack) {}
    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}
    fn limits(&self) -> Limits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{ParameterError, Parameters, Raw};

    #[test]
    fn the_limits_are_those_given_and_hold_a_packet() {
        let limits =
            |window, rate| FixedRate::new(&Config { rate, window }, &FlowContext::NOMINAL).limits();
        let (window, rate) = (Bytes(4160), Some(Rate::gbps(37)));
        assert_eq!(limits(Size::Packets(0.5), rate), Limits { window, rate });
        let window = Bytes(600_000);
        assert_eq!(limits(Size::Bdp(1.5), None), Limits { window, rate: None });
    }

    #[test]
    fn a_pace_of_nothing_is_refused() {
        let mut config = Config::default();
        let refused = config.set("rate", Raw::Text("0 Gbps"));
        assert_eq!(refused, Err(ParameterError::Value("expected a rate above 0 bps".into())));
        assert_eq!(config.set("rate", Raw::Text("1 bps")), Ok(()));
        assert_eq!(config.rate, Some(Rate(1)));
    }
}
