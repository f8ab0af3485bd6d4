//! A job as sends that wait for each other.

use super::collectives::{self, done_end};
use super::matching::{At, Instance, Matched, matched};
use super::script::Script;
use super::vertices::{Is, Vertices};
use super::{Does, JobError, JobGraph, Listed, Point, order};
use crate::workload::Traffic;
use crate::workload::graph::{After, End, Graph, Send, StepId};
use crate::workload::job::{Collective, Job, Operation, Phase, Scripted};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Flow numbers have 32 bits, and a graph is not to fill the memory.
const MOST_SENDS: u64 = 1 << 26;

/// A job whose nodes are matched and in order.
#[derive(Debug)]
pub struct Compiled {
    pub(super) matched: Matched,
    vertices: Vertices,
    /// What comes before what.
    sorted: Vec<u32>,
    /// For each node of all ranks the one that its unit does before it.
    before: Vec<Option<u32>>,
}

impl JobGraph {
    /// Checks the job, matches its receives and collectives, and sets the order of each unit.
    ///
    /// # Errors
    /// Names that are not there, sends and receives that do not fit, collectives that some ranks do
    /// not enter, nodes that wait for each other in a circle: up to 20, and how many more. Or more
    /// messages than a run can hold, where rank r is host r.
    pub fn compile(&self) -> Result<Compiled, Vec<JobError>> {
        self.compile_among(&|rank| HostId(rank))
    }

    fn compile_among(&self, host: &dyn Fn(u32) -> HostId) -> Result<Compiled, Vec<JobError>> {
        self.check()?;
        let matched = matched(self)?;
        let mut groups: BTreeMap<u32, Vec<HostId>> = BTreeMap::new();
        let mut known: BTreeMap<(u32, &'static str, Bytes), u64> = BTreeMap::new();
        let sends = matched.collectives.iter().map(|own| {
            let hosts = groups.entry(own.group).or_insert_with(|| {
                let ranks = self.groups[own.group as usize].ranks.iter();
                ranks.map(|rank| host(*rank)).collect()
            });
            let count = || self.style.sends_at_most(own.op, hosts, own.bytes, self.channels);
            *known.entry((own.group, own.op.word(), own.bytes)).or_insert_with(count)
        });
        let sends = sends.fold(matched.messages.len() as u64, u64::saturating_add);
        if sends > MOST_SENDS {
            let message = format!("{sends} messages are more than {MOST_SENDS}");
            return Err(vec![JobError { node: None, message }]);
        }
        let chains = order::chains(self, &matched)?;
        let vertices = Vertices::new(self, &matched, &chains);
        let sorted = vertices.sorted(self)?;
        let mut before = vec![None; vertices.nodes() as usize];
        for (first, second) in chains {
            before[second as usize] = Some(first);
        }
        Ok(Compiled { matched, vertices, sorted, before })
    }

    /// The flows of the job among these hosts, one for each rank, with a phase for each collective.
    ///
    /// # Errors
    /// Those of [`JobGraph::compile`], and too few hosts.
    pub fn traffic(self, hosts: &[HostId]) -> Result<Traffic, Vec<JobError>> {
        Ok(self
            .compile_among(&|rank| hosts.get(rank as usize).copied().unwrap_or(HostId(rank)))?
            .traffic(self, hosts))
    }
}

impl Compiled {
    /// The flows among these hosts, of which there are as many as ranks.
    pub fn traffic(self, job: JobGraph, hosts: &[HostId]) -> Traffic {
        let waited_for = self.waited_for(&job);
        let nodes = self.vertices.nodes() as usize;
        let mut making = Making {
            compiled: &self,
            job: &job,
            hosts,
            graph: Graph::default(),
            starts: vec![None; nodes],
            ends: vec![None; nodes],
            sends: BTreeMap::new(),
            flows: Vec::new(),
            waited_for,
            collectives: vec![(0..0, None); self.matched.collectives.len()],
            lists: BTreeMap::new(),
            phases: Vec::new(),
        };
        let receives: BTreeMap<At, At> = self.matched.messages.iter().copied().collect();
        for &vertex in &self.sorted {
            match self.vertices.is(vertex) {
                Is::Start(at) => making.start(at),
                Is::End(at) => making.end(at, receives.get(&at).copied()),
                Is::Collective(number) => making.collective(number),
            }
        }
        let Making { graph, phases, flows: sends, collectives, .. } = making;
        let flows = 0..graph.sends();
        // One collective alone has a bandwidth of its own.
        let alone = match (&self.matched.collectives[..], job.nodes()) {
            ([only], nodes) if nodes == only.nodes.len() as u64 => collective(only),
            _ => None,
        };
        let phases = if alone.is_some() { Vec::new() } else { phases };
        let traffic = graph.traffic();
        let Self { matched, vertices, sorted, before } = self;
        let order = (vertices, sorted, before);
        let script = Arc::new(Script::new(job, matched, order, &sends, collectives));
        let job = Job {
            name: String::new(),
            group_of: None,
            flows,
            collective: alone,
            phases,
            script: Some(Scripted { script, start: Time::ZERO }),
        };
        Traffic { jobs: vec![job], ..traffic }
    }

