//! What made the tail: of the flow that ended last, and of the one with the largest slowdown, what it
//! lost and where, how long it waited for timeouts, and where on its ways the queue was longest.
//!
//! All of it is from what runs keep anyway, and ports do not count losses by flow: where several ports
//! on a flow's ways lost packets, the one that lost most is named, with its own count.

use super::object::Object;
use super::{fct, slowdown};
use crate::study::text::{count, digits, plural, time};
use crate::study::why::{Critical, Why};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::host::first_rto;
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome};
use raddle_sim::topology::Node;
use raddle_sim::topology::routing::Forwarding;
use raddle_sim::workload::Flow;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The tails of a run; `None` where no flow is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tails {
    /// The flow that ended last, or the first that did not complete, if one has started and did not.
    pub last: Option<Tail>,
    /// The flow with the largest slowdown, of those that completed.
    pub slowest: Option<Tail>,
}

/// A flow of the tail and what happened to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// Its number.
    pub flow: u64,
    /// The sending host.
    pub source: u64,
    /// The receiving host.
    pub destination: u64,
    /// Application bytes.
    pub size_bytes: u64,
    /// When it started, since the run's start.
    pub start_us: f64,
    /// When its sender had the last needed ACK; `None` if it never did.
    pub end_us: Option<f64>,
    /// Its completion time over what it would take alone.
    pub slowdown: Option<f64>,
    /// Data packets lost on the way.
    pub lost_packets: u64,
    /// Data packets sent again.
    pub retransmitted_packets: u64,
    /// Data packets that arrived as trimmed headers.
    pub trimmed_packets: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// What a timeout takes at first; `None` if none ever comes.
    pub rto_us: Option<f64>,
    /// Where on its ways most data packets were lost, if it lost any, else where the queue was
    /// longest in time.
    pub port: Option<TailPort>,
    /// Where its time went: of the last flow of a run with a map.
    pub spent: Option<Why>,
    /// The critical path of its job: of the last flow, where that waited for others.
    pub critical: Option<Critical>,
}

/// A port on a flow's ways.
#[derive(Clone, Debug, PartialEq)]
pub struct TailPort {
    /// Its name.
    pub name: String,
    /// Data packets of any flow lost there.
    pub lost_packets: u64,
    /// What most of them were lost by; empty if none was.
    pub cause: String,
    /// How many ports on the flow's ways lost data packets.
    pub losing_ports: u64,
    /// How long the port takes for the longest queue that it had.
    pub queue_us: f64,
}

impl Tails {
    /// Those of a run.
    pub(super) fn of(plan: &Plan, outcome: &Outcome, ideals: &[Option<Span>]) -> Self {
        let mut last: Option<(Time, usize)> = None;
        let mut open = None;
        let mut slowest: Option<(f64, usize)> = None;
        for (flow, (record, ideal)) in outcome.flows.iter().zip(ideals).enumerate() {
            match record.acked {
                Some(at) if last.is_none_or(|(latest, _)| at > latest) => last = Some((at, flow)),
                None if record.started.is_some() => open = open.or(Some(flow)),
                _ => {}
            }
            let slow = fct(&record).and_then(|fct| slowdown(fct, *ideal));
            if let Some(slow) = slow.filter(|slow| slowest.is_none_or(|(most, _)| *slow > most)) {
                slowest = Some((slow, flow));
            }
        }
        let tail = |flow: usize| Tail::of(plan, outcome, flow, ideals[flow]);
        let whole = |flow: usize| {
            let id = FlowId(flow as u32);
            let spent = Why::of(plan, outcome, id);
            Some(Tail { spent, critical: Critical::of(plan, outcome, ideals, id), ..tail(flow)? })
        };
        Self {
            last: open.or(last.map(|(_, flow)| flow)).and_then(whole),
            slowest: slowest.and_then(|(_, flow)| tail(flow)),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let tail = |tail: &Option<Tail>| tail.as_ref().map(Tail::to_json);
        json!({"last": tail(&self.last), "slowest": tail(&self.slowest)})
    }

    /// The object of `tail`.
    pub(super) fn spent(&self) -> Option<Value> {
        self.last.as_ref()?.spent.as_ref().map(Why::to_json)
    }

    /// Reads what [`Self::spent`] wrote, if anything.
    pub(super) fn read_spent(&mut self, value: Option<&Value>) {
        if let Some(last) = &mut self.last {
            last.spent = value.and_then(Why::from_json);
        }
    }

    /// Absent in what versions without them wrote.
    pub(super) fn from_json(value: Option<&Value>) -> Result<Self, String> {
        let read = |key: &str| match value.and_then(|value| value.get(key)) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Tail::from_json(value).map(Some),
        };
        Ok(Self { last: read("last")?, slowest: read("slowest")? })
    }

