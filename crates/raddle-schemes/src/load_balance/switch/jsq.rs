//! JSQ: every packet joins the shortest queue, drawn among equals (LB study, Theorem 1).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::{Card, Cx, Need};

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

/// Keeps nothing.
#[derive(Clone, Debug)]
pub struct Jsq;

impl Jsq {
    /// Nothing to set up.
    pub fn new(_config: &Config, _context: &SwitchContext) -> Self {
        Self
    }
}

impl PortSelector for Jsq {
    #[inline(never)]
    fn select(&mut self, cx: &mut Cx<'_>, _packet: &Header, choices: &mut Choices<'_>) -> usize {
        least(cx, choices, |choices, choice| choices.fabric.queue(choice).bytes.0)
    }
}

/// The choice of least `cost`; one is drawn among equals, by weight. Choices of weight zero only
/// count where there are no others.
#[inline]
pub(super) fn least(
    cx: &mut Cx<'_>,
    choices: &mut Choices<'_>,
    cost: impl Fn(&mut Choices<'_>, usize) -> u64,
) -> usize {
    let (mut chosen, mut lowest, mut total) = (0, u64::MAX, 0_u64);
    for choice in 0..choices.count {
        let weight = u64::from(choices.weight(choice));
        let cost = cost(choices, choice);
        if weight == 0 || cost > lowest {
            continue;
        }
        if cost < lowest {
            (lowest, total) = (cost, 0);
        }
        // Each of the equals so far is the one drawn in proportion to its weight.
        total += weight;
        if total == weight || cx.rng.below(total) < weight {
            chosen = choice;
        }
    }
    chosen
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
}
