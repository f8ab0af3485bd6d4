//! The data of a page as JSON. Keys are short where they repeat per run, plain elsewhere.

use super::data::{Cell, Detail, Entry, Event, Port, ProbeLine, Provenance, Report, Run, Table};
use super::thin;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Everything the page draws.
pub(super) fn report(report: &Report) -> Value {
    json!({
        "schema": "raddle.report/2",
        "title": report.title,
        "question": report.question,
        "answer": report.answer,
        "metric": json!({
            "title": report.metric.title,
            "unit": report.metric.unit,
            "higher_is_better": report.metric.higher_is_better,
            "meaning": report.metric.meaning,
        }),
        "interval_meaning": report.interval_meaning,
        "conditions": report.conditions.iter().map(|condition| json!({
            "name": condition.name,
            "bound": condition.bound.as_ref().map(|bound| json!({
                "name": bound.name,
                "us": bound.us,
            })),
            "limit": condition.limit.as_ref().map(|limit| json!({
                "name": limit.name,
                "value": limit.value,
            })),
        })).collect::<Vec<_>>(),
        "schemes": report.schemes.iter().map(|scheme| json!({
            "name": scheme.name,
            "palette_index": scheme.palette_index,
        })).collect::<Vec<_>>(),
        "cells": report.cells.iter()
            .map(|one| cell(one, thin::points(report.cells.len())))
            .collect::<Vec<_>>(),
        "details": report.details.iter()
            .map(|one| {
                let group = thin::group(&report.details, buckets(one));
                detail(one, group, thin::events(report.details.len()))
            })
            .collect::<Vec<_>>(),
        "tables": report.tables.iter().map(table).collect::<Vec<_>>(),
        "provenance": provenance(&report.provenance),
    })
}

fn cell(cell: &Cell, points: usize) -> Value {
    let mut sorted = cell.fct_us.clone();
    sorted.sort_by(f64::total_cmp);
    let ranks = thin::ranks(sorted.len(), points);
    let us: Vec<f64> = ranks.iter().map(|&rank| to_picoseconds(sorted[rank])).collect();
    json!({
        "condition": cell.condition,
        "scheme": cell.scheme,
        "runs": cell.runs.iter().map(run).collect::<Vec<_>>(),
        "interval": cell.interval.map(|interval| json!({
            "middle": interval.middle,
            "low": interval.low,
            "high": interval.high,
        })),
        "statistics": cell.statistics,
        "flows": {
            "count": sorted.len(),
            "rank": if ranks.len() < sorted.len() { json!(ranks) } else { Value::Null },
            "us": us,
        },
    })
}

/// The same time without digits below a picosecond, the simulator's unit.
fn to_picoseconds(us: f64) -> f64 {
    (us * 1e6).round() / 1e6
}

fn run(run: &Run) -> Value {
    json!({
        "seed": run.seed,
        "completed": run.completed,
        "unfinished_flows": run.unfinished_flows,
        "value": run.value,
        "completion_us": run.completion_us,
        "fct_max_us": run.fct_max_us,
        "fct_mean_us": run.fct_mean_us,
        "fct_p50_us": run.fct_p50_us,
        "fct_p99_us": run.fct_p99_us,
        "drops": run.drops,
        "marks": run.marks,
        "trims": run.trims,
        "retransmissions": run.retransmissions,
        "timeouts": run.timeouts,
    })
}

/// The longest series of a detail.
fn buckets(detail: &Detail) -> usize {
    let ports = detail.ports.iter().map(|port| {
        let Port { bytes, data_frames, queue_bytes_max, drops, .. } = port;
        bytes.len().max(data_frames.len()).max(queue_bytes_max.len()).max(drops.len())
    });
    let counts = counts(detail).map(|(_, series)| series.len());
    ports.chain(counts).max().unwrap_or(0)
}

