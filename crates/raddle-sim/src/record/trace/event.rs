//! What happens to a frame of a flow whose packets are kept.

use crate::record::DropCause;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

/// What happened to a frame at a port. Of one instant, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::record) enum What {
    /// It is in the queue no more, without having left.
    Out,
    /// It was trimmed.
    Trimmed,
    /// It joined a queue, which had so many bytes before.
    Queued(u64),
    /// Its last bit left.
    Left,
    /// It was lost.
    Lost(DropCause),
    /// The link that it had left by gave it up.
    GivenUp,
    /// Middleware dropped it, at no port.
    Within,
}

/// The same with time and place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) at: Time,
    pub(super) what: What,
    pub(super) port: PortId,
    pub(super) frame: Frame,
}

impl Event {
    /// Whether another one is of the same packet at the same port and instant.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        let id = |own: &Self| (own.port, own.at, own.frame.number(), own.frame.entropy());
        id(self) == id(other)
    }

    /// In which order events go, whichever part of a run saw them.
    pub(super) fn turn(&self) -> impl Ord + use<> {
        let frame = self.frame;
        let id = (frame.number(), frame.flags(), frame.entropy().0, frame.size());
        (self.at, self.what, self.port, id)
    }
}
