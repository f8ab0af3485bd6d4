//! The parts of a fabric that break: which there are, which of them cut hosts off, and states drawn of
//! them.

use super::odds::{Class, CutPairs, Placed, Rates, Stratum};
use super::pieces::{self, Piece};
use super::question::{Failure, Shape};
use crate::problem::Problem;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::rng::Rng;
use raddle_sim::topology::{Fabric, Node};
use std::collections::{BTreeMap, BTreeSet};

/// What is one part, and breaks as a whole.
pub(super) type Part = Vec<Piece>;

/// A broken part: its class, and its number among the safe ones of the class.
pub(super) type Broken = (usize, usize);

/// Steps of a search that are spent on finding which parts of a class cut hosts off alone.
const STEPS: u64 = 200_000_000;
/// How many draws are thrown away before a state is taken as it is.
const TRIES: u32 = 10_000;

/// Where hosts have to reach each other.
pub(super) struct Reach<'a> {
    pub(super) fabric: &'a Fabric,
    /// Who sends to whom.
    pub(super) pairs: &'a [(HostId, HostId)],
    /// Whether routing ever follows what breaks.
    pub(super) converges: bool,
}

impl Reach<'_> {
    /// Whether these pieces, all down, keep hosts apart that have traffic.
    pub(super) fn is_cut(&self, down: &BTreeSet<Piece>) -> bool {
        let dead = |host: HostId| down.contains(&Piece::Host(host));
        if down.iter().any(|piece| matches!(piece, Piece::Host(_)))
            && self.pairs.iter().any(|(from, to)| dead(*from) || dead(*to))
        {
            return true;
        }
        let mut alive = vec![true; self.fabric.ports.len()];
        for port in down.iter().flat_map(|piece| piece.ports(self.fabric)) {
            alive[port.index()] = false;
            alive[self.fabric.ports[port.index()].peer.index()] = false;
        }
        let usable = |port: PortId| alive[port.index()];
        match self.converges {
            true => self.fabric.disconnected(self.pairs, &usable).is_some(),
            false => self.fabric.unrouted(self.pairs, &self.fabric.forwarding, &usable).is_some(),
        }
    }
}

/// The parts of a fabric, by `[[failure]]` and `[[group]]`, under one work.
pub(super) struct Parts {
    /// What of them counts.
    pub(super) classes: Vec<Class>,
    /// Pairs that cut off together.
    pub(super) cut_pairs: Vec<CutPairs>,
    safe: Vec<Vec<Part>>,
    /// Safe parts at one switch or host, where there are several.
    at: Vec<Vec<Vec<usize>>>,
    down: Vec<bool>,
    known_cuts: BTreeSet<(Piece, Piece)>,
}

impl Parts {
    /// Those of a fabric.
    ///
    /// # Errors
    /// A failure of which the fabric has no part.
    pub(super) fn of(failures: &[Failure], reach: &Reach<'_>) -> Result<Self, Problem> {
        let fabric = reach.fabric;
        let alone = Alone::of(reach);
        let mut own = Self {
            classes: Vec::new(),
            cut_pairs: Vec::new(),
            safe: Vec::new(),
            at: Vec::new(),
            down: failures.iter().map(|failure| failure.shape == Shape::Down).collect(),
            known_cuts: BTreeSet::new(),
        };
        for failure in failures {
            let all = pieces::of(failure, fabric)?;
            let parts = all.len() as u64;
            let is_down = failure.shape == Shape::Down;
            let mut steps = STEPS;
            let mut cuts = |part: &Part| is_down && alone.cuts(part, &mut steps);
            let safe: Vec<Part> = all.into_iter().filter(|part| !cuts(part)).collect();
            let mut at: BTreeMap<Node, Vec<usize>> = BTreeMap::new();
            for (index, part) in safe.iter().enumerate() {
                if let [Piece::Cable(port)] = part[..] {
                    at.entry(pieces::lower(fabric, port)).or_default().push(index);
                }
            }
            let at: Vec<Vec<usize>> = at.into_values().filter(|own| own.len() > 1).collect();
            let together = at.iter().map(|own| own.len() as u64 * (own.len() as u64 - 1) / 2);
            let critical = parts - safe.len() as u64;
            own.classes.push(Class { parts, critical, together: together.sum() });
            own.safe.push(safe);
            own.at.push(at);
        }
        own.count_cut_pairs(reach, &alone);
        Ok(own)
    }

