//! A part's hosts: what arrives merged with what their NICs and timers do.

use super::prefetch::{prefetch_arrivals, prefetch_turns};
use crate::engine::link::Line;
use crate::engine::part::Part;
use crate::engine::schedule::calendar::Wake;
use crate::engine::world::World;
use crate::faults::intervals::covers;
use crate::host::endpoints::scale_up::Crossing;
use crate::host::nic::{Departure, Fate};
use crate::record::DropCause;
use crate::record::recorder::Recorder;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::plane::MOST_PLANES;
use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Part<'_> {
    pub(in crate::engine) fn run_host(&mut self, host: u32, start: Time, end: Time) {
        self.run_events(host, start, end, false);
        self.wake_host(host);
    }

    /// Runs the events of `host` before `end`, only the first of them if asked for just `one`: an
    /// arrival before a local event at the same instant.
    fn run_events(&mut self, host: u32, start: Time, end: Time, one: bool) {
        if self.plan.fabric.planes > 1 {
            return self.run_events_of_ports(host, start, end, one);
        }
        let index = host as usize;
        let deaths = &self.host_deaths[index];
        let mortal = !deaths.is_empty();
        let far_end = self.far_ends[index];
        let port = PortId(self.hosts[index].0);
        let links = [self.feeders[index] as usize, index];
        let Ok([feeder, wire]) = self.lines.get_disjoint_mut(links) else { return };
        let mut arrival = next_arrival(feeder, start);
        let many_under_way = self.many_under_way;
        let mut lost = Vec::new();
        loop {
            let World { hosts, calendar, recorder, outbox, notes, .. } = &mut self.world;
            let mut running = hosts.host(host);
            let mut local = running.next_local();
            while arrival.min(local) < end && !running.fired() {
                self.events += 1;
                if arrival > local {
                    let now = local;
                    if many_under_way {
                        prefetch_turns(running.ahead());
                    }
                    let departure;
                    (departure, local) = running.run_local(now);
                    if let Some(departure) = departure {
                        let Departure { frame, departs, .. } = departure;
                        if departure.is_on_link() {
                            if let Some(notes) = notes {
                                notes.leave_host(port, frame, far_end, outbox);
                            }
                            wire.launch(departs, frame, far_end, calendar, outbox);
                        }
                        if departure.fate == Fate::Arrives {
                            recorder.departed(port, departs, frame);
                        } else {
                            note_other(recorder, port, now, departure);
                        }
                    }
                } else {
                    let now = arrival;
                    if many_under_way {
                        prefetch_arrivals(running.ahead(), &feeder.ring);
                    }
                    let frame = feeder.ring.get(0).frame;
                    feeder.take(1);
                    arrival = next_arrival(feeder, start);
                    if let Some(notes) = notes {
                        notes.reach_host(port, frame, &mut running);
                    }
                    if mortal && covers(deaths, now) {
                        lost.push((now, frame));
                    } else {
                        local = running.on_frame(now, frame);
                    }
                }
                if one {
                    break;
                }
            }
            let fired = running.fired();
            if fired {
                hosts.start_fired(host);
            }
            if one || !fired {
                break;
            }
        }
        for (at, frame) in lost {
            let came_from = self.plan.fabric.ports[port.index()].peer;
            let cause = DropCause::NodeDown;
            self.world.lose_on_arrival(at, came_from, frame, cause);
        }
    }

    /// The same of a host with several ports: arrivals of one instant come in the order of their ranks.
    fn run_events_of_ports(&mut self, host: u32, start: Time, end: Time, one: bool) {
        let (own, own_lines) = (self.hosts[host as usize], self.hosts.len());
        let deaths = &self.host_deaths[host as usize];
        let mut lost = Vec::new();
        let fabric = &self.plan.fabric;
        let ranks = self.of_host_ports;
        let rank = |plane, at| ranks.rank(fabric.host_port(own, plane).0, at);
        let mut coming = [Time::NEVER; MOST_PLANES as usize];
        for (own, line) in coming.iter_mut().zip(self.lines_into(host)) {
            *own = next_arrival(line, start);
        }
        let (mut arrival, mut plane) = first_of(&coming, rank);
        loop {
            let World { hosts, calendar, recorder, outbox, notes, .. } = &mut self.world;
            let mut running = hosts.host(host);
            let mut local = running.next_local();
            while arrival.min(local) < end && !running.fired() {
                self.events += 1;
                if arrival > local {
                    let now = local;
                    let departure;
                    (departure, local) = running.run_local(now);
                    if let Some(departure) = departure {
                        let Departure { frame, departs, .. } = departure;
                        let plane = running.plane(frame);
                        let port = fabric.host_port(own, plane);
                        let line = own_lines * plane as usize + host as usize;
                        let far_end = self.far_ends[line];
                        if departure.is_on_link() {
                            if let Some(notes) = notes {
                                notes.leave_host(port, frame, far_end, outbox);
                            }
                            self.lines[line].launch(departs, frame, far_end, calendar, outbox);
                        }
                        if departure.fate == Fate::Arrives {
                            recorder.departed(port, departs, frame);
                        } else {
                            note_other(recorder, port, now, departure);
                        }
                    }
                } else {
                    let (now, port) = (arrival, fabric.host_port(own, plane));
                    let line = own_lines * plane as usize + host as usize;
                    let feeder = &mut self.lines[self.feeders[line] as usize];
                    let frame = feeder.ring.get(0).frame;
                    feeder.take(1);
                    coming[plane as usize] = next_arrival(feeder, start);
                    if let Some(notes) = notes {
                        notes.reach_host(port, frame, &mut running);
                    }
                    if covers(deaths, now) {
                        lost.push((now, port, frame));
                    } else {
                        running.select(plane);
                        local = running.on_frame(now, frame);
                    }
                    (arrival, plane) = first_of(&coming, rank);
                }
                if one {
                    break;
                }
            }
            let fired = running.fired();
            if fired {
                hosts.start_fired(host);
            }
            if one || !fired {
                break;
            }
        }
        for (at, port, frame) in lost {
            let came_from = self.plan.fabric.ports[port.index()].peer;
            let cause = DropCause::NodeDown;
            self.world.lose_on_arrival(at, came_from, frame, cause);
        }
    }

    /// The number of a host's line in a plane.
    fn host_line(&self, host: u32, plane: u32) -> usize {
        self.hosts.len() * plane as usize + host as usize
    }

    /// Links to a host, in order of planes.
    fn lines_into(&self, host: u32) -> impl Iterator<Item = &Line> {
        let planes = 0..self.plan.fabric.planes;
        planes.map(move |plane| &self.lines[self.feeders[self.host_line(host, plane)] as usize])
    }

    /// Runs hosts tied by triggers: each on its own if none can fire in this window.
    pub(in crate::engine) fn run_group(&mut self, root: u32, start: Time, end: Time) {
        let members = std::mem::take(&mut self.groups[root as usize]);
        if members.iter().any(|&host| self.may_fire(host, start, end)) {
            self.run_in_order(&members, start, end);
        } else {
            self.run_apart(&members, start, end);
        }
        for &host in &members {
            self.wake_host(host);
        }
        self.groups[root as usize] = members;
    }

    fn may_fire(&self, host: u32, start: Time, end: Time) -> bool {
        let coming = self.lines_into(host).map(|line| arrivals(line, start, end)).sum();
        self.world.hosts.may_fire(host, coming)
    }

    fn run_apart(&mut self, members: &[u32], start: Time, end: Time) {
        let awake = members.iter().copied().filter(|&host| self.host_next(host, start) < end);
        let awake: Vec<u32> = awake.collect();
        for (i, &host) in awake.iter().enumerate() {
            self.prefetch_hosts(&awake, i);
            self.run_events(host, start, end, false);
            debug_assert!(self.world.hosts.woken.is_empty(), "nothing fires in this window");
        }
    }

    /// One event at a time, in order of time; the hosts that have one at an instant are ranked.
    fn run_in_order(&mut self, members: &[u32], start: Time, end: Time) {
        let mut heap: BinaryHeap<_> =
            members.iter().map(|&host| Reverse(self.turn(host, start))).collect();
        while let Some(Reverse((at, _, host))) = heap.pop() {
            if at >= end {
                break;
            }
            // An entry that a trigger has overtaken: look again.
            if self.host_next(host, start) == at {
                self.run_events(host, start, end, true);
                for woken in std::mem::take(&mut self.world.hosts.woken) {
                    heap.push(Reverse(self.turn(woken, start)));
                }
                heap.push(Reverse(self.turn(host, start)));
            }
        }
    }

    /// When the next thing happens at `host`, and its rank then.
    fn turn(&self, host: u32, start: Time) -> (Time, u16, u32) {
        let at = self.host_next(host, start);
        (at, self.arbitration.rank(self.hosts[host as usize].0, at), host)
    }

    /// When the next thing happens at `host`.
    #[inline]
    fn host_next(&self, host: u32, start: Time) -> Time {
        let arrivals = self.lines_into(host).map(|line| next_arrival(line, start));
        arrivals.fold(self.world.hosts.next_local(host), Time::min)
    }

    /// What crosses to one of its hosts will be there.
    pub(in crate::engine) fn take_crossing(&mut self, crossing: &Crossing) {
        if let Some(host) = self.world.hosts.take_crossing(crossing) {
            self.wake_host(host);
        }
    }

    pub(in crate::engine) fn wake_host(&mut self, host: u32) {
        let next = self.world.hosts.next_local(host);
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Host { host });
        }
    }
}

