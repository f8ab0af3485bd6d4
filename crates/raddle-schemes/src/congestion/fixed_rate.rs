//! Fixed rate: the ideal congestion control of the load-balancing study.
//!
//! A slot is as long as a packet and the gap behind it take at the pace (spec 3.2: T'_d C / r).
//! At line rate nothing is paced: a NIC whose flows take turns packet by packet is the study's host
//! that cycles over its flows. Below line rate the first packets of a host's flows are spread over
//! the period, as if the host paced and cycled (spec 3.2); with `slots = "together"` flows that begin
//! together leave in bursts at line rate.
//!
//! A flow is never faster than its pace, and the pace never changes: the next packet leaves an interval after the start of the
//! last one. With `pacing = "slots"` the pace is the mean that the study's schedule has, one slot in
//! each round: a packet that its NIC made late leaves the next one's slot where it was.
//!
//! Reading: the study does not say whether a host that cycles takes its destinations in the same
//! order in each round. By default it does, which is what anchors flows to cores in the study's
//! corner case of OFAN; `slots = "shuffled"` draws an order for each round.

use super::{Ack, CongestionControl, Limits, Loss, Pacing, RHO_MAX};
use crate::family::{Conflict, Parameter, ParameterError, Raw, quoted};
use crate::size::{SOME, Size};
use crate::units::{Bytes, Rate, split_number};
use crate::{Card, Cx, FlowContext};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes fixed_rate` says.
pub const CARD: Card = Card {
    name: "fixed_rate",
    title: "Fixed rate",
    paper: "Load balancing for AI training (OFAN), section 3: ideal congestion control",
    needs: &[],
    summary: "A constant pace and an optional window; reacts to nothing.",
};

/// The pace of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Pace {
    /// Line rate, unpaced.
    Line,
    /// This rate.
    At(Rate),
    /// This many times [`RHO_MAX`], until the rate stands in its place.
    RhoMax(f64),
}

impl Parameter for Pace {
    const KIND: &'static str = Rate::KIND;
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::Text("auto") => Ok(Self::Line),
            Raw::Text(text) if text.ends_with(RHO_MAX) => rho_max_share(text).map(Self::RhoMax),
            other => Rate::read(other).map(Self::At).map_err(|error| match error {
                ParameterError::Value(expected) => ParameterError::Value(format!(
                    "{expected}; or `auto`, `{RHO_MAX}`, \"0.97 {RHO_MAX}\""
                )),
                other => other,
            }),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Line => "\"auto\"".to_string(),
            Self::At(rate) => rate.show(),
            Self::RhoMax(share) if *share == 1.0 => quoted(RHO_MAX),
            Self::RhoMax(share) => quoted(&format!("{share} {RHO_MAX}")),
        }
    }
}

/// How many times [`RHO_MAX`] a pace is that names it.
///
/// # Errors
/// If it is not one from 0.01 to 1: beyond that, flows cannot all keep the pace.
pub fn rho_max_share(text: &str) -> Result<f64, ParameterError> {
    if text == RHO_MAX {
        return Ok(1.0);
    }
    match split_number(text) {
        Ok((share, RHO_MAX)) if (0.01..=1.0).contains(&share) => Ok(share),
        _ => Err(ParameterError::Value(format!(
            "expected `{RHO_MAX}`, or a number from 0.01 to 1 before it, such as \
             \"0.97 {RHO_MAX}\""
        ))),
    }
}

crate::words! {
    /// Where the slots of a host's paced flows lie.
    pub enum Slots {
        /// Each flow's first packet leaves at its start.
        Together = "together",
        /// Spread over the period, in order of the flows of the host.
        Spread = "spread",
        /// Spread over the period, in an order drawn anew for each (spec 3.2, random order per
        /// round).
        Shuffled = "shuffled",
    }
}

crate::parameters! {
    /// Parameters of the fixed rate.
    pub struct Config {
        /// The pace; `auto` is line rate, unpaced; `rho_max` is what every flow can have at once
        /// when each is split equally over its shortest paths that faults leave; for flows that all
        /// begin together. `0.97 rho_max` leaves room for ACKs, which rho_max does not count.
        pub rate: Pace = Pace::Line;
        /// What a packet that leaves late does to those after it: `spacing`, the next one leaves an
        /// interval after the start of this one, so that no flow is ever faster than its pace; or
        /// `slots`, they keep their places on a grid, and a flow makes up at line rate for those
        /// that it missed while it waited for its NIC.
        pub pacing: Pacing = Pacing::Spacing;
        /// Where the slots of a host's flows lie: `spread` over a round, the time in which each flow
        /// of the host has one slot, so that the host sends at an even pace; `shuffled`, so spread in
        /// a new order in each round, drawn from the run's seed, whatever the traffic, with
        /// `pacing = "slots"`; or `together`, from each flow's start on.
        pub slots: Slots = Slots::Spread;
        /// At most this much in flight.
        pub window: Size = Size::Unlimited, in SOME;
    }
    conflicts by conflicts
}

/// Nothing is paced at line rate, and only a grid has slots that can change places.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let unpaced = config.rate == Pace::Line;
    let spaced = config.pacing == Pacing::Spacing;
    let idle = [
        (unpaced && !spaced, Conflict::Idle("pacing", "rate")),
        (unpaced && config.slots != Slots::Spread, Conflict::Idle("slots", "rate")),
        (!unpaced && spaced && config.slots == Slots::Shuffled, Conflict::Idle("slots", "pacing")),
    ];
    idle.into_iter().filter_map(|(is_idle, conflict)| is_idle.then_some(conflict)).collect()
}

/// The constant limits.
#[derive(Clone, Debug, Serialize)]
pub struct FixedRate {
    limits: Limits,
    pacing: Pacing,
    slots: Slots,
}

impl FixedRate {
    /// Limits resolved for one flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let window = Bytes(config.window.resolve(&context.sizes()).0.max(context.packet().0));
        let rate = match config.rate {
            Pace::Line | Pace::RhoMax(_) => None,
            Pace::At(rate) => Some(rate),
        };
        Self { limits: Limits { window, rate }, pacing: config.pacing, slots: config.slots }
    }
}

impl CongestionControl for FixedRate {
    fn on_ack(&mut self, _cx: &mut Cx<'_>, _ack: &Ack) {}
    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}
    fn limits(&self) -> Limits {
        self.limits
    }
    fn spreads_slots(&self) -> bool {
        self.slots != Slots::Together
    }
    fn shuffles_slots(&self) -> bool {
        self.slots == Slots::Shuffled && self.pacing == Pacing::Slots
    }
    fn pacing(&self) -> Pacing {
        self.pacing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Parameters;

    #[test]
    fn the_limits_are_those_given_and_hold_a_packet() {
        let limits = |window, rate: Option<Rate>| {
            let rate = rate.map_or(Pace::Line, Pace::At);
            let config = Config { rate, window, ..Default::default() };
            FixedRate::new(&config, &FlowContext::NOMINAL).limits()
        };
        let (window, rate) = (Bytes(4160), Some(Rate::gbps(37)));
        assert_eq!(limits(Size::Packets(0.5), rate), Limits { window, rate });
        let window = Bytes(600_000);
        assert_eq!(limits(Size::Bdp(1.5), None), Limits { window, rate: None });
    }

    #[test]
    fn a_pace_of_nothing_is_refused() {
        let mut config = Config::default();
        let refused = config.set("rate", Raw::Text("0 Gbps"));
        let expected = "expected a rate above 0 bps; or `auto`, `rho_max`, \"0.97 rho_max\"";
        assert_eq!(refused, Err(ParameterError::Value(expected.into())));
        assert_eq!(config.set("rate", Raw::Text("1 bps")), Ok(()));
        assert_eq!(config.rate, Pace::At(Rate(1)));
        let paces = [
            ("rho_max", Pace::RhoMax(1.0)),
            ("0.97 rho_max", Pace::RhoMax(0.97)),
            ("auto", Pace::Line),
        ];
        for (text, pace) in paces {
            assert_eq!(config.set("rate", Raw::Text(text)), Ok(()));
            assert_eq!((config.rate, config.rate.show()), (pace, quoted(text)));
        }
        for text in ["1.1 rho_max", "0.001 rho_max", "97% rho_max", "most rho_max", "-1 rho_max"] {
            let Err(ParameterError::Value(said)) = config.set("rate", Raw::Text(text)) else {
                panic!("{text} was taken");
            };
            assert!(said.contains("\"0.97 rho_max\""), "{said}");
        }
    }
}
