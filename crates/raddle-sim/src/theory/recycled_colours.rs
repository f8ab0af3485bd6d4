//! Recycled balls into bins, as the REPS paper's text has them: with colours that remember a bin.
//!
//! REPS paper, section 5.1. There are `colours_per_port` colours for each port; each round throws
//! the next batch of as many colours as there are ports, round-robin. First every non-empty port
//! sends its oldest ball: if the port held at most `threshold` balls, the ball's colour remembers
//! the port, unless it remembers one; if more, the colour forgets. Then each colour of the batch
//! throws a ball into the port that it remembers, or into a uniformly random one.
//!
//! Theorem 5.1 says that with n ports, n >= 16, a threshold of at least 4 ln n and 2.4 ln n colours
//! per port all colours soon remember a port for good. With the smallest such numbers for 16 ports
//! the process here stays bounded, yet it has not come to rest after 20 000 rounds. The proof's
//! second phase argues about balls that return in place:
//! [`recycled_balls`](super::recycled_balls), which does come to rest.

use super::{Answers, Card, Quantity, mean};
use raddle_schemes::rng::Rng;
use std::collections::VecDeque;

/// What `raddle theory recycled_colours` says.
pub const CARD: Card = Card {
    name: "recycled_colours",
    title: "the fullest port when colours remember where their balls went",
    paper: "Bonato et al., REPS, EuroSys 2026, section 5.1, Theorem 5.1, as the text tells it",
    quantities: &[
        Quantity {
            name: "max_packets",
            doc: "the fullest port after the last round, mean of all trials",
        },
        Quantity { name: "peak_packets", doc: "the fullest port of all rounds and trials" },
        Quantity {
            name: "converged",
            doc: "share of trials in which all colours know a port, unchanged for the last tenth",
        },
    ],
};

raddle_schemes::parameters! {
    /// What is thrown where.
    pub struct RecycledColours {
        /// Output ports, and balls per round.
        pub ports: u32 = 16, in 1..=65_536;
        /// Colours per port.
        pub colours_per_port: u32 = 7, in 1..=65_536;
        /// A port that held more than this makes a colour forget.
        pub threshold: u32 = 12, in 1..;
        /// Rounds of sending and throwing.
        pub rounds: u32 = 20_000, in 1..=10_000_000;
        /// Repetitions.
        pub trials: u32 = 5, in 1..;
    }
}

/// What came of one trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// The fullest port after the last round, in packets.
    pub last: u32,
    /// The fullest port after any round, in packets.
    pub peak: u32,
    /// Rounds up to the last in which a colour remembered or forgot a port; `None` if some colour
    /// remembers none in the end.
    pub settled: Option<u32>,
}

impl RecycledColours {
    /// All trials, in order.
    pub fn draw(&self, seed: u64) -> Vec<Trial> {
        (0..self.trials).map(|trial| self.trial(seed, trial)).collect()
    }

    fn trial(&self, seed: u64, trial: u32) -> Trial {
        let mut rng = Rng::new(seed, "recycled colours", u64::from(trial));
        let ports = self.ports as usize;
        let colours = ports * self.colours_per_port as usize;
        let mut remembered: Vec<Option<usize>> = vec![None; colours];
        let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); ports];
        let mut batch = (0..colours).cycle();
        let (mut found, mut changed) = (Trial::default(), 0);
        for round in 0..self.rounds {
            for (port, queue) in queues.iter_mut().enumerate() {
                let short = queue.len() <= self.threshold as usize;
                let Some(colour) = queue.pop_front() else { continue };
                let before = remembered[colour];
                remembered[colour] = before.or(Some(port)).filter(|_| short);
                if remembered[colour] != before {
                    changed = round + 1;
                }
            }
            for colour in batch.by_ref().take(ports) {
                let random = || rng.below(ports as u64) as usize;
                queues[remembered[colour].unwrap_or_else(random)].push_back(colour);
            }
            found.last = queues.iter().map(VecDeque::len).max().unwrap_or(0) as u32;
            found.peak = found.peak.max(found.last);
        }
        found.settled = remembered.iter().all(Option::is_some).then_some(changed);
        found
    }
}

impl Answers for RecycledColours {
    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.rounds) * f64::from(self.ports)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let trials = self.draw(seed);
        let last: Vec<f64> = trials.iter().map(|trial| f64::from(trial.last)).collect();
        let peak = trials.iter().map(|trial| trial.peak).max().unwrap_or(0);
        let rest = self.rounds - self.rounds / 10;
        let converged = trials.iter().filter(|t| t.settled.is_some_and(|round| round <= rest));
        vec![mean(&last), f64::from(peak), converged.count() as f64 / trials.len() as f64]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// REPS spec, section 5.2: not at rest after 20 000 rounds in any of 5 trials, a fullest port
    /// of 18 to 23 then, and of at most 30 at any time (here 10 % more).
    #[test]
    fn colours_keep_queues_bounded_but_do_not_come_to_rest() {
        let model = RecycledColours::default();
        let trials = model.draw(1);
        assert!(trials.iter().all(|trial| trial.peak <= 33), "{trials:?}");
        let [last, _, converged] = Answers::values(&model, 1)[..] else {
            panic!("three quantities")
        };
        assert!((16.2..=25.3).contains(&last), "{last}");
        assert_eq!(converged, 0.0);
    }

    #[test]
    fn with_room_for_every_ball_colours_come_to_rest() {
        let model = RecycledColours { threshold: 10_000, rounds: 2000, ..Default::default() };
        assert_eq!(Answers::values(&model, 1)[2], 1.0);
    }
}
