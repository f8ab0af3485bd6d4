//! What a run will take, before it runs.

use super::text::{count, plural, short};
use raddle_schemes::units::Time;
use raddle_sim::plan::Plan;
use raddle_sim::workload::{Flow, Start, TriggerKind};

/// Packet-hops that one core does in a second at a thousand hosts, unless the machine was measured.
pub const DEFAULT_HOPS_PER_S: f64 = 12e6;

/// A link's record, its ring under a full load with one-BDP windows, and its counters.
pub(super) const BYTES_PER_PORT: u64 = 2048;
/// A flow's place in the plan, and what is left of it after the run (docs/performance.md).
pub(super) const BYTES_PER_FLOW: u64 = 164;
/// Both its ends while they are at work.
const BYTES_PER_FLOW_AT_WORK: u64 = 396;
/// The program itself.
pub(super) const BYTES_PER_PROCESS: u64 = 8_000_000;

/// What a run will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of flows.
    pub flows: u64,
    /// Data packets, without retransmissions.
    pub packets: u64,
    /// Packet-hops of these packets and as many ACKs.
    pub packet_hops: u64,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Seconds on one core at the given rate.
    pub seconds: f64,
}

impl Estimate {
    /// One line for many runs like this one, `threads` at a time.
    pub fn of_many(&self, runs: usize, threads: usize) -> String {
        let at_a_time = threads.min(runs).max(1);
        format!(
            "{}, if all are like the first about {} packet-hops: {} and {} MB",
            plural(runs as u64, "run"),
            short(self.packet_hops as f64 * runs as f64),
            duration(self.seconds * runs as f64 / at_a_time as f64),
            (self.memory_bytes as f64 * at_a_time as f64 / 1e6).round()
        )
    }
}

/// Data packets of the whole traffic, without retransmissions.
pub fn data_packets(plan: &Plan) -> u64 {
    plan.traffic.flows.iter().map(|flow| packets(plan, flow)).sum()
}

/// Those of a flow: none if it goes by the crossbar of a server.
fn packets(plan: &Plan, flow: &Flow) -> u64 {
    if plan.fabric.scales_up(flow.source, flow.destination) {
        return 0;
    }
    flow.bytes.0.div_ceil(plan.transport.payload.0.max(1))
}

/// Predicts a run at `hops_per_s` packet-hops a second: every data packet and its ACK cross every
/// port of one shortest path, and nothing is lost.
pub fn estimate(plan: &Plan, hops_per_s: f64) -> Estimate {
    let flows = &plan.traffic.flows;
    let hops = |flow: &Flow| {
        let packets = packets(plan, flow);
        packets * 2 * plan.fabric.path(flow.source, flow.destination).len() as u64
    };
    let packet_hops: u64 = flows.iter().map(hops).sum();
    Estimate {
        flows: flows.len() as u64,
        packets: data_packets(plan),
        packet_hops,
        memory_bytes: BYTES_PER_PROCESS
            + plan.fabric.ports.len() as u64 * BYTES_PER_PORT
            + flows.len() as u64 * BYTES_PER_FLOW
            + at_once(plan) * BYTES_PER_FLOW_AT_WORK,
        seconds: packet_hops as f64 / hops_per_s,
    }
}

/// Most flows that are at work at once, if each takes no longer than it would alone at the pace of its
/// sender's link, and those that one firing of a trigger starts do so together.
fn at_once(plan: &Plan) -> u64 {
    let longest_rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
    let (mut begins, mut ends): (Vec<Time>, Vec<Time>) = (Vec::new(), Vec::new());
    for flow in &plan.traffic.flows {
        if let Start::At(time) = flow.start {
            begins.push(time);
            let rate = plan.fabric.ports[flow.source.index()].rate;
            ends.push(time + rate.serialisation(flow.bytes) + longest_rtt);
        }
    }
    begins.sort_unstable();
    ends.sort_unstable();
    let (mut over, mut most) = (0, 0);
    for (begun, begin) in (1..).zip(&begins) {
        while ends[over] < *begin {
            over += 1;
        }
        most = most.max(begun - over);
    }
    let triggers = plan.traffic.triggers.iter();
    let together = triggers.filter(|trigger| matches!(trigger.kind, TriggerKind::All { .. }));
    most.max(together.map(|trigger| trigger.targets.len()).max().unwrap_or(0)) as u64
}

impl std::fmt::Display for Estimate {
    /// One line: what is to be done, and what it takes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {} data packets, about {} packet-hops: {} and {} MB",
            plural(self.flows, "flow"),
            count(self.packets),
            short(self.packet_hops as f64),
            duration(self.seconds),
            (self.memory_bytes as f64 / 1e6).round()
        )
    }
}

/// A duration rounded to what an estimate is worth.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => "less than 0.1 s".to_string(),
        s if s < 9.95 => format!("about {s:.1} s"),
        s if s < 120.0 => format!("about {s:.0} s"),
        s if s < 7200.0 => format!("about {:.0} min", s / 60.0),
        s => format!("about {:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use raddle_schemes::ids::FlowId;
    use raddle_schemes::units::Span;
    use raddle_sim::workload::Trigger;

    #[test]
    fn packets_and_their_acks_cross_every_port_of_the_path() {
        let plan = fixture::plan(1);
        let estimate = estimate(&plan, 12.0);
        // 10 000 B are 3 packets of 4096 B; NIC and ToR make 2 hops; data and ACK, 2 flows.
        assert_eq!(estimate.packets, 6);
        assert_eq!(estimate.packet_hops, 3 * 2 * 2 * 2);
        assert_eq!(estimate.seconds, 2.0);
        assert_eq!(
            estimate.to_string(),
            "2 flows, 6 data packets, about 24 packet-hops: about 2.0 s and 8 MB"
        );
        assert_eq!(
            estimate.of_many(45, 2),
            "45 runs, if all are like the first about 1.08 k packet-hops: about 45 s and 16 MB"
        );
    }

    #[test]
    fn flows_that_overlap_are_at_work_together() {
        let mut plan = fixture::plan(1);
        let mut memory = |start| {
            plan.traffic.flows[1].start = start;
            estimate(&plan, 12.0).memory_bytes
        };
        let together = memory(Start::At(Time(0)));
        assert_eq!(memory(Start::At(Time(1))), together);
        let apart = together - BYTES_PER_FLOW_AT_WORK;
        assert_eq!(memory(Start::At(Time::ZERO + Span::ms(1))), apart);
        assert_eq!(memory(Start::WHEN_TRIGGERED), apart);
        let targets = [0, 1].map(FlowId).to_vec();
        let kind = TriggerKind::All { count: 1 };
        plan.traffic.triggers = vec![Trigger::new(kind, targets)];
        assert_eq!(estimate(&plan, 12.0).memory_bytes, together);
    }

    #[test]
    fn durations_are_no_more_precise_than_they_can_be() {
        assert_eq!(duration(0.02), "less than 0.1 s");
        assert_eq!(duration(42.3), "about 42 s");
        assert_eq!(duration(600.0), "about 10 min");
        assert_eq!(duration(36_000.0), "about 10.0 h");
    }
}
