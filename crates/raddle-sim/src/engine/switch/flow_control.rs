//! Switches under flow control, whose ports concern each other.
//!
//! While a switch has someone paused, a departure at one port may let the far end of another resume,
//! so what is due is carried out in order of time over all ports before each arrival and at the end
//! of the window. At one instant all departures and changes of links go first, then pauses are
//! renewed, then wires start.
//!
//! While it has nobody paused, departures only lower the bytes counted at the ports that frames came
//! in through, and nobody reads those but the next frame in: ports are replayed each on its own. The
//! counts are then too high by what has left unseen. When one might exceed its threshold, or the
//! largest so far, all ports catch up first. Memory that they share is counted in the same way (see
//! [`super::shared_memory`]).

use super::shared_memory::Pool;
use crate::engine::link::Line;
use crate::engine::port::Joined;
use crate::engine::port::general::Port;
use crate::engine::port::{QueuePort, Room};
use crate::engine::schedule::calendar::Wake;
use crate::engine::switch::busy::{note_busy, replay_ports};
use crate::engine::world::World;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

/// What a switch under flow control knows of its ports.
pub(in crate::engine) struct Joint {
    /// How many classes, added up over the ports, it has its neighbours pause.
    pauses: u32,
    /// Whether it is replayed as a whole, in order of time: while it has anyone pause.
    in_order: bool,
    /// Per port, when it next has something to carry out, while the switch is replayed as a whole.
    actions: Vec<Time>,
    /// None of `actions` is before this; never, while ports are replayed each on its own.
    due_at: Time,
    /// Ports with something to carry out at one instant; empty in between.
    due: Vec<u32>,
}

impl Joint {
    pub(in crate::engine) fn new(ports: usize) -> Self {
        Self {
            pauses: 0,
            in_order: false,
            actions: vec![Time::NEVER; ports],
            due_at: Time::NEVER,
            due: Vec::new(),
        }
    }

    /// How many ports the switch has.
    pub(in crate::engine) fn ports(&self) -> usize {
        self.actions.len()
    }
}

