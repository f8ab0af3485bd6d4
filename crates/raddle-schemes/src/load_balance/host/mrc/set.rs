//! The entropy values of a flow, their health, and whose turn it is.

use super::{Balance, Constants, OnMark, Order, ReturnTo, Skip};
use crate::ids::Entropy;
use crate::load_balance::plane::{MOST_PLANES, Paths, path_in_plane};
use crate::rng::Rng;
use crate::units::Time;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use serde::Serialize;

/// Health of an entropy value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum State {
    /// To be used.
    Good,
    /// To be passed over once.
    Skip,
    /// Retired, until probes are answered.
    Bad,
}

#[derive(Clone, Debug, Serialize)]
struct Ev {
    entropy: Entropy,
    plane: u8,
    state: State,
    /// Whether it is a spare by origin.
    is_backup: bool,
    /// Until when it is passed over, where that is a matter of time.
    skip_until: Time,
}

/// What is rotated over in one plane.
#[derive(Clone, Debug, Default, Serialize)]
struct Turns {
    /// Places in the rotation over all planes, in order.
    places: Vec<u32>,
    /// Who has each.
    holders: Vec<u16>,
    cursor: u32,
    /// How often it has been round.
    rotation: u32,
    spares: Vec<u16>,
    /// Where to look for who takes the turn of a value that is retired.
    stand_in: u32,
}

/// All values of a flow, by number.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Set {
    evs: Vec<Ev>,
    /// Numbers by entropy.
    by_entropy: Vec<(Entropy, u16)>,
    turns: Vec<Turns>,
    /// A bit for each plane in which a value that has turns is not retired.
    healthy: u8,
    /// How many are not retired, and how many have to be left.
    fit: u32,
    floor: u32,
}

impl Set {
    /// The set of a flow, drawn from its paths (specification, building the set). Planes get equal
    /// shares, one value at least; a remainder goes to the first in a random order.
    pub(super) fn new(paths: &Paths, constants: &Constants, rng: &mut Rng) -> Self {
        let planes = paths.planes();
        let mut order: Vec<u32> = (0..planes).collect();
        rng.shuffle(&mut order);
        let share = |of: u32, rank: u32| of / planes + u32::from(rank < of % planes);
        let mut set =
            Self { turns: (0..planes).map(|_| Turns::default()).collect(), ..Self::default() };
        let mut actives = Vec::new();
        for (rank, &plane) in (0..).zip(&order) {
            let active = share(constants.active, rank).max(1);
            let backup = share(constants.backup, rank);
            let pool = draw(paths, plane, active + backup, rng);
            let first = set.evs.len() as u16;
            for (i, path) in (0..).zip(pool) {
                let ev = set.evs.len() as u16;
                set.evs.push(Ev {
                    entropy: path_in_plane(path, plane, planes),
                    plane: plane as u8,
                    state: State::Good,
                    is_backup: i >= active,
                    skip_until: Time::ZERO,
                });
                if i < active {
                    actives.push(ev);
                } else {
                    set.turns[plane as usize].spares.push(ev);
                }
            }
            let drawn = first..set.evs.len() as u16;
            let missing = (active as usize).saturating_sub(drawn.len());
            if constants.repeat {
                actives.extend(drawn.cycle().take(missing));
            }
        }
        rng.shuffle(&mut actives);
        set.rotate_over(&actives);
        set.fit = set.evs.len() as u32;
        set.floor = libm::ceil(constants.min_active * f64::from(set.fit)) as u32;
        set
    }

    /// Lets these values have their turns in this order.
    fn rotate_over(&mut self, order: &[u16]) {
        for (place, &ev) in (0..).zip(order) {
            let plane = usize::from(self.plane(ev));
            self.turns[plane].places.push(place);
            self.turns[plane].holders.push(ev);
        }
        self.by_entropy = (0..).zip(&self.evs).map(|(ev, own)| (own.entropy, ev)).collect();
        self.by_entropy.sort_unstable();
        self.look_at_health();
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.evs.len()
    }

    /// Whether nobody has told of paths yet.
    pub(super) fn is_empty(&self) -> bool {
        self.evs.is_empty()
    }

    pub(super) fn entropy(&self, ev: u16) -> Entropy {
        self.evs[usize::from(ev)].entropy
    }

    pub(super) fn plane(&self, ev: u16) -> u8 {
        self.evs[usize::from(ev)].plane
    }

    pub(super) fn state(&self, ev: u16) -> State {
        self.evs[usize::from(ev)].state
    }

