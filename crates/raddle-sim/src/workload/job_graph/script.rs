//! A job beside its flows: which of them each node is, so that results can tell when nodes began and
//! ended.

use super::listed::Listed;
use super::matching::{At, Instance, Matched};
use super::sends::Sends;
use super::vertices::{Is, Vertices};
use super::{Does, JobGraph};
use std::ops::Range;
use std::sync::Arc;

/// Of nodes that are nothing of the kind.
const NONE: u32 = u32::MAX;

/// What a job was made into. Flows have numbers from that of the job's first.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    job: JobGraph,
    vertices: Vertices,
    /// What comes before what.
    sorted: Vec<u32>,
    before: Vec<Option<u32>>,
    collectives: Vec<Instance>,
    /// The flows of each collective, and what they wait for where that is listed.
    flows: Vec<(Range<u32>, Option<Arc<Listed>>)>,
    /// For each node of all ranks: of a send its flow, of a receive its send, of a part in a collective
    /// its number.
    with: Vec<u32>,
}

/// An event of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node begins.
    Start(u32),
    /// A node ends.
    End(u32),
    /// All ranks have come to a collective.
    Collective(u32),
}

/// A collective of a job.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// What is done, the group, the size, and the node of each rank of the group there.
    instance: &'a Instance,
    /// The group's name.
    pub name: &'a str,
    /// The ranks, in the order of their ring.
    pub ranks: &'a [u32],
    /// Its flows.
    pub flows: Range<u32>,
    /// What they wait for.
    pub sends: Sends,
    /// Its number.
    pub number: u32,
}

impl Script {
    pub(super) fn new(
        job: JobGraph,
        matched: Matched,
        (vertices, sorted, before): (Vertices, Vec<u32>, Vec<Option<u32>>),
        sends: &[(At, u32)],
        flows: Vec<(Range<u32>, Option<Arc<Listed>>)>,
    ) -> Self {
        let mut with = vec![NONE; vertices.nodes() as usize];
        for (send, flow) in sends {
            with[vertices.number(*send) as usize] = *flow;
        }
        for (receive, send) in matched.messages {
            with[vertices.number(receive) as usize] = vertices.number(send);
        }
        for (number, instance) in (0..).zip(&matched.collectives) {
            let ranks = &job.groups[instance.group as usize].ranks;
            for (rank, node) in ranks.iter().zip(&instance.nodes) {
                with[vertices.number((*rank, *node)) as usize] = number;
            }
        }
        let collectives = matched.collectives;
        Self { job, vertices, sorted, before, collectives, flows, with }
    }

    /// The job.
    pub fn job(&self) -> &JobGraph {
        &self.job
    }

    /// Nodes of all ranks.
    pub fn nodes(&self) -> usize {
        self.with.len()
    }

    /// The rank of a node and its place there.
    pub fn at(&self, number: u32) -> (u32, u32) {
        self.vertices.at(number)
    }

    /// The number of a node among those of all ranks.
    pub fn number(&self, at: (u32, u32)) -> u32 {
        self.vertices.number(at)
    }

    /// What a node is.
    pub fn does(&self, number: u32) -> &Does {
        let (rank, place) = self.at(number);
        &self.job.ranks[rank as usize].nodes[place as usize].does
    }

    /// What its unit does before a node.
    pub fn before(&self, number: u32) -> Option<u32> {
        self.before[number as usize]
    }

    /// Everything that happens, each after what it waits for.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.sorted.iter().map(|vertex| match self.vertices.is(*vertex) {
            Is::Start(at) => Event::Start(self.number(at)),
            Is::End(at) => Event::End(self.number(at)),
            Is::Collective(number) => Event::Collective(number),
        })
    }

    /// Of a send its flow, unless its rank sends to itself; of a receive its send, of a part in a
    /// collective the collective.
    pub fn with(&self, number: u32) -> Option<u32> {
        Some(self.with[number as usize]).filter(|with| *with != NONE)
    }

    /// How many collectives there are.
    pub fn collectives(&self) -> u32 {
        self.collectives.len() as u32
    }

    /// One of them.
    pub fn collective(&self, number: u32) -> Part<'_> {
        let instance = &self.collectives[number as usize];
        let group = &self.job.groups[instance.group as usize];
        let (flows, listed) = self.flows[number as usize].clone();
        let n = group.ranks.len() as u32;
        let sends = Sends::of_numbers(instance.op, n, self.job.channels).with(listed);
        Part { instance, name: &group.name, ranks: &group.ranks, flows, sends, number }
    }
}

impl<'a> Part<'a> {
    /// What is done.
    pub fn op(&self) -> super::CollectiveOp {
        self.instance.op
    }

    /// Its size, as nccl-tests counts it.
    pub fn bytes(&self) -> raddle_schemes::units::Bytes {
        self.instance.bytes
    }

    /// The node of each rank of the group, in the group's order, by its place there.
    pub fn nodes(&self) -> &'a [u32] {
        &self.instance.nodes
    }
}
