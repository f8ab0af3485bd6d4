//! A part's switches: what arrives in a window, in order of time and rank, run to completion.

use crate::engine::link::PortKind;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::part::Part;
use crate::engine::port::kinds::{of_kind, of_told_kind};
use crate::engine::port::{Arriving, Room};
use crate::engine::schedule::calendar::Wake;
use crate::engine::switch::asleep::Asleep;
use crate::engine::switch::busy::{note_busy, replay_ports};
use crate::engine::switch::coupling::{Alone, Coupling, Site};
use crate::engine::switch::fast_path::{PlainSwitch, Window};
use crate::engine::switch::next_hops::TreeNode;
use crate::engine::switch::ordered::OrderedPorts;
use crate::engine::switch::own_ports::{AlikePorts, MixedPorts, OwnPorts};
use crate::engine::switch::shared_memory::{Pool, Pooled};
use crate::engine::switch::told_memory::Told;
use crate::engine::switch::view::{Around, header};
use crate::engine::switch::{SwitchState, from};
use crate::engine::world::World;
use crate::faults::intervals::covers;
use crate::middleware::{Born, Ends, Passage};
use crate::record::DropCause;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::{Choices, Waypoint};
use raddle_schemes::units::Time;

impl<'a> Part<'a> {
    pub(in crate::engine) fn run_switch(&mut self, number: u32, start: Time, end: Time) {
        let mut scratch = std::mem::take(&mut self.scratch.arrivals);
        self.gather(number, start, end, &mut scratch);
        self.events += scratch.len() as u64;
        if let Some(mut own) = self.ordered_ports(number) {
            own.begin_window(|| scratch.bytes());
        }
        if let SwitchState { asleep: Some(asleep), busy, .. } = &mut self.switches[number as usize]
        {
            asleep.wake(Time(end.0 - 1), busy);
        }
        let switch = &self.switches[number as usize];
        let may_carry_notes = self.world.notes.is_some();
        let plain = self.routes_stand_until(end)
            && self.keys.is_none()
            && switch.is_plain((start, end), may_carry_notes);
        match (switch.kind, self.routes[self.route].1.tree_node(switch.id)) {
            (Some(kind), Some(node)) if plain => {
                let node = node.clone();
                self.run_plainly(number, (start, end), &mut scratch, &node, kind);
            }
            _ => {
                scratch.sort((end.0 - start.0) as u32);
                let looks_before = switch.selector.looks_before();
                match (switch.is_ordered() || switch.is_told(), looks_before) {
                    (false, false) if switch.by_slices => {
                        self.forward_by_slices(number, (start, Time(end.0 - 1)), &scratch);
                    }
                    (false, false) => self.forward_all::<false>(number, start, &scratch),
                    (true, false) => self.forward_all::<true>(number, start, &scratch),
                    (false, true) => self.forward_together::<false>(number, start, &scratch),
                    (true, true) => self.forward_together::<true>(number, start, &scratch),
                }
                self.replay_busy(number, Time(end.0 - 1));
            }
        }
        self.scratch.arrivals = scratch;
    }

    /// Whether no route changes from the start of this half of a window to before `end`.
    fn routes_stand_until(&self, end: Time) -> bool {
        self.routes.get(self.route + 1).is_none_or(|(from, _)| *from >= end)
    }

