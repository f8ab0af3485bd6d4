//! How many circuits a period has between each ordered pair of nodes: the emulated multigraph.

use crate::matching::Matching;

/// Circuits of each ordered pair, idle ones (from a node to itself) included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuits {
    nodes: usize,
    counts: Vec<u32>,
}

impl Circuits {
    /// No circuit.
    pub fn none(nodes: usize) -> Self {
        Self { nodes, counts: vec![0; nodes * nodes] }
    }

    /// The same number of every ordered pair; also of a node to itself if `self_loops`.
    pub fn complete(nodes: usize, copies: u32, self_loops: bool) -> Self {
        let mut all = Self { nodes, counts: vec![copies; nodes * nodes] };
        if !self_loops {
            (0..nodes).for_each(|node| *all.at(node, node) = 0);
        }
        all
    }

    /// The union of matchings.
    pub fn union<'a>(nodes: usize, matchings: impl IntoIterator<Item = &'a Matching>) -> Self {
        let mut union = Self::none(nodes);
        for matching in matchings {
            matching.all().for_each(|(from, to)| *union.at(from, to) += 1);
        }
        union
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Circuits from one node to another.
    pub fn count(&self, from: usize, to: usize) -> u32 {
        self.counts[from * self.nodes + to]
    }

    /// The same, to be changed.
    pub fn at(&mut self, from: usize, to: usize) -> &mut u32 {
        &mut self.counts[from * self.nodes + to]
    }

    /// Circuits from one node to each.
    pub fn row(&self, from: usize) -> &[u32] {
        &self.counts[from * self.nodes..][..self.nodes]
    }

    /// Circuits that leave each node.
    pub fn out_degrees(&self) -> Vec<u32> {
        (0..self.nodes).map(|from| self.row(from).iter().sum()).collect()
    }

    /// Circuits that reach each node.
    pub fn in_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.nodes];
        for from in 0..self.nodes {
            degrees.iter_mut().zip(self.row(from)).for_each(|(degree, count)| *degree += count);
        }
        degrees
    }

    /// The number of circuits that leave, and that reach, every node; `None` if it is not the same.
    pub fn degree(&self) -> Option<u32> {
        let degrees = self.out_degrees();
        let first = *degrees.first()?;
        let all = degrees.iter().chain(&self.in_degrees()).all(|&degree| degree == first);
        all.then_some(first)
    }

    /// Capacity of each pair as a share of a node's, `scale` a circuit; nothing to itself.
    pub fn capacity(&self, scale: f64) -> Capacity {
        let shares = self.counts.iter().map(|&count| f64::from(count) * scale).collect();
        let mut capacity = Capacity { nodes: self.nodes, shares };
        capacity.clear_diagonal();
        capacity
    }
}

/// Mean capacity of each ordered pair as a share of a node's capacity; none from a node to itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    nodes: usize,
    shares: Vec<f64>,
}

impl Capacity {
    /// No capacity.
    pub fn none(nodes: usize) -> Self {
        Self { nodes, shares: vec![0.0; nodes * nodes] }
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The share of a pair.
    pub fn share(&self, from: usize, to: usize) -> f64 {
        self.shares[from * self.nodes + to]
    }

    /// The share of a pair by its number, `from` times the nodes and `to`.
    pub fn pair(&self, pair: usize) -> f64 {
        self.shares[pair]
    }

    /// Adds to a pair; nothing to the diagonal.
    pub fn add(&mut self, from: usize, to: usize, share: f64) {
        if from != to {
            self.shares[from * self.nodes + to] += share;
        }
    }

    fn clear_diagonal(&mut self) {
        (0..self.nodes).for_each(|node| self.shares[node * self.nodes + node] = 0.0);
    }

    /// Hops from `from` to every node over pairs that have capacity; `None` where there is no path.
    pub fn hops(&self, from: usize) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.nodes];
        hops[from] = Some(0);
        let (mut ring, mut distance) = (vec![from], 0);
        while !ring.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for &at in &ring {
                for (to, reached) in hops.iter_mut().enumerate() {
                    if reached.is_none() && self.share(at, to) > 0.0 {
                        *reached = Some(distance);
                        next.push(to);
                    }
                }
            }
            ring = next;
        }
        hops
    }

    /// The most hops of any pair; `None` if some pair has no path.
    pub fn diameter(&self) -> Option<u32> {
        let all = (0..self.nodes).flat_map(|from| self.hops(from));
        all.collect::<Option<Vec<u32>>>()?.into_iter().max()
    }

    /// Mean hops over the pairs of different nodes, and over all ordered pairs with a node itself
    /// at distance 0; `None` if some pair has no path.
    pub fn mean_hops(&self) -> Option<(f64, f64)> {
        let all = (0..self.nodes).flat_map(|from| self.hops(from));
        let total: u32 = all.collect::<Option<Vec<u32>>>()?.into_iter().sum();
        let nodes = self.nodes as f64;
        Some((f64::from(total) / (nodes * (nodes - 1.0)), f64::from(total) / (nodes * nodes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_of_matchings_is_regular() {
        let shifts: Vec<Matching> = (0..4).map(|by| Matching::shift(4, by)).collect();
        let union = Circuits::union(4, &shifts);
        assert_eq!(union, Circuits::complete(4, 1, true));
        assert_eq!(union.degree(), Some(4));
        assert_eq!(Circuits::union(4, &shifts[..1]).capacity(1.0), Capacity::none(4));
    }

    #[test]
    fn hops_are_counted_along_circuits() {
        let ring = Circuits::union(5, [&Matching::shift(5, 1)]).capacity(1.0);
        assert_eq!(ring.hops(3), [Some(2), Some(3), Some(4), Some(0), Some(1)]);
        assert_eq!(ring.diameter(), Some(4));
        assert_eq!(ring.mean_hops(), Some((2.5, 2.0)));
        assert_eq!(Capacity::none(2).diameter(), None);
    }
}
