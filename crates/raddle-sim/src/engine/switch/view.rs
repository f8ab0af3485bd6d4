//! What a switch scheme sees of its switch when it chooses: two views, of any switch and of a plain
//! one.

use crate::engine::link::Line;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::port::general::World;
use crate::engine::port::kinds::SwitchPorts;
use crate::record::PortRecord;
use crate::topology::Fabric;
use crate::topology::routing::{Forwarding, Ports, towards_pod};
use crate::wire::frame::Frame;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Group, Queue, Surroundings};
use raddle_schemes::units::{Bytes, Time};

/// A switch with a packet to `host` and its choices.
pub(in crate::engine) struct Around<'s, 'w> {
    /// The instant of which queues are looked at: what has left by then is not queued.
    pub(in crate::engine) seen: Time,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) host: HostId,
    pub(in crate::engine) choices: Ports<'s>,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    /// The switch's first port in this part, and in the fabric.
    pub(in crate::engine) first_port: u32,
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) ports: &'s mut SwitchPorts,
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl Surroundings for Around<'_, '_> {
    #[inline]
    fn port(&self, choice: usize) -> u32 {
        self.choices.get(choice).0 - self.first_id
    }

    #[inline]
    fn group(&self) -> Group {
        group_of(self.fabric, self.host)
    }

    #[inline]
    fn queue(&mut self, choice: usize) -> Queue {
        let line = &mut self.lines[(self.first_port + self.port(choice)) as usize];
        self.ports.queue(self.seen, line, self.world)
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        ports_towards_pod(self.fabric, self.forwarding, self.switch, self.host, self.first_id)
    }
}

/// What room the memory of a switch has for an arriving frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Room {
    /// For the frame as it is, as far as the memory decides.
    pub(in crate::engine) frame: bool,
    /// For its header.
    pub(in crate::engine) header: bool,
}

impl Room {
    /// Where ports do not share memory.
    pub(in crate::engine) const AMPLE: Self = Self { frame: true, header: true };
}

/// What arrives in a window at a plain switch, sorted by lane.
pub(in crate::engine) struct Came<'s> {
    pub(in crate::engine) arrivals: &'s mut Arrivals,
    /// The first lane of the port that is meant.
    pub(in crate::engine) first_lane: usize,
    /// When the window starts.
    pub(in crate::engine) start: Time,
    /// The last instant of the window.
    pub(in crate::engine) until: Time,
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
}

impl Came<'_> {
    /// [`QueuePort::enqueue_all`] of a port of one lane: one frame after the other.
    #[inline(always)]
    pub(in crate::engine) fn enqueue_each<P: QueuePort>(
        self,
        port: &mut P,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        let Self { arrivals, first_lane, start, first_id, .. } = self;
        let lane = arrivals.lane(first_lane);
        for (at, in_port, frame) in lane.iter() {
            let came_in = PortId(first_id + in_port);
            port.enqueue(Time(start.0 + at), came_in, frame, Room::AMPLE, line, world);
        }
        !lane.is_empty()
    }
}

/// A port of any kind, as it stands behind its link's line.
pub(in crate::engine) trait QueuePort: Sized {
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
    fn enqueue_all(&mut self, came: Came<'_>, line: &mut Line, world: &mut World<'_>) -> bool {
        came.enqueue_each(self, line, world)
    }

    /// Takes a frame that came in through `came_in`, an in-port of the same switch, whose memory has
    /// `room`. Returns how much of it joined a queue.
    fn enqueue(
        &mut self,
        now: Time,
        came_in: PortId,
        frame: Frame,
        room: Room,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes;

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
    fn gone(&self) -> u64;

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

    /// Data packets that are not on the link's ring, and pulls and requests.
    fn queued(&self) -> (u64, u64);
}

/// The same at a switch of a tree whose ports are all of one kind, and whose choices are a run of
/// ports.
pub(in crate::engine) struct AroundPlain<'s, 'w, P> {
    /// The instant of which queues are looked at.
    pub(in crate::engine) seen: Time,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) host: HostId,
    /// Whether the scheme says that its choices depend on nothing here.
    pub(in crate::engine) stateless: bool,
    /// The first choice's port, counted within the switch.
    pub(in crate::engine) first: u32,
    /// The switch's first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    /// The switch's own.
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
        group_of(self.fabric, self.host)
    }

    #[inline]
    fn queue(&mut self, choice: usize) -> Queue {
        // Else frames that came before may not have joined yet.
        debug_assert!(!self.stateless, "a scheme that says it is stateless reads queues");
        let number = self.first as usize + choice;
        self.ports[number].queue(self.seen, &mut self.lines[number], self.world)
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        ports_towards_pod(self.fabric, self.forwarding, self.switch, self.host, self.first_id)
    }
}

fn group_of(fabric: &Fabric, host: HostId) -> Group {
    Group { edge: fabric.edge(host).0, pod: fabric.pod(host) }
}

fn ports_towards_pod(
    fabric: &Fabric,
    forwarding: &Forwarding,
    switch: SwitchId,
    host: HostId,
    first_id: u32,
) -> Vec<(u32, u32)> {
    let ports = towards_pod(fabric, forwarding, switch, group_of(fabric, host).pod);
    ports.into_iter().map(|(port, weight)| (port.0 - first_id, weight)).collect()
}
