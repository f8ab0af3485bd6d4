//! The packet uplink of a hybrid ToR: it has no queue of its own, and takes from those of pairs in turn,
//! outside their days and the nights before them.

use crate::engine::port::general::Port;
use crate::faults::gate::Gate;
use crate::topology::packet_network::Counters;
use crate::topology::{Fabric, Switch};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

/// Whose turn it is.
pub(in crate::engine) struct Voqs {
    /// The uplink, counted within the switch.
    uplink: u32,
    /// What telemetry says of what it takes.
    pub(super) counters: Counters,
    /// Per port of the switch, when the uplink may take from its queue; none, if it is not that of a
    /// pair.
    gates: Vec<Option<Gate>>,
    /// The queue that it took from last.
    last: usize,
}

impl Voqs {
    /// Of a switch, if it has such an uplink.
    pub(in crate::engine) fn of(fabric: &Fabric, switch: &Switch) -> Option<Box<Self>> {
        let uplink = fabric.packet_uplink(switch)?.0 - switch.ports.start;
        let counters = fabric.packet_network()?.counters;
        let gates: Vec<_> =
            switch.ports.clone().map(|port| fabric.packet_gate(PortId(port))).collect();
        let last = gates.len() - 1;
        Some(Box::new(Self { uplink, counters, gates, last }))
    }

    /// The uplink, counted within the switch.
    pub(super) fn uplink(&self) -> usize {
        self.uplink as usize
    }

    /// Whether a port is the uplink, or its queue that of a pair.
    pub(super) fn concerns(&self, port: u32) -> bool {
        port == self.uplink || self.gates[port as usize].is_some()
    }

    /// The pair that the uplink takes from at `now`, if it may from any.
    pub(super) fn take_turn(&mut self, now: Time, ports: &[Port]) -> Option<usize> {
        let behind = self.last + 1..self.gates.len();
        let mut turns = behind.chain(0..=self.last);
        let next = turns.find(|&port| self.next_of(port, now, ports) == now)?;
        self.last = next;
        Some(next)
    }

    /// When it may take from the first that it may.
    pub(super) fn next_at(&self, now: Time, ports: &[Port]) -> Time {
        let each = (0..self.gates.len()).map(|port| self.next_of(port, now, ports));
        each.min().unwrap_or(Time::NEVER)
    }

    /// When it may take from the queue of a port; never, while nothing waits there.
    fn next_of(&self, port: usize, now: Time, ports: &[Port]) -> Time {
        match &self.gates[port] {
            Some(gate) if ports[port].has_waiting() => gate.next_start(now, Bytes(0)),
            _ => Time::NEVER,
        }
    }
}
