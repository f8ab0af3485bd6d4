//! The tables themselves: the meaning of every column, and the rows of a run.

use super::{Column, ColumnSpec, Parts, Table, TableSpec, Values};
use crate::study::VERSION;
use crate::study::quantiles::Share;
use crate::study::summary::{RunSummary, SizeClass, delivery, fct, slowdown};
use crate::study::unfinished::Causes;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::ids::{Entropy, FlowId};
use raddle_schemes::units::{Span, Time};
use raddle_sim::plan::{BufferPlan, Plan};
use raddle_sim::record::layers::layers;
use raddle_sim::record::{DropCause, FlowRecord, Outcome, PfcRecord, PieceRecords};
use raddle_sim::topology::{Fabric, Node};
use raddle_sim::wire::port_facts::PortFacts;
use raddle_sim::workload::Flow;
use std::ops::Range;

/// Every kind of table.
pub const TABLES: [&TableSpec; 9] =
    [&RUNS, &FLOWS, &PIECES, &PORTS, &SWITCHES, &LAYERS, &SERIES, &TIMELINE, &EVENTS];

const fn col(name: &'static str, unit: &'static str, meaning: &'static str) -> ColumnSpec {
    ColumnSpec { name, unit, meaning }
}

const SCENARIO: ColumnSpec = col("scenario", "", "hash of the resolved scenario");
const SEED: ColumnSpec = col("seed", "", "seed of every random stream of the run");
const TIME: ColumnSpec = col("time_us", "us", "start of the time bucket, since the run's start");

