//! Recycled balls into bins, as the proof and the published script have them: in place.
//!
//! REPS paper, section 5.1, Figures 18 and 20. Bins are output ports. In each round every port
//! loses one ball, if it has one, and as many balls as ports are thrown: the ball of a port that
//! had at least one and fewer than `threshold` returns to that port, every other ball goes to a
//! uniformly random one. The first two rounds are random, and so are all but every `every`-th
//! later one, which models ACKs coalesced at that ratio (Figure 20).
//!
//! Reading: lengths are taken after the throws, since sending and throwing are one step here. Those
//! of [`batched_balls`](super::batched_balls) are taken after the ports have sent, up to 1 less.
//!
//! The paper's text tells another process, with colours: [`super::recycled_colours`]. This one is
//! the one that converges. Figure 18 has 5 ports in the text and 8 in the script.

use super::{Answers, Card, Quantity, mean, percentile};
use raddle_schemes::rng::Rng;

/// What `raddle theory recycled_balls` says.
pub const CARD: Card = Card {
    name: "recycled_balls",
    title: "the fullest port when balls return to where they were served",
    paper: "Bonato et al., REPS, EuroSys 2026, section 5.1, Figures 18 and 20, in-place reading",
    quantities: &[
        Quantity {
            name: "max_packets",
            doc: "the fullest port after the last round, mean of all trials",
        },
        Quantity { name: "mean_packets", doc: "the mean port then" },
        Quantity {
            name: "within_threshold",
            doc: "share of trials in which no port exceeds the threshold then",
        },
        Quantity {
            name: "peak_p95_packets",
            doc: "the fullest port of all rounds, not exceeded in 95 % of the trials",
        },
        Quantity {
            name: "settled_p95_rounds",
            doc: "rounds after which no port exceeds the threshold again in 95 % of the trials",
        },
    ],
};

raddle_schemes::parameters! {
    /// What is thrown where.
    pub struct RecycledBalls {
        /// Output ports, and balls per round.
        pub ports: u32 = 8, in 1..=65_536;
        /// A ball returns to a port that held fewer than this.
        pub threshold: u32 = 5, in 1..;
        /// Rounds of sending and throwing.
        pub rounds: u32 = 200, in 1..=10_000_000;
        /// Balls return in every so many-th round only.
        pub every: u32 = 1, in 1..;
        /// Repetitions.
        pub trials: u32 = 2000, in 1..;
    }
}

/// What came of one trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// The fullest port after the last round, in packets.
    pub last: u32,
    /// Packets of all ports together after the last round.
    pub total: u64,
    /// The fullest port after any round, in packets.
    pub peak: u32,
    /// Rounds up to the last after which a port exceeded the threshold.
    pub settled: u32,
}

impl RecycledBalls {
    /// All trials, in order.
    pub fn draw(&self, seed: u64) -> Vec<Trial> {
        (0..self.trials).map(|trial| self.trial(seed, trial)).collect()
    }

    fn trial(&self, seed: u64, trial: u32) -> Trial {
        let mut rng = Rng::new(seed, "recycled balls", u64::from(trial));
        let mut queue = vec![0u32; self.ports as usize];
        let mut next = queue.clone();
        let mut found = Trial::default();
        for round in 0..self.rounds {
            let recycles = round >= 2 && round % self.every == 0;
            next.copy_from_slice(&queue);
            for (port, &length) in queue.iter().enumerate() {
                next[port] -= u32::from(length > 0);
                let returns = recycles && (1..self.threshold).contains(&length);
                let to = if returns { port } else { rng.below(u64::from(self.ports)) as usize };
                next[to] += 1;
            }
            std::mem::swap(&mut queue, &mut next);
            found.last = queue.iter().copied().max().unwrap_or(0);
            found.peak = found.peak.max(found.last);
            if found.last > self.threshold {
                found.settled = round + 1;
            }
        }
        found.total = queue.iter().copied().map(u64::from).sum();
        found
    }
}

impl Answers for RecycledBalls {
    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.rounds) * f64::from(self.ports)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let trials = self.draw(seed);
        let each = |of: fn(&Trial) -> u32| -> Vec<f64> {
            trials.iter().map(|trial| f64::from(of(trial))).collect()
        };
        let total: u64 = trials.iter().map(|trial| trial.total).sum();
        let within = trials.iter().filter(|trial| trial.last <= self.threshold).count();
        vec![
            mean(&each(|trial| trial.last)),
            total as f64 / trials.len() as f64 / f64::from(self.ports),
            within as f64 / trials.len() as f64,
            percentile(&each(|trial| trial.peak), 0.95),
            percentile(&each(|trial| trial.settled), 0.95),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// REPS spec, section 5.2 and acceptance 19: 8 ports, a threshold of 5, 200 rounds.
    #[test]
    fn recycled_every_round_queues_settle_at_the_threshold() {
        let [last, _, within, peak, settled] = Answers::values(&RecycledBalls::default(), 1)[..]
        else {
            panic!("five quantities")
        };
        assert!((last / 3.8 - 1.0).abs() < 0.1, "{last}");
        assert!(within >= 0.95, "{within}");
        assert_eq!(peak, 6.0);
        assert!(settled <= 16.0, "{settled}");
    }

    /// REPS spec, section 5.2, Figure 20: the more seldom, the nearer to random spraying.
    #[test]
    fn the_more_seldom_balls_return_the_longer_the_queues() {
        let mut before = 0.0;
        for (every, expected) in [(1, 3.8), (2, 8.6), (4, 15.6), (8, 20.4), (16, 22.7), (201, 25.8)]
        {
            let found = Answers::values(&RecycledBalls { every, ..Default::default() }, 1)[0];
            assert!((found / expected - 1.0).abs() < 0.1, "{every}: {found}");
            assert!(found > before, "{every}: {found}");
            before = found;
        }
    }

    /// Once every port holds between one ball and the threshold, each ball returns.
    #[test]
    fn a_settled_state_stays() {
        let short = RecycledBalls { trials: 200, ..Default::default() };
        let long = RecycledBalls { rounds: 2000, ..short.clone() };
        for (short, long) in short.draw(3).iter().zip(long.draw(3)) {
            assert!(short.settled > 150 || short.settled == long.settled, "{short:?} {long:?}");
        }
    }
}
