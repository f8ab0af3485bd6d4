//! `ports`: what each port sent and lost.

use super::column::{Columns, Row, TableSpec, table};
use super::nodes::node_name;
use super::{Parts, Run};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;
use raddle_sim::record::layers::{Layer, Layers};
use raddle_sim::record::{CreditRecord, DropCause, PfcRecord, PortRecord, RetryRecord};
use raddle_sim::topology::circuits::Lane;
use raddle_sim::topology::{Fabric, Port};

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<PortRow<'_>>(of_run);

/// A port.
pub(super) struct PortRow<'a> {
    number: usize,
    port: &'a Port,
    record: &'a PortRecord,
    fabric: &'a Fabric,
    layer: Layer,
    delay: Span,
    lane: Option<&'a Lane>,
    clipped: u64,
    late: u64,
    retry: RetryRecord,
    credits: Option<&'a CreditRecord>,
}

impl PortRow<'_> {
    fn dropped(&self, cause: DropCause) -> u64 {
        self.record.dropped[cause as usize]
    }

    fn pfc(&self, of: fn(&PfcRecord) -> u64) -> u64 {
        self.record.pfc.as_deref().map_or(0, of)
    }

    fn credits(&self, of: fn(&CreditRecord) -> u64) -> u64 {
        self.credits.map_or(0, of)
    }
}

impl Row for PortRow<'_> {
    const NAME: &'static str = "ports";
    const MEANING: &'static str = "One row per port, that is per directed link.";

    fn declare(table: &mut Columns<Self>) {
        table.col("port", "", "number of the port", |row| row.number as u64);
        table.col("name", "", "name of the port", |row| row.port.name.clone());
        table.col("node", "", "host or switch that the port belongs to", |row| {
            node_name(row.fabric, row.port.owner)
        });
        table.col("peer", "", "host or switch at the other end of the cable", |row| {
            node_name(row.fabric, row.fabric.ports[row.port.peer.index()].owner)
        });
        table.col("peer_port", "", "number of the port there, whose link leads back", |row| {
            u64::from(row.port.peer.0)
        });
        table.col("layer", "", "where the link leads, as in `tor_agg`", |row| {
            row.layer.word().to_owned()
        });
        table.col(
            "delay_us",
            "us",
            "from the last bit that leaves until the frame is there: the cable, and what the far node takes",
            |row| row.delay.as_us(),
        );
        table.col("rate_gbps", "Gbps", "rate of the link when nothing is broken", |row| {
            row.port.rate.0 as f64 / 1e9
        });
        table.col("frames", "frames", "frames whose last bit left, lost ones included", |row| {
            row.record.frames
        });
        table.col("sent_bytes", "B", "their bytes", |row| row.record.bytes);
        table.col("data_frames", "frames", "of these frames, data packets", |row| {
            row.record.data_frames
        });
        table.col("marked_packets", "packets", "data packets marked here", |row| row.record.marked);
        table.col("trimmed_packets", "packets", "data packets trimmed here", |row| {
            row.record.trimmed
        });
        table.col(
            "dropped_overflow_frames",
            "frames",
            "frames lost here: the queue was full",
            |row| row.dropped(DropCause::Overflow),
        );
        table.col(
            "dropped_link_down_frames",
            "frames",
            "frames lost here: the link was down",
            |row| row.dropped(DropCause::LinkDown),
        );
        table.col(
            "dropped_node_down_frames",
            "frames",
            "frames lost here: the node was dead",
            |row| row.dropped(DropCause::NodeDown),
        );
        table.col(
            "dropped_loss_frames",
            "frames",
            "frames lost here: random loss or bit errors",
            |row| row.dropped(DropCause::Loss),
        );
        table.col(
            "dropped_no_route_frames",
            "frames",
            "frames lost here: no port led there",
            |row| row.dropped(DropCause::NoRoute),
        );
        table.col("dropped_packets", "packets", "of all frames lost here, data packets", |row| {
            row.record.dropped_data.iter().sum::<u64>()
        });
        table.col(
            "queue_bytes_max",
            "B",
            "most bytes of one data class queued, in service included",
            |row| row.record.queue_bytes_max,
        );
        table.col("pauses", "pauses", "how often a class of what came in here was paused", |row| {
            row.pfc(|own| own.pauses)
        });
        table.col("paused_us", "us", "for how long, added up over the classes", |row| {
            row.record.pfc.as_ref().map_or(0.0, |own| own.paused.as_us())
        });
        table.col(
            "pfc_frames",
            "frames",
            "frames of flow control whose last bit left, lost ones included",
            |row| row.pfc(|own| own.frames),
        );
        table.col("pfc_lost_frames", "frames", "frames of flow control lost", |row| {
            row.pfc(|own| own.lost)
        });
        table.col(
            "ignored_pauses",
            "pauses",
            "pauses of the far end, a class and frame each, that the watchdog did not heed",
            |row| row.pfc(|own| own.ignored),
        );
        table.col(
            "ingress_bytes_max",
            "B",
            "under flow control, most bytes of one class that came in here",
            |row| row.pfc(|own| own.ingress_bytes_max),
        );
        table.col(
            "lossless_refused_frames",
            "frames",
            "frames of lossless classes for which there was no room here",
            |row| row.pfc(|own| own.refused),
        );
        declare_credits(table);
        table.col(
            "openings",
            "",
            "between ToRs of circuits, how often the link is open in a period of the first schedule",
            |row| row.lane.map(|lane| lane.openings.len() as u64),
        );
        table.col("open_us", "us", "and for how long in a period", |row| {
            row.lane.map(|lane| lane.open().as_us())
        });
        table.col(
            "clipped_frames",
            "frames",
            "of the frames lost on the link, those of which some bit passed while the circuit was not up",
            |row| row.clipped,
        );
        table.col(
            "late_frames",
            "frames",
            "frames that waited here when their circuit closed and were taken out, each time",
            |row| row.late,
        );
        table.col(
            "replayed_frames",
            "frames",
            "frames that the link sent again, not among `frames`",
            |row| row.retry.replayed_frames,
        );
        table.col("replayed_bytes", "B", "their bytes", |row| row.retry.replayed_bytes);
        table.col("nacks", "", "how often the far end of the link asked for a frame", |row| {
            row.retry.nacks
        });
        table.col(
            "retry_timeouts",
            "",
            "how often the far end of the link did not answer in time",
            |row| row.retry.timeouts,
        );
        table.col(
            "given_up_frames",
            "frames",
            "of the frames lost here, those that the link sent again in vain",
            |row| row.retry.flushed,
        );
        table.col(
            "unacknowledged_bytes_max",
            "B",
            "most bytes that the link kept to send again",
            |row| row.retry.kept_bytes_max,
        );
    }
}