    /// The lines for people, names apart.
    pub(super) fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        let one = self.last.as_ref().zip(self.slowest.as_ref());
        let is_one = one.is_some_and(|(last, slowest)| last.flow == slowest.flow);
        let slowest = self.slowest.iter().filter(|_| !is_one);
        let last = self.last.iter().map(|tail| ("last", tail));
        for (name, tail) in last.chain(slowest.map(|tail| ("slowest", tail))) {
            lines.push((name.to_owned(), format!("{}, {}", tail.who(), tail.when())));
            lines.push((String::new(), tail.why()));
            lines.extend(tail.critical.iter().map(|own| (String::new(), own.sentence())));
        }
        lines
    }
}

impl Tail {
    fn of(plan: &Plan, outcome: &Outcome, flow: usize, ideal: Option<Span>) -> Option<Self> {
        let (own, record) = (&plan.traffic.flows[flow], outcome.flows.at(flow));
        let id = FlowId(flow as u32);
        Some(Self {
            flow: flow as u64,
            source: own.source.0.into(),
            destination: own.destination.0.into(),
            size_bytes: own.bytes.0,
            start_us: record.started?.as_us(),
            end_us: record.acked.map(Time::as_us),
            slowdown: fct(&record).and_then(|fct| slowdown(fct, ideal)),
            lost_packets: record.dropped,
            retransmitted_packets: record.retransmitted,
            trimmed_packets: record.trimmed,
            timeouts: record.timeouts,
            rto_us: Some(first_rto(plan, id)).filter(|rto| rto.0 < TIME_LIMIT.0).map(Span::as_us),
            port: TailPort::of(plan, outcome, id, record.dropped > 0),
            spent: None,
            critical: None,
        })
    }

    /// `flow 17, host3 to host90, 1 048 576 B`.
    pub fn who(&self) -> String {
        let Self { flow, source, destination, size_bytes, .. } = self;
        format!("flow {flow}, host{source} to host{destination}, {} B", count(*size_bytes))
    }

    /// `ended at 5.200 ms, 31 times what it takes alone`.
    pub fn when(&self) -> String {
        let Some(end) = self.end_us else { return "has not ended".to_owned() };
        let mut text = format!("ended at {}", time(end));
        if self.start_us > 0.0 {
            let _ = write!(text, ", begun at {}", time(self.start_us));
        }
        if let Some(slow) = self.slowdown {
            let _ = write!(text, ", {} times what it takes alone", digits(slow, 2));
        }
        text
    }

    /// `23 packets lost at tor126.up11 (overflow), a timeout of 1000 us`.
    pub fn why(&self) -> String {
        if let Some(spent) = &self.spent {
            return spent.sentence();
        }
        let mut parts = Vec::new();
        let port = self.port.as_ref();
        if self.lost_packets > 0 {
            let lost = format!("{} lost", plural(self.lost_packets, "packet"));
            // What middleware dropped was lost at no port.
            parts.push(match port.filter(|port| port.lost_packets >= self.lost_packets) {
                Some(TailPort { name, cause, losing_ports: 1, .. }) => {
                    format!("{lost} at {name} ({cause})")
                }
                Some(TailPort { name, cause, losing_ports, lost_packets, .. }) => format!(
                    "{lost}; of the {losing_ports} ports on its ways that lost any, {name} lost \
                     most ({} of all flows, {cause})",
                    count(*lost_packets)
                ),
                None => format!("{lost} on its way"),
            });
        }
        if self.timeouts > 0 {
            let each = self.rto_us.map(|us| format!(" of {}", time(us))).unwrap_or_default();
            parts.push(match self.timeouts {
                1 => format!("a timeout{each}"),
                many => format!("{} timeouts{each}", count(many)),
            });
        }
        if self.trimmed_packets > 0 {
            parts.push(format!("{} trimmed", plural(self.trimmed_packets, "packet")));
        }
        if self.lost_packets == 0 && self.retransmitted_packets > 0 {
            let again = plural(self.retransmitted_packets, "packet");
            parts.push(format!("{again} sent again, though none was lost"));
        }
        if self.lost_packets == 0 {
            if parts.is_empty() {
                parts.push("nothing lost".to_owned());
            }
            if let Some(TailPort { name, queue_us, .. }) = port {
                parts.push(format!(
                    "the longest queue on its ways, at {name}, takes {}",
                    time(*queue_us)
                ));
            }
        }
        parts.join(", ")
    }

