//! How unevenly a switch's hash spreads all entropy values over its uplinks.
//!
//! REPS paper, section 4.5.2: each flow sends one packet with every entropy value there is. The
//! imbalance is what the most loaded uplink has over the mean, as a share of the mean. The hash is
//! the simulator's own, with a fresh salt for each trial.

use raddle_schemes::ids::SwitchId;
use raddle_schemes::load_balance::switch::SwitchContext;
use raddle_schemes::load_balance::switch::ecmp::{Config, Ecmp};
use raddle_schemes::rng::stream;

/// What is thrown where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadImbalance {
    /// Ports to choose from.
    pub uplinks: u32,
    /// Flows, each with a key of its own.
    pub flows: u32,
    /// Entropy values per flow, from 0; at most 65 536.
    pub entropies: u32,
    /// Switches, each with a salt of its own.
    pub trials: u32,
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
            &SwitchContext { switch: SwitchId(trial), edge: true, pod: 0, stream },
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

#[cfg(test)]
mod tests {
    use super::*;

    /// REPS spec, section 5.1: means over many trials with ideal hashing.
    #[test]
    fn the_hash_spreads_as_evenly_as_chance() {
        for (flows, entropies, mean) in
            [(1, 32, 2.52), (1, 256, 0.80), (1, 4096, 0.188), (32, 32, 0.38), (32, 256, 0.131)]
        {
            let model = LoadImbalance { uplinks: 32, flows, entropies, trials: 400 };
            let drawn = model.draw(1);
            let found = drawn.iter().sum::<f64>() / 400.0;
            assert!((found / mean - 1.0).abs() < 0.1, "{flows} {entropies}: {found}");
        }
    }

    #[test]
    fn one_uplink_is_never_uneven() {
        let model = LoadImbalance { uplinks: 1, flows: 3, entropies: 7, trials: 2 };
        assert_eq!(model.draw(9), [0.0, 0.0]);
    }
}
