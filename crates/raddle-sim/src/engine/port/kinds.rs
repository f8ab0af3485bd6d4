//! The switch ports of a part, of all kinds.

use super::fast::fifo::FifoPort;
use super::fast::priority::PriorityPort;
use super::fast::priority::waiting::{OneClass, SeveralClasses};
use super::fast::{self, Asked};
use super::general::Port;
use crate::engine::cache::prefetch_lines;
use crate::engine::link::{FarEnd, Line, Place, PortKind};
use crate::engine::port::{Arriving, QueuePort};
use crate::engine::world::World;
use crate::plan::Plan;
use crate::record::PortRecord;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue;
use raddle_schemes::units::{Bytes, Time};

/// Ports of switches by kind; a [`Line::place`] says where a line's port is.
#[derive(Default)]
pub(in crate::engine) struct SwitchPorts {
    pub(in crate::engine) fifo: Vec<FifoPort>,
    pub(in crate::engine) priority: Vec<PriorityPort<OneClass>>,
    pub(in crate::engine) classes: Vec<PriorityPort<SeveralClasses>>,
    pub(in crate::engine) general: Vec<Port>,
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
pub(in crate::engine) use of_kind;

/// Whether ports of a kind are [told](super::ToldPort).
pub(in crate::engine) fn is_told(kind: PortKind) -> bool {
    matches!(kind, PortKind::Priority | PortKind::Classes)
}

/// The same as [`of_kind`] with the ports of a kind that [is told](is_told).
macro_rules! of_told_kind {
    ($ports:expr, $kind:expr, $list:ident => $body:expr) => {
        match $kind {
            PortKind::Priority => {
                let $list = &$ports.priority;
                $body
            }
            PortKind::Classes => {
                let $list = &$ports.classes;
                $body
            }
            PortKind::Fifo | PortKind::General => unreachable!("not a kind that is told"),
        }
    };
    (mut $ports:expr, $kind:expr, $list:ident => $body:expr) => {
        match $kind {
            PortKind::Priority => {
                let $list = &mut $ports.priority;
                $body
            }
            PortKind::Classes => {
                let $list = &mut $ports.classes;
                $body
            }
            PortKind::Fifo | PortKind::General => unreachable!("not a kind that is told"),
        }
    };
}
pub(in crate::engine) use of_told_kind;

impl SwitchPorts {
    /// Adds a port of a switch that asks for this. Returns the line of its link.
    pub(in crate::engine) fn add(
        &mut self,
        plan: &Plan,
        id: PortId,
        facts: PortFacts,
        far_end: FarEnd,
        asked: Asked,
    ) -> Line {
        let kind = fast::kind(plan, id, &facts, asked);
        let Asked { ordered, logs, .. } = asked;
        let (latency, rate) = (facts.latency, facts.rate);
        let place = Place::new(kind, of_kind!(self, kind, ports => ports.len()));
        match kind {
            PortKind::Fifo => self.fifo.push(FifoPort::new(plan, id, facts, far_end)),
            PortKind::Priority => {
                self.priority.push(PriorityPort::new(plan, id, facts, far_end, logs))
            }
            PortKind::Classes => {
                self.classes.push(PriorityPort::new(plan, id, facts, far_end, logs))
            }
            PortKind::General => self.general.push(Port::new(plan, id, facts, far_end, ordered)),
        }
        match kind {
            PortKind::General => Line::new(latency, place),
            _ => Line::of_fast_port(latency, place, rate),
        }
    }

    /// [`QueuePort::enqueue`] at the port of `line`.
    #[inline]
    pub(in crate::engine) fn enqueue(
        &mut self,
        arriving: Arriving,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Bytes {
        let number = line.place.number();
        of_kind!(mut self, line.place.kind(), ports => {
            ports[number].enqueue(arriving, line, world)
        })
    }

    /// [`QueuePort::queue`] at the port of `line`.
    #[inline]
    pub(in crate::engine) fn queue(
        &mut self,
        now: Time,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> Queue {
        let number = line.place.number();
        of_kind!(mut self, line.place.kind(), ports => ports[number].queue(now, line, world))
    }

    /// Carries out what the port of `line` has to up to and including `until`. Returns when it next
    /// has to.
    #[inline]
    pub(in crate::engine) fn carry_out(
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
    pub(in crate::engine) fn shrink(&mut self, place: Place) {
        of_kind!(mut self, place.kind(), ports => {
            ports.get_mut(place.number()).into_iter().for_each(QueuePort::shrink);
        });
    }

    /// What passed the port at a place.
    pub(in crate::engine) fn record(&self, place: Place) -> &PortRecord {
        of_kind!(self, place.kind(), ports => ports[place.number()].record())
    }

    /// Asks for the first cache lines of a port.
    #[inline]
    pub(in crate::engine) fn prefetch(&self, kind: PortKind, number: u32) {
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
    pub(in crate::engine) fn prefetch_queues(&self, kind: PortKind, number: u32) {
        of_kind!(self, kind, ports => ports[number as usize].prefetch());
    }

    /// Data packets queued that are not on a link's ring, and pulls and requests.
    pub(in crate::engine) fn queued(&self) -> (u64, u64) {
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
