//! DRILL(d, m): of d random ports and the m least loaded ones of the last time, the shortest queue.
//!
//! The memory makes up for few samples: with m = 0 a short queue is forgotten at once, with it
//! every packet compares its samples with the best that is known (DRILL, section 3.2).
//!
//! Reading: a switch is one forwarding engine, which sees every queue as it is when the packet
//! comes; the paper's switches have several engines with a memory each, and see what is being
//! queued a bit late. The d ports are different ones. Among equals the first drawn is taken, and
//! samples go before what is remembered, so that idle switches spray. There is a memory for each set
//! of equal next hops. Where those have weights, ports are sampled in proportion; the paper hashes
//! flows to groups of symmetric paths then (section 3.4).

use super::jsq::draw;
use super::{Choices, Header, PortSelector, SwitchContext};
use crate::probe::Probes;
use crate::{Card, Need, SwitchCx};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes drill` says.
pub const CARD: Card = Card {
    name: "drill",
    title: "DRILL(d, m)",
    paper: "Ghorbani et al., DRILL: Micro Load Balancing for Low-latency Data Center Networks, \
            SIGCOMM 2017",
    needs: &[Need::QueueLengths],
    summary: "Each packet takes the shortest of a few random queues and of those that were \
              shortest last time. Nearly as good as all queues, at a fraction of the comparisons.",
};

crate::parameters! {
    /// Parameters of DRILL.
    pub struct Config {
        /// Ports drawn for each packet: d (DRILL: 2).
        pub samples: u32 = 2, in 1..=1_024;
        /// Least loaded ports remembered for the next packet: m (DRILL: 1).
        pub memory: u32 = 1, in 0..=1_024;
    }
}

/// One switch's memory.
#[derive(Clone, Debug, Serialize)]
pub struct Drill {
    samples: usize,
    memory: usize,
    epoch: u32,
    /// The remembered choices of each next-hop group of the epoch, least loaded first.
    remembered: BTreeMap<u32, Vec<u32>>,
    /// The choices, in any order: the samples are drawn to the front.
    order: Vec<u32>,
    /// What is compared for a packet: bytes queued and the choice.
    looked_at: Vec<(u64, u32)>,
}

impl Drill {
    /// Nothing is remembered.
    pub fn new(config: &Config, _context: &SwitchContext) -> Self {
        Self {
            samples: config.samples as usize,
            memory: config.memory as usize,
            epoch: 0,
            remembered: BTreeMap::new(),
            order: Vec::new(),
            looked_at: Vec::new(),
        }
    }

    /// Looks at `samples` random choices.
    #[inline]
    fn sample(&mut self, cx: &mut SwitchCx<'_>, choices: &mut Choices<'_>) {
        let Self { order, looked_at, .. } = self;
        if order.len() != choices.count {
            *order = (0..choices.count as u32).collect();
        }
        let weights = choices.weights;
        let mut left = weights.map_or(0, |all| all.iter().map(|&weight| u64::from(weight)).sum());
        for place in 0..self.samples.min(choices.count) {
            let drawn = match weights {
                None => cx.rng.below((choices.count - place) as u64) as usize,
                // Ports that carry nothing are not drawn.
                Some(_) if left == 0 => break,
                Some(weights) => draw(cx, &mut left, weights, &order[place..]),
            };
            order.swap(place, place + drawn);
            let choice = order[place];
            looked_at.push((choices.fabric.queue(choice as usize).bytes.0, choice));
        }
    }
}

impl PortSelector for Drill {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("groups", self.remembered.len() as u64);
    }

    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        self.looked_at.clear();
        self.sample(cx, choices);
        if self.memory > 0 {
            if self.epoch != choices.epoch {
                self.remembered.clear();
                self.epoch = choices.epoch;
            }
            let remembered = self.remembered.entry(choices.next_hops).or_default();
            for &choice in &*remembered {
                if self.looked_at.iter().all(|&(_, other)| other != choice) {
                    let bytes = choices.fabric.queue(choice as usize).bytes.0;
                    self.looked_at.push((bytes, choice));
                }
            }
            // Stable, so that the first looked at comes first among equals.
            self.looked_at.sort_by_key(|&(bytes, _)| bytes);
            remembered.clear();
            remembered.extend(self.looked_at.iter().take(self.memory).map(|&(_, choice)| choice));
        }
        let least = self.looked_at.iter().min_by_key(|&&(bytes, _)| bytes);
        least.map_or(0, |&(_, choice)| choice as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn drill(samples: u32, memory: u32) -> Bench<Drill> {
        Bench::new(&Config { samples, memory }, Drill::new)
    }

    /// How often each of four choices is taken.
    fn counts(bench: &mut Bench<Drill>, packets: u32) -> [i32; 4] {
        let mut counts = [0; 4];
        (0..packets).for_each(|_| counts[bench.select(4)] += 1);
        counts
    }

    #[test]
    fn one_sample_without_memory_is_a_random_port() {
        let mut bench = drill(1, 0).queues(&[30, 20, 10, 0]);
        for count in counts(&mut bench, 40_000) {
            assert!((count - 10_000).abs() < 500, "{count}");
        }
    }

    /// Of two of four: the shortest unless neither is it (1/2), the second where the shortest is not
    /// drawn (1/3), the third against the last (1/6), the last never.
    #[test]
    fn two_samples_without_memory_are_the_better_of_two() {
        let mut bench = drill(2, 0).queues(&[30, 20, 10, 0]);
        let counts = counts(&mut bench, 60_000);
        for (count, expected) in counts.iter().zip([0, 10_000, 20_000, 30_000]) {
            assert!((count - expected).abs() < 600, "{counts:?}");
        }
    }

    #[test]
    fn as_many_samples_as_ports_join_the_shortest_queue() {
        for memory in [0, 1, 3] {
            let mut bench = drill(4, memory).queues(&[4, 0, 6, 30]);
            assert!((0..50).all(|_| bench.select(4) == 1));
        }
    }

    /// The best port is kept until a sample is as good.
    #[test]
    fn what_was_shortest_is_compared_with_the_next_samples() {
        let queues = [50, 0, 60, 70];
        let mut bench = drill(1, 1).queues(&queues);
        let chosen: Vec<u64> = (0..100).map(|_| queues[bench.select(4)]).collect();
        assert!(chosen.is_sorted_by(|a, b| a >= b), "{chosen:?}");
        assert_eq!(chosen[99], 0);
        // The remembered queue is looked at again: it has grown beyond all others.
        let mut bench = bench.queues(&[50, 90, 60, 70]);
        let counts = counts(&mut bench, 1_000);
        assert!(counts[1] <= 1 && counts[0] > 900, "{counts:?}");
    }

    /// With m = 2 the second best is known when the best has filled up.
    #[test]
    fn several_are_remembered() {
        let mut bench = drill(1, 2).queues(&[0, 10, 60, 70]);
        counts(&mut bench, 100);
        let mut bench = bench.queues(&[90, 10, 60, 70]);
        assert_eq!(bench.select(4), 1);
    }

    #[test]
    fn idle_ports_are_taken_at_random() {
        for memory in [0, 1] {
            let mut bench = drill(2, memory);
            for count in counts(&mut bench, 40_000) {
                assert!((count - 10_000).abs() < 500, "{count}");
            }
        }
    }

    #[test]
    fn ports_are_sampled_by_weight_and_those_of_weight_zero_never() {
        let mut bench = drill(1, 1).weights(&[2, 0, 1, 1]).queues(&[0; 4]);
        let counts = counts(&mut bench, 40_000);
        for (count, expected) in counts.iter().zip([20_000, 0, 10_000, 10_000]) {
            assert!((count - expected).abs() < 500, "{counts:?}");
        }
    }

    #[test]
    fn what_is_remembered_is_forgotten_when_routes_change() {
        let mut bench = drill(1, 1).queues(&[50, 0, 60, 70]);
        counts(&mut bench, 100);
        let mut bench = bench.weights(&[1, 0, 1, 1]);
        assert_eq!(counts(&mut bench, 1_000)[1], 0);
    }
}
