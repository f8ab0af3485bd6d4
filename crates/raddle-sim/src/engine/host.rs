//! A part's hosts: what arrives merged with what their NICs and timers do.

use super::calendar::Wake;
use super::part::{Part, is_dead};
use crate::record::DropCause;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Part<'_> {
    pub(super) fn run_host(&mut self, host: u32, start: Time, end: Time) {
        self.run_events(host, start, end, u32::MAX);
        self.wake_host(host);
    }

    /// Runs the events of `host` before `end`, `most` at most: an arrival before a local event at
    /// the same instant.
    fn run_events(&mut self, host: u32, start: Time, end: Time, most: u32) {
        let mortal = !self.host_deaths[host as usize].is_empty();
        let mut local = self.world.hosts.next_local(host);
        for _ in 0..most {
            let arrival = self.next_arrival(host, start);
            if arrival.min(local) >= end {
                break;
            }
            self.events += 1;
            local = if arrival > local {
                self.run_local(host, local)
            } else if mortal && self.loses_arrival(host, arrival) {
                local
            } else {
                self.take_arrival(host, arrival)
            };
        }
    }

    /// Hosts tied by triggers: one event at a time, in order of time and host.
    pub(super) fn run_group(&mut self, root: u32, start: Time, end: Time) {
        let members = std::mem::take(&mut self.groups[root as usize]);
        let mut heap: BinaryHeap<_> =
            members.iter().map(|&host| Reverse((self.host_next(host, start), host))).collect();
        while let Some(Reverse((at, host))) = heap.pop() {
            if at >= end {
                break;
            }
            // An entry that a trigger has overtaken: look again.
            if self.host_next(host, start) == at {
                self.run_events(host, start, end, 1);
                for woken in std::mem::take(&mut self.world.hosts.woken) {
                    heap.push(Reverse((self.host_next(woken, start), woken)));
                }
                heap.push(Reverse((self.host_next(host, start), host)));
            }
        }
        for &host in &members {
            self.wake_host(host);
        }
        self.groups[root as usize] = members;
    }

    /// When the next frame reaches `host`; `start` is not after it.
    #[inline]
    fn next_arrival(&self, host: u32, start: Time) -> Time {
        let ring = &self.lines[self.feeders[host as usize] as usize].ring;
        if ring.is_empty() {
            return Time::NEVER;
        }
        Time(start.0 + u64::from(ring.get(0).offset(start)))
    }

    #[inline]
    fn host_next(&self, host: u32, start: Time) -> Time {
        self.next_arrival(host, start).min(self.world.hosts.next_local(host))
    }

    #[inline]
    fn take_arrival(&mut self, host: u32, now: Time) -> Time {
        let feeder = &mut self.lines[self.feeders[host as usize] as usize];
        let frame = feeder.ring.get(0).frame;
        feeder.take(1);
        self.world.hosts.on_frame(now, host, frame)
    }

    /// Loses the frame that arrives at `host` now if it is dead. Returns whether it is.
    #[cold]
    fn loses_arrival(&mut self, host: u32, now: Time) -> bool {
        let dead = is_dead(&self.host_deaths[host as usize], now);
        if dead {
            let feeder = &mut self.lines[self.feeders[host as usize] as usize];
            let frame = feeder.ring.get(0).frame;
            feeder.take(1);
            let came_from = self.plan.fabric.ports[host as usize].peer;
            let cause = DropCause::NodeDown;
            self.lost_on_arrival.note(now, came_from, frame, cause, &mut self.world);
        }
        dead
    }

    #[inline]
    fn run_local(&mut self, host: u32, now: Time) -> Time {
        let (departure, next) = self.world.hosts.run_local(now, host);
        let Some(departure) = departure else { return next };
        let port = PortId(host);
        if departure.lost.is_some() {
            self.world.recorder.dropped(port, now);
        } else {
            let world = &mut self.world;
            self.lines[host as usize].launch(
                departure.departs,
                departure.frame,
                self.far_ends[host as usize],
                &mut world.calendar,
                &mut world.outbox,
            );
        }
        if departure.lost != Some(DropCause::LinkDown) {
            self.world.recorder.departed(port, departure.departs, departure.frame);
        }
        next
    }

    pub(super) fn wake_host(&mut self, host: u32) {
        let next = self.world.hosts.next_local(host);
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Host { host });
        }
    }
}
