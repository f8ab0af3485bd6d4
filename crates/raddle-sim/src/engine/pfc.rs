//! Switches under flow control, replayed as a whole.
//!
//! A departure at one port may let the far end of another resume, so what is due is carried out in
//! order of time over all ports before each arrival and at the end of the window. At one instant
//! all departures and changes of links go first, then pauses are renewed, then wires start.

use super::calendar::Wake;
use super::part::Part;
use crate::net::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

impl Part<'_> {
    /// Carries out everything due at a switch up to and including `until`.
    pub(super) fn replay_switch(&mut self, number: u32, until: Time) {
        loop {
            let switch = &mut self.switches[number as usize];
            if switch.due_at > until {
                return;
            }
            let next = switch.actions.iter().copied().min().unwrap_or(Time::NEVER);
            if next > until {
                switch.due_at = next;
                return;
            }
            let mut due = std::mem::take(&mut self.scratch.due);
            due.clear();
            let actions = (0..).zip(&switch.actions);
            due.extend(actions.filter(|(_, at)| **at == next).map(|(port, _)| port));
            self.step_switch(number, next, &mut due);
            self.scratch.due = due;
        }
    }

    /// Carries out what is due at `now` at the ports `due`.
    fn step_switch(&mut self, number: u32, now: Time, due: &mut Vec<u32>) {
        let first = self.switches[number as usize].first_port;
        for &port in due.iter() {
            let line = &mut self.lines[(first + port) as usize];
            let own = &mut self.ports[line.place.number()];
            own.end_service(now, line, &mut self.world);
            own.play_changes(now, &mut self.world);
        }
        let first_id = self.switches[number as usize].first_id;
        let mut gone = std::mem::take(&mut self.world.gone);
        for frame in gone.drain(..) {
            let port = frame.came_in.0 - first_id;
            let place = self.lines[(first + port) as usize].place;
            if let Some(pfc) = self.ports[place.number()].pfc()
                && pfc.left(frame.class.into(), frame.size)
            {
                due.push(port);
            }
        }
        self.world.gone = gone;
        for &port in due.iter() {
            self.start_at(number, now, port);
        }
    }

    /// A pause that is due is renewed, and what a port has to send goes if it can; when it next does
    /// anything is noted. Nothing of this concerns other ports.
    fn start_at(&mut self, number: u32, now: Time, port: u32) {
        let switch = &mut self.switches[number as usize];
        let place = self.lines[(switch.first_port + port) as usize].place;
        let own = &mut self.ports[place.number()];
        own.play_changes(now, &mut self.world);
        if let Some(pfc) = own.pfc()
            && pfc.refresh_at() == now
        {
            pfc.refresh();
        }
        own.try_start(now, &self.world);
        let action = own.next_action();
        switch.actions[port as usize] = action;
        switch.due_at = switch.due_at.min(action);
    }

    /// A PFC frame from the far end of `in_port` has come. The switch is replayed up to now.
    pub(super) fn obey(&mut self, number: u32, now: Time, in_port: u32, frame: Frame) {
        let first = self.switches[number as usize].first_port;
        let place = self.lines[(first + in_port) as usize].place;
        if let Some(pfc) = self.ports[place.number()].pfc() {
            pfc.obey(now, frame);
        }
        self.start_at(number, now, in_port);
    }

    /// A frame that came in through `in_port` goes to the queue of `out`. The switch is replayed up
    /// to now.
    pub(super) fn enqueue_controlled(
        &mut self,
        number: u32,
        now: Time,
        (in_port, out): (u32, u32),
        frame: Frame,
    ) {
        let switch = &self.switches[number as usize];
        let (first, came_in) = (switch.first_port, PortId(switch.first_id + in_port));
        let place = self.lines[(first + out) as usize].place;
        let port = &mut self.ports[place.number()];
        port.play_changes(now, &mut self.world);
        if let Some(class) = port.enqueue_classed(now, came_in, frame, &mut self.world) {
            let place = self.lines[(first + in_port) as usize].place;
            let port = &mut self.ports[place.number()];
            let entered = port.pfc().map(|pfc| pfc.entered(class, frame.size().0));
            if let (Some((bytes, crossed)), Some(record)) = (entered, &mut port.record.pfc) {
                record.ingress_bytes_max = record.ingress_bytes_max.max(bytes);
                record.pauses += u64::from(crossed);
                if crossed {
                    self.start_at(number, now, in_port);
                }
            }
        }
        self.start_at(number, now, out);
    }

    /// Carries out what is due at a switch before `end`, and wakes it for what is to come.
    pub(super) fn replay_controlled(&mut self, number: u32, end: Time) {
        self.replay_switch(number, Time(end.0 - 1));
        let next = self.switches[number as usize].due_at;
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}
