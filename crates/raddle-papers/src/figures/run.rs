//! A run of a figure.

use super::scores::Oracles;
use raddle::study::run::Finished;

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
