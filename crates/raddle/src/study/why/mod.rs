//! Why a flow took as long as it did, in a run with a map: where its time went, which links held it
//! back and who else was there, and what it waited for before it began.

mod critical;
mod json;
mod sentence;
mod split;
#[cfg(test)]
mod tests;

pub use critical::{Critical, CriticalSend};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use split::Life;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A link of its only path was down.
const FAULT: &str = "fault";
/// It waited for a timeout.
const TIMEOUT: &str = "timeout";
/// A link between switches was full.
const LINK: &str = "link";
/// The link to its receiver was full.
const RECEIVER: &str = "receiver";
/// The link of its own host was full.
const NIC: &str = "nic";
/// No link was full.
const WINDOW: &str = "window";
/// Nothing held it back.
const AT_SPEED: &str = "at_speed";
/// Links that are named at most.
const LINKS: usize = 3;

/// Why a flow took its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// Its number.
    pub flow: u64,
    /// What it waited for its start; 0 where a time started it.
    pub waiting_us: f64,
    /// What its own life came to.
    pub parts: Parts,
    /// The links that held it back for longest.
    pub links: Vec<WhyLink>,
    /// Its data packets lost.
    pub lost_packets: u64,
    /// The port that lost most of them; empty if none did.
    pub lost_at: String,
    /// Its retransmission timeouts.
    pub timeouts: u64,
    /// The flows whose ends it waited for, one after the other, the first of them first.
    pub path: Vec<Step>,
    /// What the lives of these came to.
    pub before: Parts,
    /// What held it back when, from its start to its end.
    pub spans: Vec<Stretch>,
}

/// A time over which one thing held a flow back.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// As the keys of the parts have it: `link` or `window`.
    pub held_by: String,
    /// Its beginning.
    pub from_us: f64,
    /// Its end.
    pub until_us: f64,
}

/// A life in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// A link of its path was down and nothing arrived.
    pub fault_us: f64,
    /// Nothing arrived until a timeout.
    pub timeout_us: f64,
    /// A link between switches was full.
    pub link_us: f64,
    /// The link to its receiver was full.
    pub receiver_us: f64,
    /// The link of its own host was full.
    pub nic_us: f64,
    /// No link of its path was full: its window or its pace.
    pub window_us: f64,
    /// It was at speed, or under way for the first time or the last.
    pub at_speed_us: f64,
}

/// A link that held a flow back.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyLink {
    /// The port's name.
    pub name: String,
    /// How, as the keys of the parts have it.
    pub held_by: String,
    /// For how long.
    pub held_us: f64,
    /// Other flows that used it then.
    pub others: u64,
    /// Its share of all that the flow's packets waited.
    pub waiting: f64,
}

/// A flow that another one waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number.
    pub flow: u64,
    /// When it started.
    pub start_us: f64,
    /// When its end started the next.
    pub end_us: f64,
}

impl Step {
    fn of(own: &critical::Decided) -> Self {
        let (start_us, end_us) = (own.start.as_us(), own.until.as_us());
        Self { flow: own.flow.0.into(), start_us, end_us }
    }
}

