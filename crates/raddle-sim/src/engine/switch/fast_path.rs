//! Plain switches: alive, in a tree whose routes do not change meanwhile, with ports all of one kind,
//! under flows with keys of their own. Their loop is compiled for each scheme, coupling and kind of
//! port.

use super::coupling::{Coupling, Parts};
use super::next_hops::TreeNode;
use super::own_ports::{PlainPorts, carry_out};
use super::view::AroundPlain;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::port::{LaneArrivals, QueuePort};
use crate::engine::schedule::calendar::Wake;
use crate::engine::switch::view::header;
use crate::engine::world::World;
use crate::topology::Fabric;
use crate::topology::routing::Forwarding;
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Choices, PortSelector, Visitor};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;

/// What comes to a plain switch in a window, and where it may go.
pub(in crate::engine) struct Window<'s> {
    /// The switch within its part, and in the fabric.
    pub(in crate::engine) number: u32,
    pub(in crate::engine) switch: SwitchId,
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) start: Time,
    pub(in crate::engine) end: Time,
    pub(in crate::engine) arrivals: &'s mut Arrivals,
    pub(in crate::engine) node: &'s TreeNode,
    pub(in crate::engine) epoch: u32,
    pub(in crate::engine) fabric: &'s Fabric,
    pub(in crate::engine) forwarding: &'s Forwarding,
    pub(in crate::engine) rng: &'s mut Rng,
}

/// A plain switch with a window before it.
pub(in crate::engine) struct PlainSwitch<'s, D> {
    pub(in crate::engine) window: Window<'s>,
    pub(in crate::engine) coupling: D,
}

impl<'w, D> Visitor for PlainSwitch<'_, D>
where
    D: Coupling<'w>,
    D::Own: PlainPorts,
{
    #[inline]
    fn visit<S: PortSelector>(self, selector: &mut S) {
        if selector.looks_before() {
            self.take_together(selector);
        } else {
            self.take_each(selector);
        }
    }
}

/// What a loop over arrivals has beside the choosing.
struct Loop<'s, D> {
    number: u32,
    start: Time,
    /// The last instant of the window.
    until: Time,
    arrivals: &'s mut Arrivals,
    coupling: D,
}

impl<'s, 'w, D> PlainSwitch<'s, D>
where
    D: Coupling<'w>,
    D::Own: PlainPorts,
{
    /// Takes what arrives to its queue, one frame after the other, and carries out departures.
    #[inline(always)]
    fn take_each<S: PortSelector>(self, selector: &'s mut S) {
        let (mut chooser, rest) = self.with(selector);
        let Loop { number, start, until, arrivals, mut coupling } = rest;
        let are_many = arrivals.are_many_for(chooser.ports);
        if D::PORT_BY_PORT && chooser.stateless && are_many {
            let Parts { busy, own, world, .. } = coupling.parts();
            let next = chooser.take_port_by_port((start, until), arrivals, busy, own, world);
            return wake(number, next, world);
        }
        arrivals.sort((until.0 + 1 - start.0) as u32);
        if are_many {
            coupling.expect_many(chooser.ports);
        }
        for (at, in_port, frame) in arrivals.iter() {
            let now = Time(start.0 + at);
            coupling.before(now);
            if D::ORDERED && frame.is_pfc() {
                coupling.on_pause(now, in_port, frame);
                continue;
            }
            bring_note(&mut coupling, chooser.first_id + in_port, frame);
            let Parts { own, world, .. } = coupling.parts();
            let out = chooser.choose(now, now, frame, own, world);
            coupling.enqueue(now, (in_port, out), frame);
        }
        // Plain switches have no gates.
        let next = coupling.finish(until, None);
        wake(number, next, coupling.parts().world);
    }

    /// The same under a scheme that looks before: all that arrives at an instant chooses before
    /// anything leaves or joins.
    #[inline(never)]
    fn take_together<S: PortSelector>(self, selector: &'s mut S) {
        let (mut chooser, rest) = self.with(selector);
        let Loop { number, start, until, arrivals, mut coupling } = rest;
        arrivals.sort((until.0 + 1 - start.0) as u32);
        let mut outs = Vec::new();
        for (now, together) in arrivals.by_instant(start) {
            let seen = Time(now.0 - 1);
            coupling.before(seen);
            outs.clear();
            outs.extend(together.clone().map(|(_, frame)| {
                // A PFC frame goes no further.
                let Parts { own, world, .. } = coupling.parts();
                let goes_on = !(D::ORDERED && frame.is_pfc());
                if goes_on { chooser.choose(now, seen, frame, own, world) } else { 0 }
            }));
            for ((in_port, frame), &out) in together.zip(&outs) {
                coupling.before(now);
                if D::ORDERED && frame.is_pfc() {
                    coupling.on_pause(now, in_port, frame);
                    continue;
                }
                bring_note(&mut coupling, chooser.first_id + in_port, frame);
                coupling.enqueue(now, (in_port, out), frame);
            }
        }
        // Plain switches have no gates.
        let next = coupling.finish(until, None);
        wake(number, next, coupling.parts().world);
    }

    #[inline(always)]
    fn with<S: PortSelector>(self, selector: &'s mut S) -> (Chooser<'s, S>, Loop<'s, D>) {
        let Self { window, mut coupling } = self;
        let Window { number, switch, first_id, start, end, arrivals, node, epoch, .. } = window;
        let Window { fabric, forwarding, rng, .. } = window;
        let ports = fabric.switches[switch.index()].ports.len();
        coupling.begin(|| arrivals.bytes());
        let Parts { own, world, .. } = coupling.parts();
        own.cut(ports);
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
            ports,
        };
        (chooser, Loop { number, start, until: Time(end.0 - 1), arrivals, coupling })
    }
}

