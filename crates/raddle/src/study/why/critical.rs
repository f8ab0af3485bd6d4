//! The critical path of a job whose sends wait for one another: from the send that ended last back to
//! the job's start, each send to the one whose end started it, and where the job's time went on it.

use super::has_map;
use super::split::Life;
use crate::study::text::{list, plural, time};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use raddle_sim::bound::route::Routes;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::after::after;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Sends that are named at most.
const SENDS: usize = 3;

/// Where the time of a job went, along the sends that decided it: the three parts add up to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Critical {
    /// The job's name; empty for flows of no job.
    pub job: String,
    /// The sends on the path.
    pub sends: u64,
    /// From the job's first start to its last needed ACK.
    pub time_us: f64,
    /// What the sends would have taken, each alone in the fabric without faults.
    pub alone_us: f64,
    /// What they took beyond that: others on their links, queues, losses, faults, small windows.
    pub lost_us: f64,
    /// From the end of a send to the start of the next; from the job's start to the first, too.
    pub between_us: f64,
    /// The sends that lost most, three at most.
    pub most: Vec<CriticalSend>,
}

/// A send on the path that lost time.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalSend {
    /// Its flow's number.
    pub flow: u64,
    /// The sending host.
    pub source: u64,
    /// The receiving host.
    pub destination: u64,
    /// What it took beyond what it takes alone.
    pub lost_us: f64,
    /// Its packets lost.
    pub lost_packets: u64,
    /// The port that lost most of its packets; or else the full link that held it back for longest; or
    /// else the port in whose queue its packets waited longest. `None` without a map.
    pub link: Option<String>,
}

/// A send that decided when the next began.
pub(super) struct Decided {
    pub(super) flow: FlowId,
    pub(super) start: Time,
    /// When its end started the next.
    pub(super) until: Time,
}

/// The sends that `flow` waited for, the first of them first.
pub(super) fn before(plan: &Plan, outcome: &Outcome, flow: FlowId) -> Vec<Decided> {
    let after = after(&plan.traffic, &outcome.flows);
    let mut path = Vec::new();
    let mut next = flow;
    while let Some(own) = after[next.index()] {
        let record = outcome.flows.at(own.index());
        let (Some(start), Some(started)) = (record.started, outcome.flows.at(next.index()).started)
        else {
            break;
        };
        let delay = plan.traffic.flows[next.index()].start.delay();
        let named = Time(started.0.saturating_sub(delay.0));
        // Before that triggers may have been at work.
        let flow = &plan.traffic.flows[own.index()];
        let ends = [(flow.on_delivered, record.delivered), (flow.on_acked, record.acked)];
        let ends = ends.into_iter().filter_map(|(fired, end)| fired.and(end));
        let until = ends.filter(|end| *end <= named).max().unwrap_or(named);
        path.push(Decided { flow: own, start, until });
        next = own;
    }
    path.reverse();
    path
}

impl Critical {
    /// That of the job of `flow`, which ended last; `ideals` are what flows take alone. `None` where the
    /// flow waited for no other one, and where it has not ended.
    pub fn of(
        plan: &Plan,
        outcome: &Outcome,
        ideals: &[Option<Span>],
        flow: FlowId,
    ) -> Option<Self> {
        if plan.traffic.triggers.is_empty() {
            return None;
        }
        let record = outcome.flows.at(flow.index());
        let (start, end) = (record.started?, record.acked?);
        let job = plan.traffic.jobs.iter().find(|job| job.flows.contains(&flow.0));
        let range = job
            .map_or(0..outcome.flows.len(), |job| job.flows.start as usize..job.flows.end as usize);
        let mut path = before(plan, outcome, flow);
        path.retain(|own| range.contains(&own.flow.index()));
        path.last()?;
        let begin = outcome.flows.range(range).filter_map(|own| own.started).min()?;
        path.push(Decided { flow, start, until: end });

        let mut sum = Sum { to: begin, ..Sum::default() };
        let mut routes = Routes::new(&plan.fabric);
        let mut lost = Vec::new();
        for own in &path {
            let took = own.until.since(own.start);
            let alone = alone(plan, outcome, &mut routes, (own, ideals)).min(took);
            sum.between.0 += own.start.since(sum.to).0;
            sum.alone = sum.alone + alone;
            sum.to = own.until;
            lost.push((Span(took.0 - alone.0), own.flow));
        }
        let all = lost.iter().map(|(lost, _)| lost.0).sum();
        lost.retain(|(lost, _)| *lost > Span::ZERO);
        lost.sort_by_key(|(lost, flow)| (Reverse(*lost), *flow));
        lost.truncate(SENDS);
        let most = lost.into_iter().map(|(lost, own)| CriticalSend::of(plan, outcome, own, lost));
        Some(Self {
            job: job.map_or(String::new(), |job| job.name.clone()),
            sends: path.len() as u64,
            time_us: end.since(begin).as_us(),
            alone_us: sum.alone.as_us(),
            lost_us: Span(all).as_us(),
            between_us: sum.between.as_us(),
            most: most.collect(),
        })
    }