const RUNS: TableSpec = TableSpec {
    name: "runs",
    meaning: "One row per run; behind these columns, one per key that the sweep set.",
    columns: &[
        SCENARIO,
        SEED,
        col("version", "", "version of raddle"),
        col("completed", "", "whether every flow completed"),
        col("flows", "flows", "number of flows"),
        col("unfinished", "flows", "flows that did not complete"),
        col("unstarted", "flows", "of these, flows that had not started when the run ended"),
        col("at_dead_hosts", "flows", "flows that did not complete with an end at a dead host"),
        col(
            "completion_us",
            "us",
            "time zero to the last needed ACK of any flow; empty unless every flow completed",
        ),
        col("bound_us", "us", "lower bound on the completion; empty where none is known"),
        col("bound", "", "name of that bound"),
        col("increase_pct", "%", "completion over the bound"),
        col("fct_max_us", "us", "longest flow completion time, of completed flows"),
        col("fct_mean_us", "us", "mean flow completion time, of completed flows"),
        col("fct_p50_us", "us", "median flow completion time, of completed flows, nearest rank"),
        col("fct_p99_us", "us", "99th percentile of them, nearest rank"),
        col("delivered_max_us", "us", "longest time from a flow's start to its last byte"),
        col("delivered_mean_us", "us", "mean time from a flow's start to its last byte"),
        col("delivered_p50_us", "us", "median time from a flow's start to its last byte"),
        col("delivered_p99_us", "us", "99th percentile of times to the last byte"),
        col("slowdown_mean", "", "mean of completion times over those alone in the idle fabric"),
        col("slowdown_p50", "", "median of these slowdowns, nearest rank"),
        col("slowdown_p95", "", "95th percentile; empty if fewer than 20 flows are beyond it"),
        col("slowdown_p99", "", "99th percentile; empty if fewer than 20 flows are beyond it"),
        col("slowdown_p99_9", "", "99.9th percentile; empty if fewer than 20 flows are beyond it"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("delivered_packets", "packets", "data packets that arrived whole and were new"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("dropped_overflow_packets", "packets", "data packets lost: the queue was full"),
        col("dropped_link_down_packets", "packets", "data packets lost: the link was down"),
        col("dropped_node_down_packets", "packets", "data packets lost: the node was dead"),
        col("dropped_loss_packets", "packets", "data packets lost: random loss or bit errors"),
        col("dropped_no_route_packets", "packets", "data packets lost: no port led there"),
        col("trimmed_packets", "packets", "data packets cut to their header in a switch"),
        col("marked_packets", "packets", "data packets that got a congestion mark"),
        col("queue_bytes_max", "B", "most bytes of one data class in a switch port's queue"),
        col("memory_bytes_max", "B", "most bytes of a switch's shared memory; 0 if none is shared"),
        col("pauses", "pauses", "how often flow control paused a class at a port"),
        col("timeouts", "timeouts", "retransmission timeouts"),
        col("packet_hops", "packet-hops", "packets that left any queue, host or switch"),
        col("results_hash", "", "hash of all flow and port records"),
        col("cpu_s", "s", "CPU time of the run"),
        col("wall_s", "s", "elapsed time of the run"),
    ],
};

const FLOWS: TableSpec = TableSpec {
    name: "flows",
    meaning: "One row per flow.",
    columns: &[
        SCENARIO,
        SEED,
        col("flow", "", "number of the flow"),
        col("source", "", "sending host"),
        col("destination", "", "receiving host"),
        col("size_bytes", "B", "application bytes"),
        col("start_us", "us", "when it started; empty if it never did"),
        col("fct_us", "us", "start to last needed ACK at the sender; empty if not completed"),
        col("delivered_us", "us", "start to last byte at the receiver; empty if not delivered"),
        col("ideal_us", "us", "`fct_us` alone in the fabric without faults; empty without a path"),
        col("slowdown", "", "`fct_us` over `ideal_us`; empty if not completed"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("received_packets", "packets", "data packets that arrived whole and were new"),
        col("duplicate_packets", "packets", "data packets that arrived whole a second time"),
        col("marked_packets", "packets", "data packets that arrived with a congestion mark"),
        col("trimmed_packets", "packets", "data packets that arrived as trimmed headers"),
        col("dropped_packets", "packets", "data packets lost on the way, whatever the cause"),
        col("timeouts", "timeouts", "retransmission timeouts"),
        col(
            "unfinished",
            "",
            "why it did not complete: `dead_host` at one of its ends, `not_started`, or still \
             `under_way`; empty if it did",
        ),
    ],
};

const PIECES: TableSpec = TableSpec {
    name: "pieces",
    meaning: "One row per piece of a flow, where a planner gives flows their paths.",
    columns: &[
        SCENARIO,
        SEED,
        col("piece", "", "number of the piece"),
        col("flow", "", "number of the flow that it belongs to"),
        col("size_bytes", "B", "application bytes"),
        col(
            "path",
            "",
            "port of the source's switch that it was given; empty if there is no choice",
        ),
        col("start_us", "us", "when it started; empty if it never did"),
        col("fct_us", "us", "start to last needed ACK at the sender; empty if not completed"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("dropped_packets", "packets", "data packets lost on the way, whatever the cause"),
        col("timeouts", "timeouts", "retransmission timeouts"),
    ],
};

const PORTS: TableSpec = TableSpec {
    name: "ports",
    meaning: "One row per port, that is per directed link.",
    columns: &[
        SCENARIO,
        SEED,
        col("port", "", "number of the port"),
        col("name", "", "name of the port"),
        col("node", "", "host or switch that the port belongs to"),
        col("peer", "", "host or switch at the other end of the cable"),
        col("rate_gbps", "Gbps", "rate of the link when nothing is broken"),
        col("frames", "frames", "frames whose last bit left, lost ones included"),
        col("sent_bytes", "B", "their bytes"),
        col("data_frames", "frames", "of these frames, data packets"),
        col("marked_packets", "packets", "data packets marked here"),
        col("trimmed_packets", "packets", "data packets trimmed here"),
        col("dropped_overflow_frames", "frames", "frames lost here: the queue was full"),
        col("dropped_link_down_frames", "frames", "frames lost here: the link was down"),
        col("dropped_node_down_frames", "frames", "frames lost here: the node was dead"),
        col("dropped_loss_frames", "frames", "frames lost here: random loss or bit errors"),
        col("dropped_no_route_frames", "frames", "frames lost here: no port led there"),
        col("dropped_packets", "packets", "of all frames lost here, data packets"),
        col("queue_bytes_max", "B", "most bytes of one data class queued, in service included"),
        col("pauses", "pauses", "how often a class of what came in here was paused"),
        col("paused_us", "us", "for how long, added up over the classes"),
        col(
            "pfc_frames",
            "frames",
            "frames of flow control whose last bit left, lost ones included",
        ),
        col("pfc_lost_frames", "frames", "frames of flow control lost"),
        col(
            "ingress_bytes_max",
            "B",
            "under flow control, most bytes of one class that came in here",
        ),
    ],
};

const SWITCHES: TableSpec = TableSpec {
    name: "switches",
    meaning: "One row per switch, where ports share a switch's memory.",
    columns: &[
        SCENARIO,
        SEED,
        col("switch", "", "number of the switch"),
        col("name", "", "name of the switch"),
        col("memory_bytes", "B", "its memory"),
        col("memory_bytes_max", "B", "most bytes of it used at once, frames in service included"),
        col("headroom_bytes_max", "B", "most bytes of headroom used at once; 0 without"),
        col("headroom_queue_bytes_max", "B", "most bytes in headroom of one port and class"),
        col("lossless_bytes_max", "B", "where classes are lossless, most bytes of those"),
        col("lossy_bytes_max", "B", "and of the others"),
        col("lossless_refused_frames", "frames", "frames of lossless classes that were refused"),
    ],
};

const LAYERS: TableSpec = TableSpec {
    name: "layers",
    meaning: "One row per layer, that is all links from one tier to another.",
    columns: &[
        SCENARIO,
        SEED,
        col("layer", "", "where the links lead, as in `tor_agg`"),
        col("links", "links", "how many there are"),
        col(
            "queue_bytes_max",
            "B",
            "most bytes of one data class in a queue of the layer; empty at hosts",
        ),
        col(
            "queue_bytes_mean",
            "B",
            "bytes of data queued, mean over queues and sending time; empty unless recorded",
        ),
        col("bytes_overload", "", "bytes of the busiest link over the links' mean, less 1"),
        col("frames_overload", "", "the same for frames of any kind"),
        col("data_overload", "", "the same for data packets"),
    ],
};

const SERIES: TableSpec = TableSpec {
    name: "series",
    meaning: "One row per recorded port and time bucket.",
    columns: &[
        SCENARIO,
        SEED,
        col("port", "", "number of the port"),
        col("name", "", "name of the port"),
        TIME,
        col("data_frames", "frames", "data packets whose last bit left in the bucket"),
        col("sent_bytes", "B", "bytes of all frames whose last bit left in the bucket"),
        col("utilisation_pct", "%", "these bytes over what the healthy link carries in a bucket"),
        col("queue_bytes_max", "B", "most data bytes queued, as arrivals saw it; 0 if none came"),
        col("dropped_frames", "frames", "frames lost at the port in the bucket"),
    ],
};

const TIMELINE: TableSpec = TableSpec {
    name: "timeline",
    meaning: "One row per time bucket, over the whole fabric.",
    columns: &[
        SCENARIO,
        SEED,
        TIME,
        col("dropped_frames", "frames", "frames lost"),
        col("marked_packets", "packets", "data packets marked"),
        col("trimmed_packets", "packets", "data packets trimmed"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("timeouts", "timeouts", "retransmission timeouts"),
    ],
};

const EVENTS: TableSpec = TableSpec {
    name: "events",
    meaning: "One row per noteworthy moment of a scheme; the first 10 000 of the run.",
    columns: &[
        SCENARIO,
        SEED,
        col("time_us", "us", "when it happened, since the run's start"),
        col("flow", "", "number of the flow whose scheme it is"),
        col("event", "", "scheme and moment"),
    ],
};

/// One run of a study, as a row of the table `runs`.
#[derive(Clone, Copy, Debug)]
pub struct RunRow<'a> {
    /// What the sweep set: path and value.
    pub settings: &'a [(String, String)],
    /// The run in numbers.
    pub summary: &'a RunSummary,
}

fn counts<T>(items: impl IntoIterator<Item = T>, of: impl Fn(T) -> u64) -> Values {
    Values::U64(items.into_iter().map(|item| Some(of(item))).collect())
}

fn numbers<T>(items: impl IntoIterator<Item = T>, of: impl Fn(T) -> Option<f64>) -> Values {
    Values::F64(items.into_iter().map(of).collect())
}

fn texts<T>(items: impl IntoIterator<Item = T>, of: impl Fn(T) -> String) -> Values {
    Values::Text(items.into_iter().map(|item| Some(of(item))).collect())
}

/// Columns from their specification and their values, in the same order.
fn columns(
    spec: &'static TableSpec,
    values: impl IntoIterator<Item = Values, IntoIter: ExactSizeIterator>,
) -> Vec<Column> {
    let values = values.into_iter();
    debug_assert_eq!(spec.columns.len(), values.len());
    let column = |(spec, values): (&ColumnSpec, Values)| Column {
        name: spec.name.to_string(),
        unit: spec.unit.to_string(),
        meaning: spec.meaning.to_string(),
        values,
    };
    spec.columns.iter().zip(values).map(column).collect()
}

/// The table `runs`: all that differs between runs, and what came of each.
pub fn runs(rows: &[RunRow<'_>]) -> Table {
    let count = |of: fn(&RunSummary) -> u64| counts(rows, |row| of(row.summary));
    let number = |of: fn(&RunSummary) -> Option<f64>| numbers(rows, |row| of(row.summary));
    let slowdown = |share: Share| {
        numbers(rows, |row| Some(row.summary.slowdown.of_class(SizeClass::All)?.at(share)?.value))
    };
    let dropped =
        |cause: DropCause| counts(rows, |row| row.summary.packets.dropped[cause as usize]);
    let mut columns = columns(
        &RUNS,
        [
            texts(rows, |row| row.summary.scenario.clone()),
            count(|s| s.seed),
            texts(rows, |_| VERSION.to_string()),
            Values::Bool(rows.iter().map(|row| Some(row.summary.completed)).collect()),
            count(|s| s.flows),
            count(|s| s.unfinished),
            count(|s| s.unstarted),
            count(|s| s.at_dead_hosts),
            number(|s| s.completion_us),
            number(|s| s.bound_us),
            Values::Text(rows.iter().map(|row| row.summary.bound.clone()).collect()),
            number(|s| s.increase_pct),
            number(|s| s.fct_us.max),
            number(|s| s.fct_us.mean),
            number(|s| s.fct_us.p50),
            number(|s| s.fct_us.p99),
            number(|s| s.delivered_us.max),
            number(|s| s.delivered_us.mean),
            number(|s| s.delivered_us.p50),
            number(|s| s.delivered_us.p99),
            number(|s| Some(s.slowdown.of_class(SizeClass::All)?.mean)),
            slowdown(Share::P50),
            slowdown(Share::P95),
            slowdown(Share::P99),
            slowdown(Share::P99_9),
            count(|s| s.packets.sent),
            count(|s| s.packets.delivered),
            count(|s| s.packets.retransmitted),
            dropped(DropCause::Overflow),
            dropped(DropCause::LinkDown),
            dropped(DropCause::NodeDown),
            dropped(DropCause::Loss),
            dropped(DropCause::NoRoute),
            count(|s| s.packets.trimmed),
            count(|s| s.packets.marked),
            count(|s| s.queue_bytes_max),
            count(|s| s.memory_bytes_max),
            count(|s| s.pauses),
            count(|s| s.timeouts),
            count(|s| s.packet_hops),
            texts(rows, |row| row.summary.results_hash.clone()),
            number(|s| s.cost.cpu_s),
            number(|s| Some(s.cost.wall_s)),
        ],
    );
    let mut paths: Vec<&str> = Vec::new();
    for (path, _) in rows.iter().flat_map(|row| row.settings) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    columns.extend(paths.into_iter().map(|path| setting_column(rows, path)));
    Table { name: RUNS.name, meaning: RUNS.meaning, columns, scenario: None, seed: None }
}

fn setting_column(rows: &[RunRow<'_>], path: &str) -> Column {
    let value = |row: &RunRow<'_>| {
        row.settings.iter().find(|(p, _)| p == path).map(|(_, value)| value.clone())
    };
    Column {
        name: path.to_string(),
        unit: String::new(),
        meaning: "what the sweep set this key of the scenario to".to_string(),
        values: Values::Text(rows.iter().map(value).collect()),
    }
}

/// The tables of one run: flows and ports, and what was recorded over time.
///
/// `ideals`: what each flow would take alone ([`raddle_sim::bound::ideals`]).
pub fn of_run<'a>(
    scenario: &'a str,
    plan: &'a Plan,
    outcome: &'a Outcome,
    ideals: &'a [Option<Span>],
) -> Vec<Parts<'a>> {
    let run = Run { scenario, plan, outcome };
    let mut tables = vec![run.flows(ideals), run.ports()];
    tables.extend(outcome.pieces.as_deref().map(|pieces| run.pieces(pieces)));
    tables.extend(plan.buffer.as_ref().map(|buffer| run.switches(buffer)));
    tables.push(run.layers());
    if plan.record.bucket > Span::ZERO {
        tables.push(run.series());
        tables.push(run.timeline());
    }
    if !outcome.timeline.events.is_empty() {
        tables.push(run.events());
    }
    tables
}

#[derive(Clone, Copy)]
struct Run<'a> {
    scenario: &'a str,
    plan: &'a Plan,
    outcome: &'a Outcome,
}

impl<'a> Run<'a> {
    /// A table of so many rows. `values` gives all columns of some of them, but for the two that say
    /// of which run they are.
    fn table<const N: usize>(
        self,
        spec: &'static TableSpec,
        rows: usize,
        values: impl Fn(Range<usize>) -> [Values; N] + Sync + 'a,
    ) -> Parts<'a> {
        let part = move |range: Range<usize>| {
            let run = [
                Values::Same(self.scenario.to_string(), range.len()),
                Values::U64(vec![Some(self.plan.seed); range.len()]),
            ];
            Table {
                name: spec.name,
                meaning: spec.meaning,
                columns: columns(spec, run.into_iter().chain(values(range)).collect::<Vec<_>>()),
                scenario: Some(self.scenario.to_string()),
                seed: Some(self.plan.seed),
            }
        };
        Parts { name: spec.name, rows, part: Box::new(part) }
    }

    fn flows(self, ideals: &'a [Option<Span>]) -> Parts<'a> {
        let word = |causes: &Causes<'_>, flow: usize| {
            Some(causes.cause(FlowId(flow as u32))?.word().to_owned())
        };
        let us = |span: Option<Span>| span.map(Span::as_us);
        let causes = Causes::of(self.plan, self.outcome);
        self.table(&FLOWS, self.outcome.flows.len(), move |rows| {
            let plan = &self.plan.traffic.flows[rows.clone()];
            let flows: Vec<FlowRecord> = self.outcome.flows.range(rows.clone()).collect();
            let flows = flows.as_slice();
            let ideals = &ideals[rows.clone()];
            let slowdowns = flows.iter().zip(ideals).map(|(f, ideal)| slowdown(fct(f)?, *ideal));
            [
                counts(rows.clone(), |i| i as u64),
                counts(plan, |f| u64::from(f.source.0)),
                counts(plan, |f| u64::from(f.destination.0)),
                counts(plan, |f| f.bytes.0),
                numbers(flows, |f| f.started.map(Time::as_us)),
                numbers(flows, |f| us(fct(f))),
                numbers(flows, |f| us(delivery(f))),
                numbers(ideals, |ideal| us(*ideal)),
                Values::F64(slowdowns.collect()),
                counts(flows, |f| f.sent),
                counts(flows, |f| f.retransmitted),
                counts(flows, |f| f.received),
                counts(flows, |f| f.duplicates),
                counts(flows, |f| f.marked),
                counts(flows, |f| f.trimmed),
                counts(flows, |f| f.dropped),
                counts(flows, |f| f.timeouts),
                Values::Text(rows.map(|i| word(&causes, i)).collect()),
            ]
        })
    }

    fn pieces(self, all: &'a PieceRecords) -> Parts<'a> {
        let fabric = &self.plan.fabric;
        self.table(&PIECES, all.records.len(), move |rows| {
            let pieces: Vec<_> = rows.clone().map(|piece| all.at(piece)).collect();
            let pieces = pieces.as_slice();
            let path = |&(flow, _, path, _): &(&Flow, _, Option<Entropy>, _)| {
                Some(fabric.up_port(flow.source, path?).name.clone())
            };
            let us = |span: Option<Span>| span.map(Span::as_us);
            [
                counts(rows, |i| i as u64),
                counts(pieces, |(_, message, ..)| message.0.into()),
                counts(pieces, |(flow, ..)| flow.bytes.0),
                Values::Text(pieces.iter().map(path).collect()),
                numbers(pieces, |(.., record)| record.started.map(Time::as_us)),
                numbers(pieces, |(.., record)| us(fct(record))),
                counts(pieces, |(.., record)| record.sent),
                counts(pieces, |(.., record)| record.retransmitted),
                counts(pieces, |(.., record)| record.dropped),
                counts(pieces, |(.., record)| record.timeouts),
            ]
        })
    }

    fn ports(self) -> Parts<'a> {
        let fabric = &self.plan.fabric;
        self.table(&PORTS, self.outcome.ports.len(), move |rows| {
            let (plan, ports) = (&fabric.ports[rows.clone()], &self.outcome.ports[rows.clone()]);
            let dropped = |cause: DropCause| counts(ports, |p| p.dropped[cause as usize]);
            let pfc = |of: fn(&PfcRecord) -> u64| counts(ports, |p| p.pfc.as_deref().map_or(0, of));
            [
                counts(rows, |i| i as u64),
                texts(plan, |p| p.name.clone()),
                texts(plan, |p| node_name(fabric, p.owner)),
                texts(plan, |p| node_name(fabric, fabric.ports[p.peer.index()].owner)),
                numbers(plan, |p| Some(p.rate.0 as f64 / 1e9)),
                counts(ports, |p| p.frames),
                counts(ports, |p| p.bytes),
                counts(ports, |p| p.data_frames),
                counts(ports, |p| p.marked),
                counts(ports, |p| p.trimmed),
                dropped(DropCause::Overflow),
                dropped(DropCause::LinkDown),
                dropped(DropCause::NodeDown),
                dropped(DropCause::Loss),
                dropped(DropCause::NoRoute),
                counts(ports, |p| p.dropped_data.iter().sum()),
                counts(ports, |p| p.queue_bytes_max),
                pfc(|record| record.pauses),
                numbers(ports, |p| Some(p.pfc.as_ref().map_or(0.0, |pfc| pfc.paused.as_us()))),
                pfc(|record| record.frames),
                pfc(|record| record.lost),
                pfc(|record| record.ingress_bytes_max),
            ]
        })
    }

    fn switches(self, buffer: &'a BufferPlan) -> Parts<'a> {
        let (fabric, most) = (&self.plan.fabric, &self.outcome.memory_bytes_max);
        let (packet, rtt) = (self.plan.packet(), PortFacts::longest_rtt(self.plan));
        let pools = &self.outcome.pools;
        self.table(&SWITCHES, most.len(), move |rows| {
            let (switches, most) = (&fabric.switches[rows.clone()], &most[rows.clone()]);
            let all = rows.clone();
            let pool = |of: fn(&Pools) -> u64| counts(all.clone(), |i| pools.get(i).map_or(0, of));
            [
                counts(rows, |i| i as u64),
                texts(switches, |switch| switch.name.clone()),
                counts(switches, |switch| buffer.size_at(fabric, switch, packet, rtt).0),
                counts(most, |most| *most),
                pool(|pools| pools.headroom_max),
                pool(|pools| pools.headroom_queue_max),
                pool(|pools| pools.lossless_max),
                pool(|pools| pools.lossy_max),
                pool(|pools| pools.lossless_refused),
            ]
        })
    }

    fn layers(self) -> Parts<'a> {
        let layers = layers(&self.plan.fabric, self.outcome);
        self.table(&LAYERS, layers.len(), move |rows| {
            let layers = &layers[rows];
            [
                texts(layers, |layer| layer.layer.word().to_owned()),
                counts(layers, |layer| layer.links as u64),
                Values::U64(layers.iter().map(|layer| layer.queue_bytes_max).collect()),
                numbers(layers, |layer| layer.queue_bytes_mean),
                numbers(layers, |layer| layer.bytes_overload),
                numbers(layers, |layer| layer.frames_overload),
                numbers(layers, |layer| layer.data_overload),
            ]
        })
    }

    fn series(self) -> Parts<'a> {
        let recorded = self.plan.record.ports.iter().zip(&self.outcome.series);
        let buckets: Vec<_> = recorded
            .flat_map(|(port, series)| (0..series.bytes.len()).map(move |i| (port, series, i)))
            .collect();
        self.table(&SERIES, buckets.len(), move |rows| {
            let buckets = &buckets[rows];
            [
                counts(buckets, |(port, ..)| u64::from(port.0)),
                texts(buckets, |(port, ..)| self.plan.fabric.ports[port.index()].name.clone()),
                numbers(buckets, |(.., i)| Some(self.bucket_us(*i))),
                counts(buckets, |(_, series, i)| u64::from(series.data_frames[*i])),
                counts(buckets, |(_, series, i)| series.bytes[*i]),
                numbers(buckets, |(port, series, i)| {
                    let rate = self.plan.fabric.ports[port.index()].rate;
                    let whole = rate.bytes_in(self.plan.record.bucket).0;
                    (whole > 0).then(|| 100.0 * series.bytes[*i] as f64 / whole as f64)
                }),
                counts(buckets, |(_, series, i)| series.queue_bytes_max[*i]),
                counts(buckets, |(_, series, i)| u64::from(series.dropped[*i])),
            ]
        })
    }

    fn timeline(self) -> Parts<'a> {
        let timeline = &self.outcome.timeline;
        self.table(&TIMELINE, timeline.dropped.len(), move |rows| {
            let column = |values: &[u32]| counts(&values[rows.clone()], |n| u64::from(*n));
            [
                numbers(rows.clone(), |i| Some(self.bucket_us(i))),
                column(&timeline.dropped),
                column(&timeline.marked),
                column(&timeline.trimmed),
                column(&timeline.retransmitted),
                column(&timeline.timeouts),
            ]
        })
    }

    fn events(self) -> Parts<'a> {
        let events = &self.outcome.timeline.events;
        self.table(&EVENTS, events.len(), move |rows| {
            let events = &events[rows];
            [
                numbers(events, |(time, ..)| Some(time.as_us())),
                counts(events, |(_, flow, _)| u64::from(flow.0)),
                texts(events, |(.., event)| event.to_string()),
            ]
        })
    }

    fn bucket_us(&self, bucket: usize) -> f64 {
        Span(self.plan.record.bucket.0 * bucket as u64).as_us()
    }
}

fn node_name(fabric: &Fabric, node: Node) -> String {
    match node {
        Node::Host(host) => format!("host{}", host.0),
        Node::Switch(switch) => fabric.switches[switch.index()].name.clone(),
    }
}
