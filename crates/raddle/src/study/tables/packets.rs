//! `packets`: what recorded flows sent.

use super::column::{Columns, Row, TableSpec, table_of};
use super::{Parts, Run};
use raddle_schemes::units::Time;
use raddle_sim::record::rows::PacketRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<PacketRow>(of_run);

impl Row for PacketRow {
    const NAME: &'static str = "packets";
    const MEANING: &'static str = "One row per data packet that a flow of `record.flows` sent: by flow, then as they were sent.";

    fn declare(table: &mut Columns<Self>) {
        table.col("flow", "", "number of the flow", |row| u64::from(row.flow.0));
        table.col("number", "", "number of the packet in its flow", |row| u64::from(row.number));
        table.col("again", "", "whether one of this number had been sent before", |row| row.again);
        table.col("port", "", "number of the port of its host that it left by", |row| {
            u64::from(row.port.0)
        });
        table.col("entropy", "", "entropy value that its sender gave it", |row| {
            u64::from(row.entropy.0)
        });
        table.col("class", "", "data class in which it left the host", |row| u64::from(row.class));
        table.col("bytes", "B", "its size on the wire", |row| u64::from(row.bytes));
        table.col("sent_ps", "ps", "when its last bit left the host", |row| row.sent.0);
        table.col("arrived_ps", "ps", "when the receiver had it; empty if it never did", |row| {
            row.arrived.map(|at: Time| at.0)
        });
        table.col(
            "acked_ps",
            "ps",
            "when its sender heard of it; empty of others than the first of its number that arrived",
            |row| row.acked.map(|at| at.0),
        );
        table.col(
            "fate",
            "",
            "`delivered`, `not_needed` (it arrived when one of its number had, or out of order where \
             none of those is kept), `trimmed`, the cause that it was lost by, or `under_way`",
            |row| row.fate.word(),
        );
        table.col("marked", "", "whether it got a congestion mark", |row| row.marked);
        table.col(
            "sure",
            "",
            "whether no other packet could be taken for it; else rows of its number, all sent again and \
             at one place at once, may be exchanged",
            |row| row.sure,
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let packets = &run.outcome.packets;
    let is_kept = !run.plan.record.packets.is_empty();
    is_kept.then(|| table_of(run, packets.len(), move |rows| packets.rows_of(rows).collect()))
}
