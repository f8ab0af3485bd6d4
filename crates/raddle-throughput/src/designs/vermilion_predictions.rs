//! Vermilion with predictions (Addanki et al., thesis chapter 9): the schedule is made from a
//! prediction, of which only a part is trusted.
//!
//! Of k complete graphs' worth of circuits, l are the complete graph itself; trust is k/l, and below
//! 2 there is only the complete graph (Algorithm 7). `chances` other than `one` draw the trust r
//! from 1 to k (Algorithm 8): all schedules come with their chances, and results are expectations.
//!
//! Readings: multi-hop routing over the complete graph is what makes it robust; the loop of the
//! printed Algorithm 8 is as long as the drawn graph's degree, r n.

use super::vermilion::{Recipe, Spare, circuits, schedule};
use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::bounds;
use crate::demand::Demand;
use crate::noise::{Noise, Profile, predict};
use crate::order::Order;
use crate::rounding::Rounding;
use raddle_circuits::circuits::Circuits;
use raddle_schemes::family::Conflict;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "vermilion_predictions",
    title: "Vermilion with predictions",
    paper: "Addanki et al., Vermilion with predictions, thesis chapter 9",
    summary: "Built for a prediction that may be wrong: trust k/l weighs what a right one gives \
              against what a wrong one leaves. Choose a low trust for demand that changes.",
};

raddle_schemes::words! {
    /// How the trust is drawn.
    pub enum Chances {
        /// It is k/l.
        One = "one",
        /// From 1 to k, all alike (Corollary 2).
        Uniform = "uniform",
        /// 1 or k, with the consistency that `uniform` has: the most robust mixture.
        TwoPoints = "two_points",
        /// From 1 to k + 1, all alike: what the published code draws.
        Artifact = "artifact",
    }
}

raddle_schemes::parameters! {
    /// Parameters.
    pub struct VermilionPredictions with fabric: Fabric {
        /// Circuits of a node in a period, in complete graphs.
        pub k: u32 = 3, in 1..=256;
        /// Of these, complete graphs: trust is k/l.
        pub l: u32 = 1, in 1..=256;
        /// How the trust is drawn.
        pub chances: Chances = Chances::One;
        /// Which legal rounding of the prediction; profile `artifact` rounds down.
        pub rounding: Rounding = Rounding::Any;
        /// Whose conventions: the chapter's or the published code's.
        pub profile: Profile = Profile::Thesis;
        /// Noise on the demand that is predicted.
        pub noise: Noise = Noise::None;
        /// How much noise: the factor f.
        pub factor: f64 = 0.0, in 0.0..=100.0;
        /// Which sample of the noise.
        pub sample: u64 = 0;
        /// The order of matchings in the period.
        pub order: Order = Order::Spread;
    }
    conflicts by conflicts
}

fn conflicts(own: &VermilionPredictions) -> Vec<Conflict> {
    if own.l > own.k { vec![Conflict::Exceeds("l", "k")] } else { Vec::new() }
}

impl VermilionPredictions {
    /// How circuits are chosen with trust k/l.
    pub fn recipe(&self, k: u32, l: u32) -> Recipe {
        match self.profile {
            Profile::Thesis => {
                let rounding = self.rounding;
                Recipe { k, l, rounding, self_loops: true, spare: Spare::Random }
            }
            Profile::Artifact => {
                let rounding = Rounding::Floor;
                Recipe { k, l, rounding, self_loops: false, spare: Spare::Artifact }
            }
        }
    }

    /// What is predicted of this demand.
    pub fn prediction(&self, demand: &Demand, seed: u64) -> Demand {
        predict(demand, self.noise, self.profile, self.factor, seed, self.sample)
    }

    /// Chance, k and l of each schedule.
    pub fn draws(&self) -> Vec<(f64, u32, u32)> {
        let chances = match self.chances {
            Chances::One => return vec![(1.0, self.k, self.l)],
            Chances::Uniform => bounds::uniform(self.k),
            Chances::TwoPoints => {
                bounds::two_points(self.k, bounds::mixture(&bounds::uniform(self.k)).0)
            }
            Chances::Artifact => bounds::uniform(self.k + 1),
        };
        (1..).zip(chances).filter(|(_, chance)| *chance > 0.0).map(|(r, c)| (c, r, 1)).collect()
    }
}

/// The complete graph is played as n matchings, not k n, whatever k and l are.
fn whole_period(circuits: Circuits) -> Circuits {
    let nodes = circuits.nodes();
    if circuits.degree() == Some(nodes as u32 - 1) {
        return Circuits::complete(nodes, 1, true);
    }
    circuits
}

