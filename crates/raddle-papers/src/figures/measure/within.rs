//! Which cells of a sweep: names, and the values that they may have.

use super::super::metric::Metric;
use super::super::run::FigureRun;
use super::super::statistic::Statistic;
use super::Cell;
use raddle::problem::Problem;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place, Value};

/// Names, and the values that they may have; all cells if none is named.
#[derive(Clone, Debug)]
pub(super) struct Within {
    settings: Vec<(String, Vec<String>)>,
    place: Place,
}

/// Reads `within`.
pub(super) fn read_within(reader: &mut Reader<'_>) -> Option<Within> {
    let place = reader.place().clone();
    let log = reader.log();
    let settings = reader.take("within").map_or(Some(Vec::new()), |item| within(item, log))?;
    Some(Within { settings, place })
}

/// Names and lists of values.
pub(super) fn within(item: &Item, log: &Log) -> Option<Vec<(String, Vec<String>)>> {
    let Value::Table(table) = &item.value else {
        log.add(item.place.problem("`within` is a table of paths and lists of values"));
        return None;
    };
    let values = |item: &Item| match item.list() {
        Some(items) => items.iter().map(Item::show).collect(),
        None => vec![item.show()],
    };
    Some(table.entries.iter().map(|entry| (entry.key.clone(), values(&entry.item))).collect())
}

impl Within {
    /// Whether the cell with these settings is one of them.
    pub(super) fn has(&self, settings: &Cell) -> bool {
        self.settings.iter().all(|(name, values)| {
            settings.iter().any(|(own, value)| own == name && values.contains(value))
        })
    }

    /// What is wrong if fewer than `least` of the cells are meant.
    pub(super) fn too_few(&self, cells: &[&Cell], least: usize) -> Vec<Problem> {
        let found = cells.iter().filter(|cell| self.has(cell)).count();
        let message = || format!("{found} cells of the sweep are within; it takes {least}");
        (found < least).then(|| self.place.problem(message())).into_iter().collect()
    }

    /// `metric` of each cell, over its seeds; nothing if a run has no value.
    pub(super) fn each(
        &self,
        metric: Metric,
        statistic: Statistic,
        runs: &[FigureRun],
    ) -> Option<Vec<f64>> {
        let cells = runs.chunk_by(|a, b| a.settings == b.settings);
        let of_cell = |runs: &[FigureRun]| {
            statistic.of(runs.iter().map(|run| metric.of(run)).collect::<Option<Vec<f64>>>()?)
        };
        cells.filter(|runs| self.has(&runs[0].settings)).map(of_cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_within_by_each_name() {
        let settings = |names: &[(&str, &[&str])]| Within {
            settings: names
                .iter()
                .map(|(name, values)| {
                    ((*name).to_owned(), values.iter().map(|&value| value.to_owned()).collect())
                })
                .collect(),
            place: Place::default(),
        };
        let cell = [("hosts".to_owned(), "16".to_owned()), ("scheme".to_owned(), "a".to_owned())];
        assert!(settings(&[]).has(&cell) && settings(&[("hosts", &["8", "16"])]).has(&cell));
        assert!(!settings(&[("hosts", &["16"]), ("scheme", &["b"])]).has(&cell));
        let cells = [&cell[..]];
        let both = settings(&[("hosts", &["16"])]);
        assert!(both.too_few(&cells, 1).is_empty() && both.too_few(&cells, 2).len() == 1);
    }
}
