//! `switches`: how full each switch's memory was.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::buffer::headroom::Pools;
use raddle_sim::topology::Switch;
use raddle_sim::wire::port_facts::PortFacts;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<SwitchRow<'_>>(of_run);

/// A switch whose ports share its memory.
pub(super) struct SwitchRow<'a> {
    number: usize,
    switch: &'a Switch,
    memory: u64,
    most: u64,
    pools: Option<&'a Pools>,
}

impl SwitchRow<'_> {
    fn pool(&self, of: fn(&Pools) -> u64) -> u64 {
        self.pools.map_or(0, of)
    }
}

impl Row for SwitchRow<'_> {
    const NAME: &'static str = "switches";
    const MEANING: &'static str = "One row per switch, where ports share a switch's memory.";

    fn declare(table: &mut Columns<Self>) {
        table.col("switch", "", "number of the switch", |row| row.number as u64);
        table.col("name", "", "name of the switch", |row| row.switch.name.clone());
        table.col("memory_bytes", "B", "its memory", |row| row.memory);
        table.col(
            "memory_bytes_max",
            "B",
            "most bytes of it used at once, frames in service included",
            |row| row.most,
        );
        table.col(
            "headroom_bytes_max",
            "B",
            "most bytes of headroom used at once; 0 without",
            |row| row.pool(|own| own.headroom_max),
        );
        table.col(
            "headroom_queue_bytes_max",
            "B",
            "most bytes in headroom of one port and class",
            |row| row.pool(|own| own.headroom_queue_max),
        );
        table.col(
            "lossless_bytes_max",
            "B",
            "where classes are lossless, most bytes of those",
            |row| row.pool(|own| own.lossless_max),
        );
        table.col("lossy_bytes_max", "B", "and of the others", |row| row.pool(|own| own.lossy_max));
        table.col(
            "lossless_refused_frames",
            "frames",
            "frames of lossless classes that were refused",
            |row| row.pool(|own| own.lossless_refused),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let Run { plan, outcome, .. } = run;
    let buffer = plan.buffer.as_ref()?;
    let (packet, rtt) = (plan.packet(), PortFacts::longest_rtt(plan));
    Some(table(run, outcome.memory_bytes_max.len(), move |number| {
        let switch = &plan.fabric.switches[number];
        SwitchRow {
            number,
            switch,
            memory: buffer.size_at(&plan.fabric, switch, packet, rtt).0,
            most: outcome.memory_bytes_max[number],
            pools: outcome.pools.get(number),
        }
    }))
}
