//! Faults as users name them.

use crate::faults::OnDown;
use crate::topology::routing::Weighting;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Rate, Span, Time};

/// The most windows that [`flapping`](super::resolve::flapping) makes.
pub const MAX_FLAPS: u64 = 100_000;

/// What breaks.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A cable, or one direction of it.
    Link {
        /// Name of the port that the link leaves: `tor0.up1`.
        name: String,
        /// Which of the cable's two links.
        direction: Direction,
    },
    /// A switch and all its cables.
    Switch {
        /// Its name.
        name: String,
    },
    /// A host and its cable.
    Host {
        /// Its name.
        name: String,
    },
    /// The same by its number, whatever its name is.
    HostNumber {
        /// From 0.
        host: HostId,
    },
    /// Some of many, chosen at random.
    Random {
        /// How many.
        amount: Amount,
        /// Of what.
        among: Among,
    },
}

/// What is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Among {
    /// Cables between switches.
    Cables {
        /// Only those that lead up from switches of this tier.
        tier: Option<u8>,
        /// Both directions of each cable, or only the one that leads up.
        two_way: bool,
    },
    /// Switches without hosts, each with all its cables.
    Switches {
        /// Only those of this tier.
        tier: Option<u8>,
    },
}

impl Among {
    /// The word for one.
    pub fn one(self) -> &'static str {
        match self {
            Self::Cables { .. } => "cable",
            Self::Switches { .. } => "switch",
        }
    }

    /// The word for several.
    pub fn many(self) -> &'static str {
        match self {
            Self::Cables { .. } => "cables",
            Self::Switches { .. } => "switches",
        }
    }
}

/// How many break at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// This share of them, from 0 to 1; rounded to a whole number.
    Share(f64),
    /// Each with this probability, from 0 to 1, whatever becomes of the others.
    Probability(f64),
}

/// Which of a cable's two links, seen from the port that is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Both.
    #[default]
    Both,
    /// The link that leaves the port.
    Out,
    /// The link that enters it.
    In,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// It is down, or dead.
    Down,
    /// Its links have another rate.
    Rate {
        /// The rate.
        to: RateTo,
        /// Whether capacity and marking thresholds of the queues scale along.
        scale: bool,
    },
    /// Its links lose each frame with this probability.
    Loss(f64),
    /// Its links corrupt each bit with this probability.
    BitErrors(f64),
    /// Its clock is behind by so many picoseconds, or ahead: a ToR of circuits.
    Clock {
        /// How much; ahead, if below zero.
        behind: i64,
    },
}

/// A link's rate under a fault; above zero, and not above the link's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateTo {
    /// A rate.
    Absolute(Rate),
    /// A fraction of the link's own rate.
    Factor(f64),
}

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What breaks.
    pub target: Target,
    /// How.
    pub effect: Effect,
    /// When: from an instant until another, or to the end. They may overlap.
    pub windows: Vec<(Time, Option<Time>)>,
}

/// All faults of a scenario, and how the fabric takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultPlan {
    /// The faults.
    pub faults: Vec<Fault>,
    /// What ports do with queued frames while their link is down.
    pub on_down: OnDown,
    /// Time from a change of what is down until all switches forward accordingly; `None`: never.
    pub convergence: Option<Span>,
    /// Time from a change of a link until the switch that sends into it leaves it out of its choices,
    /// or takes it in again, by itself; `None`: never. Without effect unless shorter than
    /// `convergence`.
    pub local_repair: Option<Span>,
    /// What ports carry from then on.
    pub weights: Weighting,
    /// Whether any host knows at once what is down.
    pub hosts_know: bool,
}
