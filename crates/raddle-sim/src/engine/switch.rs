//! A part's switches: what arrives in a window, in order of time and in-port, run to completion.

use super::around::{Around, AroundPlain, Came, QueuePort, Room};
use super::arrivals::Arrivals;
use super::calendar::Wake;
use super::forward::TreeNode;
use super::joint::{Joint, JointPorts};
use super::line::{Line, PortKind};
use super::part::{Part, SwitchState};
use super::pool::{AlikePorts, MixedPorts, Pool};
use super::port::{Port, World};
use super::ports::of_kind;
use crate::net::frame::{Frame, Locators, flag};
use crate::net::windows::covers;
use crate::record::DropCause;
use crate::routing::Forwarding;
use crate::topology::Fabric;
use raddle_schemes::Cx;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Choices, Header, PortSelector, Visitor};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;

impl<'a> Part<'a> {
    pub(super) fn run_switch(&mut self, number: u32, start: Time, end: Time) {
        let mut scratch = std::mem::take(&mut self.scratch.arrivals);
        self.gather(number, start, end, &mut scratch);
        self.events += scratch.len() as u64;
        let switch = &self.switches[number as usize];
        let boundary = self.routes.get(self.route + 1).map_or(Time::NEVER, |(from, _)| *from);
        let own_keys = self.pairs.is_none();
        let dies = switch.deaths.iter().any(|&(from, until)| from < end && until > start);
        let looks_before = switch.selector.looks_before();
        let plain = boundary >= end && !dies && own_keys && !looks_before;
        match (switch.kind, self.routes[self.route].1.tree_node(switch.id)) {
            (Some(kind), Some(node)) if plain => {
                let node = node.clone();
                self.run_plainly(number, (start, end), &mut scratch, &node, kind);
            }
            _ => {
                scratch.sort((end.0 - start.0) as u32);
                match (switch.joint.is_some(), looks_before) {
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

    fn forward_all<const JOINT: bool>(&mut self, number: u32, start: Time, arrivals: &Arrivals) {
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            self.replay_joint::<JOINT>(number, now);
            let way = self.choose(number, now, now, frame);
            self.forward::<JOINT>(number, now, in_port, frame, way);
        }
    }

    /// The same for a scheme that looks before: all that arrives at an instant chooses before
    /// anything leaves or joins.
    #[inline(never)]
    fn forward_together<const JOINT: bool>(
        &mut self,
        number: u32,
        start: Time,
        arrivals: &Arrivals,
    ) {
        let arrivals: Vec<(u64, u32, Frame)> = arrivals.iter().collect();
        for together in arrivals.chunk_by(|one, next| one.0 == next.0) {
            let now = Time(start.0 + together[0].0);
            let before = Time(now.0.saturating_sub(1));
            self.replay_joint::<JOINT>(number, before);
            let choose = |&(_, _, frame): &_| self.choose(number, now, before, frame);
            let ways: Vec<Way> = together.iter().map(choose).collect();
            for (&(_, in_port, frame), way) in together.iter().zip(ways) {
                self.replay_joint::<JOINT>(number, now);
                self.forward::<JOINT>(number, now, in_port, frame, way);
            }
        }
    }

    /// Carries out what is due up to and including `until` at a switch under flow control.
    #[inline]
    fn replay_joint<const JOINT: bool>(&mut self, number: u32, until: Time) {
        if JOINT && let Some(mut own) = self.joint_ports(number) {
            own.replay(until);
        }
    }

    /// Takes what arrives at a switch off its links, in order of time and in-port.
    #[inline]
    fn gather(&mut self, number: u32, start: Time, end: Time, arrivals: &mut Arrivals) {
        let first_port = self.switches[number as usize].first_port;
        let width = (end.0 - start.0) as u32;
        let Self { lines, feeders, world, .. } = self;
        arrivals.clear();
        world.calendar.take_in_ports(number, |in_port| {
            let line = &mut lines[feeders[(first_port + in_port) as usize] as usize];
            let (front, back) = line.ring.slices(0);
            let mut arrived = arrivals.extend(front, start, width, in_port);
            if arrived == front.len() {
                arrived += arrivals.extend(back, start, width, in_port);
            }
            line.take(arrived as u32);
        });
    }

    /// Takes the arrivals of a window to their queues and carries out the departures, at a switch of
    /// a tree that is alive, whose routes do not change meanwhile, where flows have keys of their own,
    /// and whose ports are all of one kind.
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
        let SwitchState { id, selector, rng, first_port, first_id, busy, pool, joint, .. } =
            &mut switches[number as usize];
        let count = busy.len() * 64;
        let site = Site {
            number,
            start,
            end,
            arrivals,
            node,
            epoch: route as u32,
            fabric: &plan.fabric,
            forwarding: &plan.routes[route].1,
            switch: *id,
            rng,
            first_id: *first_id,
            busy,
            lines: from(lines, *first_port, count),
            world,
        };
        if let Some(joint) = joint {
            let plain = PlainSwitch { site, ports: from(&mut ports.general, first, count) };
            return selector.visit(JointSwitch { plain, joint, pool: pool.as_deref_mut() });
        }
        of_kind!(mut ports, kind, ports => {
            let plain = PlainSwitch { site, ports: from(ports, first, count) };
            match pool {
                Some(pool) => selector.visit(PooledSwitch { plain, pool }),
                None => selector.visit(plain),
            }
        });
    }

    /// Index of the route in force at `now`, which is not before the window.
    fn route_at(&self, now: Time) -> usize {
        let later = self.routes[self.route + 1..].iter();
        self.route + later.take_while(|(from, _)| *from <= now).count()
    }

    /// A switch that is under flow control, with its ports.
    #[inline]
    fn joint_ports(&mut self, number: u32) -> Option<JointPorts<'_, 'a>> {
        let Self { switches, lines, ports, world, .. } = self;
        let SwitchState { first_port, first_id, busy, pool, joint, .. } =
            &mut switches[number as usize];
        let joint = joint.as_deref_mut()?;
        let lines = from(lines, *first_port, joint.ports());
        let first = lines.first()?.place.number() as u32;
        let ports = from(&mut ports.general, first, joint.ports());
        let pool = pool.as_deref_mut();
        Some(JointPorts { joint, pool, first_id: *first_id, busy, lines, ports, world })
    }

    /// Where a frame that arrives at `now` goes, by what is queued at `seen`.
    #[inline(always)]
    fn choose(&mut self, number: u32, now: Time, seen: Time, frame: Frame) -> Way {
        let switch = &self.switches[number as usize];
        if covers(&switch.deaths, now) {
            return Way::Lost(DropCause::NodeDown);
        }
        if frame.is_pfc() {
            return Way::Obey;
        }
        let route = self.route_at(now);
        let switch = &mut self.switches[number as usize];
        let host = self.world.hosts.locators().host(frame.to);
        let ports = self.routes[route].1.ports(switch.id, host);
        let chosen = match ports.count() {
            0 => return Way::Lost(DropCause::NoRoute),
            1 => 0,
            count => {
                let mut around = Around {
                    now: seen,
                    switch: switch.id,
                    host,
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
                    epoch: route as u32,
                    weights: ports.weights(),
                    fabric: &mut around,
                };
                let cx = &mut Cx { now, rng: &mut switch.rng, events: &mut () };
                let key = self.pairs.as_ref().map_or(frame.to.0, |layout| layout.flow_key(frame));
                let header = Header { flow_key: key, ..header(frame) };
                switch.selector.select(cx, &header, &mut choices)
            }
        };
        Way::Out(ports.get(chosen).0 - switch.first_id)
    }

    /// Takes an arrival to its queue; `JOINT` if the switch is under flow control. It is replayed up
    /// to now then.
    #[inline(always)]
    fn forward<const JOINT: bool>(
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
            Way::Obey => {
                let Some(mut own) = self.joint_ports(number) else { return };
                return own.obey(now, in_port, frame);
            }
        };
        if JOINT {
            let Some(mut own) = self.joint_ports(number) else { return };
            return own.enqueue(now, (in_port, out), frame);
        }
        let switch = &mut self.switches[number as usize];
        let came_in = PortId(switch.first_id + in_port);
        let lines = &mut self.lines[switch.first_port as usize..];
        if let Some(pool) = &mut switch.pool {
            let mut own = MixedPorts { lines, ports: &mut self.ports };
            let way = (came_in, out as usize);
            return pool.enqueue(now, way, frame, &mut switch.busy, &mut own, &mut self.world);
        }
        switch.busy[out as usize / 64] |= 1 << (out % 64);
        let line = &mut lines[out as usize];
        self.ports.enqueue(now, came_in, frame, Room::AMPLE, line, &mut self.world);
    }

    /// Carries out the departures of a switch up to and including `until`, and wakes it for those to
    /// come.
    fn replay_busy(&mut self, number: u32, until: Time) {
        if let Some(mut own) = self.joint_ports(number) {
            return own.finish(number, until);
        }
        let Self { switches, lines, ports, world, .. } = self;
        let SwitchState { busy, first_port, pool, .. } = &mut switches[number as usize];
        let lines = &mut lines[*first_port as usize..];
        let next = match pool {
            Some(pool) => pool.carry_out(until, busy, &mut MixedPorts { lines, ports }, world),
            None => replay_ports(busy, |out| ports.carry_out(until, &mut lines[out], world)),
        };
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// Where a frame that arrives at a switch goes.
#[derive(Clone, Copy)]
enum Way {
    /// To the queue of a port, counted within the switch.
    Out(u32),
    Lost(DropCause),
    /// A PFC frame is meant for the port that it came to.
    Obey,
}

/// A switch in [`Part::run_plainly`] without its ports.
struct Site<'s, 'w> {
    number: u32,
    start: Time,
    end: Time,
    arrivals: &'s mut Arrivals,
    node: &'s TreeNode,
    epoch: u32,
    fabric: &'s Fabric,
    forwarding: &'s Forwarding,
    switch: SwitchId,
    rng: &'s mut Rng,
    first_id: u32,
    busy: &'s mut [u64],
    lines: &'s mut [Line],
    world: &'s mut World<'w>,
}

/// A switch in [`Part::run_plainly`], whose loop is compiled for each scheme and kind of port.
struct PlainSwitch<'s, 'w, P> {
    site: Site<'s, 'w>,
    ports: &'s mut [P],
}

impl<P: QueuePort> Visitor for PlainSwitch<'_, '_, P> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        let (mut chooser, rest) = self.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        let (first_id, width) = (chooser.first_id, (until.0 + 1 - start.0) as u32);
        let are_many = arrivals.are_many_for(lines.len());
        let mut next = Time::NEVER;
        if chooser.stateless && are_many {
            // Choices first, link by link: what came up takes another branch than what came down, and
            // a branch mispredicted at a queue does not throw away a choice that has begun.
            arrivals.sort_by_lane(lines.len() * P::LANES, width, |frame| {
                let out = chooser.choose(start, frame, lines, ports, world);
                out * P::LANES as u32 + P::lane(frame)
            });
            // Then port by port, while all of one is at hand.
            for (out, (line, port)) in lines.iter_mut().zip(ports).enumerate() {
                let first_lane = out * P::LANES;
                let came = Came { arrivals, first_lane, start, until, first_id };
                let any = port.enqueue_all(came, line, world);
                let (word, bit) = (&mut busy[out / 64], 1 << (out % 64));
                if any || *word & bit != 0 {
                    let action = carry_out(port, line, until, world);
                    *word = if action == Time::NEVER { *word & !bit } else { *word | bit };
                    next = next.min(action);
                }
            }
        } else {
            arrivals.sort(width);
            if are_many {
                // To look at a port in vain costs less than to note each frame's.
                fill(busy, lines.len());
            }
            for (at, in_port, frame) in arrivals.iter() {
                let now = Time(start.0 + at);
                let came_in = PortId(first_id + in_port);
                let out = chooser.choose(now, frame, lines, ports, world) as usize;
                if !are_many {
                    busy[out / 64] |= 1 << (out % 64);
                }
                ports[out].enqueue(now, came_in, frame, Room::AMPLE, &mut lines[out], world);
            }
            next = carry_out_busy(busy, ports, lines, until, world);
        }
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// The same with ports that share memory: one takes room from the others, so arrivals stay in order.
struct PooledSwitch<'s, 'w, P> {
    plain: PlainSwitch<'s, 'w, P>,
    pool: &'s mut Pool,
}

impl<P: QueuePort> Visitor for PooledSwitch<'_, '_, P> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        let Self { plain, pool } = self;
        let (mut chooser, rest) = plain.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let mut own = AlikePorts { lines, ports };
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            let out = chooser.choose(now, frame, own.lines, own.ports, world) as usize;
            let way = (PortId(chooser.first_id + in_port), out);
            pool.enqueue(now, way, frame, busy, &mut own, world);
        }
        let next = pool.carry_out(until, busy, &mut own, world);
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// The same under flow control.
struct JointSwitch<'s, 'w> {
    plain: PlainSwitch<'s, 'w, Port>,
    joint: &'s mut Joint,
    pool: Option<&'s mut Pool>,
}

impl Visitor for JointSwitch<'_, '_> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        let Self { plain, joint, pool } = self;
        let (mut chooser, rest) = plain.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let first_id = chooser.first_id;
        let mut own = JointPorts { joint, pool, first_id, busy, lines, ports, world };
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            own.replay(now);
            if frame.is_pfc() {
                own.obey(now, in_port, frame);
                continue;
            }
            let out = chooser.choose(now, frame, own.lines, own.ports, own.world);
            own.enqueue(now, (in_port, out), frame);
        }
        own.finish(number, until);
    }
}

