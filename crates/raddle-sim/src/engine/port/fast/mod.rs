//! Fast ports: departures are computed when they are certain.
//!
//! For ports of one class, and of those where control goes first, whose link never changes and is
//! always open. A frame whose departure nothing can change any more goes on the ring of the link at
//! once: with one class ([`fifo`]) every frame when it joins, else ([`priority`]) control frames when
//! they join and data when it starts. A cursor over the ring says what has left; moving it on carries
//! out what a departure does: counters, waking the far end. Outcomes are those of the general port, bit
//! for bit.

pub(in crate::engine) mod fifo;
pub(in crate::engine) mod priority;

use crate::engine::link::outbox::Handover;
use crate::engine::link::{Departed, FarEnd, Line, PortKind};
use crate::engine::schedule::calendar::Wake;
use crate::engine::world::World;
use crate::plan::{OrderedWhen, Overflow, Plan, Service};
use crate::record::{DropCause, PortRecord};
use crate::retry::RetryFacts;
use crate::wire::frame::Frame;
use crate::wire::note::Carriers;
use crate::wire::port_facts::PortFacts;
use crate::wire::serialisation::Wire;
use raddle_schemes::ids::PortId;
use raddle_schemes::marking::{AnyMarker, QueueState};
use raddle_schemes::size::{Size, UNLIMITED};
use raddle_schemes::units::{Bytes, Time};

/// What a switch asks of its ports.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Asked {
    /// Bytes of its memory.
    pub(in crate::engine) memory: u64,
    /// When it is ordered.
    pub(in crate::engine) ordered: OrderedWhen,
    /// Whether it hears of each frame of data that leaves.
    pub(in crate::engine) logs: bool,
}

/// The kind of a switch port.
pub(in crate::engine) fn kind(
    plan: &Plan,
    id: PortId,
    facts: &PortFacts,
    asked: Asked,
) -> PortKind {
    let Asked { memory, ordered, logs } = asked;
    match plan.queue.service {
        // Only queues of their own have notes beside them, or a table of classes.
        _ if ordered != OrderedWhen::Never || Carriers::of(plan).is_some() => PortKind::General,
        _ if plan.queue.has_class_table() || facts.unlimited != 0 => PortKind::General,
        _ if RetryFacts::of(plan, id).is_some() => PortKind::General,
        _ if !serves(plan, id, facts, memory) => PortKind::General,
        Service::Fifo => PortKind::Fifo,
        _ if plan.queue.classes == 1 && !logs => PortKind::Priority,
        _ => PortKind::Classes,
    }
}

/// Whether a port of this plan may be a fast one.
fn serves(plan: &Plan, id: PortId, facts: &PortFacts, memory: u64) -> bool {
    let queue = &plan.queue;
    // A ring orders what waits when it comes: a turn of data is not known then.
    let is_strict = queue.control_weight.is_none();
    let discipline = match queue.service {
        Service::Priority => true,
        // A header cut here goes first, one cut elsewhere does not: the ring cannot tell.
        Service::Fifo => queue.overflow == Overflow::Drop,
        // Turns of one class are priority in other words: left to real queues, which they measure.
        Service::Drr | Service::Wrr => queue.classes > 1,
    };
    let unchanging = plan.faults.changes_of(id).is_empty() && plan.gate(id).is_none();
    let whole = Wire::new(facts.rate).whole_ps_per_byte().filter(|&ps| u32::try_from(ps).is_ok());
    // Times of 32 bits are compared for the first frame that has not left: it leaves no later than
    // the gap and its own time after the one before.
    let next = (plan.packet().max(plan.transport.ack) + queue.gap).0;
    let ahead = whole.and_then(|ps_per_byte| ps_per_byte.checked_mul(next));
    discipline
        && is_strict
        && unchanging
        && (facts.capacity < LARGEST || (facts.capacity == UNLIMITED.0 && memory < LARGEST))
        && queue.control_size == Size::Unlimited
        && ahead.is_some_and(|ahead| ahead.saturating_add(facts.latency.0) < 1 << 30)
}

/// More than a queue of a fast port ever holds.
const LARGEST: u64 = 1 << 31;

/// Up to this many bytes nothing is marked, or dropped for the capacity of the queue.
fn never_marked(facts: &PortFacts) -> u32 {
    facts.marker.never_below().0.min(facts.capacity).min(LARGEST) as u32
}

/// What fast ports have in common, in the order in which a window needs it.
#[repr(C)]
pub(in crate::engine) struct Common {
    far_end: FarEnd,
    id: PortId,
    record: PortRecord,
    /// `u32::MAX` where the queue has no limit of its own.
    capacity: u32,
    /// Up to this many bytes nothing at the port depends on the exact occupancy, but for its maximum.
    careless: u32,
    marker: AnyMarker,
    mark_stream: u64,
}

impl Common {
    fn new(id: PortId, facts: PortFacts, far_end: FarEnd, careless: u32) -> Self {
        Self {
            far_end,
            id,
            record: PortRecord::default(),
            capacity: facts.capacity.try_into().unwrap_or(u32::MAX),
            careless,
            marker: facts.marker,
            mark_stream: facts.mark_stream,
        }
    }

    /// What departures wake, if they are `uniform`.
    #[inline(always)]
    fn alike(&self, uniform: bool) -> Option<Wake> {
        match self.far_end {
            FarEnd::Here(wake) if uniform => Some(wake),
            _ => None,
        }
    }

    /// Most bytes of a queue.
    #[inline]
    fn capacity(&self) -> Bytes {
        if self.capacity == u32::MAX { UNLIMITED } else { Bytes(self.capacity.into()) }
    }

    #[inline(always)]
    fn count(&mut self, left: &Departed) {
        self.record.frames += u64::from(left.frames);
        self.record.bytes += left.bytes;
        self.record.data_frames += left.data_frames;
    }

    /// A frame, the first on the ring that was not known to have left, left at `departure`.
    fn depart(&mut self, departure: Time, frame: Frame, line: &mut Line, world: &mut World<'_>) {
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
        world.recorder.departed(self.id, departure, frame);
        let arrival = departure + line.latency();
        match self.far_end {
            FarEnd::Here(wake) => {
                line.departed += 1;
                line.wake_for(arrival, wake, &mut world.calendar);
            }
            FarEnd::Elsewhere { part, line: there } => {
                line.ring.skip(1);
                let handover = Handover { line: there, arrival, frame };
                world.outbox.frames[part as usize].push(handover);
            }
        }
    }

    /// Whether a frame is marked, which finds or leaves `bytes` and has the number `event`.
    #[inline]
    fn judge(&mut self, now: Time, bytes: u64, event: u64, world: &mut World<'_>) -> bool {
        let queue = QueueState { bytes: Bytes(bytes), stream: self.mark_stream, event };
        let marked = self.marker.mark(&queue);
        if marked {
            self.record.marked += 1;
            world.recorder.marked(self.id, now);
        }
        marked
    }

    /// Returns that nothing joined.
    #[cold]
    fn drop(&mut self, now: Time, frame: Frame, world: &mut World<'_>) -> Bytes {
        self.record.drop(frame, DropCause::Overflow);
        world.hosts.note_dropped(frame);
        world.recorder.dropped(self.id, now, frame, DropCause::Overflow);
        Bytes(0)
    }
}
