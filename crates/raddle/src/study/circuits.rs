//! What circuits carried in a run, over what they could have.

use raddle_circuits::circuits::Capacity;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Time;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::Node;
use raddle_sim::topology::circuits::{Circuits, Lane};
use raddle_throughput::demand::Demand;
use raddle_throughput::solve::{Within, multi_hop, multi_hop_within, single_hop};
use serde_json::{Value, json};

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
    /// Where they have one schedule.
    pub throughput: Option<Throughput>,
}

/// What a run carried between ToRs beside what any use of its circuits could carry of the same, as
/// `raddle throughput` finds it: shares of the rate of a ToR's uplinks, dark time included, that the
/// ToR sends or receives which has most to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// What arrived, headers included, until the run ended.
    pub carried: f64,
    /// The most that direct circuits alone carry, on the mean over a period.
    pub single_hop: f64,
    /// The most over all ways: of up to [`Throughput::TORS_SOLVED`] ToRs what the linear program gives,
    /// of more a bound. `None` of more than [`Throughput::TORS_MAX`].
    pub multi_hop: Option<f64>,
    /// Where that is a bound, what some flow carries, so that the bound is no further off.
    pub multi_hop_found: Option<f64>,
}

impl Throughput {
    /// Of so many ToRs the linear program is solved with a run.
    pub const TORS_SOLVED: usize = 16;
    /// Of so many ToRs the most over all ways is bounded with a run, which takes seconds.
    pub const TORS_MAX: usize = 128;
    /// How far the bound may be from what is found, of that.
    const GAP: f64 = 0.01;

    /// `None` if nothing arrived at another ToR.
    fn of(plan: &Plan, outcome: &Outcome, circuits: &Circuits) -> Option<Self> {
        let (fabric, header) = (&plan.fabric, plan.transport.header.0);
        let tors = fabric.switches.len();
        let mut bytes = vec![vec![0.0; tors]; tors];
        for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
            let [from, to] = [flow.source, flow.destination].map(|host| fabric.edge(host));
            let data = (record.received * plan.transport.payload.0).min(flow.bytes.0);
            bytes[from.index()][to.index()] += (data + record.received * header) as f64;
        }
        let demand = Demand::new(&bytes).ok()?;
        let node = circuits.uplink_rate.0 as f64 * f64::from(circuits.uplinks);
        let mut capacity = Capacity::none(tors);
        for lane in &circuits.lanes {
            let Node::Switch(SwitchId(to)) = fabric.destination(lane.port) else { continue };
            let Node::Switch(SwitchId(from)) = fabric.ports[lane.port.index()].owner else {
                continue;
            };
            let share = circuits.mean_rate(lane).0 as f64 / node;
            capacity.add(from as usize, to as usize, share);
        }
        let (multi_hop, multi_hop_found) = over_all_ways(&capacity, &demand);
        let carried = demand.largest_sum() * 8e12 / (node * outcome.end.0 as f64);
        let single_hop = single_hop(&capacity, &demand);
        Some(Self { carried, single_hop, multi_hop, multi_hop_found })
    }

    pub(super) fn to_json(self) -> Value {
        let Self { carried, single_hop, multi_hop, multi_hop_found } = self;
        json!({
            "carried": carried, "single_hop": single_hop, "multi_hop": multi_hop,
            "multi_hop_found": multi_hop_found,
        })
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let (carried, single_hop) = (number("carried")?, number("single_hop")?);
        let (multi_hop, multi_hop_found) = (number("multi_hop"), number("multi_hop_found"));
        Some(Self { carried, single_hop, multi_hop, multi_hop_found })
    }

    /// In words: `31.0% of ToRs' uplinks; this schedule could carry 47.5% over direct circuits`.
    pub(super) fn text(self) -> String {
        let share = |share: f64| format!("{:.1}%", share * 100.0);
        let over_all = self.multi_hop.map(|most| match self.multi_hop_found {
            Some(found) => {
                format!(", at most {} over all ways ({} is found)", share(most), share(found))
            }
            None => format!(", {} over all ways", share(most)),
        });
        format!(
            "{} of a ToR's uplinks; of such traffic they can carry {} over direct circuits{}",
            share(self.carried),
            share(self.single_hop),
            over_all.unwrap_or_default()
        )
    }
}

