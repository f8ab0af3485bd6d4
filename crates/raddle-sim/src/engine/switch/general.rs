//! Switches of any kind: one that may die, whose routes may change, with middleware, notes, detours,
//! slices or probes. What is known beforehand of a [plain one](super::fast_path) is looked up here.

use super::Scheme;
use super::asleep::Asleep;
use super::closings::Slices;
use super::coupling::{Coupling, Parts};
use super::fast_path::wake;
use super::view::{Around, header};
use super::ways::Ways;
use crate::engine::link::arrivals::Arrivals;
use crate::faults::intervals::covers;
use crate::middleware::{Born, Ends, Passage};
use crate::record::DropCause;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Choices, Waypoint};
use raddle_schemes::units::Time;

/// A switch of any kind.
pub(in crate::engine) struct GeneralSwitch<'s, 'a, D> {
    /// Within its part, and in the fabric.
    pub(in crate::engine) number: u32,
    pub(in crate::engine) switch: SwitchId,
    /// Its first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) deaths: &'s [(Time, Time)],
    pub(in crate::engine) scheme: &'s mut Scheme,
    pub(in crate::engine) slices: Option<&'s mut Slices>,
    pub(in crate::engine) asleep: Option<&'s mut Asleep>,
    pub(in crate::engine) ways: Ways<'s, 'a>,
    pub(in crate::engine) coupling: D,
}

/// Where a frame that arrives at a switch goes.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// To the queue of a port, counted within the switch.
    Out(u32),
    Lost(DropCause),
    /// A ToR's middleware has dropped it.
    Refused,
    /// It waits for a ToR's middleware to let it go.
    Held,
    /// A PFC frame is meant for the port that it came to.
    Pause,
}

impl<'s, 'a> GeneralSwitch<'s, 'a, ()> {
    /// The same with its coupling.
    pub(super) fn with<D>(self, coupling: D) -> GeneralSwitch<'s, 'a, D> {
        let Self { number, switch, first_id, deaths, scheme, slices, asleep, ways, .. } = self;
        GeneralSwitch { number, switch, first_id, deaths, scheme, slices, asleep, ways, coupling }
    }
}

impl<'a, D: Coupling<'a>> GeneralSwitch<'_, 'a, D> {
    /// Takes what arrives in a window, the last instant of which is `until`, to its queues, carries out
    /// departures, and wakes the switch for what is due later.
    pub(super) fn run(mut self, (start, until): (Time, Time), arrivals: &mut Arrivals) {
        self.coupling.begin(|| arrivals.bytes());
        if let Some(asleep) = &mut self.asleep {
            asleep.wake(until, self.coupling.parts().busy);
        }
        arrivals.sort((until.0 + 1 - start.0) as u32);
        if self.scheme.selector.looks_before() {
            self.take_together(start, arrivals);
        } else {
            self.take_each(start, arrivals);
        }
        self.before(until);
        let next = self.coupling.finish(until, self.asleep.as_deref_mut());
        let lanes = self.slices.as_ref().map_or(Time::NEVER, |own| own.next_due());
        let timer = self.coupling.parts().tor.map_or(Time::NEVER, |tor| tor.next_timer());
        wake(self.number, next.min(lanes).min(timer), self.coupling.parts().world);
    }

    /// One frame after the other.
    fn take_each(&mut self, start: Time, arrivals: &Arrivals) {
        for (at, in_port, mut frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            self.before(now);
            self.bring_note(in_port, frame);
            let way = self.choose((now, now), in_port, &mut frame);
            self.forward(now, in_port, frame, way);
            self.queue_born(now);
        }
    }

    /// The same under a scheme that looks before: all that arrives at an instant chooses before
    /// anything leaves or joins.
    #[inline(never)]
    fn take_together(&mut self, start: Time, arrivals: &Arrivals) {
        let mut ways = Vec::new();
        for (now, together) in arrivals.by_instant(start) {
            let before = Time(now.0 - 1);
            self.before(before);
            // Such a switch has no middleware.
            let choose = |(in_port, mut frame)| self.choose((now, before), in_port, &mut frame);
            ways.clear();
            ways.extend(together.clone().map(choose));
            for ((in_port, frame), &way) in together.zip(&ways) {
                self.before(now);
                self.bring_note(in_port, frame);
                self.forward(now, in_port, frame, way);
            }
        }
    }

