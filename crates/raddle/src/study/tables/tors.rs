//! `tors`: what middleware in each ToR did.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_sim::record::TorRecord;
use raddle_sim::topology::Switch;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<TorRow<'_>>(of_run);

/// A ToR with middleware.
pub(super) struct TorRow<'a> {
    number: usize,
    switch: &'a Switch,
    record: &'a TorRecord,
}

impl Row for TorRow<'_> {
    const NAME: &'static str = "tors";
    const MEANING: &'static str = "One row per ToR with middleware.";

    fn declare(table: &mut Columns<Self>) {
        table.col("switch", "", "number of the switch", |row| row.number as u64);
        table.col("name", "", "name of the switch", |row| row.switch.name.clone());
        table.col(
            "dropped_frames",
            "frames",
            "frames that it dropped, those it let go without a route too",
            |row| row.record.dropped,
        );
        table.col("dropped_packets", "packets", "of these, data packets", |row| {
            row.record.dropped_data
        });
        table.col("sent_frames", "frames", "frames of its own", |row| row.record.sent);
        table.col("sent_bytes", "B", "their bytes", |row| row.record.sent_bytes);
        table.col("held_frames_max", "frames", "most frames that it held at once", |row| {
            row.record.held_max
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (plan, records) = (run.plan, &run.outcome.tors);
    if records.is_empty() {
        return None;
    }
    let with_middleware = |id: &usize| plan.has_middleware(&plan.fabric.switches[*id]);
    let tors: Vec<usize> = (0..records.len()).filter(with_middleware).collect();
    Some(table(run, tors.len(), move |row| {
        let number = tors[row];
        TorRow { number, switch: &plan.fabric.switches[number], record: &records[number] }
    }))
}
