//! JSQ: every packet joins the shortest queue, drawn among equals (LB study, Theorem 1).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::Draws;
use crate::{Card, Need, SwitchCx};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes jsq` says.
pub const CARD: Card = Card {
    name: "jsq",
    title: "Join the shortest queue",
    paper: "LB study, JSQ",
    needs: &[Need::QueueLengths],
    summary: "Each packet takes the port with the fewest bytes queued; among equals one is drawn. \
              Ideal knowledge of one's own queues, and none of those behind.",
};

crate::parameters! {
    /// JSQ has no parameters.
    pub struct Config {}
}

/// Keeps nothing but room to compare queues.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Jsq {
    least: Least,
}

impl Jsq {
    /// Nothing to set up.
    pub fn new(_config: &Config, _context: &SwitchContext) -> Self {
        Self::default()
    }
}

impl PortSelector for Jsq {
    // As `Least::choose`, below.
    #[inline(always)]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        self.least.choose(cx, choices, |choices, choice| choices.fabric.queue(choice).bytes.0)
    }
}

/// Of ranges of at most 2^8 these leave 32 bits of 64 to the last.
const DRAWS_AT_ONCE: usize = 4;

/// Chooses by least cost, and at random among equals.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Least {
    /// The choices, in any order.
    order: Vec<u32>,
}

impl Least {
    /// The choice of least `cost`; one is drawn among equals, by weight. Choices of weight zero
    /// only count where there are no others.
    ///
    /// The choices are looked at in random order, and the first of the least cost is taken: of
    /// equals, each is the first as often as its weight says. So nothing is looked at behind a
    /// choice that costs nothing.
    // Always inline, and the reading of queues with it: a call for each costs more than the reading.
    #[inline(always)]
    pub(super) fn choose(
        &mut self,
        cx: &mut SwitchCx<'_>,
        choices: &mut Choices<'_>,
        cost: impl FnMut(&mut Choices<'_>, usize) -> u64,
    ) -> usize {
        if self.order.len() != choices.count {
            self.order = (0..choices.count as u32).collect();
        }
        let order = &mut self.order;
        let Some(weights) = choices.weights else {
            let mut draws = Draws::default();
            return first_of_least(order, choices, cost, |place, left| {
                if place % DRAWS_AT_ONCE == 0 {
                    draws = cx.rng.draws();
                }
                Some(draws.below(left.len() as u64) as usize)
            });
        };
        let mut weight = weights.iter().map(|&weight| u64::from(weight)).sum();
        first_of_least(order, choices, cost, |_, left| {
            (weight > 0).then(|| draw(cx, &mut weight, weights, left))
        })
    }
}

/// Looks at the choices in the order in which `draw` takes them from those that are left, until one
/// costs nothing or none is drawn.
#[inline(always)]
fn first_of_least(
    order: &mut [u32],
    choices: &mut Choices<'_>,
    mut cost: impl FnMut(&mut Choices<'_>, usize) -> u64,
    mut draw: impl FnMut(usize, &[u32]) -> Option<usize>,
) -> usize {
    let (mut chosen, mut lowest) = (0, u64::MAX);
    for place in 0..order.len() {
        let Some(drawn) = draw(place, &order[place..]) else { break };
        order.swap(place, place + drawn);
        let choice = order[place] as usize;
        let cost = cost(choices, choice);
        if cost < lowest {
            (chosen, lowest) = (choice, cost);
            if cost == 0 {
                break;
            }
        }
    }
    chosen
}

/// Draws one of `choices`, which weigh `left` together, by weight, and takes its weight off.
#[inline(never)]
pub(super) fn draw(
    cx: &mut SwitchCx<'_>,
    left: &mut u64,
    weights: &[u32],
    choices: &[u32],
) -> usize {
    let mut point = cx.rng.below(*left);
    for (place, &choice) in choices.iter().enumerate() {
        let weight = u64::from(weights[choice as usize]);
        match point.checked_sub(weight) {
            Some(rest) => point = rest,
            None => {
                *left -= weight;
                return place;
            }
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    /// LB study spec, acceptance 8.
    #[test]
    fn the_shortest_queue_takes_the_packet() {
        let mut bench = Bench::new(&Config {}, Jsq::new).queues(&[0, 4, 6, 30]);
        assert!((0..50).all(|_| bench.select(4) == 0));
    }

    #[test]
    fn equals_are_drawn_by_weight() {
        let mut bench =
            Bench::new(&Config {}, Jsq::new).queues(&[5, 4, 4, 4]).weights(&[9, 1, 0, 3]);
        let mut counts = [0_i32; 4];
        (0..40_000).for_each(|_| counts[bench.select(4)] += 1);
        assert_eq!((counts[0], counts[2]), (0, 0));
        assert!((counts[1] - 10_000).abs() < 400, "{counts:?}");
    }

    #[test]
    fn equals_are_drawn_alike_whether_queues_are_empty_or_not() {
        for least in [0, 6] {
            let queues: Vec<u64> = (0..150).map(|i| least + u64::from(i % 3 != 0)).collect();
            let mut bench = Bench::new(&Config {}, Jsq::new).queues(&queues);
            let mut counts = [0_i32; 150];
            (0..50_000).for_each(|_| counts[bench.select(150)] += 1);
            for (port, &count) in counts.iter().enumerate() {
                let expected = if port % 3 == 0 { 1_000 } else { 0 };
                assert!((count - expected).abs() <= 150, "port {port}: {count}");
            }
        }
    }
}
