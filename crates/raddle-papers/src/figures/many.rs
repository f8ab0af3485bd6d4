//! Measures over many cells at once that need no pairs of them: the least of all, and whether one
//! number follows another.

use super::measure::{Across, Statistic};
use super::metric::Metric;
use super::pairs::within;
use super::prepare::FigureRun;
use raddle::scenario::reader::Reader;
use raddle::scenario::spec::Place;

/// Which cells: names, and the values that they may have; all cells if none is named.
#[derive(Clone, Debug)]
pub struct Within {
    settings: Vec<(String, Vec<String>)>,
    place: Place,
}

/// A metric of many cells.
#[derive(Clone, Debug)]
pub struct Values {
    /// Which number.
    pub metric: Metric,
    /// Over the seeds of each cell.
    pub statistic: Statistic,
    /// Over the cells.
    pub across: Across,
    /// Which cells.
    pub within: Within,
}

/// How closely one metric follows another from cell to cell.
#[derive(Clone, Debug)]
pub struct RankCorrelation {
    /// One of them, over the seeds of each cell.
    pub of: Metric,
    /// The other.
    pub with: Metric,
    /// Which cells.
    pub within: Within,
}

type Settings = [(String, String)];

/// Reads the keys of a `values` measure.
pub(super) fn read_values(reader: &mut Reader<'_>) -> Option<Values> {
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = reader.or("statistic", Statistic::Mean);
    let across = reader.need("across", "\"min\"");
    let within = read_within(reader);
    Some(Values { metric: metric?, statistic, across: across?, within: within? })
}

/// Reads the keys of a `rank_correlation` measure.
pub(super) fn read_rank_correlation(reader: &mut Reader<'_>) -> Option<RankCorrelation> {
    let of = reader.need("of", "\"completion_us\"");
    let with = reader.need("with", "\"queue_bytes_max\"");
    let within = read_within(reader);
    Some(RankCorrelation { of: of?, with: with?, within: within? })
}

fn read_within(reader: &mut Reader<'_>) -> Option<Within> {
    let place = reader.place().clone();
    let log = reader.log();
    let settings = reader.take("within").map_or(Some(Vec::new()), |item| within(item, log))?;
    Some(Within { settings, place })
}

impl Within {
    /// Whether the cell with these settings is one of them.
    pub(super) fn has(&self, settings: &Settings) -> bool {
        self.settings.iter().all(|(name, values)| {
            settings.iter().any(|(own, value)| own == name && values.contains(value))
        })
    }

    /// What is wrong if fewer than `least` of the cells are meant.
    pub(super) fn too_few<'a>(
        &self,
        cells: impl Iterator<Item = &'a Settings>,
        least: usize,
    ) -> Option<(&Place, String)> {
        let found = cells.filter(|cell| self.has(cell)).count();
        let message = || format!("{found} cells of the sweep are within; it takes {least}");
        (found < least).then(|| (&self.place, message()))
    }

    /// `metric` of each cell, over its seeds; nothing if a run has no value.
    fn each(&self, metric: Metric, statistic: Statistic, runs: &[FigureRun]) -> Option<Vec<f64>> {
        let cells = runs.chunk_by(|a, b| a.settings == b.settings);
        let of_cell = |runs: &[FigureRun]| {
            statistic.of(runs.iter().map(|run| metric.of(run)).collect::<Option<Vec<f64>>>()?)
        };
        cells.filter(|runs| self.has(&runs[0].settings)).map(of_cell).collect()
    }
}

impl Values {
    pub(super) fn take(&self, runs: &[FigureRun]) -> Option<f64> {
        self.across.of(self.within.each(self.metric, self.statistic, runs)?)
    }
}

impl RankCorrelation {
    pub(super) fn take(&self, runs: &[FigureRun]) -> Option<f64> {
        let of = self.within.each(self.of, Statistic::Mean, runs)?;
        let with = self.within.each(self.with, Statistic::Mean, runs)?;
        rank_correlation(&of, &with)
    }
}

/// Spearman's: the correlation of ranks, equal values sharing the mean of theirs; none where all
/// values of a side are equal.
fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let middle = (a.len() as f64 + 1.0) / 2.0;
    let sum = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum()
    };
    let spread = (sum(&a, &a) * sum(&b, &b)).sqrt();
    (spread > 0.0).then(|| sum(&a, &b) / spread)
}

/// The rank of each value, from 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rises_together_correlates_however_steeply() {
        let rise = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(rank_correlation(&rise, &[0.1, 7.0, 7.5, 900.0]), Some(1.0));
        assert_eq!(rank_correlation(&rise, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(rank_correlation(&rise, &[5.0; 4]), None);
        // 1 - 6 sum(d^2) / (n (n^2 - 1)), d = 0, 1, -1, 0.
        assert!((rank_correlation(&rise, &[1.0, 3.0, 2.0, 4.0]).unwrap() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
    }

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
        let cells = || std::iter::once(&cell[..]);
        let both = settings(&[("hosts", &["16"])]);
        assert!(both.too_few(cells(), 1).is_none() && both.too_few(cells(), 2).is_some());
    }
}