    fn to_json(&self) -> Value {
        json!({
            "flow": self.flow,
            "source": self.source,
            "destination": self.destination,
            "size_bytes": self.size_bytes,
            "start_us": self.start_us,
            "end_us": self.end_us,
            "slowdown": self.slowdown,
            "lost_packets": self.lost_packets,
            "retransmitted_packets": self.retransmitted_packets,
            "trimmed_packets": self.trimmed_packets,
            "timeouts": self.timeouts,
            "rto_us": self.rto_us,
            "port": self.port.as_ref().map(|port| json!({
                "name": port.name,
                "lost_packets": port.lost_packets,
                "cause": port.cause,
                "losing_ports": port.losing_ports,
                "queue_us": port.queue_us,
            })),
            "critical_path": self.critical.as_ref().map(Critical::to_json),
        })
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let object = Object(value);
        let port = match value.get("port") {
            None | Some(Value::Null) => None,
            Some(_) => {
                let port = object.object("port")?;
                Some(TailPort {
                    name: port.text("name")?,
                    lost_packets: port.count("lost_packets")?,
                    cause: port.text("cause")?,
                    losing_ports: port.count("losing_ports")?,
                    queue_us: port.get("queue_us", Value::as_f64)?,
                })
            }
        };
        Ok(Self {
            flow: object.count("flow")?,
            source: object.count("source")?,
            destination: object.count("destination")?,
            size_bytes: object.count("size_bytes")?,
            start_us: object.get("start_us", Value::as_f64)?,
            end_us: object.number("end_us")?,
            slowdown: object.number("slowdown")?,
            lost_packets: object.count("lost_packets")?,
            retransmitted_packets: object.count("retransmitted_packets")?,
            trimmed_packets: object.count("trimmed_packets")?,
            timeouts: object.count("timeouts")?,
            rto_us: object.number("rto_us")?,
            port,
            spent: None,
            // Absent in what versions without it wrote.
            critical: value.get("critical_path").and_then(Critical::from_json),
        })
    }
}

impl TailPort {
    /// The port on the ways of `flow` that lost most data packets, if the flow `lost` any, else that
    /// with the longest queue; the first of equals.
    fn of(plan: &Plan, outcome: &Outcome, flow: FlowId, lost: bool) -> Option<Self> {
        let own = &plan.traffic.flows[flow.index()];
        let ports = ways(plan, own);
        let dropped = |port: &PortId| outcome.ports[port.index()].dropped_data.iter().sum::<u64>();
        let queue = |port: &PortId| {
            let rate = plan.fabric.ports[port.index()].rate;
            rate.serialisation(Bytes(outcome.ports[port.index()].queue_bytes_max))
        };
        let losing = ports.iter().filter(|port| dropped(port) > 0).count() as u64;
        let chosen = if lost && losing > 0 {
            ports.iter().max_by_key(|port| (dropped(port), Reverse(**port)))?
        } else {
            // Ports of hosts have no queues of switches.
            let queued = ports.iter().filter(|port| port.0 >= plan.fabric.host_ports());
            queued.max_by_key(|port| (queue(port), Reverse(**port)))?
        };
        let by_cause = outcome.ports[chosen.index()].dropped_data;
        let most = DropCause::ALL.iter().rev().max_by_key(|cause| by_cause[**cause as usize]);
        let cause = most.filter(|cause| by_cause[**cause as usize] > 0);
        Some(Self {
            name: plan.fabric.ports[chosen.index()].name.clone(),
            lost_packets: dropped(chosen),
            cause: cause.map_or(String::new(), |cause| cause.word().to_owned()),
            losing_ports: losing,
            queue_us: queue(chosen).as_us(),
        })
    }
}