    /// Of each node, whether its start and whether its end is waited for.
    fn waited_for(&self, job: &JobGraph) -> Vec<[bool; 2]> {
        let mut waited_for = vec![[false; 2]; self.vertices.nodes() as usize];
        for (rank, own) in (0..).zip(&job.ranks) {
            for node in &own.nodes {
                for edge in own.after(node) {
                    let number = self.vertices.number((rank, edge.on));
                    waited_for[number as usize][usize::from(edge.point == Point::End)] = true;
                }
            }
        }
        for before in self.before.iter().flatten() {
            waited_for[*before as usize][1] = true;
        }
        waited_for
    }
}

fn collective(instance: &Instance) -> Option<Collective> {
    let operation = Operation::ALL.iter().find(|known| known.word() == instance.op.word())?;
    let ranks = instance.nodes.len() as u32;
    Some(Collective { operation: *operation, ranks, bytes: instance.bytes })
}

struct Making<'a> {
    compiled: &'a Compiled,
    job: &'a JobGraph,
    hosts: &'a [HostId],
    graph: Graph,
    /// For each node what its start is, and its end; `None` for time zero, and where nothing waits.
    starts: Vec<Option<After>>,
    ends: Vec<Option<After>>,
    /// The steps of messages, until they are received.
    sends: BTreeMap<At, Message>,
    /// The flow of each send.
    flows: Vec<(At, u32)>,
    waited_for: Vec<[bool; 2]>,
    /// The flows of each collective, and what they wait for where that is listed.
    collectives: Vec<(Range<u32>, Option<Arc<Listed>>)>,
    /// The lists, by group, operation and size: many collectives are alike.
    lists: BTreeMap<(u32, &'static str, Bytes), Arc<Listed>>,
    phases: Vec<Phase>,
}

/// A message that was sent.
#[derive(Clone, Copy)]
enum Message {
    Sent(StepId),
    /// From a rank to itself: it is there when it is sent.
    Own(Option<After>),
}

impl Making<'_> {
    /// All of these as one: nothing for time zero.
    fn all(&mut self, after: &[After]) -> Option<After> {
        match after {
            [] => None,
            [one] => Some(*one),
            _ => Some(After::new(self.graph.work(Span::ZERO, after), End::Delivered)),
        }
    }

