//! Switches whose frames go by slices of circuits: what still waits when its lane closes is sent on.
//!
//! Lanes that close at an instant give up what is late after departures and starts of that instant and
//! before its arrivals: lane by lane in order of port, each queue by queue, each in order.

use super::busy::note_busy;
use super::closings::Closings;
use super::coupling::{Coupling, Parts};
use super::general::{GeneralSwitch, Way};
use super::own_ports::OwnPorts;
use super::shared_memory::Pool;
use crate::engine::port::QueuePort;
use crate::engine::world::World;
use crate::record::DropCause;
use raddle_schemes::ids::PortId;
use raddle_schemes::tor::Queues;
use raddle_schemes::units::Time;

/// The queues of a switch, of data that waits for circuits, carried out up to now.
struct InLine<'s, 'w, O> {
    now: Time,
    first_id: u32,
    waiting: u8,
    own: &'s mut O,
    pool: Option<&'s mut Pool>,
    world: &'s mut World<'w>,
}

impl<O: OwnPorts> Queues for InLine<'_, '_, O> {
    fn waiting(&mut self, port: PortId) -> usize {
        let place = (port.0 - self.first_id) as usize;
        let port = self.own.general(place);
        debug_assert!(port.is_some(), "two classes");
        let Some((port, line)) = port else { return 0 };
        port.replay(self.now, line, self.world);
        if let Some(pool) = &mut self.pool {
            pool.note_freed(place, port.freed_bytes());
        }
        port.in_line(self.waiting)
    }
}

impl<'a, D: Coupling<'a>> GeneralSwitch<'_, 'a, D> {
    /// Has lanes close and the timer of middleware come, up to and including `until`. At one instant
    /// lanes close first, then the wires have started, and middleware lets go what it does.
    #[inline(never)]
    pub(super) fn play(&mut self, until: Time) {
        loop {
            let tor = self.coupling.parts().tor;
            let due = tor.map_or(Time::NEVER, |tor| tor.next_timer());
            self.close_lanes(until.min(due));
            if due > until {
                return;
            }
            if let Some(tor) = self.coupling.parts().tor {
                tor.on_timer(due);
            }
            self.queue_born(due);
        }
    }

    /// Middleware that keeps bulk data looks at what waits for circuits.
    pub(super) fn look(&mut self, now: Time) {
        let (first_id, waiting) = (self.first_id, self.ways.plan.waiting_classes());
        let Parts { own, pool, tor, world, .. } = self.coupling.parts();
        let Some(tor) = tor else { return };
        tor.look(&mut InLine { now, first_id, waiting, own, pool, world });
    }

    fn closings(&mut self) -> Option<&mut Closings> {
        self.slices.as_mut()?.closings.as_deref_mut()
    }

    #[inline]
    fn close_lanes(&mut self, until: Time) {
        while let Some(own) = self.closings()
            && own.next() <= until
        {
            if own.next_due() == Time::NEVER {
                own.skip_to(until);
            } else {
                self.close_some();
            }
        }
    }

    /// The lanes that close next give up what is late.
    fn close_some(&mut self) {
        let mut lanes = Vec::new();
        let Some(own) = self.closings() else { return };
        let (now, waiting, reroutes) = (own.next(), own.waiting, own.reroutes);
        own.take(&mut lanes);
        for lane in lanes {
            let mut late = Vec::new();
            let Parts { busy, own, pool, world, .. } = self.coupling.parts();
            let port = own.general(lane as usize);
            debug_assert!(port.is_some(), "only general ports have gates");
            let Some((port, line)) = port else { continue };
            port.replay(now, line, world);
            port.take_late(now, waiting, &mut late, world);
            // What is left may have to start sooner than what went before it.
            note_busy(busy, lane as usize);
            if let Some(pool) = pool {
                pool.note_freed(lane as usize, port.freed_bytes());
            }
            for frame in late {
                let way = match reroutes {
                    true => self.choose_way((now, now), frame, None, None),
                    false => Way::Lost(DropCause::LinkDown),
                };
                if let Way::Lost(_) = way {
                    // It waits here for a link that is down, and has no other.
                    let Parts { own, world, .. } = self.coupling.parts();
                    if let Some((port, _)) = own.general(lane as usize) {
                        port.lose(now, frame, world);
                    }
                } else {
                    self.forward(now, lane, frame, way);
                }
            }
        }
        self.forget_idle();
    }

    /// Ports without frames are not looked at any more.
    fn forget_idle(&mut self) {
        let Parts { own, .. } = self.coupling.parts();
        let Some(closings) = self.slices.as_mut().and_then(|own| own.closings.as_mut()) else {
            return;
        };
        let is_idle =
            |port: &u32| own.general(*port as usize).is_none_or(|(port, _)| port.backlog() == 0);
        let idle: Vec<u32> = closings.touched().filter(is_idle).collect();
        idle.into_iter().for_each(|port| closings.forget(port));
    }
}
