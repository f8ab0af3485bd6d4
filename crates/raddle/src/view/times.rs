//! The grid of time that all runs of a page share.

use super::ViewError;
use crate::results::Kept;
use crate::study::tables::TableFile;
use std::path::Path;

/// Buckets of one width for all runs.
#[derive(Debug)]
pub(super) struct Times {
    /// Width of a bucket; `None` if some run recorded nothing over time.
    pub(super) width_us: Option<f64>,
}

impl Times {
    /// The widest of the runs' buckets, or so many of them together that a run has `cells` at most: a port
    /// and a bucket is one.
    pub(super) fn of(runs: &[Kept], cells: usize) -> Result<Self, ViewError> {
        let mut width_us = Some(0.0_f64);
        let mut needed = 0.0_f64;
        for run in runs {
            let Some((own, end)) = recorded(&run.folder)? else {
                width_us = None;
                break;
            };
            let ports = TableFile::open(&run.folder, "ports")?.map_or(0, |table| table.rows());
            needed = needed.max(end * ports as f64 / cells as f64);
            width_us = width_us.map(|widest| widest.max(own));
        }
        // Widths of a map are powers of two of where it began, so that doubling meets all of them.
        let width_us = width_us.filter(|width| *width > 0.0).map(|mut width| {
            while width < needed {
                width *= 2.0;
            }
            width
        });
        Ok(Self { width_us })
    }

    /// How many buckets there are until `end_us`.
    pub(super) fn buckets(&self, end_us: f64) -> usize {
        self.width_us.map_or(0, |width| ((end_us / width).ceil() as usize).max(1))
    }

    /// The bucket of an instant.
    pub(super) fn bucket(&self, at_us: f64, buckets: usize) -> usize {
        let width = self.width_us.unwrap_or(1.0);
        // What begins a bucket may lie just before it in floating point.
        ((at_us / width + 1e-6).floor() as usize).min(buckets.saturating_sub(1))
    }
}

/// Width of a run's buckets and the end of the last one.
pub(super) fn recorded(folder: &Path) -> Result<Option<(f64, f64)>, ViewError> {
    let Some(timeline) = TableFile::open(folder, "timeline")? else { return Ok(None) };
    let times = timeline.numbers("time_us")?;
    Ok(match times[..] {
        [first, second, ..] => Some((second - first, times.len() as f64 * (second - first))),
        _ => None,
    })
}
