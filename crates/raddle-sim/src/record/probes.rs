//! What schemes show of their state over time: what is asked for, and what is kept.

use raddle_schemes::ids::{FlowId, PortId, SwitchId};
use raddle_schemes::probe::Unit;
use raddle_schemes::units::{Span, Time};

/// What is kept of what schemes show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbePlan {
    /// Words ([`crate::plan::Plan::probes`]): of the flows that are followed, and of every switch.
    pub words: Vec<String>,
    /// The flows that are followed, in ascending order.
    pub flows: Vec<FlowId>,
    /// Width of a bucket of time, at whose end a number is told that has changed; zero tells it at each
    /// instant.
    pub every: Span,
}

/// What a number is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The sender of a flow, with its parts.
    Flow(FlowId),
    /// A switch.
    Switch(SwitchId),
}

/// A number that has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeRow {
    /// The bucket's beginning, at whose end it was so; the instant itself, without a bucket.
    pub at: Time,
    /// What it is of.
    pub holder: Holder,
    /// The port that it is of, if it is of one.
    pub port: Option<PortId>,
    /// Its word.
    pub probe: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// What it came to.
    pub value: f64,
}
