//! What decides when a job ends: the edges of its critical path, and what they come to.

use super::NAMED;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Span;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::steps::parts::{Parts, Wait, parts};
use raddle_sim::record::steps::path::{Stretch, Took, path};
use raddle_sim::record::steps::replay::Replay;
use raddle_sim::workload::job_graph::JobGraph;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

raddle_schemes::words! {
    /// What an edge's time went to.
    #[derive(Hash)]
    pub enum Cause {
        /// Computation.
        Calc = "calc",
        /// Held at its host: window, pace, turns, credit, pauses.
        Held = "held",
        /// The bytes of the message up to its last needed packet, at its host.
        Own = "own_bytes",
        /// The way of that packet: links, latencies, its own time on each wire.
        Hops = "hops",
        /// Queues of switches.
        Queue = "queue",
        /// Until the packet was sent that was not lost.
        Lost = "lost",
        /// The way back of the last ACK, where the sender waits for it.
        Ack = "ack",
        /// A message whose packets were not kept.
        Message = "message",
    }
}

/// An edge of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What it is, from when to when.
    pub stretch: Stretch,
    /// Of a message whose packets were kept, its parts.
    pub parts: Option<Parts>,
}

impl Edge {
    /// What its time went to; the parts add up to it.
    pub fn cause(&self, cause: Cause) -> Span {
        let whole = self.stretch.time();
        let only = |is: bool| if is { whole } else { Span::ZERO };
        match (&self.stretch.does, &self.parts) {
            (Took::Calc, _) => only(cause == Cause::Calc),
            (Took::Message { .. }, None) => only(cause == Cause::Message),
            (Took::Message { .. }, Some(parts)) => match cause {
                Cause::Calc | Cause::Message => Span::ZERO,
                Cause::Held => parts.held,
                Cause::Own => parts.own,
                Cause::Hops => parts.hops,
                Cause::Queue => parts.queue,
                Cause::Lost => parts.lost,
                Cause::Ack => parts.ack,
            },
        }
    }

    /// Its flow, if it is a message.
    pub fn flow(&self) -> Option<FlowId> {
        match self.stretch.does {
            Took::Message { flow, .. } => Some(flow),
            Took::Calc => None,
        }
    }

    /// The queue in which it waited longest.
    pub fn longest_wait(&self) -> Option<&Wait> {
        let waits = self.parts.iter().flat_map(|parts| &parts.waits);
        waits.max_by_key(|wait| (wait.time, Reverse(wait.port)))
    }
}

/// The critical path of a job, its first edge in front.
pub fn edges(plan: &Plan, outcome: &Outcome, replay: &Replay<'_>) -> Vec<Edge> {
    let path = path(replay);
    let parts = parts(plan, outcome, &path);
    path.into_iter().zip(parts).map(|(stretch, parts)| Edge { stretch, parts }).collect()
}

/// What the path comes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// Edges.
    pub edges: u64,
    /// All of it: the time of the job's steps.
    pub time_us: f64,
    /// What it went to, by cause, the most first.
    pub causes: Vec<Share>,
    /// Queues that were waited in, by port, the longest first: ten at most.
    pub ports: Vec<Share>,
    /// Ranks that computed or sent, the longest first: ten at most.
    pub ranks: Vec<Share>,
    /// The longest edges: ten at most.
    pub longest: Vec<Named>,
}

/// A part of the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Of what: a cause, a port, a rank's number.
    pub of: String,
    /// How long.
    pub time_us: f64,
}

/// An edge with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The rank that computes or sends.
    pub rank: u64,
    /// What its file calls the node.
    pub node: u64,
    /// The flow, of a message.
    pub flow: Option<u64>,
    /// The receiving rank, of a message.
    pub to: Option<u64>,
    /// When it begins, since the run's start.
    pub start_us: f64,
    /// How long it takes.
    pub time_us: f64,
    /// What most of it went to.
    pub cause: String,
    /// The port in whose queue it waited longest.
    pub port: Option<String>,
    /// The flow of most packets that it waited for there.
    pub behind: Option<u64>,
    /// How many of these there were.
    pub behind_packets: u64,
}

impl Shares {
    /// What these edges of a job come to.
    pub fn of(plan: &Plan, job: &JobGraph, edges: &[Edge]) -> Self {
        let name = |wait: &Wait| plan.fabric.ports[wait.port.index()].name.clone();
        let (mut causes, mut ports, mut ranks) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut all = 0;
        for edge in edges {
            let time = edge.stretch.time().0;
            all += time;
            *ranks.entry(edge.stretch.rank).or_default() += time;
            for cause in Cause::ALL {
                *causes.entry(*cause as usize).or_default() += edge.cause(*cause).0;
            }
            for wait in edge.parts.iter().flat_map(|parts| &parts.waits) {
                *ports.entry(wait.port).or_default() += wait.time.0;
            }
        }
        let mut longest: Vec<&Edge> = edges.iter().collect();
        longest.sort_by_key(|edge| (Reverse(edge.stretch.time()), edge.stretch.from));
        longest.truncate(NAMED);
        let named = |edge: &&Edge| {
            let (own, wait) = (&edge.stretch, edge.longest_wait());
            let most = Cause::ALL.iter().rev().max_by_key(|cause| edge.cause(**cause));
            let behind = wait.and_then(|wait| wait.behind.first());
            let to = match own.does {
                Took::Message { to, .. } => Some(to.into()),
                Took::Calc => None,
            };
            Named {
                rank: own.rank.into(),
                node: job.ranks[own.rank as usize].nodes[own.node as usize].id,
                flow: edge.flow().map(|flow| flow.0.into()),
                to,
                start_us: own.from.as_us(),
                time_us: own.time().as_us(),
                cause: most.map_or("", |cause| cause.word()).to_owned(),
                port: wait.map(name),
                behind: behind.map(|(flow, _)| flow.0.into()),
                behind_packets: behind.map_or(0, |(_, packets)| *packets),
            }
        };
        Self {
            edges: edges.len() as u64,
            time_us: Span(all).as_us(),
            causes: most(causes, usize::MAX, |cause| Cause::ALL[cause].word().to_owned()),
            ports: most(ports, NAMED, |port| plan.fabric.ports[port.index()].name.clone()),
            ranks: most(ranks, NAMED, |rank: u32| rank.to_string()),
            longest: longest.iter().map(named).collect(),
        }
    }
}

/// The largest of some times, which are more than 0.
fn most<K: Ord + Copy>(
    times: BTreeMap<K, u64>,
    count: usize,
    name: impl Fn(K) -> String,
) -> Vec<Share> {
    let mut times: Vec<(K, u64)> = times.into_iter().filter(|(_, time)| *time > 0).collect();
    times.sort_by_key(|(key, time)| (Reverse(*time), *key));
    times.truncate(count);
    let share = |(key, time): (K, u64)| Share { of: name(key), time_us: Span(time).as_us() };
    times.into_iter().map(share).collect()
}
