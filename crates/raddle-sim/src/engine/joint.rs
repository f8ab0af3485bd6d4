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
//! [`super::pool`]).

use super::around::{QueuePort, Room};
use super::calendar::Wake;
use super::part::{Part, SwitchState};
use super::pool::Pool;
use super::port::Joined;
use crate::net::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

impl SwitchState {
    /// Whether it is under flow control.
    pub(super) fn is_joint(&self) -> bool {
        !self.actions.is_empty()
    }
}

impl Part<'_> {
    /// Carries out everything due up to and including `until`, at a switch that has someone paused.
    #[inline]
    pub(super) fn replay_switch(&mut self, number: u32, until: Time) {
        if self.switches[number as usize].due_at <= until {
            self.replay_in_order(number, until);
        }
    }

    fn replay_in_order(&mut self, number: u32, until: Time) {
        let mut due = std::mem::take(&mut self.scratch.due);
        loop {
            let switch = &mut self.switches[number as usize];
            let next = switch.actions.iter().copied().min().unwrap_or(Time::NEVER);
            if next > until {
                switch.in_order = switch.pauses > 0;
                switch.due_at = if switch.in_order { next } else { Time::NEVER };
                break;
            }
            due.clear();
            let actions = (0..).zip(&switch.actions);
            due.extend(actions.filter(|(_, at)| **at == next).map(|(port, _)| port));
            self.step_switch(number, next, &mut due);
        }
        self.scratch.due = due;
    }

    /// Carries out what is due at `now` at the ports `due`.
    fn step_switch(&mut self, number: u32, now: Time, due: &mut Vec<u32>) {
        let switch = &mut self.switches[number as usize];
        for &port in due.iter() {
            let line = &mut self.lines[(switch.first_port + port) as usize];
            let own = &mut self.ports.general[line.place.number()];
            own.end_service(now, line, &mut self.world);
            own.play_changes(now, &mut self.world);
            if let Some(pool) = &mut switch.pool {
                pool.hear(port as usize, own.gone());
            }
        }
        self.count_out(number, |port| due.push(port));
        for &port in due.iter() {
            self.start_at(number, now, port);
        }
    }

    /// Counts what has left a switch out at the ports that it came in through. Those whose far end may
    /// resume are handed to `resumes`.
    #[inline]
    fn count_out(&mut self, number: u32, mut resumes: impl FnMut(u32)) {
        let switch = &mut self.switches[number as usize];
        // All ports of such switches are general ones.
        let first = self.lines[switch.first_port as usize].place.number();
        let ports = &mut self.ports.general[first..];
        while let Some(frame) = self.world.gone.pop() {
            let port = frame.came_in.0 - switch.first_id;
            if let Some(pfc) = ports[port as usize].pfc()
                && pfc.left(frame.class.into(), frame.size)
            {
                switch.pauses -= 1;
                resumes(port);
            }
        }
    }

    /// A pause that is due is renewed, and what a port has to send goes if it can; when it next does
    /// anything is noted. Nothing of this concerns other ports.
    fn start_at(&mut self, number: u32, now: Time, port: u32) {
        let switch = &mut self.switches[number as usize];
        let place = self.lines[(switch.first_port + port) as usize].place;
        let own = &mut self.ports.general[place.number()];
        own.play_changes(now, &mut self.world);
        own.renew(now);
        own.try_start(now, &self.world);
        switch.busy[port as usize / 64] |= 1 << (port % 64);
        if switch.in_order {
            let action = own.next_due();
            switch.actions[port as usize] = action;
            switch.due_at = switch.due_at.min(action);
        }
    }

    /// A PFC frame from the far end of `in_port` has come. A switch that has someone paused is
    /// replayed up to now.
    pub(super) fn obey(&mut self, number: u32, now: Time, in_port: u32, frame: Frame) {
        let first = self.switches[number as usize].first_port;
        self.replay(first + in_port, now);
        let place = self.lines[(first + in_port) as usize].place;
        if let Some(pfc) = self.ports.general[place.number()].pfc() {
            pfc.obey(now, frame);
        }
        self.start_at(number, now, in_port);
    }

    /// A frame that came in through `in_port` goes to the queue of `out`. A switch that has someone
    /// paused is replayed up to now.
    pub(super) fn enqueue_jointly(
        &mut self,
        number: u32,
        now: Time,
        (in_port, out): (u32, u32),
        frame: Frame,
    ) {
        let switch = &mut self.switches[number as usize];
        let came_in = PortId(switch.first_id + in_port);
        let line = &mut self.lines[(switch.first_port + out) as usize];
        let place = line.place.number();
        let origin = place + in_port as usize - out as usize;
        let (in_order, shares) = (switch.in_order, switch.pool.is_some());
        if in_order {
            self.ports.general[place].play_changes(now, &mut self.world);
        } else {
            self.ports.general[place].replay(now, line, &mut self.world);
            self.count_out(number, |_| {});
            if self.ports.general[origin].may_pause_for(frame) {
                self.catch_up(number, now);
            }
        }
        let room = if shares { self.room(number, now, out, frame) } else { Room::AMPLE };
        let joined =
            self.ports.general[place].enqueue_classed(now, came_in, frame, room, &mut self.world);
        if let (Some(pool), Some(joined)) = (&mut self.switches[number as usize].pool, joined) {
            pool.take(joined.bytes);
        }
        if let Some(Joined { data: Some(class), bytes }) = joined
            && self.ports.general[origin].count_in(class, bytes.0)
        {
            self.pause(number);
            self.start_at(number, now, in_port);
        } else if !in_order {
            self.switches[number as usize].busy[out as usize / 64] |= 1 << (out % 64);
            return self.ports.general[place].try_start(now, &self.world);
        }
        self.start_at(number, now, out);
    }

    /// The room that the memory of a switch has for a frame at port `out`, which has caught up.
    fn room(&mut self, number: u32, now: Time, out: u32, frame: Frame) -> Room {
        let switch = &self.switches[number as usize];
        let line = &mut self.lines[(switch.first_port + out) as usize];
        let own = &mut self.ports.general[line.place.number()];
        let queued = own.data_queued(now, frame, line, &mut self.world);
        let is_ample = |pool: &Pool| pool.is_ample(frame.size(), queued);
        if switch.pool.as_deref().is_none_or(is_ample) {
            return Room::AMPLE;
        }
        if !switch.in_order {
            self.catch_up(number, now);
        }
        let header = self.world.discipline.header;
        let pool = self.switches[number as usize].pool.as_deref();
        pool.map_or(Room::AMPLE, |pool| pool.room(frame.size(), queued, header))
    }

    /// A switch, all of whose ports have caught up, pauses one class more at a port.
    fn pause(&mut self, number: u32) {
        let switch = &mut self.switches[number as usize];
        switch.pauses += 1;
        if !switch.in_order {
            switch.in_order = true;
            let lines = &self.lines[switch.first_port as usize..];
            for (action, line) in switch.actions.iter_mut().zip(lines) {
                *action = self.ports.general[line.place.number()].next_due();
                switch.due_at = switch.due_at.min(*action);
            }
        }
    }

    /// Carries out, port by port, what a switch that has nobody paused has due up to and including
    /// `until`. Returns when it next has something to do.
    fn catch_up(&mut self, number: u32, until: Time) -> Time {
        let mut next = Time::NEVER;
        let switch = &mut self.switches[number as usize];
        for (index, word) in (0..).zip(&mut switch.busy) {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let line = &mut self.lines[(switch.first_port + index * 64 + bit) as usize];
                let port = &mut self.ports.general[line.place.number()];
                port.replay(until, line, &mut self.world);
                if let Some(pool) = &mut switch.pool {
                    pool.hear((index * 64 + bit) as usize, port.gone());
                }
                let action = port.next_due();
                if action == Time::NEVER {
                    *word &= !(1 << bit);
                }
                next = next.min(action);
            }
        }
        self.count_out(number, |_| {});
        next
    }

    /// Carries out what is due at a switch before `end`, and wakes it for what is to come.
    pub(super) fn replay_jointly(&mut self, number: u32, end: Time) {
        let until = Time(end.0 - 1);
        self.replay_switch(number, until);
        let switch = &self.switches[number as usize];
        let next = if switch.in_order { switch.due_at } else { self.catch_up(number, until) };
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}
