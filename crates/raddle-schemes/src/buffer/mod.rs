//! Sharing a switch's memory: whether an arriving frame may be kept, from what the memory holds.

use crate::units::Bytes;

pub mod complete_partitioning;
pub mod complete_sharing;
pub mod dynamic_thresholds;

/// What is constant about a switch's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferContext {
    /// All of it.
    pub size: Bytes,
    /// The switch's queues of data: one for each port and data class.
    pub queues: u32,
}

/// A frame that wants to join a queue of data, and what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// Its bytes.
    pub bytes: Bytes,
    /// Bytes of that queue, frame in service included.
    pub queued: Bytes,
    /// Bytes of the whole switch, control frames and frames in service included.
    pub used: Bytes,
}

/// Decides what a switch keeps; one instance per switch. It is asked for frames that fit into the
/// memory and belong to a queue of data. Those of control, where it has a queue of its own, are kept
/// as long as they fit.
pub trait BufferPolicy {
    /// Whether the frame may be kept. What is admitted has to be admitted as well with fewer bytes
    /// used: who has not yet seen all departures may then ask, and has to look only if refused.
    fn admits(&self, frame: &Arriving) -> bool;
}

crate::family! { BufferPolicy, AnyBufferPolicy, BufferContext;
    DynamicThresholds: dynamic_thresholds,
    CompleteSharing: complete_sharing,
    CompletePartitioning: complete_partitioning,
}

impl AnyBufferPolicy {
    /// See [`BufferPolicy::admits`].
    #[inline]
    pub fn admits(&self, frame: &Arriving) -> bool {
        dispatch!(self, scheme => scheme.admits(frame))
    }
}
