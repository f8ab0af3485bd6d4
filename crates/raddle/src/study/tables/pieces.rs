//! `pieces`: what became of each piece of a flow.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::summary::fct;
use raddle_schemes::ids::{Entropy, FlowId};
use raddle_schemes::units::{Span, Time};
use raddle_sim::record::FlowRecord;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Flow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<PieceRow<'_>>(of_run);

/// A piece.
pub(super) struct PieceRow<'a> {
    number: usize,
    flow: &'a Flow,
    message: FlowId,
    path: Option<Entropy>,
    record: FlowRecord,
    fabric: &'a Fabric,
}

impl Row for PieceRow<'_> {
    const NAME: &'static str = "pieces";
    const MEANING: &'static str = "One row per piece of a flow, where a planner gives flows their paths, or each is spread over \
         queue pairs.";

    fn declare(table: &mut Columns<Self>) {
        table.col("piece", "", "number of the piece", |row| row.number as u64);
        table.col("flow", "", "number of the flow that it belongs to", |row| {
            u64::from(row.message.0)
        });
        table.col("size_bytes", "B", "application bytes", |row| row.flow.bytes.0);
        table.col(
            "path",
            "",
            "port of the source's switch that it was given; empty if there is no choice",
            |row| Some(row.fabric.up_port(row.flow.source, row.path?).name.clone()),
        );
        table.col("start_us", "us", "when it started; empty if it never did", |row| {
            row.record.started.map(Time::as_us)
        });
        table.col(
            "fct_us",
            "us",
            "start to last needed ACK at the sender; empty if not completed",
            |row| fct(&row.record).map(Span::as_us),
        );
        table.col(
            "sent_packets",
            "packets",
            "data packets sent, retransmissions included",
            |row| row.record.sent,
        );
        table.col("retransmitted_packets", "packets", "data packets sent again", |row| {
            row.record.retransmitted
        });
        table.col(
            "dropped_packets",
            "packets",
            "data packets lost on the way, whatever the cause",
            |row| row.record.dropped,
        );
        table.col("timeouts", "timeouts", "retransmission timeouts", |row| row.record.timeouts);
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (fabric, all) = (&run.plan.fabric, run.outcome.pieces.as_deref()?);
    Some(table(run, all.records.len(), move |number| {
        let (flow, message, path, record) = all.at(number);
        PieceRow { number, flow, message, path, record, fabric }
    }))
}
