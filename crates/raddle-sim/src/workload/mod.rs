//! Traffic: which flows there are, and what starts each of them.
//!
//! Every kind of traffic becomes the same thing before the run: a list of flows, and triggers by
//! which the end of one flow starts others. Collectives, foreign matrices and bounded all-to-alls
//! are dependency graphs of this form.
//!
//! Every generator is a struct of what a scenario says about it, with a `generate` that takes the
//! rest: the number of hosts or the fabric, and the seed. Hosts start at time zero unless the
//! generator says otherwise.

pub mod all_to_all;
pub mod collective;
mod derangement;
pub mod explicit;
pub mod graph;
pub mod host_set;
pub mod incast;
pub mod job;
pub mod job_graph;
pub mod law;
pub mod partners;
pub mod permutation;
pub mod pieces;
pub mod poisson;
pub mod poisson_incast;
mod racks;
pub mod tornado;
pub mod training;

use job::Job;
use pieces::Pieces;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Index of a [`Trigger`]. An option of one takes no more room, for there may be millions of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriggerId(NonZeroU32);

impl TriggerId {
    /// The trigger at `index` of [`Traffic::triggers`].
    pub const fn new(index: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index))
    }

    /// Its place in [`Traffic::triggers`].
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// One message from one host to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The sender.
    pub source: HostId,
    /// The receiver; not the sender.
    pub destination: HostId,
    /// Application bytes; at least 1.
    pub bytes: Bytes,
    /// The class its data travels in; below
    /// [`QueuePlan::classes`](crate::plan::QueuePlan::classes).
    pub class: u8,
    /// The path selector of its packets:
    /// [`TransportPlan::load_balance_of`](crate::plan::TransportPlan::load_balance_of).
    pub load_balance: u8,
    /// The congestion control and the recovery of its ends:
    /// [`TransportPlan::congestion_of`](crate::plan::TransportPlan::congestion_of).
    pub transport: u8,
    /// Whether switches that do not go by entropies hash its data packets all the same, as `ecmp`
    /// does; ACKs and other control frames go as the switches' scheme says.
    pub hashed: bool,
    /// Over how many queue pairs it is spread, in equal parts, before the run; at least 1.
    pub qps: u8,
    /// Of a part of a message: by which of them it goes, from 0.
    pub qp: u8,
    /// What starts it.
    pub start: Start,
    /// Fired at the sender when the last needed ACK has arrived.
    pub on_acked: Option<TriggerId>,
    /// Fired at the receiver when the last byte has arrived.
    pub on_delivered: Option<TriggerId>,
}

const _: () = assert!(size_of::<Flow>() <= 48);

/// What starts a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A time.
    At(Time),
    /// A trigger that names it among its targets, and then so much time: what its host does before
    /// it sends.
    After(Span),
}

impl Start {
    /// At the instant at which a trigger names it.
    pub const WHEN_TRIGGERED: Self = Self::After(Span::ZERO);

    /// How long after a trigger names it a flow starts.
    pub const fn delay(self) -> Span {
        match self {
            Self::At(_) => Span::ZERO,
            Self::After(delay) => delay,
        }
    }
}

/// Starts flows when others end: at once or after some work, and each after the time that it says
/// itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// How often it must be fired, and what a firing does.
    pub kind: TriggerKind,
    /// The flows it starts, in order.
    pub targets: Vec<FlowId>,
    /// Whenever it has started what it starts, it fires these triggers, in order: the end of one
    /// flow may count towards several others.
    pub fires: Vec<TriggerId>,
    /// How long after it was fired it starts and fires what it names.
    pub work: Span,
    /// The work begins no earlier than this.
    pub not_before: Time,
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

impl Trigger {
    /// One that acts at once, and fires no others.
    pub const fn new(kind: TriggerKind, targets: Vec<FlowId>) -> Self {
        Self { kind, targets, fires: Vec::new(), work: Span::ZERO, not_before: Time::ZERO }
    }

    /// When it acts, if the last firing that it needs was at `fired`.
    pub(crate) fn acts_at(&self, fired: Time) -> Time {
        fired.max(self.not_before) + self.work
    }

    /// Whether it may act later than it is fired.
    pub(crate) fn may_be_late(&self) -> bool {
        self.work > Span::ZERO || self.not_before > Time::ZERO
    }

    /// The flows that the firing after `before` others starts; `None` if it does nothing.
    pub(crate) fn acts(&self, before: u32) -> Option<&[FlowId]> {
        match self.kind {
            TriggerKind::All { count } => {
                (before.saturating_add(1) == count).then_some(&self.targets)
            }
            TriggerKind::Next => self.targets.get(before as usize).map(std::slice::from_ref),
        }
    }
}

/// All flows of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The flows.
    pub flows: Vec<Flow>,
    /// The triggers that [`Flow::on_acked`] and [`Flow::on_delivered`] name.
    pub triggers: Vec<Trigger>,
    /// What parts of the traffic results tell apart; the engines do not read it.
    pub jobs: Vec<Job>,
    /// Where the flows are pieces of messages: of which, and on which paths.
    pub pieces: Option<Arc<Pieces>>,
}

impl Flow {
    /// A message from `source` to `destination` at time zero, in class 0, with no triggers and
    /// the load balancing of all.
    pub fn at_zero(source: u32, destination: u32, bytes: Bytes) -> Self {
        Self {
            source: HostId(source),
            destination: HostId(destination),
            bytes,
            class: 0,
            load_balance: 0,
            transport: 0,
            hashed: false,
            qps: 1,
            qp: 0,
            start: Start::At(Time::ZERO),
            on_acked: None,
            on_delivered: None,
        }
    }
}

impl From<Vec<Flow>> for Traffic {
    /// Flows without triggers.
    fn from(flows: Vec<Flow>) -> Self {
        Self { flows, ..Self::default() }
    }
}

/// Why a generator refused: which quantity is wrong, and what would fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// The quantity, by its field's name.
    pub quantity: &'static str,
    /// The position of the flow it belongs to, from 0, in an explicit list.
    pub flow: Option<usize>,
    /// Its value.
    pub found: String,
    /// What would have been accepted.
    pub fits: String,
}

impl WorkloadError {
    fn new(quantity: &'static str, found: impl fmt::Display, fits: impl Into<String>) -> Self {
        Self { quantity, flow: None, found: found.to_string(), fits: fits.into() }
    }
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(flow) = self.flow {
            write!(f, "flow {flow}: ")?;
        }
        write!(f, "`{}` is {}; expected {}", self.quantity, self.found, self.fits)
    }
}

impl std::error::Error for WorkloadError {}

fn check_hosts(hosts: u32) -> Result<(), WorkloadError> {
    if hosts < 2 {
        return Err(WorkloadError::new("hosts", hosts, "at least 2"));
    }
    Ok(())
}

fn check_message(message: Bytes) -> Result<(), WorkloadError> {
    if message.0 == 0 {
        return Err(WorkloadError::new("message", message, "at least 1 B"));
    }
    Ok(())
}
