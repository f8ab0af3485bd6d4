//! A run over time, as the report draws it: series, thresholds, and when something was broken.

use super::{Counts, Detail, Event, FaultWindow, Port, ProbeLine};
use crate::study::text::short;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::size::{Base, Size, UNLIMITED};
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::faults::PortChange;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::probes::Holder;
use raddle_sim::topology::Node;
use std::collections::BTreeMap;

/// The run over time; its condition and scheme are for the page to say.
pub(crate) fn detail(plan: &Plan, outcome: &Outcome) -> Detail {
    let fabric = &plan.fabric;
    let ports = plan.record.ports.iter().zip(&outcome.series).map(|(id, series)| {
        let port = &fabric.ports[id.index()];
        Port {
            name: port.name.clone(),
            rate_gbps: port.rate.0 as f64 / 1e9,
            bytes: series.bytes.clone(),
            data_frames: series.data_frames.clone(),
            queue_bytes_max: series.queue_bytes_max.clone(),
            drops: series.dropped.clone(),
        }
    });
    let timeline = &outcome.timeline;
    let events = timeline.events.iter().map(|(at, flow, name)| Event {
        us: at.as_us(),
        flow: u64::from(flow.0),
        name: name.clone().into_owned(),
    });
    let queue = queue_lengths(plan);
    Detail {
        seed: plan.seed,
        bucket_us: outcome.bucket.as_us(),
        ports_title: ports_title(plan),
        ports: ports.collect(),
        counts: Counts {
            drops: timeline.dropped.clone(),
            marks: timeline.marked.clone(),
            trims: timeline.trimmed.clone(),
            retransmissions: timeline.retransmitted.clone(),
            timeouts: timeline.timeouts.clone(),
        },
        events: events.collect(),
        probes: probes(plan, outcome),
        faults: fault_windows(plan),
        queue_low_bytes: queue.low,
        queue_high_bytes: queue.high,
        queue_capacity_bytes: queue.capacity,
        ..Detail::default()
    }
}

/// What schemes showed, number by number.
fn probes(plan: &Plan, outcome: &Outcome) -> Vec<ProbeLine> {
    let mut lines: BTreeMap<(&str, Holder, Option<PortId>), ProbeLine> = BTreeMap::new();
    for row in &outcome.probes {
        let line = lines.entry((row.probe, row.holder, row.port)).or_insert_with(|| ProbeLine {
            probe: row.probe.to_owned(),
            unit: row.unit.word().to_owned(),
            of: match (row.port, row.holder) {
                (Some(port), _) => plan.fabric.ports[port.index()].name.clone(),
                (None, Holder::Flow(flow)) => format!("flow {}", flow.0),
                (None, Holder::Switch(switch)) => node_name(plan, Node::Switch(switch)),
            },
            points: Vec::new(),
        });
        line.points.push((row.at.as_us(), row.value));
    }
    lines.into_values().collect()
}

/// What the recorded ports have in common.
fn ports_title(plan: &Plan) -> String {
    let fabric = &plan.fabric;
    let ports = || plan.record.ports.iter().map(|port| &fabric.ports[port.index()]);
    let mut owners: Vec<Node> = ports().map(|port| port.owner).collect();
    owners.dedup();
    match owners[..] {
        [Node::Switch(switch)] => {
            let kind = if ports().all(|port| port.up) { "uplinks" } else { "ports" };
            format!("{kind} of {}", fabric.switches[switch.index()].name)
        }
        _ => "recorded ports".to_owned(),
    }
}

/// Marked lengths of the first recorded port's queue, in bytes.
#[derive(Debug, PartialEq, Eq)]
struct QueueLengths {
    /// Where marking begins, if there is any.
    low: Option<u64>,
    /// From where on everything is marked.
    high: Option<u64>,
    capacity: u64,
}

