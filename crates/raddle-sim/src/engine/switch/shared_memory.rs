//! Switches whose ports share memory.
//!
//! What left a port since it was last looked at still counts as in memory. A frame that is kept with
//! that, and makes no new maximum, would be kept without: nobody has to look. Any other makes all
//! ports catch up first.

use crate::engine::port::{Arriving, Room};
use crate::engine::switch::busy::{note_busy, replay_ports};
use crate::engine::switch::own_ports::OwnPorts;
use crate::engine::world::World;
use crate::host::Hosts;
use crate::record::TrainingRow;
use crate::wire::frame::{Frame, Kind};
use crate::wire::switch_memory::Memory;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::buffer::{Admission, Candidate, Departed, QueueId};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

/// A switch's memory, and what it knows of its ports.
pub(in crate::engine) struct Pool {
    pub(in crate::engine) memory: Memory,
    /// Per port: the bytes that have been in its queues and are not any more, as far as the memory
    /// has heard.
    gone: Vec<u64>,
    /// Whether its policy hears sums of what leaves, see [`super::told_memory`].
    pub(super) told: bool,
}

impl Pool {
    pub(in crate::engine) fn new(memory: Memory, ports: usize) -> Self {
        Self { memory, gone: vec![0; ports], told: false }
    }

    /// All of the memory.
    pub(in crate::engine) fn size(&self) -> u64 {
        self.memory.size()
    }

    /// Most bytes ever used.
    pub(in crate::engine) fn most(&self) -> u64 {
        self.memory.most()
    }

    /// Whether a frame of `size` would be kept whatever has left unseen, and makes no maximum; it
    /// finds `queued` bytes in its queue of data, or belongs to control.
    #[inline]
    pub(in crate::engine) fn is_ample(&self, out: u32, size: Bytes, queued: Option<u64>) -> bool {
        self.memory.is_ample(out, size, queued)
    }

    /// What room there is when all ports have caught up.
    pub(in crate::engine) fn room(
        &self,
        out: u32,
        size: Bytes,
        queued: Option<u64>,
        header: Bytes,
    ) -> Room {
        Room { frame: self.admits(out, size, queued), header: self.memory.has_room(out, header) }
    }

    #[inline]
    fn admits(&self, out: u32, size: Bytes, queued: Option<u64>) -> bool {
        match queued {
            Some(queued) => self.memory.admits(out, size, queued),
            None => self.memory.has_room(out, size),
        }
    }

    /// So much of a frame was kept at port `out`.
    #[inline]
    pub(in crate::engine) fn take(&mut self, out: u32, joined: Bytes) {
        self.memory.take(out, joined);
    }

    /// A frame was kept in a queue.
    #[inline]
    pub(in crate::engine) fn join(&mut self, now: Time, frame: &Candidate) {
        self.memory.join(now, frame);
    }

    /// [`Memory::pauses`].
    pub(in crate::engine) fn pauses(
        &mut self,
        now: Time,
        ingress: QueueId,
        paused: bool,
    ) -> Option<bool> {
        self.memory.pauses(now, ingress, paused)
    }

    /// [`Memory::pools`].
    pub(in crate::engine) fn pools(&self) -> Option<Pools> {
        self.memory.pools()
    }

    /// [`Memory::training`].
    pub(in crate::engine) fn training(&self) -> Option<Vec<TrainingRow>> {
        self.memory.training()
    }

    /// Hears that `gone` bytes in all have been at port `out` and are not any more.
    #[inline]
    pub(in crate::engine) fn note_freed(&mut self, out: usize, gone: u64) {
        self.memory.release(out as u32, Bytes(gone - self.gone[out]));
        self.gone[out] = gone;
    }

    /// Takes a frame that came in through `came_in` to the queue of port `out`.
    #[inline]
    pub(in crate::engine) fn enqueue(
        &mut self,
        now: Time,
        (came_in, out): (PortId, usize),
        frame: Frame,
        busy: &mut [u64],
        ports: &mut impl OwnPorts,
        world: &mut World<'_>,
    ) {
        let queued = ports.data_queued(out, now, frame, world);
        let room = if self.is_ample(out as u32, frame.size(), queued) {
            Room::AMPLE
        } else {
            self.carry_out(now, busy, ports, world);
            self.room(out as u32, frame.size(), queued, world.discipline.header)
        };
        note_busy(busy, out);
        let joined = ports.enqueue(out, Arriving { now, came_in, frame, room }, world);
        self.take(out as u32, joined);
    }

    /// Carries out what busy ports have to up to and including `until`. Returns when the first next
    /// has to.
    #[inline(never)]
    pub(in crate::engine) fn carry_out(
        &mut self,
        until: Time,
        busy: &mut [u64],
        ports: &mut impl OwnPorts,
        world: &mut World<'_>,
    ) -> Time {
        replay_ports(busy, |out| {
            let (next, gone) = ports.carry_out(out, until, world);
            self.note_freed(out, gone);
            next
        })
    }
}

/// Where the policy sees the whole switch.
impl Pool {
    /// [`Memory::sees_switch`].
    #[inline]
    pub(in crate::engine) fn sees_switch(&self) -> bool {
        self.memory.sees_switch()
    }

    /// Whether a frame for a port fits.
    pub(in crate::engine) fn has_room(&self, out: u32, bytes: Bytes) -> bool {
        self.memory.has_room(out, bytes)
    }

    /// [`Memory::ask`].
    pub(in crate::engine) fn ask(&mut self, now: Time, frame: &Candidate) -> Admission {
        self.memory.ask(now, frame)
    }

    /// [`Memory::leave`].
    pub(in crate::engine) fn leave(&mut self, now: Time, frame: &Departed) {
        self.memory.leave(now, frame);
    }

    /// When the policy wants to be called next.
    #[inline]
    pub(in crate::engine) fn timer_at(&self) -> Time {
        self.memory.next_timer()
    }

    /// [`Memory::ignores_order`].
    pub(in crate::engine) fn ignores_order(&self, incoming: Bytes) -> bool {
        self.memory.ignores_order(incoming)
    }

    /// [`Memory::answers_early`].
    pub(in crate::engine) fn answers_early(&self) -> bool {
        self.memory.answers_early()
    }

    /// [`Memory::ask_early`].
    #[inline]
    pub(in crate::engine) fn ask_early(&mut self, now: Time, frame: &Candidate) -> Option<bool> {
        self.memory.ask_early(now, frame)
    }

    /// [`Memory::on_timer`].
    pub(in crate::engine) fn on_timer(&mut self, now: Time) {
        self.memory.on_timer(now);
    }
}

/// A frame of `bytes` that came in through a port and wants to join a queue, as a policy sees it;
/// `data` is the frame, unless of one of data only the header is left.
pub(super) fn candidate(
    hosts: &Hosts<'_>,
    (came_in, queue): (u32, QueueId),
    bytes: Bytes,
    data: Option<Frame>,
) -> Candidate {
    let flow = data.filter(|frame| frame.is(Kind::Data)).map(|frame| hosts.flow_key(frame));
    Candidate { queue, came_in, bytes, ahead: data.and_then(|frame| frame.ahead()), flow }
}