/// What a frame that has come in to an ordered switch carries is at hand from now on; other plain
/// switches have no notes.
#[inline(always)]
fn bring_note<'w, D: Coupling<'w>>(coupling: &mut D, came_in: u32, frame: Frame) {
    if D::ORDERED
        && let Some(notes) = &mut coupling.parts().world.notes
    {
        notes.bring(PortId(came_in), frame);
    }
}

/// Wakes a switch at `next`, unless that is never.
#[inline(always)]
pub(super) fn wake(switch: u32, next: Time, world: &mut World<'_>) {
    if next < Time::NEVER {
        world.calendar.wake(next, Wake::Switch { switch });
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
    /// How many the switch has.
    ports: usize,
}

impl<S: PortSelector> Chooser<'_, S> {
    /// The port that a frame takes at `now`, counted within the switch, by what is queued at `seen`.
    #[inline(always)]
    fn choose(
        &mut self,
        now: Time,
        seen: Time,
        frame: Frame,
        own: &mut impl PlainPorts,
        world: &mut World<'_>,
    ) -> u32 {
        let to = self.locators.port(frame.to);
        let (first, count) = self.node.run(to);
        let own_first = first - self.first_id;
        if count == 1 {
            return own_first;
        }
        let (lines, ports) = own.parts();
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

    /// Takes all that arrives in a window to ports that share nothing, under a scheme that is stateless.
    /// Returns when the first of them next has something to carry out.
    #[inline(always)]
    fn take_port_by_port<O: PlainPorts>(
        &mut self,
        (start, until): (Time, Time),
        arrivals: &mut Arrivals,
        busy: &mut [u64],
        own: &mut O,
        world: &mut World<'_>,
    ) -> Time {
        let (lanes, width) = (O::Port::LANES, (until.0 + 1 - start.0) as u32);
        let first_id = self.first_id;
        // Choices first, link by link: what came up takes another branch than what came down, and
        // a branch mispredicted at a queue does not throw away a choice that has begun.
        arrivals.sort_by_lane(self.ports * lanes, width, |frame| {
            let out = self.choose(start, start, frame, own, world);
            out * lanes as u32 + O::Port::lane(frame)
        });
        // Then port by port, while all of one is at hand.
        let mut next = Time::NEVER;
        let (lines, ports) = own.parts();
        for (out, (line, port)) in lines.iter_mut().zip(ports).enumerate() {
            let first_lane = out * lanes;
            let came = LaneArrivals { arrivals, first_lane, start, until, first_id };
            let any = port.enqueue_all(came, line, world);
            let (word, bit) = (&mut busy[out / 64], 1 << (out % 64));
            if any || *word & bit != 0 {
                let action = carry_out(port, line, until, world);
                *word = if action == Time::NEVER { *word & !bit } else { *word | bit };
                next = next.min(action);
            }
        }
        next
    }
}