/// The most over all ways, and what is found where that is a bound.
fn over_all_ways(capacity: &Capacity, demand: &Demand) -> (Option<f64>, Option<f64>) {
    let tors = demand.nodes();
    if tors <= Throughput::TORS_SOLVED {
        (multi_hop(capacity, demand).ok(), None)
    } else if tors <= Throughput::TORS_MAX {
        let Within { least, most } = multi_hop_within(capacity, demand, Throughput::GAP);
        (Some(most), Some(least))
    } else {
        (None, None)
    }
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
            throughput: Throughput::of(plan, outcome, circuits)
                .filter(|_| circuits.later.is_empty()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;
    use raddle_sim::engine;
    use std::path::Path;

    #[test]
    fn of_many_tors_the_most_is_bounded() {
        for (tors, few) in [(16, true), (24, false), (Throughput::TORS_MAX, false)] {
            let capacity = raddle_circuits::circuits::Circuits::complete(tors, 1, true);
            let capacity = capacity.capacity(0.9 / tors as f64);
            let demand = raddle_throughput::demand::pattern::shift(tors, 1);
            let (most, found) = over_all_ways(&capacity, &demand);
            assert_eq!(found.is_none(), few, "{tors}");
            let (most, found) = (most.unwrap(), found.unwrap_or(0.45));
            assert!(found <= 0.45 + 1e-6 && 0.45 - 1e-6 <= most && most <= 1.01 * found, "{tors}");
        }
        let own = Throughput {
            carried: 0.1,
            single_hop: 0.2,
            multi_hop: Some(0.451),
            multi_hop_found: Some(0.449),
        };
        assert_eq!(Throughput::from_json(&own.to_json()), Some(own));
        assert!(own.text().ends_with("at most 45.1% over all ways (44.9% is found)"));
    }

    #[test]
    fn a_run_carries_no_more_than_raddle_throughput_says() {
        let used = |valiant: &str| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"circuits\", tors = 8, hosts_per_tor = 2, uplinks = 2, \
                 rate = \"100 Gbps\", design = \"rotornet\", slot = \"10 us\", dark = \"1 us\" }}\n\
                 load_balance = {{ scheme = \"{valiant}\" }}\nqueue = {{ size = \"unlimited\", marking = {{ scheme = \"none\" }} }}\n\
                 [transport]\nload_balance = {{ scheme = \"ops\" }}\n\
                 congestion = {{ scheme = \"fixed_rate\" }}\n\
                 recovery = {{ scheme = \"sack\", rto = \"50 ms\" }}\n\
                 [traffic]\nkind = \"tornado\"\nmessage = \"1 MiB\"\n"
            );
            let study = parse("t.toml", &text, Path::new("."), &[]).unwrap();
            let plan = study.cells[0].scenario.resolve(1).unwrap();
            let outcome = engine::run(&plan, &mut ());
            CircuitUse::of(&plan, &outcome).unwrap().throughput.unwrap()
        };
        // A permutation of ToRs, circuits between all pairs and to itself, nine tenths of the time.
        for (scheme, most) in [("ecmp", 0.1125), ("valiant", 0.45)] {
            let own = used(scheme);
            assert!((own.single_hop - 0.1125).abs() < 1e-6, "{own:?}");
            assert!((own.multi_hop.unwrap() - 0.45).abs() < 1e-4, "{own:?}");
            assert!((0.6 * most..=most).contains(&own.carried), "{scheme}: {own:?}");
            assert_eq!(Throughput::from_json(&own.to_json()), Some(own));
        }
        let text = used("ecmp").text();
        let most = "of such traffic they can carry 11.2% over direct circuits, 45.0% over all ways";
        assert!(text.ends_with(most), "{text}");
    }
}
