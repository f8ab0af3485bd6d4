//! Per-switch round robin whose order is drawn anew every few rounds: the study's SWITCH PKT.

use super::schedule::Rotation;
use super::{Choices, Header, PortSelector, SwitchContext};
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes round_robin` says.
pub const CARD: Card = Card {
    name: "round_robin",
    title: "Round robin, shuffled every few rounds",
    paper: "LB study, SWITCH PKT",
    needs: &[],
    summary: "Every packet takes the next port; after some rounds the ports come into a new random \
              order, so that switches do not stay in step.",
};

crate::parameters! {
    /// Parameters of round robin.
    pub struct Config {
        /// Rounds after which the order is drawn anew (LB study: 5; other simulators also use 1).
        pub rounds: u32 = 5, in 1..=1_000_000;
    }
}

/// The pointers of one switch, one per next-hop group.
#[derive(Clone, Debug, Serialize)]
pub struct RoundRobin {
    rotation: Rotation,
    rounds: u32,
}

impl RoundRobin {
    /// Orders are drawn at the first packet.
    pub fn new(config: &Config, _context: &SwitchContext) -> Self {
        Self { rotation: Rotation::default(), rounds: config.rounds }
    }
}

impl PortSelector for RoundRobin {
    #[inline(never)]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        self.rotation.turn(cx, choices, self.rounds, false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use alloc::vec::Vec;

    /// LB study spec, acceptance 8.
    #[test]
    fn an_order_lasts_five_rounds() {
        let mut bench = Bench::new(&Config::default(), RoundRobin::new);
        let ports: Vec<usize> = (0..400).map(|_| bench.select(4)).collect();
        let orders: Vec<&[usize]> = ports.chunks(4).collect();
        for order in &orders {
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3], "each round takes each port once");
        }
        for same in orders.chunks(5) {
            assert!(same.iter().all(|order| *order == same[0]));
        }
        let mut different: Vec<_> = orders.iter().step_by(5).collect();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 8, "20 draws of 24 orders");
    }
}
