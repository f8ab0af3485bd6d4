//! The rows of a run.

use super::kinds::{
    EVENTS, FLOWS, LAYERS, PIECES, PORTS, RUNS, SERIES, SWITCHES, TIMELINE, TORS, TRAINING,
};
use super::{Column, ColumnSpec, Parts, Table, TableSpec, Values, settings};
use crate::study::VERSION;
use crate::study::metric::{BUSBW, GOODPUT, Measured};
use crate::study::quantiles::Share;
use crate::study::summary::{RunSummary, SizeClass, delivery, fct, slowdown};
use crate::study::unfinished::Causes;
use raddle_schemes::buffer::forest::Features;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::ids::{Entropy, FlowId};
use raddle_schemes::units::{Span, Time};
use raddle_sim::plan::{BufferPlan, Plan};
use raddle_sim::record::layers::layers;
use raddle_sim::record::{DropCause, FlowRecord, Outcome, PfcRecord, PieceRecords, TorRecord};
use raddle_sim::topology::{Fabric, Node};
use raddle_sim::wire::port_facts::PortFacts;
use raddle_sim::workload::Flow;
use std::ops::Range;

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

/// The columns of a table from their values, each with its column's name, in the table's order.
///
/// # Panics
/// If a name is not the one whose turn it is: values would stand under a meaning of others.
fn columns(
    spec: &'static TableSpec,
    values: impl IntoIterator<Item = (&'static str, Values), IntoIter: ExactSizeIterator>,
) -> Vec<Column> {
    let values = values.into_iter();
    assert_eq!(spec.columns.len(), values.len(), "columns of {}", spec.name);
    let column = |(column, (name, values)): (&ColumnSpec, (&str, Values))| {
        assert_eq!(column.name, name, "columns of {}", spec.name);
        let [name, unit, meaning] = [column.name, column.unit, column.meaning].map(str::to_string);
        Column { name, unit, meaning, values }
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
            ("scenario", texts(rows, |row| row.summary.scenario.clone())),
            ("seed", count(|s| s.seed)),
            ("version", texts(rows, |_| VERSION.to_string())),
            (
                "completed",
                Values::Bool(rows.iter().map(|row| Some(row.summary.completed)).collect()),
            ),
            ("flows", count(|s| s.flows)),
            ("unfinished", count(|s| s.unfinished)),
            ("unstarted", count(|s| s.unstarted)),
            ("at_dead_hosts", count(|s| s.at_dead_hosts)),
            ("completion_us", number(|s| s.completion_us)),
            ("bound_us", number(|s| s.bound_us)),
            ("bound", Values::Text(rows.iter().map(|row| row.summary.bound.clone()).collect())),
            ("increase_pct", number(|s| s.increase_pct)),
            ("fct_max_us", number(|s| s.fct_us.max)),
            ("fct_mean_us", number(|s| s.fct_us.mean)),
            ("fct_p50_us", number(|s| s.fct_us.p50)),
            ("fct_p99_us", number(|s| s.fct_us.p99)),
            ("delivered_max_us", number(|s| s.delivered_us.max)),
            ("delivered_mean_us", number(|s| s.delivered_us.mean)),
            ("delivered_p50_us", number(|s| s.delivered_us.p50)),
            ("delivered_p99_us", number(|s| s.delivered_us.p99)),
            ("slowdown_mean", number(|s| Some(s.slowdown.of_class(SizeClass::All)?.mean))),
            ("slowdown_p50", slowdown(Share::P50)),
            ("slowdown_p95", slowdown(Share::P95)),
            ("slowdown_p99", slowdown(Share::P99)),
            ("slowdown_p99_9", slowdown(Share::P99_9)),
            ("busbw_gb_s", number(|s| BUSBW.measure(&Measured::of_run(s)))),
            ("goodput_gbps", number(|s| GOODPUT.measure(&Measured::of_run(s)))),
            ("sent_packets", count(|s| s.packets.sent)),
            ("delivered_packets", count(|s| s.packets.delivered)),
            ("retransmitted_packets", count(|s| s.packets.retransmitted)),
            ("refused_packets", count(|s| s.packets.refused)),
            ("dropped_overflow_packets", dropped(DropCause::Overflow)),
            ("dropped_link_down_packets", dropped(DropCause::LinkDown)),
            ("dropped_node_down_packets", dropped(DropCause::NodeDown)),
            ("dropped_loss_packets", dropped(DropCause::Loss)),
            ("dropped_no_route_packets", dropped(DropCause::NoRoute)),
            ("dropped_middleware_packets", count(|s| s.packets.dropped_by_middleware)),
            ("lossless_refused_frames", count(|s| s.packets.lossless_refused)),
            ("trimmed_packets", count(|s| s.packets.trimmed)),
            ("marked_packets", count(|s| s.packets.marked)),
            ("queue_bytes_max", count(|s| s.queue_bytes_max)),
            ("memory_bytes_max", count(|s| s.memory_bytes_max)),
            ("pauses", count(|s| s.pauses)),
            ("timeouts", count(|s| s.timeouts)),
            ("packet_hops", count(|s| s.packet_hops)),
            ("results_hash", texts(rows, |row| row.summary.results_hash.clone())),
            ("cpu_s", number(|s| s.cost.cpu_s)),
            ("wall_s", number(|s| Some(s.cost.wall_s))),
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
        let found = row.settings.iter().find(|(own, _)| own == path);
        found.map(|(_, value)| value.clone())
    };
    let values: Vec<Option<String>> = rows.iter().map(value).collect();
    let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
    settings::column(path, &values)
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
    tables.extend((!outcome.tors.is_empty()).then(|| run.tors()));
    tables.extend((!outcome.training.is_empty()).then(|| run.training()));
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
        values: impl Fn(Range<usize>) -> [(&'static str, Values); N] + Sync + 'a,
    ) -> Parts<'a> {
        let part = move |range: Range<usize>| {
            let run = [
                ("scenario", Values::Same(self.scenario.to_string(), range.len())),
                ("seed", Values::U64(vec![Some(self.plan.seed); range.len()])),
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
                ("flow", counts(rows.clone(), |i| i as u64)),
                ("source", counts(plan, |f| u64::from(f.source.0))),
                ("destination", counts(plan, |f| u64::from(f.destination.0))),
                ("size_bytes", counts(plan, |f| f.bytes.0)),
                ("start_us", numbers(flows, |f| f.started.map(Time::as_us))),
                ("fct_us", numbers(flows, |f| us(fct(f)))),
                ("delivered_us", numbers(flows, |f| us(delivery(f)))),
                ("ideal_us", numbers(ideals, |ideal| us(*ideal))),
                ("slowdown", Values::F64(slowdowns.collect())),
                ("sent_packets", counts(flows, |f| f.sent)),
                ("retransmitted_packets", counts(flows, |f| f.retransmitted)),
                ("received_packets", counts(flows, |f| f.received)),
                ("duplicate_packets", counts(flows, |f| f.duplicates)),
                ("refused_packets", counts(flows, |f| f.refused)),
                ("marked_packets", counts(flows, |f| f.marked)),
                ("trimmed_packets", counts(flows, |f| f.trimmed)),
                ("dropped_packets", counts(flows, |f| f.dropped)),
                ("timeouts", counts(flows, |f| f.timeouts)),
                ("unfinished", Values::Text(rows.map(|i| word(&causes, i)).collect())),
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
                ("piece", counts(rows, |i| i as u64)),
                ("flow", counts(pieces, |(_, message, ..)| message.0.into())),
                ("size_bytes", counts(pieces, |(flow, ..)| flow.bytes.0)),
                ("path", Values::Text(pieces.iter().map(path).collect())),
                ("start_us", numbers(pieces, |(.., record)| record.started.map(Time::as_us))),
                ("fct_us", numbers(pieces, |(.., record)| us(fct(record)))),
                ("sent_packets", counts(pieces, |(.., record)| record.sent)),
                ("retransmitted_packets", counts(pieces, |(.., record)| record.retransmitted)),
                ("dropped_packets", counts(pieces, |(.., record)| record.dropped)),
                ("timeouts", counts(pieces, |(.., record)| record.timeouts)),
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
                ("port", counts(rows, |i| i as u64)),
                ("name", texts(plan, |p| p.name.clone())),
                ("node", texts(plan, |p| node_name(fabric, p.owner))),
                ("peer", texts(plan, |p| node_name(fabric, fabric.ports[p.peer.index()].owner))),
                ("rate_gbps", numbers(plan, |p| Some(p.rate.0 as f64 / 1e9))),
                ("frames", counts(ports, |p| p.frames)),
                ("sent_bytes", counts(ports, |p| p.bytes)),
                ("data_frames", counts(ports, |p| p.data_frames)),
                ("marked_packets", counts(ports, |p| p.marked)),
                ("trimmed_packets", counts(ports, |p| p.trimmed)),
                ("dropped_overflow_frames", dropped(DropCause::Overflow)),
                ("dropped_link_down_frames", dropped(DropCause::LinkDown)),
                ("dropped_node_down_frames", dropped(DropCause::NodeDown)),
                ("dropped_loss_frames", dropped(DropCause::Loss)),
                ("dropped_no_route_frames", dropped(DropCause::NoRoute)),
                ("dropped_packets", counts(ports, |p| p.dropped_data.iter().sum())),
                ("queue_bytes_max", counts(ports, |p| p.queue_bytes_max)),
                ("pauses", pfc(|record| record.pauses)),
                (
                    "paused_us",
                    numbers(ports, |p| Some(p.pfc.as_ref().map_or(0.0, |pfc| pfc.paused.as_us()))),
                ),
                ("pfc_frames", pfc(|record| record.frames)),
                ("pfc_lost_frames", pfc(|record| record.lost)),
                ("ignored_pauses", pfc(|record| record.ignored)),
                ("ingress_bytes_max", pfc(|record| record.ingress_bytes_max)),
                ("lossless_refused_frames", pfc(|record| record.refused)),
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
                ("switch", counts(rows, |i| i as u64)),
                ("name", texts(switches, |switch| switch.name.clone())),
                (
                    "memory_bytes",
                    counts(switches, |switch| buffer.size_at(fabric, switch, packet, rtt).0),
                ),
                ("memory_bytes_max", counts(most, |most| *most)),
                ("headroom_bytes_max", pool(|pools| pools.headroom_max)),
                ("headroom_queue_bytes_max", pool(|pools| pools.headroom_queue_max)),
                ("lossless_bytes_max", pool(|pools| pools.lossless_max)),
                ("lossy_bytes_max", pool(|pools| pools.lossy_max)),
                ("lossless_refused_frames", pool(|pools| pools.lossless_refused)),
            ]
        })
    }

    fn tors(self) -> Parts<'a> {
        let (plan, records) = (self.plan, &self.outcome.tors);
        let with_middleware = |id: &usize| plan.has_middleware(&plan.fabric.switches[*id]);
        let tors: Vec<usize> = (0..records.len()).filter(with_middleware).collect();
        self.table(&TORS, tors.len(), move |rows| {
            let tors = &tors[rows];
            let count = |of: fn(&TorRecord) -> u64| counts(tors, |&id| of(&records[id]));
            [
                ("switch", counts(tors, |&id| id as u64)),
                ("name", texts(tors, |&id| plan.fabric.switches[id].name.clone())),
                ("dropped_frames", count(|tor| tor.dropped)),
                ("dropped_packets", count(|tor| tor.dropped_data)),
                ("sent_frames", count(|tor| tor.sent)),
                ("sent_bytes", count(|tor| tor.sent_bytes)),
                ("held_frames_max", count(|tor| tor.held_max)),
            ]
        })
    }

    fn training(self) -> Parts<'a> {
        let (plan, training) = (self.plan, &self.outcome.training);
        let rows: Vec<(usize, usize)> = (0..)
            .zip(training)
            .flat_map(|(id, own)| (0..own.len()).map(move |n| (id, n)))
            .collect();
        self.table(&TRAINING, rows.len(), move |range| {
            let rows = &rows[range];
            let found =
                |of: fn(&Features) -> u64| counts(rows, |&(id, n)| of(&training[id][n].found));
            let dropped = rows.iter().map(|&(id, n)| Some(training[id][n].dropped)).collect();
            [
                ("switch", counts(rows, |&(id, _)| id as u64)),
                ("name", texts(rows, |&(id, _)| plan.fabric.switches[id].name.clone())),
                ("queue_bytes", found(|own| own.queue)),
                ("queue_average_bytes", found(|own| own.queue_average)),
                ("occupancy_bytes", found(|own| own.occupancy)),
                ("occupancy_average_bytes", found(|own| own.occupancy_average)),
                ("dropped", Values::Bool(dropped)),
            ]
        })
    }

    fn layers(self) -> Parts<'a> {
        let layers = layers(&self.plan.fabric, self.outcome);
        self.table(&LAYERS, layers.len(), move |rows| {
            let layers = &layers[rows];
            [
                ("layer", texts(layers, |layer| layer.layer.word().to_owned())),
                ("links", counts(layers, |layer| layer.links as u64)),
                (
                    "queue_bytes_max",
                    Values::U64(layers.iter().map(|layer| layer.queue_bytes_max).collect()),
                ),
                ("queue_bytes_mean", numbers(layers, |layer| layer.queue_bytes_mean)),
                ("bytes_overload", numbers(layers, |layer| layer.bytes_overload)),
                ("frames_overload", numbers(layers, |layer| layer.frames_overload)),
                ("data_overload", numbers(layers, |layer| layer.data_overload)),
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
                ("port", counts(buckets, |(port, ..)| u64::from(port.0))),
                (
                    "name",
                    texts(buckets, |(port, ..)| self.plan.fabric.ports[port.index()].name.clone()),
                ),
                ("time_us", numbers(buckets, |(.., i)| Some(self.bucket_us(*i)))),
                (
                    "data_frames",
                    counts(buckets, |(_, series, i)| u64::from(series.data_frames[*i])),
                ),
                ("sent_bytes", counts(buckets, |(_, series, i)| series.bytes[*i])),
                (
                    "utilisation_pct",
                    numbers(buckets, |(port, series, i)| {
                        let rate = self.plan.fabric.ports[port.index()].rate;
                        let whole = rate.bytes_in(self.plan.record.bucket).0;
                        (whole > 0).then(|| 100.0 * series.bytes[*i] as f64 / whole as f64)
                    }),
                ),
                ("queue_bytes_max", counts(buckets, |(_, series, i)| series.queue_bytes_max[*i])),
                ("dropped_frames", counts(buckets, |(_, series, i)| u64::from(series.dropped[*i]))),
                (
                    "queue_bytes_mean",
                    numbers(buckets, |(_, series, i)| {
                        Some(*series.queue_bytes_mean.get(*i)? as f64)
                    }),
                ),
                (
                    "lossless_bytes_mean",
                    numbers(buckets, |(_, series, i)| {
                        Some(*series.lossless_bytes_mean.get(*i)? as f64)
                    }),
                ),
            ]
        })
    }

    fn timeline(self) -> Parts<'a> {
        let timeline = &self.outcome.timeline;
        self.table(&TIMELINE, timeline.dropped.len(), move |rows| {
            let column = |values: &[u32]| counts(&values[rows.clone()], |n| u64::from(*n));
            [
                ("time_us", numbers(rows.clone(), |i| Some(self.bucket_us(i)))),
                ("dropped_frames", column(&timeline.dropped)),
                ("marked_packets", column(&timeline.marked)),
                ("trimmed_packets", column(&timeline.trimmed)),
                ("retransmitted_packets", column(&timeline.retransmitted)),
                ("timeouts", column(&timeline.timeouts)),
            ]
        })
    }

    fn events(self) -> Parts<'a> {
        let events = &self.outcome.timeline.events;
        self.table(&EVENTS, events.len(), move |rows| {
            let events = &events[rows];
            [
                ("time_us", numbers(events, |(time, ..)| Some(time.as_us()))),
                ("flow", counts(events, |(_, flow, _)| u64::from(flow.0))),
                ("event", texts(events, |(.., event)| event.to_string())),
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
