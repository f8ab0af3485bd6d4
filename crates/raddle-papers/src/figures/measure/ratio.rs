//! `ratio`: a metric of one cell over the same of another; each is taken over its seeds first.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::metric::Metric;
use super::super::number::Number;
use super::super::run::FigureRun;
use super::super::statistic::Statistic;
use super::selector::{Selector, selector, statistic};
use super::{Boxed, Measure};
use raddle::scenario::reader::Reader;

#[derive(Debug)]
struct Ratio {
    metric: Metric,
    statistic: Statistic,
    /// Above the line.
    of: Selector,
    /// Below the line.
    over: Selector,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = statistic(reader);
    let of = selector(reader, "of");
    let over = selector(reader, "over");
    Some(Box::new(Ratio { metric: metric?, statistic, of: of?, over: over? }))
}

impl Measure for Ratio {
    fn cells(&self) -> Vec<&Selector> {
        vec![&self.of, &self.over]
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn shown_over(&self) -> Option<(Number, &Selector, &Selector)> {
        let mean = self.statistic == Statistic::Mean;
        mean.then_some((Number::Run(self.metric), &self.of, &self.over))
    }

    fn take(&self, runs: &[FigureRun], _: Mode, _: &Answers) -> Option<f64> {
        let side = |cell: &Selector| self.statistic.of(cell.each(runs, |run| self.metric.of(run))?);
        let (of, over) = (side(&self.of)?, side(&self.over)?);
        (over > 0.0).then(|| of / over)
    }
}
