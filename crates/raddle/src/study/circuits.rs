//! What circuits carried in a run, over what they could have.

use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::circuits::{Circuits, Lane};

/// How long an uplink has a lane open in a period, and until a time of the run.
fn open(circuits: &Circuits, lane: &Lane, uplink: u32, end: Time) -> (u64, u64) {
    let period = circuits.period.0.max(1);
    let (whole, rest) = (end.0 / period, end.0 % period);
    let own = lane.openings.iter().zip(&lane.uplinks);
    let own = own.filter(|(_, uplinks)| **uplinks >> uplink & 1 == 1);
    own.fold((0, 0), |(each, all), (open, _)| {
        let length = open.until.0 - open.from.0;
        // Of the last period, and of an opening that reaches into it.
        let within = |from: u64, until: u64| until.min(rest).saturating_sub(from);
        let around = open.until.0.saturating_sub(period);
        let last = within(open.from.0, open.until.0.min(period)) + within(0, around);
        (each + length, all + whole * length + last)
    })
}

/// How long an uplink has a lane open in a period of the first schedule, and in the run.
pub fn open_in_all(circuits: &Circuits, id: PortId, uplink: u32, end: Time) -> (u64, u64) {
    let lane = |own: &Circuits| own.lane(id).cloned();
    let Some(first) = lane(circuits) else { return (0, 0) };
    let ends: Vec<Time> =
        circuits.later.iter().map(|own| own.begins.min(end)).chain([end]).collect();
    let (each, mut all) = open(circuits, &first, uplink, ends[0]);
    for (later, until) in circuits.later.iter().zip(&ends[1..]) {
        let Some(own) = lane(&later.circuits) else { continue };
        let length = |until: Time| Time(until.0.saturating_sub(later.begins.0));
        let up = |until| open(&later.circuits, &own, uplink, length(until)).1;
        // All circuit switches turn at first.
        all += up(*until) - up(later.opens.min(*until));
    }
    (if circuits.later.is_empty() { each } else { all }, all)
}

/// How a run used its circuits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CircuitUse {
    /// Bytes that left by them, over what they could have carried until the run ended.
    pub utilisation: Option<f64>,
    /// Packets that left by them for each that arrived from another ToR, less 1.
    pub tax: Option<f64>,
}

impl CircuitUse {
    /// `None` where ToRs have no circuits, or a packet network beside them.
    pub fn of(plan: &Plan, outcome: &Outcome) -> Option<Self> {
        let fabric = &plan.fabric;
        let circuits = fabric.circuits.as_ref().filter(|own| own.packet.is_none())?;
        let uplinks = || 0..circuits.uplinks;
        let open = |lane: &Lane| -> u64 {
            uplinks().map(|own| open_in_all(circuits, lane.port, own, outcome.end).1).sum()
        };
        let open: f64 = circuits.lanes.iter().map(|lane| open(lane) as f64).sum();
        let most = circuits.uplink_rate.0 as f64 / 8.0 * open / 1e12;
        let records = || circuits.lanes.iter().map(|lane| &outcome.ports[lane.port.index()]);
        let bytes: u64 = records().map(|own| own.bytes).sum();
        let packets: u64 = records().map(|own| own.data_frames).sum();
        let flows = plan.traffic.flows.iter().zip(outcome.flows.iter());
        let apart =
            flows.filter(|(flow, _)| fabric.edge(flow.source) != fabric.edge(flow.destination));
        let arrived: u64 = apart.map(|(_, record)| record.received).sum();
        Some(Self {
            utilisation: (most > 0.0).then(|| bytes as f64 / most),
            tax: (arrived > 0).then(|| packets as f64 / arrived as f64 - 1.0),
        })
    }
}
