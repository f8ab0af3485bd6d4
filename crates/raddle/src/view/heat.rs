//! The heat of links over time: a byte a port and bucket for each metric.

use super::ViewError;
use super::blocks::Blocks;
use super::times::Times;
use crate::results::{Fabric, Kept, ResultsError};

use crate::study::tables::TableFile;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// A metric: its word in the page, the columns of `series` that make it up, and whether buckets that
/// are joined keep the most, or the sum.
struct Metric {
    word: &'static str,
    columns: &'static [&'static str],
    most: bool,
}

static METRICS: [Metric; 4] = [
    Metric { word: "queue", columns: &["queue_bytes_max"], most: true },
    Metric { word: "marks", columns: &["marked_packets", "trimmed_packets"], most: false },
    Metric { word: "drops", columns: &["dropped_frames"], most: false },
    Metric { word: "paused", columns: &["paused_us"], most: false },
];

/// What the hottest link and bucket of all runs has, by metric: one scale for all of them.
#[derive(Debug, Default)]
pub(super) struct Scales([f64; METRICS.len()]);

impl Scales {
    /// As the page reads it.
    pub(super) fn json(&self) -> Value {
        let mut told = json!({});
        for (metric, scale) in METRICS.iter().zip(self.0) {
            told[metric.word] = json!(scale);
        }
        told
    }
}

/// The scales of all runs together.
pub(super) fn scales(runs: &[Kept], times: &Times) -> Result<Scales, ViewError> {
    let mut scales = Scales::default();
    for run in runs {
        let Some(series) = Series::read(&run.folder)? else { continue };
        let ports = series.ports.iter().max().map_or(0, |port| port + 1);
        let buckets = times.buckets(series.end_us());
        for (metric, scale) in METRICS.iter().zip(&mut scales.0) {
            let cells = series.cells(metric, ports, times, buckets)?;
            *scale = cells.into_iter().fold(*scale, f64::max);
        }
    }
    Ok(scales)
}

/// Puts the bytes of a run into `blocks`; how many links have some.
pub(super) fn put(
    folder: &Path,
    (index, fabric): (usize, &Fabric),
    (times, buckets): (&Times, usize),
    scales: &Scales,
    blocks: &mut Blocks,
) -> Result<usize, ViewError> {
    let Some(width) = times.width_us else { return Ok(0) };
    let Some(series) = Series::read(folder)? else { return Ok(0) };
    let ports = fabric.ports.len();
    if let Some(port) = series.ports.iter().find(|port| **port >= ports) {
        let why = format!("port {port} is none of the {ports} of `ports`: it is of another run");
        return Err(ResultsError::Damaged(folder.join("series.parquet"), why).into());
    }
    for (metric, scale) in METRICS.iter().zip(scales.0) {
        if scale > 0.0 || metric.word == "queue" {
            // On a root scale, what is there at all is seen.
            let byte = |x: &f64| (255.0 * (x / scale.max(1.0)).sqrt()).ceil() as u8;
            let cells = series.cells(metric, ports, times, buckets)?;
            blocks.put(format!("{index}.cells.{}", metric.word), cells.iter().map(byte));
        }
    }
    let sent = Metric { word: "use", columns: &["sent_bytes"], most: false };
    let bytes = series.cells(&sent, ports, times, buckets)?;
    let shares = bytes.iter().enumerate().map(|(cell, bytes)| {
        // Gbit/s for a microsecond are 125 bytes.
        let whole = fabric.rates[cell / buckets] * 125.0 * width;
        (250.0 * bytes / whole).round().min(255.0) as u8
    });
    blocks.put(format!("{index}.cells.use"), shares);
    Ok(series.ports.iter().collect::<BTreeSet<_>>().len())
}

/// The table `series`.
struct Series {
    table: TableFile,
    ports: Vec<usize>,
    at_us: Vec<f64>,
}

impl Series {
    fn read(folder: &Path) -> Result<Option<Self>, ViewError> {
        let Some(table) = TableFile::open(folder, "series")? else { return Ok(None) };
        let ports = table.numbers("port")?.into_iter().map(|port| port as usize).collect();
        let at_us = table.numbers("time_us")?;
        Ok(Some(Self { table, ports, at_us }))
    }

    /// Where its last bucket begins, and a little more.
    fn end_us(&self) -> f64 {
        self.at_us.iter().copied().fold(0.0_f64, f64::max) + 1e-3
    }

    /// A number a port and bucket.
    fn cells(
        &self,
        metric: &Metric,
        ports: usize,
        times: &Times,
        buckets: usize,
    ) -> Result<Vec<f64>, ViewError> {
        let mut cells = vec![0.0_f64; ports * buckets];
        for column in metric.columns {
            let rows = self.ports.iter().zip(&self.at_us).zip(self.table.numbers(column)?);
            for ((port, at), value) in rows.filter(|(_, value)| !value.is_nan()) {
                let cell = &mut cells[port * buckets + times.bucket(*at, buckets)];
                *cell = if metric.most { cell.max(value) } else { *cell + value };
            }
        }
        Ok(cells)
    }
}