/// The ports on all ways of a flow's data that routing ever had.
fn ways(plan: &Plan, flow: &Flow) -> BTreeSet<PortId> {
    let fabric = &plan.fabric;
    let mut found = BTreeSet::new();
    if fabric.scales_up(flow.source, flow.destination) {
        return found;
    }
    let routes: Vec<&Forwarding> = plan.routes.iter().map(|(_, forwarding)| forwarding).collect();
    let planes = fabric.ports_of(flow.source).zip(fabric.ports_of(flow.destination));
    for ((first, to), forwarding) in
        planes.flat_map(|ends| routes.iter().map(move |forwarding| (ends, forwarding)))
    {
        let mut seen = BTreeSet::new();
        let mut next = vec![first];
        while let Some(port) = next.pop() {
            if !seen.insert(port) {
                continue;
            }
            if let Node::Switch(switch) = fabric.destination(port) {
                let ports = forwarding.ports(switch, to);
                next.extend((0..ports.count()).map(|i| ports.get(i)));
            }
        }
        found.extend(seen);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use crate::study::fixture;
    use raddle_sim::bound::ideals;
    use raddle_sim::engine;
    use std::path::Path;

    fn run(text: &str) -> Tails {
        let study = scenario::parse("t.toml", text, Path::new("."), &[]).unwrap();
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        let outcome = engine::run(&plan, &mut ());
        Tails::of(&plan, &outcome, &ideals(&plan))
    }

    const DEAD: &str = "[fabric]\n\
        topology = { kind = \"fat_tree\", tiers = 2, hosts = 16, rate = \"100 Gbps\" }\n\
        [transport]\nload_balance = { scheme = \"ecmp\" }\n\
        recovery = { scheme = \"sack\", rto = \"1 ms\" }\n\
        [traffic]\nkind = \"permutation\"\nmessage = \"256 KiB\"\n";

    #[test]
    fn the_flow_the_link_the_cause_and_the_timeout_are_named() {
        let fault = "[[fault]]\nlink = \"tor0.up1\"\ndown = \"5 us..30 us\"\n";
        let tails = run(&format!("{DEAD}{fault}"));
        let last = tails.last.clone().unwrap();
        let port = last.port.clone().unwrap();
        // The cable's other end, towards the flow's receiver below tor0.
        assert_eq!((port.name.as_str(), port.cause.as_str()), ("spine1.down0", "link_down"));
        assert!(last.lost_packets > 1 && last.timeouts > 0, "{last:?}");
        let (lost, why) = (last.lost_packets, last.why());
        assert!(
            why.starts_with(&format!("{lost} packets lost at spine1.down0 (link_down), ")),
            "{why}"
        );
        assert!(why.ends_with(" of 1000 us"), "{why}");
        assert!(last.end_us.unwrap() > 1_000.0);
        assert_eq!(tails.lines()[0].0, "last");
        assert_eq!(Tails::from_json(Some(&tails.to_json())), Ok(tails));
    }

    #[test]
    fn without_losses_the_longest_queue_on_the_ways_is_named() {
        let last = run(&DEAD.replace("256 KiB", "16 KiB")).last.unwrap();
        let why = last.why();
        assert!(why.starts_with("nothing lost, the longest queue on its ways, at "), "{why}");
        assert!(last.port.unwrap().queue_us > 0.0);
    }

    #[test]
    fn a_flow_that_does_not_end_is_the_last() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows.change(0, |flow| flow.acked = None);
        let tails = Tails::of(&plan, &outcome, &ideals(&plan));
        let last = tails.last.unwrap();
        assert_eq!((last.flow, last.end_us, last.slowdown), (0, None, None));
        assert_eq!(last.when(), "has not ended");
        assert_eq!(last.why(), "1 packet lost at tor0.down1 (overflow)");
        assert_eq!(tails.slowest.unwrap().flow, 1);
    }
}
