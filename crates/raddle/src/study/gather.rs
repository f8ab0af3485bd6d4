//! What a comparison and its report keep of each run: numbers of all, series of the first seed.

use super::run::{Finished, Job, Sink};
use super::store::Store;
use super::summary::{RunSummary, fct};
use crate::report;
use raddle_schemes::size::Base;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::net::faults::PortChange;
use raddle_sim::plan::Plan;
use raddle_sim::record::{Outcome, RecordPlan};
use raddle_sim::topology::Node;

/// What remains of a run.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The run in numbers.
    pub summary: RunSummary,
    /// Completion times of the flows that completed.
    pub fct_us: Vec<f64>,
    /// The run over time, where it is one to be drawn.
    pub detail: Option<report::Detail>,
}

impl Gathered {
    /// What remains of `run`; its series too if its seed is the one that is drawn.
    pub fn of(run: &Finished, drawn_seed: u64) -> Self {
        let drawn = run.plan.seed == drawn_seed;
        Self {
            summary: run.summary.clone(),
            fct_us: run.outcome.flows.iter().filter_map(fct).map(Span::as_us).collect(),
            detail: drawn.then(|| detail(&run.plan, &run.outcome)),
        }
    }
}

/// Keeps runs in memory and, where there is a store, on disk.
pub struct Gather {
    /// Where runs are written.
    pub store: Option<Store>,
    /// The seed whose runs are drawn over time.
    pub drawn_seed: u64,
}

impl Sink for Gather {
    type Kept = Gathered;

    fn begin(&self, job: &Job) -> Result<Option<Gathered>, String> {
        // A stored run lacks what the report draws, so it is run again; the store keeps the first.
        match &self.store {
            Some(store) => store.begin(job).map(|_| None),
            None => Ok(None),
        }
    }

    fn finish(&self, job: &Job, run: Finished) -> Result<Gathered, String> {
        let gathered = Gathered::of(&run, self.drawn_seed);
        if let Some(store) = &self.store
            && store.find(&job.scenario, job.seed)?.is_none()
        {
            store.finish(job, run)?;
        }
        Ok(gathered)
    }

    fn abandon(&self, job: &Job) {
        if let Some(store) = &self.store {
            store.abandon(job);
        }
    }
}

/// Records the ports of the busiest switch that a picture can show: the uplinks of the first
/// switch with a fault, else of the first edge switch; in about 120 steps of the bound.
pub fn record_uplinks(plan: &Plan) -> RecordPlan {
    let fabric = &plan.fabric;
    let owner = |port: raddle_schemes::ids::PortId| match fabric.ports[port.index()].owner {
        Node::Switch(switch) if fabric.switches[switch.index()].tier == 0 => Some(switch),
        _ => None,
    };
    let faulty = plan.faults.ports.iter().find_map(|(port, _)| owner(*port));
    let first = || fabric.switches.iter().position(|switch| switch.tier == 0);
    let Some(switch) = faulty.map(|switch| switch.index()).or_else(first) else {
        return RecordPlan::default();
    };
    let own = fabric.switches[switch].ports.clone();
    let up: Vec<_> = own
        .clone()
        .filter(|&port| fabric.ports[port as usize].up)
        .map(raddle_schemes::ids::PortId)
        .collect();
    let ports = if up.is_empty() { own.map(raddle_schemes::ids::PortId).collect() } else { up };
    let whole = super::jobs::bound_of(plan).map_or(Span::us(200), |bound| bound.time);
    let step = (whole.0 / 120).max(1);
    // A round number: 1, 2 or 5 times a power of ten.
    let magnitude = 10u64.pow(step.ilog10());
    let bucket = [1, 2, 5, 10].into_iter().map(|n| n * magnitude).find(|&width| width >= step);
    RecordPlan { ports, bucket: Span(bucket.unwrap_or(step)) }
}

/// A run over time, as the report draws it; condition and scheme are filled in by the report.
fn detail(plan: &Plan, outcome: &Outcome) -> report::Detail {
    let fabric = &plan.fabric;
    let ports = plan.record.ports.iter().zip(&outcome.series).map(|(id, series)| {
        let port = &fabric.ports[id.index()];
        report::Port {
            name: port.name.clone(),
            rate_gbps: port.rate.0 as f64 / 1e9,
            bytes: series.bytes.clone(),
            data_frames: series.data_frames.clone(),
            queue_bytes_max: series.queue_bytes_max.clone(),
            drops: series.dropped.clone(),
        }
    });
    let base = queue_base(plan);
    let threshold = |key: &str| threshold(plan, key, &base);
    let timeline = &outcome.timeline;
    report::Detail {
        seed: plan.seed,
        bucket_us: plan.record.bucket.as_us(),
        ports_title: ports_title(plan),
        ports: ports.collect(),
        counts: report::Counts {
            drops: timeline.dropped.clone(),
            marks: timeline.marked.clone(),
            trims: timeline.trimmed.clone(),
            retransmissions: timeline.retransmitted.clone(),
            timeouts: timeline.timeouts.clone(),
        },
        events: timeline
            .events
            .iter()
            .map(|(at, flow, name)| report::Event {
                us: at.as_us(),
                flow: u64::from(flow.0),
                name: (*name).to_owned(),
            })
            .collect(),
        faults: fault_windows(plan),
        queue_low_bytes: threshold("low").or_else(|| threshold("threshold")),
        queue_high_bytes: threshold("high").or_else(|| threshold("threshold")),
        queue_capacity_bytes: base.whole.0,
        ..Default::default()
    }
}

