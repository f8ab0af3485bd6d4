//! `quotient` and `difference`: a measure over another, and less another.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::increase::NamedBound;
use super::super::metric::Metric;
use super::super::run::FigureRun;
use super::super::theory::TheoryNumber;
use super::selector::Selector;
use super::{Boxed, Cell, Measure, read_measure};
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
struct OfTwo {
    of: Box<dyn Measure>,
    other: Box<dyn Measure>,
    take: fn(f64, f64) -> Option<f64>,
}

pub(super) fn quotient(reader: &mut Reader<'_>) -> Boxed {
    read(reader, "over", |of, over| (over > 0.0).then(|| of / over))
}

pub(super) fn difference(reader: &mut Reader<'_>) -> Boxed {
    read(reader, "less", |of, less| Some(of - less))
}

/// The first of them is called `of`.
fn read(reader: &mut Reader<'_>, other: &'static str, take: fn(f64, f64) -> Option<f64>) -> Boxed {
    let mut measure = |key| {
        let item = reader.demand(key, "{ kind = \"increase\" }")?;
        read_measure(item, reader.log())
    };
    let (of, other) = (measure("of"), measure(other));
    Some(Box::new(OfTwo { of: of?, other: other?, take }))
}

impl Measure for OfTwo {
    fn cells(&self) -> Vec<&Selector> {
        [self.of.cells(), self.other.cells()].concat()
    }

    fn numbers(&self) -> Vec<&TheoryNumber> {
        [self.of.numbers(), self.other.numbers()].concat()
    }

    fn metrics(&self) -> Vec<Metric> {
        [self.of.metrics(), self.other.metrics()].concat()
    }

    fn needs(&self, cell: &Cell) -> bool {
        self.of.needs(cell) || self.other.needs(cell)
    }

    fn problems(&self, cells: &[&Cell]) -> Vec<Problem> {
        self.of.problems(cells).into_iter().chain(self.other.problems(cells)).collect()
    }

    fn bounds(&self, runs: &[FigureRun]) -> Vec<NamedBound> {
        let mut bounds = self.of.bounds(runs);
        for bound in self.other.bounds(runs) {
            if !bounds.contains(&bound) {
                bounds.push(bound);
            }
        }
        bounds
    }

    fn take(&self, runs: &[FigureRun], mode: Mode, answers: &Answers) -> Option<f64> {
        (self.take)(self.of.take(runs, mode, answers)?, self.other.take(runs, mode, answers)?)
    }
}
