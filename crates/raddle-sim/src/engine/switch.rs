//! A part's switches: what arrives in a window, in order of time and in-port, run to completion.

use super::calendar::Wake;
use super::part::{Part, SwitchState, is_dead};
use crate::net::frame::Frame;
use crate::record::DropCause;
use raddle_schemes::Cx;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::{Choices, Group, Header};
use raddle_schemes::units::{Bytes, Time};

impl Part<'_> {
    pub(super) fn run_switch(&mut self, switch: u32, start: Time, end: Time) {
        let mut keys = std::mem::take(&mut self.scratch.keys);
        let mut arrivals = std::mem::take(&mut self.scratch.arrivals);
        keys.clear();
        arrivals.clear();
        let first_port = self.switches[switch as usize].first_port;
        let width = (end.0 - start.0) as u32;
        let Self { lines, feeders, world, .. } = self;
        world.calendar.take_in_ports(switch, |in_port| {
            let line = &mut lines[feeders[(first_port + in_port) as usize] as usize];
            let mut place = 0;
            while place < line.ring.len() as u32 {
                let entry = line.ring.get(place);
                let offset = entry.offset(start);
                if offset >= width {
                    break;
                }
                keys.push((u64::from(offset) << 32) | arrivals.len() as u64);
                arrivals.push((in_port, entry.frame));
                place += 1;
            }
            line.take(place);
        });
        self.scratch.sort.sort(&mut keys, width);
        self.events += keys.len() as u64;
        let boundary = self.routes.get(self.route + 1).map_or(Time::NEVER, |(from, _)| *from);
        let controlled = !self.switches[switch as usize].actions.is_empty();
        for &key in &keys {
            let now = Time(start.0 + (key >> 32));
            let (in_port, frame) = arrivals[key as u32 as usize];
            let route = if now < boundary { self.route } else { self.route_at(now) };
            if controlled {
                self.forward::<true>(switch, now, in_port, route, frame);
            } else {
                self.forward::<false>(switch, now, in_port, route, frame);
            }
        }
        self.scratch.keys = keys;
        self.scratch.arrivals = arrivals;
        if controlled {
            self.replay_controlled(switch, end);
        } else {
            self.replay_busy(switch, end);
        }
    }

    fn route_at(&self, now: Time) -> usize {
        self.routes.iter().rposition(|(from, _)| *from <= now).unwrap_or(0)
    }

    /// Takes an arrival to a queue; `CONTROLLED` if the switch is under flow control.
    #[inline]
    fn forward<const CONTROLLED: bool>(
        &mut self,
        number: u32,
        now: Time,
        in_port: u32,
        route: usize,
        frame: Frame,
    ) {
        if CONTROLLED {
            self.replay_switch(number, now);
            if frame.is_pfc() && !is_dead(&self.switches[number as usize].deaths, now) {
                return self.obey(number, now, in_port, frame);
            }
        }
        let switch = &mut self.switches[number as usize];
        let host = self.world.hosts.locators().host(frame.to);
        let choices = self.routes[route].1.ports(switch.id, host);
        let count = choices.count();
        let dead = is_dead(&switch.deaths, now);
        if dead || count == 0 {
            let cause = if dead { DropCause::NodeDown } else { DropCause::NoRoute };
            let came_from = self.plan.fabric.ports[(switch.first_id + in_port) as usize].peer;
            self.lose_on_arrival(now, came_from, frame, cause);
            return;
        }
        // Choices name ports of the fabric.
        let (first_port, first_id) = (switch.first_port, switch.first_id);
        let local = |i: usize| choices.get(i).0 - first_id;
        let chosen = if count == 1 {
            0
        } else {
            if self.reads_queues && !CONTROLLED {
                for i in 0..count {
                    self.replay(first_port + local(i), now);
                }
            }
            let fabric = &self.plan.fabric;
            let header = Header {
                flow_key: frame.to.0,
                entropy: frame.entropy(),
                bytes: frame.size(),
                control: frame.is_control(),
            };
            let (lines, ports, fast_ports) = (&self.lines, &self.ports, &self.fast_ports);
            let choices = Choices {
                count,
                group: &|| {
                    let edge = fabric.edge(host);
                    Group { edge: edge.0, pod: fabric.switches[edge.index()].pod }
                },
                queues: &|i| {
                    let line = &lines[(first_port + local(i)) as usize];
                    let number = line.place.number();
                    if line.place.is_fast() {
                        Bytes(u64::from(line.bytes) + fast_ports[number].control_bytes)
                    } else {
                        Bytes(ports[number].backlog())
                    }
                },
            };
            let SwitchState { selector, rng, .. } = &mut self.switches[number as usize];
            selector.select(&mut Cx { now, rng, events: &mut () }, &header, &choices)
        };
        let switch = &mut self.switches[number as usize];
        let out = choices.get(chosen).0 - switch.first_id;
        if CONTROLLED {
            return self.enqueue_controlled(number, now, (in_port, out), frame);
        }
        switch.busy[out as usize / 64] |= 1 << (out % 64);
        let came_in = PortId(switch.first_id + in_port);
        let line = &mut self.lines[(first_port + out) as usize];
        let (place, world) = (line.place, &mut self.world);
        if place.is_fast() {
            self.fast_ports[place.number()].enqueue(now, came_in, frame, line, world);
        } else {
            self.ports[place.number()].enqueue(now, came_in, frame, line, world);
        }
    }

    /// Carries out what a port has to up to and including `until`.
    fn replay(&mut self, port: u32, until: Time) {
        let line = &mut self.lines[port as usize];
        let place = line.place;
        if place.is_fast() {
            self.fast_ports[place.number()].advance(until, line, &mut self.world);
        } else {
            self.ports[place.number()].replay(until, line, &mut self.world);
        }
    }

    /// Carries out the departures of a switch before `end`, and wakes it for those to come.
    fn replay_busy(&mut self, number: u32, end: Time) {
        let mut next = Time::NEVER;
        let until = Time(end.0 - 1);
        let switch = &mut self.switches[number as usize];
        for (index, word) in switch.busy.iter_mut().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let line = &mut self.lines[(switch.first_port + index as u32 * 64 + bit) as usize];
                let (place, world) = (line.place, &mut self.world);
                let action = if place.is_fast() {
                    let port = &mut self.fast_ports[place.number()];
                    port.advance(until, line, world);
                    port.next_action(until, line).unwrap_or(Time::NEVER)
                } else {
                    let port = &mut self.ports[place.number()];
                    port.replay(until, line, world);
                    port.next_action()
                };
                if action == Time::NEVER {
                    *word &= !(1 << bit);
                }
                next = next.min(action);
            }
        }
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}
