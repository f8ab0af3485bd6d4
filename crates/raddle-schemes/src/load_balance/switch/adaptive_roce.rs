//! Adaptive RoCE routing as the REPS paper has it: the exact shortest queue, and among
//! equals always the same port.
//!
//! Reading: the paper does not say when a switch looks at its queues. Here it looks when a packet
//! comes, after what leaves at that instant and what came before it. The authors' artifact looks in
//! one event and queues in a later one of the same instant: mode `artifact`.

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::{Card, Need, SwitchCx};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes adaptive_roce` says.
pub const CARD: Card = Card {
    name: "adaptive_roce",
    title: "Adaptive RoCE",
    paper: "REPS, section 4 (Adaptive RoCE); REPS spec 4.8",
    needs: &[Need::QueueLengths],
    summary: "Each packet, data or ACK, takes the port with the fewest bytes queued; among equals \
              the first of an order drawn once per switch.",
};

crate::words! {
    /// Whose adaptive RoCE it is: they differ in what a switch sees of the instant in which it chooses.
    pub enum Mode {
        /// What leaves at that instant has left, and what came before is queued.
        Paper = "paper",
        /// The authors' artifact: queues are as they were before that instant.
        Artifact = "artifact",
    }
}

crate::parameters! {
    /// Parameters of adaptive RoCE.
    pub struct Config {
        /// Whose algorithm: `paper` or `artifact`.
        pub mode: Mode = Mode::Paper;
    }
}

/// The order of one switch's ports.
#[derive(Clone, Debug, Serialize)]
pub struct AdaptiveRoce {
    mode: Mode,
    salt: u64,
    /// Epoch and next-hop group of the present order; in a tree, the only group with a choice.
    present: (u32, u32),
    order: Arc<[u32]>,
    /// The choices of each next-hop group of the epoch that carry anything, in that order.
    orders: BTreeMap<u32, Arc<[u32]>>,
}

impl AdaptiveRoce {
    /// An order of the switch's own.
    pub fn new(config: &Config, context: &SwitchContext) -> Self {
        let (salt, order) = (mix(context.stream), Arc::default());
        Self { mode: config.mode, salt, present: (0, u32::MAX), order, orders: BTreeMap::new() }
    }

    /// The choices in the order of their ports.
    #[inline]
    fn order(&mut self, choices: &Choices<'_>) -> &[u32] {
        if self.present != (choices.epoch, choices.next_hops) {
            self.change(choices);
        }
        &self.order
    }

    #[inline(never)]
    fn change(&mut self, choices: &Choices<'_>) {
        if self.present.0 != choices.epoch {
            self.orders.clear();
        }
        let salt = self.salt;
        let order = self.orders.entry(choices.next_hops).or_insert_with(|| ordered(salt, choices));
        self.order = Arc::clone(order);
        self.present = (choices.epoch, choices.next_hops);
    }
}

#[cold]
fn ordered(salt: u64, choices: &Choices<'_>) -> Arc<[u32]> {
    let rank = |&choice: &u32| mix(salt ^ u64::from(choices.fabric.port(choice as usize)));
    let carries = |&choice: &u32| choices.weight(choice as usize) > 0;
    let mut order: Vec<u32> = (0..choices.count as u32).filter(carries).collect();
    order.sort_by_key(rank);
    order.into()
}

impl PortSelector for AdaptiveRoce {
    // Always inline, and the reading of queues with it: a call for each costs more than the reading.
    #[inline(always)]
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let (mut chosen, mut lowest) = (0, u64::MAX);
        for &choice in self.order(choices) {
            let bytes = choices.fabric.queue(choice as usize).bytes.0;
            if bytes < lowest {
                (chosen, lowest) = (choice as usize, bytes);
                if bytes == 0 {
                    break;
                }
            }
        }
        chosen
    }

    fn looks_before(&self) -> bool {
        self.mode == Mode::Artifact
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn the_shortest_queue_takes_the_packet() {
        let mut bench = Bench::new(&Config::default(), AdaptiveRoce::new).queues(&[3, 2, 1, 2]);
        assert_eq!(bench.select(4), 2);
    }

    #[test]
    fn among_equals_a_switch_always_takes_the_same() {
        let mut firsts = [0; 4];
        for switch in 0..400 {
            let mut bench =
                Bench::of(switch, &Config::default(), AdaptiveRoce::new).queues(&[7; 4]);
            let first = bench.select(4);
            assert!((0..10).all(|_| bench.select(4) == first));
            firsts[first] += 1;
        }
        assert!(firsts.iter().all(|&count| (60..140).contains(&count)), "{firsts:?}");
    }
}
