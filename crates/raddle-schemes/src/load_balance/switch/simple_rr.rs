//! SIMPLE RR: one pointer per switch and next-hop group, in a fixed order, that is never reset.
//!
//! LB study, Theorem 1: flows that meet on an aggregation switch stay in step, and the queues of
//! the links they share grow with the message.

use super::schedule::Rotation;
use super::{Choices, Header, PortSelector, SwitchContext};
use crate::units::Bytes;
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes simple_rr` says.
pub const CARD: Card = Card {
    name: "simple_rr",
    title: "Round robin over the ports, never reset",
    paper: "LB study, SIMPLE RR",
    needs: &[],
    summary: "Every packet takes the next port. The textbook scheme: even on each switch's own \
              links, uneven where flows meet further down.",
};

crate::words! {
    /// Where pointers stand at first.
    pub enum Start {
        /// At the first port, all switches alike.
        First = "first",
        /// Anywhere, as if packets had passed before.
        Random = "random",
    }
}

crate::parameters! {
    /// Parameters of SIMPLE RR.
    pub struct Config {
        /// Where pointers stand at first: `first`, at the first port, all switches alike, or
        /// `random`, anywhere, as if packets had passed before.
        pub start: Start = Start::First;
        /// Frames smaller than this (ACKs) rotate apart from the others; `0 B` for one pointer for
        /// all (LB study).
        pub small: Bytes = Bytes(0);
    }
}

/// The pointers of one switch.
#[derive(Clone, Debug, Serialize)]
pub struct SimpleRr {
    /// Of small frames, and of the others.
    rotations: [Rotation; 2],
    #[serde(skip)]
    config: Config,
}

impl SimpleRr {
    /// Pointers stand still until their first packet.
    pub fn new(config: &Config, _context: &SwitchContext) -> Self {
        Self { rotations: Default::default(), config: config.clone() }
    }
}

impl PortSelector for SimpleRr {
    #[inline(never)]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let large = usize::from(packet.bytes >= self.config.small);
        self.rotations[large].turn(cx, choices, 0, self.config.start == Start::Random)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use alloc::vec::Vec;

    /// LB study spec, acceptance 8.
    #[test]
    fn ports_take_turns_wherever_packets_go() {
        let mut bench = Bench::new(&Config::default(), SimpleRr::new);
        let ports: Vec<usize> = (0..6).map(|i| bench.to(i).select(4)).collect();
        assert_eq!(ports, [0, 1, 2, 3, 0, 1]);
    }

    #[test]
    fn ports_get_turns_by_weight_once_routes_have_weights() {
        let mut bench = Bench::new(&Config::default(), SimpleRr::new);
        bench.select(2);
        let mut bench = bench.weights(&[3, 1]);
        let ports: Vec<usize> = (0..8).map(|_| bench.select(2)).collect();
        assert_eq!(ports, [0, 1, 0, 0, 0, 1, 0, 0]);
    }
}
