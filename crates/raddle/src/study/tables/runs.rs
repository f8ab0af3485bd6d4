//! `runs`: a study, one row a run.

use super::column::{Columns, Row, SCENARIO, SEED, TableSpec, columns};
use super::{Column, Table, settings};
use crate::study::VERSION;
use crate::study::metric::{BUSBW, GOODPUT, Measured};
use crate::study::quantiles::Share;
use crate::study::summary::{RunSummary, SizeClass};
use raddle_sim::record::DropCause;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<RunRow<'_>>(|_| None);

/// One run of a study, as a row of the table `runs`.
#[derive(Clone, Copy, Debug)]
pub struct RunRow<'a> {
    /// What the sweep set: path and value.
    pub settings: &'a [(String, String)],
    /// The run in numbers.
    pub summary: &'a RunSummary,
}

impl RunRow<'_> {
    fn dropped(&self, cause: DropCause) -> u64 {
        self.summary.packets.dropped[cause as usize]
    }

    fn slowdown(&self, share: Share) -> Option<f64> {
        Some(self.summary.slowdown.of_class(SizeClass::All)?.at(share)?.value)
    }

    fn setting(&self, path: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(own, _)| own == path);
        found.map(|(_, value)| value.as_str())
    }
}

impl Row for RunRow<'_> {
    const NAME: &'static str = "runs";
    const MEANING: &'static str =
        "One row per run; behind these columns, one per key that the sweep set.";
    const OF_A_RUN: bool = false;

    fn declare(table: &mut Columns<Self>) {
        table.add(SCENARIO, |row| row.summary.scenario.clone());
        table.add(SEED, |row| row.summary.seed);
        table.col("version", "", "version of raddle", |_| VERSION.to_owned());
        table.col("completed", "", "whether every flow completed", |row| row.summary.completed);
        table.col("flows", "flows", "number of flows", |row| row.summary.flows);
        table.col("unfinished", "flows", "flows that did not complete", |row| {
            row.summary.unfinished
        });
        table.col(
            "unstarted",
            "flows",
            "of these, flows that had not started when the run ended",
            |row| row.summary.unstarted,
        );
        table.col(
            "at_dead_hosts",
            "flows",
            "flows that did not complete with an end at a dead host",
            |row| row.summary.at_dead_hosts,
        );
        table.col(
            "completion_us",
            "us",
            "time zero to the last needed ACK of any flow; empty unless every flow completed",
            |row| row.summary.completion_us,
        );
        table.col(
            "bound_us",
            "us",
            "lower bound on the completion; empty where none is known",
            |row| row.summary.bound_us,
        );
        table.col("bound", "", "name of that bound", |row| row.summary.bound.clone());
        table.col("increase_pct", "%", "completion over the bound", |row| row.summary.increase_pct);
        table.col("fct_max_us", "us", "longest flow completion time, of completed flows", |row| {
            row.summary.fct_us.max
        });
        table.col("fct_mean_us", "us", "mean flow completion time, of completed flows", |row| {
            row.summary.fct_us.mean
        });
        table.col(
            "fct_p50_us",
            "us",
            "median flow completion time, of completed flows, nearest rank",
            |row| row.summary.fct_us.p50,
        );
        table.col("fct_p99_us", "us", "99th percentile of them, nearest rank", |row| {
            row.summary.fct_us.p99
        });
        table.col(
            "delivered_max_us",
            "us",
            "longest time from a flow's start to its last byte",
            |row| row.summary.delivered_us.max,
        );
        table.col(
            "delivered_mean_us",
            "us",
            "mean time from a flow's start to its last byte",
            |row| row.summary.delivered_us.mean,
        );
        table.col(
            "delivered_p50_us",
            "us",
            "median time from a flow's start to its last byte",
            |row| row.summary.delivered_us.p50,
        );
        table.col("delivered_p99_us", "us", "99th percentile of times to the last byte", |row| {
            row.summary.delivered_us.p99
        });
        table.col(
            "slowdown_mean",
            "",
            "mean of completion times over those alone in the idle fabric",
            |row| Some(row.summary.slowdown.of_class(SizeClass::All)?.mean),
        );
        table.col("slowdown_p50", "", "median of these slowdowns, nearest rank", |row| {
            row.slowdown(Share::P50)
        });
        table.col(
            "slowdown_p95",
            "",
            "95th percentile; empty if fewer than 20 flows are beyond it",
            |row| row.slowdown(Share::P95),
        );
        table.col(
            "slowdown_p99",
            "",
            "99th percentile; empty if fewer than 20 flows are beyond it",
            |row| row.slowdown(Share::P99),
        );
        table.col(
            "slowdown_p99_9",
            "",
            "99.9th percentile; empty if fewer than 20 flows are beyond it",
            |row| row.slowdown(Share::P99_9),
        );
        table.col(
            "busbw_gb_s",
            "GB/s",
            "bus bandwidth of the slowest collective; empty without one",
            |row| BUSBW.measure(&Measured::of_run(row.summary)),
        );
        table.col(
            "goodput_gbps",
            "Gbps",
            "application bits of all flows over the completion",
            |row| GOODPUT.measure(&Measured::of_run(row.summary)),
        );
        table.col(
            "sent_packets",
            "packets",
            "data packets sent, retransmissions included",
            |row| row.summary.packets.sent,
        );
        table.col(
            "delivered_packets",
            "packets",
            "data packets that arrived whole and were new",
            |row| row.summary.packets.delivered,
        );
        table.col("retransmitted_packets", "packets", "data packets sent again", |row| {
            row.summary.packets.retransmitted
        });
        table.col(
            "refused_packets",
            "packets",
            "data packets that arrived whole and new, thrown away there for being out of order",
            |row| row.summary.packets.refused,
        );
        table.col(
            "dropped_overflow_packets",
            "packets",
            "data packets lost: the queue was full",
            |row| row.dropped(DropCause::Overflow),
        );
        table.col(
            "dropped_link_down_packets",
            "packets",
            "data packets lost: the link was down",
            |row| row.dropped(DropCause::LinkDown),
        );
        table.col(
            "dropped_node_down_packets",
            "packets",
            "data packets lost: the node was dead",
            |row| row.dropped(DropCause::NodeDown),
        );
        table.col(
            "dropped_loss_packets",
            "packets",
            "data packets lost: random loss or bit errors",
            |row| row.dropped(DropCause::Loss),
        );
        table.col(
            "dropped_no_route_packets",
            "packets",
            "data packets lost: no port led there",
            |row| row.dropped(DropCause::NoRoute),
        );
        table.col(
            "dropped_middleware_packets",
            "packets",
            "data packets that middleware in ToRs dropped",
            |row| row.summary.packets.dropped_by_middleware,
        );
        table.col(
            "lossless_refused_frames",
            "frames",
            "frames of lossless classes for which there was no room, dropped or trimmed",
            |row| row.summary.packets.lossless_refused,
        );
        table.col(
            "trimmed_packets",
            "packets",
            "data packets cut to their header in a switch",
            |row| row.summary.packets.trimmed,
        );
        table.col("marked_packets", "packets", "data packets that got a congestion mark", |row| {
            row.summary.packets.marked
        });
        table.col(
            "queue_bytes_max",
            "B",
            "most bytes of one data class in a switch port's queue",
            |row| row.summary.queue_bytes_max,
        );
        table.col(
            "memory_bytes_max",
            "B",
            "most bytes of a switch's shared memory; 0 if none is shared",
            |row| row.summary.memory_bytes_max,
        );
        table.col(
            "circuit_utilisation",
            "",
            "bytes that left by circuits over what these could have carried until the run ended",
            |row| row.summary.circuit_utilisation,
        );
        table.col(
            "bandwidth_tax",
            "",
            "data packets that left by circuits for each that arrived from another ToR, less 1",
            |row| row.summary.bandwidth_tax,
        );
        table.col(
            "throughput",
            "",
            "what arrived at other ToRs by circuits, of the rate of a ToR's uplinks: of the ToR with most",
            |row| row.summary.throughput.map(|own| own.carried),
        );
        table.col(
            "throughput_single_hop",
            "",
            "the most of such traffic that direct circuits carry, likewise",
            |row| row.summary.throughput.map(|own| own.single_hop),
        );
        table.col(
            "throughput_multi_hop",
            "",
            "the most over all ways, as `raddle throughput` finds it; a bound of more than 16 ToRs, none of more than 128",
            |row| row.summary.throughput.and_then(|own| own.multi_hop),
        );
        table.col(
            "throughput_multi_hop_found",
            "",
            "where that is a bound, what some flow carries",
            |row| row.summary.throughput.and_then(|own| own.multi_hop_found),
        );
        table.col("pauses", "pauses", "how often flow control paused a class at a port", |row| {
            row.summary.pauses
        });
        table.col(
            "without_credit_us",
            "us",
            "for how long ports had no credit for a full packet, added up over ports and classes",
            |row| row.summary.without_credit_us,
        );
        table.col(
            "credit_cells_max",
            "cells",
            "most cells of credit of one class that a port had out",
            |row| row.summary.credit_cells_max,
        );
        table.col("timeouts", "timeouts", "retransmission timeouts", |row| row.summary.timeouts);
        table.col(
            "packet_hops",
            "packet-hops",
            "packets that left any queue, host or switch",
            |row| row.summary.packet_hops,
        );
        table.col("results_hash", "", "hash of all flow and port records", |row| {
            row.summary.results_hash.clone()
        });
        table.col("cpu_s", "s", "CPU time of the run", |row| row.summary.cost.cpu_s);
        table.col("wall_s", "s", "elapsed time of the run", |row| row.summary.cost.wall_s);
    }
}

/// The table `runs`: all that differs between runs, and what came of each.
pub fn runs(rows: &[RunRow<'_>]) -> Table {
    let mut columns = columns(rows);
    let mut paths: Vec<&str> = Vec::new();
    for (path, _) in rows.iter().flat_map(|row| row.settings) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    columns.extend(paths.into_iter().map(|path| setting_column(rows, path)));
    let (name, meaning) = (RunRow::NAME, RunRow::MEANING);
    Table { name, meaning, columns, scenario: None, seed: None }
}

fn setting_column(rows: &[RunRow<'_>], path: &str) -> Column {
    let values: Vec<Option<&str>> = rows.iter().map(|row| row.setting(path)).collect();
    settings::column(path, &values)
}
