//! What sizes that are relative refer to.

use raddle_schemes::size::Base;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::plan::{HostQueue, TransportPlan};
use raddle_sim::topology::Fabric;

/// Frames of a scenario, and the round trip that its relative sizes refer to.
pub(crate) struct Sizes {
    /// A full packet on the wire.
    pub(crate) packet: Bytes,
    /// The largest control frame.
    pub(crate) control: Bytes,
    /// Round trip of a packet and its ACK on the longest path through empty queues.
    pub(crate) longest_rtt: Span,
    /// What waits at hosts.
    pub(crate) host_queue: Option<HostQueue>,
}

impl Sizes {
    pub(crate) fn new(fabric: &Fabric, transport: &TransportPlan) -> Self {
        let packet = transport.payload + transport.header;
        Self {
            packet,
            control: transport.ack.max(transport.header),
            longest_rtt: fabric.longest_base_rtt(packet, transport.ack),
            host_queue: transport.host_queue,
        }
    }

    /// What sizes relative to a port of this rate refer to; 100 % is `whole`.
    pub(crate) fn base(&self, rate: Rate, whole: Bytes) -> Base {
        Base { packet: self.packet, bdp: rate.bytes_in(self.longest_rtt), whole }
    }
}