    /// The value with an entropy.
    pub(super) fn find(&self, entropy: Entropy) -> Option<u16> {
        let at = self.by_entropy.binary_search_by_key(&entropy, |own| own.0).ok()?;
        Some(self.by_entropy[at].1)
    }

    /// How many are in a state.
    pub(super) fn count(&self, state: State) -> u64 {
        self.evs.iter().filter(|own| own.state == state).count() as u64
    }

    /// A bit for each plane with a value that is not retired.
    pub(super) fn healthy_planes(&self) -> u8 {
        self.healthy
    }

    fn look_at_health(&mut self) {
        let fit = |own: &Turns| own.holders.iter().any(|ev| self.state(*ev) != State::Bad);
        let planes = (0..).zip(&self.turns);
        self.healthy = planes.fold(0, |bits, (plane, own)| bits | u8::from(fit(own)) << plane);
    }

    /// The value for a packet that leaves now by one of the `free` planes (specification, choice at send
    /// time). At most one comes back from being passed over for it. Where all are retired, the first
    /// of these whose turn it is.
    pub(super) fn choose(
        &mut self,
        now: Time,
        rng: &mut Rng,
        free: u8,
        constants: &Constants,
    ) -> Option<u16> {
        if self.healthy & free == 0 {
            // The next of those that are retired.
            let plane = self.next_plane(free)?;
            return Some(self.take_turn(plane, rng, constants));
        }
        // One comes back at most when all have been passed over, and is found when its turn comes again,
        // a rotation later in a plane that is behind.
        let steps = 3 * self.turns.iter().map(|turns| turns.places.len()).sum::<usize>();
        let mut restored = false;
        for _ in 0..steps {
            let plane = self.next_plane(free)?;
            let mut ev = self.take_turn(plane, rng, constants);
            if self.state(ev) == State::Bad && constants.balance == Balance::Planes {
                ev = self.stand_in(plane).unwrap_or(ev);
            }
            let own = &mut self.evs[usize::from(ev)];
            match own.state {
                State::Good => return Some(ev),
                State::Skip => match constants.skip {
                    Skip::Rotation => {}
                    Skip::Time if own.skip_until <= now => {
                        own.state = State::Good;
                        return Some(ev);
                    }
                    Skip::Token | Skip::Time => {
                        if !restored {
                            own.state = State::Good;
                        }
                        restored = true;
                    }
                },
                State::Bad => {}
            }
        }
        None
    }

    /// The free plane whose place in the rotation comes first.
    fn next_plane(&self, free: u8) -> Option<usize> {
        let place = |plane: &usize| {
            let turns = &self.turns[*plane];
            turns.places.get(turns.cursor as usize).map(|place| (turns.rotation, *place))
        };
        let is_free = |plane: &usize| free >> plane & 1 == 1 && place(plane).is_some();
        let planes = 0..self.turns.len().min(MOST_PLANES as usize);
        planes.filter(is_free).min_by_key(place)
    }

    /// Who has the next place in a plane. After the last a rotation begins. A plane that could not be
    /// taken for long is at most a rotation behind: it does not make up for its turns.
    fn take_turn(&mut self, plane: usize, rng: &mut Rng, constants: &Constants) -> u16 {
        let ahead = self.turns.iter().map(|own| own.rotation).max().unwrap_or(0);
        let turns = &mut self.turns[plane];
        turns.rotation = turns.rotation.max(ahead.saturating_sub(1));
        let ev = turns.holders[turns.cursor as usize];
        turns.cursor += 1;
        if turns.cursor as usize == turns.places.len() {
            (turns.cursor, turns.rotation) = (0, turns.rotation + 1);
            if constants.order == Order::Shuffle {
                rng.shuffle(&mut turns.holders);
            }
            if constants.skip == Skip::Rotation {
                self.evs
                    .iter_mut()
                    .filter(|own| usize::from(own.plane) == plane && own.state == State::Skip)
                    .for_each(|own| own.state = State::Good);
            }
        }
        ev
    }

    /// Who takes a turn of a plane that nobody has: each that is not retired in turn.
    fn stand_in(&mut self, plane: usize) -> Option<u16> {
        let count = self.turns[plane].places.len() as u32;
        for _ in 0..count {
            let turns = &mut self.turns[plane];
            turns.stand_in = (turns.stand_in + 1) % count;
            let ev = turns.holders[turns.stand_in as usize];
            if self.state(ev) != State::Bad {
                return Some(ev);
            }
        }
        None
    }

