//! The ports of switches: what is asked of all kinds of them, and the kinds.

pub(super) mod fast;
pub(super) mod general;
pub(super) mod kinds;
pub(super) mod scheduler;

use crate::engine::link::Line;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::world::World;
use crate::record::PortRecord;
use crate::wire::frame::Frame;
use fast::priority::waiting::Gone;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};

/// A port of any kind, as it stands behind its link's line.
pub(super) trait QueuePort: Sized {
    /// How many lanes what arrives at a port is sorted into, where all of a window is there at once.
    const LANES: usize = 1;

    /// The lane of a frame, below [`LANES`](Self::LANES).
    #[inline(always)]
    fn lane(_: Frame) -> u32 {
        0
    }

    /// Takes all that comes in a window, in order of time and in-port, and nothing else does. Returns
    /// whether anything came.
    #[inline(always)]
    fn enqueue_all(
        &mut self,
        came: LaneArrivals<'_>,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        came.enqueue_each(self, line, world)
    }

    /// Takes a frame that arrives. Returns how much of it joined a queue.
    fn enqueue(&mut self, arriving: Arriving, line: &mut Line, world: &mut World<'_>) -> Bytes;

    /// Bytes of the queue of data that a frame would join, frame in service included, after what has
    /// left at or before `now`; `None` for frames that have a queue of control to themselves.
    fn data_queued(
        &mut self,
        now: Time,
        frame: Frame,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Option<u64>;

    /// Bytes that have been queued and are not any more, as far as has been carried out.
    fn freed_bytes(&self) -> u64;

    /// What is queued or in service after what has left at or before `now`, and the present
    /// capacity of each data class.
    fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue;

    /// Carries out everything due up to and including `until`.
    fn carry_out(&mut self, until: Time, line: &mut Line, world: &mut World<'_>);

    /// When the port next has something to carry out after `now`; never, while it is empty or cut off
    /// for good.
    fn next_action(&self, now: Time, line: &Line) -> Time;

    /// Asks for what the next frames touch beyond the port itself.
    fn prefetch(&self);

    /// Gives back memory that a burst took.
    fn shrink(&mut self);

    fn record(&self) -> &PortRecord;

    /// The port, if it is a general one.
    fn as_general(&mut self) -> Option<&mut general::Port> {
        None
    }

    /// Data packets that are not on the link's ring, and pulls and requests.
    fn queued(&self) -> (u64, u64);
}

/// A port of a switch whose memory's policy hears sums of what leaves.
pub(super) trait ToldPort: QueuePort {
    /// Bytes of a data class, frame in service included, as far as has been carried out; and, if there
    /// are none, when the last left.
    fn data_left(&self, class: usize) -> (u64, Time);

    /// The same bytes of control, after [`QueuePort::carry_out`].
    fn control_queued(&self) -> u64;

    /// Most bytes of each data class.
    fn data_capacity(&self) -> Bytes;

    /// [`Waiting::gone`](fast::priority::waiting::Waiting::gone).
    fn gone(&mut self) -> Option<&mut Vec<Gone>>;

    /// [`Waiting::control_gone`](fast::priority::waiting::Waiting::control_gone).
    fn control_gone(&mut self, until: Time) -> Option<(Time, u64)>;

    /// Drops the last frame of a data class that waits, for want of memory. Returns its bytes; nothing,
    /// if none waits.
    fn push_out(&mut self, now: Time, class: usize, world: &mut World<'_>) -> Option<Bytes>;
}

/// What room the memory of a switch has for an arriving frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// For the frame as it is, as far as the memory decides.
    pub(super) frame: bool,
    /// For its header.
    pub(super) header: bool,
}

impl Room {
    /// Where ports do not share memory.
    pub(super) const AMPLE: Self = Self { frame: true, header: true };
}

/// A frame that comes to a port's queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving {
    /// When.
    pub(super) now: Time,
    /// The in-port of the same switch that it came in through.
    pub(super) came_in: PortId,
    pub(super) frame: Frame,
    /// The room that the switch's memory has for it.
    pub(super) room: Room,
}

/// A frame that joined a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    /// The class of data, where the queue is one of data.
    pub(super) data: Option<usize>,
    /// What is left of the frame.
    pub(super) bytes: Bytes,
}

/// What arrives in a window at a plain switch, sorted by lane.
pub(super) struct LaneArrivals<'s> {
    pub(super) arrivals: &'s mut Arrivals,
    /// The first lane of the port that is meant.
    pub(super) first_lane: usize,
    /// When the window starts.
    pub(super) start: Time,
    /// The last instant of the window.
    pub(super) until: Time,
    /// The switch's first port in the fabric.
    pub(super) first_id: u32,
}

impl LaneArrivals<'_> {
    /// [`QueuePort::enqueue_all`] of a port of one lane: one frame after the other.
    #[inline(always)]
    pub(super) fn enqueue_each<P: QueuePort>(
        self,
        port: &mut P,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        let Self { arrivals, first_lane, start, first_id, .. } = self;
        let lane = arrivals.lane(first_lane);
        for (at, in_port, frame) in lane.iter() {
            let came_in = PortId(first_id + in_port);
            port.enqueue(
                Arriving { now: Time(start.0 + at), came_in, frame, room: Room::AMPLE },
                line,
                world,
            );
        }
        !lane.is_empty()
    }
}
