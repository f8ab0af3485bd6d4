//! `routes`: which ports each flow's data left by.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::units::Span;
use raddle_sim::record::rows::RouteRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<RouteRow>(of_run);

impl Row for RouteRow {
    const NAME: &'static str = "routes";
    const MEANING: &'static str = "One row per flow and port that its data left by or was lost at, by flow, then by port; with \
         `record.map`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("flow", "", "number of the flow", |row| u64::from(row.flow.0));
        table.col("port", "", "number of the port", |row| u64::from(row.port.0));
        table.col(
            "packets",
            "packets",
            "its data packets whose last bit left here, lost and trimmed ones included",
            |row| row.packets,
        );
        table.col("lost_packets", "packets", "its data packets lost here", |row| row.lost);
        table.col("first_us", "us", "when the first of them left or was lost", |row| {
            row.first.as_us()
        });
        table.col("last_us", "us", "and the last", |row| row.last.as_us());
        table.col(
            "waited_us",
            "us",
            "how long they were in the switch's queue, less what the healthy link takes to send them, \
             added up; 0 at hosts",
            |row| Span(row.waited.0).as_us(),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let routes = &run.outcome.routes;
    run.plan.record.routes.then(|| table(run, routes.len(), move |row| routes[row]))
}
