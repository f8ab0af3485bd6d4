//! Dynamic thresholds: no queue may hold more than a share of what is free.
//!
//! Choudhury and Hahne: a queue of length q takes a frame of s bytes if q + s <= alpha (B - Q), with
//! Q of the B bytes of memory used. Some memory always stays free, so that a queue that begins to
//! fill finds room. The thesis has the rule as its baseline (chapter 4, equation 4.6).

use super::{Arriving, BufferContext, BufferPolicy};
use crate::Card;

/// What `raddle schemes dynamic_thresholds` says.
pub const CARD: Card = Card {
    name: "dynamic_thresholds",
    title: "Dynamic thresholds",
    paper: "Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet switches, ToN 1998",
    needs: &[],
    summary: "A queue may hold at most `alpha` times the memory that is free. What switches ship with.",
};

crate::parameters! {
    /// Parameters of dynamic thresholds.
    pub struct Config {
        /// The most that a queue may hold, over what is free; 0.001 to 1000.
        pub alpha: f64 = 1.0, in 0.001..=1000.0;
    }
}

/// One switch's thresholds: all queues have the same.
#[derive(Clone, Debug)]
pub struct DynamicThresholds {
    alpha: f64,
    size: u64,
}

impl DynamicThresholds {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        Self { alpha: config.alpha, size: context.size.0 }
    }
}

impl BufferPolicy for DynamicThresholds {
    #[inline]
    fn admits(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        frame.queued.0 + frame.bytes.0 <= (self.alpha * free as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    const SIZE: u64 = 3_932_160;

    /// Where `queues` queues stop growing that each get a byte in turn, and what they hold then.
    fn fixed_point(alpha: f64, queues: usize) -> u64 {
        let nominal = BufferContext::NOMINAL;
        let context = BufferContext { size: Bytes(SIZE), queues: queues as u32, ..nominal };
        let policy = DynamicThresholds::new(&Config { alpha }, &context);
        let mut held = 0;
        loop {
            let used = Bytes(held * queues as u64);
            if !policy.admits(&Arriving { bytes: Bytes(1), queued: Bytes(held), used }) {
                return held;
            }
            held += 1;
        }
    }

    #[test]
    fn queues_stop_at_the_papers_fixed_point() {
        // alpha B / (1 + n alpha): ABM spec, section 6, item 1.
        for (alpha, queues, expected) in
            [(0.5, 1, 1_310_720), (0.5, 4, 655_360), (1.0, 1, 1_966_080), (8.0, 3, 1_258_291)]
        {
            // Queues take turns, so what the last finds used is not what it held before.
            let held = fixed_point(alpha, queues);
            assert!(held.abs_diff(expected) <= 1, "{alpha}, {queues}: {held}");
        }
    }

    #[test]
    fn a_frame_that_reaches_the_threshold_is_kept() {
        let context = BufferContext { size: Bytes(1000), queues: 1, ..BufferContext::NOMINAL };
        let policy = DynamicThresholds::new(&Config { alpha: 0.5 }, &context);
        let admits = |queued, used| {
            let (queued, used) = (Bytes(queued), Bytes(used));
            policy.admits(&Arriving { bytes: Bytes(100), queued, used })
        };
        assert!(admits(150, 500));
        assert!(!admits(151, 500));
        assert!(!admits(150, 502));
        // More used than there is: nothing is free.
        assert!(!admits(0, 1001));
    }
}