/// What a host's wire took at `now` and does not simply arrive is recorded.
#[cold]
#[inline(never)]
fn note_other(recorder: &mut Recorder, port: PortId, now: Time, departure: Departure) {
    let Departure { frame, departs, fate } = departure;
    match fate {
        Fate::Arrives => recorder.departed(port, departs, frame),
        Fate::Lost(cause) => {
            recorder.dropped(port, now, frame, cause);
            if cause != DropCause::LinkDown {
                recorder.departed(port, departs, frame);
            }
        }
        Fate::InVain => recorder.sent_in_vain(port, departs, frame),
        Fate::Copy if frame.is_pfc() => {}
        Fate::Copy => recorder.copy_departed(port, departs, frame),
        Fate::Message => {}
        Fate::GivenUp => recorder.gave_up(port, now, frame),
    }
}

/// How many frames on `link` arrive before `end`; `start` is not after the first of them.
fn arrivals(link: &Line, start: Time, end: Time) -> u32 {
    let span = end.since(start).0;
    let way = (0..).map_while(|i| link.ring.find(i));
    way.take_while(|entry| u64::from(entry.offset(start)) < span).count() as u32
}

/// The first of the times at which frames come, and its plane: of equals the one with the lowest rank.
#[inline]
fn first_of(coming: &[Time], rank: impl Fn(u32, Time) -> u16) -> (Time, u32) {
    let (mut first, mut plane, mut is_tied) = (Time::NEVER, 0, false);
    for (own, &at) in (0..).zip(coming) {
        if at < first {
            (first, plane, is_tied) = (at, own, false);
        } else {
            is_tied |= at == first;
        }
    }
    if is_tied && first < Time::NEVER {
        let equals = (0..).zip(coming).filter(|(_, at)| **at == first);
        plane = equals.map(|(own, _)| (rank(own, first), own)).min().map_or(0, |(_, own)| own);
    }
    (first, plane)
}

/// When the next frame on `link` arrives; `start` is not after it.
#[inline]
fn next_arrival(link: &Line, start: Time) -> Time {
    if link.ring.is_empty() {
        return Time::NEVER;
    }
    Time(start.0 + u64::from(link.ring.get(0).offset(start)))
}
