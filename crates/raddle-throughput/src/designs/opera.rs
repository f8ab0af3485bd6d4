//! Opera (Mellette et al., NSDI 2020): rotors that reconfigure one after another, so that the others
//! always make a connected graph.
//!
//! A slot here is a superslice. One rotor changes its matching in it; the others keep theirs.
//! Reading: matchings are drawn again until every slice is connected while one rotor is dark.
//! Reading: by default they are those of `rotornet`, in a drawn order. Such ones make no connected slice
//! of many nodes with four rotors; Opera draws a random factorisation, as `mixed` does.

use super::{Card, DesignError, Makes, Plan, refuse, rotornet};
use crate::demand::Demand;
use raddle_circuits::circuits::{Capacity, Circuits};
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::{Schedule, Steps};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Span;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "opera",
    title: "Opera",
    paper: "Mellette et al., Expanding across time to deliver bandwidth efficiency and low latency \
            (Opera), NSDI 2020; Mars, section 7.5",
    summary: "Rotors change one at a time: short flows take paths within a slice at once, long \
              ones wait for their direct circuit, up to a whole cycle.",
};

/// How many drawn orders are tried.
const DRAWS: u64 = 1000;

raddle_schemes::words! {
    /// The matchings that rotors have between them: together all pairs once, and each node itself.
    pub enum Matchings {
        /// Matching m joins i and m - i.
        Sums = "sums",
        /// These, with drawn parts of two of them exchanged, again and again.
        Mixed = "mixed",
    }
}

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Opera with fabric: super::Fabric {
        /// The matchings that rotors have between them: `sums`, matching m joins i and m - i; `mixed`,
        /// drawn from these by exchanging parts of two of them again and again, as random as Opera's.
        pub matchings: Matchings = Matchings::Sums;
    }
}

/// Exchanges of parts for each matching.
const EXCHANGES: usize = 64;

/// Exchanges parts of two matchings, so often that little is left of their order: where nodes are joined
/// among themselves by both, each may have the other's circuits.
fn mix(matchings: &mut [Matching], rng: &mut Rng) {
    let (count, nodes) = (matchings.len(), matchings[0].nodes());
    for _ in 0..EXCHANGES * count {
        let one = rng.below(count as u64) as usize;
        let other = (one + 1 + rng.below(count as u64 - 1) as usize) % count;
        let (mut part, mut waiting) = (vec![false; nodes], vec![rng.below(nodes as u64) as usize]);
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut part[node], true) {
                waiting.extend([one, other].map(|own| matchings[own].target(node)));
            }
        }
        let [own, theirs] = [(one, other), (other, one)].map(|(own, theirs)| {
            let from = |node: usize| if part[node] { theirs } else { own };
            Matching::of((0..nodes).map(|i| matchings[from(i)].target(i) as u16).collect())
        });
        (matchings[one], matchings[other]) = (own, theirs);
    }
}

impl Makes for Opera {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        let (nodes, rotors) = (demand.nodes(), self.fabric.uplinks as usize);
        if rotors < 2 || !nodes.is_multiple_of(rotors) {
            let shape = "Opera has at least two rotors, and their number divides that of the nodes";
            return refuse(format!("{rotors} rotors and {nodes} nodes; {shape}"));
        }
        let turns = nodes / rotors;
        let Some(lists) = (0..DRAWS).find_map(|draw| self.drawn(nodes, seed, draw)) else {
            let why = "no drawn order of its matchings keeps every slice connected";
            return refuse(format!("{why}: {rotors} rotors are too few for {nodes} nodes"));
        };
        // Rotor r turns in slots r, r + rotors, ..., and keeps its matching for as many slots.
        let slots = turns * rotors;
        let at = |rotor: usize, slot: usize| (slot + slots - rotor) % slots / rotors;
        let switches = lists.iter().enumerate().map(|(rotor, list)| {
            (0..slots).map(|slot| list[at(rotor, slot)].clone()).collect::<Vec<Matching>>()
        });
        let (slot, dark) = (self.fabric.slot, self.fabric.dark);
        let schedule =
            Schedule::new(switches.collect(), vec![slot; slots], dark, Steps::Staggered)?;
        let wait: Span = schedule.longest_wait();
        Ok(Plan { bound: Some(0.5), delay_us: Some(wait.as_us()), ..Plan::of(schedule) })
    }
}

impl Opera {
    /// Matchings of each rotor in a drawn order; `None` if some slice is not connected.
    fn drawn(&self, nodes: usize, seed: u64, draw: u64) -> Option<Vec<Vec<Matching>>> {
        let rotors = self.fabric.uplinks as usize;
        let mut matchings = rotornet::symmetric(nodes);
        let mut rng = Rng::new(seed, "opera", draw);
        if self.matchings == Matchings::Mixed {
            mix(&mut matchings, &mut rng);
        }
        rng.shuffle(&mut matchings);
        let turns = nodes / rotors;
        let lists: Vec<Vec<Matching>> = matchings.chunks(turns).map(<[Matching]>::to_vec).collect();
        let connected = (0..turns * rotors).all(|slot| {
            let slots = turns * rotors;
            let up = (0..rotors).filter(|rotor| slot % rotors != *rotor);
            let up = up.map(|rotor| &lists[rotor][(slot + slots - rotor) % slots / rotors]);
            let slice: Capacity = Circuits::union(nodes, up).capacity(1.0);
            slice.hops(0).iter().all(Option::is_some)
        });
        connected.then_some(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;

    #[test]
    fn rotors_keep_a_matching_for_as_many_slices_as_there_are_rotors() {
        let plan = Opera::default().plan(&pattern::uniform(16), 1).unwrap();
        let schedule = &plan.schedules[0].1;
        assert_eq!(schedule.period_slots(), 16);
        for (rotor, list) in schedule.switches().iter().enumerate() {
            for slot in 0..16 {
                let before = &list[(slot + 15) % 16];
                assert_eq!(list[slot] != *before, schedule.is_dark(rotor, slot), "{rotor} {slot}");
            }
        }
        let expected = Circuits::complete(16, 4, true);
        assert_eq!(schedule.circuits(), expected);
        let share = schedule.capacity().share(0, 1);
        assert!((share - 1.0 / 16.0).abs() < 1e-12);
    }

    #[test]
    fn mixed_matchings_make_the_complete_graph_and_few_rotors_connect_many_nodes() {
        let mut matchings = rotornet::symmetric(64);
        mix(&mut matchings, &mut Rng::new(1, "opera", 0));
        assert_eq!(Circuits::union(64, &matchings), Circuits::complete(64, 1, true));
        assert!(matchings.iter().all(|m| m.all().all(|(i, j)| m.target(j) == i)));
        let sums = Opera::default();
        assert!(sums.plan(&pattern::uniform(64), 1).is_err());
        let mixed = Opera { matchings: Matchings::Mixed, ..sums };
        assert!(mixed.plan(&pattern::uniform(64), 1).is_ok());
    }

    #[test]
    fn a_number_of_rotors_that_does_not_divide_the_nodes_is_refused() {
        assert!(Opera::default().plan(&pattern::uniform(15), 1).is_err());
    }
}
