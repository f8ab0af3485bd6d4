//! `timeline`: the whole fabric over time.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::units::Span;
use raddle_sim::record::Timeline;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<TimeRow<'_>>(of_run);

/// A bucket.
pub(super) struct TimeRow<'a> {
    timeline: &'a Timeline,
    at: usize,
    width: Span,
}

impl Row for TimeRow<'_> {
    const NAME: &'static str = "timeline";
    const MEANING: &'static str = "One row per time bucket, over the whole fabric.";

    fn declare(table: &mut Columns<Self>) {
        table.col("time_us", "us", "start of the time bucket, since the run's start", |row| {
            Span(row.width.0 * row.at as u64).as_us()
        });
        table.col("dropped_frames", "frames", "frames lost", |row| {
            u64::from(row.timeline.dropped[row.at])
        });
        table.col("marked_packets", "packets", "data packets marked", |row| {
            u64::from(row.timeline.marked[row.at])
        });
        table.col("trimmed_packets", "packets", "data packets trimmed", |row| {
            u64::from(row.timeline.trimmed[row.at])
        });
        table.col("retransmitted_packets", "packets", "data packets sent again", |row| {
            u64::from(row.timeline.retransmitted[row.at])
        });
        table.col("timeouts", "timeouts", "retransmission timeouts", |row| {
            u64::from(row.timeline.timeouts[row.at])
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (timeline, width) = (&run.outcome.timeline, run.outcome.bucket);
    if width == Span::ZERO {
        return None;
    }
    Some(table(run, timeline.dropped.len(), move |at| TimeRow { timeline, at, width }))
}
