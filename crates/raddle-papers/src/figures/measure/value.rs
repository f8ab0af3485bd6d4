//! `value`: a metric of a cell.

use super::super::metric::Metric;
use super::super::number::Number;
use super::super::run::FigureRun;
use super::in_cell::OfRun;
use raddle::scenario::reader::Reader;

/// The metric.
#[derive(Debug)]
pub(super) struct Value(Metric);

impl OfRun for Value {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.need("metric", "\"completion_us\"").map(Self)
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        self.0.of(run)
    }

    fn metric(&self) -> Option<Metric> {
        Some(self.0)
    }

    fn shown(&self) -> Option<Number> {
        Some(Number::Run(self.0))
    }
}
