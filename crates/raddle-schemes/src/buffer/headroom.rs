//! What lossless classes hold at the ports that they came in through: shared memory and headroom.
//!
//! A queue that may not have more of the shared memory takes what still comes from headroom, until
//! that is empty again (Reverie spec, 2.3 to 2.5 and 3.2).

use super::{BufferContext, Lack, MemoryView, QueueId};
use crate::units::Bytes;
use alloc::format;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What a switch's pools came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pools {
    /// Most bytes in headroom at once.
    pub headroom_max: u64,
    /// Most bytes in headroom of one port and class.
    pub headroom_queue_max: u64,
    /// Most bytes of lossless classes at once, headroom included.
    pub lossless_max: u64,
    /// Most bytes of lossy classes at once.
    pub lossy_max: u64,
    /// Frames of lossless classes that were refused: as many losses that should not have been.
    pub lossless_refused: u64,
    /// Events after which counters of ingress and egress did not fit together.
    pub unbalanced: u64,
    /// Bytes still counted.
    pub left: u64,
}

/// One switch's lossless queues at ingress, and its headroom. Places are those of
/// [`MemoryView::ingress`](super::MemoryView::ingress).
#[derive(Clone, Debug)]
pub(super) struct Headroom {
    /// Bytes of each queue in headroom.
    own: Vec<u64>,
    used: u64,
    size: u64,
    /// The most of it for a queue, per port.
    limits: Vec<u64>,
    /// Where each queue's does not suffice: what it is, and what would.
    lack: Option<(Bytes, Bytes)>,
}

impl Headroom {
    /// With `each` for every port and lossless class, or what their links need.
    pub(super) fn new(context: &BufferContext, each: Option<Bytes>, lossless: &[bool]) -> Self {
        let classes = lossless.iter().filter(|lossless| **lossless).count() as u64;
        let needed = |port: usize| context.headroom.get(port).copied().unwrap_or_default();
        let limit = |port| each.unwrap_or_else(|| needed(port)).0;
        let limits: Vec<u64> = (0..context.ports as usize).map(limit).collect();
        let size = limits.iter().sum::<u64>() * classes;
        let most = (0..context.ports as usize).map(needed).max().unwrap_or_default();
        let lack = each.filter(|each| *each < most && classes > 0).map(|each| (each, most));
        Self { own: alloc::vec![0; context.places()], used: 0, size, limits, lack }
    }

    /// All of it.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// What is used of it.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// What a queue has of it.
    pub(super) fn of(&self, place: usize) -> u64 {
        self.own[place]
    }

    /// What of it does not suffice.
    pub(super) fn lacks(&self) -> Option<Lack> {
        let (is, most) = self.lack?;
        let would_do = format!("at least {} B", most.0);
        Some(Lack { parameter: "headroom", is: format!("{} B", is.0), would_do })
    }

    /// Whether a frame of control leaves room for all that may still go to headroom.
    pub(super) fn spares(&self, bytes: Bytes, memory: &MemoryView<'_>) -> bool {
        bytes.0 + self.size.saturating_sub(self.used) <= memory.free().0
    }

    /// Whether a frame that would go to headroom finds room there (spec 2.3.1: should never fail).
    pub(super) fn has_room(&self, queue: QueueId, place: usize, bytes: u64) -> bool {
        let own = self.own[place];
        let limit = self.limits[queue.port as usize];
        own == 0 || (own + bytes <= limit && self.used + bytes <= self.size)
    }

    /// Whether the far end of a queue is to pause: while it has headroom, and once it is paused until
    /// it `may_go_on` (spec 2.5.3 and 3.2.6).
    pub(super) fn pauses(&self, place: usize, paused: bool, may_go_on: impl Fn() -> bool) -> bool {
        self.own[place] > 0 || (paused && !may_go_on())
    }

    /// A frame has come that may not have shared memory, or whose queue has headroom already.
    pub(super) fn take(&mut self, place: usize, bytes: u64, pools: &mut Pools) {
        self.own[place] += bytes;
        self.used += bytes;
        pools.headroom_max = pools.headroom_max.max(self.used);
        pools.headroom_queue_max = pools.headroom_queue_max.max(self.own[place]);
    }

    /// A frame has left: headroom first. Returns what was not in it.
    pub(super) fn release(&mut self, place: usize, bytes: u64) -> u64 {
        let freed = bytes.min(self.own[place]);
        self.own[place] -= freed;
        self.used -= freed;
        bytes - freed
    }
}