    /// Takes the arrivals of a window to their queues and carries out the departures, at a switch of
    /// a tree that [is plain](SwitchState::is_plain), whose routes do not change meanwhile, where flows
    /// have keys of their own, and whose ports are all of one kind.
    fn run_plainly(
        &mut self,
        number: u32,
        (start, end): (Time, Time),
        arrivals: &mut Arrivals,
        node: &TreeNode,
        (kind, first): (PortKind, u32),
    ) {
        let route = self.route;
        let Self { plan, switches, lines, ports, world, .. } = self;
        let SwitchState { id, selector, rng, first_port, first_id, busy, pool, ordered, .. } =
            &mut switches[number as usize];
        let (first_id, count) = (*first_id, busy.len() * 64);
        let window = Window {
            number,
            switch: *id,
            first_id,
            start,
            end,
            arrivals,
            node,
            epoch: route as u32,
            fabric: &plan.fabric,
            forwarding: &plan.routes[route].1,
            rng,
        };
        let lines = from(lines, *first_port, count);
        if let Some(ordered) = ordered {
            let own = AlikePorts { lines, ports: from(&mut ports.general, first, count) };
            let pool = pool.as_deref_mut();
            // Such a switch has no middleware.
            let coupling =
                OrderedPorts { plan, ordered, pool, tor: None, first_id, busy, own, world };
            return selector.visit(PlainSwitch { window, coupling });
        }
        if let Some(pool) = pool.as_deref_mut().filter(|pool| pool.is_told()) {
            return of_told_kind!(mut ports, kind, ports => {
                let own = AlikePorts { lines, ports: from(ports, first, count) };
                let coupling = Told { site: Site { first_id, busy, own, world }, pool };
                selector.visit(PlainSwitch { window, coupling });
            });
        }
        of_kind!(mut ports, kind, ports => {
            let own = AlikePorts { lines, ports: from(ports, first, count) };
            let site = Site { first_id, busy, own, world };
            match pool {
                Some(pool) => {
                    selector.visit(PlainSwitch { window, coupling: Pooled { site, pool } });
                }
                None => selector.visit(PlainSwitch { window, coupling: Alone::new(site) }),
            }
        });
    }

    /// Takes arrivals to their queues, one after the other.
    fn forward_all<const ORDERED: bool>(&mut self, number: u32, start: Time, arrivals: &Arrivals) {
        for (at, in_port, mut frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            self.replay_ordered::<ORDERED>(number, now);
            self.bring_note(number, in_port, frame);
            let way = self.choose::<ORDERED>(number, (now, now), in_port, &mut frame);
            self.forward::<ORDERED>(number, now, in_port, frame, way);
            self.queue_born::<ORDERED>(number, now);
        }
    }

    /// The same under a scheme that looks before: all that arrives at an instant chooses before
    /// anything leaves or joins.
    #[inline(never)]
    fn forward_together<const ORDERED: bool>(
        &mut self,
        number: u32,
        start: Time,
        arrivals: &Arrivals,
    ) {
        let mut ways = Vec::new();
        for (now, together) in arrivals.by_instant(start) {
            let before = Time(now.0 - 1);
            self.replay_ordered::<ORDERED>(number, before);
            // Such a switch has no middleware.
            let choose = |(in_port, mut frame)| {
                self.choose::<false>(number, (now, before), in_port, &mut frame)
            };
            ways.clear();
            ways.extend(together.clone().map(choose));
            for ((in_port, frame), &way) in together.zip(&ways) {
                self.replay_ordered::<ORDERED>(number, now);
                self.bring_note(number, in_port, frame);
                self.forward::<ORDERED>(number, now, in_port, frame, way);
            }
        }
    }

    /// Carries out what is due up to and including `until` at an ordered switch, or at one whose memory
    /// has a policy that hears sums: its timer alone.
    #[inline]
    fn replay_ordered<const ORDERED: bool>(&mut self, number: u32, until: Time) {
        if !ORDERED {
            return;
        }
        if self.switches[number as usize].tor.is_some() {
            return self.replay_tor(number, until);
        }
        match self.ordered_ports(number) {
            Some(mut own) => own.before(until),
            None => self.play_told(number, until),
        }
    }

    /// Has timers come, up to and including `until`, of a memory whose policy hears sums.
    #[inline]
    fn play_told(&mut self, number: u32, until: Time) {
        let Self { switches, lines, ports, world, .. } = self;
        let SwitchState { busy, first_port, pool, .. } = &mut switches[number as usize];
        if let Some(pool) = pool.as_deref_mut().filter(|pool| pool.is_told()) {
            let lines = &mut lines[*first_port as usize..];
            pool.play(until, busy, &mut MixedPorts { lines, ports }, world);
        }
    }

    /// The same at a ToR with middleware, whose frames are queued at the instant of their birth.
    fn replay_tor(&mut self, number: u32, until: Time) {
        while let Some(at) = self.ordered_ports(number).and_then(|mut own| own.replay_first(until))
        {
            self.queue_born::<true>(number, at);
        }
    }

