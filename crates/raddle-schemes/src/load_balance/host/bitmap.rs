//! BitMap: a penalty counter per entropy, as the REPS paper models STrack.
//!
//! The sender walks its few entropies in a scrambled order and skips those with a penalty; a skip
//! works off one unit. REPS spec, sections 4 (item 7) and 4.1.
//!
//! Reading: the bits above the walked ones are a constant of the flow; here they are 0, since
//! switches hash the flow besides the entropy.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::{Need, Parameter, ParameterError, Raw};
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use serde::Serialize;

/// What `raddle schemes bitmap` says.
pub const CARD: Card = Card {
    name: "bitmap",
    title: "Penalty counters per entropy (BitMap)",
    paper: "Le et al., STrack: A Reliable Multipath Transport for AI/ML Clusters, \
            arXiv:2407.15266 (2024), as modelled by Bonato et al., EuroSys 2026",
    needs: &[Need::Ecn, Need::OutOfOrder],
    summary: "Walks few entropies and skips those that were marked, trimmed or timed out. \
              Remembers bad paths at the price of state per entropy.",
};

/// A power of two, up to the 65 536 values that an entropy can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PowerOfTwo(u32);

impl Parameter for PowerOfTwo {
    const KIND: &'static str = "power of two";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match u32::read(raw) {
            Ok(n) if n.is_power_of_two() && n <= 1 << 16 => Ok(Self(n)),
            _ => Err(ParameterError::Value("expected a power of two, at most 65536".to_string())),
        }
    }
    fn show(&self) -> String {
        self.0.show()
    }
}

/// The highest penalty: a counter has 4 bits.
const MOST: u8 = 15;

crate::parameters! {
    /// Parameters of BitMap.
    pub struct Config {
        /// How many entropy values there are, a power of two.
        pub entropies: PowerOfTwo = PowerOfTwo(256);
        /// Penalty of an entropy whose packet was marked.
        pub marked_penalty: u8 = 1, in 0..=MOST;
        /// Penalty of an entropy whose packet was trimmed.
        pub trimmed_penalty: u8 = 4, in 0..=MOST;
        /// Penalty of an entropy whose packet timed out.
        pub timeout_penalty: u8 = 15, in 0..=MOST;
    }
}

/// One flow's counters and its place in the walk.
#[derive(Clone, Debug, Serialize)]
pub struct Bitmap {
    /// How often each entropy is to be skipped yet.
    penalties: Box<[u8]>,
    /// Steps into the present lap; at its length the next lap begins.
    index: u32,
    /// What the lap's steps are combined with to give entropies.
    scramble: u32,
    marked: u8,
    trimmed: u8,
    timeout: u8,
}

impl Bitmap {
    /// No penalties; the first packet begins a lap.
    pub fn new(config: &Config, _context: &FlowContext) -> Self {
        Self {
            penalties: vec![0; config.entropies.0 as usize].into_boxed_slice(),
            index: config.entropies.0,
            scramble: 0,
            marked: config.marked_penalty,
            trimmed: config.trimmed_penalty,
            timeout: config.timeout_penalty,
        }
    }

    /// Section 4.1, BitMap, step 2. `draw(n)` is uniform below n and scrambles a lap. Of the
    /// candidates passed over for one packet only the first works off a unit of its penalty. After
    /// passing over as many as there are entropies, the walk takes the next, penalised or not.
    fn walk(&mut self, mut draw: impl FnMut(u32) -> u32) -> u32 {
        let count = self.penalties.len() as u32;
        let mut passed = 0;
        loop {
            if self.index == count {
                self.index = 0;
                self.scramble = draw(count);
            }
            let candidate = self.index ^ self.scramble;
            self.index += 1;
            let penalty = &mut self.penalties[candidate as usize];
            if *penalty == 0 || passed == count {
                return candidate;
            }
            if passed == 0 {
                *penalty -= 1;
            }
            passed += 1;
        }
    }
}

