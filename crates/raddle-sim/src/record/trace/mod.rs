//! Packets of chosen flows, hop by hop: what both engines tell of them, and what it comes to.
//!
//! While the run goes on, what happens to a flow's frames is written down in few bytes ([`log`]). After
//! it, flow by flow: a packet of which nothing unusual is told has one story ([`plain`]); the others'
//! frames are followed from port to port ([`lives`]). Then what all of them came to ([`ends`]).

mod ends;
pub(super) mod event;
mod lives;
mod log;
mod plain;
mod replies;
#[cfg(test)]
mod tests;

use super::FlowRecords;
use super::packets::Packets;
use crate::host::layout::Layout;
use crate::middleware::Ends;
use crate::plan::Plan;
use crate::wire::frame::{Frame, Kind, flag};
use event::What;
use log::{Entry, Heard, Log, Passed};
use plain::Stories;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use std::collections::VecDeque;
use std::panic::resume_unwind;

/// Of a flow that is not chosen.
const NONE: u32 = u32::MAX;

/// Keeps what happens to frames of chosen flows.
pub(super) struct Trace {
    layout: Layout,
    /// By flow, its place among those that are chosen.
    places: Vec<u32>,
    hosts: u32,
    /// The far end of each port.
    to_host: Vec<bool>,
    latencies: Vec<Span>,
    /// By port, frames of chosen flows that are in its queue.
    waiting: Vec<VecDeque<Waiting>>,
    logs: Vec<Log>,
    /// Those of other parts of the run.
    others: Vec<Vec<Log>>,
}

/// A frame that joined a queue.
struct Waiting {
    frame: Frame,
    since: Time,
    found: u64,
}

impl Waiting {
    fn entry(&self, port: PortId) -> Entry {
        let Self { frame, since, found } = *self;
        Entry::Other { port, at: since, frame, what: What::Queued(found) }
    }
}

impl Trace {
    /// Of the flows that the plan names, if it names any.
    pub(super) fn of(plan: &Plan) -> Option<Box<Self>> {
        if plan.record.packets.is_empty() {
            return None;
        }
        let mut places = vec![NONE; plan.traffic.flows.len()];
        let chosen = (0..).zip(&plan.record.packets);
        chosen.for_each(|(place, flow)| places[flow.index()] = place);
        let ports = &plan.fabric.ports;
        let hosts = plan.fabric.host_ports();
        Some(Box::new(Self {
            layout: Layout::new(plan),
            places,
            hosts,
            latencies: (0..ports.len() as u32).map(|id| plan.fabric.latency(PortId(id))).collect(),
            to_host: ports.iter().map(|port| port.peer.0 < hosts).collect(),
            waiting: ports.iter().map(|_| VecDeque::new()).collect(),
            logs: plan.record.packets.iter().map(|_| Log::default()).collect(),
            others: Vec::new(),
        }))
    }

    /// Something happened to a frame.
    pub(super) fn note(&mut self, port: PortId, at: Time, frame: Frame, what: What) {
        let is_reply = frame.is_reply();
        if !frame.is_data() && !is_reply {
            return;
        }
        let place = self.places[self.layout.flow_of(frame).index()];
        let Some(log) = self.logs.get_mut(place as usize) else { return };
        let mut add = |entry| log.add(entry, &self.latencies);
        let is_host = port.0 < self.hosts;
        let other = Entry::Other { port, at, frame, what };
        if is_reply {
            // Only their arrivals are of interest, and the losses on the last link.
            let at_end = || !is_host && self.to_host[port.index()];
            match what {
                What::Left if frame.is(Kind::Ack) && at_end() => {
                    add(Entry::Heard(Heard { port, left: at, number: frame.number() }));
                }
                What::Lost(_) if at_end() => add(other),
                _ => {}
            }
            return;
        }
        match what {
            What::Left if is_host => add(Entry::Sent { port, at, frame }),
            What::Queued(found) => {
                self.waiting[port.index()].push_back(Waiting { frame, since: at, found });
            }
            What::Left => match take(&mut self.waiting[port.index()], at, frame) {
                Some(own) if own.frame.with_mark(true) == frame.with_mark(true) => {
                    let (queued, found) = (own.since, own.found);
                    let was_marked = own.frame.has(flag::MARKED);
                    let passed = Passed { port, queued, found, left: at, frame, was_marked };
                    add(Entry::Passed(passed));
                }
                own => {
                    own.iter().for_each(|own| add(own.entry(port)));
                    add(other);
                }
            },
            _ => {
                let waiting = self.waiting.get_mut(port.index());
                let own = waiting.and_then(|waiting| take(waiting, at, frame));
                own.iter().for_each(|own| add(own.entry(port)));
                add(other);
            }
        }
    }