/// What the recorded ports have in common, from their names.
fn ports_title(plan: &Plan) -> String {
    let fabric = &plan.fabric;
    let owners = plan.record.ports.iter().map(|port| fabric.ports[port.index()].owner);
    let up = plan.record.ports.iter().all(|port| fabric.ports[port.index()].up);
    let mut owners: Vec<Node> = owners.collect();
    owners.dedup();
    match owners[..] {
        [Node::Switch(switch)] => {
            let kind = if up { "uplinks" } else { "ports" };
            format!("{kind} of {}", fabric.switches[switch.index()].name)
        }
        _ => "recorded ports".to_owned(),
    }
}

/// Capacity and relative sizes of the first recorded port's queue.
fn queue_base(plan: &Plan) -> Base {
    let port = plan.record.ports.first().map_or(0, |port| port.index());
    let longest = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
    let base = plan.queue_base(port, longest, Bytes(0));
    Base { whole: plan.queue.size.resolve(&base), ..base }
}

/// The marking threshold of this name, if the selected marking has one.
fn threshold(plan: &Plan, name: &str, base: &Base) -> Option<u64> {
    let values = plan.queue.marking.values();
    let (_, text) = values.iter().find(|(key, _)| *key == name)?;
    let size: raddle_schemes::size::Size = text.trim_matches('"').parse().ok()?;
    Some(size.resolve(base).0)
}

/// When links of ports were not as they should be; each cable once, by its first port.
fn fault_windows(plan: &Plan) -> Vec<report::FaultWindow> {
    let fabric = &plan.fabric;
    let recorded = |index: usize| plan.record.ports.iter().any(|port| port.index() == index);
    let mut windows = Vec::new();
    for (port, changes) in &plan.faults.ports {
        let peer = fabric.ports[port.index()].peer;
        let twin = plan.faults.ports.iter().any(|(other, list)| *other == peer && list == changes);
        // A two-way fault is one fault: shown at the recorded end, else at the first.
        let rank = |index: usize| (!recorded(index), index);
        let shown = !twin || rank(port.index()) < rank(peer.index());
        if !shown {
            continue;
        }
        let name = &fabric.ports[port.index()].name;
        for (index, (from, change)) in changes.iter().enumerate() {
            let Some(what) = describe(plan, port.index(), *change) else { continue };
            let ends = changes[index + 1..].iter().find(|(_, later)| ends(*change, *later));
            windows.push(report::FaultWindow {
                label: format!("{name} {what}"),
                port: Some(name.clone()),
                from_us: from.as_us(),
                until_us: ends
                    .map(|(until, _)| *until)
                    .filter(|&at| at < Time::NEVER)
                    .map(Time::as_us),
            });
        }
    }
    windows
}

/// What a change does to a port, in words; `None` if it puts things right.
fn describe(plan: &Plan, port: usize, change: PortChange) -> Option<String> {
    let nominal = plan.fabric.ports[port].rate;
    match change {
        PortChange::Down => Some("down".to_owned()),
        PortChange::Rate { rate, .. } if rate != nominal => Some(format!("at {rate}")),
        PortChange::Loss { probability } if probability > 0 => {
            let percent = probability as f64 / (1u64 << 32) as f64 * 100.0;
            Some(format!("losing {} %", super::text::short(percent)))
        }
        PortChange::BitErrors { rate } if rate > 0.0 => {
            Some(format!("with bit error rate {rate:e}"))
        }
        _ => None,
    }
}

/// Whether `later` ends what `change` began.
fn ends(change: PortChange, later: PortChange) -> bool {
    matches!(
        (change, later),
        (PortChange::Down, PortChange::Up)
            | (PortChange::Rate { .. }, PortChange::Rate { .. })
            | (PortChange::Loss { .. }, PortChange::Loss { .. })
            | (PortChange::BitErrors { .. }, PortChange::BitErrors { .. })
    )
}
