//! `probes`: what schemes showed of their state.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_sim::record::probes::{Holder, ProbeRow};

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<Shown>(of_run);

/// A number that has changed.
pub(super) struct Shown {
    row: ProbeRow,
    /// The name of its switch, if it is of one.
    switch: Option<String>,
}

impl Row for Shown {
    const NAME: &'static str = "probes";
    const MEANING: &'static str = "One row per number of `record.probes` that has changed, at the end of the bucket or at the \
         instant in which it did: by flow, then by switch, then by time.";

    fn declare(table: &mut Columns<Self>) {
        table.col(
            "time_us",
            "us",
            "start of the time bucket, or the instant, since the run's start",
            |own| own.row.at.as_us(),
        );
        table.col("flow", "", "number of the flow whose sender shows it", |own| {
            match own.row.holder {
                Holder::Flow(flow) => Some(u64::from(flow.0)),
                Holder::Switch(_) => None,
            }
        });
        table.col("switch", "", "name of the switch that shows it", |own| own.switch.clone());
        table.col("port", "", "number of the port that it is of, if it is of one", |own| {
            own.row.port.map(|port| u64::from(port.0))
        });
        table.col("probe", "", "its word", |own| own.row.probe.to_owned());
        table.col("value", "", "what it came to", |own| own.row.value);
        table.col(
            "unit",
            "",
            "what the value is measured in: `B`, `us`, `Gbit/s`, `count`, or nothing",
            |own| own.row.unit.word().to_owned(),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    if run.plan.record.probes.words.is_empty() {
        return None;
    }
    let (probes, switches) = (&run.outcome.probes, &run.plan.fabric.switches);
    Some(table(run, probes.len(), move |row| {
        let row = probes[row];
        let switch = match row.holder {
            Holder::Switch(switch) => Some(switches[switch.index()].name.clone()),
            Holder::Flow(_) => None,
        };
        Shown { row, switch }
    }))
}
