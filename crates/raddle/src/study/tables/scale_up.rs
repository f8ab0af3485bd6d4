//! `scale_up`: what passed the ports of GPUs to the crossbars of their servers.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;
use raddle_sim::plan::Plan;
use raddle_sim::record::ScaleUpRecord;
use raddle_sim::topology::scale_up::ScaleUp;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<ScaleUpRow<'_>>(of_run);

/// A GPU of a server.
pub(super) struct ScaleUpRow<'a> {
    host: HostId,
    plan: &'a Plan,
    domain: &'a ScaleUp,
    record: &'a ScaleUpRecord,
    /// How long the run lasted, in ps.
    lasted: u64,
}

impl ScaleUpRow<'_> {
    /// The share of the run for which a port passed so much.
    fn busy(&self, bytes: u64) -> f64 {
        self.domain.serialisation(Bytes(bytes)).0 as f64 / self.lasted.max(1) as f64
    }
}

impl Row for ScaleUpRow<'_> {
    const NAME: &'static str = "scale_up";
    const MEANING: &'static str = "One row per host, where `[fabric] scale_up` makes hosts GPUs of servers: what passed its two ports to \
         the crossbar of its server. Nothing of that is in `ports`, and flows across have no packets in `flows`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("host", "", "number of the host", |row| u64::from(row.host.0));
        table.col("name", "", "its name", |row| row.plan.fabric.host_name(row.host).to_owned());
        table.col("server", "", "number of its server", |row| {
            u64::from(row.domain.server(row.host))
        });
        table.col("sent_bytes", "B", "bytes of messages that left it", |row| row.record.sent_bytes);
        table.col("received_bytes", "B", "bytes of messages that came to it", |row| {
            row.record.received_bytes
        });
        table.col(
            "waiting_bytes_max",
            "B",
            "most that waited for its port in when that began to take a quantum",
            |row| row.record.waiting_bytes_max,
        );
        table.col("out_busy", "", "share of the run for which its port out was busy", |row| {
            row.busy(row.record.sent_bytes)
        });
        table.col("in_busy", "", "the same of its port in", |row| {
            row.busy(row.record.received_bytes)
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (plan, records) = (run.plan, &run.outcome.scale_up);
    let domain = plan.fabric.scale_up.as_ref()?;
    let lasted = run.outcome.end.0;
    Some(table(run, records.len(), move |row| ScaleUpRow {
        host: HostId(row as u32),
        plan,
        domain,
        record: &records[row],
        lasted,
    }))
}