    /// Queues what a ToR's middleware sends and lets go at `now`.
    #[inline]
    fn queue_born<const ORDERED: bool>(&mut self, number: u32, now: Time) {
        while ORDERED
            && let Some(tor) = &mut self.switches[number as usize].tor
            && let Some(Born { frame, came_in, via, note, .. }) =
                tor.poll((self.plan, &**self.world.hosts.layout()))
        {
            if let Some(notes) = &mut self.world.notes {
                notes.put(note);
            }
            let mut way = self.choose_way(number, (now, now), frame, via, None);
            // No port has sent it here, so none can say that it was lost.
            if let (Way::Lost(_), Some(tor)) = (way, &mut self.switches[number as usize].tor) {
                tor.note_dropped(frame);
                way = Way::Refused;
            }
            self.forward::<true>(number, now, came_in, frame, way);
        }
    }

    /// Takes what arrives at a switch off its links, in-port by in-port.
    #[inline]
    fn gather(&mut self, number: u32, start: Time, end: Time, arrivals: &mut Arrivals) {
        let SwitchState { first_port, arbitration, .. } = self.switches[number as usize];
        let width = (end.0 - start.0) as u32;
        let Self { lines, feeders, world, .. } = self;
        arrivals.clear();
        world.calendar.take_in_ports(number, |in_port| {
            let line = &mut lines[feeders[(first_port + in_port) as usize] as usize];
            let (front, back) = line.ring.slices(0);
            let own = (in_port, arbitration.contender(in_port));
            let mut arrived = arrivals.extend(front, start, width, own);
            if arrived == front.len() {
                arrived += arrivals.extend(back, start, width, own);
            }
            line.take(arrived as u32);
        });
    }

    /// Index of the route in force at `now`, which is not before the window.
    fn route_at(&self, now: Time) -> usize {
        let later = self.routes[self.route + 1..].iter();
        self.route + later.take_while(|(from, _)| *from <= now).count()
    }

    /// An ordered switch, with its ports.
    #[inline]
    fn ordered_ports(&mut self, number: u32) -> Option<OrderedPorts<'_, 'a>> {
        let Self { plan, switches, lines, ports, world, .. } = self;
        let SwitchState { first_port, first_id, busy, pool, ordered, tor, .. } =
            &mut switches[number as usize];
        let ordered = ordered.as_deref_mut()?;
        let lines = from(lines, *first_port, ordered.ports());
        let first = lines.first()?.place.number() as u32;
        let ports = from(&mut ports.general, first, ordered.ports());
        let (pool, tor) = (pool.as_deref_mut(), tor.as_deref_mut());
        let first_id = *first_id;
        let own = AlikePorts { lines, ports };
        Some(OrderedPorts { plan, ordered, pool, tor, first_id, busy, own, world })
    }

    /// Where a frame that arrives at `now` goes, by what is queued at `seen`. `TOR` if the switch may
    /// have middleware.
    #[inline(always)]
    pub(super) fn choose<const TOR: bool>(
        &mut self,
        number: u32,
        (now, seen): (Time, Time),
        in_port: u32,
        frame: &mut Frame,
    ) -> Way {
        let switch = &self.switches[number as usize];
        if covers(&switch.deaths, now) {
            return Way::Lost(DropCause::NodeDown);
        }
        if frame.is_pfc() {
            return Way::Pause;
        }
        let mut via = None;
        if TOR && switch.tor.is_some() {
            match self.show(number, now, in_port, frame) {
                Passage::Goes(way) => via = way,
                Passage::Dropped => return Way::Refused,
                Passage::Held => return Way::Held,
            }
        }
        let by_way_of = if self.switches[number as usize].detours {
            self.detour(number, now, in_port, frame)
        } else {
            None
        };
        self.choose_way(number, (now, seen), *frame, via, by_way_of)
    }

    /// The port of a host that is where a frame goes first, if its scheme sends it elsewhere than to
    /// its destination; written into the frame.
    #[inline(never)]
    fn detour(
        &mut self,
        number: u32,
        now: Time,
        in_port: u32,
        frame: &mut Frame,
    ) -> Option<PortId> {
        let routes = &self.routes[self.route_at(now)].1;
        let fabric = &self.plan.fabric;
        let locators = self.world.hosts.locators();
        let switch = &mut self.switches[number as usize];
        let edge = fabric.edge_of(locators.port(frame.to));
        if edge == switch.id {
            return None;
        }
        let peer = fabric.ports[(switch.first_id + in_port) as usize].peer;
        let from_host = peer.0 < fabric.host_ports();
        let (edges, hosts) = &self.edges;
        let stop = Waypoint { switch: switch.id, edge, from_host, edges };
        let own_key = || locators.key(frame.to);
        let key = self.keys.as_ref().map_or_else(own_key, |own| own.flow_key(*frame));
        let cx = &mut SwitchCx { now, rng: &mut switch.rng };
        let detour = switch.selector.detour(cx, &header(*frame, key), &stop);
        let way = detour.towards.map(|(place, entropy)| (hosts[place], entropy));
        let way = way.filter(|&(host, _)| routes.ports(switch.id, host).count() > 0);
        frame.set_entropy(way.map_or(detour.straight, |(_, entropy)| entropy));
        way.map(|(host, _)| host)
    }

