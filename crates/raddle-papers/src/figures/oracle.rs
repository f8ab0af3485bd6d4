//! How well forests that are fitted to a run predict what is dropped, by how many trees they have.

use super::prepare::FigureRun;
use raddle::train::{Lessons, Scores, Settings, by_trees};
use std::sync::OnceLock;

/// The trees that are scored. More are not: fitting takes as long as they are many.
pub(super) const TREES: [u16; 6] = [1, 2, 4, 8, 16, 32];

raddle_schemes::words! {
    /// How well predictions meet what happened; a drop is a positive.
    pub enum Score {
        /// Share of predictions that are right.
        Accuracy = "accuracy",
        /// Of what is predicted to be dropped, the share that is.
        Precision = "precision",
        /// Of what is dropped, the share that is predicted to.
        Recall = "recall",
        /// The harmonic mean of both.
        F1 = "f1",
        /// At least one over the error measure eta, by Lemma 3.
        InverseEta = "inverse_eta",
    }
}

impl Score {
    fn of(self, scores: &Scores) -> Option<f64> {
        match self {
            Self::Accuracy => Some(scores.accuracy()),
            Self::Precision => scores.precision(),
            Self::Recall => scores.recall(),
            Self::F1 => scores.f1(),
            Self::InverseEta => scores.inverse_eta(),
        }
    }
}

/// Those of a run, once they are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Oracles(OnceLock<Option<Vec<Scores>>>);

/// A score of the forest of so many trees, one of [`TREES`], fitted as `raddle train` does it by
/// default; none where the run kept no rows (`record.training`), or there is nothing to learn.
pub(super) fn score(run: &FigureRun, trees: u16, score: Score) -> Option<f64> {
    let fitted = || {
        let mut lessons = Lessons::default();
        lessons.add(&run.finished.plan, &run.finished.outcome);
        by_trees(&lessons, &Settings::default(), &TREES).ok()
    };
    let all = run.oracles.0.get_or_init(fitted).as_ref()?;
    let place = TREES.iter().position(|own| *own == trees)?;
    score.of(&all[place])
}
