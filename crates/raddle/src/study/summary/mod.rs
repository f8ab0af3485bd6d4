//! One run in numbers: the object of `raddle.run/1`, and the same for people.

mod by_size;
mod jobs;
mod json;
mod layers;
mod memory;
mod object;
mod tail;
mod text;

use super::timing::Cost;
use crate::study::circuits::{CircuitUse, Throughput};
use crate::study::unfinished::Causes;
pub use by_size::{BySize, SizeClass, slowdown};
pub use jobs::{JobSummary, PhaseSummary};
pub use layers::LayerSummary;
pub use memory::{Held, downlinks, held_samples, ranked, uplinks};
use raddle_schemes::rng::{GOLDEN, mix};
use raddle_schemes::units::{Span, Time};
pub use raddle_sim::bound::Bound;
use raddle_sim::bound::ideals;
use raddle_sim::plan::Plan;
use raddle_sim::record::{
    FlowRecord, FlowRecords, Outcome, PfcRecord, PortRecord, Stop, TorRecord,
};
pub use tail::{Tail, TailPort, Tails};

/// A distribution of times in microseconds, over the flows that have one; `None` if none has.
/// Percentiles are by nearest rank: the smallest time that at least that share does not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The longest.
    pub max: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
}

/// Data packets of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// Sent, retransmissions included.
    pub sent: u64,
    /// Arrived whole and new.
    pub delivered: u64,
    /// Of those sent, sent again.
    pub retransmitted: u64,
    /// Arrived whole and new, and thrown away there: those out of order, where a receiver keeps none.
    pub refused: u64,
    /// Dropped by middleware in ToRs.
    pub dropped_by_middleware: u64,
    /// Lost, by cause (order of [`DropCause::ALL`](raddle_sim::record::DropCause::ALL)).
    pub dropped: [u64; 5],
    /// Frames of lossless classes, of any kind, for which a switch had no room.
    pub lossless_refused: u64,
    /// Trimmed in a switch.
    pub trimmed: u64,
    /// Marked in a switch.
    pub marked: u64,
}

/// One run in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Hash of the scenario.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// Threads of the engine.
    pub threads: u64,
    /// Whether every flow completed.
    pub completed: bool,
    /// Number of flows.
    pub flows: u64,
    /// Of these, how many did not complete.
    pub unfinished: u64,
    /// Of those, how many had not started when the run ended.
    pub unstarted: u64,
    /// Of those that did not complete, how many have an end at a host that was dead when the run
    /// ended.
    pub at_dead_hosts: u64,
    /// From time zero to the last needed ACK of any flow, in microseconds; `None` unless every flow
    /// completed. The time that a bound bounds.
    pub completion_us: Option<f64>,
    /// Flow completion times: start to last needed ACK at the sender.
    pub fct_us: Times,
    /// Start to last byte at the receiver.
    pub delivered_us: Times,
    /// Flow completion times in microseconds, by the size of flows.
    pub fct_by_size_us: BySize,
    /// Flow completion times over what each flow would take alone in the fabric without faults.
    pub slowdown: BySize,
    /// What the flows that completed would take alone in the fabric without faults.
    pub ideal_us: Times,
    /// Application bytes of all flows.
    pub application_bytes: u64,
    /// The flow that ended last, and the one with the largest slowdown.
    pub tails: Tails,
    /// The lower bound on [`RunSummary::completion_us`].
    pub bound_us: Option<f64>,
    /// The name of that bound.
    pub bound: Option<String>,
    /// By how much the completion exceeds the bound, in percent of the bound.
    pub increase_pct: Option<f64>,
    /// The jobs that the scenario names, collectives, and their parts; empty for plain traffic.
    pub jobs: Vec<JobSummary>,
    /// Data packets.
    pub packets: Packets,
    /// Most bytes of one data class in any switch port's queue, frame in service included.
    pub queue_bytes_max: u64,
    /// Most bytes of memory used at once in any switch whose ports share it; 0 if none do.
    pub memory_bytes_max: u64,
    /// Queues and loads by layer of the fabric, from sending to receiving hosts.
    pub layers: Vec<LayerSummary>,
    /// How full the memory of switches was, where that is recorded.
    pub memory: Option<Held>,
    /// What left recorded uplinks until the last flow began, over what they could have carried.
    pub uplinks: Option<f64>,
    /// The same of recorded ports to hosts.
    pub downlinks: Option<f64>,
    /// What left by circuits over what they could have carried, where ToRs have them.
    pub circuit_utilisation: Option<f64>,
    /// Packets that left by circuits for each that arrived from another ToR, less 1.
    pub bandwidth_tax: Option<f64>,
    /// What it carried over circuits beside what these could.
    pub throughput: Option<Throughput>,
    /// How often a class of what came in at a port was paused by flow control.
    pub pauses: u64,
    /// For how long in all, added up over these classes.
    pub paused_us: f64,
    /// For how long ports had no credit for a full packet, added up over ports and classes.
    pub without_credit_us: f64,
    /// Most cells of credit of one class that a port had out.
    pub credit_cells_max: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Of the queries, that is of flows that start at one instant towards one host, the share in which
    /// some flow had a timeout.
    pub timed_out: f64,
    /// Packets that left any queue, host or switch.
    pub packet_hops: u64,
    /// Hash of all flow and port records, and of what shared memories held at most: equal on every
    /// machine for the same scenario, seed and version.
    pub results_hash: String,
    /// What the run cost.
    pub cost: Cost,
}