    /// Shows a frame that has come in to a ToR's middleware, if there is a way for it.
    fn show(&mut self, number: u32, now: Time, in_port: u32, frame: &mut Frame) -> Passage {
        let route = self.route_at(now);
        let locators = self.world.hosts.locators();
        let to = locators.port(frame.to);
        let class = (!frame.is_control()).then(|| locators.class(frame.to));
        let switch = &mut self.switches[number as usize];
        let ways = self.routes[route].1.ports_at(now, || class, switch.id, to);
        match &mut switch.tor {
            Some(tor) if ways.count() > 0 => {
                let ends = &**self.world.hosts.layout();
                let mut notes = self.world.notes.as_mut().filter(|notes| notes.are_with(*frame));
                let mut note = notes.as_mut().map_or_else(Note::default, |notes| notes.take());
                let known = (self.plan, ends as &dyn Ends);
                let passage = tor.on_ingress(known, now, (frame, to, &mut note), in_port, ways);
                if let Some(notes) = notes {
                    notes.put(note);
                }
                passage
            }
            _ => Passage::Goes(None),
        }
    }

    /// Which port a frame takes at `now`, by what is queued at `seen`; `via` is that one of its equal
    /// ways, if it has been chosen, `by_way_of` the port of a host to which it goes as if that were its
    /// destination.
    #[inline(always)]
    pub(super) fn choose_way(
        &mut self,
        number: u32,
        (now, seen): (Time, Time),
        frame: Frame,
        via: Option<usize>,
        by_way_of: Option<PortId>,
    ) -> Way {
        let route = self.route_at(now);
        let switch = &mut self.switches[number as usize];
        let locators = self.world.hosts.locators();
        let to = by_way_of.unwrap_or_else(|| locators.port(frame.to));
        let class = || (!frame.is_control()).then(|| locators.class(frame.to));
        let ports = self.routes[route].1.ports_at(now, class, switch.id, to);
        let chosen = match ports.count() {
            0 => return Way::Lost(DropCause::NoRoute),
            1 => 0,
            count if let Some(way) = via => way.min(count - 1),
            count => {
                let own_key = || locators.key(frame.to);
                let key = self.keys.as_ref().map_or_else(own_key, |own| own.flow_key(frame));
                let mut around = Around {
                    seen,
                    switch: switch.id,
                    to,
                    choices: ports,
                    fabric: &self.plan.fabric,
                    forwarding: &self.plan.routes[route].1,
                    first_port: switch.first_port,
                    first_id: switch.first_id,
                    lines: &mut self.lines,
                    ports: &mut self.ports,
                    world: &mut self.world,
                };
                let mut choices = Choices {
                    count,
                    next_hops: ports.number(),
                    epoch: (route as u32).wrapping_add(self.routes[route].1.epoch(now)),
                    weights: ports.weights(),
                    fabric: &mut around,
                };
                let cx = &mut SwitchCx { now, rng: &mut switch.rng };
                let header = header(frame, key);
                if let Some(own) = &mut switch.follower {
                    own.before(now, |to| switch.selector.probes(to));
                }
                switch.selector.select(cx, &header, &mut choices)
            }
        };
        Way::Out(ports.get(chosen).0 - switch.first_id)
    }

