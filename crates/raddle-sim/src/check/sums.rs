//! Totals, series and timeline are sums of the same events.

use super::Findings;
use crate::plan::Plan;
use crate::record::{FlowRecord, Outcome, PortRecord, TorRecord};
use raddle_schemes::units::Span;

pub(super) fn check(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let ports = |count: fn(&PortRecord) -> u64| outcome.ports.iter().map(count).sum::<u64>();
    let flows =
        |count: fn(&FlowRecord) -> u64| outcome.flows.iter().map(|flow| count(&flow)).sum::<u64>();
    let tors = |count: fn(&TorRecord) -> u64| outcome.tors.iter().map(count).sum::<u64>();
    let all = "all ports";
    found.equal(all, ("frames", ports(|p| p.frames)), ("packet hops", outcome.packet_hops));
    found.equal(
        all,
        ("data frames lost", ports(PortRecord::dropped_data_total) + tors(|tor| tor.dropped_data)),
        ("packets lost by flows", flows(|f| f.dropped)),
    );
    let (marked, trimmed) = (ports(|p| p.marked), ports(|p| p.trimmed));
    found.at_most(all, ("marked packets arrived", flows(|f| f.marked)), ("marks", marked));
    found.at_most(all, ("trimmed headers arrived", flows(|f| f.trimmed)), ("trims", trimmed));
    if plan.record.bucket == Span::ZERO {
        return;
    }
    let timeline = &outcome.timeline;
    for (what, series, total) in [
        ("dropped", &timeline.dropped, ports(PortRecord::dropped_total) + tors(|tor| tor.dropped)),
        ("marked", &timeline.marked, marked),
        ("trimmed", &timeline.trimmed, trimmed),
        ("retransmitted", &timeline.retransmitted, flows(|f| f.retransmitted)),
        ("timeouts", &timeline.timeouts, flows(|f| f.timeouts)),
    ] {
        found.equal("timeline", (what, sum(series)), ("their total", total));
    }
    for (id, series) in plan.record.ports.iter().zip(&outcome.series) {
        let place = format!("series of {}", plan.fabric.ports[id.index()].name);
        let port = &outcome.ports[id.index()];
        for (what, series, total) in [
            ("data frames", sum(&series.data_frames), port.data_frames),
            ("bytes", series.bytes.iter().sum(), port.bytes),
            ("frames lost", sum(&series.dropped), port.dropped_total()),
            ("data frames lost", sum(&series.dropped_data), port.dropped_data_total()),
            (
                "most bytes queued",
                series.queue_bytes_max.iter().max().copied().unwrap_or(0),
                port.queue_bytes_max,
            ),
        ] {
            found.equal(&place, (what, series), ("the port's", total));
        }
    }
}

fn sum(series: &[u32]) -> u64 {
    series.iter().map(|&count| u64::from(count)).sum()
}
