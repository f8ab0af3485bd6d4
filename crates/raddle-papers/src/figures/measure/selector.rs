//! A cell by its settings, and what is taken of its seeds.

use super::super::reading::settings;
use super::super::run::FigureRun;
use super::super::statistic::Statistic;
use super::Cell;
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;
use raddle::scenario::spec::Place;

/// A cell, by what the sweep set in it. Settings not named here may be anything, as long as one
/// cell is left.
#[derive(Clone, Debug)]
pub struct Selector {
    /// Names and values.
    pub settings: Vec<(String, String)>,
    pub(in crate::figures) place: Place,
}

/// Reads the selector of a cell.
pub(super) fn selector(reader: &mut Reader<'_>, key: &'static str) -> Option<Selector> {
    let item = reader.demand(key, "{ \"transport.load_balance.scheme\" = \"..\" }")?;
    let settings = settings(key, item, reader.log())?;
    Some(Selector { settings, place: item.place.clone() })
}

/// Reads what is taken of the seeds.
pub(super) fn statistic(reader: &mut Reader<'_>) -> Statistic {
    reader.or("statistic", Statistic::Mean)
}

impl Selector {
    /// Whether a cell with these settings is meant.
    pub fn selects(&self, settings: &Cell) -> bool {
        self.settings.iter().all(|wanted| settings.contains(wanted))
    }

    /// `of` each run of the cell, in the order of the seeds; nothing if one has no value.
    pub(super) fn each(
        &self,
        runs: &[FigureRun],
        of: impl Fn(&FigureRun) -> Option<f64>,
    ) -> Option<Vec<f64>> {
        runs.iter().filter(|run| self.selects(&run.settings)).map(of).collect()
    }

    /// What is wrong unless it means one of the cells.
    pub(super) fn problem(&self, cells: &[&Cell]) -> Option<Problem> {
        let found = cells.iter().filter(|cell| self.selects(cell)).count();
        let message = format!("{found} cells of the sweep have these settings");
        (found != 1).then(|| self.place.problem(message).label("expected settings of one"))
    }
}
