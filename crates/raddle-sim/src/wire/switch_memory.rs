//! The memory that the ports of a switch share.

use crate::plan::Plan;
use raddle_schemes::buffer::{AnyBufferPolicy, Arriving};
use raddle_schemes::ids::SwitchId;
use raddle_schemes::units::{Bytes, Span};

/// One switch's memory, where ports share it. All frames queued or in service count, those of flow
/// control excepted.
pub struct Memory {
    policy: AnyBufferPolicy,
    size: u64,
    used: u64,
    most: u64,
}

impl Memory {
    /// The memory of a switch, where the plan has its ports share one. `longest_rtt` is what sizes
    /// in `bdp` refer to.
    pub fn of(plan: &Plan, switch: SwitchId, longest_rtt: Span) -> Option<Self> {
        let buffer = plan.buffer.as_ref()?;
        let switch = &plan.fabric.switches[switch.index()];
        let (classes, packet) = (plan.queue.classes, plan.packet());
        let context = buffer.context(&plan.fabric, switch, classes, packet, longest_rtt);
        let policy = buffer.policy.build(&context);
        Some(Self { policy, size: context.size.0, used: 0, most: 0 })
    }

    /// Whether a frame of data may join a queue that holds `queued` bytes.
    #[inline]
    pub fn admits(&self, bytes: Bytes, queued: u64) -> bool {
        let frame = Arriving { bytes, queued: Bytes(queued), used: Bytes(self.used) };
        self.has_room(bytes) && self.policy.admits(&frame)
    }

    /// Whether a frame fits, whoever it belongs to.
    #[inline]
    pub fn has_room(&self, bytes: Bytes) -> bool {
        self.used + bytes.0 <= self.size
    }

    /// Whether more would be used than ever before, were a frame kept.
    #[inline]
    pub fn would_exceed_most(&self, bytes: Bytes) -> bool {
        self.used + bytes.0 > self.most
    }

    /// A frame was kept.
    #[inline]
    pub fn take(&mut self, bytes: Bytes) {
        self.used += bytes.0;
        self.most = self.most.max(self.used);
    }

    /// A frame is gone.
    #[inline]
    pub fn release(&mut self, bytes: Bytes) {
        self.used -= bytes.0;
    }

    /// All of it.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Most bytes ever used.
    pub fn most(&self) -> u64 {
        self.most
    }
}
