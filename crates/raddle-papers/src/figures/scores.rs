//! Scores of oracles that are fitted to a run, once they are asked for.

use raddle::study::run::Finished;
use raddle::train::{Lessons, Scores, Settings, by_trees};
use std::sync::OnceLock;

/// The trees that are scored. More are not: fitting takes as long as they are many.
pub(super) const TREES: [u16; 6] = [1, 2, 4, 8, 16, 32];

/// Scores of a run's forests, one for each of [`TREES`], fitted as `raddle train` does it by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Oracles(OnceLock<Option<Vec<Scores>>>);

impl Oracles {
    /// Those of the forest of so many trees; none where the run kept no rows (`record.training`), or
    /// there is nothing to learn.
    pub(super) fn of(&self, run: &Finished, trees: u16) -> Option<&Scores> {
        let fitted = || {
            let mut lessons = Lessons::default();
            lessons.add(&run.plan, &run.outcome);
            by_trees(&lessons, &Settings::default(), &TREES).ok()
        };
        let all = self.0.get_or_init(fitted).as_ref()?;
        all.get(TREES.iter().position(|own| *own == trees)?)
    }
}
