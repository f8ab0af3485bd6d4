//! Dynamic thresholds: no queue may hold more than a share of what is free.
//!
//! Choudhury and Hahne: a queue of length q takes a frame of s bytes if q + s <= alpha (B - Q), with
//! Q of the B bytes of memory used. Some memory always stays free, so that a queue that begins to
//! fill finds room. The thesis has the rule as its baseline (chapter 4, equation 4.6).

use super::classes::{Alpha, Alphas, PerClass};
use super::{Admission, Arriving, BufferContext, BufferPolicy, Candidate, MemoryView};
use crate::units::Bytes;
use crate::{Card, SwitchCx};
use alloc::string::String;

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
        /// The most that a queue may hold, over what is free; a list has one for each data class.
        pub alpha: PerClass<Alpha> = PerClass::All(Alpha(1.0));
    }
}

/// One switch's thresholds: all queues of a class have the same.
#[derive(Clone, Debug)]
pub struct DynamicThresholds {
    alpha: Alphas,
    /// Whether classes differ. The parameters say so, whatever the classes of this switch.
    differ: bool,
    size: u64,
}

impl DynamicThresholds {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let alpha = Alphas::of(&config.alpha, context.data_classes());
        let first = config.alpha.of(0);
        let differ = config.alpha.any(|own| own != first);
        Self { alpha, differ, size: context.size.0 }
    }
}

impl BufferPolicy for DynamicThresholds {
    /// With alphas of their own, classes have to be told apart.
    fn sees_switch(&self) -> bool {
        self.differ
    }

    #[inline]
    fn admits(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        frame.queued.0 + frame.bytes.0 <= (self.alpha.most() * free as f64) as u64
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        self.alpha.misfit(frame, self.size)
    }

    fn may_refuse(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        frame.queued.0 + frame.bytes.0 > (self.alpha.least() * free as f64) as u64
    }

    fn admit(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        let threshold = self.alpha.at(frame.queue.class) * memory.free().0 as f64;
        let queued = memory.queues[memory.place(frame.queue)];
        match queued + frame.bytes.0 <= threshold as u64 {
            true => Admission::Keep,
            false => Admission::Refuse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::*;

    const SIZE: u64 = 3_932_160;

    /// Where `queues` queues stop growing that each get a byte in turn, and what they hold then.
    fn fixed_point(alpha: f64, queues: usize) -> u64 {
        let nominal = BufferContext::NOMINAL;
        let context = BufferContext { size: Bytes(SIZE), queues: queues as u32, ..nominal };
        let policy =
            DynamicThresholds::new(&Config { alpha: PerClass::All(Alpha(alpha)) }, &context);
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
        let policy = DynamicThresholds::new(&Config { alpha: PerClass::All(Alpha(0.5)) }, &context);
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

    #[test]
    fn classes_have_alphas_of_their_own() {
        // B = 3,000, nothing leaves. The second class ends at 0.5 (3,000 - 1,500), where both hold 750,
        // the first at 3,000 - 750 - 1,125.
        let context =
            BufferContext { size: Bytes(3_000), queues: 2, ports: 1, ..BufferContext::NOMINAL };
        let config =
            |alphas: [f64; 2]| Config { alpha: PerClass::Each(alphas.map(Alpha).to_vec()) };
        let policy = DynamicThresholds::new(&config([1.0, 0.5]), &context);
        assert!(policy.sees_switch());
        let mut bench = Bench::new(policy, 3_000, 1, 2);
        let mut held = [0; 2];
        for _ in 0..3_000 {
            for class in [0, 1] {
                held[class as usize] += u32::from(bench.arrive(0, class, 0, 1));
            }
        }
        assert!(held == [1_125, 750], "{held:?}");
        let few = DynamicThresholds::new(&config([1.0, 0.001]), &context);
        assert_eq!(few.misfit(Bytes(30)).unwrap().0, "alpha");
        assert!(!DynamicThresholds::new(&config([0.5; 2]), &context).sees_switch());
    }
}
