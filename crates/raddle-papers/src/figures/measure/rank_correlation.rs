//! `rank_correlation`: how closely one metric follows another from cell to cell.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::metric::Metric;
use super::super::run::FigureRun;
use super::super::statistic::Statistic;
use super::within::{Within, read_within};
use super::{Boxed, Cell, Measure};
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
struct RankCorrelation {
    /// One of them, over the seeds of each cell.
    of: Metric,
    /// The other.
    with: Metric,
    within: Within,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    let of = reader.need("of", "\"completion_us\"");
    let with = reader.need("with", "\"queue_bytes_max\"");
    let within = read_within(reader);
    Some(Box::new(RankCorrelation { of: of?, with: with?, within: within? }))
}

impl Measure for RankCorrelation {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.of, self.with]
    }

    fn needs(&self, cell: &Cell) -> bool {
        self.within.has(cell)
    }

    fn problems(&self, cells: &[&Cell]) -> Vec<Problem> {
        self.within.too_few(cells, 2)
    }

    fn take(&self, runs: &[FigureRun], _: Mode, _: &Answers) -> Option<f64> {
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
}