impl PathSelector for Bitmap {
    fn probes(&self, to: &mut dyn Probes) {
        let penalised = self.penalties.iter().filter(|penalty| **penalty > 0);
        to.count("penalised", penalised.count() as u64);
    }

    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        Entropy(self.walk(|n| cx.rng.below(u64::from(n)) as u32) as u16)
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    /// Section 4.1, BitMap, step 1.
    #[inline]
    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        let more = match news.fate {
            Fate::Clean | Fate::Overtaken => return,
            Fate::Marked => self.marked,
            Fate::Trimmed => self.trimmed,
            Fate::TimedOut => self.timeout,
        };
        let low_bits = self.penalties.len() - 1;
        let penalty = &mut self.penalties[usize::from(news.path.0) & low_bits];
        *penalty = (*penalty + more).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rng::Rng;
    use crate::units::{Bytes, Time};
    use std::vec::Vec;

    fn of_four() -> Bitmap {
        let context = FlowContext::NOMINAL;
        Bitmap::new(&Config { entropies: PowerOfTwo(4), ..Config::default() }, &context)
    }

    fn news(bitmap: &mut Bitmap, path: u16, fate: Fate) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let zero = Bytes(0);
        let (window_before, window_after, in_flight) = (zero, zero, zero);
        let path = Entropy(path);
        let rtt = None;
        let news = Feedback { path, fate, rtt, window_before, window_after, in_flight };
        bitmap.on_feedback(&mut cx, &news);
    }

    #[test]
    fn a_marked_entropy_is_skipped_once() {
        let mut bitmap = of_four();
        news(&mut bitmap, 1, Fate::Marked);
        assert_eq!([(); 5].map(|()| bitmap.walk(|_| 0)), [0, 2, 3, 0, 1]);
    }

    #[test]
    fn a_timed_out_entropy_is_skipped_15_times() {
        let mut bitmap = of_four();
        news(&mut bitmap, 1, Fate::TimedOut);
        news(&mut bitmap, 1, Fate::TimedOut);
        let picks: Vec<u32> = (0..15 * 3 + 2).map(|_| bitmap.walk(|_| 0)).collect();
        assert_eq!(picks.iter().position(|&pick| pick == 1), Some(15 * 3 + 1));
    }

    #[test]
    fn only_the_first_candidate_passed_over_is_relieved() {
        let mut bitmap = of_four();
        news(&mut bitmap, 1, Fate::Trimmed);
        news(&mut bitmap, 2, Fate::Marked);
        assert_eq!([(); 2].map(|()| bitmap.walk(|_| 0)), [0, 3]);
        assert_eq!(*bitmap.penalties, [0, 3, 1, 0]);
    }

    #[test]
    fn after_a_fruitless_lap_the_walk_takes_the_next_entropy() {
        let mut bitmap = of_four();
        (0..4).for_each(|path| news(&mut bitmap, path, Fate::TimedOut));
        assert_eq!([(); 3].map(|()| bitmap.walk(|_| 0)), [0, 1, 2]);
        assert_eq!(*bitmap.penalties, [14, 14, 14, 15]);
    }

    #[test]
    fn each_lap_visits_every_entropy_in_its_own_order() {
        let mut bitmap = of_four();
        let mut scrambles = [2, 1].into_iter();
        let picks = [(); 8].map(|()| bitmap.walk(|_| scrambles.next().unwrap()));
        assert_eq!(picks, [2, 3, 0, 1, 1, 0, 3, 2]);
    }

    #[test]
    fn counts_that_are_no_power_of_two_are_refused() {
        assert!(PowerOfTwo::read(Raw::Integer(100)).is_err());
        assert!(PowerOfTwo::read(Raw::Integer(131_072)).is_err());
        assert_eq!(PowerOfTwo::read(Raw::Integer(32)), Ok(PowerOfTwo(32)));
    }
}