impl RunSummary {
    /// The numbers of a run of the scenario with hash `scenario`.
    pub fn new(
        scenario: &str,
        plan: &Plan,
        outcome: &Outcome,
        bound: Option<&Bound>,
        cost: Cost,
    ) -> Self {
        Self::with_ideals(scenario, plan, outcome, &ideals(plan), bound, cost)
    }

    /// The same with what each flow would take alone ([`ideals`]).
    pub fn with_ideals(
        scenario: &str,
        plan: &Plan,
        outcome: &Outcome,
        ideals: &[Option<Span>],
        bound: Option<&Bound>,
        cost: Cost,
    ) -> Self {
        let flows = &outcome.flows;
        let completion = completion(flows);
        let bound_us = bound.map(|b| b.time.as_us());
        let increase_pct = completion
            .zip(bound)
            .filter(|(_, b)| b.time > Span::ZERO)
            .map(|(c, b)| (c.0 as f64 / b.time.0 as f64 - 1.0) * 100.0);
        let hosts = plan.fabric.host_ports() as usize;
        let told = plan.traffic.flows.iter().zip(flows.iter()).zip(ideals);
        let told = told.map(|((flow, record), ideal)| (flow, record, *ideal));
        let [fct_by_size_us, slowdown] = BySize::of(plan.record.sizes, told.clone());
        let pfc = || outcome.ports.iter().filter_map(|port| port.pfc.as_ref());
        let switch_ports = outcome.ports.iter().skip(hosts);
        let circuits = CircuitUse::of(plan, outcome);
        Self {
            scenario: scenario.to_string(),
            seed: plan.seed,
            threads: outcome.parts.into(),
            completed: outcome.stop == Stop::Completed,
            flows: flows.len() as u64,
            unfinished: flows.iter().filter(|f| f.acked.is_none()).count() as u64,
            unstarted: flows.iter().filter(|f| f.started.is_none()).count() as u64,
            at_dead_hosts: Causes::of(plan, outcome).at_dead_hosts(),
            completion_us: completion.map(Span::as_us),
            fct_us: Times::of(flows.iter().filter_map(|flow| fct(&flow))),
            delivered_us: Times::of(flows.iter().filter_map(|flow| delivery(&flow))),
            fct_by_size_us,
            slowdown,
            ideal_us: Times::of(completed(flows, ideals)),
            application_bytes: plan.traffic.flows.iter().map(|flow| flow.bytes.0).sum(),
            tails: Tails::of(plan, outcome, ideals),
            bound_us,
            bound: bound.map(|b| b.name.to_string()),
            increase_pct,
            jobs: JobSummary::of(plan, outcome, ideals),
            packets: Packets::of(outcome),
            queue_bytes_max: switch_ports.map(|p| p.queue_bytes_max).max().unwrap_or(0),
            memory_bytes_max: outcome.memory_bytes_max.iter().copied().max().unwrap_or(0),
            layers: LayerSummary::of(plan, outcome),
            memory: Held::of(plan, outcome),
            uplinks: uplinks(plan, outcome),
            downlinks: downlinks(plan, outcome),
            circuit_utilisation: circuits.and_then(|own| own.utilisation),
            bandwidth_tax: circuits.and_then(|own| own.tax),
            throughput: circuits.and_then(|own| own.throughput),
            pauses: pfc().map(|pfc| pfc.pauses).sum(),
            paused_us: pfc().map(|pfc| pfc.paused.as_us()).sum(),
            without_credit_us: without_credit_us(outcome),
            credit_cells_max: credit_cells_max(outcome),
            timeouts: flows.iter().map(|f| f.timeouts).sum(),
            timed_out: jobs::timed_out(told),
            packet_hops: outcome.packet_hops,
            results_hash: results_hash(
                flows,
                &outcome.ports,
                &outcome.memory_bytes_max,
                &outcome.tors,
            ),
            cost,
        }
    }

