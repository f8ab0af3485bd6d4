//! Switches whose frames go by slices of circuits: what still waits when its lane closes is sent on.
//!
//! Lanes that close at an instant give up what is late after departures and starts of that instant and
//! before its arrivals: lane by lane in order of port, each queue by queue, each in order.

use super::Part;
use super::switches::Way;
use crate::engine::link::Line;
use crate::engine::link::PortKind;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::port::QueuePort;
use crate::engine::port::kinds::SwitchPorts;
use crate::engine::switch::SwitchState;
use crate::engine::switch::busy::note_busy;
use crate::engine::switch::shared_memory::Pool;
use crate::engine::world::World;
use crate::middleware::Born;
use crate::record::DropCause;
use raddle_schemes::ids::PortId;
use raddle_schemes::tor::Queues;
use raddle_schemes::units::Time;

/// The queues of a switch, of data that waits for circuits, carried out up to now.
struct InLine<'s, 'w> {
    now: Time,
    first_id: u32,
    waiting: u8,
    lines: &'s mut [Line],
    ports: &'s mut SwitchPorts,
    pool: &'s mut Option<Box<Pool>>,
    world: &'s mut World<'w>,
}

impl Queues for InLine<'_, '_> {
    fn waiting(&mut self, port: PortId) -> usize {
        let place = (port.0 - self.first_id) as usize;
        let line = &mut self.lines[place];
        debug_assert_eq!(line.place.kind(), PortKind::General, "two classes");
        let port = &mut self.ports.general[line.place.number()];
        port.carry_out(self.now, line, self.world);
        if let Some(pool) = self.pool {
            pool.note_freed(place, port.freed_bytes());
        }
        port.in_line(self.waiting)
    }
}

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
            self.play(number, now);
            let way = self.choose::<true>(number, (now, now), in_port, &mut frame);
            self.touch(number, way);
            self.forward::<false>(number, now, in_port, frame, way);
            self.queue_kept(number, now);
        }
        self.play(number, until);
    }

    /// Has lanes close and the timer of middleware come, up to and including `until`. At one instant
    /// lanes close first, then the wires have started, and middleware lets go what it does.
    #[inline]
    fn play(&mut self, number: u32, until: Time) {
        loop {
            let tor = self.switches[number as usize].tor.as_ref();
            let due = tor.map_or(Time::NEVER, |tor| tor.next_timer());
            self.close_lanes(number, until.min(due));
            if due > until {
                return;
            }
            if let Some(tor) = &mut self.switches[number as usize].tor {
                tor.on_timer(due);
            }
            self.queue_kept(number, due);
        }
    }

    /// Queues what middleware that keeps bulk data sends and lets go at `now`.
    #[inline]
    fn queue_kept(&mut self, number: u32, now: Time) {
        if self.switches[number as usize].tor.is_some() {
            self.queue_some(number, now);
        }
    }

    #[inline(never)]
    fn queue_some(&mut self, number: u32, now: Time) {
        let waiting = self.plan.waiting_classes();
        let Self { switches, lines, ports, world, .. } = &mut *self;
        let SwitchState { tor, first_id, first_port, pool, .. } = &mut switches[number as usize];
        let Some(tor) = tor else { return };
        let (first_id, lines) = (*first_id, &mut lines[*first_port as usize..]);
        tor.look(&mut InLine { now, first_id, waiting, lines, ports, pool, world });
        while let Some(tor) = &mut self.switches[number as usize].tor
            && let Some(Born { frame, came_in, via, through, .. }) =
                tor.poll((self.plan, &**self.world.hosts.layout()))
        {
            let mut way = match through {
                Some(port) => Way::Out(port.0 - first_id),
                None => self.choose_way(number, (now, now), frame, via, None),
            };
            // No port has sent it here, so none can say that it was lost.
            if let (Way::Lost(_), Some(tor)) = (way, &mut self.switches[number as usize].tor) {
                tor.note_dropped(frame);
                way = Way::Refused;
            }
            self.touch(number, way);
            self.forward::<false>(number, now, came_in, frame, way);
        }
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
