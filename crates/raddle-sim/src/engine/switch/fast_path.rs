//! Plain switches: alive, in a tree whose routes do not change meanwhile, with ports all of one kind,
//! under flows with keys of their own. Their loops are compiled for each scheme and kind of port.

use super::next_hops::TreeNode;
use super::ordered::{Ordered, OrderedPorts};
use super::shared_memory::{AlikePorts, Pool};
use super::view::AroundPlain;
use crate::engine::link::Line;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::port::general::Port;
use crate::engine::port::{Arriving, LaneArrivals, QueuePort, Room, ToldPort};
use crate::engine::schedule::calendar::Wake;
use crate::engine::switch::busy::{note_busy, replay_ports};
use crate::engine::switch::view::header;
use crate::engine::world::World;
use crate::plan::Plan;
use crate::topology::Fabric;
use crate::topology::routing::Forwarding;
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Choices, PortSelector, Visitor};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;

/// A switch in [`Part::run_plainly`] without its ports.
pub(in crate::engine) struct Site<'s, 'w> {
    pub(in crate::engine) number: u32,
    pub(in crate::engine) start: Time,
    pub(in crate::engine) end: Time,
    pub(in crate::engine) arrivals: &'s mut Arrivals,
    pub(in crate::engine) node: &'s TreeNode,
    pub(in crate::engine) epoch: u32,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) rng: &'s mut Rng,
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) busy: &'s mut [u64],
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) world: &'s mut World<'w>,
}

/// A switch in [`Part::run_plainly`], whose loop is compiled for each scheme and kind of port.
pub(in crate::engine) struct PlainSwitch<'s, 'w, P> {
    pub(in crate::engine) site: Site<'s, 'w>,
    pub(in crate::engine) ports: &'s mut [P],
}

impl<P: QueuePort> Visitor for PlainSwitch<'_, '_, P> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        if selector.looks_before() {
            return self.take_together(selector);
        }
        let (mut chooser, rest) = self.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        let (first_id, width) = (chooser.first_id, (until.0 + 1 - start.0) as u32);
        let are_many = arrivals.are_many_for(lines.len());
        let mut next = Time::NEVER;
        if chooser.stateless && are_many {
            // Choices first, link by link: what came up takes another branch than what came down, and
            // a branch mispredicted at a queue does not throw away a choice that has begun.
            arrivals.sort_by_lane(lines.len() * P::LANES, width, |frame| {
                let out = chooser.choose(start, start, frame, lines, ports, world);
                out * P::LANES as u32 + P::lane(frame)
            });
            // Then port by port, while all of one is at hand.
            for (out, (line, port)) in lines.iter_mut().zip(ports).enumerate() {
                let first_lane = out * P::LANES;
                let came = LaneArrivals { arrivals, first_lane, start, until, first_id };
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
                let out = chooser.choose(now, now, frame, lines, ports, world) as usize;
                if !are_many {
                    note_busy(busy, out);
                }
                let arriving = Arriving { now, came_in, frame, room: Room::AMPLE };
                ports[out].enqueue(arriving, &mut lines[out], world);
            }
            next = carry_out_busy(busy, ports, lines, until, world);
        }
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