/// What a loop over arrivals has beside the choosing.
struct Loop<'s, 'w, P> {
    number: u32,
    start: Time,
    /// The last instant of the window.
    until: Time,
    arrivals: &'s mut Arrivals,
    busy: &'s mut [u64],
    lines: &'s mut [Line],
    ports: &'s mut [P],
    world: &'s mut World<'w>,
}

impl<'s, 'w, P> PlainSwitch<'s, 'w, P> {
    #[inline(always)]
    fn with<S: PortSelector>(self, selector: &'s mut S) -> (Chooser<'s, S>, Loop<'s, 'w, P>) {
        let Self { site, ports } = self;
        let Site { number, start, end, arrivals, node, epoch, fabric, forwarding, .. } = site;
        let Site { switch, rng, first_id, busy, lines, world, .. } = site;
        let count = fabric.switches[switch.index()].ports.len();
        let chooser = Chooser {
            stateless: selector.is_stateless(),
            selector,
            rng,
            locators: world.hosts.locators(),
            node,
            epoch,
            fabric,
            forwarding,
            switch,
            first_id,
        };
        // As long as each other: one check for both.
        let (lines, ports) = (&mut lines[..count], &mut ports[..count]);
        let until = Time(end.0 - 1);
        (chooser, Loop { number, start, until, arrivals, busy, lines, ports, world })
    }
}

