//! Measures that are a number of each run of a cell, over the seeds.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::increase::{BoundName, NamedBound};
use super::super::metric::Metric;
use super::super::number::Number;
use super::super::run::FigureRun;
use super::super::statistic::Statistic;
use super::selector::{Selector, selector, statistic};
use super::{Boxed, Measure};
use raddle::scenario::reader::Reader;
use std::fmt::Debug;

/// A number that each run of a cell has.
pub(super) trait OfRun: Debug + Send + Sync + Sized + 'static {
    /// Reads its keys.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// The number; `None` where a run does not have it, say because it never completed.
    fn of(&self, run: &FigureRun) -> Option<f64>;

    /// The metric that it is, if it is one.
    fn metric(&self) -> Option<Metric> {
        None
    }

    /// What pictures have of it.
    fn shown(&self) -> Option<Number> {
        None
    }

    /// The bound that it is taken against, and whether it is that of each phase.
    fn bound(&self) -> Option<(BoundName, bool)> {
        None
    }
}

/// It, over the seeds of a cell.
#[derive(Debug)]
pub(super) struct InCell<N> {
    number: N,
    statistic: Statistic,
    cell: Selector,
}

/// Reads the number's keys, `statistic` and `cell`.
pub(super) fn in_cell<N: OfRun>(reader: &mut Reader<'_>) -> Boxed {
    let number = N::read(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Box::new(InCell { number: number?, statistic, cell: cell? }))
}

impl<N: OfRun> Measure for InCell<N> {
    fn cells(&self) -> Vec<&Selector> {
        vec![&self.cell]
    }

    fn metrics(&self) -> Vec<Metric> {
        self.number.metric().into_iter().collect()
    }

    fn bounds(&self, runs: &[FigureRun]) -> Vec<NamedBound> {
        let Some((name, phases)) = self.number.bound() else { return Vec::new() };
        let us = self.cell.each(runs, |run| name.mean_us(&run.finished.plan, phases));
        let us = us.and_then(|us| Statistic::Mean.of(us));
        us.map(|us| NamedBound { name, us }).into_iter().collect()
    }

    fn shown(&self) -> Option<(Number, Statistic, &Selector)> {
        Some((self.number.shown()?, self.statistic, &self.cell))
    }

    fn take(&self, runs: &[FigureRun], _: Mode, _: &Answers) -> Option<f64> {
        self.statistic.of(self.cell.each(runs, |run| self.number.of(run))?)
    }
}
