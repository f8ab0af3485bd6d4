//! When each node of a job began and ended.

use crate::record::{FlowRecord, FlowRecords};
use crate::workload::job::{Job, Scripted};
use crate::workload::job_graph::{Does, Event, Part, Point, Script, SendDone};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;

/// A job's nodes in a run in which all its flows completed.
#[derive(Debug)]
pub struct Replay<'a> {
    /// What its ranks do.
    pub script: &'a Script,
    /// When it began.
    pub begin: Time,
    first: u32,
    flows: &'a FlowRecords,
    starts: Vec<Time>,
    ends: Vec<Time>,
    /// When the sends of each collective began, where senders do something before each.
    begun: BTreeMap<u32, Vec<Time>>,
}

impl<'a> Replay<'a> {
    /// That of a job; `None` of one that is flows alone, and where some flow did not complete.
    pub fn of(job: &'a Job, flows: &'a FlowRecords) -> Option<Self> {
        let Scripted { script, start } = job.script.as_ref()?;
        let own = job.flows.start as usize..job.flows.end as usize;
        if flows.range(own).any(|flow| flow.acked.is_none() || flow.delivered.is_none()) {
            return None;
        }
        let nothing = vec![*start; script.nodes()];
        let mut replay = Self {
            script,
            begin: *start,
            first: job.flows.start,
            flows,
            starts: nothing.clone(),
            ends: nothing,
            begun: BTreeMap::new(),
        };
        for event in script.events() {
            match event {
                Event::Start(node) => {
                    let last = replay.waits_for(node).map(|(_, _, at)| at).max();
                    replay.starts[node as usize] = last.unwrap_or(*start);
                }
                Event::End(node) => {
                    if let Some(end) = replay.end_of(node) {
                        replay.ends[node as usize] = end;
                    }
                }
                Event::Collective(number) => replay.collective(number),
            }
        }
        Some(replay)
    }

    /// When a node began.
    pub fn start(&self, node: u32) -> Time {
        self.starts[node as usize]
    }

    /// When a node was done.
    pub fn end(&self, node: u32) -> Time {
        self.ends[node as usize]
    }

    /// The number in the run of a flow of the job.
    pub fn flow(&self, flow: u32) -> FlowId {
        FlowId(self.first + flow)
    }

    /// What became of a flow of the job.
    fn record(&self, flow: u32) -> FlowRecord {
        self.flows.at((self.first + flow) as usize)
    }

    /// When a flow of the job had arrived.
    pub fn delivered(&self, flow: u32) -> Time {
        self.record(flow).delivered.unwrap_or(self.begin)
    }

    /// When a flow of the job was done for its sender.
    pub fn done(&self, flow: u32) -> Time {
        match self.script.job().send_done {
            SendDone::Delivered => self.delivered(flow),
            SendDone::Acked => self.record(flow).acked.unwrap_or(self.begin),
        }
    }

    /// What a node waited for: which node, for what of it, and when that was.
    pub fn waits_for(&self, node: u32) -> impl Iterator<Item = (u32, Point, Time)> {
        let (rank, place) = self.script.at(node);
        let own = &self.script.job().ranks[rank as usize];
        let edges = own.after(&own.nodes[place as usize]).iter();
        let edges = edges.map(move |edge| (self.script.number((rank, edge.on)), edge.point));
        let before = self.script.before(node).map(|before| (before, Point::End));
        edges.chain(before).map(|(on, point)| match point {
            Point::Start => (on, point, self.start(on)),
            Point::End => (on, point, self.end(on)),
        })
    }

    /// The end of a node that is no part in a collective; it has begun, and so has its send.
    fn end_of(&self, node: u32) -> Option<Time> {
        let start = self.start(node);
        match self.script.does(node) {
            Does::Calc(work) => Some(start + *work),
            Does::Mark(_) => Some(start),
            Does::Send { .. } => Some(self.script.with(node).map_or(start, |flow| self.done(flow))),
            Does::Recv { .. } => Some(self.arrival(node).map_or(start, |(_, at)| at.max(start))),
            Does::Coll { .. } => None,
        }
    }

    /// The send of a receive, and when its message was there.
    pub fn arrival(&self, receive: u32) -> Option<(u32, Time)> {
        let send = self.script.with(receive)?;
        let own = || self.start(send);
        let at = self.script.with(send).map_or_else(own, |flow| self.delivered(flow));
        Some((send, at))
    }

