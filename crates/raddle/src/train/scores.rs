//! How well predictions meet what happened; a drop is a positive (Credence spec, 2.9).

use raddle_schemes::buffer::forest::Forest;
use raddle_sim::record::TrainingRow;
use serde_json::{Value, json};
use std::iter::Sum;

/// Counts of predictions, and what follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Predicted to be dropped, and dropped.
    pub true_positives: u64,
    /// Predicted to be dropped, and sent.
    pub false_positives: u64,
    /// Predicted to be sent, and sent.
    pub true_negatives: u64,
    /// Predicted to be sent, and dropped.
    pub false_negatives: u64,
    /// What Lemma 3 has FollowLQD send at least, with as many queues as each switch has.
    pub least_followed: u64,
}

impl Scores {
    /// Of a forest on the rows of a switch of so many queues of data.
    pub(super) fn of(forest: &Forest, rows: &[TrainingRow], queues: u64) -> Self {
        let mut scores = Self::default();
        for row in rows {
            let count = match (row.dropped, forest.predicts_drop(&row.found)) {
                (true, true) => &mut scores.true_positives,
                (false, true) => &mut scores.false_positives,
                (false, false) => &mut scores.true_negatives,
                (true, false) => &mut scores.false_negatives,
            };
            *count += 1;
        }
        let lost = queues.saturating_sub(1) * scores.false_negatives;
        scores.least_followed = scores.true_negatives.saturating_sub(lost);
        scores
    }

    /// Rows.
    pub fn all(&self) -> u64 {
        let sent = self.true_negatives + self.false_positives;
        sent + self.true_positives + self.false_negatives
    }

    /// Share of predictions that are right.
    pub fn accuracy(&self) -> f64 {
        (self.true_positives + self.true_negatives) as f64 / self.all() as f64
    }

    /// The accuracy of who predicts that nothing is dropped.
    pub fn accuracy_of_none(&self) -> f64 {
        (self.true_negatives + self.false_positives) as f64 / self.all() as f64
    }

    /// Of what is predicted to be dropped, the share that is; none, where nothing is predicted to.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// Of what is dropped, the share that is predicted to; none, where nothing is dropped.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> Option<f64> {
        let all = 2 * self.true_positives + self.false_positives + self.false_negatives;
        share(2 * self.true_positives, all)
    }

    /// At least one over the error measure eta, by Lemma 3.
    pub fn inverse_eta(&self) -> Option<f64> {
        share(self.least_followed, self.true_negatives + self.false_positives)
    }

    /// For people, a number a line.
    pub fn lines(&self) -> Vec<String> {
        let Self { true_positives, false_positives, true_negatives, false_negatives, .. } = self;
        let shown =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
        vec![
            format!(
                "of {} packets it was not fitted to: {true_positives} drops predicted, \
                 {false_negatives} not; {false_positives} drops predicted that were none, of {}",
                self.all(),
                true_negatives + false_positives
            ),
            format!(
                "accuracy {:.5} ({:.5} without predictions), precision {}, recall {}, F1 {}, 1/eta at \
                 least {}",
                self.accuracy(),
                self.accuracy_of_none(),
                shown(self.precision()),
                shown(self.recall()),
                shown(self.f1()),
                shown(self.inverse_eta())
            ),
        ]
    }

    /// As JSON; what is not defined is null.
    pub fn json(&self) -> Value {
        json!({
            "true_positives": self.true_positives, "false_positives": self.false_positives,
            "true_negatives": self.true_negatives, "false_negatives": self.false_negatives,
            "accuracy": share(self.true_positives + self.true_negatives, self.all()),
            "accuracy_of_none": share(self.true_negatives + self.false_positives, self.all()),
            "precision": self.precision(), "recall": self.recall(), "f1": self.f1(),
            "inverse_eta": self.inverse_eta(),
        })
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl<'a> Sum<&'a Self> for Scores {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, own| Self {
            true_positives: sum.true_positives + own.true_positives,
            false_positives: sum.false_positives + own.false_positives,
            true_negatives: sum.true_negatives + own.true_negatives,
            false_negatives: sum.false_negatives + own.false_negatives,
            least_followed: sum.least_followed + own.least_followed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::buffer::forest::Features;

    #[test]
    fn scores_are_those_of_the_spec() {
        // Credence spec, section 6, item 10: TN 9,900, FP 50, FN 2, TP 48, N 20.
        let forest: Forest = "queue 10 0 1".parse().unwrap();
        let row = |queue, dropped| TrainingRow {
            found: Features { queue, ..Features::default() },
            dropped,
        };
        let of = |count: usize, queue, dropped| std::iter::repeat_n(row(queue, dropped), count);
        let all = of(9_900, 5, false).chain(of(50, 20, false)).chain(of(2, 5, true));
        let rows: Vec<_> = all.chain(of(48, 20, true)).collect();
        let scores = Scores::of(&forest, &rows, 20);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-5, "{found}");
        near(1.0 / scores.inverse_eta().unwrap(), 1.008_92);
        near(scores.precision().unwrap(), 0.4898);
        near(scores.recall().unwrap(), 0.96);
        near(scores.f1().unwrap(), 0.6486);
        near(scores.accuracy(), 0.9948);
        near(scores.accuracy_of_none(), 0.995);
        let none = Scores::of(&Forest::constant(false), &rows[..100], 20);
        assert_eq!((none.precision(), none.recall(), none.inverse_eta()), (None, None, Some(1.0)));
        assert!(none.json()["precision"].is_null());
    }
}
