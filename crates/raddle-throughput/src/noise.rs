//! Predictions: a demand with noise on it.

use crate::demand::{Demand, pattern};
use raddle_schemes::rng::Rng;

raddle_schemes::words! {
    /// How a prediction differs from the demand.
    pub enum Noise {
        /// Not at all.
        None = "none",
        /// A normal number is added to each entry: zeros become demand, too.
        Additive = "additive",
        /// Each entry is multiplied by a normal number: zeros stay.
        Multiplicative = "multiplicative",
    }
}

raddle_schemes::words! {
    /// Whose conventions.
    pub enum Profile {
        /// The chapter's text: a standard deviation of f/10 of the largest entry, or of 1 where it
        /// multiplies; negative entries become 0.
        Thesis = "thesis",
        /// The published code: a standard deviation of f/9 of 4/3 of a node's capacity; a factor
        /// is kept within 0.1 and 2; then rows and columns are balanced.
        Artifact = "artifact",
    }
}

/// How often rows and columns are balanced at most, as in the published code.
const ROUNDS: usize = 10_000;

/// A prediction of the demand: noise of factor `f`, of which each `sample` has its own; the same
/// sample of another factor is the same noise, stretched.
pub fn predict(
    demand: &Demand,
    noise: Noise,
    profile: Profile,
    f: f64,
    seed: u64,
    sample: u64,
) -> Demand {
    let truth = demand.normalised();
    let nodes = truth.nodes();
    let mut rng = Rng::new(seed, "prediction", sample);
    let normals: Vec<f64> = (0..nodes * nodes).map(|_| normal(&mut rng)).collect();
    let largest = truth.pairs().map(|(_, _, rate)| rate).fold(0.0, f64::max);
    let sigma = match (profile, noise) {
        (Profile::Artifact, _) => f * 4.0 / 27.0,
        (Profile::Thesis, Noise::Multiplicative) => f / 10.0,
        (Profile::Thesis, _) => f / 10.0 * largest,
    };
    let (least, most) = match profile {
        Profile::Thesis => (0.0, f64::INFINITY),
        Profile::Artifact => (0.1, 2.0),
    };
    let noisy = Demand::of(nodes, |from, to| {
        let (rate, normal) = (truth.rate(from, to), normals[from * nodes + to]);
        match noise {
            Noise::None => rate,
            Noise::Additive => (rate + sigma * normal).max(0.0),
            Noise::Multiplicative => rate * (1.0 + sigma * normal).clamp(least, most),
        }
    });
    // Noise that leaves nothing says nothing: all pairs alike.
    let noisy = if noisy.largest_sum() > 0.0 { noisy } else { pattern::uniform(nodes) };
    match profile {
        Profile::Thesis => noisy.normalised(),
        Profile::Artifact => noisy.balanced(ROUNDS).normalised(),
    }
}

/// A standard normal number (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.unit()));
    radius * libm::cos(std::f64::consts::TAU * rng.unit())
}

/// The share of demand that is predicted in the wrong place: 0 of the same, 1 of disjoint demands
/// whose nodes are all busy.
pub fn error_total(predicted: &Demand, truth: &Demand) -> f64 {
    let (predicted, truth) = (predicted.normalised(), truth.normalised());
    let nodes = truth.nodes();
    let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
    let off = pairs.map(|(i, j)| (predicted.rate(i, j) - truth.rate(i, j)).abs());
    off.sum::<f64>() / (2.0 * nodes as f64)
}

/// The greatest share of a pair's demand that is not predicted. Single-hop throughput of a schedule
/// for the prediction is at least (1 - this) (gamma - 1) / gamma.
pub fn error_under(predicted: &Demand, truth: &Demand) -> f64 {
    let (predicted, truth) = (predicted.normalised(), truth.normalised());
    let missed = truth.pairs().map(|(i, j, rate)| 1.0 - predicted.rate(i, j) / rate);
    missed.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplicative_noise_keeps_every_zero() {
        for seed in 0..50 {
            let truth = pattern::find("random").unwrap().demand(6, 0.0, seed);
            let truth = Demand::of(6, |i, j| if (i + j) % 3 == 0 { 0.0 } else { truth.rate(i, j) });
            for profile in [Profile::Thesis, Profile::Artifact] {
                let predicted = predict(&truth, Noise::Multiplicative, profile, 10.0, seed, 0);
                for (i, j, _) in predicted.pairs() {
                    assert!(truth.rate(i, j) > 0.0, "{seed}");
                }
            }
        }
    }

    #[test]
    fn a_balanced_ring_is_unmoved_by_factors() {
        let ring = pattern::shift(16, 8);
        let noise = Noise::Multiplicative;
        let predicted = predict(&ring, noise, Profile::Artifact, 9.0, 1, 0);
        assert!(error_total(&predicted, &ring) < 1e-9);
        let predicted = predict(&ring, noise, Profile::Thesis, 9.0, 1, 0);
        assert!(error_total(&predicted, &ring) > 0.1);
    }

    #[test]
    fn no_noise_is_no_error_and_normal_numbers_are_normal() {
        let ring = pattern::shift(5, 1);
        let predicted = predict(&ring, Noise::Additive, Profile::Thesis, 0.0, 1, 0);
        assert_eq!((error_total(&predicted, &ring), error_under(&predicted, &ring)), (0.0, 0.0));
        assert_eq!(error_total(&pattern::shift(5, 2), &ring), 1.0);
        let mut rng = Rng::new(1, "test", 0);
        let draws: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.01 && (square - 1.0).abs() < 0.02, "{mean} {square}");
    }
}