/// Where a life went, in picoseconds.
#[derive(Clone, Debug, Default)]
struct Spent {
    fault: Span,
    timeout: Span,
    link: Span,
    receiver: Span,
    nic: Span,
    window: Span,
    at_speed: Span,
    /// What held it back when, from start to end.
    spans: Vec<(&'static str, Time, Time)>,
    /// By port and how: for how long it held the flow back, in which bucket first and last.
    ports: BTreeMap<(PortId, &'static str), (u64, usize, usize)>,
}

impl Spent {
    fn note(&mut self, port: (PortId, &'static str), time: u64, bucket: usize) {
        let own = self.ports.entry(port).or_insert((0, bucket, bucket));
        own.0 += time;
        own.2 = bucket;
    }

    /// Adds a time to what one thing held back.
    fn hold(&mut self, held_by: &'static str, from: Time, time: u64) {
        let sum = match held_by {
            FAULT => &mut self.fault,
            TIMEOUT => &mut self.timeout,
            LINK => &mut self.link,
            RECEIVER => &mut self.receiver,
            NIC => &mut self.nic,
            WINDOW => &mut self.window,
            _ => &mut self.at_speed,
        };
        sum.0 += time;
        let until = Time(from.0 + time);
        match self.spans.last_mut() {
            Some((last, _, end)) if *last == held_by => *end = until,
            _ => self.spans.push((held_by, from, until)),
        }
    }

    fn stretches(&self) -> Vec<Stretch> {
        let stretch = |&(held_by, from, until): &(&'static str, Time, Time)| Stretch {
            held_by: held_by.to_owned(),
            from_us: from.as_us(),
            until_us: until.as_us(),
        };
        self.spans.iter().map(stretch).collect()
    }

    fn parts(&self) -> Parts {
        Parts {
            fault_us: self.fault.as_us(),
            timeout_us: self.timeout.as_us(),
            link_us: self.link.as_us(),
            receiver_us: self.receiver.as_us(),
            nic_us: self.nic.as_us(),
            window_us: self.window.as_us(),
            at_speed_us: self.at_speed.as_us(),
        }
    }
}

/// Whether all links and the ways of flows were recorded.
fn has_map(plan: &Plan, outcome: &Outcome) -> bool {
    plan.record.routes && outcome.series.len() == plan.fabric.ports.len()
}

impl Why {
    /// Why `flow` took its time; `None` unless it has started and the run has a map.
    pub fn of(plan: &Plan, outcome: &Outcome, flow: FlowId) -> Option<Self> {
        if !has_map(plan, outcome) {
            return None;
        }
        let life = Life::of(plan, outcome, flow, None)?;
        let spent = life.spent();
        let record = outcome.flows.at(flow.index());
        let path = critical::before(plan, outcome, flow);
        let mut before = Parts::default();
        for step in &path {
            let until = Some(step.until);
            let own = Life::of(plan, outcome, step.flow, until);
            own.into_iter().for_each(|own| before.add(&own.spent().parts()));
        }
        let most = life.lost().max_by_key(|(port, lost)| (*lost, Reverse(*port)));
        let name = |port: PortId| plan.fabric.ports[port.index()].name.clone();
        Some(Self {
            flow: flow.0.into(),
            waiting_us: path
                .first()
                .zip(record.started)
                .map_or(0.0, |(first, at)| at.since(first.start).as_us()),
            parts: spent.parts(),
            links: links(plan, outcome, flow, (&life, &spent)),
            lost_packets: record.dropped,
            lost_at: most.map_or(String::new(), |(port, _)| name(port)),
            timeouts: record.timeouts,
            path: path.iter().map(Step::of).collect(),
            before,
            spans: spent.stretches(),
        })
    }
}

impl Parts {
    fn add(&mut self, other: &Self) {
        self.fault_us += other.fault_us;
        self.timeout_us += other.timeout_us;
        self.link_us += other.link_us;
        self.receiver_us += other.receiver_us;
        self.nic_us += other.nic_us;
        self.window_us += other.window_us;
        self.at_speed_us += other.at_speed_us;
    }
}

/// The links that held a flow back for longest.
fn links(
    plan: &Plan,
    outcome: &Outcome,
    flow: FlowId,
    (life, spent): (&Life<'_>, &Spent),
) -> Vec<WhyLink> {
    let mut ports: Vec<_> = spent.ports.iter().map(|(port, own)| (*port, *own)).collect();
    ports.sort_by_key(|(port, (time, ..))| (Reverse(*time), *port));
    ports.truncate(LINKS);
    let width = outcome.bucket.0;
    let mut others: BTreeMap<(PortId, &str), BTreeSet<FlowId>> = BTreeMap::new();
    for row in outcome.routes.iter().filter(|row| row.flow != flow && row.packets > 0) {
        for (held, (_, first, last)) in ports.iter().filter(|own| own.0.0 == row.port) {
            let (from, until) = (*first as u64 * width, (*last as u64 + 1) * width);
            if row.first.0 < until && row.last.0 >= from {
                others.entry(*held).or_default().insert(row.flow);
            }
        }
    }
    let waiting = life.waiting();
    let link = |(held, (time, ..)): ((PortId, &'static str), (u64, usize, usize))| WhyLink {
        name: plan.fabric.ports[held.0.index()].name.clone(),
        held_by: held.1.to_owned(),
        held_us: Span(time).as_us(),
        others: others.get(&held).map_or(0, BTreeSet::len) as u64,
        waiting: waiting.get(&held.0).copied().unwrap_or(0.0),
    };
    ports.into_iter().map(link).collect()
}
