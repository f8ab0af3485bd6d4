//! The ports of one switch, as its coupling has them.

use crate::engine::link::{Line, PortKind};
use crate::engine::port::general::Port;
use crate::engine::port::kinds::{SwitchPorts, of_kind};
use crate::engine::port::{Arriving, QueuePort};
use crate::engine::switch::busy::replay_ports;
use crate::engine::world::World;
use crate::wire::frame::Frame;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};

/// The ports of one switch, counted within it.
pub(in crate::engine) trait OwnPorts {
    /// [`QueuePort::data_queued`].
    fn data_queued(
        &mut self,
        out: usize,
        now: Time,
        frame: Frame,
        world: &mut World<'_>,
    ) -> Option<u64>;

    /// [`QueuePort::enqueue`].
    fn enqueue(&mut self, out: usize, arriving: Arriving, world: &mut World<'_>) -> Bytes;

    /// [`QueuePort::carry_out`], then [`QueuePort::next_action`] and [`QueuePort::freed_bytes`].
    fn carry_out(&mut self, out: usize, until: Time, world: &mut World<'_>) -> (Time, u64);

    /// [`QueuePort::queue`].
    fn queue(&mut self, out: usize, now: Time, world: &mut World<'_>) -> Queue;

    /// A general port, and its line; none, if the port is of another kind.
    fn general(&mut self, out: usize) -> Option<(&mut Port, &mut Line)>;

    /// Carries out what busy ports have to up to and including `until`. Returns when the first next has
    /// to.
    fn carry_out_busy(&mut self, busy: &mut [u64], until: Time, world: &mut World<'_>) -> Time;
}

/// Ports of one kind.
pub(in crate::engine) struct AlikePorts<'s, P> {
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) ports: &'s mut [P],
}

/// Ports of one kind, which a plain switch has.
pub(in crate::engine) trait PlainPorts: OwnPorts {
    type Port: QueuePort;

    /// Lines and ports, as many as each other.
    fn parts(&mut self) -> (&mut [Line], &mut [Self::Port]);

    /// From now on these are the first `count`: one check for both.
    fn cut(&mut self, count: usize);
}

impl<P: QueuePort> PlainPorts for AlikePorts<'_, P> {
    type Port = P;

    #[inline(always)]
    fn parts(&mut self) -> (&mut [Line], &mut [P]) {
        (self.lines, self.ports)
    }

    #[inline(always)]
    fn cut(&mut self, count: usize) {
        self.lines = &mut std::mem::take(&mut self.lines)[..count];
        self.ports = &mut std::mem::take(&mut self.ports)[..count];
    }
}

impl<P: QueuePort> OwnPorts for AlikePorts<'_, P> {
    #[inline(always)]
    fn data_queued(
        &mut self,
        out: usize,
        now: Time,
        frame: Frame,
        world: &mut World<'_>,
    ) -> Option<u64> {
        self.ports[out].data_queued(now, frame, &mut self.lines[out], world)
    }

    #[inline(always)]
    fn enqueue(&mut self, out: usize, arriving: Arriving, world: &mut World<'_>) -> Bytes {
        self.ports[out].enqueue(arriving, &mut self.lines[out], world)
    }

    #[inline]
    fn carry_out(&mut self, out: usize, until: Time, world: &mut World<'_>) -> (Time, u64) {
        let (port, line) = (&mut self.ports[out], &mut self.lines[out]);
        (carry_out(port, line, until, world), port.freed_bytes())
    }

    #[inline]
    fn queue(&mut self, out: usize, now: Time, world: &mut World<'_>) -> Queue {
        self.ports[out].queue(now, &mut self.lines[out], world)
    }

    fn general(&mut self, out: usize) -> Option<(&mut Port, &mut Line)> {
        Some((self.ports[out].as_general()?, &mut self.lines[out]))
    }

    #[inline(always)]
    fn carry_out_busy(&mut self, busy: &mut [u64], until: Time, world: &mut World<'_>) -> Time {
        carry_out_alike(busy, self.ports, self.lines, until, world)
    }
}

/// [`OwnPorts::carry_out_busy`], apart from the loop over arrivals, which needs the registers.
#[inline(never)]
fn carry_out_alike<P: QueuePort>(
    busy: &mut [u64],
    ports: &mut [P],
    lines: &mut [Line],
    until: Time,
    world: &mut World<'_>,
) -> Time {
    replay_ports(busy, |out| carry_out(&mut ports[out], &mut lines[out], until, world))
}

/// Carries out what a port has to up to and including `until`. Returns when it next has to.
#[inline]
pub(super) fn carry_out<P: QueuePort>(
    port: &mut P,
    line: &mut Line,
    until: Time,
    world: &mut World<'_>,
) -> Time {
    port.carry_out(until, line, world);
    port.next_action(until, line)
}

/// Ports of any kinds; the lines are the switch's own, and more.
pub(in crate::engine) struct MixedPorts<'s> {
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) ports: &'s mut SwitchPorts,
}

impl OwnPorts for MixedPorts<'_> {
    fn data_queued(
        &mut self,
        out: usize,
        now: Time,
        frame: Frame,
        world: &mut World<'_>,
    ) -> Option<u64> {
        let line = &mut self.lines[out];
        let number = line.place.number();
        of_kind!(mut self.ports, line.place.kind(), ports => {
            ports[number].data_queued(now, frame, line, world)
        })
    }

    fn enqueue(&mut self, out: usize, arriving: Arriving, world: &mut World<'_>) -> Bytes {
        self.ports.enqueue(arriving, &mut self.lines[out], world)
    }

    fn carry_out(&mut self, out: usize, until: Time, world: &mut World<'_>) -> (Time, u64) {
        let line = &mut self.lines[out];
        let next = self.ports.carry_out(until, line, world);
        let number = line.place.number();
        (next, of_kind!(self.ports, line.place.kind(), ports => ports[number].freed_bytes()))
    }

    #[inline]
    fn queue(&mut self, out: usize, now: Time, world: &mut World<'_>) -> Queue {
        self.ports.queue(now, &mut self.lines[out], world)
    }

    fn general(&mut self, out: usize) -> Option<(&mut Port, &mut Line)> {
        let line = &mut self.lines[out];
        let is_general = line.place.kind() == PortKind::General;
        is_general.then(|| (&mut self.ports.general[line.place.number()], line))
    }

    fn carry_out_busy(&mut self, busy: &mut [u64], until: Time, world: &mut World<'_>) -> Time {
        replay_ports(busy, |out| self.ports.carry_out(until, &mut self.lines[out], world))
    }
}
