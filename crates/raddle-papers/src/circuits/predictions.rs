//! Throughput of schedules made from predictions with noise on them, over samples of the noise.
//!
//! The trusts of one sample share its noise, and one linear program is kept for all of a demand.
//! A drawn trust is the mean over the trusts it is drawn from, so that each is solved once.

use super::Answers;
use super::text::DemandText;
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::designs::vermilion::circuits;
use raddle_throughput::designs::vermilion_predictions::VermilionPredictions;
use raddle_throughput::evaluate::Router;
use raddle_throughput::noise::{Noise, Profile, predict};
use raddle_throughput::solve::{Lp, SolveError};

macro_rules! quantities {
    ($($k:literal)*) => {
        &[
            $(Quantity { name: concat!("mean_", $k), doc: "the mean over samples with this trust" },)*
            $(Quantity { name: concat!("least_", $k), doc: "the least sample with this trust" },)*
            $(Quantity { name: concat!("drawn_", $k), doc: "the mean with trusts up to this one, drawn alike" },)*
            $(Quantity { name: concat!("drawn_least_", $k), doc: "the least sample with trusts up to this one, drawn alike" },)*
        ]
    };
}

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "predictions",
    title: "multi-hop throughput of Vermilion with predictions under noise",
    paper: "Addanki, thesis, chapter 9, Figures 9.5 to 9.8; inet-tub/rdcn-throughput @829d756",
    quantities: quantities!(1 2 3 4 5 6 7 8 9 10),
};

/// The most trust.
const MOST: u32 = 10;

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Predictions {
        /// The demand that comes.
        pub demand: DemandText = DemandText("permutation".to_owned());
        /// Nodes of a demand that has no size of its own.
        pub nodes: u32 = 8, in 2..=32;
        /// What the noise does.
        pub noise: Noise = Noise::Additive;
        /// How much noise.
        pub factor: f64 = 0.0, in 0.0..=100.0;
        /// Whose conventions: noise, rounding, which trusts are drawn.
        pub profile: Profile = Profile::Artifact;
        /// Samples of the noise.
        pub samples: u64 = 1, in 1..=10_000;
        /// Which linear program.
        pub lp: Lp = Lp::Correct;
    }
}

impl Predictions {
    /// Throughput of each sample and trust.
    fn solved(&self, seed: u64) -> Result<Vec<Vec<f64>>, SolveError> {
        let truth = self.demand.demand(None, self.nodes, seed).map_err(SolveError)?;
        let mut router = Router::new(&truth, self.lp);
        let design = VermilionPredictions { profile: self.profile, ..Default::default() };
        let trusts = MOST + u32::from(self.profile == Profile::Artifact);
        let nodes = truth.nodes() as u32;
        // Without trust there is the complete graph, whatever is predicted.
        let complete = circuits(&truth, &design.recipe(1, 1), seed, 0);
        let oblivious = router.throughput(&complete.capacity(1.0 / f64::from(nodes)))?;
        let of_sample = |sample: u64| {
            let (noise, factor) = (self.noise, self.factor);
            let predicted = predict(&truth, noise, self.profile, factor, seed, sample);
            let of_trust = |trust: u32| {
                let stream = (sample << 16) | u64::from(trust);
                let circuits = circuits(&predicted, &design.recipe(trust, 1), seed, stream);
                router.throughput(&circuits.capacity(1.0 / f64::from(trust * nodes)))
            };
            let others = (2..=trusts).map(of_trust);
            std::iter::once(Ok(oblivious)).chain(others).collect::<Result<Vec<f64>, SolveError>>()
        };
        (0..self.samples).map(of_sample).collect()
    }
}

impl Answers for Predictions {
    fn check(&self) -> Result<(), String> {
        self.demand.demand(None, self.nodes, 1).map(|_| ())
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let Ok(solved) = self.solved(seed) else {
            return vec![f64::NAN; CARD.quantities.len()];
        };
        let reach = |k: usize| k + usize::from(self.profile == Profile::Artifact);
        let fixed = |row: &Vec<f64>, k: usize| row[k - 1];
        let drawn =
            |row: &Vec<f64>, k: usize| row[..reach(k)].iter().sum::<f64>() / reach(k) as f64;
        let each = |of: &dyn Fn(&Vec<f64>, usize) -> f64| -> (Vec<f64>, Vec<f64>) {
            let of_trust = |k: usize| {
                let values = solved.iter().map(|row| of(row, k));
                let mean = values.clone().sum::<f64>() / solved.len() as f64;
                (mean, values.fold(f64::INFINITY, f64::min))
            };
            (1..=MOST as usize).map(of_trust).unzip()
        };
        let ((mean, least), (drawn, drawn_least)) = (each(&fixed), each(&drawn));
        [mean, least, drawn, drawn_least].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_is_predicted_right_has_its_closed_forms() {
        let demand = DemandText("ring".to_owned());
        let model = Predictions { demand, profile: Profile::Thesis, ..Predictions::default() };
        let values = model.values(1);
        for (place, expected) in [(0, 0.5), (2, 0.833_333), (9, 0.95), (29, 0.853_55)] {
            assert!((values[place] - expected).abs() < 1e-4, "{place}: {}", values[place]);
        }
    }

    #[test]
    fn a_drawn_trust_reaches_one_further_in_the_published_code() {
        let values = Predictions::default().values(1);
        let [one, two] = [values[0], values[1]];
        assert!((values[20] - f64::midpoint(one, two)).abs() < 1e-9);
    }
}