    fn start(&mut self, at: At) {
        let (rank, place) = at;
        let own = &self.job.ranks[rank as usize];
        let node = &own.nodes[place as usize];
        let number = self.compiled.vertices.number(at) as usize;
        let mut after: Vec<After> = Vec::new();
        for edge in own.after(node) {
            let on = self.compiled.vertices.number((rank, edge.on)) as usize;
            after.extend(match edge.point {
                Point::Start => self.starts[on],
                Point::End => self.ends[on],
            });
        }
        after.extend(self.compiled.before[number].and_then(|before| self.ends[before as usize]));
        after.sort_unstable();
        after.dedup();
        let alone = matches!(node.does, Does::Calc(_) | Does::Send { .. });
        if self.waited_for[number][0] || !alone {
            self.starts[number] = self.all(&after);
            after = self.starts[number].into_iter().collect();
        }
        match node.does {
            Does::Calc(work) if self.waited_for[number][1] => {
                let step = self.graph.work(work, &after);
                self.ends[number] = Some(After::new(step, End::Delivered));
            }
            Does::Send { to, .. } if to == rank => {
                let own = self.all(&after);
                self.sends.insert(at, Message::Own(own));
                self.ends[number] = own;
            }
            Does::Send { to, bytes, .. } => {
                let (source, destination) = (self.hosts[rank as usize], self.hosts[to as usize]);
                let bytes = bytes.max(Bytes(1));
                let send = Send { source, destination, bytes, work: Span::ZERO };
                self.flows.push((at, self.graph.sends()));
                let step = self.graph.send_after(send, &after);
                self.sends.insert(at, Message::Sent(step));
                self.ends[number] = Some(After::new(step, done_end(self.job)));
            }
            _ => {}
        }
    }

    fn end(&mut self, at: At, send: Option<At>) {
        let number = self.compiled.vertices.number(at) as usize;
        match self.job.ranks[at.0 as usize].nodes[at.1 as usize].does {
            Does::Mark(_) => self.ends[number] = self.starts[number],
            Does::Recv { .. } => {
                let message = send.and_then(|send| self.sends.remove(&send));
                if !self.waited_for[number][1] {
                    return;
                }
                let there = match message {
                    Some(Message::Sent(step)) => Some(After::new(step, End::Delivered)),
                    Some(Message::Own(after)) => after,
                    None => None,
                };
                let after: Vec<After> = self.starts[number].into_iter().chain(there).collect();
                self.ends[number] = self.all(&after);
            }
            Does::Calc(_) | Does::Send { .. } | Does::Coll { .. } => {}
        }
    }

    /// The sends of a collective one by one, where a style asks for that.
    fn list(&mut self, instance: &Instance, hosts: &[HostId]) -> Option<Arc<Listed>> {
        let (style, channels) = (&self.job.style, self.job.channels);
        if style.is_plain() || hosts.len() < 2 {
            return None;
        }
        let Instance { group, op, bytes, .. } = *instance;
        let made = || Arc::new(Listed::of(style, op, bytes, channels, hosts));
        Some(Arc::clone(self.lists.entry((group, op.word(), bytes)).or_insert_with(made)))
    }

    fn collective(&mut self, number: u32) {
        let compiled = self.compiled;
        let instance = &compiled.matched.collectives[number as usize];
        let ranks = &self.job.groups[instance.group as usize].ranks;
        let hosts: Vec<HostId> = ranks.iter().map(|rank| self.hosts[*rank as usize]).collect();
        let nodes = ranks.iter().zip(&instance.nodes);
        let numbers: Vec<usize> =
            nodes.map(|(rank, node)| compiled.vertices.number((*rank, *node)) as usize).collect();
        let entries: Vec<Option<After>> = numbers.iter().map(|own| self.starts[*own]).collect();
        let from = self.graph.sends();
        let list = self.list(instance, &hosts);
        let ends = match &list {
            None => collectives::add(self.job, &mut self.graph, instance, &hosts, &entries),
            Some(list) => {
                collectives::add_listed(self.job, &mut self.graph, list, &hosts, &entries)
            }
        };
        let flows = from..self.graph.sends();
        self.collectives[number as usize] = (flows.clone(), list);
        if !flows.is_empty() {
            let name = format!("{} {number}", instance.op);
            self.phases.push(Phase { name, flows });
        }
        for (own, ends) in numbers.into_iter().zip(ends.0) {
            if self.waited_for[own][1] {
                self.ends[own] = self.all(&ends);
            }
        }
    }
}