    /// Packet-hops per CPU second (per wall-clock second where CPU time is not known).
    pub fn hops_per_s(&self) -> f64 {
        let seconds = self.cost.cpu_s.unwrap_or(self.cost.wall_s);
        if seconds > 0.0 { self.packet_hops as f64 / seconds } else { 0.0 }
    }
}

/// From a flow's start to the last needed ACK at its sender.
pub fn fct(flow: &FlowRecord) -> Option<Span> {
    Some(flow.acked?.since(flow.started?))
}

/// From a flow's start to the last byte at its receiver.
pub fn delivery(flow: &FlowRecord) -> Option<Span> {
    Some(flow.delivered?.since(flow.started?))
}

/// What each flow that completed would take alone.
fn completed(flows: &FlowRecords, ideals: &[Option<Span>]) -> impl Iterator<Item = Span> {
    let both = flows.iter().zip(ideals);
    both.filter_map(|(flow, ideal)| flow.acked.and(*ideal))
}

/// From time zero to the last needed ACK; `None` unless every flow completed.
fn completion(flows: &FlowRecords) -> Option<Span> {
    let mut last = Time::ZERO;
    for flow in flows.iter() {
        last = last.max(flow.acked?);
    }
    Some(last.since(Time::ZERO))
}

impl Times {
    /// The distribution of `spans`.
    pub fn of(spans: impl Iterator<Item = Span>) -> Self {
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_unstable();
        let n = spans.len();
        let rank = |percent: usize| {
            spans.get((n * percent).div_ceil(100).max(1) - 1).map(|span| span.as_us())
        };
        let total: u128 = spans.iter().map(|s| u128::from(s.0)).sum();
        Self {
            max: spans.last().map(|span| span.as_us()),
            mean: (n > 0).then(|| total as f64 / n as f64 / 1e6),
            p50: rank(50),
            p99: rank(99),
        }
    }
}

impl Packets {
    /// Data packets over all flows and ports.
    pub fn of(outcome: &Outcome) -> Self {
        let mut packets = Self::default();
        for flow in outcome.flows.iter() {
            packets.sent += flow.sent;
            packets.delivered += flow.received;
            packets.retransmitted += flow.retransmitted;
            packets.refused += flow.refused;
        }
        packets.dropped_by_middleware = outcome.tors.iter().map(|tor| tor.dropped_data).sum();
        for port in &outcome.ports {
            packets.trimmed += port.trimmed;
            packets.marked += port.marked;
            packets.lossless_refused += port.pfc.as_ref().map_or(0, |pfc| pfc.refused);
            for (sum, dropped) in packets.dropped.iter_mut().zip(port.dropped_data) {
                *sum += dropped;
            }
        }
        packets
    }
}

/// For how long ports had no credit for a full packet, added up over ports and classes.
fn without_credit_us(outcome: &Outcome) -> f64 {
    let classes = outcome.credits.iter().flat_map(|own| &own.classes);
    classes.map(|class| class.without.as_us()).sum()
}

/// Most cells of credit of one class that a port had out.
fn credit_cells_max(outcome: &Outcome) -> u64 {
    outcome.credits.iter().map(|own| own.most(|class| class.in_use_max)).max().unwrap_or(0)
}

/// Hash of the hashes of several runs' results, in their order, as 16 hexadecimal digits.
pub fn results_hash_of_runs<'a>(runs: impl Iterator<Item = &'a RunSummary>) -> String {
    let mut digest = Digest(0);
    for run in runs {
        digest.add(run.seed);
        run.results_hash.bytes().for_each(|byte| digest.add(byte.into()));
    }
    format!("{:016x}", digest.0)
}