impl<P: QueuePort> PlainSwitch<'_, '_, P> {
    /// The same under a scheme that looks before: all that arrives at an instant chooses before
    /// anything leaves or joins.
    #[inline(never)]
    fn take_together<S: PortSelector>(self, selector: &mut S) {
        let (mut chooser, rest) = self.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let mut outs = Vec::new();
        for (now, together) in arrivals.by_instant(start) {
            let seen = Time(now.0 - 1);
            outs.clear();
            outs.extend(
                together.clone().map(|(_, frame)| {
                    chooser.choose(now, seen, frame, lines, ports, world) as usize
                }),
            );
            for ((in_port, frame), &out) in together.zip(&outs) {
                note_busy(busy, out);
                let came_in = PortId(chooser.first_id + in_port);
                let arriving = Arriving { now, came_in, frame, room: Room::AMPLE };
                ports[out].enqueue(arriving, &mut lines[out], world);
            }
        }
        let next = carry_out_busy(busy, ports, lines, until, world);
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// The same with ports that share memory: one takes room from the others, so arrivals stay in order.
pub(in crate::engine) struct PooledSwitch<'s, 'w, P> {
    pub(in crate::engine) plain: PlainSwitch<'s, 'w, P>,
    pub(in crate::engine) pool: &'s mut Pool,
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
            let out = chooser.choose(now, now, frame, own.lines, own.ports, world) as usize;
            let way = (PortId(chooser.first_id + in_port), out);
            pool.enqueue(now, way, frame, busy, &mut own, world);
        }
        let next = pool.carry_out(until, busy, &mut own, world);
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// The same with ports that share memory whose policy hears sums of what leaves.
pub(in crate::engine) struct ToldSwitch<'s, 'w, P> {
    pub(in crate::engine) plain: PlainSwitch<'s, 'w, P>,
    pub(in crate::engine) pool: &'s mut Pool,
}

impl<P: ToldPort> Visitor for ToldSwitch<'_, '_, P> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        let Self { plain, pool } = self;
        let (mut chooser, rest) = plain.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let mut own = AlikePorts { lines, ports };
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            pool.play(now, busy, &mut own, world);
            let out = chooser.choose(now, now, frame, own.lines, own.ports, world) as usize;
            let way = (PortId(chooser.first_id + in_port), in_port, out);
            pool.enqueue_told(now, way, frame, busy, &mut own, world);
        }
        pool.play(until, busy, &mut own, world);
        let next = pool.carry_out_told(until, busy, &mut own, world).min(pool.timer_at());
        if next < Time::NEVER {
            world.calendar.wake(next, Wake::Switch { switch: number });
        }
    }
}

/// The same with ports that are replayed together.
pub(in crate::engine) struct OrderedSwitch<'s, 'w> {
    pub(in crate::engine) plan: &'s Plan,
    pub(in crate::engine) plain: PlainSwitch<'s, 'w, Port>,
    pub(in crate::engine) ordered: &'s mut Ordered,
    pub(in crate::engine) pool: Option<&'s mut Pool>,
}

impl Visitor for OrderedSwitch<'_, '_> {
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        let Self { plan, plain, ordered, pool } = self;
        let (mut chooser, rest) = plain.with(selector);
        let Loop { number, start, until, arrivals, busy, lines, ports, world } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let first_id = chooser.first_id;
        // Such a switch has no middleware.
        let mut own =
            OrderedPorts { plan, ordered, pool, tor: None, first_id, busy, lines, ports, world };
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            own.replay(now);
            if frame.is_pfc() {
                own.on_pause(now, in_port, frame);
                continue;
            }
            if let Some(notes) = &mut own.world.notes {
                notes.bring(PortId(first_id + in_port), frame);
            }
            let out = chooser.choose(now, now, frame, own.lines, own.ports, own.world);
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
    /// The port that a frame takes at `now`, counted within the switch, by what is queued at `seen`.
    #[inline(always)]
    fn choose<P: QueuePort>(
        &mut self,
        now: Time,
        seen: Time,
        frame: Frame,
        lines: &mut [Line],
        ports: &mut [P],
        world: &mut World<'_>,
    ) -> u32 {
        let to = self.locators.port(frame.to);
        let (first, count) = self.node.run(to);
        let own_first = first - self.first_id;
        if count == 1 {
            return own_first;
        }
        let mut around = AroundPlain {
            seen,
            switch: self.switch,
            to,
            stateless: self.stateless,
            first: own_first,
            first_id: self.first_id,
            fabric: self.fabric,
            forwarding: self.forwarding,
            lines: &mut lines[own_first as usize..],
            ports: &mut ports[own_first as usize..],
            world,
        };
        let mut choices = Choices {
            count: count as usize,
            next_hops: first,
            epoch: self.epoch,
            weights: None,
            fabric: &mut around,
        };
        let cx = &mut SwitchCx { now, rng: self.rng };
        let header = header(frame, self.locators.key(frame.to));
        own_first + self.selector.select(cx, &header, &mut choices) as u32
    }
}

/// Sets the first `count` bits.
fn fill(bits: &mut [u64], count: usize) {
    for (index, word) in bits.iter_mut().enumerate() {
        *word = !0 >> (64 - (count - index * 64).min(64));
    }
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
