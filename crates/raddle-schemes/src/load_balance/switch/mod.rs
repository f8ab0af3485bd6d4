//! Switch load balancing: which of the equal ports towards a destination takes a packet.

use crate::Cx;
use crate::ids::{Entropy, SwitchId};
use crate::units::Bytes;

pub mod ecmp;

/// What a switch reads in a packet's header.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The packet's flow, as a hash of addresses and ports would tell it: equal for all packets
    /// of one direction of one flow.
    pub flow_key: u32,
    /// The entropy value.
    pub entropy: Entropy,
    /// Bytes on the wire.
    pub bytes: Bytes,
    /// Whether it is an ACK, a NACK or a trimmed header.
    pub control: bool,
}

/// The ports a packet may take, all on shortest paths.
pub struct Choices<'a> {
    /// How many there are; at least one.
    pub count: usize,
    /// Where the packet is going. Only for schemes whose card needs
    /// [`Groups`](crate::Need::Groups).
    pub group: &'a dyn Fn() -> Group,
    /// Bytes queued at each port now, frame in service included. Only for schemes whose card needs
    /// [`QueueLengths`](crate::Need::QueueLengths).
    pub queues: &'a dyn Fn(usize) -> Bytes,
}

impl Choices<'_> {
    /// The choices as a scheme that needs neither group nor queues sees them: one group, nothing
    /// queued.
    #[inline]
    pub fn unread(count: usize) -> Self {
        Self { count, group: &|| Group { edge: 0, pod: 0 }, queues: &|_| Bytes(0) }
    }
}

/// The destination as rotation pointers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Index of the destination's edge switch.
    pub edge: u32,
    /// Index of its pod.
    pub pod: u32,
}

/// What a switch's scheme may know when it is built.
#[derive(Clone, Copy, Debug)]
pub struct SwitchContext {
    /// Which switch this is.
    pub switch: SwitchId,
    /// The key of the switch's own random streams.
    pub stream: u64,
}

/// Chooses among equal ports; one instance per switch.
pub trait PortSelector {
    /// The index, below `choices.count`, of the port that takes the packet.
    fn select(&mut self, cx: &mut Cx<'_>, packet: &Header, choices: &Choices<'_>) -> usize;
}

crate::family! { PortSelector, AnyPortSelector, SwitchContext;
    Ecmp: ecmp,
}

impl AnyPortSelector {
    /// See [`PortSelector::select`].
    #[inline]
    pub fn select(&mut self, cx: &mut Cx<'_>, packet: &Header, choices: &Choices<'_>) -> usize {
        dispatch!(self, scheme => scheme.select(cx, packet, choices))
    }
}
