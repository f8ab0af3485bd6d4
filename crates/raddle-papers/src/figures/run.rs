//! A run of a figure.

use super::scores::Oracles;
use raddle::study::run::Finished;
use raddle::study::summary::SizeClass;

/// A run of a figure.
#[derive(Clone, Debug)]
pub struct FigureRun {
    /// What the sweep set: names and values.
    pub settings: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// Plan, outcome and summary.
    pub finished: Finished,
    /// Scores of oracles that are fitted to it.
    pub(super) oracles: Oracles,
}

impl FigureRun {
    /// Whether it has flows of a size, and all of them completed.
    pub(super) fn has_ended(&self, class: SizeClass) -> bool {
        let Finished { plan, outcome, .. } = &self.finished;
        let flows = plan.traffic.flows.iter().zip(outcome.flows.iter());
        let mut own = flows.filter(|(flow, _)| class.holds(plan.record.sizes, flow.bytes));
        own.next().is_some_and(|(_, first)| first.acked.is_some())
            && own.all(|(_, record)| record.acked.is_some())
    }
}