    /// A packet of a value was marked or trimmed. It changes nothing where the value is passed over
    /// anyway, or has no turns.
    pub(super) fn on_mark(&mut self, now: Time, ev: u16, constants: &Constants) {
        let has_turns = || self.turns[usize::from(self.plane(ev))].holders.contains(&ev);
        if self.state(ev) != State::Good || !has_turns() {
            return;
        }
        if constants.on_mark == OnMark::Swap && self.give_place(ev) {
            return;
        }
        let own = &mut self.evs[usize::from(ev)];
        own.state = State::Skip;
        own.skip_until = now + constants.skip_time;
    }

    /// A good spare of its plane takes the place of a value, which becomes a spare. Returns whether
    /// there was one.
    fn give_place(&mut self, ev: u16) -> bool {
        let good = |spare: &u16| self.state(*spare) == State::Good;
        let plane = usize::from(self.plane(ev));
        let Turns { spares, holders, .. } = &self.turns[plane];
        let place = holders.iter().position(|own| *own == ev);
        let (Some(place), Some(spare)) = (place, spares.iter().position(good)) else {
            return false;
        };
        let turns = &mut self.turns[plane];
        turns.holders[place] = turns.spares.remove(spare);
        turns.spares.push(ev);
        true
    }

    /// A value has lost a packet. Returns whether it is retired now, and was not.
    pub(super) fn retire(&mut self, ev: u16) -> bool {
        if self.state(ev) == State::Bad || self.fit <= self.floor {
            return false;
        }
        self.evs[usize::from(ev)].state = State::Bad;
        self.fit -= 1;
        self.give_place(ev);
        self.look_at_health();
        true
    }

    /// A retired value is good again: it takes a place of its plane that one that is retired has, or, if
    /// it is to be active, one that a spare has; else it is a spare.
    pub(super) fn revive(&mut self, ev: u16, return_to: ReturnTo) {
        self.evs[usize::from(ev)].state = State::Good;
        self.fit += 1;
        let plane = usize::from(self.plane(ev));
        let was_active = !self.evs[usize::from(ev)].is_backup;
        let takes_turn = return_to == ReturnTo::Active && was_active;
        let retired = |own: &u16| self.state(*own) == State::Bad;
        let lent = |own: &u16| takes_turn && self.evs[usize::from(*own)].is_backup;
        let Turns { spares, holders, .. } = &self.turns[plane];
        let spare = spares.iter().position(|own| *own == ev);
        let place = holders.iter().position(retired).or_else(|| holders.iter().position(lent));
        if let (Some(spare), Some(place)) = (spare, place) {
            let turns = &mut self.turns[plane];
            core::mem::swap(&mut turns.spares[spare], &mut turns.holders[place]);
        }
        self.look_at_health();
    }

    /// A set of given values by plane, of which the first have turns in this order.
    #[cfg(test)]
    pub(super) fn of(evs: &[(u16, u8)], order: &[u16], floor: u32) -> Self {
        let ev = |(number, &(entropy, plane)): (u16, &(u16, u8))| Ev {
            entropy: Entropy(entropy),
            plane,
            state: State::Good,
            is_backup: !order.contains(&number),
            skip_until: Time::ZERO,
        };
        let planes = evs.iter().map(|ev| ev.1 + 1).max().unwrap_or(0);
        let mut set = Self {
            evs: (0..).zip(evs).map(ev).collect(),
            turns: (0..planes).map(|_| Turns::default()).collect(),
            fit: evs.len() as u32,
            floor,
            ..Self::default()
        };
        set.rotate_over(order);
        for ev in (0..evs.len() as u16).filter(|ev| !order.contains(ev)) {
            set.turns[usize::from(evs[usize::from(ev)].1)].spares.push(ev);
        }
        set
    }

    /// How many have turns in a plane, and how many are spares.
    #[cfg(test)]
    pub(super) fn shares(&self, plane: usize) -> (usize, usize) {
        (self.turns[plane].places.len(), self.turns[plane].spares.len())
    }
}

/// So many paths of a plane in a random order, none twice; fewer where there are fewer.
fn draw(paths: &Paths, plane: u32, count: u32, rng: &mut Rng) -> Vec<Entropy> {
    match paths {
        Paths::Routes(routes) => {
            let mut pool = routes[plane as usize].clone();
            rng.shuffle(&mut pool);
            pool.truncate(count as usize);
            pool
        }
        Paths::Hashed { planes } => {
            let values = u64::from(Paths::hashed_values(*planes));
            let mut seen = BTreeSet::new();
            let mut drawn = Vec::new();
            while drawn.len() < count.min(values as u32) as usize {
                let path = Entropy(rng.below(values) as u16);
                if seen.insert(path) {
                    drawn.push(path);
                }
            }
            drawn
        }
    }
}
