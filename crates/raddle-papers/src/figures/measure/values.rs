//! `values`: a metric of many cells.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::metric::Metric;
use super::super::run::FigureRun;
use super::super::statistic::{Across, Statistic};
use super::within::{Within, read_within};
use super::{Boxed, Cell, Measure};
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
struct Values {
    metric: Metric,
    /// Over the seeds of each cell.
    statistic: Statistic,
    /// Over the cells.
    across: Across,
    within: Within,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = reader.or("statistic", Statistic::Mean);
    let across = reader.need("across", "\"min\"");
    let within = read_within(reader);
    Some(Box::new(Values { metric: metric?, statistic, across: across?, within: within? }))
}

impl Measure for Values {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn needs(&self, cell: &Cell) -> bool {
        self.within.has(cell)
    }

    fn problems(&self, cells: &[&Cell]) -> Vec<Problem> {
        self.within.too_few(cells, 1)
    }

    fn take(&self, runs: &[FigureRun], _: Mode, _: &Answers) -> Option<f64> {
        self.across.of(self.within.each(self.metric, self.statistic, runs)?)
    }
}