/// What credits came to.
fn declare_credits(table: &mut Columns<PortRow<'_>>) {
    table.col(
        "without_credit_us",
        "us",
        "for how long there was no credit here for a full packet, added up over the classes",
        |row| Span(row.credits(|own| own.sum(|class| class.without.0))).as_us(),
    );
    table.col(
        "credit_cells_max",
        "cells",
        "most cells of one class that were out: consumed and not told of as freed",
        |row| row.credits(|own| own.most(|class| class.in_use_max)),
    );
    table.col(
        "held_cells_max",
        "cells",
        "most cells of one class that what came in here took at once",
        |row| row.credits(|own| own.most(|class| class.held_max)),
    );
    table.col(
        "leaked_cells",
        "cells",
        "cells of frames that never came in here, given back when the far end told how many it had consumed",
        |row| row.credits(|own| own.sum(|class| class.leaked)),
    );
    table.col(
        "credit_frames",
        "frames",
        "messages about credit whose last bit left, lost ones included",
        |row| row.credits(|own| own.freed_frames + own.consumed_frames),
    );
    table.col("credit_lost_frames", "frames", "messages about credit lost on the link", |row| {
        row.credits(|own| own.lost_frames)
    });
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let (fabric, records) = (&run.plan.fabric, &run.outcome.ports);
    let layers = Layers::of_fabric(fabric);
    Some(table(run, records.len(), move |number| PortRow {
        number,
        port: &fabric.ports[number],
        record: &records[number],
        fabric,
        layer: layers.of(fabric, PortId(number as u32)),
        delay: fabric.latency(PortId(number as u32)),
        lane: fabric.circuits.as_ref().and_then(|own| own.lane(PortId(number as u32))),
        clipped: run.outcome.clipped_frames.get(number).copied().unwrap_or_default(),
        retry: run.outcome.retries.get(number).copied().unwrap_or_default(),
        credits: run.outcome.credits.get(number),
        late: run.outcome.late_frames.get(number).copied().unwrap_or_default(),
    }))
}
