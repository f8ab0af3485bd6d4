//! Eclipse (Venkatakrishnan et al., SIGMETRICS 2016): matchings and durations that carry the most
//! demand for their time, dark time counted, one after another until the window is spent.
//!
//! Each step takes the matching P and the duration a that maximise the sum over P of min(a, demand
//! left) over (a + dark). Reading: durations are tried among the demands left, at most
//! `durations` of them, evenly spread in their order.

use super::{Card, DesignError, Fabric, Makes, Plan, refuse};
use crate::demand::Demand;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::{Schedule, Steps};
use raddle_schemes::units::Span;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "eclipse",
    title: "Eclipse",
    paper: "Venkatakrishnan et al., Costly circuits, submodular schedules and approximate \
            Caratheodory theorems, SIGMETRICS 2016",
    summary: "Greedy circuits for a known demand where reconfiguration is slow: few, long \
              configurations for the heavy pairs, and none for the light ones.",
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Eclipse with fabric: Fabric {
        /// Length of a period.
        pub window: Span = Span::us(1000), in Span(1)..;
        /// How many durations are tried for each matching.
        pub durations: u32 = 32, in 1..=4096;
    }
}

struct Step {
    matching: Matching,
    duration: u64,
}

impl Makes for Eclipse {
    fn plan(&self, demand: &Demand, _: u64) -> Result<Plan, DesignError> {
        let nodes = demand.nodes();
        let (window, dark) = (self.window.0, self.fabric.dark.0);
        if window <= dark {
            return refuse("the window is not longer than the dark time");
        }
        let demand = demand.normalised();
        // All links of a node do the same: a node's whole capacity is on one circuit at a time.
        let rate = |pair: usize| demand.rate(pair / nodes, pair % nodes);
        let mut left: Vec<u64> =
            (0..nodes * nodes).map(|pair| (rate(pair) * window as f64).round() as u64).collect();
        let (mut steps, mut time): (Vec<Step>, u64) = (Vec::new(), 0);
        while time + dark < window {
            let Some(step) = self.best(nodes, &left, window - time - dark) else { break };
            for (from, to) in step.matching.circuits() {
                let pair = &mut left[from * nodes + to];
                *pair = pair.saturating_sub(step.duration);
            }
            time += step.duration + dark;
            steps.push(step);
        }
        let notes = vec![format!("{} configurations", steps.len())];
        let slots = steps.iter().map(|step| Span(step.duration + dark)).collect();
        let list: Vec<Matching> = steps.into_iter().map(|step| step.matching).collect();
        let steps = if list.len() == 1 { Steps::Static } else { Steps::Together };
        let lists = vec![list; self.fabric.uplinks as usize];
        let schedule = Schedule::new(lists, slots, self.fabric.dark, steps)?;
        let delay_us = Some(schedule.longest_wait().as_us());
        Ok(Plan { delay_us, notes, ..Plan::of(schedule) })
    }
}

impl Eclipse {
    fn best(&self, nodes: usize, left: &[u64], most: u64) -> Option<Step> {
        let mut candidates: Vec<u64> =
            left.iter().filter(|left| **left > 0).map(|left| (*left).min(most)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let tried = candidates.len().min(self.durations as usize);
        let place = |at: usize| candidates[(at + 1) * candidates.len() / tried - 1];
        let mut best: Option<(f64, Step)> = None;
        for duration in (0..tried).map(place) {
            let weights: Vec<i64> = left.iter().map(|left| (*left).min(duration) as i64).collect();
            let (total, targets) = kuhn_munkres(&Matrix::from_vec(nodes, nodes, weights).ok()?);
            let value = total as f64 / (duration + self.fabric.dark.0) as f64;
            if best.as_ref().is_none_or(|(best, _)| value > *best) {
                // A pair that needs nothing is idle where the matching stays one.
                let targets = targets.into_iter().map(|to| to as u16).collect();
                best = Some((value, Step { matching: Matching::of(targets), duration }));
            }
        }
        best.map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::solve::single_hop;

    #[test]
    fn a_permutation_is_one_configuration_that_stays() {
        let demand = pattern::shift(8, 3);
        let plan = Eclipse::default().plan(&demand, 1).unwrap();
        let schedule = &plan.schedules[0].1;
        assert!((single_hop(&schedule.capacity(), &demand) - 1.0).abs() < 1e-6);
        assert_eq!(plan.notes, ["1 configurations"]);
    }

    #[test]
    fn slower_switches_get_fewer_configurations() {
        let demand = pattern::find("random").unwrap().demand(8, 0.0, 1);
        let many = |dark| {
            let fabric = Fabric { dark, ..Fabric::default() };
            let plan = Eclipse { fabric, ..Eclipse::default() }.plan(&demand, 1).unwrap();
            plan.schedules[0].1.period_slots()
        };
        assert!(many(Span::us(50)) < many(Span::us(1)));
    }
}
