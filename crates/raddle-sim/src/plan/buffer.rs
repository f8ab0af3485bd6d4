//! The memory that the queues of a switch share.

use super::QueuePlan;
use crate::faults::Faults;
use crate::headroom::pause_headroom;
use crate::topology::{Fabric, Switch};
use raddle_schemes::buffer::{self, BufferContext};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Span};

/// The memory that the queues of a switch share. Each queue keeps its own capacity, too.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPlan {
    /// Bytes of one switch (`bdp`: those of its ports together; a percentage has no meaning), or of
    /// one uplink (`bdp`: its own).
    pub size: Size,
    /// Which frames are kept.
    pub policy: buffer::Config,
    /// Who has such a memory.
    pub per: Per,
}

raddle_schemes::words! {
    /// Who has a memory of its own.
    #[derive(Default)]
    pub enum Per {
        /// A switch: all its ports share it.
        #[default]
        Switch = "switch",
        /// Each uplink of a ToR of circuits: the queues of the lanes that it opens share it; one that
        /// several uplinks open belongs to that of its first opening. A port to a host has one, too.
        Uplink = "uplink",
    }
}

impl BufferPlan {
    /// The memory of a switch of `fabric` that breaks as `faults` say and has such a `queue` at each
    /// port, where full packets are `packet` and sizes in `bdp` refer to `longest_rtt`. It takes all of
    /// a packet for payload.
    pub fn context(
        &self,
        fabric: &Fabric,
        faults: &Faults,
        at: &Switch,
        queue: &QueuePlan,
        packet: Bytes,
        longest_rtt: Span,
    ) -> BufferContext {
        let size = self.size_at(fabric, at, packet, longest_rtt);
        let ports = at.ports.len() as u32;
        let hosts = (0..fabric.hosts).map(HostId);
        let bdp = hosts.map(|host| fabric.host_rate(host).bytes_in(longest_rtt));
        let bdp = bdp.max().unwrap_or_default();
        let queues = ports * u32::from(queue.classes);
        let pauses = self.policy.decides_pauses();
        let ids = at.ports.clone().filter(|_| pauses).map(PortId);
        let headroom = |id| pause_headroom(fabric, faults, id, packet, queue.gap);
        let headroom = ids.map(headroom).collect();
        let before = |other: &Switch| other.ports.start < at.ports.start;
        let switch = fabric.switches.partition_point(before) as u32;
        debug_assert_eq!(fabric.switches[switch as usize].ports, at.ports);
        let (payload, base_rtt) = (packet, longest_rtt);
        let switches = fabric.switches.len() as u32;
        let days = at.ports.clone().map(|port| fabric.day(PortId(port))).collect();
        BufferContext {
            size,
            queues,
            ports,
            packet,
            payload,
            base_rtt,
            bdp,
            headroom,
            switch,
            switches,
            days,
        }
    }

    /// The size of that memory.
    pub fn size_at(&self, fabric: &Fabric, at: &Switch, packet: Bytes, longest_rtt: Span) -> Bytes {
        let bdp = |port| fabric.ports[port as usize].rate.bytes_in(longest_rtt).0;
        let of_uplink = fabric.circuits.as_ref().filter(|_| self.per == Per::Uplink);
        let bdp = match of_uplink {
            Some(circuits) => circuits.uplink_rate.bytes_in(longest_rtt),
            None => Bytes(at.ports.clone().map(bdp).sum()),
        };
        self.size.resolve(&Base { packet, bdp, whole: Bytes(0) })
    }

    /// The largest memory of any switch; arguments as in [`BufferPlan::size_at`].
    pub fn largest(&self, fabric: &Fabric, packet: Bytes, longest_rtt: Span) -> Bytes {
        let size = |switch| self.size_at(fabric, switch, packet, longest_rtt);
        fabric.switches.iter().map(size).max().unwrap_or_default()
    }
}