fn counts(detail: &Detail) -> [(&'static str, &[u32]); 5] {
    let counts = &detail.counts;
    [
        // ACKs and other control frames among them: not what a run's `drops` count.
        ("dropped frames", &counts.drops),
        ("marks", &counts.marks),
        ("trims", &counts.trims),
        ("retransmissions", &counts.retransmissions),
        ("timeouts", &counts.timeouts),
    ]
}

fn detail(detail: &Detail, group: usize, events: usize) -> Value {
    let bucket_us = detail.bucket_us * group as f64;
    let mut rows: Vec<Value> = counts(detail)
        .iter()
        .map(|(name, series)| json!({"name": name, "count": sparse(&thin::sums(series, group))}))
        .collect();
    rows.extend(event_rows(&detail.events, bucket_us));
    json!({
        "condition": detail.condition,
        "scheme": detail.scheme,
        "seed": detail.seed,
        "recorded_bucket_us": detail.bucket_us,
        "bucket_us": bucket_us,
        "buckets": buckets(detail).div_ceil(group),
        "ports_title": detail.ports_title,
        "ports": detail.ports.iter().map(|one| port(one, group)).collect::<Vec<_>>(),
        "counts": rows,
        "events": {
            "total": detail.events.len(),
            "first": detail.events.iter().take(events)
                .map(|event| json!([event.us, event.flow, event.name]))
                .collect::<Vec<_>>(),
        },
        "probes": probes(&detail.probes),
        "faults": detail.faults.iter().map(|fault| json!({
            "label": fault.label,
            "port": fault.port,
            "from_us": fault.from_us,
            "until_us": fault.until_us,
        })).collect::<Vec<_>>(),
        "queue_low_bytes": detail.queue_low_bytes,
        "queue_high_bytes": detail.queue_high_bytes,
        "queue_capacity_bytes": detail.queue_capacity_bytes,
    })
}

/// More lines than this of one word are left out of the page: nobody can tell them apart.
const MOST_LINES: usize = 12;
/// More points of a line than this are thinned out, each stretch to its last.
const MOST_POINTS: usize = 500;

/// The numbers that schemes showed, word by word.
fn probes(lines: &[ProbeLine]) -> Vec<Value> {
    let word = |own: &[ProbeLine]| {
        let line = |line: &ProbeLine| {
            let step = line.points.len().div_ceil(MOST_POINTS).max(1);
            let points = line.points.chunks(step).filter_map(<[_]>::last);
            json!({"of": line.of, "points": points.collect::<Vec<_>>()})
        };
        json!({
            "probe": own[0].probe,
            "unit": own[0].unit,
            "count": own.len(),
            "lines": own.iter().take(MOST_LINES).map(line).collect::<Vec<_>>(),
        })
    };
    lines.chunk_by(|a, b| a.probe == b.probe).map(word).collect()
}

fn port(port: &Port, group: usize) -> Value {
    let extremes = |series: &[u64], pick: fn(&[u64], usize) -> Vec<u64>| {
        if group == 1 { Value::Null } else { sparse(&pick(series, group)) }
    };
    json!({
        "name": port.name,
        "rate_gbps": port.rate_gbps,
        "bytes": sparse(&thin::sums(&port.bytes, group)),
        "bytes_least": extremes(&port.bytes, thin::least),
        "bytes_most": extremes(&port.bytes, thin::most),
        "data_frames": sparse(&thin::sums(&port.data_frames, group)),
        "queue_bytes_max": sparse(&thin::most(&port.queue_bytes_max, group)),
        "queue_bytes_least": extremes(&port.queue_bytes_max, thin::least),
        "drops": sparse(&thin::sums(&port.drops, group)),
    })
}

/// How often each kind of event happened, per bucket.
fn event_rows(events: &[Event], bucket_us: f64) -> Vec<Value> {
    let mut kinds: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for event in events {
        let bucket = if bucket_us > 0.0 { (event.us / bucket_us) as u64 } else { 0 };
        *kinds.entry(&event.name).or_default().entry(bucket).or_default() += 1;
    }
    kinds
        .into_iter()
        .map(|(name, counts)| {
            let (at, value): (Vec<u64>, Vec<u64>) = counts.into_iter().unzip();
            json!({"name": name, "count": {"at": at, "value": value}})
        })
        .collect()
}

/// A series as a list, or, where most of it is zero, as the places and values that are not.
fn sparse(series: &[u64]) -> Value {
    let at: Vec<usize> = (0..series.len()).filter(|&i| series[i] != 0).collect();
    if at.len() * 2 < series.len() {
        let value: Vec<u64> = at.iter().map(|&i| series[i]).collect();
        json!({"at": at, "value": value})
    } else {
        json!(series)
    }
}

fn table(table: &Table) -> Value {
    let rows: Vec<Vec<Value>> =
        table.rows.iter().map(|row| row.iter().map(entry).collect()).collect();
    json!({
        "name": table.name,
        "title": table.title,
        "columns": table.columns,
        "rows": rows,
    })
}

fn entry(entry: &Entry) -> Value {
    match entry {
        Entry::Missing => Value::Null,
        Entry::Integer(value) => json!(value),
        Entry::Number(value) => json!(value),
        Entry::Text(value) => json!(value),
    }
}

fn provenance(provenance: &Provenance) -> Value {
    json!({
        "version": provenance.version,
        "command": provenance.command,
        "scenario_toml": provenance.scenario_toml,
        "seeds": provenance.seeds,
        "machine": provenance.machine,
        "packet_hops": provenance.packet_hops,
        "cpu_s": provenance.cpu_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mostly_empty_series_names_its_places() {
        assert_eq!(sparse(&[0, 0, 5, 0, 0]), json!({"at": [2], "value": [5]}));
        assert_eq!(sparse(&[1, 0, 5]), json!([1, 0, 5]));
        assert_eq!(sparse(&[]), json!([]));
    }

    #[test]
    fn events_are_counted_per_kind_and_bucket() {
        let event = |us, name: &str| Event { us, flow: 1, name: name.to_owned() };
        let events = [event(0.5, "b"), event(2.5, "a"), event(2.9, "a")];
        assert_eq!(
            event_rows(&events, 1.0),
            [
                json!({"name": "a", "count": {"at": [2], "value": [2]}}),
                json!({"name": "b", "count": {"at": [0], "value": [1]}}),
            ]
        );
    }

    #[test]
    fn joined_buckets_widen_the_bucket_and_keep_the_extremes() {
        let one =
            Port { bytes: vec![1, 2, 3, 4], queue_bytes_max: vec![9, 7, 5, 6], ..Port::default() };
        let whole = Detail { bucket_us: 0.5, ports: vec![one], ..Detail::default() };
        let value = detail(&whole, 2, 0);
        assert_eq!(value["bucket_us"], json!(1.0));
        assert_eq!(value["buckets"], json!(2));
        assert_eq!(value["ports"][0]["bytes"], json!([3, 7]));
        assert_eq!(value["ports"][0]["bytes_most"], json!([2, 4]));
        assert_eq!(value["ports"][0]["queue_bytes_max"], json!([9, 6]));
        assert_eq!(value["ports"][0]["queue_bytes_least"], json!([7, 5]));
    }

    #[test]
    fn what_is_no_number_becomes_null() {
        assert_eq!(entry(&Entry::Number(f64::NAN)), Value::Null);
    }
}
