//! Adaptive RoCE routing as the REPS paper's simulator has it: the exact shortest queue, and among
//! equals always the same port.

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::{Card, Cx, Need};

/// What `raddle schemes adaptive_roce` says.
pub const CARD: Card = Card {
    name: "adaptive_roce",
    title: "Adaptive RoCE",
    paper: "REPS, section 4 (Adaptive RoCE); REPS spec 4.8",
    needs: &[Need::QueueLengths],
    summary: "Each packet, data or ACK, takes the port with the fewest bytes queued; among equals \
              the first of an order drawn once per switch.",
};

crate::parameters! {
    /// Adaptive RoCE has no parameters.
    pub struct Config {}
}

/// The order of one switch's ports.
#[derive(Clone, Debug)]
pub struct AdaptiveRoce {
    salt: u64,
}

impl AdaptiveRoce {
    /// An order of the switch's own.
    pub fn new(_config: &Config, context: &SwitchContext) -> Self {
        Self { salt: mix(context.stream) }
    }

    /// Where a port stands in the order.
    fn rank(&self, port: u32) -> u64 {
        mix(self.salt ^ u64::from(port))
    }
}

impl PortSelector for AdaptiveRoce {
    #[inline(never)]
    fn select(&mut self, _cx: &mut Cx<'_>, _packet: &Header, choices: &mut Choices<'_>) -> usize {
        let mut chosen = (0, u64::MAX, u64::MAX);
        for choice in 0..choices.count {
            if choices.weight(choice) == 0 {
                continue;
            }
            let bytes = choices.fabric.queue(choice).bytes.0;
            if bytes > chosen.1 {
                continue;
            }
            let rank = self.rank(choices.fabric.port(choice));
            if (bytes, rank) < (chosen.1, chosen.2) {
                chosen = (choice, bytes, rank);
            }
        }
        chosen.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn the_shortest_queue_takes_the_packet() {
        let mut bench = Bench::new(&Config {}, AdaptiveRoce::new).queues(&[3, 2, 1, 2]);
        assert_eq!(bench.select(4), 2);
    }

    #[test]
    fn among_equals_a_switch_always_takes_the_same() {
        let mut firsts = [0; 4];
        for switch in 0..400 {
            let mut bench = Bench::of(switch, &Config {}, AdaptiveRoce::new).queues(&[7; 4]);
            let first = bench.select(4);
            assert!((0..10).all(|_| bench.select(4) == first));
            firsts[first] += 1;
        }
        assert!(firsts.iter().all(|&count| (60..140).contains(&count)), "{firsts:?}");
    }
}