impl Makes for VermilionPredictions {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        if self.l > self.k {
            return refuse(format!("l is {}, and k is {}; expected at most k", self.l, self.k));
        }
        if self.chances != Chances::One && self.l != 1 {
            return refuse(format!("l is {}; a drawn trust has l = 1", self.l));
        }
        let predicted = self.prediction(demand, seed);
        let mut plan = Plan::default();
        let mut wait = 0.0_f64;
        let mut consistent = 0.0;
        for (chance, k, l) in self.draws() {
            let recipe = self.recipe(k, l);
            let circuits =
                whole_period(circuits(&predicted, &recipe, seed, stream(self.sample, k)));
            let Some(degree) = circuits.degree() else {
                return refuse("the published code left ends that no circuit joins; try a seed");
            };
            plan.notes.extend(self.fabric.idle_note(degree as usize));
            let schedule = schedule(&circuits, &self.fabric, self.order, seed)?;
            wait = wait.max(schedule.longest_wait().as_us());
            consistent += chance * bounds::consistency(f64::from(k) / f64::from(l));
            plan.schedules.push((chance, schedule));
        }
        plan.delay_us = Some(wait);
        let holds = self.noise == Noise::None && self.profile == Profile::Thesis;
        plan.bound = (holds && plan.notes.is_empty()).then_some(consistent);
        Ok(plan)
    }
}

