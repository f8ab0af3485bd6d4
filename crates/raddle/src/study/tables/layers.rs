//! `layers`: how evenly the links between two tiers were used.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_sim::record::layers::{LayerRecord, layers};

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<LayerRow>(of_run);

/// A layer.
pub(super) struct LayerRow(LayerRecord);

impl Row for LayerRow {
    const NAME: &'static str = "layers";
    const MEANING: &'static str = "One row per layer, that is all links from one tier to another.";

    fn declare(table: &mut Columns<Self>) {
        table.col("layer", "", "where the links lead, as in `tor_agg`", |row| {
            row.0.layer.word().to_owned()
        });
        table.col("links", "links", "how many there are", |row| row.0.links as u64);
        table.col(
            "queue_bytes_max",
            "B",
            "most bytes of one data class in a queue of the layer; empty at hosts",
            |row| row.0.queue_bytes_max,
        );
        table.col(
            "queue_bytes_mean",
            "B",
            "bytes of data queued, mean over queues and sending time; empty unless recorded",
            |row| row.0.queue_bytes_mean,
        );
        table.col(
            "bytes_overload",
            "",
            "bytes of the busiest link over the links' mean, less 1",
            |row| row.0.bytes_overload,
        );
        table.col("frames_overload", "", "the same for frames of any kind", |row| {
            row.0.frames_overload
        });
        table.col("data_overload", "", "the same for data packets", |row| row.0.data_overload);
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let layers = layers(&run.plan.fabric, run.outcome);
    Some(table(run, layers.len(), move |row| LayerRow(layers[row])))
}