    /// Takes an arrival to its queue; `ORDERED` if the switch is ordered, and has then been replayed up
    /// to now, or has a memory with a policy that hears sums.
    #[inline(always)]
    pub(super) fn forward<const ORDERED: bool>(
        &mut self,
        number: u32,
        now: Time,
        in_port: u32,
        frame: Frame,
        way: Way,
    ) {
        let switch = &self.switches[number as usize];
        let out = match way {
            Way::Out(out) => out,
            Way::Lost(cause) => {
                let came_from = self.plan.fabric.ports[(switch.first_id + in_port) as usize].peer;
                return self.lost_on_arrival.note(now, came_from, frame, cause, &mut self.world);
            }
            Way::Refused => {
                self.world.hosts.note_dropped(frame);
                return self.world.recorder.dropped_within(now, frame);
            }
            Way::Held => return,
            Way::Pause => {
                let Some(mut own) = self.ordered_ports(number) else { return };
                return own.on_pause(now, in_port, frame);
            }
        };
        if ORDERED && let Some(mut own) = self.ordered_ports(number) {
            return own.enqueue(now, (in_port, out), frame);
        }
        let switch = &mut self.switches[number as usize];
        let came_in = PortId(switch.first_id + in_port);
        let lines = &mut self.lines[switch.first_port as usize..];
        if let Some(pool) = &mut switch.pool {
            let mut own = MixedPorts { lines, ports: &mut self.ports };
            if ORDERED {
                let way = (came_in, in_port, out as usize);
                let busy = &mut switch.busy;
                return pool.enqueue_told(now, way, frame, busy, &mut own, &mut self.world);
            }
            let ports = (came_in, out as usize);
            return pool.enqueue(now, ports, frame, &mut switch.busy, &mut own, &mut self.world);
        }
        note_busy(&mut switch.busy, out as usize);
        let line = &mut lines[out as usize];
        let arriving = Arriving { now, came_in, frame, room: Room::AMPLE };
        self.ports.enqueue(arriving, line, &mut self.world);
    }

    /// What a frame that has come in carries of the switches before is at hand from now on.
    #[inline(always)]
    fn bring_note(&mut self, number: u32, in_port: u32, frame: Frame) {
        if let Some(notes) = &mut self.world.notes {
            notes.bring(PortId(self.switches[number as usize].first_id + in_port), frame);
        }
    }

    /// Carries out the departures of a switch up to and including `until`, and wakes it for those to
    /// come.
    fn replay_busy(&mut self, number: u32, until: Time) {
        self.replay_ordered::<true>(number, until);
        if let Some(mut own) = self.ordered_ports(number) {
            let next = own.finish(until);
            if next < Time::NEVER {
                own.world.calendar.wake(next, Wake::Switch { switch: number });
            }
            return;
        }
        let Self { switches, lines, ports, world, .. } = self;
        let SwitchState { busy, first_port, pool, asleep, closings, tor, .. } =
            &mut switches[number as usize];
        let lines = &mut lines[*first_port as usize..];
        let timer = tor.as_ref().map_or(Time::NEVER, |tor| tor.next_timer());
        if let Some(asleep) = asleep {
            let mut own = MixedPorts { lines, ports };
            let pool = pool.as_deref_mut();
            let next = replay_and_sleep(until, busy, asleep, pool, &mut own, world);
            let closing = closings.as_ref().map_or(Time::NEVER, |own| own.next_due());
            let next = next.min(closing).min(timer);
            if next < Time::NEVER {
                world.calendar.wake(next, Wake::Switch { switch: number });
            }
            return;
        }
        let next = match pool {
            Some(pool) if pool.is_told() => {
                let mut own = MixedPorts { lines, ports };
                pool.carry_out_told(until, busy, &mut own, world).min(pool.timer_at())
            }
            Some(pool) => pool.carry_out(until, busy, &mut MixedPorts { lines, ports }, world),
            None => replay_ports(busy, |out| ports.carry_out(until, &mut lines[out], world)),
        };
        let next = next.min(timer);
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// Carries out what busy ports have to up to and including `until`. Those that have more to do later
/// sleep. Returns when the first of them has.
#[inline(never)]
fn replay_and_sleep(
    until: Time,
    busy: &mut [u64],
    asleep: &mut Asleep,
    mut pool: Option<&mut Pool>,
    ports: &mut MixedPorts<'_>,
    world: &mut World<'_>,
) -> Time {
    replay_ports(busy, |out| {
        let (action, gone) = ports.carry_out(out, until, world);
        if let Some(pool) = &mut pool {
            pool.note_freed(out, gone);
        }
        asleep.put(out, action)
    });
    asleep.next()
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
