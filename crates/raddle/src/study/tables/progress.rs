//! `progress`: what reached each flow's receiver over time.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::units::Span;
use raddle_sim::record::rows::ProgressRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<Bucket>(of_run);

/// A flow and a bucket.
pub(super) struct Bucket {
    row: ProgressRow,
    width: Span,
}

impl Row for Bucket {
    const NAME: &'static str = "progress";
    const MEANING: &'static str = "One row per flow and time bucket in which data left for its receiver, by flow, then by \
         time; with `record.map`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("flow", "", "number of the flow", |own| u64::from(own.row.flow.0));
        table.col("time_us", "us", "start of the time bucket, since the run's start", |own| {
            Span(own.width.0 * u64::from(own.row.bucket)).as_us()
        });
        table.col(
            "data_bytes",
            "B",
            "of whole data packets whose last bit left the last switch in the bucket, headers included",
            |own| own.row.bytes,
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (progress, width) = (&run.outcome.progress, run.outcome.bucket);
    let row = move |row: usize| Bucket { row: progress[row], width };
    run.plan.record.routes.then(|| table(run, progress.len(), row))
}
