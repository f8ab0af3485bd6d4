//! Recycled balls into bins, as the REPS paper's text has them: with colours that remember a bin.
//!
//! REPS paper, section 5.1. There are `colours_per_port` colours for each port; each round throws
//! the next batch of as many colours as there are ports, round-robin. First every non-empty port
//! sends its oldest ball: if the port held at most `threshold` balls, the ball's colour remembers
//! the port, unless it remembers one; if more, the colour forgets. Then each colour of the batch
//! throws a ball into the port that it remembers, or into a uniformly random one.
//!
//! Theorem 5.1 says that with n ports, n >= 16, a threshold of at least 4 ln n and at least 2.4 ln n
//! colours per port all colours soon remember a port for good, and that no port ever holds more
//! than O(log n). Neither is so in the process that the text tells, and the proof (appendix B) is of
//! another one:
//!
//! - Rest needs every port remembered by exactly `colours_per_port` colours: a colour throws once in
//!   that many rounds, so that a port with one more grows until it exceeds the threshold and its
//!   colours forget. The proof ends where no port exceeds the threshold, which is not enough.
//! - The proof has at most one ball of a colour queued, as more than `colours_per_port` balls would
//!   have to come to a port in one round. But a ball waits for all that are before it, up to the
//!   threshold, which is greater: nearly every ball thrown has an older one of its colour queued.
//! - The proof's drift is that of [`recycled_balls`](super::recycled_balls), whose balls return to
//!   the port that served them, in the same round. There as many are thrown at random as ports
//!   exceed the threshold or are empty; here as many as colours of the batch remember no port.
//!
//! With the smallest numbers for 16 ports the process stays bounded and does not come to rest in two
//! million rounds; with seven times the colours, which the theorem allows, the fullest port keeps
//! growing, in the end as the square root of time. With a threshold of 400, which leaves room, it
//! comes to rest. Reading: a port's length is taken before it sends; after it, the same holds.

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
        Quantity {
            name: "even",
            doc: "share of trials in which as many colours remember each port in the end",
        },
        Quantity {
            name: "doubled",
            doc: "share of the balls thrown in the second half with an older one of their colour queued",
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
    /// Whether `colours_per_port` colours remember each port in the end.
    pub even: bool,
    /// Balls of the second half of all rounds that were thrown while an older one of their colour was
    /// queued.
    pub doubled: u64,
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
        let mut queued = vec![0u32; colours];
        let mut batch = (0..colours).cycle();
        let (mut found, mut changed) = (Trial::default(), 0);
        for round in 0..self.rounds {
            for (port, queue) in queues.iter_mut().enumerate() {
                let short = queue.len() <= self.threshold as usize;
                let Some(colour) = queue.pop_front() else { continue };
                queued[colour] -= 1;
                let before = remembered[colour];
                remembered[colour] = before.or(Some(port)).filter(|_| short);
                if remembered[colour] != before {
                    changed = round + 1;
                }
            }
            for colour in batch.by_ref().take(ports) {
                let random = || rng.below(ports as u64) as usize;
                found.doubled += u64::from(round >= self.rounds / 2 && queued[colour] > 0);
                queued[colour] += 1;
                queues[remembered[colour].unwrap_or_else(random)].push_back(colour);
            }
            found.last = queues.iter().map(VecDeque::len).max().unwrap_or(0) as u32;
            found.peak = found.peak.max(found.last);
        }
        let mut shares = vec![0u32; ports];
        remembered.iter().flatten().for_each(|&port| shares[port] += 1);
        found.even = shares.iter().all(|&share| share == self.colours_per_port);
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
        let even = trials.iter().filter(|trial| trial.even);
        let doubled: u64 = trials.iter().map(|trial| trial.doubled).sum();
        let thrown = u64::from(self.rounds - self.rounds / 2) * u64::from(self.ports);
        let share = |count: usize| count as f64 / trials.len() as f64;
        vec![
            mean(&last),
            f64::from(peak),
            share(converged.count()),
            share(even.count()),
            doubled as f64 / thrown as f64 / trials.len() as f64,
        ]
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
        let [last, _, converged, even, doubled] = Answers::values(&model, 1)[..] else {
            panic!("five quantities")
        };
        assert!((16.2..=25.3).contains(&last), "{last}");
        assert_eq!((converged, even), (0.0, 0.0));
        // The proof has nearly none.
        assert!(doubled > 0.9, "{doubled}");
    }

    #[test]
    fn at_rest_as_many_colours_remember_each_port() {
        let model = RecycledColours { threshold: 100, ..Default::default() };
        let values = Answers::values(&model, 1);
        assert!(values[2] > 0.5 && values[2] == values[3], "{values:?}");
        // As long as no port has reached the threshold, none forgets, and colours lie as they fell.
        let model = RecycledColours { threshold: 10_000, rounds: 2000, ..Default::default() };
        assert_eq!(Answers::values(&model, 1)[2..4], [1.0, 0.0]);
    }

    /// The theorem sets no upper limit on the colours.
    #[test]
    fn with_many_colours_queues_keep_growing() {
        let short = RecycledColours { colours_per_port: 48, trials: 10, ..Default::default() };
        let long = RecycledColours { rounds: 320_000, ..short.clone() };
        let [short, long] = [short, long].map(|model| Answers::values(&model, 1)[0]);
        assert!((2.0..6.0).contains(&(long / short)), "{short} {long}");
    }
}
