//! A schedule: what each circuit switch connects in each slot, for how long, and when it is dark.

use crate::circuits::{Capacity, Circuits};
use crate::matching::Matching;
use raddle_schemes::units::Span;
use std::fmt;

/// When switches reconfigure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Never: the one slot is all there is.
    Static,
    /// All of them at the start of every slot.
    Together,
    /// One of them at the start of a slot, in turn (Opera).
    Staggered,
}

/// A periodic list of matchings for each switch. A checked value: every switch has a matching of
/// all nodes in every slot, and slots are longer than the dark time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    nodes: usize,
    /// The matching of each slot, a list a switch.
    switches: Vec<Vec<Matching>>,
    /// How long each slot is, dark time included.
    slots: Vec<Span>,
    dark: Span,
    steps: Steps,
}

/// Why there is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// No switch, no slot or fewer than two nodes.
    Empty,
    /// A switch's list is not as long as the period.
    Length {
        /// The switch.
        switch: usize,
        /// Matchings of its list.
        matchings: usize,
        /// Slots of the period.
        slots: usize,
    },
    /// A matching is of another number of nodes.
    Nodes {
        /// The switch.
        switch: usize,
        /// The slot.
        slot: usize,
    },
    /// A slot is over before the switches are up.
    Dark {
        /// The slot.
        slot: usize,
    },
    /// Static switches with more than one slot.
    Moving,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a schedule has two nodes, a switch and a slot, at least"),
            Self::Length { switch, matchings, slots } => {
                write!(f, "switch {switch} has {matchings} matchings in a period of {slots} slots")
            }
            Self::Nodes { switch, slot } => {
                write!(f, "the matching of switch {switch} in slot {slot} is of other nodes")
            }
            Self::Dark { slot } => write!(f, "slot {slot} is not longer than the dark time"),
            Self::Moving => f.write_str("a static schedule has one slot"),
        }
    }
}

impl std::error::Error for ScheduleError {}