/// Where packets go at a plain switch.
struct Chooser<'s, S> {
    selector: &'s mut S,
    stateless: bool,
    rng: &'s mut Rng,
    locators: Locators,
    node: &'s TreeNode,
    epoch: u32,
    fabric: &'s Fabric,
    forwarding: &'s Forwarding,
    switch: SwitchId,
    first_id: u32,
}

impl<S: PortSelector> Chooser<'_, S> {
    /// The port that a frame takes, counted within the switch.
    #[inline(always)]
    fn choose<P: QueuePort>(
        &mut self,
        now: Time,
        frame: Frame,
        lines: &mut [Line],
        ports: &mut [P],
        world: &mut World<'_>,
    ) -> u32 {
        let host = self.locators.host(frame.to);
        let (first, count) = self.node.run(host);
        if count == 1 {
            return first - self.first_id;
        }
        let mut around = AroundPlain {
            now,
            switch: self.switch,
            host,
            stateless: self.stateless,
            first: first - self.first_id,
            first_id: self.first_id,
            fabric: self.fabric,
            forwarding: self.forwarding,
            lines,
            ports,
            world,
        };
        let mut choices = Choices {
            count: count as usize,
            next_hops: first,
            epoch: self.epoch,
            weights: None,
            fabric: &mut around,
        };
        let cx = &mut Cx { now, rng: self.rng, events: &mut () };
        first + self.selector.select(cx, &header(frame), &mut choices) as u32 - self.first_id
    }
}

