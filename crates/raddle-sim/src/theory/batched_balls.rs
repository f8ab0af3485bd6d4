//! Oblivious packet spraying as batched balls into bins.
//!
//! REPS paper, section 5.1, Figures 17 and 18: bins are output ports. In each round as many balls
//! as ports are thrown, each to a uniformly random port, and then every port that has something
//! loses one unit. A ball weighs `load`, so that ports are offered that share of what they can
//! send. Below a load of 1 the fullest port stays at O(log(n / (1 - load)) / (1 - load)) whatever
//! the time; at 1 it grows with the square root of the time.
//!
//! Reading: lengths are taken at the end of a round, after the ports have sent.

use super::{Answers, Card, Quantity};
use raddle_schemes::rng::Rng;

/// What `raddle theory batched_balls` says.
pub const CARD: Card = Card {
    name: "batched_balls",
    title: "the fullest port under oblivious packet spraying",
    paper: "Bonato et al., REPS, EuroSys 2026, section 5.1, Figure 17",
    quantities: &[
        Quantity {
            name: "max_packets",
            doc: "the fullest port after the last round, mean of all trials",
        },
        Quantity {
            name: "growth",
            doc: "exponent with which the fullest port grows with time, over the last nine tenths",
        },
    ],
};

raddle_schemes::parameters! {
    /// What is thrown where.
    pub struct BatchedBalls {
        /// Output ports, and balls per round.
        pub ports: u32 = 32, in 1..=65_536;
        /// Weight of a ball: offered load over capacity.
        pub load: f64 = 0.99, in 0.0..=1.0;
        /// Rounds of throwing and sending.
        pub rounds: u32 = 1000, in 10..=10_000_000;
        /// Repetitions that are averaged.
        pub trials: u32 = 500, in 1..;
    }
}

impl BatchedBalls {
    /// The fullest port after each round, in packets: the mean of all trials.
    pub fn draw(&self, seed: u64) -> Vec<f64> {
        let mut fullest = vec![0.0; self.rounds as usize];
        for trial in 0..self.trials {
            let mut rng = Rng::new(seed, "batched balls", u64::from(trial));
            let mut queue = vec![0.0f64; self.ports as usize];
            for sum in &mut fullest {
                for _ in 0..self.ports {
                    queue[rng.below(u64::from(self.ports)) as usize] += self.load;
                }
                let mut most = 0.0f64;
                for length in &mut queue {
                    *length = (*length - 1.0).max(0.0);
                    most = most.max(*length);
                }
                *sum += most;
            }
        }
        for sum in &mut fullest {
            *sum /= f64::from(self.trials);
        }
        fullest
    }
}

impl Answers for BatchedBalls {
    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.rounds) * f64::from(self.ports)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let curve = self.draw(seed);
        vec![curve.last().copied().unwrap_or(0.0), growth(&curve)]
    }
}

/// The slope of `curve` over time on logarithmic scales, by least squares over the last nine
/// tenths; 0 where the curve is.
fn growth(curve: &[f64]) -> f64 {
    let late = curve.iter().enumerate().skip(curve.len() / 10);
    let points: Vec<(f64, f64)> = late
        .filter(|(_, length)| **length > 0.0)
        .map(|(round, length)| (libm::log(round as f64 + 1.0), libm::log(*length)))
        .collect();
    let n = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    if variance > 0.0 { covariance / variance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(ports: u32, load: f64, rounds: u32, trials: u32) -> BatchedBalls {
        BatchedBalls { ports, load, rounds, trials }
    }

    /// REPS spec, section 5.2, Figure 17: after rounds 50 and 1000, means of many trials.
    #[test]
    fn the_fullest_port_grows_with_the_ports_and_the_time() {
        for (ports, early, late) in [
            (4, 8.8, 34.8),
            (8, 11.6, 46.4),
            (16, 14.0, 56.1),
            (32, 16.2, 64.7),
            (64, 18.2, 74.0),
            (128, 19.9, 79.9),
        ] {
            let curve = model(ports, 0.99, 1000, 8000 / ports).draw(1);
            for (found, expected) in [(curve[49], early), (curve[999], late)] {
                assert!((found / expected - 1.0).abs() < 0.1, "{ports}: {found}, {expected}");
            }
        }
    }

    /// REPS spec, section 5.2: without recycling, at round 200 and full load.
    #[test]
    fn at_full_load_the_fullest_port_is_known_at_round_200() {
        for (ports, expected) in [(5, 21.7), (8, 25.8)] {
            let found = Answers::values(&model(ports, 1.0, 200, 3000), 1)[0];
            assert!((found / expected - 1.0).abs() < 0.1, "{ports}: {found}");
        }
    }

    /// REPS spec, acceptance 19.
    #[test]
    fn at_full_load_queues_grow_with_the_square_root_of_time() {
        for ports in [4, 16, 64] {
            let found = growth(&model(ports, 1.0, 1000, 400).draw(1));
            assert!((found - 0.5).abs() < 0.05, "{ports}: {found}");
        }
    }

    /// REPS paper, section 5.1: stable below full load.
    #[test]
    fn below_full_load_queues_stop_growing() {
        let curve = model(16, 0.9, 2000, 100).draw(1);
        assert!(growth(&curve).abs() < 0.08, "{}", growth(&curve));
        assert!(curve[1999] < libm::log(16.0 / 0.1) / 0.1, "{}", curve[1999]);
    }
}
