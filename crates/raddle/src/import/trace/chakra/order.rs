//! The edges of a rank, and its nodes in an order that they allow.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Edges of one kind between the nodes of a rank.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// What nodes wait for, by their places, those of one node next to each other.
    after: Vec<u32>,
    /// Where those of each end.
    ends: Vec<u32>,
    /// Edges in the file.
    pub(super) all: u64,
    /// Edges to ids that the file lacks.
    pub(super) dangling: u64,
    /// Edges of a node to itself.
    pub(super) own: u64,
    /// Edges to a node with a higher id.
    pub(super) forward: u64,
}

impl Edges {
    /// Of each node the ids that it names; `place` has the nodes in the order of their ids.
    pub(super) fn new<'a>(
        named: impl Iterator<Item = &'a [u64]>,
        place: &BTreeMap<u64, u32>,
    ) -> Self {
        let mut edges = Self::default();
        for (node, ids) in (0..).zip(named) {
            for id in ids {
                edges.all += 1;
                match place.get(id) {
                    None => edges.dangling += 1,
                    Some(&on) if on == node => edges.own += 1,
                    Some(&on) => {
                        edges.forward += u64::from(on > node);
                        edges.after.push(on);
                    }
                }
            }
            edges.ends.push(edges.after.len() as u32);
        }
        edges
    }

    /// What a node waits for.
    pub(super) fn after(&self, node: u32) -> &[u32] {
        let from = node.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.after[from as usize..self.ends[node as usize] as usize]
    }

    /// Nodes that wait for nothing.
    pub(super) fn roots(&self) -> u64 {
        (0..self.ends.len() as u32).filter(|node| self.after(*node).is_empty()).count() as u64
    }
}

/// The nodes, each after what it waits for, of those that could be next the one with the lowest id
/// first.
///
/// # Errors
/// Nodes that wait for each other in a circle.
pub(super) fn sorted(nodes: usize, edges: &[&Edges]) -> Result<Vec<u32>, Vec<u32>> {
    let mut left = vec![0_u32; nodes];
    let mut followers: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for node in 0..nodes as u32 {
        for &on in edges.iter().flat_map(|edges| edges.after(node)) {
            left[node as usize] += 1;
            followers[on as usize].push(node);
        }
    }
    let free = (0..nodes as u32).filter(|node| left[*node as usize] == 0);
    let mut ready: BinaryHeap<Reverse<u32>> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes);
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for &next in &followers[node as usize] {
            left[next as usize] -= 1;
            if left[next as usize] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    let Some(mut node) = (0..nodes as u32).find(|node| left[*node as usize] > 0) else {
        return Ok(order);
    };
    // Back, each time to one that waits, until one comes again.
    let mut way = Vec::new();
    let mut place_on_way = vec![None; nodes];
    loop {
        if let Some(from) = place_on_way[node as usize] {
            let mut circle = way.split_off(from);
            circle.reverse();
            return Err(circle);
        }
        place_on_way[node as usize] = Some(way.len());
        way.push(node);
        let waits = |on: &&u32| left[**on as usize] > 0;
        let before = edges.iter().flat_map(|edges| edges.after(node)).find(waits);
        match before {
            Some(&before) => node = before,
            None => return Err(way),
        }
    }
}

/// The longest path by these edges, by what each node takes; `None` where they have a circle.
pub(super) fn longest(takes: &[u64], edges: &Edges) -> Option<u64> {
    let order = sorted(takes.len(), &[edges]).ok()?;
    let mut ends = vec![0_u64; takes.len()];
    for node in order {
        let begin = edges.after(node).iter().map(|on| ends[*on as usize]).max().unwrap_or(0);
        ends[node as usize] = begin.saturating_add(takes[node as usize]);
    }
    Some(ends.into_iter().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(named: &[&[u64]]) -> Edges {
        let place = (0..named.len() as u64).zip(0..).collect();
        Edges::new(named.iter().copied(), &place)
    }

    #[test]
    fn edges_that_lead_nowhere_are_counted() {
        let edges = edges(&[&[0, 9, 2], &[0], &[]]);
        assert_eq!((edges.all, edges.dangling, edges.own, edges.forward), (4, 1, 1, 1));
        assert_eq!(edges.roots(), 1);
        assert_eq!(sorted(3, &[&edges]), Ok(vec![2, 0, 1]));
        assert_eq!(longest(&[1, 10, 100], &edges), Some(111));
    }

    #[test]
    fn a_circle_is_listed() {
        let edges = edges(&[&[], &[0, 3], &[1], &[2], &[3]]);
        assert_eq!(sorted(5, &[&edges]), Err(vec![2, 3, 1]));
        assert_eq!(longest(&[1; 5], &edges), None);
    }
}
