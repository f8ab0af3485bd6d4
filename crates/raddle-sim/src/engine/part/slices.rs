//! Switches whose frames go by slices of circuits: what still waits when its lane closes is sent on.
//!
//! Lanes that close at an instant give up what is late after departures and starts of that instant and
//! before its arrivals: lane by lane in order of port, each queue by queue, each in order.

use super::Part;
use super::switches::Way;
use crate::engine::link::PortKind;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::port::QueuePort;
use crate::engine::switch::busy::note_busy;
use crate::record::DropCause;
use raddle_schemes::units::Time;

impl Part<'_> {
    /// Takes arrivals to their queues, and what is late from lanes that close up to and including
    /// `until`.
    #[inline(never)]
    pub(super) fn forward_by_slices(
        &mut self,
        number: u32,
        (start, until): (Time, Time),
        arrivals: &Arrivals,
    ) {
        for (at, in_port, mut frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            self.close_lanes(number, now);
            let way = self.choose::<false>(number, (now, now), in_port, &mut frame);
            self.touch(number, way);
            self.forward::<false>(number, now, in_port, frame, way);
        }
        self.close_lanes(number, until);
    }

    fn touch(&mut self, number: u32, way: Way) {
        if let (Way::Out(out), Some(own)) = (way, &mut self.switches[number as usize].closings) {
            own.touch(out);
        }
    }

    #[inline]
    fn close_lanes(&mut self, number: u32, until: Time) {
        while let Some(own) = &mut self.switches[number as usize].closings
            && own.next() <= until
        {
            if own.next_due() == Time::NEVER {
                own.skip_to(until);
            } else {
                self.close_some(number);
            }
        }
    }

    /// The lanes that close next give up what is late.
    fn close_some(&mut self, number: u32) {
        let mut lanes = Vec::new();
        let switch = &mut self.switches[number as usize];
        let Some(own) = &mut switch.closings else { return };
        let (now, waiting, reroutes) = (own.next(), own.waiting, own.reroutes);
        own.take(&mut lanes);
        for lane in lanes {
            let mut late = Vec::new();
            let Self { switches, lines, ports, world, .. } = &mut *self;
            let switch = &mut switches[number as usize];
            let line = &mut lines[(switch.first_port + lane) as usize];
            // Only general ports have gates.
            debug_assert_eq!(line.place.kind(), PortKind::General);
            let port = &mut ports.general[line.place.number()];
            port.carry_out(now, line, world);
            port.take_late(now, waiting, &mut late, world);
            // What is left may have to start sooner than what went before it.
            note_busy(&mut switch.busy, lane as usize);
            if let Some(pool) = &mut switch.pool {
                pool.note_freed(lane as usize, port.freed_bytes());
            }
            for frame in late {
                let way = match reroutes {
                    true => self.choose_way(number, (now, now), frame, None, None),
                    false => Way::Lost(DropCause::LinkDown),
                };
                if let Way::Lost(_) = way {
                    // It waits here for a link that is down, and has no other.
                    let Self { switches, lines, ports, world, .. } = &mut *self;
                    let line = &lines[(switches[number as usize].first_port + lane) as usize];
                    ports.general[line.place.number()].lose(now, frame, world);
                } else {
                    self.touch(number, way);
                    self.forward::<false>(number, now, lane, frame, way);
                }
            }
        }
        self.forget_idle(number);
    }

    /// Ports without frames are not looked at any more.
    fn forget_idle(&mut self, number: u32) {
        let Self { switches, lines, ports, .. } = self;
        let switch = &mut switches[number as usize];
        let Some(own) = &mut switch.closings else { return };
        let idle = |port: &u32| {
            let place = lines[(switch.first_port + port) as usize].place;
            place.kind() != PortKind::General || ports.general[place.number()].backlog() == 0
        };
        let idle: Vec<u32> = own.touched().filter(idle).collect();
        idle.into_iter().for_each(|port| own.forget(port));
    }
}
