//! Halving a multigraph whose nodes all have an even degree.

use super::Edge;

/// Two multigraphs of half the degree each. Half of an edge's copies goes to either; an odd copy
/// that is left goes to the first if an Euler circuit passes it from sender to receiver, and to the
/// second if it passes it backwards.
pub(super) fn split(nodes: usize, edges: &[Edge]) -> (Vec<Edge>, Vec<Edge>) {
    let odd: Vec<usize> = (0..edges.len()).filter(|&at| edges[at].count % 2 == 1).collect();
    let forward = orient(nodes, edges, &odd);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    first.reserve(edges.len());
    second.reserve(edges.len());
    let mut next = odd.iter().zip(&forward).peekable();
    for (at, edge) in edges.iter().enumerate() {
        let half = edge.count / 2;
        let extra = next.next_if(|(odd, _)| **odd == at).map(|(_, forward)| *forward);
        let counts =
            [half + u32::from(extra == Some(true)), half + u32::from(extra == Some(false))];
        for (count, part) in counts.into_iter().zip([&mut first, &mut second]) {
            if count > 0 {
                part.push(Edge { count, ..*edge });
            }
        }
    }
    (first, second)
}

/// Whether an Euler circuit of these edges passes each from sender to receiver.
fn orient(nodes: usize, edges: &[Edge], odd: &[usize]) -> Vec<bool> {
    let senders = Adjacency::new(nodes, odd.iter().map(|&at| edges[at].from));
    let receivers = Adjacency::new(nodes, odd.iter().map(|&at| edges[at].to));
    let mut sides = [senders, receivers];
    let mut passed = vec![false; odd.len()];
    let mut forward = vec![false; odd.len()];
    for start in 0..nodes {
        // All degrees are even, so a walk gets stuck only where it began.
        while let Some(mut at) = sides[0].take(start, &passed) {
            loop {
                passed[at] = true;
                forward[at] = true;
                let receiver = usize::from(edges[odd[at]].to);
                let Some(back) = sides[1].take(receiver, &passed) else { break };
                passed[back] = true;
                let sender = usize::from(edges[odd[back]].from);
                let Some(next) = sides[0].take(sender, &passed) else { break };
                at = next;
            }
        }
    }
    forward
}

/// The edges of each node of one side.
struct Adjacency {
    /// Where the next edge of a node is looked for, and where the next node's begin.
    next: Vec<u32>,
    end: Vec<u32>,
    edges: Vec<u32>,
}

impl Adjacency {
    fn new(nodes: usize, ends: impl Iterator<Item = u16> + Clone) -> Self {
        let mut end = vec![0_u32; nodes + 1];
        ends.clone().for_each(|node| end[usize::from(node) + 1] += 1);
        for node in 0..nodes {
            end[node + 1] += end[node];
        }
        let mut next: Vec<u32> = end[..nodes].to_vec();
        let mut edges = vec![0; end[nodes] as usize];
        for (edge, node) in (0..).zip(ends) {
            let place = &mut next[usize::from(node)];
            edges[*place as usize] = edge;
            *place += 1;
        }
        next.copy_from_slice(&end[..nodes]);
        end.remove(0);
        Self { next, end, edges }
    }

    /// An edge of the node that has not been passed.
    fn take(&mut self, node: usize, passed: &[bool]) -> Option<usize> {
        while self.next[node] < self.end[node] {
            let edge = self.edges[self.next[node] as usize] as usize;
            self.next[node] += 1;
            if !passed[edge] {
                return Some(edge);
            }
        }
        None
    }
}
