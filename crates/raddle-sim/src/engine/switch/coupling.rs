//! Couplings: what the ports of a switch share, and so when it is carried out what they have to do.
//!
//! [`Alone`]: each on its own. [`Pooled`](super::shared_memory::Pooled): they share memory.
//! [`Told`](super::told_memory::Told): they do, and its policy hears sums of what leaves.
//! [`OrderedPorts`](super::ordered::OrderedPorts): they are replayed together, in order of time.

use crate::engine::port::{Arriving, Room};
use crate::engine::switch::busy::note_busy;
use crate::engine::switch::own_ports::OwnPorts;
use crate::engine::world::World;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

/// What differs between switches in how arrivals are taken to queues. Ports are counted within the
/// switch.
pub(in crate::engine) trait Coupling<'w> {
    type Own: OwnPorts;

    /// Whether it is ordered: frames of flow control may come, and a plain switch may have notes.
    const ORDERED: bool = false;

    /// The ports, and what they share with others.
    fn own(&mut self) -> (&mut Self::Own, &mut World<'w>);

    /// Busy ports, ports and the rest, where each port may take all of a window before the next one does.
    #[inline(always)]
    fn port_by_port(&mut self) -> Option<(&mut [u64], &mut Self::Own, &mut World<'w>)> {
        None
    }

    /// So much arrives in the window that looking at a port in vain costs less than noting each frame's.
    #[inline(always)]
    fn expect_many(&mut self, _ports: usize) {}

    /// Carries out what has to be up to and including `now` before something arrives then.
    fn before(&mut self, now: Time);

    /// A PFC frame has come to a port from its far end.
    #[inline(always)]
    fn on_pause(&mut self, _now: Time, _in_port: u32, _frame: Frame) {}

    /// Takes a frame that came in through one port to the queue of another.
    fn enqueue(&mut self, now: Time, way: (u32, u32), frame: Frame);

    /// Carries out what is due up to and including `until`. Returns when something next is.
    fn finish(&mut self, until: Time) -> Time;
}

/// The ports of a switch, and what they share with others.
pub(in crate::engine) struct Site<'s, 'w, O> {
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) busy: &'s mut [u64],
    pub(in crate::engine) own: O,
    pub(in crate::engine) world: &'s mut World<'w>,
}

/// Ports that share nothing.
pub(in crate::engine) struct Alone<'s, 'w, O> {
    site: Site<'s, 'w, O>,
    /// Whether it is noted of each frame that its port is busy.
    notes_busy: bool,
}

impl<'s, 'w, O> Alone<'s, 'w, O> {
    pub(in crate::engine) fn new(site: Site<'s, 'w, O>) -> Self {
        Self { site, notes_busy: true }
    }
}

impl<'w, O: OwnPorts> Coupling<'w> for Alone<'_, 'w, O> {
    type Own = O;

    #[inline(always)]
    fn own(&mut self) -> (&mut O, &mut World<'w>) {
        (&mut self.site.own, self.site.world)
    }

    #[inline(always)]
    fn port_by_port(&mut self) -> Option<(&mut [u64], &mut O, &mut World<'w>)> {
        let Site { busy, own, world, .. } = &mut self.site;
        Some((busy, own, world))
    }

    #[inline(always)]
    fn expect_many(&mut self, ports: usize) {
        fill(self.site.busy, ports);
        self.notes_busy = false;
    }

    #[inline(always)]
    fn before(&mut self, _: Time) {}

    #[inline(always)]
    fn enqueue(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) {
        let Site { first_id, busy, own, world } = &mut self.site;
        if self.notes_busy {
            note_busy(busy, out as usize);
        }
        let came_in = PortId(*first_id + in_port);
        own.enqueue(out as usize, Arriving { now, came_in, frame, room: Room::AMPLE }, world);
    }

    #[inline(always)]
    fn finish(&mut self, until: Time) -> Time {
        let Site { busy, own, world, .. } = &mut self.site;
        own.carry_out_busy(busy, until, world)
    }
}

/// Sets the first `count` bits.
fn fill(bits: &mut [u64], count: usize) {
    for (index, word) in bits.iter_mut().enumerate() {
        *word = !0 >> (64 - (count - index * 64).min(64));
    }
}