/// Sets the first `count` bits.
fn fill(bits: &mut [u64], count: usize) {
    for (index, word) in bits.iter_mut().enumerate() {
        *word = !0 >> (64 - (count - index * 64).min(64));
    }
}

/// Has `carry_out` see to each port that is busy: it says when that next has something to carry out.
/// Those that never have are busy no more. Returns the first of these times.
#[inline]
pub(super) fn replay_ports(busy: &mut [u64], mut carry_out: impl FnMut(usize) -> Time) -> Time {
    let mut next = Time::NEVER;
    for (index, word) in busy.iter_mut().enumerate() {
        let mut bits = *word;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            let action = carry_out(index * 64 + bit.trailing_zeros() as usize);
            if action == Time::NEVER {
                *word ^= bit;
            }
            next = next.min(action);
        }
    }
    next
}

/// Carries out what busy ports have to up to and including `until`. Returns when the first next has to.
/// Apart from the loop over arrivals, which needs the registers.
#[inline(never)]
fn carry_out_busy<P: QueuePort>(
    busy: &mut [u64],
    ports: &mut [P],
    lines: &mut [Line],
    until: Time,
    world: &mut World<'_>,
) -> Time {
    replay_ports(busy, |out| carry_out(&mut ports[out], &mut lines[out], until, world))
}

/// Carries out what a port has to up to and including `until`. Returns when it next has to.
#[inline]
fn carry_out<P: QueuePort>(
    port: &mut P,
    line: &mut Line,
    until: Time,
    world: &mut World<'_>,
) -> Time {
    port.carry_out(until, line, world);
    port.next_action(until, line)
}

/// What a switch reads in a frame.
#[inline]
fn header(frame: Frame) -> Header {
    Header {
        flow_key: frame.to.0,
        entropy: frame.entropy(),
        bytes: frame.size(),
        control: frame.is_control(),
        hashed: frame.has(flag::HASHED),
    }
}

/// At most `count` of `list`, from `first` on.
fn from<T>(list: &mut [T], first: u32, count: usize) -> &mut [T] {
    let list = &mut list[first as usize..];
    let count = count.min(list.len());
    &mut list[..count]
}
