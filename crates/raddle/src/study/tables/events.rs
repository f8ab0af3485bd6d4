//! `events`: noteworthy moments of schemes.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Time;
use std::borrow::Cow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<EventRow>(of_run);

/// A moment.
pub(super) struct EventRow {
    time: Time,
    flow: FlowId,
    event: Cow<'static, str>,
}

impl Row for EventRow {
    const NAME: &'static str = "events";
    const MEANING: &'static str =
        "One row per noteworthy moment of a scheme; the first 10 000 of the run.";

    fn declare(table: &mut Columns<Self>) {
        table.col("time_us", "us", "when it happened, since the run's start", |row| {
            row.time.as_us()
        });
        table.col("flow", "", "number of the flow whose scheme it is", |row| u64::from(row.flow.0));
        table.col("event", "", "scheme and moment", |row| row.event.clone().into_owned());
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let events = &run.outcome.timeline.events;
    if events.is_empty() {
        return None;
    }
    Some(table(run, events.len(), move |row| {
        let (time, flow, event) = events[row].clone();
        EventRow { time, flow, event }
    }))
}
