//! RSQ: a uniformly random port for every packet, at every switch (LB study, Theorem 2).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes rsq` says.
pub const CARD: Card = Card {
    name: "rsq",
    title: "A random port for every packet",
    paper: "LB study, RSQ",
    needs: &[],
    summary: "Each switch draws a port for each packet. What hosts do with random entropies, in \
              the switch; queues grow with the square root of the message.",
};

crate::parameters! {
    /// RSQ has no parameters.
    pub struct Config {}
}

/// Keeps nothing.
#[derive(Clone, Debug, Serialize)]
pub struct Rsq;

impl Rsq {
    /// Nothing to set up.
    pub fn new(_config: &Config, _context: &SwitchContext) -> Self {
        Self
    }
}

impl PortSelector for Rsq {
    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        choices.at((cx.rng.next_u64() >> 32) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn ports_are_drawn_by_weight() {
        let mut bench = Bench::new(&Config {}, Rsq::new).weights(&[4, 0, 1, 3]);
        let mut counts = [0; 4];
        (0..80_000).for_each(|_| counts[bench.select(4)] += 1);
        for (count, expected) in counts.iter().zip([40_000_i32, 0, 10_000, 30_000]) {
            assert!((count - expected).abs() < 600, "{counts:?}");
        }
    }
}