    /// Counts pairs that cut hosts off though neither does alone: both cables of a host, both uplinks of
    /// a ToR, both ToRs of a host, and a cable of one with the ToR of the other.
    fn count_cut_pairs(&mut self, reach: &Reach<'_>, alone: &Alone<'_>) {
        let mut found: BTreeSet<(Piece, Piece)> = BTreeSet::new();
        let fabric = reach.fabric;
        let mut add = |a: Piece, b: Piece| {
            if a != b {
                found.insert((a.min(b), a.max(b)));
            }
        };
        if fabric.planes == 2 {
            for host in &alone.sending {
                let ports: Vec<PortId> = fabric.ports_of(*host).collect();
                let [a, b] = ports[..] else { continue };
                let (at_a, at_b) = (fabric.edge_of(a), fabric.edge_of(b));
                add(pieces::cable(fabric, a), pieces::cable(fabric, b));
                if at_a != at_b {
                    add(Piece::Switch(at_a), Piece::Switch(at_b));
                    add(pieces::cable(fabric, a), Piece::Switch(at_b));
                    add(pieces::cable(fabric, b), Piece::Switch(at_a));
                }
            }
        }
        let mut steps = STEPS;
        for switch in (0..fabric.switches.len() as u32).map(SwitchId) {
            let ups = pieces::upward(fabric, switch);
            let [a, b] = ups[..] else { continue };
            let both = [pieces::cable(fabric, a), pieces::cable(fabric, b)];
            if alone.has_steps(&mut steps) && reach.is_cut(&both.into_iter().collect()) {
                add(both[0], both[1]);
            }
        }
        // How often a piece is a part of each class: a cable is two optics.
        let mut times: BTreeMap<Piece, Vec<u64>> = BTreeMap::new();
        for (class, safe) in self.safe.iter().enumerate().filter(|(class, _)| self.down[*class]) {
            for part in safe {
                if let [piece] = part[..] {
                    times.entry(piece).or_insert_with(|| vec![0; self.safe.len()])[class] += 1;
                }
            }
        }
        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (a, b) in &found {
            let (Some(of_a), Some(of_b)) = (times.get(a), times.get(b)) else { continue };
            for (i, m) in of_a.iter().enumerate() {
                for (j, n) in of_b.iter().enumerate().filter(|(_, n)| **n > 0 && *m > 0) {
                    *counts.entry((i.min(j), i.max(j))).or_default() += m * n;
                }
            }
        }
        self.cut_pairs = counts.into_iter().map(|((a, b), count)| (a, b, count)).collect();
        self.known_cuts = found;
    }

    /// A state of a stratum; `rates` say how states come. Those that are counted as cut are not drawn.
    pub(super) fn draw(&self, stratum: &Stratum, rates: &[Rates], rng: &mut Rng) -> Vec<Broken> {
        let mut state = Vec::new();
        for _ in 0..TRIES {
            state = self.draw_once(stratum, rates, rng);
            // As states come, those that cut are among them.
            if stratum.placed == Placed::AsTheyCome || !self.is_known_to_cut(&state) {
                break;
            }
        }
        state
    }

    fn draw_once(&self, stratum: &Stratum, rates: &[Rates], rng: &mut Rng) -> Vec<Broken> {
        match stratum.placed {
            Placed::AsTheyCome => loop {
                let drawn =
                    |(safe, rates): (&Vec<Part>, &Rates)| binomial(safe.len(), rates.broken(), rng);
                let counts: Vec<u32> = self.safe.iter().zip(rates).map(drawn).collect();
                if counts.iter().any(|count| *count > 0) {
                    break self.any(&counts, rng);
                }
            },
            Placed::Any => self.any(&stratum.counts, rng),
            Placed::Together => {
                let class = stratum.counts.iter().position(|count| *count > 0).unwrap_or(0);
                let mut left = rng.below(self.classes[class].together.max(1));
                for own in &self.at[class] {
                    let pairs = own.len() as u64 * (own.len() as u64 - 1) / 2;
                    if left < pairs {
                        let two = distinct(own.len(), 2, rng);
                        return two.into_iter().map(|index| (class, own[index])).collect();
                    }
                    left -= pairs;
                }
                Vec::new()
            }
            Placed::Apart => {
                let mut state = self.any(&stratum.counts, rng);
                for _ in 0..TRIES {
                    let is_together = match state[..] {
                        [(class, a), (_, b)] => {
                            self.at[class].iter().any(|own| own.contains(&a) && own.contains(&b))
                        }
                        _ => false,
                    };
                    if !is_together {
                        break;
                    }
                    state = self.any(&stratum.counts, rng);
                }
                state
            }
        }
    }

    fn any(&self, counts: &[u32], rng: &mut Rng) -> Vec<Broken> {
        let mut state = Vec::new();
        for (class, count) in counts.iter().enumerate() {
            let drawn = distinct(self.safe[class].len(), *count as usize, rng);
            state.extend(drawn.into_iter().map(|index| (class, index)));
        }
        state.sort_unstable();
        state
    }

