//! In which order the nodes of a unit go.

use super::matching::Matched;
use super::vertices::{Is, Vertex, Vertices, end, work};
use super::{JobError, JobGraph, UnitOrder};
use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Nodes of one unit that follow each other, by their numbers among those of all ranks.
pub(super) fn chains(job: &JobGraph, matched: &Matched) -> Result<Vec<(u32, u32)>, Vec<JobError>> {
    let free = Vertices::new(job, matched, &[]);
    match job.order {
        UnitOrder::Written => Ok(written(job, &free)),
        UnitOrder::Ready => Ready::new(job, &free).run(),
    }
}

fn written(job: &JobGraph, vertices: &Vertices) -> Vec<(u32, u32)> {
    let mut chains = Vec::new();
    for (rank, own) in (0..).zip(&job.ranks) {
        let mut last = BTreeMap::new();
        for (place, node) in (0..).zip(&own.nodes) {
            let Some(unit) = node.unit else { continue };
            let number = vertices.number((rank, place));
            if let Some(before) = last.insert(unit, number) {
                chains.push((before, number));
            }
        }
    }
    chains
}

/// A run on a network that takes no time: an order in which it came to an end is one without circles.
struct Ready<'a> {
    job: &'a JobGraph,
    vertices: &'a Vertices,
    left: Vec<u32>,
    /// What happens next: when, and which vertex.
    next: BinaryHeap<Reverse<(Time, Vertex)>>,
    /// By rank and unit.
    units: BTreeMap<(u32, u32), Unit>,
    chains: Vec<(u32, u32)>,
}

#[derive(Default)]
struct Unit {
    busy: bool,
    /// The last node that it has begun.
    last: Option<u32>,
    /// Nodes that are ready.
    waiting: BTreeSet<u32>,
}

impl<'a> Ready<'a> {
    fn new(job: &'a JobGraph, vertices: &'a Vertices) -> Self {
        Self {
            job,
            vertices,
            left: vertices.waits(),
            next: BinaryHeap::new(),
            units: BTreeMap::new(),
            chains: Vec::new(),
        }
    }

    fn unit(&self, number: u32) -> Option<(u32, u32)> {
        let (rank, node) = self.vertices.at(number);
        Some((rank, self.job.ranks[rank as usize].nodes[node as usize].unit?))
    }

    fn run(mut self) -> Result<Vec<(u32, u32)>, Vec<JobError>> {
        for vertex in 0..self.left.len() as u32 {
            if self.left[vertex as usize] == 0 {
                self.next.push(Reverse((Time::ZERO, vertex)));
            }
        }
        let mut happened = 0;
        while let Some(Reverse((now, vertex))) = self.next.pop() {
            match self.vertices.is(vertex) {
                Is::Start(_) => {
                    let number = vertex / 2;
                    match self.unit(number) {
                        None => self.begin(now, number),
                        Some(key) => {
                            let unit = self.units.entry(key).or_default();
                            unit.waiting.insert(number);
                            self.serve(now, key);
                        }
                    }
                }
                Is::End(_) => {
                    self.release(now, vertex);
                    if let Some(key) = self.unit(vertex / 2) {
                        self.units.entry(key).or_default().busy = false;
                        self.serve(now, key);
                    }
                }
                Is::Collective(_) => self.release(now, vertex),
            }
            happened += 1;
        }
        if happened == self.left.len() && self.left.iter().all(|left| *left == 0) {
            return Ok(self.chains);
        }
        Err(self.stall())
    }

    /// Nothing is left to happen: what waits for what.
    fn stall(&self) -> Vec<JobError> {
        if let Err(circle) = self.vertices.sorted(self.job) {
            return circle;
        }
        // Only units are in the way: each is held by a node that waits for others.
        let held = self.units.values().filter(|unit| unit.busy).filter_map(|unit| unit.last);
        let held: Vec<(u32, u64)> = held
            .map(|number| {
                let (rank, node) = self.vertices.at(number);
                (rank, self.job.ranks[rank as usize].nodes[node as usize].id)
            })
            .collect();
        let names = held.iter().take(20).map(|(rank, id)| format!("node {id} of rank {rank}"));
        let message = format!(
            "the run would stall: what goes one at a time is held by nodes that wait for others: {}",
            names.collect::<Vec<_>>().join(", ")
        );
        vec![JobError { node: held.first().copied(), message }]
    }

    /// Lets a unit that is free go on.
    fn serve(&mut self, now: Time, key: (u32, u32)) {
        let Some(unit) = self.units.get_mut(&key).filter(|unit| !unit.busy) else { return };
        let Some(number) = unit.waiting.pop_first() else { return };
        unit.busy = true;
        if let Some(before) = unit.last.replace(number) {
            self.chains.push((before, number));
        }
        self.begin(now, number);
    }

    fn begin(&mut self, now: Time, number: u32) {
        let done = now + work(self.job, self.vertices.at(number));
        let own = end(number);
        for &next in self.vertices.followers(2 * number) {
            self.step(if next == own { done } else { now }, next);
        }
    }

    fn release(&mut self, now: Time, vertex: Vertex) {
        for &next in self.vertices.followers(vertex) {
            self.step(now, next);
        }
    }

    /// One of what a vertex waits for has come.
    fn step(&mut self, at: Time, vertex: Vertex) {
        self.left[vertex as usize] -= 1;
        if self.left[vertex as usize] == 0 {
            self.next.push(Reverse((at, vertex)));
        }
    }
}