    /// Carries out what has to be up to and including `until` before something arrives then. What
    /// middleware sends is queued at the instant of its birth.
    #[inline(always)]
    fn before(&mut self, until: Time) {
        if self.slices.is_some() {
            return self.play(until);
        }
        if !D::ORDERED || self.coupling.parts().tor.is_none() {
            return self.coupling.before(until);
        }
        while let Some(at) = self.coupling.before_next(until) {
            self.queue_born(at);
        }
    }

    /// What a frame that has come in carries of the switches before is at hand from now on.
    #[inline(always)]
    fn bring_note(&mut self, in_port: u32, frame: Frame) {
        let came_in = PortId(self.first_id + in_port);
        if let Some(notes) = &mut self.coupling.parts().world.notes {
            notes.bring(came_in, frame);
        }
    }

    /// Queues what a ToR's middleware sends and lets go at `now`.
    #[inline(always)]
    pub(super) fn queue_born(&mut self, now: Time) {
        if self.coupling.parts().tor.is_some() {
            self.queue_some(now);
        }
    }

    #[inline(never)]
    fn queue_some(&mut self, now: Time) {
        if self.slices.is_some() {
            self.look(now);
        }
        while let Some(Born { frame, came_in, via, through, note }) = self.next_born() {
            if let Some(notes) = &mut self.coupling.parts().world.notes {
                notes.put(note);
            }
            let mut way = match through {
                Some(port) => Way::Out(port.0 - self.first_id),
                None => self.choose_way((now, now), frame, via, None),
            };
            // No port has sent it here, so none can say that it was lost.
            if let (Way::Lost(_), Some(tor)) = (way, self.coupling.parts().tor) {
                tor.note_dropped(frame);
                way = Way::Refused;
            }
            self.forward(now, came_in, frame, way);
        }
    }

    fn next_born(&mut self) -> Option<Born> {
        let Parts { tor, world, .. } = self.coupling.parts();
        tor?.poll((self.ways.plan, &**world.hosts.layout()))
    }

    /// Where a frame that arrives at `now` goes, by what is queued at `seen`.
    #[inline(always)]
    fn choose(&mut self, (now, seen): (Time, Time), in_port: u32, frame: &mut Frame) -> Way {
        if covers(self.deaths, now) {
            return Way::Lost(DropCause::NodeDown);
        }
        if frame.is_pfc() {
            return Way::Pause;
        }
        let mut via = None;
        if self.coupling.parts().tor.is_some() {
            match self.show(now, in_port, frame) {
                Passage::Goes(way) => via = way,
                Passage::Dropped => return Way::Refused,
                Passage::Held => return Way::Held,
            }
        }
        let by_way_of = if self.scheme.detours { self.detour(now, in_port, frame) } else { None };
        self.choose_now((now, seen), *frame, via, by_way_of)
    }

    /// The port of a host that is where a frame goes first, if its scheme sends it elsewhere than to
    /// its destination; written into the frame.
    #[inline(never)]
    fn detour(&mut self, now: Time, in_port: u32, frame: &mut Frame) -> Option<PortId> {
        let routes = self.ways.routes_at(now);
        let fabric = &self.ways.plan.fabric;
        let locators = self.coupling.parts().world.hosts.locators();
        let edge = fabric.edge_of(locators.port(frame.to));
        if edge == self.switch {
            return None;
        }
        let peer = fabric.ports[(self.first_id + in_port) as usize].peer;
        let from_host = peer.0 < fabric.host_ports();
        let (edges, hosts) = self.ways.edges;
        let stop = Waypoint { switch: self.switch, edge, from_host, edges };
        let key = self.ways.key_of(*frame, locators);
        let Scheme { selector, rng, .. } = &mut *self.scheme;
        let detour = selector.detour(&mut SwitchCx { now, rng }, &header(*frame, key), &stop);
        let way = detour.towards.map(|(place, entropy)| (hosts[place], entropy));
        let way = way.filter(|&(host, _)| routes.ports(self.switch, host).count() > 0);
        frame.set_entropy(way.map_or(detour.straight, |(_, entropy)| entropy));
        way.map(|(host, _)| host)
    }

