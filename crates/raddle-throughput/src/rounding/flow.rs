//! Which fractional entries are rounded up: a transport problem, solved by successive shortest
//! paths with whole-number costs.
//!
//! A unit of flow goes from the source to a row, over an entry to a column, and on to the sink; an
//! entry carries one unit at most. Units that a row or column must have cost nothing there, others
//! `UNWANTED`; a forced entry costs nothing, others `UNWANTED` and what their weight is below the
//! heaviest. Every path to the sink thus has the least cost if its weight is the greatest, and all
//! bounds are met if any flow meets them. Time: O(n^2) for each entry that is rounded up.

use super::Limits;

const UNWANTED: i64 = 1 << 40;
const INFINITE: i64 = i64::MAX / 4;

/// Weights of the entries, and bounds on how many of a row, a column and of all are chosen.
pub(super) struct Transport {
    nodes: usize,
    /// By rows; 0 if the entry is whole and cannot be chosen.
    weights: Vec<i64>,
    limits: Limits,
}

struct State<'a> {
    problem: &'a Transport,
    forced: &'a [bool],
    heaviest: i64,
    chosen: Vec<bool>,
    row_flow: Vec<u32>,
    column_flow: Vec<u32>,
    /// Potentials of rows, columns and the sink; the source's is 0.
    potential: Vec<i64>,
}

impl Transport {
    pub(super) fn new(nodes: usize, weights: Vec<i64>, limits: Limits) -> Self {
        Self { nodes, weights, limits }
    }

    /// The heaviest choice within the bounds that has all forced entries; `None` if there is none.
    pub(super) fn choose(&self, forced: &[bool]) -> Option<Vec<bool>> {
        let mut state = State {
            problem: self,
            forced,
            heaviest: self.weights.iter().copied().max().unwrap_or(0),
            chosen: vec![false; self.weights.len()],
            row_flow: vec![0; self.nodes],
            column_flow: vec![0; self.nodes],
            potential: vec![0; 2 * self.nodes + 1],
        };
        for _ in 0..self.limits.total.1 {
            if state.augment().is_none() {
                break;
            }
        }
        let within = |flow: &[u32], bounds: &[(u32, u32)]| {
            flow.iter().zip(bounds).all(|(flow, (least, most))| (least..=most).contains(&flow))
        };
        let all: u32 = state.row_flow.iter().sum();
        let good = all >= self.limits.total.0
            && within(&state.row_flow, &self.limits.rows)
            && within(&state.column_flow, &self.limits.columns)
            && forced.iter().zip(&state.chosen).all(|(forced, chosen)| !forced || *chosen);
        good.then_some(state.chosen)
    }
}

/// What one unit more costs where `least` are wanted and `most` allowed.
fn more(flow: u32, (least, most): (u32, u32)) -> i64 {
    match flow {
        flow if flow < least => 0,
        flow if flow < most => UNWANTED,
        _ => INFINITE,
    }
}

impl State<'_> {
    fn cost(&self, entry: usize) -> i64 {
        if self.forced[entry] { 0 } else { UNWANTED + self.heaviest - self.problem.weights[entry] }
    }

    /// What it costs to go along an arc of the residual graph; the sink is node 2n.
    fn arc(&self, from: usize, to: usize) -> i64 {
        let nodes = self.problem.nodes;
        let (is_row, sink) = (|node: usize| node < nodes, 2 * nodes);
        if to == sink {
            if is_row(from) {
                return INFINITE;
            }
            return more(self.column_flow[from - nodes], self.problem.limits.columns[from - nodes]);
        }
        match (is_row(from), is_row(to)) {
            (true, false) => {
                let entry = from * nodes + to - nodes;
                let open = self.problem.weights[entry] > 0 && !self.chosen[entry];
                if open { self.cost(entry) } else { INFINITE }
            }
            (false, true) => {
                let entry = to * nodes + from - nodes;
                if self.chosen[entry] { -self.cost(entry) } else { INFINITE }
            }
            _ => INFINITE,
        }
    }

    /// Sends one unit along a path of least cost (Dijkstra with potentials); `None` if there is no
    /// path.
    fn augment(&mut self) -> Option<()> {
        let nodes = self.problem.nodes;
        let (sink, all) = (2 * nodes, 2 * nodes + 1);
        let mut distance = vec![INFINITE; all];
        let mut before: Vec<Option<usize>> = vec![None; all];
        let mut done = vec![false; all];
        for (row, reached) in distance.iter_mut().enumerate().take(nodes) {
            let cost = more(self.row_flow[row], self.problem.limits.rows[row]);
            if cost < INFINITE {
                *reached = cost - self.potential[row];
            }
        }
        loop {
            let open = (0..all).filter(|&node| !done[node] && distance[node] < INFINITE);
            let Some(at) = open.min_by_key(|&node| (distance[node], node)) else { break };
            done[at] = true;
            if at == sink {
                break;
            }
            let neighbours = if at < nodes { nodes..2 * nodes } else { 0..nodes };
            let sink_too = (at >= nodes).then_some(sink);
            for to in neighbours.chain(sink_too) {
                if done[to] {
                    continue;
                }
                let cost = self.arc(at, to);
                if cost < INFINITE {
                    let reached = distance[at] + cost + self.potential[at] - self.potential[to];
                    if reached < distance[to] {
                        (distance[to], before[to]) = (reached, Some(at));
                    }
                }
            }
        }
        if distance[sink] == INFINITE {
            return None;
        }
        // Nodes beyond the sink may keep its distance: no path gets shorter by them.
        for (potential, reached) in self.potential.iter_mut().zip(&distance) {
            *potential += (*reached).min(distance[sink]);
        }
        // A unit that takes wanted ones away is none that a bound asks for.
        if self.potential[sink] > 3 * UNWANTED + self.heaviest {
            return None;
        }
        self.flip(&before, sink);
        Some(())
    }

    fn flip(&mut self, before: &[Option<usize>], sink: usize) {
        let nodes = self.problem.nodes;
        let mut to = sink;
        while let Some(from) = before[to] {
            if to == sink {
                self.column_flow[from - nodes] += 1;
            } else if from < nodes {
                self.chosen[from * nodes + to - nodes] = true;
            } else {
                self.chosen[to * nodes + from - nodes] = false;
            }
            to = from;
        }
        self.row_flow[to] += 1;
    }
}