    /// Nothing more happens: what waits still does.
    fn end(&mut self) {
        for (port, waiting) in (0..).map(PortId).zip(&mut self.waiting) {
            for own in waiting.drain(..) {
                let place = self.places[self.layout.flow_of(own.frame).index()];
                self.logs[place as usize].add(own.entry(port), &self.latencies);
            }
        }
    }

    /// Adds what another part of the run kept.
    pub(super) fn add(&mut self, mut other: Self) {
        other.end();
        self.others.push(other.logs);
        self.others.extend(other.others);
    }

    /// Packets by flow, then as they were sent; hops by packet, then in order of time. The run stopped
    /// at `stop`, if before its flows had completed.
    pub(super) fn finish(
        mut self,
        plan: &Plan,
        records: &FlowRecords,
        stop: Option<Time>,
    ) -> Packets {
        self.end();
        // As many as ran the parts.
        let threads = self.others.len().max(1);
        let mut parts = self.others;
        parts.push(self.logs);
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let mut logs = || parts.iter_mut().filter_map(Iterator::next).collect();
        let flows = plan.record.packets.iter().map(|flow| (*flow, logs())).collect();
        let tell = |flows: Vec<(FlowId, Vec<Log>)>| {
            let (mut stories, mut packets) = (Stories::new(plan), Packets::default());
            for (flow, logs) in flows {
                for log in logs {
                    packets.take_room(log.read(&self.latencies, |entry| stories.add(entry)));
                }
                stories.end(flow, &records.at(flow.index()), stop, &mut packets);
            }
            packets.end();
            packets
        };
        if threads == 1 {
            return tell(flows);
        }
        let mut packets = Packets::default();
        std::thread::scope(|scope| {
            let tell = &tell;
            let shares = shares(flows, threads).into_iter();
            let told: Vec<_> = shares.map(|flows| scope.spawn(move || tell(flows))).collect();
            for own in told {
                packets.append(own.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
        });
        packets
    }
}

/// The same flows in so many lists of neighbours, of each about as much is told.
fn shares(flows: Vec<(FlowId, Vec<Log>)>, count: usize) -> Vec<Vec<(FlowId, Vec<Log>)>> {
    let size = |logs: &[Log]| 1 + logs.iter().map(Log::blocks).sum::<usize>();
    let all: usize = flows.iter().map(|(_, logs)| size(logs)).sum();
    let mut shares: Vec<_> = (0..count).map(|_| Vec::new()).collect();
    let mut before = 0;
    for own in flows {
        let share = before * count / all;
        before += size(&own.1);
        shares[share].push(own);
    }
    shares
}

/// Takes a frame out of a queue in which it was at a time: most often the first. That may have been
/// before another of its number joined, where it is told late what became of it.
fn take(waiting: &mut VecDeque<Waiting>, at: Time, frame: Frame) -> Option<Waiting> {
    let packet = |frame: Frame| (frame.to, frame.number(), frame.has(flag::AGAIN));
    let is_it = |own: &Waiting| packet(own.frame) == packet(frame) && own.since <= at;
    let place = waiting.iter().position(is_it)?;
    waiting.remove(place)
}
