//! What models answered, so that claims and curves that ask the same share one answer.

use super::Mode;
use super::theory::TheoryNumber;
use raddle::study::run::{Failure, Runner};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers by question. It is no part of a result: the same questions have the same answers.
#[derive(Debug, Default)]
pub struct Answers(Mutex<BTreeMap<String, Arc<[f64]>>>);

impl Answers {
    /// All numbers of the model that `number` is of.
    fn of(&self, number: &TheoryNumber, mode: Mode) -> Arc<[f64]> {
        let question = number.question(mode);
        if let Some(known) = self.known(&question) {
            return known;
        }
        let values: Arc<[f64]> = number.ask(mode).into();
        self.all().insert(question, Arc::clone(&values));
        values
    }

    /// The number; `None` where the model leaves it undefined.
    pub(super) fn value(&self, number: &TheoryNumber, mode: Mode) -> Option<f64> {
        let values = self.of(number, mode);
        values.get(number.quantity_place()).copied().filter(|value| value.is_finite())
    }

    fn known(&self, question: &str) -> Option<Arc<[f64]>> {
        self.all().get(question).cloned()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<[f64]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of the numbers that ask something new, each question once.
    pub(super) fn open(&self, numbers: &[&TheoryNumber], mode: Mode) -> Vec<TheoryNumber> {
        let mut asked = BTreeSet::new();
        let mut new = |number: &&&TheoryNumber| {
            let question = number.question(mode);
            self.known(&question).is_none() && asked.insert(question)
        };
        numbers.iter().filter(|number| new(number)).map(|number| (*number).clone()).collect()
    }

    /// Asks all of them, several at a time; `first` is the meter's number of the first.
    ///
    /// # Errors
    /// Interrupted.
    pub(super) fn gather(
        &self,
        open: &[TheoryNumber],
        mode: Mode,
        runner: &Runner<'_>,
        first: usize,
    ) -> Result<(), Failure> {
        if open.is_empty() {
            return Ok(());
        }
        let one = |(place, number): (usize, &TheoryNumber)| {
            if runner.stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            runner.meter.begin(first + place, 1);
            self.of(number, mode);
            runner.meter.end(first + place);
            Ok(())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(runner.threads.max(1)).build();
        let pool = pool.map_err(|error| Failure::Plan(error.to_string()))?;
        pool.install(|| open.par_iter().enumerate().try_for_each(one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Claims;

    #[test]
    fn one_question_is_asked_once_whatever_number_is_wanted() {
        let measure = |quantity: &str| {
            format!(
                "[[claim]]\nid = \"{quantity}\"\ntext = \"b\"\nsource = \"c\"\nmodel = 1\nlow = 0\nhigh = 2\n\
                 measure = {{ kind = \"theory\", model = \"mars\", quantity = \"{quantity}\" }}\n"
            )
        };
        let text = format!("title = \"t\"\n{}{}", measure("throughput"), measure("delay_us"));
        let claims = Claims::parse("c", &text).unwrap();
        let numbers: Vec<&TheoryNumber> =
            claims.claims.iter().flat_map(|claim| claim.measure.numbers()).collect();
        let answers = Answers::default();
        assert_eq!((numbers.len(), answers.open(&numbers, Mode::Full).len()), (2, 1));
        assert_eq!(answers.value(numbers[0], Mode::Full), Some(0.25));
        assert!(answers.open(&numbers, Mode::Full).is_empty());
        let delay = claims.claims[1].measure.model().unwrap();
        assert!((answers.value(delay, Mode::Full).unwrap() - 800.0).abs() < 1e-9);
    }
}