impl Schedule {
    /// A schedule of these lists, one for each switch.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn new(
        switches: Vec<Vec<Matching>>,
        slots: Vec<Span>,
        dark: Span,
        steps: Steps,
    ) -> Result<Self, ScheduleError> {
        let nodes = switches.first().and_then(|list| list.first()).map_or(0, Matching::nodes);
        if nodes < 2 || slots.is_empty() {
            return Err(ScheduleError::Empty);
        }
        for (switch, list) in switches.iter().enumerate() {
            let (matchings, slots) = (list.len(), slots.len());
            if matchings != slots {
                return Err(ScheduleError::Length { switch, matchings, slots });
            }
            if let Some(slot) = list.iter().position(|matching| matching.nodes() != nodes) {
                return Err(ScheduleError::Nodes { switch, slot });
            }
        }
        if steps == Steps::Static && slots.len() > 1 {
            return Err(ScheduleError::Moving);
        }
        let dark = if steps == Steps::Static { Span::ZERO } else { dark };
        if let Some(slot) = slots.iter().position(|&slot| slot <= dark) {
            return Err(ScheduleError::Dark { slot });
        }
        Ok(Self { nodes, switches, slots, dark, steps })
    }

    /// Matchings dealt to the switches in turn, in slots of one length; links are idle where the
    /// last slot is not full. One slot is static.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn dealt(
        matchings: &[Matching],
        switches: usize,
        slot: Span,
        dark: Span,
    ) -> Result<Self, ScheduleError> {
        let nodes = matchings.first().map_or(0, Matching::nodes);
        let period = matchings.len().div_ceil(switches.max(1));
        let list = |switch: usize| {
            let at = |turn: usize| matchings.get(turn * switches + switch).cloned();
            (0..period).map(|turn| at(turn).unwrap_or_else(|| Matching::idle(nodes))).collect()
        };
        let steps = if period == 1 { Steps::Static } else { Steps::Together };
        Self::new((0..switches).map(list).collect(), vec![slot; period], dark, steps)
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The matchings of each switch, a slot each.
    pub fn switches(&self) -> &[Vec<Matching>] {
        &self.switches
    }

    /// How long each slot is.
    pub fn slots(&self) -> &[Span] {
        &self.slots
    }

    /// How long a switch that reconfigures carries nothing.
    pub fn dark(&self) -> Span {
        self.dark
    }

    /// When switches reconfigure.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// How long the period is.
    pub fn period(&self) -> Span {
        Span(self.slots.iter().map(|slot| slot.0).sum())
    }

    /// How many slots a period has.
    pub fn period_slots(&self) -> usize {
        self.slots.len()
    }

    /// Whether the switch reconfigures at the start of the slot.
    pub fn is_dark(&self, switch: usize, slot: usize) -> bool {
        match self.steps {
            Steps::Static => false,
            Steps::Together => true,
            Steps::Staggered => slot % self.switches.len() == switch,
        }
    }

    /// The share of time in which a link is up.
    pub fn duty(&self) -> f64 {
        let all = self.period().0 as f64 * self.switches.len() as f64;
        let dark = (0..self.switches.len())
            .map(|switch| (0..self.slots.len()).filter(|&slot| self.is_dark(switch, slot)).count())
            .sum::<usize>();
        1.0 - dark as f64 * self.dark.0 as f64 / all
    }

    /// Circuits of a period, slots counted alike.
    pub fn circuits(&self) -> Circuits {
        Circuits::union(self.nodes, self.switches.iter().flatten())
    }

    /// The emulated graph: mean capacity of each pair as a share of a node's, without dark time
    /// (Mars, Corollary 1, with a latency tax of 0).
    pub fn capacity(&self) -> Capacity {
        let whole = self.period().0 as f64 * self.switches.len() as f64;
        let mut capacity = Capacity::none(self.nodes);
        if self.slots.iter().all(|slot| *slot == self.slots[0]) {
            let links = (self.slots.len() * self.switches.len()) as f64;
            return self.circuits().capacity(1.0 / links);
        }
        for list in &self.switches {
            for (matching, slot) in list.iter().zip(&self.slots) {
                let share = slot.0 as f64 / whole;
                matching.circuits().for_each(|(from, to)| capacity.add(from, to, share));
            }
        }
        capacity
    }

    /// The longest time from the start of a slot until a direct circuit of a pair is up, over the
    /// pairs that have one: a packet that misses its circuit by a hair waits this long.
    pub fn longest_wait(&self) -> Span {
        let mut starts = vec![0_u64];
        starts.extend(self.slots.iter().scan(0, |at, slot| {
            *at += slot.0;
            Some(*at)
        }));
        let pairs = self.nodes * self.nodes;
        let (mut first, mut last) = (vec![u64::MAX; pairs], vec![u64::MAX; pairs]);
        let mut longest = 0;
        for slot in 0..self.slots.len() {
            for list in &self.switches {
                for (from, to) in list[slot].circuits() {
                    let pair = from * self.nodes + to;
                    if last[pair] == u64::MAX {
                        first[pair] = starts[slot];
                    } else {
                        longest = longest.max(starts[slot] - last[pair]);
                    }
                    last[pair] = starts[slot];
                }
            }
        }
        let period = self.period().0;
        let around = first.iter().zip(&last).filter(|(first, _)| **first != u64::MAX);
        let around = around.map(|(first, last)| period - last + first).max().unwrap_or(0);
        Span(longest.max(around))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Span = Span::us(100);
    const DARK: Span = Span::us(10);

    fn shifts(nodes: usize) -> Vec<Matching> {
        (0..nodes).map(|by| Matching::shift(nodes, by)).collect()
    }

    #[test]
    fn matchings_are_dealt_to_the_switches_in_turn() {
        let schedule = Schedule::dealt(&shifts(4), 2, SLOT, DARK).unwrap();
        assert_eq!(schedule.period_slots(), 2);
        assert_eq!(schedule.switches()[1], [Matching::shift(4, 1), Matching::shift(4, 3)]);
        assert!((schedule.duty() - 0.9).abs() < 1e-12);
        assert_eq!(schedule.circuits(), Circuits::complete(4, 1, true));
        assert_eq!(schedule.longest_wait(), Span::us(200));
    }

    #[test]
    fn a_short_last_slot_leaves_links_idle() {
        let schedule = Schedule::dealt(&shifts(5), 2, SLOT, DARK).unwrap();
        assert_eq!(schedule.period_slots(), 3);
        assert!((schedule.capacity().share(0, 1) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn one_slot_is_static_and_never_dark() {
        let schedule = Schedule::dealt(&shifts(4)[1..3], 2, SLOT, DARK).unwrap();
        assert_eq!((schedule.steps(), schedule.dark()), (Steps::Static, Span::ZERO));
        assert_eq!(schedule.duty(), 1.0);
    }

    #[test]
    fn one_of_the_staggered_switches_is_dark_at_a_time() {
        let lists = shifts(4).into_iter().map(|matching| vec![matching; 4]).collect();
        let schedule = Schedule::new(lists, vec![SLOT; 4], DARK, Steps::Staggered).unwrap();
        assert!((schedule.duty() - 0.975).abs() < 1e-12);
    }

    #[test]
    fn slots_of_different_lengths_weigh_by_their_length() {
        let lists = vec![vec![Matching::shift(3, 1), Matching::shift(3, 2)]];
        let slots = vec![Span::us(30), Span::us(90)];
        let schedule = Schedule::new(lists, slots, DARK, Steps::Together).unwrap();
        assert!((schedule.capacity().share(0, 2) - 0.75).abs() < 1e-12);
        assert!((schedule.duty() - 100.0 / 120.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        let one = || vec![vec![Matching::shift(3, 1)]];
        let new = |lists, slots, steps| Schedule::new(lists, slots, DARK, steps).unwrap_err();
        assert_eq!(new(vec![], vec![SLOT], Steps::Together), ScheduleError::Empty);
        let length = ScheduleError::Length { switch: 0, matchings: 1, slots: 2 };
        assert_eq!(new(one(), vec![SLOT; 2], Steps::Together), length);
        assert_eq!(new(one(), vec![DARK], Steps::Together), ScheduleError::Dark { slot: 0 });
        let two = vec![vec![Matching::shift(3, 1); 2]];
        assert_eq!(new(two, vec![SLOT; 2], Steps::Static), ScheduleError::Moving);
        let mixed = vec![vec![Matching::shift(3, 1), Matching::shift(4, 1)]];
        let nodes = ScheduleError::Nodes { switch: 0, slot: 1 };
        assert_eq!(new(mixed, vec![SLOT; 2], Steps::Together), nodes);
    }
}
