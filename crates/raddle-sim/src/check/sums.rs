//! Totals, series and timeline are sums of the same events.

use super::Findings;
use crate::plan::Plan;
use crate::record::rows::{Fate, PacketRow};
use crate::record::{FlowRecord, Outcome, PortRecord, TorRecord};
use raddle_schemes::ids::FlowId;
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
    if plan.record.routes {
        routes(outcome, found);
    }
    packets(plan, outcome, found);
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
            ("marks", sum(&series.marked), port.marked),
            ("trims", sum(&series.trimmed), port.trimmed),
            (
                "most bytes queued",
                series.queue_bytes_max.iter().max().copied().unwrap_or(0),
                port.queue_bytes_max,
            ),
        ] {
            found.equal(&place, (what, series), ("the port's", total));
        }
        // Pauses that begin after the last flow's end lower a port's sum.
        let paused = port.pfc.as_ref().map_or(0, |pfc| pfc.paused.0 as i64).max(0) as u64;
        let sum = series.paused.iter().sum();
        found.at_most(&place, ("the port's picoseconds paused", paused), ("those of buckets", sum));
    }
}

/// What became of the packets of a recorded flow is what became of the flow's, where none could be
/// taken for another.
fn packets(plan: &Plan, outcome: &Outcome, found: &mut Findings) {
    let rows: Vec<PacketRow> = outcome.packets.rows().collect();
    let is_unsure = |flow: &FlowId| rows.iter().any(|row| row.flow == *flow && !row.sure);
    for flow in plan.record.packets.iter().filter(|flow| !is_unsure(flow)) {
        let own = || rows.iter().filter(|row| row.flow == *flow);
        let of = |fate: Fate| own().filter(|row| row.fate == fate).count() as u64;
        let lost = |row: &&PacketRow| matches!(row.fate, Fate::Lost(_) | Fate::Middleware);
        let record = outcome.flows.at(flow.index());
        let place = format!("packets of flow {}", flow.0);
        let arrived =
            |row: &&PacketRow| row.marked && matches!(row.fate, Fate::Delivered | Fate::NotNeeded);
        for (what, rows, total) in [
            ("received", of(Fate::Delivered), record.received),
            ("not needed", of(Fate::NotNeeded), record.duplicates + record.refused),
            ("trimmed", of(Fate::Trimmed), record.trimmed),
            ("lost", own().filter(lost).count() as u64, record.dropped),
            ("marked", own().filter(arrived).count() as u64, record.marked),
        ] {
            found.equal(&place, (what, rows), ("the flow's", total));
        }
        found.at_most(&place, ("packets", own().count() as u64), ("sent", record.sent));
        let acked = own().filter(|row| row.acked.is_some()).count() as u64;
        found.at_most(&place, ("acknowledged", acked), ("received", record.received));
        if outcome.in_flight_data == 0 {
            let again = own().filter(|row| row.again).count() as u64;
            found.equal(&place, ("packets", own().count() as u64), ("sent", record.sent));
            found.equal(&place, ("sent again", again), ("the flow's", record.retransmitted));
        }
    }
    if rows.iter().any(|row| !row.sure) {
        return;
    }
    let mut of_ports = vec![[0; 3]; outcome.ports.len()];
    for hop in outcome.packets.hops() {
        let own = &mut of_ports[hop.port.index()];
        own[0] += u64::from(hop.fate == Fate::Trimmed);
        own[1] += u64::from(matches!(hop.fate, Fate::Lost(_)));
        own[2] += u64::from(hop.marked);
    }
    for (number, (hops, port)) in of_ports.into_iter().zip(&outcome.ports).enumerate() {
        let place = format!("hops at port {number}");
        found.at_most(&place, ("marked", hops[2]), ("the port's", port.marked));
        found.at_most(&place, ("trimmed", hops[0]), ("the port's", port.trimmed));
        found.at_most(&place, ("lost", hops[1]), ("the port's", port.dropped_data_total()));
    }
}

/// What flows' data did at ports is what the ports did with data.
fn routes(outcome: &Outcome, found: &mut Findings) {
    let mut of_ports = vec![(0, 0); outcome.ports.len()];
    for row in &outcome.routes {
        let (packets, lost) = &mut of_ports[row.port.index()];
        *packets += row.packets;
        *lost += row.lost;
    }
    for (number, ((packets, lost), port)) in of_ports.into_iter().zip(&outcome.ports).enumerate() {
        let place = format!("routes by port {number}");
        found.equal(&place, ("packets", packets), ("data frames", port.data_frames));
        found.equal(&place, ("packets lost", lost), ("data lost", port.dropped_data_total()));
    }
}

fn sum(series: &[u32]) -> u64 {
    series.iter().map(|&count| u64::from(count)).sum()
}
