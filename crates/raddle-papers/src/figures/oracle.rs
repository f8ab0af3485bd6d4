//! How well forests that are fitted to a run predict what is dropped, by how many trees they have.

use super::run::FigureRun;
use raddle::train::Scores;

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

/// A score of a run's forest of so many trees; none as [`Oracles::of`](super::scores::Oracles::of).
pub(super) fn score(run: &FigureRun, trees: u16, score: Score) -> Option<f64> {
    score.of(run.oracles.of(&run.finished, trees)?)
}
