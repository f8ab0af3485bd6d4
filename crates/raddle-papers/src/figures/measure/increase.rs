//! `increase`: by how much the completion of a cell exceeds a lower bound, in percent of the bound.

use super::super::increase::{BoundName, increase_pct};
use super::super::number::Number;
use super::super::run::FigureRun;
use super::in_cell::OfRun;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
pub(super) struct Increase {
    bound: BoundName,
    /// Of each phase of its jobs, and the mean of these; else of the whole run.
    phases: bool,
}

impl OfRun for Increase {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let bound = reader.need("bound", "\"permutation\"");
        let phases = reader.or("phases", false);
        Some(Self { bound: bound?, phases })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        increase_pct(run, self.bound, self.phases)
    }

    fn shown(&self) -> Option<Number> {
        Some(Number::Increase { bound: self.bound, phases: self.phases })
    }

    fn bound(&self) -> Option<(BoundName, bool)> {
        Some((self.bound, self.phases))
    }
}