    /// `critical path of train: 62 sends, each started by the end of the one before: 1.240 ms, of which ..`
    pub fn sentence(&self) -> String {
        let of = if self.job.is_empty() { String::new() } else { format!(" of {}", self.job) };
        let mut parts = vec![
            (self.alone_us, "as fast as each is alone"),
            (self.lost_us, "lost to other traffic, queues, losses or windows"),
            (self.between_us, "between sends"),
        ];
        parts.retain(|(us, _)| *us > 0.0);
        let parts: Vec<String> =
            parts.into_iter().map(|(us, what)| format!("{} {what}", time(us))).collect();
        let mut text = format!(
            "critical path{of}: {}, each started by the end of the one before: {}, of which {}",
            plural(self.sends, "send"),
            time(self.time_us),
            parts.join(", "),
        );
        let most: Vec<String> = self.most.iter().map(CriticalSend::text).collect();
        if !most.is_empty() {
            text += &format!("; most time lost by {}", list(&most));
        }
        text
    }

    /// The object of `critical_path`.
    pub fn to_json(&self) -> Value {
        json!({
            "sentence": self.sentence(),
            "job": self.job,
            "sends": self.sends,
            "time_us": self.time_us,
            "alone_us": self.alone_us,
            "lost_us": self.lost_us,
            "between_us": self.between_us,
            "most": self.most.iter().map(|own| json!({
                "flow": own.flow,
                "source": own.source,
                "destination": own.destination,
                "lost_us": own.lost_us,
                "lost_packets": own.lost_packets,
                "link": own.link,
            })).collect::<Vec<_>>(),
        })
    }

    /// Reads it.
    pub fn from_json(value: &Value) -> Option<Self> {
        let count = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
        let send = |value: &Value| {
            Some(CriticalSend {
                flow: count(value, "flow")?,
                source: count(value, "source")?,
                destination: count(value, "destination")?,
                lost_us: number(value, "lost_us")?,
                lost_packets: count(value, "lost_packets")?,
                link: value.get("link")?.as_str().map(str::to_owned),
            })
        };
        Some(Self {
            job: value.get("job")?.as_str()?.to_owned(),
            sends: count(value, "sends")?,
            time_us: number(value, "time_us")?,
            alone_us: number(value, "alone_us")?,
            lost_us: number(value, "lost_us")?,
            between_us: number(value, "between_us")?,
            most: value.get("most")?.as_array()?.iter().map(send).collect::<Option<_>>()?,
        })
    }
}

/// What has been added up, and until when.
#[derive(Default)]
struct Sum {
    to: Time,
    alone: Span,
    between: Span,
}

/// What a send takes alone until its end counts: its last ACK, or at its receiver without the way of
/// that ACK, where the delivery started the next.
fn alone(
    plan: &Plan,
    outcome: &Outcome,
    routes: &mut Routes<'_>,
    (own, ideals): (&Decided, &[Option<Span>]),
) -> Span {
    let flow = &plan.traffic.flows[own.flow.index()];
    let ideal = ideals[own.flow.index()].unwrap_or(Span::ZERO);
    let record = outcome.flows.at(own.flow.index());
    if record.acked == Some(own.until) || record.delivered != Some(own.until) {
        return ideal;
    }
    let back = routes.find(flow.destination, flow.source);
    let back = back.map_or(Span::ZERO, |back| back.crossing(plan.transport.ack));
    Span(ideal.0.saturating_sub(back.0))
}

impl CriticalSend {
    fn of(plan: &Plan, outcome: &Outcome, id: FlowId, lost: Span) -> Self {
        let flow = &plan.traffic.flows[id.index()];
        Self {
            flow: id.0.into(),
            source: flow.source.0.into(),
            destination: flow.destination.0.into(),
            lost_us: lost.as_us(),
            lost_packets: outcome.flows.at(id.index()).dropped,
            link: link(plan, outcome, id).map(|port| plan.fabric.ports[port.index()].name.clone()),
        }
    }

    /// `flow 12, host3 to host4 (80.00 us at tor0.up1, 2 packets lost)`.
    fn text(&self) -> String {
        let Self { flow, source, destination, lost_us, lost_packets, link } = self;
        let at = link.as_ref().map_or(String::new(), |link| format!(" at {link}"));
        let packets = match lost_packets {
            0 => String::new(),
            many => format!(", {} lost", plural(*many, "packet")),
        };
        format!("flow {flow}, host{source} to host{destination} ({}{at}{packets})", time(*lost_us))
    }
}

/// Where a send lost its time, in a run with a map.
fn link(plan: &Plan, outcome: &Outcome, flow: FlowId) -> Option<PortId> {
    if !has_map(plan, outcome) {
        return None;
    }
    let life = Life::of(plan, outcome, flow, None)?;
    // Of equals the first port.
    let lost = life.lost().max_by_key(|(port, lost)| (*lost, Reverse(*port)));
    let full = || {
        let held = life.spent().ports.into_iter();
        held.max_by_key(|((port, _), (time, ..))| (*time, Reverse(*port))).map(|own| own.0.0)
    };
    let waited = || {
        let all = life.waiting().into_iter().filter(|(_, share)| *share > 0.0);
        all.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(port, _)| port)
    };
    lost.map(|(port, _)| port).or_else(full).or_else(waited)
}
