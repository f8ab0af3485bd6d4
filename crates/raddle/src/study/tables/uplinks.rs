//! `uplinks`: what ToRs of circuits sent over each uplink.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::circuits::open_in_all;
use raddle_schemes::ids::PortId;
use raddle_sim::record::Outcome;
use raddle_sim::topology::{Fabric, Switch};

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<UplinkRow<'_>>(of_run);

/// An uplink of a ToR.
pub(super) struct UplinkRow<'a> {
    switch: &'a Switch,
    uplink: u32,
    /// Time in which it was up, in ps.
    open: u64,
    bytes: f64,
    /// What it could have carried, in bytes.
    most: f64,
}

impl Row for UplinkRow<'_> {
    const NAME: &'static str = "uplinks";
    const MEANING: &'static str = "One row per link of a ToR to a circuit switch. What several carried \
                                   together counts for each by its share of their time.";

    fn declare(table: &mut Columns<Self>) {
        table.col("switch", "", "name of the ToR", |row| row.switch.name.clone());
        table.col(
            "uplink",
            "",
            "number of the uplink, which is that of its circuit switch",
            |row| u64::from(row.uplink),
        );
        table.col("open_us", "us", "time in the run in which it led to another ToR", |row| {
            row.open as f64 / 1e6
        });
        table.col("sent_bytes", "B", "bytes that left by it", |row| row.bytes.round() as u64);
        table.col("share", "", "of what it could have carried in that time", |row| {
            if row.most > 0.0 { row.bytes / row.most } else { 0.0 }
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (fabric, outcome): (&Fabric, &Outcome) = (&run.plan.fabric, run.outcome);
    let circuits = fabric.circuits.as_ref().filter(|own| own.packet.is_none())?;
    let uplinks = circuits.uplinks as usize;
    Some(table(run, fabric.switches.len() * uplinks, move |row| {
        let switch = &fabric.switches[row / uplinks];
        let uplink = (row % uplinks) as u32;
        let (mut total, mut bytes) = (0, 0.0);
        for id in switch.ports.clone().map(PortId) {
            let (own, in_run) = open_in_all(circuits, id, uplink, outcome.end);
            if own > 0 {
                let each = (0..circuits.uplinks)
                    .map(|other| open_in_all(circuits, id, other, outcome.end).0);
                let share = own as f64 / each.sum::<u64>() as f64;
                total += in_run;
                bytes += share * outcome.ports[id.index()].bytes as f64;
            }
        }
        let most = circuits.uplink_rate.0 as f64 / 8.0 * total as f64 / 1e12;
        UplinkRow { switch, uplink, open: total, bytes, most }
    }))
}
