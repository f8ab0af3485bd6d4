//! What frames carry beside what hosts read: records of the switches passed (telemetry), or what
//! middleware in switches has written for the next.

use super::frame::Frame;
use crate::plan::Plan;
use raddle_schemes::congestion::Hop;
use raddle_schemes::{Need, tor};

/// The records of the switches so far, the first one first.
pub(crate) type Hops = Vec<Hop>;

/// What travels with a frame. A plan has one kind or the other.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    /// Telemetry; as good as nothing while it is empty.
    Hops(Hops),
    /// Middleware's.
    Tor(tor::Note),
}

/// A queue moves them about: middleware's fits beside the list's capacity.
const _: () = assert!(size_of::<Note>() == size_of::<Hops>());

impl Default for Note {
    fn default() -> Self {
        Self::Hops(Hops::new())
    }
}

impl From<tor::Note> for Note {
    fn from(note: tor::Note) -> Self {
        if note == tor::Note::default() { Self::default() } else { Self::Tor(note) }
    }
}

impl Note {
    /// The records of switches.
    pub(crate) fn into_hops(self) -> Hops {
        match self {
            Self::Hops(hops) => hops,
            Self::Tor(_) => Hops::new(),
        }
    }

    /// What middleware has written.
    pub(crate) fn of_tors(&self) -> tor::Note {
        match self {
            Self::Hops(_) => tor::Note::default(),
            Self::Tor(note) => *note,
        }
    }

    /// Adds the record of a switch.
    pub(crate) fn push(&mut self, hop: Hop) {
        if let Self::Hops(hops) = self {
            hops.push(hop);
        }
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Hops(hops) if hops.is_empty())
    }
}

/// Which frames carry notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carriers {
    /// Data, whole or trimmed: switches write telemetry there.
    Data,
    /// All but those of flow control: middleware writes into whatever passes.
    All,
}

impl Carriers {
    /// Those of a plan, if any frames do.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        let writes = |tor: &tor::Config| tor.card().needs.contains(&Need::Notes);
        if plan.tor.as_ref().is_some_and(writes) {
            Some(Self::All)
        } else {
            plan.has_telemetry().then_some(Self::Data)
        }
    }

    /// Whether this frame does.
    #[inline]
    pub(crate) fn include(self, frame: Frame) -> bool {
        match self {
            Self::Data => frame.is_data(),
            Self::All => !frame.is_pfc(),
        }
    }
}
