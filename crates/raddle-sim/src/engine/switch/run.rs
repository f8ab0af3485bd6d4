//! A switch at work: what arrives in a window, in order of time and rank, run to completion.

use super::coupling::{Alone, Pooled, Site};
use super::fast_path::{PlainSwitch, Window};
use super::general::GeneralSwitch;
use super::next_hops::TreeNode;
use super::ordered::OrderedPorts;
use super::own_ports::{AlikePorts, MixedPorts};
use super::told_memory::Told;
use super::ways::Ways;
use super::{Shared, SwitchState};
use crate::engine::link::arrivals::Arrivals;
use crate::engine::link::{Line, PortKind};
use crate::engine::port::kinds::{SwitchPorts, of_kind, of_told_kind};
use crate::engine::world::World;
use raddle_schemes::units::Time;

/// What a switch uses of the part that it is in.
pub(in crate::engine) struct OfPart<'s, 'a> {
    pub(in crate::engine) ways: Ways<'s, 'a>,
    pub(in crate::engine) lines: &'s mut [Line],
    pub(in crate::engine) ports: &'s mut SwitchPorts,
    pub(in crate::engine) world: &'s mut World<'a>,
}

impl SwitchState {
    /// Takes what arrives from `start` to before `end` to its queues and carries out departures; the
    /// switch is number `number` of its part.
    pub(in crate::engine) fn run(
        &mut self,
        number: u32,
        (start, end): (Time, Time),
        arrivals: &mut Arrivals,
        of_part: OfPart<'_, '_>,
    ) {
        let ways = &of_part.ways;
        let may_carry_notes = of_part.world.notes.is_some();
        let plain = ways.stand_until(end)
            && ways.keys.is_none()
            && self.is_plain((start, end), may_carry_notes);
        match (self.kind, ways.routes[ways.route].1.tree_node(self.id)) {
            (Some(kind), Some(node)) if plain => {
                self.run_plainly(number, (start, end), arrivals, node, kind, of_part);
            }
            _ => self.run_generally(number, (start, Time(end.0 - 1)), arrivals, of_part),
        }
    }

    /// Whether its loop over what arrives from `start` to before `end` is one compiled for its scheme and
    /// ports, as far as it decides that; frames `may_carry_notes`.
    #[inline]
    fn is_plain(&self, (start, end): (Time, Time), may_carry_notes: bool) -> bool {
        self.lives_through(start, end)
            && !self.has_middleware()
            && !self.shows_probes()
            && !self.has_gates()
            && !self.scheme.detours
            && (self.is_ordered() || !may_carry_notes)
    }

    fn lives_through(&self, start: Time, end: Time) -> bool {
        !self.deaths.iter().any(|&(from, until)| from < end && until > start)
    }

    fn has_middleware(&self) -> bool {
        self.shared.tor.is_some()
    }

    fn shows_probes(&self) -> bool {
        self.scheme.follower.is_some()
    }

    /// Whether links have, at a switch that is not ordered.
    fn has_gates(&self) -> bool {
        self.shared.asleep.is_some()
    }

    /// Whether it ever is.
    fn is_ordered(&self) -> bool {
        self.shared.ordered.is_some()
    }

    fn run_plainly(
        &mut self,
        number: u32,
        (start, end): (Time, Time),
        arrivals: &mut Arrivals,
        node: &TreeNode,
        (kind, first): (PortKind, u32),
        of_part: OfPart<'_, '_>,
    ) {
        let OfPart { ways, lines, ports, world } = of_part;
        let (plan, route, first_id) = (ways.plan, ways.route, self.first_id);
        let Shared { busy, pool, ordered, .. } = &mut self.shared;
        let window = Window {
            number,
            switch: self.id,
            first_id,
            start,
            end,
            arrivals,
            node,
            epoch: route as u32,
            fabric: &plan.fabric,
            forwarding: &plan.routes[route].1,
            rng: &mut self.scheme.rng,
        };
        let selector = &mut self.scheme.selector;
        let count = busy.len() * 64;
        let lines = from(lines, self.first_port, count);
        let mut pool = pool.as_deref_mut();
        if let Some(ordered) = ordered {
            let own = AlikePorts { lines, ports: from(&mut ports.general, first, count) };
            let coupling =
                OrderedPorts { plan, ordered, pool, tor: None, first_id, busy, own, world };
            return selector.visit(PlainSwitch { window, coupling });
        }
        let tor = None;
        if let Some(pool) = pool.take_if(|pool| pool.is_told()) {
            return of_told_kind!(mut ports, kind, ports => {
                let own = AlikePorts { lines, ports: from(ports, first, count) };
                let site = Site { first_id, busy, own, tor, world };
                selector.visit(PlainSwitch { window, coupling: Told { site, pool } });
            });
        }
        of_kind!(mut ports, kind, ports => {
            let own = AlikePorts { lines, ports: from(ports, first, count) };
            let site = Site { first_id, busy, own, tor, world };
            match pool {
                Some(pool) => {
                    selector.visit(PlainSwitch { window, coupling: Pooled { site, pool } });
                }
                None => selector.visit(PlainSwitch { window, coupling: Alone::new(site) }),
            }
        });
    }

    fn run_generally(
        &mut self,
        number: u32,
        window: (Time, Time),
        arrivals: &mut Arrivals,
        of_part: OfPart<'_, '_>,
    ) {
        let OfPart { ways, lines, ports, world } = of_part;
        let (plan, first_id) = (ways.plan, self.first_id);
        let Shared { busy, asleep, ordered, pool, tor } = &mut self.shared;
        let (mut pool, tor) = (pool.as_deref_mut(), tor.as_deref_mut());
        let any = GeneralSwitch {
            number,
            switch: self.id,
            first_id,
            deaths: &self.deaths,
            scheme: &mut self.scheme,
            slices: self.slices.as_mut(),
            asleep: asleep.as_deref_mut(),
            ways,
            coupling: (),
        };
        if let Some(ordered) = ordered {
            let lines = from(lines, self.first_port, ordered.ports());
            let first = lines.first().map_or(0, |line| line.place.number() as u32);
            let own = AlikePorts { lines, ports: from(&mut ports.general, first, ordered.ports()) };
            let own = OrderedPorts { plan, ordered, pool, tor, first_id, busy, own, world };
            return any.with(own).run(window, arrivals);
        }
        let own = MixedPorts { lines: &mut lines[self.first_port as usize..], ports };
        let told = pool.take_if(|pool| pool.is_told());
        let site = Site { first_id, busy, own, tor, world };
        match (told, pool) {
            (Some(pool), _) => any.with(Told { site, pool }).run(window, arrivals),
            (None, Some(pool)) => any.with(Pooled { site, pool }).run(window, arrivals),
            (None, None) => any.with(Alone::new(site)).run(window, arrivals),
        }
    }
}

/// At most `count` of `list`, from `first` on.
fn from<T>(list: &mut [T], first: u32, count: usize) -> &mut [T] {
    let list = &mut list[first as usize..];
    let count = count.min(list.len());
    &mut list[..count]
}