/// The stream of what is drawn for trust k and a sample of noise.
pub(crate) fn stream(sample: u64, k: u32) -> u64 {
    (sample << 16) | u64::from(k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::{multi_hop, single_hop};

    fn near(found: f64, expected: f64, room: f64) {
        assert!((found - expected).abs() <= room, "{found} {expected}");
    }

    fn capacity(predicted: &Demand, k: u32, l: u32) -> raddle_circuits::circuits::Capacity {
        let design = VermilionPredictions::default();
        let circuits = circuits(predicted, &design.recipe(k, l), 1, 0);
        let degree = circuits.degree().unwrap();
        circuits.capacity(1.0 / f64::from(degree))
    }

    #[test]
    fn a_ring_that_is_predicted_right_follows_its_closed_forms() {
        let ring = pattern::shift(8, 1);
        for (gamma, multi, single) in [
            (1, 0.5, 0.125),
            (2, 0.75, 0.5625),
            (3, 0.833_333_3, 0.708_333_3),
            (5, 0.9, 0.825),
            (10, 0.95, 0.9125),
        ] {
            let capacity = capacity(&ring, gamma, 1);
            near(multi_hop(&capacity, &ring).unwrap(), multi, 1e-6);
            near(single_hop(&capacity, &ring), single, 1e-6);
        }
    }

    #[test]
    fn adversarial_truths_take_what_the_table_says() {
        for (nodes, gamma, reverse, uniform) in [
            (4, 3, (0.0833, 0.3889), (0.25, 0.5833)),
            (6, 3, (0.0556, 0.3), (0.2778, 0.5)),
            (8, 2, (0.0625, 0.3214), (0.4375, 0.5625)),
            (8, 3, (0.0417, 0.2619), (0.2917, 0.4583)),
            (8, 10, (0.0125, 0.1786), (0.0875, 0.3125)),
        ] {
            let capacity = capacity(&pattern::shift(nodes, 1), gamma, 1);
            let truths =
                [(pattern::shift(nodes, nodes - 1), reverse), (pattern::uniform(nodes), uniform)];
            for (truth, (single, multi)) in truths {
                near(single_hop(&capacity, &truth), single, 1e-4);
                let found = multi_hop(&capacity, &truth).unwrap();
                near(found, multi, 1e-4);
                assert!(found >= bounds::robustness(f64::from(gamma)) - 1e-9);
            }
        }
    }

    #[test]
    fn trust_below_two_is_the_complete_graph_with_n_matchings() {
        let design = VermilionPredictions {
            k: 3,
            l: 2,
            fabric: Fabric { uplinks: 1, ..Fabric::default() },
            ..VermilionPredictions::default()
        };
        let plan = design.plan(&pattern::shift(8, 1), 1).unwrap();
        assert_eq!(plan.schedules[0].1.period_slots(), 8);
        assert_eq!(plan.schedules[0].1.circuits(), Circuits::complete(8, 1, true));
    }

    #[test]
    fn two_complete_graphs_of_six_leave_four_to_the_prediction() {
        let design = VermilionPredictions { k: 6, l: 2, ..VermilionPredictions::default() };
        let plan = design.plan(&pattern::shift(8, 1), 1).unwrap();
        let schedule = &plan.schedules[0].1;
        let circuits = schedule.circuits();
        assert_eq!((circuits.degree(), schedule.period_slots()), (Some(48), 12));
        assert!((0..8).all(|from| circuits.row(from).iter().all(|count| *count >= 2)));
        assert_eq!(circuits.count(0, 1), 34);
    }

    #[test]
    fn equal_trust_has_equal_throughput_where_nothing_is_rounded() {
        let ring = pattern::shift(8, 1);
        for (k, l, single, multi) in [
            (3, 1, 0.708_333_3, 0.833_333_3),
            (6, 2, 0.708_333_3, 0.833_333_3),
            (9, 3, 0.708_333_3, 0.833_333_3),
            (5, 2, 0.65, 0.8),
            (7, 3, 0.625, 0.785_714_3),
        ] {
            let capacity = capacity(&ring, k, l);
            near(single_hop(&capacity, &ring), single, 1e-6);
            near(multi_hop(&capacity, &ring).unwrap(), multi, 1e-6);
        }
    }

    #[test]
    fn any_prediction_keeps_the_robust_part_and_a_right_one_the_consistent_part() {
        for seed in 0..500 {
            let nodes = 3 + seed as usize % 6;
            let random = |seed| pattern::find("random").unwrap().demand(nodes, 0.0, seed);
            let (predicted, truth) = (random(seed), random(seed + 1000));
            let (k, l) = [(2, 1), (5, 2), (3, 1), (5, 1)][seed as usize % 4];
            let gamma = f64::from(k) / f64::from(l);
            let capacity = capacity(&predicted, k, l);
            assert!(single_hop(&capacity, &predicted) >= bounds::consistency(gamma) - 1e-9);
            let multi = multi_hop(&capacity, &truth).unwrap();
            assert!(multi >= bounds::robustness(gamma) - 1e-9, "{seed}");
            let missed = crate::noise::error_under(&predicted, &truth);
            let least = (1.0 - missed) * (gamma - 1.0) / gamma;
            assert!(single_hop(&capacity, &truth) >= least - 1e-9, "{seed}");
        }
    }

    #[test]
    fn a_drawn_trust_gives_expectations() {
        let ring = pattern::shift(8, 1);
        let expectation = |chances, k| {
            let design = VermilionPredictions { k, chances, ..VermilionPredictions::default() };
            let each = design.draws().into_iter();
            let theta = |k, l| multi_hop(&capacity(&ring, k, l), &ring).unwrap();
            each.map(|(chance, k, l)| chance * theta(k, l)).sum::<f64>()
        };
        for (gamma, expected) in [(1, 0.5), (2, 0.625), (3, 0.6944), (5, 0.7717), (10, 0.853_55)] {
            near(expectation(Chances::Uniform, gamma), expected, 1e-4);
        }
        // The thesis prints 0.91 for this; uniform chances up to 20 give it.
        near(expectation(Chances::Uniform, 20), 0.910, 1e-3);
        let mut rng = raddle_schemes::rng::Rng::new(1, "monte_carlo", 0);
        let value = |r: u64| 1.0 - 0.5 / r as f64;
        let draws: Vec<f64> = (0..10_000).map(|_| value(1 + rng.below(10))).collect();
        let mean = draws.iter().sum::<f64>() / 1e4;
        let square = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e4;
        near(mean, expectation(Chances::Uniform, 10), 3.0 * (square / 1e4).sqrt());
    }

    #[test]
    fn schedules_of_a_drawn_trust_come_with_their_chances() {
        let chances = Chances::TwoPoints;
        let design = VermilionPredictions { k: 10, chances, ..VermilionPredictions::default() };
        let plan = design.plan(&pattern::shift(8, 1), 1).unwrap();
        let slots: Vec<usize> = plan.schedules.iter().map(|(_, s)| s.period_slots()).collect();
        assert_eq!(slots, [2, 20]);
        near(plan.schedules[0].0, 0.357_24, 5e-6);
    }

    #[test]
    fn the_published_codes_known_answers_without_noise() {
        let design =
            VermilionPredictions { profile: Profile::Artifact, ..VermilionPredictions::default() };
        let truth = pattern::shift(16, 8);
        let theta = |k: u32| {
            let circuits = circuits(&truth, &design.recipe(k, 1), 1, 0);
            multi_hop(&circuits.capacity(1.0 / f64::from(k * 16)), &truth).unwrap()
        };
        for (k, expected) in [(1, 0.5), (2, 0.75), (3, 0.8333), (4, 0.875), (5, 0.9), (10, 0.95)] {
            near(theta(k), expected, 5e-5);
        }
    }
}
