//! What a switch scheme sees of its switch when it chooses.

use super::port::Port;
use crate::topology::Fabric;
use crate::topology::routing::{Forwarding, Ports, towards_pod};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Group, Queue, Surroundings};
use raddle_schemes::units::Time;

/// A switch with a packet to a port of a host and its choices.
pub(super) struct Around<'r> {
    pub(super) fabric: &'r Fabric,
    pub(super) forwarding: &'r Forwarding,
    pub(super) ports: &'r [Port],
    pub(super) switch: SwitchId,
    pub(super) to: PortId,
    pub(super) choices: Ports<'r>,
    /// The instant before which queues are looked at, if they are.
    pub(super) before: Option<Time>,
}

impl Surroundings for Around<'_> {
    fn port(&self, choice: usize) -> u32 {
        self.choices.get(choice).0 - self.fabric.switches[self.switch.index()].ports.start
    }

    fn group(&self) -> Group {
        let edge = self.fabric.edge_of(self.to);
        Group { edge: edge.0, pod: self.fabric.switches[edge.index()].pod.unwrap_or(0) }
    }

    fn queue(&mut self, choice: usize) -> Queue {
        let port = &self.ports[self.choices.get(choice).index()];
        match self.before {
            Some(now) => port.queue_before(now),
            None => port.queue(),
        }
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        let first = self.fabric.switches[self.switch.index()].ports.start;
        let ports = towards_pod(self.fabric, self.forwarding, self.switch, self.group().pod);
        ports.into_iter().map(|(port, weight)| (port.0 - first, weight)).collect()
    }
}