    /// Shows a frame that has come in to a ToR's middleware, if there is a way for it.
    fn show(&mut self, now: Time, in_port: u32, frame: &mut Frame) -> Passage {
        let Parts { tor, world, .. } = self.coupling.parts();
        let locators = world.hosts.locators();
        let to = locators.port(frame.to);
        let class = (!frame.is_control()).then(|| locators.class(frame.to));
        let ways = self.ways.routes_at(now).ports_at(now, || class, self.switch, to);
        match tor {
            Some(tor) if ways.count() > 0 => {
                let ends = &**world.hosts.layout();
                let mut notes = world.notes.as_mut().filter(|notes| notes.are_with(*frame));
                let mut note = notes.as_mut().map_or_else(Note::default, |notes| notes.take());
                let known = (self.ways.plan, ends as &dyn Ends);
                let passage = tor.on_ingress(known, now, (frame, to, &mut note), in_port, ways);
                if let Some(notes) = notes {
                    notes.put(note);
                }
                passage
            }
            _ => Passage::Goes(None),
        }
    }

    /// [`choose_now`](Self::choose_now) for a frame that has not just come in.
    #[inline(never)]
    pub(super) fn choose_way(
        &mut self,
        at: (Time, Time),
        frame: Frame,
        via: Option<usize>,
        by_way_of: Option<PortId>,
    ) -> Way {
        self.choose_now(at, frame, via, by_way_of)
    }

    /// Which port a frame takes at `now`, by what is queued at `seen`; `via` is that one of its equal
    /// ways, if it has been chosen, `by_way_of` the port of a host to which it goes as if that were its
    /// destination.
    #[inline(always)]
    fn choose_now(
        &mut self,
        (now, seen): (Time, Time),
        frame: Frame,
        via: Option<usize>,
        by_way_of: Option<PortId>,
    ) -> Way {
        let route = self.ways.number_at(now);
        let routes = &self.ways.routes[route].1;
        let Parts { own, world, .. } = self.coupling.parts();
        let locators = world.hosts.locators();
        let to = by_way_of.unwrap_or_else(|| locators.port(frame.to));
        let class = || (!frame.is_control()).then(|| locators.class(frame.to));
        let ports = routes.ports_at(now, class, self.switch, to);
        let chosen = match ports.count() {
            0 => return Way::Lost(DropCause::NoRoute),
            1 => 0,
            count if let Some(way) = via => way.min(count - 1),
            count => {
                let key = self.ways.key_of(frame, locators);
                let mut around = Around {
                    seen,
                    switch: self.switch,
                    to,
                    choices: ports,
                    fabric: &self.ways.plan.fabric,
                    forwarding: &self.ways.plan.routes[route].1,
                    first_id: self.first_id,
                    own,
                    world,
                };
                let mut choices = Choices {
                    count,
                    next_hops: ports.number(),
                    epoch: (route as u32).wrapping_add(routes.epoch(now)),
                    weights: ports.weights(),
                    fabric: &mut around,
                };
                let Scheme { selector, follower, rng, .. } = &mut *self.scheme;
                if let Some(own) = follower {
                    own.before(now, |to| selector.probes(to));
                }
                let cx = &mut SwitchCx { now, rng };
                selector.select(cx, &header(frame, key), &mut choices)
            }
        };
        Way::Out(ports.get(chosen).0 - self.first_id)
    }

    /// Takes an arrival to its queue.
    #[inline(always)]
    pub(super) fn forward(&mut self, now: Time, in_port: u32, frame: Frame, way: Way) {
        match way {
            Way::Out(out) => {
                if let Some(slices) = &mut self.slices {
                    slices.touch(out);
                }
                self.coupling.enqueue(now, (in_port, out), frame);
            }
            Way::Lost(cause) => {
                let port = (self.first_id + in_port) as usize;
                let came_from = self.ways.plan.fabric.ports[port].peer;
                let world = self.coupling.parts().world;
                world.lose_on_arrival(now, came_from, frame, cause);
                if cause == DropCause::NoRoute {
                    self.coupling.lose(now, in_port, frame);
                }
            }
            Way::Refused => {
                let world = self.coupling.parts().world;
                world.hosts.note_dropped(frame);
                world.recorder.dropped_within(now, frame);
            }
            Way::Held => {}
            Way::Pause => self.coupling.on_pause(now, in_port, frame),
        }
    }
}
