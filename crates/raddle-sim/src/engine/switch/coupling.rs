//! Couplings: what the ports of a switch share, and so when it is carried out what they have to do.
//!
//! [`Alone`]: each on its own. [`Pooled`]: they share memory. [`Told`](super::told_memory::Told): they do,
//! and its policy hears sums of what leaves. [`OrderedPorts`](super::ordered::OrderedPorts): they are
//! replayed together, in order of time.

use super::asleep::Asleep;
use super::busy::{note_busy, replay_ports};
use super::own_ports::OwnPorts;
use super::shared_memory::Pool;
use crate::engine::port::{Arriving, Room};
use crate::engine::world::World;
use crate::middleware::Middleware;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

/// What differs between switches in how arrivals are taken to queues. Ports are counted within the
/// switch.
pub(in crate::engine) trait Coupling<'w> {
    type Own: OwnPorts;

    /// Whether it is ordered: frames of flow control may come, and a plain switch may have notes.
    const ORDERED: bool = false;

    /// Whether each port may take all of a window before the next one does.
    const PORT_BY_PORT: bool = false;

    /// All that it has.
    fn parts(&mut self) -> Parts<'_, 'w, Self::Own>;

    /// A window begins in which so much comes in.
    #[inline(always)]
    fn begin(&mut self, _incoming: impl FnOnce() -> Bytes) {}

    /// So much arrives in the window that looking at a port in vain costs less than noting each frame's.
    #[inline(always)]
    fn expect_many(&mut self, _ports: usize) {}

    /// Carries out what has to be up to and including `until` before something arrives then.
    fn before(&mut self, until: Time);

    /// The same up to the first instant at which middleware may send something, which is returned; if
    /// there is none, all of it.
    #[inline]
    fn before_next(&mut self, until: Time) -> Option<Time> {
        self.before(until);
        None
    }

    /// A PFC frame has come to a port from its far end.
    #[inline(always)]
    fn on_pause(&mut self, _now: Time, _in_port: u32, _frame: Frame) {}

    /// A frame that came in through a port has no way to go on: it is lost here.
    #[inline(always)]
    fn lose(&mut self, _now: Time, _in_port: u32, _frame: Frame) {}

    /// Takes a frame that came in through one port to the queue of another.
    fn enqueue(&mut self, now: Time, way: (u32, u32), frame: Frame);

    /// Carries out what is due up to and including `until`. Returns when something next is. Ports that have
    /// nothing to carry out for a while are put among those `asleep`, where there are any.
    fn finish(&mut self, until: Time, asleep: Option<&mut Asleep>) -> Time;
}

/// What a coupling has, each for itself.
pub(in crate::engine) struct Parts<'t, 'w, O> {
    pub(in crate::engine) busy: &'t mut [u64],
    pub(in crate::engine) own: &'t mut O,
    pub(in crate::engine) pool: Option<&'t mut Pool>,
    pub(in crate::engine) tor: Option<&'t mut Middleware>,
    pub(in crate::engine) world: &'t mut World<'w>,
}

/// The ports of a switch, with what any coupling has.
pub(in crate::engine) struct Site<'s, 'w, O> {
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) busy: &'s mut [u64],
    pub(in crate::engine) own: O,
    pub(in crate::engine) tor: Option<&'s mut Middleware>,
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl<'w, O> Site<'_, 'w, O> {
    #[inline(always)]
    pub(super) fn parts<'t>(&'t mut self, pool: Option<&'t mut Pool>) -> Parts<'t, 'w, O> {
        let tor = self.tor.as_deref_mut();
        Parts { busy: self.busy, own: &mut self.own, pool, tor, world: self.world }
    }
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

    const PORT_BY_PORT: bool = true;

    #[inline(always)]
    fn parts(&mut self) -> Parts<'_, 'w, O> {
        self.site.parts(None)
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
        let Site { first_id, busy, own, world, .. } = &mut self.site;
        if self.notes_busy {
            note_busy(busy, out as usize);
        }
        let came_in = PortId(*first_id + in_port);
        own.enqueue(out as usize, Arriving { now, came_in, frame, room: Room::AMPLE }, world);
    }

    #[inline(always)]
    fn finish(&mut self, until: Time, asleep: Option<&mut Asleep>) -> Time {
        let Site { busy, own, world, .. } = &mut self.site;
        match asleep {
            None => own.carry_out_busy(busy, until, world),
            Some(asleep) => {
                replay_ports(busy, |out| asleep.put(out, own.carry_out(out, until, world).0));
                asleep.next()
            }
        }
    }
}

/// Ports that share memory: one takes room from the others, so arrivals stay in order.
pub(in crate::engine) struct Pooled<'s, 'w, O> {
    pub(in crate::engine) site: Site<'s, 'w, O>,
    pub(in crate::engine) pool: &'s mut Pool,
}

impl<'w, O: OwnPorts> Coupling<'w> for Pooled<'_, 'w, O> {
    type Own = O;

    #[inline(always)]
    fn parts(&mut self) -> Parts<'_, 'w, O> {
        self.site.parts(Some(self.pool))
    }

    #[inline(always)]
    fn before(&mut self, _: Time) {}

    #[inline(always)]
    fn enqueue(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) {
        let Site { first_id, busy, own, world, .. } = &mut self.site;
        let way = (PortId(*first_id + in_port), out as usize);
        self.pool.enqueue(now, way, frame, busy, own, world);
    }

    #[inline(always)]
    fn finish(&mut self, until: Time, asleep: Option<&mut Asleep>) -> Time {
        let Site { busy, own, world, .. } = &mut self.site;
        match asleep {
            None => self.pool.carry_out(until, busy, own, world),
            Some(asleep) => {
                replay_ports(busy, |out| {
                    let (action, gone) = own.carry_out(out, until, world);
                    self.pool.note_freed(out, gone);
                    asleep.put(out, action)
                });
                asleep.next()
            }
        }
    }
}

/// Sets the first `count` bits.
fn fill(bits: &mut [u64], count: usize) {
    for (index, word) in bits.iter_mut().enumerate() {
        *word = !0 >> (64 - (count - index * 64).min(64));
    }
}
