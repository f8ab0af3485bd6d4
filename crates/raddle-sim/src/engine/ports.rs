//! The switch ports of a part, of all kinds.

use super::around::{QueuePort, Room};
use super::fast;
use super::fast::fifo::FifoPort;
use super::fast::priority::PriorityPort;
use super::fast::waiting::{OneClass, SeveralClasses};
use super::line::{FarEnd, Line, Place, PortKind};
use super::port::{Port, World};
use super::prefetch::prefetch_lines;
use crate::net::frame::Frame;
use crate::net::port::PortFacts;
use crate::plan::Plan;
use crate::record::PortRecord;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};

/// Ports of switches by kind; a [`Line::place`] says where a line's port is.
#[derive(Default)]
pub(super) struct SwitchPorts {
    pub(super) fifo: Vec<FifoPort>,
    pub(super) priority: Vec<PriorityPort<OneClass>>,
    pub(super) classes: Vec<PriorityPort<SeveralClasses>>,
    pub(super) general: Vec<Port>,
}

/// Does the same with the ports of one kind, whichever that is.
macro_rules! of_kind {
    ($ports:expr, $kind:expr, $list:ident => $body:expr) => {
        match $kind {
            PortKind::Fifo => {
                let $list = &$ports.fifo;
                $body
            }
            PortKind::Priority => {
                let $list = &$ports.priority;
                $body
            }
            PortKind::Classes => {
                let $list = &$ports.classes;
                $body
            }
            PortKind::General => {
                let $list = &$ports.general;
                $body
            }
        }
    };
    (mut $ports:expr, $kind:expr, $list:ident => $body:expr) => {
        match $kind {
            PortKind::Fifo => {
                let $list = &mut $ports.fifo;
                $body
            }
            PortKind::Priority => {
                let $list = &mut $ports.priority;
                $body
            }
            PortKind::Classes => {
                let $list = &mut $ports.classes;
                $body
            }
            PortKind::General => {
                let $list = &mut $ports.general;
                $body
            }
        }
    };
}
pub(super) use of_kind;

impl SwitchPorts {
    /// Adds a port, of a switch whose memory has `memory` bytes. Returns the line of its link.
    pub(super) fn add(
        &mut self,
        plan: &Plan,
        id: PortId,
        facts: PortFacts,
        far_end: FarEnd,
        memory: u64,
    ) -> Line {
        let kind = fast::kind(plan, id, &facts, memory);
        let (latency, rate) = (facts.latency, facts.rate);
        let place = Place::new(kind, of_kind!(self, kind, ports => ports.len()));
        match kind {
            PortKind::Fifo => self.fifo.push(FifoPort::new(plan, id, facts, far_end)),
            PortKind::Priority => self.priority.push(PriorityPort::new(plan, id, facts, far_end)),
            PortKind::Classes => self.classes.push(PriorityPort::new(plan, id, facts, far_end)),
            PortKind::General => self.general.push(Port::new(plan, id, facts, far_end)),
        }
        match kind {
            PortKind::General => Line::new(latency, place),
            _ => Line::of_fast_port(latency, place, rate),
        }
    }

    /// [`QueuePort::enqueue`] at the port of `line`.
    #[inline]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        came_in: PortId,
        frame: Frame,
        room: Room,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        let number = line.place.number();
        of_kind!(mut self, line.place.kind(), ports => {
            ports[number].enqueue(now, came_in, frame, room, line, world)
        })
    }

    /// [`QueuePort::queue`] at the port of `line`.
    #[inline]
    pub(super) fn queue(&mut self, now: Time, line: &mut Line, world: &mut World<'_>) -> Queue {
        let number = line.place.number();
        of_kind!(mut self, line.place.kind(), ports => ports[number].queue(now, line, world))
    }

    /// Carries out what the port of `line` has to up to and including `until`. Returns when it next
    /// has to.
    #[inline]
    pub(super) fn carry_out(
        &mut self,
        until: Time,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Time {
        let number = line.place.number();
        of_kind!(mut self, line.place.kind(), ports => {
            let port = &mut ports[number];
            port.carry_out(until, line, world);
            port.next_action(until, line)
        })
    }

    /// Gives back memory that a burst took, if anything queues at this place.
    pub(super) fn shrink(&mut self, place: Place) {
        of_kind!(mut self, place.kind(), ports => {
            ports.get_mut(place.number()).into_iter().for_each(QueuePort::shrink);
        });
    }

    /// What passed the port at a place.
    pub(super) fn record(&self, place: Place) -> &PortRecord {
        of_kind!(self, place.kind(), ports => ports[place.number()].record())
    }

    /// Asks for the first cache lines of a port.
    #[inline]
    pub(super) fn prefetch(&self, kind: PortKind, number: u32) {
        let lines = match kind {
            PortKind::Fifo | PortKind::Priority => 2,
            PortKind::General => 4,
            PortKind::Classes => 6,
        };
        of_kind!(self, kind, ports => {
            prefetch_lines((&raw const ports[number as usize]).cast(), lines);
        });
    }

    /// Asks for what the next frames touch beyond the port itself.
    #[inline]
    pub(super) fn prefetch_queues(&self, kind: PortKind, number: u32) {
        of_kind!(self, kind, ports => ports[number as usize].prefetch());
    }

    /// Data packets queued that are not on a link's ring, and pulls and requests.
    pub(super) fn queued(&self) -> (u64, u64) {
        const KINDS: [PortKind; 4] =
            [PortKind::Fifo, PortKind::Priority, PortKind::Classes, PortKind::General];
        let each = KINDS.iter().map(|kind| {
            of_kind!(self, kind, ports => {
                ports.iter().map(QueuePort::queued).fold((0, 0), add)
            })
        });
        each.fold((0, 0), add)
    }
}

fn add(all: (u64, u64), own: (u64, u64)) -> (u64, u64) {
    (all.0 + own.0, all.1 + own.1)
}
