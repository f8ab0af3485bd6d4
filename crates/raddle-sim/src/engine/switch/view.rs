//! What a switch scheme sees of its switch when it chooses: two views, of any switch and of a plain
//! one.

use crate::engine::link::Line;
use crate::engine::port::QueuePort;
use crate::engine::switch::own_ports::OwnPorts;
use crate::engine::world::World;
use crate::topology::Fabric;
use crate::topology::routing::{Forwarding, Ports, towards_pod};
use crate::wire::frame::Frame;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Group, Header, Queue, Surroundings};
use raddle_schemes::units::Time;

/// A switch with a packet to a port of a host and its choices.
pub(in crate::engine) struct Around<'s, 'w, O> {
    /// The instant of which queues are looked at: what has left by then is not queued.
    pub(in crate::engine) seen: Time,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) to: PortId,
    pub(in crate::engine) choices: Ports<'s>,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) own: &'s mut O,
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl<O: OwnPorts> Surroundings for Around<'_, '_, O> {
    #[inline]
    fn port(&self, choice: usize) -> u32 {
        self.choices.get(choice).0 - self.first_id
    }

    #[inline]
    fn group(&self) -> Group {
        group_of(self.fabric, self.to)
    }

    #[inline]
    fn queue(&mut self, choice: usize) -> Queue {
        self.own.queue(self.port(choice) as usize, self.seen, self.world)
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        ports_towards_pod(self.fabric, self.forwarding, self.switch, self.to, self.first_id)
    }
}

/// The same at a switch of a tree whose ports are all of one kind, and whose choices are a run of
/// ports.
pub(in crate::engine) struct AroundPlain<'s, 'w, P> {
    /// The instant of which queues are looked at.
    pub(in crate::engine) seen: Time,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) to: PortId,
    /// Whether the scheme says that its choices depend on nothing here.
    pub(in crate::engine) stateless: bool,
    /// The first choice's port, counted within the switch.
    pub(in crate::engine) first: u32,
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    /// The switch's own, from the first choice's on.
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) ports: &'s mut [P],
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl<P: QueuePort> Surroundings for AroundPlain<'_, '_, P> {
    #[inline]
    fn port(&self, choice: usize) -> u32 {
        self.first + choice as u32
    }

    #[inline]
    fn group(&self) -> Group {
        group_of(self.fabric, self.to)
    }

    // Always inline: a call for each choice costs more than the reading.
    #[inline(always)]
    fn queue(&mut self, choice: usize) -> Queue {
        // Else frames that came before may not have joined yet.
        debug_assert!(!self.stateless, "a scheme that says it is stateless reads queues");
        self.ports[choice].queue(self.seen, &mut self.lines[choice], self.world)
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        ports_towards_pod(self.fabric, self.forwarding, self.switch, self.to, self.first_id)
    }
}

fn group_of(fabric: &Fabric, to: PortId) -> Group {
    let edge = fabric.edge_of(to);
    Group { edge: edge.0, pod: fabric.switches[edge.index()].pod.unwrap_or(0) }
}

fn ports_towards_pod(
    fabric: &Fabric,
    forwarding: &Forwarding,
    switch: SwitchId,
    to: PortId,
    first_id: u32,
) -> Vec<(u32, u32)> {
    let ports = towards_pod(fabric, forwarding, switch, group_of(fabric, to).pod);
    ports.into_iter().map(|(port, weight)| (port.0 - first_id, weight)).collect()
}

/// What a switch reads in a frame of the flow with this key.
#[inline]
pub(in crate::engine) fn header(frame: Frame, flow_key: u32) -> Header {
    Header {
        flow_key,
        entropy: frame.entropy(),
        bytes: frame.size(),
        control: frame.is_control(),
        hashed: frame.is_hashed(),
    }
}
