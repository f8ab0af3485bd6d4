//! What frames carry beside what hosts read: records of the switches passed (telemetry), and what
//! middleware in switches has written for the next.

use super::frame::Frame;
use crate::plan::Plan;
use raddle_schemes::congestion::Hop;
use raddle_schemes::{Need, tor};

/// The records of the switches so far, the first one first.
pub(crate) type Hops = Vec<Hop>;

/// As many as there are switches between two hosts of a tree of three tiers: their list takes memory once.
const USUAL_HOPS: usize = 5;

/// What travels with a frame.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    /// Telemetry; as good as nothing while it is empty.
    Hops(Hops),
    /// Middleware's.
    Tor(tor::Note),
    /// Both.
    Both(Box<(Hops, tor::Note)>),
}

/// A queue moves them about: middleware's fits beside the list's capacity, and both are rare.
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
            Self::Both(both) => both.0,
        }
    }

    /// What middleware has written.
    pub(crate) fn of_tors(&self) -> tor::Note {
        match self {
            Self::Hops(_) => tor::Note::default(),
            Self::Tor(note) => *note,
            Self::Both(both) => both.1,
        }
    }

    /// Middleware writes this there, over what any has written.
    pub(crate) fn write(&mut self, note: tor::Note) {
        match self {
            Self::Both(both) => both.1 = note,
            Self::Hops(hops) if !hops.is_empty() => {
                if note != tor::Note::default() {
                    *self = Self::Both(Box::new((std::mem::take(hops), note)));
                }
            }
            _ => *self = note.into(),
        }
    }

    /// Adds the record of a switch.
    pub(crate) fn push(&mut self, hop: Hop) {
        match self {
            Self::Hops(hops) => {
                if hops.capacity() == 0 {
                    hops.reserve_exact(USUAL_HOPS);
                }
                hops.push(hop);
            }
            Self::Tor(note) => *self = Self::Both(Box::new((vec![hop], *note))),
            Self::Both(both) => both.0.push(hop),
        }
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Hops(hops) if hops.is_empty())
    }
}

/// Which frames carry notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carriers {
    /// Switches write telemetry into data, whole or trimmed.
    telemetry: bool,
    /// Middleware writes into whatever passes, but for frames of flow control.
    tors: bool,
}

impl Carriers {
    /// Those of a plan, if any frames do.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        let writes = |tor: &tor::Config| tor.card().needs.contains(&Need::Notes);
        let (telemetry, tors) = (plan.has_telemetry(), plan.tor.as_ref().is_some_and(writes));
        (telemetry || tors).then_some(Self { telemetry, tors })
    }

    /// Whether switches write telemetry.
    #[inline]
    pub(crate) fn have_telemetry(self) -> bool {
        self.telemetry
    }

    /// Whether this frame does.
    #[inline]
    pub(crate) fn include(self, frame: Frame) -> bool {
        match self.tors {
            true => !frame.is_pfc(),
            false => frame.is_data(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::PortId;
    use raddle_schemes::units::{Bytes, Rate, Time};

    fn hop(port: u32) -> Hop {
        let (queue, sent, entered) = (Bytes(1), Bytes(2), Bytes(3));
        Hop { port: PortId(port), at: Time(4), queue, sent, entered, rate: Rate::gbps(100) }
    }

    #[test]
    fn telemetry_and_what_middleware_writes_leave_each_other_alone() {
        let written = tor::Note([7, 8]);
        let mut first = Note::default();
        first.push(hop(1));
        first.write(written);
        first.push(hop(2));
        let mut second = Note::from(written);
        second.push(hop(1));
        second.write(tor::Note::default());
        second.write(written);
        second.push(hop(2));
        for note in [first, second] {
            assert_eq!((note.of_tors(), note.is_empty()), (written, false));
            let ports: Vec<u32> = note.into_hops().iter().map(|hop| hop.port.0).collect();
            assert_eq!(ports, [1, 2]);
        }
        let mut nothing = Note::from(written);
        nothing.write(tor::Note::default());
        assert!(nothing.is_empty());
    }
}