/// Hash of all flow and port records in their order, and of what `memories` of switches held at most
/// where ports share them, and of middleware's records, as 16 hexadecimal digits.
pub fn results_hash(
    flows: &FlowRecords,
    ports: &[PortRecord],
    memories: &[u64],
    tors: &[TorRecord],
) -> String {
    let mut digest = Digest(0);
    digest.add(flows.len() as u64);
    for flow in flows.iter() {
        digest.add_time(flow.started);
        digest.add_time(flow.acked);
        digest.add_time(flow.delivered);
        let [counts @ .., refused] = flow.counts();
        counts.into_iter().for_each(|count| digest.add(count));
        // Records of runs without such packets are older than this count.
        if refused > 0 {
            digest.add(refused);
        }
    }
    digest.add(ports.len() as u64);
    for port in ports {
        let PortRecord { frames, bytes, data_frames, marked, trimmed, .. } = *port;
        for n in [frames, bytes, data_frames, marked, trimmed, port.queue_bytes_max] {
            digest.add(n);
        }
        for n in port.dropped.iter().chain(&port.dropped_data) {
            digest.add(*n);
        }
        if let Some(pfc) = &port.pfc {
            let PfcRecord { pauses, frames, lost, ingress_bytes_max, ignored, refused, .. } = **pfc;
            for n in [pauses, frames, lost, ingress_bytes_max] {
                digest.add(n);
            }
            // What no watchdog did, and what was not lost, is no part of older results.
            for n in [ignored, refused].into_iter().filter(|n| *n > 0) {
                digest.add(n);
            }
        }
    }
    memories.iter().for_each(|most| digest.add(*most));
    for tor in tors {
        let TorRecord { dropped, dropped_data, sent, sent_bytes, held_max } = *tor;
        [dropped, dropped_data, sent, sent_bytes, held_max].iter().for_each(|n| digest.add(*n));
    }
    format!("{:016x}", digest.0)
}

struct Digest(u64);

impl Digest {
    fn add(&mut self, n: u64) {
        // The odd constant keeps a run of zeros from leaving the digest at zero.
        self.0 = mix(self.0.wrapping_add(GOLDEN) ^ n);
    }

    fn add_time(&mut self, time: Option<Time>) {
        self.add(u64::from(time.is_some()));
        self.add(time.unwrap_or_default().0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;

    fn us(values: &[u64]) -> Times {
        Times::of(values.iter().map(|&us| Span::us(us)))
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let hundred: Vec<u64> = (1..=100).rev().collect();
        let times = us(&hundred);
        assert_eq!((times.p50, times.p99), (Some(50.0), Some(99.0)));
        assert_eq!((times.max, times.mean), (Some(100.0), Some(50.5)));
        assert_eq!(us(&[3, 1, 2]).p50, Some(2.0));
        assert_eq!(us(&[3, 1, 2]).p99, Some(3.0));
        assert_eq!(us(&[7]).p50, Some(7.0));
        assert_eq!(us(&[]), Times::default());
    }

    #[test]
    fn the_results_hash_is_pinned_and_moves_with_every_record() {
        let plan = fixture::plan(1);
        let outcome = fixture::engine(&plan, &mut ());
        let hash = results_hash(&outcome.flows, &outcome.ports, &[], &[]);
        assert_eq!(hash, "ada31c07a02bc6c7");
        let mut other = outcome.clone();
        other.flows = [1, 0].map(|flow| outcome.flows.at(flow)).into_iter().collect();
        assert_ne!(hash, results_hash(&other.flows, &other.ports, &[], &[]));
        let mut other = outcome.clone();
        other.ports[0].dropped_data[4] = 1;
        assert_ne!(hash, results_hash(&other.flows, &other.ports, &[], &[]));
        assert_ne!(hash, results_hash(&outcome.flows, &outcome.ports, &[0], &[]));
        let mut other = outcome;
        other.flows.change(0, |flow| flow.started = None);
        assert_ne!(hash, results_hash(&other.flows, &other.ports, &[], &[]));
    }

    #[test]
    fn unfinished_flows_leave_no_completion_and_are_counted() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows.change(1, |flow| flow.acked = None);
        outcome.stop = Stop::Stalled(vec![raddle_schemes::ids::FlowId(1)]);
        let bound = Bound { name: "permutation", time: Span::us(2) };
        let summary = RunSummary::new("h", &plan, &outcome, Some(&bound), Cost::default());
        assert_eq!((summary.completed, summary.unfinished), (false, 1));
        assert_eq!((summary.completion_us, summary.increase_pct), (None, None));
        assert!(summary.fct_us.max.is_some());
        assert_eq!(summary.bound_us, Some(2.0));
    }

    #[test]
    fn the_increase_is_of_the_completion_over_the_bound() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows.change(0, |flow| flow.started = Some(Time(1_000_000)));
        outcome.flows.change(1, |flow| {
            flow.started = Some(Time(2_000_000));
            flow.acked = Some(Time(5_000_000));
        });
        let bound = Bound { name: "permutation", time: Span::us(4) };
        let summary = RunSummary::new("h", &plan, &outcome, Some(&bound), Cost::default());
        assert_eq!(summary.completion_us, Some(5.0));
        assert_eq!(summary.increase_pct, Some(25.0));
        assert_eq!(summary.packets.dropped, [2, 0, 0, 0, 0]);
        assert_eq!((summary.packets.sent, summary.packets.retransmitted), (8, 2));
    }
}
