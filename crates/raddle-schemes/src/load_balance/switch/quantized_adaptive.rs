//! Adaptive routing on coarse queue lengths: the study's SWITCH PKT AR.

use super::ecmp::Ecmp;
use super::jsq::Least;
use super::{Choices, Header, PortSelector, SwitchContext};
use crate::family::Conflict;
use crate::units::Bytes;
use crate::{Card, Need, SwitchCx};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes quantized_adaptive` says.
pub const CARD: Card = Card {
    name: "quantized_adaptive",
    title: "Adaptive routing on quantised queues",
    paper: "LB study, SWITCH PKT AR",
    needs: &[Need::QueueLengths, Need::QueueLimit],
    summary: "Queues fall into four bins by how full they are; each packet takes a port drawn \
              from the lowest bin that has any.",
};

crate::parameters! {
    /// Parameters of quantised adaptive routing.
    pub struct Config {
        /// Below this share of the buffer a queue is in the first bin, in per cent (LB study: 5).
        pub first: f64 = 5.0, in 0.0..=100.0;
        /// Below this in the second (LB study: 10).
        pub second: f64 = 10.0, in 0.0..=100.0;
        /// Below this in the third, else in the last (LB study: 20).
        pub third: f64 = 20.0, in 0.0..=100.0;
        /// Smaller frames are hashed instead (`0 B`: none; other simulators: 100 B).
        pub hash_below: Bytes = Bytes(0);
    }
    conflicts by conflicts
}

/// A bin that ends below the one before it takes no queue.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let ends = [("first", config.first), ("second", config.second), ("third", config.third)];
    let pairs = ends.windows(2).filter(|pair| pair[0].1 > pair[1].1);
    pairs.map(|pair| Conflict::Exceeds(pair[0].0, pair[1].0)).collect()
}

/// The bins, and a hash for small frames.
#[derive(Clone, Debug, Serialize)]
pub struct QuantizedAdaptive {
    /// In per cent of the buffer.
    limits: [f64; 3],
    hash_below: Bytes,
    hash: Ecmp,
    bins: Bins,
    least: Least,
}

/// Where the bins of a buffer end: queues of this many bytes are in the next.
#[derive(Clone, Copy, Debug, Serialize)]
struct Bins {
    capacity: Bytes,
    ends: [u64; 3],
}

impl Bins {
    /// To the nearest byte.
    fn new(limits: [f64; 3], capacity: Bytes) -> Self {
        let end = |percent| percent * capacity.0 as f64 / 100.0 + 0.5;
        Self { capacity, ends: limits.map(|percent| end(percent) as u64) }
    }

    #[inline]
    fn bin(&self, queue: Bytes) -> u64 {
        self.ends.iter().take_while(|&&end| queue.0 >= end).count() as u64
    }
}

impl QuantizedAdaptive {
    /// With the bins of `config`.
    pub fn new(config: &Config, context: &SwitchContext) -> Self {
        let limits = [config.first, config.second, config.third];
        Self {
            limits,
            bins: Bins::new(limits, Bytes(0)),
            least: Least::default(),
            hash_below: config.hash_below,
            hash: Ecmp::new(&super::ecmp::Config {}, context),
        }
    }
}

impl PortSelector for QuantizedAdaptive {
    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        if packet.bytes < self.hash_below {
            return self.hash.select(cx, packet, choices);
        }
        let Self { limits, bins, least, .. } = self;
        least.choose(cx, choices, |choices, choice| {
            let queue = choices.fabric.queue(choice);
            if queue.capacity != bins.capacity {
                *bins = Bins::new(*limits, queue.capacity);
            }
            bins.bin(queue.bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn bins_of_a_small_share_of_a_large_buffer_end_at_the_byte() {
        let ends = |limits, capacity| Bins::new(limits, Bytes(capacity)).ends;
        assert_eq!(ends([0.004, 0.008, 0.016], 1_000_000_000), [40_000, 80_000, 160_000]);
        assert_eq!(ends([5.0, 10.0, 20.0], 800_000), [40_000, 80_000, 160_000]);
        assert_eq!(ends([0.001, 33.3, 100.0], 100_001), [1, 33_300, 100_001]);
    }

    /// LB study spec, acceptance 8: queues in per cent of the buffer, ports that may be taken.
    #[test]
    fn a_port_of_the_lowest_bin_is_drawn() {
        let cases: &[(&[u64; 4], &[usize])] = &[
            (&[0, 4, 6, 30], &[0, 1]),
            (&[11, 15, 19, 21], &[0, 1, 2]),
            (&[20, 99, 50, 21], &[0, 1, 2, 3]),
            (&[5, 10, 9, 20], &[0, 2]),
        ];
        for (queues, ports) in cases {
            let mut bench =
                Bench::new(&Config::default(), QuantizedAdaptive::new).queues(&queues[..]);
            let mut counts = [0_i32; 4];
            (0..6_000).for_each(|_| counts[bench.select(4)] += 1);
            for (port, count) in counts.iter().enumerate() {
                let expected = if ports.contains(&port) { 6_000 / ports.len() as i32 } else { 0 };
                assert!((count - expected).abs() <= expected / 10, "{queues:?}: {counts:?}");
            }
        }
    }

    #[test]
    fn small_frames_are_hashed_where_that_is_wanted() {
        let config = Config { hash_below: Bytes(100), ..Config::default() };
        let mut bench = Bench::new(&config, QuantizedAdaptive::new).queues(&[90, 0, 0, 0]);
        let first = bench.size(64).select(4);
        assert!((0..20).all(|_| bench.select(4) == first));
    }
}
