//! Traffic: which flows there are, and what starts each of them.
//!
//! Every kind of traffic becomes the same thing before the run: a list of flows, and triggers by
//! which the end of one flow starts others. Collectives, foreign matrices and bounded all-to-alls
//! are dependency graphs of this form.

use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Time};

/// Index of a [`Trigger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TriggerId(pub u32);

/// One message from one host to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The sender.
    pub source: HostId,
    /// The receiver; not the sender.
    pub destination: HostId,
    /// Application bytes; at least 1.
    pub bytes: Bytes,
    /// What starts it.
    pub start: Start,
    /// Fired at the sender when the last needed ACK has arrived.
    pub on_acked: Option<TriggerId>,
    /// Fired at the receiver when the last byte has arrived.
    pub on_delivered: Option<TriggerId>,
}

/// What starts a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A time.
    At(Time),
    /// A trigger that names it among its targets.
    Triggered,
}

/// Starts flows when others end, without delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// How often it must be fired, and what a firing does.
    pub kind: TriggerKind,
    /// The flows it starts, in order.
    pub targets: Vec<FlowId>,
}

/// What a firing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// The first `count` firings are counted, the last of them starts all targets; more do
    /// nothing. `count` is 1 for a plain dependency.
    All {
        /// Firings needed.
        count: u32,
    },
    /// Each firing starts the next target, until none is left.
    Next,
}

/// All flows of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The flows.
    pub flows: Vec<Flow>,
    /// The triggers that [`Flow::on_acked`] and [`Flow::on_delivered`] name.
    pub triggers: Vec<Trigger>,
}
