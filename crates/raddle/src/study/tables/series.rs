//! `series`: recorded ports over time.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::units::Span;
use raddle_sim::record::PortSeries;
use raddle_sim::topology::Port;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<BucketRow<'_>>(of_run);

/// A port and a bucket.
pub(super) struct BucketRow<'a> {
    number: u32,
    port: &'a Port,
    series: &'a PortSeries,
    at: usize,
    width: Span,
}

impl Row for BucketRow<'_> {
    const NAME: &'static str = "series";
    const MEANING: &'static str =
        "One row per recorded port and time bucket; none of ports where nothing came.";

    fn declare(table: &mut Columns<Self>) {
        table.col("port", "", "number of the port", |row| u64::from(row.number));
        table.col("name", "", "name of the port", |row| row.port.name.clone());
        table.col("time_us", "us", "start of the time bucket, since the run's start", |row| {
            Span(row.width.0 * row.at as u64).as_us()
        });
        table.col(
            "data_frames",
            "frames",
            "data packets whose last bit left in the bucket",
            |row| u64::from(row.series.data_frames[row.at]),
        );
        table.col(
            "sent_bytes",
            "B",
            "bytes of all frames whose last bit left in the bucket",
            |row| row.series.bytes[row.at],
        );
        table.col(
            "utilisation_pct",
            "%",
            "these bytes over what the healthy link carries in a bucket",
            |row| {
                let whole = row.port.rate.bytes_in(row.width).0;
                (whole > 0).then(|| 100.0 * row.series.bytes[row.at] as f64 / whole as f64)
            },
        );
        table.col(
            "queue_bytes_max",
            "B",
            "most data bytes queued, as arrivals saw it; 0 if none came",
            |row| row.series.queue_bytes_max[row.at],
        );
        table.col("dropped_frames", "frames", "frames lost at the port in the bucket", |row| {
            u64::from(row.series.dropped[row.at])
        });
        table.col("marked_packets", "packets", "data packets marked in the bucket", |row| {
            u64::from(row.series.marked[row.at])
        });
        table.col("trimmed_packets", "packets", "data packets trimmed in the bucket", |row| {
            u64::from(row.series.trimmed[row.at])
        });
        table.col(
            "paused_us",
            "us",
            "for how long in the bucket classes of what came in here were paused, added up over the \
             classes; only with flow control",
            |row| row.series.paused.get(row.at).map(|paused| Span(*paused).as_us()),
        );
        table.col(
            "queue_bytes_mean",
            "B",
            "mean data bytes queued; only with `queue_means`",
            |row| Some(*row.series.queue_bytes_mean.get(row.at)? as f64),
        );
        table.col(
            "lossless_bytes_mean",
            "B",
            "of these, of lossless classes; only where others are not lossless",
            |row| Some(*row.series.lossless_bytes_mean.get(row.at)? as f64),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let Run { plan, outcome, .. } = run;
    if plan.record.bucket == Span::ZERO {
        return None;
    }
    let recorded = plan.record.ports.iter().zip(&outcome.series);
    let buckets: Vec<_> = recorded
        .filter(|(_, series)| !series.is_idle())
        .flat_map(|(port, series)| (0..series.bytes.len()).map(move |at| (port, series, at)))
        .collect();
    Some(table(run, buckets.len(), move |row| {
        let (id, series, at) = buckets[row];
        let port = &plan.fabric.ports[id.index()];
        BucketRow { number: id.0, port, series, at, width: outcome.bucket }
    }))
}
