//! Interleaved weighted round robin, and rotation through one schedule per next-hop group.

use super::Choices;
use crate::SwitchCx;
use crate::units::gcd;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use serde::Serialize;

/// No choice gets more turns in a round than this: larger weights are scaled down, and none to
/// nothing, so that a schedule stays small whatever the rates of the links are.
const MOST_TURNS: u32 = 1024;

/// The turns of a round: for r = 1, 2, .. each item, in order, whose weight divided by the greatest
/// common divisor of all is r or more (LB study, section on W-ECMP; spec 2.4). Weights of zero get
/// no turn.
pub(super) fn interleaved(order: &[(u32, u32)]) -> Vec<u32> {
    let divisor = gcd(order.iter().map(|&(_, weight)| weight.into())).max(1) as u32;
    let largest = order.iter().map(|&(_, weight)| weight / divisor).max().unwrap_or(0);
    let turns = |weight: u32| match weight / divisor {
        reduced if largest <= MOST_TURNS || reduced == 0 => reduced,
        reduced => {
            let scaled = u64::from(reduced) * u64::from(MOST_TURNS) + u64::from(largest) / 2;
            (scaled / u64::from(largest)).max(1) as u32
        }
    };
    let mut schedule = Vec::new();
    for round in 1..=largest.min(MOST_TURNS) {
        schedule.extend(order.iter().filter(|&&(_, w)| turns(w) >= round).map(|&(item, _)| item));
    }
    schedule
}

/// The choices and their weights, as [`interleaved`] wants them.
pub(super) fn weighted(choices: &Choices<'_>) -> Vec<(u32, u32)> {
    (0..choices.count).map(|choice| (choice as u32, choices.weight(choice))).collect()
}

/// One position in one schedule per next-hop group. Everything starts anew when routes change.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Rotation {
    epoch: u32,
    wheels: BTreeMap<u32, Wheel>,
}

/// A schedule and where it stands.
#[derive(Clone, Debug, Default, Serialize)]
struct Wheel {
    schedule: Vec<u32>,
    next: usize,
    wraps: u32,
}

impl Rotation {
    /// The next choice in turn. After `shuffle_after` rounds, and at first, the ports come into a
    /// new random order; never for 0. A schedule begins at its first turn, or at any.
    pub(super) fn turn(
        &mut self,
        cx: &mut SwitchCx<'_>,
        choices: &Choices<'_>,
        shuffle_after: u32,
        anywhere: bool,
    ) -> usize {
        if self.epoch != choices.epoch {
            self.epoch = choices.epoch;
            self.wheels.clear();
        }
        let wheel = self.wheels.entry(choices.next_hops).or_default();
        let due = shuffle_after > 0 && wheel.wraps == shuffle_after;
        if wheel.schedule.is_empty() || due {
            let mut order = weighted(choices);
            if shuffle_after > 0 {
                cx.rng.shuffle(&mut order);
            }
            let schedule = interleaved(&order);
            let turns = schedule.len() as u64;
            let next = if anywhere { cx.rng.below(turns.max(1)) as usize } else { 0 };
            *wheel = Wheel { schedule, next, wraps: 0 };
        }
        let Some(&choice) = wheel.schedule.get(wheel.next) else { return 0 };
        wheel.next += 1;
        if wheel.next == wheel.schedule.len() {
            wheel.next = 0;
            wheel.wraps = wheel.wraps.saturating_add(1);
        }
        choice as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LB study spec, acceptance 5.
    #[test]
    fn weights_become_turns_that_interleave() {
        let turned = |order: &[(u32, u32)], turns: &[u32]| assert_eq!(interleaved(order), turns);
        turned(&[(3, 1600), (2, 1600), (4, 800), (1, 1600)], &[3, 2, 4, 1, 3, 2, 1]);
        turned(&[(0, 3), (1, 1)], &[0, 1, 0, 0]);
        turned(&[(1, 0), (2, 4), (3, 2)], &[2, 3, 2]);
        turned(&[(0, 5), (1, 5)], &[0, 1]);
        turned(&[], &[]);
        turned(&[(0, 0)], &[]);
    }

    #[test]
    fn odd_weights_make_no_endless_schedule() {
        let schedule = interleaved(&[(0, 400_000_007), (1, 200_000_003), (2, 1)]);
        let turns = |item| schedule.iter().filter(|&&other| other == item).count();
        assert_eq!((turns(0), turns(1), turns(2)), (1024, 512, 1));
    }
}