fn queue_lengths(plan: &Plan) -> QueueLengths {
    let port = plan.record.ports.first().map_or(0, |port| port.index());
    let longest = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
    let base = plan.queue_base(port, longest, Bytes(0));
    let base = Base { whole: plan.queue.size.resolve(&base), ..base };
    // A marking's sizes are its thresholds, ascending: two of them, or one that is both.
    let values = plan.queue.markings().flat_map(|marking| marking.values());
    let sizes = values.filter_map(|(_, text)| text.trim_matches('"').parse::<Size>().ok());
    let thresholds: Vec<u64> = sizes.map(|size| size.resolve(&base).0).collect();
    QueueLengths {
        low: thresholds.first().copied(),
        high: thresholds.last().copied(),
        capacity: if base.whole < UNLIMITED { base.whole.0 } else { 0 },
    }
}

/// When nodes were dead and links not as they should be. A two-way fault of a cable is one window,
/// told of its recorded end, else of its first; the cables of a dead node are not told of.
fn fault_windows(plan: &Plan) -> Vec<FaultWindow> {
    let mut windows = Vec::new();
    for (node, deaths) in &plan.faults.nodes {
        windows.extend(deaths.iter().map(|(from, until)| FaultWindow {
            label: format!("{} dead", node_name(plan, *node)),
            port: None,
            from_us: from.as_us(),
            until_us: (*until < Time::NEVER).then(|| until.as_us()),
        }));
    }
    for (port, changes) in &plan.faults.ports {
        if told_of_the_other_end(plan, *port, changes) {
            continue;
        }
        let name = &plan.fabric.ports[port.index()].name;
        for (i, &(from, change)) in changes.iter().enumerate() {
            let Some(what) = trouble(plan, *port, change) else { continue };
            if matches!(change, PortChange::Down) && at_a_dead_node(plan, *port, from) {
                continue;
            }
            let end = changes[i + 1..].iter().find(|(_, later)| same_kind(change, *later));
            windows.push(FaultWindow {
                label: format!("{name} {what}"),
                port: Some(name.clone()),
                from_us: from.as_us(),
                until_us: end.filter(|(at, _)| *at < Time::NEVER).map(|(at, _)| at.as_us()),
            });
        }
    }
    windows
}

fn told_of_the_other_end(plan: &Plan, port: PortId, changes: &[(Time, PortChange)]) -> bool {
    let peer = plan.fabric.ports[port.index()].peer;
    let same = plan.faults.ports.iter().any(|(other, list)| *other == peer && list == changes);
    let rank = |port: PortId| (!plan.record.ports.contains(&port), port);
    same && rank(peer) < rank(port)
}

fn at_a_dead_node(plan: &Plan, port: PortId, at: Time) -> bool {
    let link = &plan.fabric.ports[port.index()];
    let ends = [link.owner, plan.fabric.destination(port)];
    plan.faults.nodes.iter().any(|(node, deaths)| {
        ends.contains(node) && deaths.iter().any(|(from, until)| (*from..*until).contains(&at))
    })
}

fn node_name(plan: &Plan, node: Node) -> String {
    match node {
        Node::Host(host) => format!("host{}", host.0),
        Node::Switch(SwitchId(switch)) => plan.fabric.switches[switch as usize].name.clone(),
    }
}

/// What is wrong with a link after a change; `None` if the change puts it right.
fn trouble(plan: &Plan, port: PortId, change: PortChange) -> Option<String> {
    let nominal = plan.fabric.ports[port.index()].rate;
    match change {
        PortChange::Down => Some("down".to_owned()),
        PortChange::Rate { rate, .. } if rate != nominal => Some(format!("at {rate}")),
        PortChange::Loss { probability } if probability > 0 => {
            let percent = probability as f64 / (1u64 << 32) as f64 * 100.0;
            Some(format!("losing {} %", short(percent)))
        }
        PortChange::BitErrors { rate } if rate > 0.0 => {
            Some(format!("with bit error rate {rate:e}"))
        }
        _ => None,
    }
}

