//! What waits for what, over all ranks: a node has a start and an end, a collective a middle.

use super::matching::{At, Matched};
use super::{Does, JobError, JobGraph, Point};
use raddle_schemes::units::Span;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A start, an end, or a collective.
pub(super) type Vertex = u32;

/// The graph of all vertices.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Vertices {
    /// The number of the first node of each rank; that of all nodes last.
    first: Vec<u32>,
    /// What follows each vertex, one vertex after the other.
    followers: Vec<Vertex>,
    /// Where the followers of each begin, and where those of the last end.
    begins: Vec<u32>,
    /// How many each waits for.
    waits: Vec<u32>,
}

/// What a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Is {
    Start(At),
    End(At),
    Collective(u32),
}

impl Vertices {
    /// With the order of the nodes of each unit among the edges.
    pub(super) fn new(job: &JobGraph, matched: &Matched, chains: &[(u32, u32)]) -> Self {
        let mut first = vec![0];
        for rank in &job.ranks {
            let last = first.last().copied().unwrap_or(0);
            first.push(last + rank.nodes.len() as u32);
        }
        let mut own = Self { first, followers: Vec::new(), begins: Vec::new(), waits: Vec::new() };
        let nodes = own.nodes();
        let count = 2 * nodes as usize + matched.collectives.len();
        own.begins = vec![0; count + 1];
        own.waits = vec![0; count];
        // Counted first, then put in their places.
        own.edges(job, matched, chains, |own, from, to| {
            own.begins[from as usize + 1] += 1;
            own.waits[to as usize] += 1;
        });
        for vertex in 0..count {
            own.begins[vertex + 1] += own.begins[vertex];
        }
        own.followers = vec![0; own.begins[count] as usize];
        let mut next = own.begins.clone();
        own.edges(job, matched, chains, |own, from, to| {
            own.followers[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        });
        own
    }

    fn edges(
        &mut self,
        job: &JobGraph,
        matched: &Matched,
        chains: &[(u32, u32)],
        mut edge: impl FnMut(&mut Self, Vertex, Vertex),
    ) {
        for (rank, own) in (0..).zip(&job.ranks) {
            for (place, node) in (0..).zip(&own.nodes) {
                let number = self.number((rank, place));
                edge(self, start(number), end(number));
                for on in own.after(node) {
                    let other = self.number((rank, on.on));
                    let from = match on.point {
                        Point::Start => start(other),
                        Point::End => end(other),
                    };
                    edge(self, from, start(number));
                }
            }
        }
        for &(before, after) in chains {
            edge(self, end(before), start(after));
        }
        for &(receive, send) in &matched.messages {
            let (send, receive) = (self.number(send), self.number(receive));
            edge(self, start(send), end(receive));
        }
        for (k, instance) in (2 * self.nodes()..).zip(&matched.collectives) {
            let ranks = &job.groups[instance.group as usize].ranks;
            for (&rank, &node) in ranks.iter().zip(&instance.nodes) {
                let number = self.number((rank, node));
                edge(self, start(number), k);
                edge(self, k, end(number));
            }
        }
    }

    /// Nodes of all ranks.
    pub(super) fn nodes(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// The number of a node among those of all ranks.
    pub(super) fn number(&self, (rank, node): At) -> u32 {
        self.first[rank as usize] + node
    }

    /// The node of a number.
    pub(super) fn at(&self, number: u32) -> At {
        let rank = self.first.partition_point(|first| *first <= number) - 1;
        (rank as u32, number - self.first[rank])
    }

    pub(super) fn is(&self, vertex: Vertex) -> Is {
        match vertex.checked_sub(2 * self.nodes()) {
            Some(collective) => Is::Collective(collective),
            None if vertex.is_multiple_of(2) => Is::Start(self.at(vertex / 2)),
            None => Is::End(self.at(vertex / 2)),
        }
    }

    pub(super) fn followers(&self, vertex: Vertex) -> &[Vertex] {
        let range = self.begins[vertex as usize]..self.begins[vertex as usize + 1];
        &self.followers[range.start as usize..range.end as usize]
    }

    /// How many vertices each waits for.
    pub(super) fn waits(&self) -> Vec<u32> {
        self.waits.clone()
    }

    /// All vertices, each after what it waits for; of those that could be next the lowest first.
    ///
    /// # Errors
    /// What waits for itself.
    pub(super) fn sorted(&self, job: &JobGraph) -> Result<Vec<Vertex>, Vec<JobError>> {
        let mut left = self.waits();
        let free = (0..left.len() as u32).filter(|vertex| left[*vertex as usize] == 0);
        let mut ready: BinaryHeap<Reverse<Vertex>> = free.map(Reverse).collect();
        let mut sorted = Vec::with_capacity(left.len());
        while let Some(Reverse(vertex)) = ready.pop() {
            sorted.push(vertex);
            for &next in self.followers(vertex) {
                left[next as usize] -= 1;
                if left[next as usize] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        if sorted.len() == left.len() { Ok(sorted) } else { Err(self.circle(job, &left)) }
    }

    /// A circle among the vertices that still wait.
    pub(super) fn circle(&self, job: &JobGraph, left: &[u32]) -> Vec<JobError> {
        // Back from any of them, each time to one that it waits for, until one comes again.
        let mut before = vec![None; left.len()];
        for vertex in (0..left.len() as u32).filter(|vertex| left[*vertex as usize] > 0) {
            for &next in self.followers(vertex) {
                before[next as usize].get_or_insert(vertex);
            }
        }
        let Some(mut vertex) = (0..left.len() as u32).find(|vertex| left[*vertex as usize] > 0)
        else {
            return Vec::new();
        };
        let mut seen = vec![false; left.len()];
        while !std::mem::replace(&mut seen[vertex as usize], true) {
            vertex = before[vertex as usize].unwrap_or(vertex);
        }
        let (from, mut nodes) = (vertex, Vec::new());
        loop {
            if let Is::Start(at) | Is::End(at) = self.is(vertex)
                && nodes.last() != Some(&at)
            {
                nodes.push(at);
            }
            vertex = before[vertex as usize].unwrap_or(from);
            if vertex == from {
                break;
            }
        }
        if nodes.len() > 1 && nodes.first() == nodes.last() {
            nodes.pop();
        }
        nodes.reverse();
        let least = (0..nodes.len()).min_by_key(|place| nodes[*place]).unwrap_or(0);
        nodes.rotate_left(least);
        let listed: Vec<String> = nodes.iter().take(20).map(|at| name(job, *at)).collect();
        let more = nodes.len().saturating_sub(listed.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let message = format!(
            "{} nodes wait for each other in a circle: {}{more}",
            nodes.len(),
            listed.join(", ")
        );
        let node = nodes.first().map(|&(rank, node)| (rank, id(job, (rank, node))));
        vec![JobError { node, message }]
    }
}

pub(super) const fn start(number: u32) -> Vertex {
    2 * number
}

pub(super) const fn end(number: u32) -> Vertex {
    2 * number + 1
}

fn id(job: &JobGraph, (rank, node): At) -> u64 {
    job.ranks[rank as usize].nodes[node as usize].id
}

fn name(job: &JobGraph, at: At) -> String {
    format!("node {} of rank {}", id(job, at), at.0)
}

/// How long a node takes without a network.
pub(super) fn work(job: &JobGraph, (rank, node): At) -> Span {
    match job.ranks[rank as usize].nodes[node as usize].does {
        Does::Calc(time) => time,
        _ => Span::ZERO,
    }
}
