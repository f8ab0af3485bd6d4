//! How unevenly a switch's hash spreads all entropy values over its uplinks.
//!
//! REPS paper, section 4.5.2, Figure 14: each flow sends one packet with every entropy value there
//! is. The imbalance is what the most loaded uplink has over the mean, as a share of the mean. The
//! hash is the simulator's own, with a fresh salt for each trial.

use super::{Answers, Card, Quantity, mean, percentile};
use raddle_schemes::ids::SwitchId;
use raddle_schemes::load_balance::switch::SwitchContext;
use raddle_schemes::load_balance::switch::ecmp::{Config, Ecmp};
use raddle_schemes::rng::stream;

/// What `raddle theory load_imbalance` says.
pub const CARD: Card = Card {
    name: "load_imbalance",
    title: "how unevenly a switch hashes all entropy values onto its uplinks",
    paper: "Bonato et al., REPS, EuroSys 2026, section 4.5.2, Figure 14",
    quantities: &[
        Quantity { name: "mean", doc: "what the fullest uplink has over the mean, as its share" },
        Quantity { name: "p5", doc: "below this in 5 % of the trials" },
        Quantity { name: "p95", doc: "below this in 95 % of the trials" },
    ],
};

raddle_schemes::parameters! {
    /// What is thrown where.
    pub struct LoadImbalance {
        /// Ports to choose from.
        pub uplinks: u32 = 32, in 1..=65_536;
        /// Flows, each with a key of its own.
        pub flows: u32 = 1, in 1..=65_536;
        /// Entropy values per flow, from 0.
        pub entropies: u32 = 65_536, in 1..=65_536;
        /// Switches, each with a salt of its own.
        pub trials: u32 = 200, in 1..;
    }
}

impl LoadImbalance {
    /// The imbalance at each of the switches, in the order of their numbers.
    pub fn draw(&self, seed: u64) -> Vec<f64> {
        (0..self.trials).map(|trial| self.trial(seed, trial)).collect()
    }

    fn trial(&self, seed: u64, trial: u32) -> f64 {
        let stream = stream(seed, "load imbalance", u64::from(trial));
        let hash = Ecmp::new(
            &Config {},
            &SwitchContext { switch: SwitchId(trial), edge: true, pod: Some(0), stream },
        );
        let mut load = vec![0u32; self.uplinks as usize];
        for flow in 0..self.flows {
            for entropy in 0..self.entropies {
                load[hash.pick(flow, entropy as u16, self.uplinks as usize)] += 1;
            }
        }
        let most = f64::from(load.into_iter().max().unwrap_or(0));
        let packets = f64::from(self.flows) * f64::from(self.entropies);
        most / (packets / f64::from(self.uplinks)) - 1.0
    }
}

impl Answers for LoadImbalance {
    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.flows) * f64::from(self.entropies)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let drawn = self.draw(seed);
        vec![mean(&drawn), percentile(&drawn, 0.05), percentile(&drawn, 0.95)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// REPS spec, section 5.1: means over many trials with ideal hashing.
    #[test]
    fn the_hash_spreads_as_evenly_as_chance() {
        for (flows, entropies, expected) in [
            (1, 32, 2.52),
            (1, 256, 0.80),
            (1, 1024, 0.38),
            (1, 4096, 0.188),
            (32, 32, 0.38),
            (32, 64, 0.267),
            (32, 256, 0.131),
            (32, 1024, 0.065),
        ] {
            let model = LoadImbalance { uplinks: 32, flows, entropies, trials: 400 };
            let found = mean(&model.draw(1));
            assert!((found / expected - 1.0).abs() < 0.1, "{flows} {entropies}: {found}");
        }
    }

    /// REPS spec, section 5.1: 5 and 95 % of the trials.
    #[test]
    fn the_imbalance_spreads_as_by_chance() {
        for (flows, entropies, low, high) in [(1, 256, 0.50, 1.13), (32, 256, 0.09, 0.18)] {
            let model = LoadImbalance { uplinks: 32, flows, entropies, trials: 1000 };
            let [_, p5, p95] = Answers::values(&model, 1)[..] else { panic!() };
            assert!((p5 / low - 1.0).abs() < 0.1, "{p5}");
            assert!((p95 / high - 1.0).abs() < 0.1, "{p95}");
        }
    }

    #[test]
    fn one_uplink_is_never_uneven() {
        let model = LoadImbalance { uplinks: 1, flows: 3, entropies: 7, trials: 2 };
        assert_eq!(model.draw(9), [0.0, 0.0]);
    }
}