/// Whether both changes are of the same thing, so that the later one ends the earlier.
fn same_kind(change: PortChange, later: PortChange) -> bool {
    use PortChange::{BitErrors, Down, Loss, Rate, Up};
    matches!(
        (change, later),
        (Down, Up)
            | (Rate { .. }, Rate { .. })
            | (Loss { .. }, Loss { .. })
            | (BitErrors { .. }, BitErrors { .. })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use crate::study::fixture;
    use std::path::Path;

    fn plan(more: &str) -> Plan {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n\
             [traffic]\nkind = \"permutation\"\n[record]\nports = [\"tor0.up*\"]\n{more}"
        );
        let study = scenario::parse("test", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.resolve(1).unwrap()
    }

    fn windows(faults: &str) -> Vec<(String, f64, Option<f64>)> {
        let windows = fault_windows(&plan(faults)).into_iter();
        windows.map(|window| (window.label, window.from_us, window.until_us)).collect()
    }

    #[test]
    fn a_two_way_fault_is_told_once_of_the_recorded_end() {
        let expected = [("tor0.up1 down".to_owned(), 1.0, Some(2.0))];
        assert_eq!(windows("[[fault]]\nlink = \"tor0.up1\"\ndown = \"1 us..2 us\"\n"), expected);
        assert_eq!(windows("[[fault]]\nlink = \"agg1.down0\"\ndown = \"1 us..2 us\"\n"), expected);
    }

    #[test]
    fn every_kind_of_trouble_has_words_and_an_end() {
        let fault = |effect: &str| {
            windows(&format!("[[fault]]\nlink = \"tor0.up0\"\ndirection = \"out\"\n{effect}\n"))
        };
        let one = |label: &str, until: Option<f64>| vec![(format!("tor0.up0 {label}"), 3.0, until)];
        assert_eq!(fault("down = \"3 us..\""), one("down", None));
        assert_eq!(fault("rate = \"50%\"\nduring = \"3 us..4 us\""), one("at 200 Gbps", Some(4.0)));
        assert_eq!(fault("loss = 0.25\nduring = \"3 us..\""), one("losing 25 %", None));
        assert_eq!(
            fault("ber = 1e-9\nduring = \"3 us..5 us\""),
            one("with bit error rate 1e-9", Some(5.0))
        );
    }

    #[test]
    fn a_dead_switch_is_one_window() {
        let expected = [("agg0 dead".to_owned(), 1.0, Some(4.0))];
        assert_eq!(windows("[[fault]]\nswitch = \"agg0\"\ndown = \"1 us..4 us\"\n"), expected);
    }

    #[test]
    fn thresholds_follow_the_marking() {
        let lengths = |marking: &str| {
            let set = [
                ("fabric.queue.size", "\"100000 B\""),
                ("fabric.queue.marking", marking),
                ("transport.congestion.scheme", "\"fixed_rate\""),
            ];
            let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
            let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                        [traffic]\nkind = \"permutation\"\n";
            let study = scenario::parse("test", text, Path::new("."), &set).unwrap();
            queue_lengths(&study.cells[0].scenario.resolve(1).unwrap())
        };
        let capacity = 100_000;
        assert_eq!(
            lengths("{ scheme = \"red\" }"),
            QueueLengths { low: Some(20_000), high: Some(80_000), capacity }
        );
        assert_eq!(
            lengths("{ scheme = \"step\", threshold = \"30%\" }"),
            QueueLengths { low: Some(30_000), high: Some(30_000), capacity }
        );
        assert_eq!(
            lengths("{ scheme = \"none\" }"),
            QueueLengths { low: None, high: None, capacity }
        );
    }

    #[test]
    fn a_queue_without_an_end_has_no_capacity_to_draw() {
        let unlimited = "[fabric.queue]\nsize = \"unlimited\"\nmarking = { scheme = \"none\" }\n\
                         [transport]\ncongestion = { scheme = \"fixed_rate\" }\n";
        let lengths = queue_lengths(&plan(unlimited));
        assert_eq!(lengths, QueueLengths { low: None, high: None, capacity: 0 });
    }

    #[test]
    fn series_and_events_keep_their_ports_and_flows() {
        let plan = fixture::plan(1);
        let detail = detail(&plan, &fixture::engine(&plan, &mut ()));
        assert_eq!(detail.ports_title, "ports of tor0");
        assert_eq!(
            (detail.ports[0].name.as_str(), detail.ports[0].rate_gbps),
            ("tor0.down1", 400.0)
        );
        assert_eq!(detail.ports[0].bytes, [12_480, 4_160]);
        assert_eq!(detail.counts.retransmissions, [0, 2]);
        assert_eq!((detail.events[0].flow, detail.events[0].us), (1, 1.5));
    }
}
