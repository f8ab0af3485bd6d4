//! `training`: what memory's oracle learns from.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_sim::record::TrainingRow as Example;
use raddle_sim::topology::Switch;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<TrainingRow<'_>>(of_run);

/// A packet whose fate is known.
pub(super) struct TrainingRow<'a> {
    number: usize,
    switch: &'a Switch,
    packet: &'a Example,
}

impl Row for TrainingRow<'_> {
    const NAME: &'static str = "training";
    const MEANING: &'static str = "One row per packet of data that a switch's memory was asked for and whose fate is known: \
              what Credence's oracle is trained on.";

    fn declare(table: &mut Columns<Self>) {
        table.col("switch", "", "number of the switch", |row| row.number as u64);
        table.col("name", "", "name of the switch", |row| row.switch.name.clone());
        table.col("queue_bytes", "B", "in the packet's queue when it came", |row| {
            row.packet.found.queue
        });
        table.col("queue_average_bytes", "B", "the average of that, over a round trip", |row| {
            row.packet.found.queue_average
        });
        table.col("occupancy_bytes", "B", "in the switch's memory when it came", |row| {
            row.packet.found.occupancy
        });
        table.col(
            "occupancy_average_bytes",
            "B",
            "the average of that, over a round trip",
            |row| row.packet.found.occupancy_average,
        );
        table.col("dropped", "", "whether it was refused or pushed out; else it left", |row| {
            row.packet.dropped
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (plan, training) = (run.plan, &run.outcome.training);
    if training.is_empty() {
        return None;
    }
    let all = |(id, own): (usize, &Vec<Example>)| (0..own.len()).map(move |packet| (id, packet));
    let rows: Vec<(usize, usize)> = training.iter().enumerate().flat_map(all).collect();
    Some(table(run, rows.len(), move |row| {
        let (number, packet) = rows[row];
        let switch = &plan.fabric.switches[number];
        TrainingRow { number, switch, packet: &training[number][packet] }
    }))
}
