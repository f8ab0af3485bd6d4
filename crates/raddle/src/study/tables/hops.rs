//! `hops`: packets of recorded flows at ports of switches.

use super::column::{Columns, Row, TableSpec, table_of};
use super::{Parts, Run};
use raddle_sim::record::rows::HopRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<HopRow>(of_run);

impl Row for HopRow {
    const NAME: &'static str = "hops";
    const MEANING: &'static str = "One row per row of `packets` and port of a switch that it came to: by packet, then in order \
         of time.";

    fn declare(table: &mut Columns<Self>) {
        table.col("packet", "", "row of `packets`, from 0", |row| row.packet);
        table.col("port", "", "number of the port", |row| u64::from(row.port.0));
        table.col("arrived_ps", "ps", "when it could be queued there", |row| row.arrived.0);
        table.col(
            "found_bytes",
            "B",
            "bytes of its class that it found there, frame in service included; empty of headers, \
             which go before data, and of what never joined the queue",
            |row| row.found,
        );
        table.col("stay_ps", "ps", "until its last bit left, or it was lost", |row| row.stay.0);
        table.col(
            "bytes",
            "B",
            "its size on the wire when it left: that of its header, if it had been trimmed",
            |row| u64::from(row.bytes),
        );
        table
            .col("entropy", "", "entropy value with which it left", |row| u64::from(row.entropy.0));
        table.col("marked", "", "whether it was marked here", |row| row.marked);
        table.col(
            "fate",
            "",
            "`left`, `trimmed` (and left), `moved` to another port, the cause that it was lost by \
             here or on the link, or `under_way`",
            |row| row.fate.word(),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let packets = &run.outcome.packets;
    let is_kept = !run.plan.record.packets.is_empty();
    is_kept.then(|| table_of(run, packets.hop_count(), move |rows| packets.hops_of(rows).collect()))
}
