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
        while self.host_next(host, start) < end {
            self.step_host(host, start);
        }
        self.wake_host(host);
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
                self.step_host(host, start);
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

    /// Runs the next event of `host`: an arrival before a local event at the same instant.
    #[inline]
    fn step_host(&mut self, host: u32, start: Time) {
        self.events += 1;
        let arrival = self.next_arrival(host, start);
        let local = self.world.hosts.next_local(host);
        if arrival <= local {
            let feeder = &mut self.lines[self.feeders[host as usize] as usize];
            let frame = feeder.ring.get(0).frame;
            feeder.take(1);
            if is_dead(&self.host_deaths[host as usize], arrival) {
                let id = self.hosts[host as usize];
                let came_from = self.plan.fabric.ports[id.index()].peer;
                self.lose_on_arrival(arrival, came_from, frame, DropCause::NodeDown);
            } else {
                self.world.hosts.on_frame(arrival, host, frame);
            }
        } else if let Some(departure) = self.world.hosts.run_local(local, host) {
            let port = PortId(self.hosts[host as usize].0);
            if departure.lost.is_some() {
                self.world.hosts.note_dropped(departure.frame);
                self.world.recorder.dropped(port, local);
            } else {
                let world = &mut self.world;
                let far_end = self.far_ends[host as usize];
                self.lines[host as usize].launch(
                    departure.departs,
                    departure.frame,
                    far_end,
                    &mut world.calendar,
                    &mut world.outbox,
                );
            }
            if departure.lost != Some(DropCause::LinkDown) {
                self.world.recorder.departed(port, departure.departs, departure.frame);
            }
        }
    }

    pub(super) fn wake_host(&mut self, host: u32) {
        let next = self.world.hosts.next_local(host);
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Host { host });
        }
    }
}