    fn collective(&mut self, number: u32) {
        let script = self.script;
        let part = script.collective(number);
        let nodes: Vec<usize> = self.nodes_of(&part).map(|node| node as usize).collect();
        for &node in &nodes {
            self.ends[node] = self.starts[node];
        }
        let overhead = script.job().style.overhead;
        if overhead > Span::ZERO {
            let mut begun: Vec<Time> = Vec::with_capacity(part.flows.len());
            for send in 0..part.flows.len() as u32 {
                let turn = part.sends.turn(send).map(|turn| begun[turn as usize]);
                let ready = self.ready(&part, send);
                begun.push(turn.map_or(ready, |turn| turn.max(ready)) + overhead);
            }
            self.begun.insert(number, begun);
        }
        for (send, flow) in (0..).zip(part.flows.clone()) {
            let (from, to) = part.sends.ends(send);
            let (done, there) = (self.done(flow), self.delivered(flow));
            for (rank, at) in [(from, done), (to, there)] {
                let end = &mut self.ends[nodes[rank as usize]];
                *end = at.max(*end);
            }
        }
    }

    /// The nodes of a collective, in the order of its ring.
    pub fn nodes_of(&self, part: &Part<'a>) -> impl Iterator<Item = u32> + use<'a> {
        let (script, ranks, nodes) = (self.script, part.ranks, part.nodes());
        ranks.iter().zip(nodes).map(|(rank, node)| script.number((*rank, *node)))
    }

    /// When a send of a collective began: when its rank had come and what it sends on was there, and its
    /// sender had done what it does before.
    pub fn started(&self, part: &Part<'a>, send: u32) -> Time {
        let begun = self.begun.get(&part.number).and_then(|begun| begun.get(send as usize));
        begun.copied().unwrap_or_else(|| self.ready(part, send))
    }

    /// When its rank had come and what it sends on was there.
    fn ready(&self, part: &Part<'a>, send: u32) -> Time {
        let heard = part.sends.after(send).map(|before| self.heard(part, before));
        heard.fold(self.entry(part, send), Time::max)
    }

    /// When what a send of a collective waits for was so.
    pub fn heard(&self, part: &Part<'a>, (before, acked): (u32, bool)) -> Time {
        let flow = part.flows.start + before;
        if acked { self.record(flow).acked.unwrap_or(self.begin) } else { self.delivered(flow) }
    }

    /// When the rank that does a send of a collective had come to it.
    pub fn entry(&self, part: &Part<'a>, send: u32) -> Time {
        self.start(self.sender(part, send))
    }

    /// The node of the rank that does a send of a collective.
    pub fn sender(&self, part: &Part<'a>, send: u32) -> u32 {
        let (from, _) = part.sends.ends(send);
        self.script.number((part.ranks[from as usize], part.nodes()[from as usize]))
    }

    /// The nodes of a rank.
    pub fn nodes(&self, rank: u32) -> Range<u32> {
        let nodes = self.script.job().ranks[rank as usize].nodes.len() as u32;
        let first = if nodes == 0 { 0 } else { self.script.number((rank, 0)) };
        first..first + nodes
    }

    /// The nodes of each of a rank's steps: one, unless it says that there are more.
    pub fn steps_of(&self, rank: u32) -> Vec<Range<u32>> {
        let (all, own) = (self.nodes(rank), &self.script.job().ranks[rank as usize].steps);
        if own.is_empty() {
            return vec![all];
        }
        let ends = own[1..].iter().map(|place| all.start + place).chain([all.end]);
        own.iter().zip(ends).map(|(place, end)| all.start + place..end).collect()
    }

    /// When a rank was done with some of its nodes; `None` if they are none.
    pub fn ended(&self, nodes: Range<u32>) -> Option<Time> {
        nodes.map(|node| self.end(node)).max()
    }

    /// From when to when each step lasted. One begins with the end of the one before, so that they add up
    /// to the time of the job; the first with the first thing that a rank does.
    pub fn steps(&self) -> Vec<Range<Time>> {
        let ranks = self.script.job().ranks.len() as u32;
        let does =
            |node: &u32| !matches!(self.script.does(*node), Does::Recv { .. } | Does::Mark(_));
        let all = (0..ranks).flat_map(|rank| self.nodes(rank));
        let first = all.filter(does).map(|node| self.start(node)).min().unwrap_or(self.begin);
        let mut ends: Vec<Time> = Vec::new();
        for rank in 0..ranks {
            for (step, nodes) in self.steps_of(rank).into_iter().enumerate() {
                ends.resize(ends.len().max(step + 1), first);
                ends[step] = ends[step].max(self.ended(nodes).unwrap_or(first));
            }
        }
        let mut from = first;
        let next = |end: Time| {
            let own = from..end.max(from);
            from = own.end;
            own
        };
        ends.into_iter().map(next).collect()
    }
}