    fn is_known_to_cut(&self, state: &[Broken]) -> bool {
        if state.len() != 2 || !state.iter().all(|(class, _)| self.down[*class]) {
            return false;
        }
        let pieces: Vec<Piece> = self.down_pieces(state).into_iter().collect();
        matches!(pieces[..], [a, b] if self.known_cuts.contains(&(a, b)))
    }

    /// How many parts of each class a state has.
    pub(super) fn counts(&self, state: &[Broken]) -> Vec<u32> {
        let mut counts = vec![0; self.classes.len()];
        state.iter().for_each(|(class, _)| counts[*class] += 1);
        counts
    }

    /// One of the safe parts of a class; `None` if it has none.
    pub(super) fn one(&self, class: usize, rng: &mut Rng) -> Option<Broken> {
        let count = self.safe[class].len() as u64;
        (count > 0).then(|| (class, rng.below(count) as usize))
    }

    /// What is down in a state.
    pub(super) fn down_pieces(&self, state: &[Broken]) -> BTreeSet<Piece> {
        let down = state.iter().filter(|(class, _)| self.down[*class]);
        down.flat_map(|(class, index)| self.safe[*class][*index].iter().copied()).collect()
    }

    /// What is worse in a state, by class.
    pub(super) fn worse_pieces(&self, state: &[Broken]) -> BTreeMap<Piece, usize> {
        let worse = state.iter().filter(|(class, _)| !self.down[*class]);
        let pieces = worse.flat_map(|(class, index)| {
            self.safe[*class][*index].iter().map(move |piece| (*piece, *class))
        });
        pieces.collect()
    }
}

/// Which parts cut hosts off alone.
struct Alone<'a> {
    reach: &'a Reach<'a>,
    sending: BTreeSet<HostId>,
}

impl<'a> Alone<'a> {
    fn of(reach: &'a Reach<'a>) -> Self {
        let sending = reach.pairs.iter().flat_map(|(from, to)| [*from, *to]).collect();
        Self { reach, sending }
    }

    /// Whether a search may be made of the steps that are left.
    fn has_steps(&self, steps: &mut u64) -> bool {
        let all = self.reach.fabric.ports.len() as u64 + self.reach.pairs.len() as u64;
        let left = steps.checked_sub(all);
        *steps = left.unwrap_or(*steps);
        left.is_some()
    }

    /// Whether a part does. Where that would take too long to find out, it is not said to: a state that
    /// is drawn with it is looked at then.
    fn cuts(&self, part: &Part, steps: &mut u64) -> bool {
        let fabric = self.reach.fabric;
        match part[..] {
            [Piece::Host(host)] => self.sending.contains(&host),
            [Piece::Cable(port)] => match fabric.ports[port.index()].owner {
                Node::Host(host) => fabric.planes == 1 && self.sending.contains(&host),
                Node::Switch(_) => match pieces::lower(fabric, port) {
                    // There is another way up.
                    Node::Switch(lower) if pieces::upward(fabric, lower).len() > 1 => false,
                    _ => self.searched(part, steps),
                },
            },
            [Piece::Switch(switch)] if fabric.switches[switch.index()].tier > 0 => {
                let other = |port: PortId| {
                    let Node::Switch(lower) = fabric.destination(port) else { return false };
                    pieces::upward(fabric, lower)
                        .iter()
                        .any(|up| fabric.destination(*up) != Node::Switch(switch))
                };
                let mut below =
                    pieces::ports_of(fabric, switch).filter(|port| !fabric.ports[port.index()].up);
                !below.all(other) && self.searched(part, steps)
            }
            _ => self.searched(part, steps),
        }
    }

    fn searched(&self, part: &Part, steps: &mut u64) -> bool {
        self.has_steps(steps) && self.reach.is_cut(&part.iter().copied().collect())
    }
}

/// `count` different numbers below `n`, in the order in which they are drawn.
fn distinct(n: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut drawn: Vec<usize> = Vec::with_capacity(count);
    while drawn.len() < count.min(n) {
        let next = rng.below(n as u64) as usize;
        if !drawn.contains(&next) {
            drawn.push(next);
        }
    }
    drawn
}

/// How many of `n` are broken, each with the chance `u`: up times between them are geometric.
fn binomial(n: usize, u: f64, rng: &mut Rng) -> u32 {
    if u <= 0.0 {
        return 0;
    }
    let (mut at, mut count) = (0.0, 0);
    let per = libm::log1p(-u.min(1.0 - 1e-12));
    loop {
        at += (libm::log(1.0 - rng.unit()) / per).floor() + 1.0;
        if at > n as f64 {
            return count;
        }
        count += 1;
    }
}
