//! `theory`: a number of a model; no simulation.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::run::FigureRun;
use super::super::theory::{TheoryNumber, read_number};
use super::{Boxed, Measure};
use raddle::scenario::reader::Reader;

#[derive(Debug)]
struct Theory(TheoryNumber);

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    read_number(reader).map(|number| Box::new(Theory(number)) as Box<dyn Measure>)
}

impl Measure for Theory {
    fn numbers(&self) -> Vec<&TheoryNumber> {
        vec![&self.0]
    }

    fn model(&self) -> Option<&TheoryNumber> {
        Some(&self.0)
    }

    fn take(&self, _: &[FigureRun], mode: Mode, answers: &Answers) -> Option<f64> {
        answers.value(&self.0, mode)
    }
}
