//! Congestion marking: whether a frame gets the ECN mark, from what its queue holds.

use crate::rng::coin;
use crate::size::Base;
use crate::units::Bytes;

pub mod none;
pub mod red;
pub mod step;

/// A queue at the moment a frame is judged.
#[derive(Clone, Copy, Debug)]
pub struct QueueState {
    /// Bytes of the frame's class: what the departing frame leaves behind (marking at dequeue), or
    /// what the arriving frame finds (marking at enqueue).
    pub bytes: Bytes,
    /// The port's coin stream.
    pub stream: u64,
    /// The frame's number in that stream.
    pub event: u64,
}

impl QueueState {
    /// Uniform 32 bits for this frame at this port.
    #[inline]
    pub fn coin(&self) -> u32 {
        coin(self.stream, self.event)
    }
}

/// Judges frames; one instance per port.
pub trait Marker {
    /// Whether the frame is marked.
    fn mark(&self, queue: &QueueState) -> bool;

    /// Up to this many bytes, included, no frame is ever marked.
    fn never_below(&self) -> Bytes {
        Bytes(0)
    }
}

crate::family! { Marker, AnyMarker, Base;
    Red: red,
    Step: step,
    NoMarking: none,
}

impl AnyMarker {
    /// See [`Marker::mark`].
    #[inline]
    pub fn mark(&self, queue: &QueueState) -> bool {
        dispatch!(self, scheme => scheme.mark(queue))
    }

    /// See [`Marker::never_below`].
    pub fn never_below(&self) -> Bytes {
        dispatch!(self, scheme => scheme.never_below())
    }
}