/// A switch under flow control and its ports, counted within it.
pub(in crate::engine) struct JointPorts<'s, 'w> {
    pub(in crate::engine) joint: &'s mut Joint,
    pub(in crate::engine) pool: Option<&'s mut Pool>,
    /// Its first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) busy: &'s mut [u64],
    pub(in crate::engine) lines: &'s mut [Line],
    /// As many as lines: all ports of such switches are general ones.
    pub(in crate::engine) ports: &'s mut [Port],
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl JointPorts<'_, '_> {
    /// Carries out everything due up to and including `until`, if the switch has someone paused.
    #[inline]
    pub(in crate::engine) fn replay(&mut self, until: Time) {
        if self.joint.due_at <= until {
            self.replay_in_order(until);
        }
    }

    #[inline(never)]
    fn replay_in_order(&mut self, until: Time) {
        let mut due = std::mem::take(&mut self.joint.due);
        loop {
            let Joint { actions, in_order, due_at, pauses, .. } = &mut *self.joint;
            let next = actions.iter().copied().min().unwrap_or(Time::NEVER);
            if next > until {
                *in_order = *pauses > 0;
                *due_at = if *in_order { next } else { Time::NEVER };
                break;
            }
            due.clear();
            let actions = (0..).zip(actions.iter());
            due.extend(actions.filter(|(_, at)| **at == next).map(|(port, _)| port));
            self.step(next, &mut due);
        }
        self.joint.due = due;
    }

    /// Carries out what is due at `now` at the ports `due`.
    fn step(&mut self, now: Time, due: &mut Vec<u32>) {
        for &port in due.iter() {
            let (own, line) = (&mut self.ports[port as usize], &mut self.lines[port as usize]);
            own.end_service(now, line, self.world);
            own.play_changes(now, self.world);
            if let Some(pool) = &mut self.pool {
                pool.note_freed(port as usize, own.freed_bytes());
            }
        }
        self.count_out(|port| due.push(port));
        for &port in due.iter() {
            self.start_at(now, port);
        }
    }

    /// Counts what has left the switch out at the ports that it came in through. Those whose far end
    /// may resume are handed to `resumes`.
    #[inline]
    fn count_out(&mut self, mut resumes: impl FnMut(u32)) {
        while let Some(frame) = self.world.gone.pop() {
            let port = frame.came_in.0 - self.first_id;
            if let Some(classes) = self.ports[port as usize].classes()
                && classes.departed(frame.class.into(), frame.size)
            {
                self.joint.pauses -= 1;
                resumes(port);
            }
        }
    }

    /// A pause that is due is renewed, and what a port has to send goes if it can; when it next does
    /// anything is noted. Nothing of this concerns other ports.
    fn start_at(&mut self, now: Time, port: u32) {
        let own = &mut self.ports[port as usize];
        own.play_changes(now, self.world);
        if let Some(classes) = own.classes() {
            classes.renew(now);
        }
        own.try_start(now, self.world);
        note_busy(self.busy, port as usize);
        if self.joint.in_order {
            let action = own.next_due();
            self.joint.actions[port as usize] = action;
            self.joint.due_at = self.joint.due_at.min(action);
        }
    }

    /// A PFC frame from the far end of `in_port` has come. A switch that has someone paused is
    /// replayed up to now.
    #[inline(never)]
    pub(in crate::engine) fn on_pause(&mut self, now: Time, in_port: u32, frame: Frame) {
        let own = &mut self.ports[in_port as usize];
        own.replay(now, &mut self.lines[in_port as usize], self.world);
        if let Some(classes) = own.classes() {
            classes.on_pause(now, frame);
        }
        self.start_at(now, in_port);
    }

    /// A frame that came in through `in_port` goes to the queue of `out`. A switch that has someone
    /// paused is replayed up to now.
    #[inline]
    pub(in crate::engine) fn enqueue(
        &mut self,
        now: Time,
        (in_port, out): (u32, u32),
        frame: Frame,
    ) {
        let (came_in, in_order) = (PortId(self.first_id + in_port), self.joint.in_order);
        let (origin, place) = (in_port as usize, out as usize);
        if in_order {
            self.ports[place].play_changes(now, self.world);
        } else {
            self.ports[place].replay(now, &mut self.lines[place], self.world);
            self.count_out(|_| {});
            if self.ports[origin].may_pause_for(frame) {
                self.catch_up(now);
            }
        }
        let room = if self.pool.is_some() { self.room(now, out, frame) } else { Room::AMPLE };
        let joined = self.ports[place].admit(now, came_in, frame, room, self.world);
        if let (Some(pool), Some(joined)) = (&mut self.pool, joined) {
            pool.take(joined.bytes);
        }
        if let Some(Joined { data: Some(class), bytes }) = joined
            && self.ports[origin].count_in(class, bytes.0)
        {
            self.pause();
            self.start_at(now, in_port);
        } else if !in_order {
            note_busy(self.busy, place);
            return self.ports[place].try_start(now, self.world);
        }
        self.start_at(now, out);
    }

    /// The room that the memory of the switch has for a frame at port `out`, which has caught up.
    fn room(&mut self, now: Time, out: u32, frame: Frame) -> Room {
        let (own, line) = (&mut self.ports[out as usize], &mut self.lines[out as usize]);
        let queued = own.data_queued(now, frame, line, self.world);
        let is_ample = |pool: &&mut Pool| pool.is_ample(frame.size(), queued);
        if self.pool.as_ref().is_none_or(is_ample) {
            return Room::AMPLE;
        }
        if !self.joint.in_order {
            self.catch_up(now);
        }
        let header = self.world.discipline.header;
        let room = |pool: &&mut Pool| pool.room(frame.size(), queued, header);
        self.pool.as_ref().map_or(Room::AMPLE, room)
    }

    /// The switch, all of whose ports have caught up, pauses one class more at a port.
    fn pause(&mut self) {
        self.joint.pauses += 1;
        if !self.joint.in_order {
            self.joint.in_order = true;
            for (action, port) in self.joint.actions.iter_mut().zip(&*self.ports) {
                *action = port.next_due();
                self.joint.due_at = self.joint.due_at.min(*action);
            }
        }
    }

    /// Carries out, port by port, what a switch that has nobody paused has due up to and including
    /// `until`. Returns when it next has something to do.
    #[inline(never)]
    fn catch_up(&mut self, until: Time) -> Time {
        let Self { busy, lines, ports, pool, world, .. } = self;
        let next = replay_ports(busy, |out| {
            ports[out].replay(until, &mut lines[out], world);
            if let Some(pool) = pool {
                pool.note_freed(out, ports[out].freed_bytes());
            }
            ports[out].next_due()
        });
        self.count_out(|_| {});
        next
    }

    /// Carries out what is due up to and including `until`, and wakes the switch, number `number`,
    /// for what is to come.
    pub(in crate::engine) fn finish(&mut self, number: u32, until: Time) {
        self.replay(until);
        let next = if self.joint.in_order { self.joint.due_at } else { self.catch_up(until) };
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}
