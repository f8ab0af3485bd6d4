//! AllReduce by binary trees.

use super::compute::ComputeTimes;
use super::volume::Volume;
use super::{check_sends, job};
use crate::workload::graph::{Graph, Send, StepId};
use crate::workload::job::{Collective, Operation};
use crate::workload::{Traffic, WorkloadError};
use raddle_schemes::ids::HostId;

/// Chunk by chunk, sums go up a tree to its root and come down again.
///
/// The tree is binary and its nodes are in order: all ranks to the left of a node have lower numbers,
/// and every second rank is a leaf. Of two trees each carries half of the data; in the second one,
/// the first mirrored for an even number of ranks and shifted by one for an odd number, the leaves
/// of the first are inner nodes, so that no rank has to send more than twice what it has (Sanders,
/// Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
/// Computing 2009; NCCL's double binary trees).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// As many parts as chunks of all trees.
    pub volume: Volume,
    /// One or two.
    pub trees: u32,
    /// Into how many chunks the data of a tree is cut.
    pub chunks: u32,
    /// How many chunks go from one rank to the next at a time; the last ACK of each lets another one
    /// go.
    pub in_flight: u32,
}

impl Tree {
    /// Whether so many ranks can do it.
    ///
    /// # Errors
    /// Those of [`Tree::generate`].
    pub fn check(&self, ranks: u32) -> Result<(), WorkloadError> {
        for (quantity, value) in [("chunks", self.chunks), ("in_flight", self.in_flight)] {
            if value == 0 {
                return Err(WorkloadError::new(quantity, value, "at least 1"));
            }
        }
        if !(1..=2).contains(&self.trees) {
            return Err(WorkloadError::new("trees", self.trees, "1 or 2"));
        }
        if ranks < 2 {
            return Err(WorkloadError::new("ranks", ranks, "at least 2"));
        }
        let rounds = 2 * u64::from(self.trees) * u64::from(self.chunks);
        check_sends("chunks", self.chunks.into(), rounds.saturating_mul(u64::from(ranks - 1)))?;
        self.volume.check(self.trees * self.chunks)
    }

    /// The traffic among these ranks, flows in the order of chunks, trees, and then of levels, up and
    /// down. Each chunk is two steps of a rank, up and down, before which it computes; a rank
    /// computes for several chunks side by side.
    ///
    /// # Errors
    /// An empty part, fewer than 2 ranks, no chunks, none in flight, or too many messages.
    pub fn generate(
        &self,
        ranks: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        let n = ranks.len() as u32;
        self.check(n)?;
        let parts = self.trees * self.chunks;
        let mut shapes = vec![Shape::in_order(n)];
        if self.trees > 1 {
            shapes.push(shapes[0].second());
        }
        let mut graph = Graph::default();
        let mut edges: Vec<Edges> = shapes.iter().map(|_| Edges::new(n)).collect();
        for chunk in 0..self.chunks {
            for (tree, (shape, edges)) in (0..).zip(shapes.iter().zip(&mut edges)) {
                let bytes = self.volume.part(tree * self.chunks + chunk, parts);
                let mut send = |from: u32, to: u32, step: u32, after: &[StepId]| {
                    let (source, destination) = (ranks[from as usize], ranks[to as usize]);
                    let work = compute.before(source, step);
                    graph.work_and_send(Send { source, destination, bytes, work }, after)
                };
                let earlier = chunk.checked_sub(self.in_flight);
                let room = |edge: &[StepId]| earlier.map(|earlier| edge[earlier as usize]);
                let mut sums: Vec<Vec<StepId>> = vec![Vec::new(); ranks.len()];
                for &(rank, parent) in shape.links.iter().rev() {
                    let mut after = std::mem::take(&mut sums[rank as usize]);
                    after.extend(room(&edges.up[rank as usize]));
                    let step = send(rank, parent, 2 * chunk, &after);
                    edges.up[rank as usize].push(step);
                    sums[parent as usize].push(step);
                }
                for &(rank, parent) in &shape.links {
                    // The root has its sum from below, others theirs from above.
                    let mut after = match edges.down[parent as usize].last() {
                        Some(&came) => vec![came],
                        None => sums[parent as usize].clone(),
                    };
                    after.extend(room(&edges.down[rank as usize]));
                    let step = send(parent, rank, 2 * chunk + 1, &after);
                    edges.down[rank as usize].push(step);
                }
            }
        }
        let operation = Operation::AllReduce;
        let collective = Collective { operation, ranks: n, bytes: self.volume.all(parts) };
        Ok(job(&graph, Some(collective), Vec::new()))
    }
}

/// Of each rank the sends so far between it and the one above it.
struct Edges {
    up: Vec<Vec<StepId>>,
    down: Vec<Vec<StepId>>,
}

impl Edges {
    fn new(ranks: u32) -> Self {
        let none = || vec![Vec::new(); ranks as usize];
        Self { up: none(), down: none() }
    }
}

/// A tree: all ranks but the root, each with the one above it, from the top down.
pub(crate) struct Shape {
    pub(crate) links: Vec<(u32, u32)>,
    ranks: u32,
}

impl Shape {
    /// A binary tree in order, all levels but the last full: below each node the left half is as
    /// large as a full tree can be.
    pub(crate) fn in_order(ranks: u32) -> Self {
        let mut links = Vec::new();
        // First rank, number of ranks, and what is above, from the top down.
        let mut level = vec![(0, ranks, None)];
        while !level.is_empty() {
            let mut below = Vec::new();
            for (first, count, above) in level {
                let left = (1 << u32::ilog2(count)) - 1;
                let root = first + left;
                links.extend(above.map(|above| (root, above)));
                let halves = [(first, left), (root + 1, count - left - 1)];
                let halves = halves.into_iter().filter(|(_, count)| *count > 0);
                below.extend(halves.map(|(first, count)| (first, count, Some(root))));
            }
            level = below;
        }
        Self { links, ranks }
    }

    /// The tree whose inner nodes are leaves here.
    pub(crate) fn second(&self) -> Self {
        let n = self.ranks;
        let rank = |role: u32| if n.is_multiple_of(2) { n - 1 - role } else { (role + n - 1) % n };
        let links = self.links.iter().map(|&(own, above)| (rank(own), rank(above))).collect();
        Self { links, ranks: n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;
    use raddle_schemes::units::Bytes;

    fn tree(ranks: u32, trees: u32, chunks: u32, in_flight: u32) -> Traffic {
        let hosts: Vec<HostId> = (0..ranks).map(HostId).collect();
        let tree = Tree { volume: Volume::Message(Bytes(9)), trees, chunks, in_flight };
        tree.generate(&hosts, &ComputeTimes::default()).unwrap()
    }

    #[test]
    fn a_tree_of_seven_is_full_and_in_order() {
        let mut links = Shape::in_order(7).links;
        assert_eq!(links, [(1, 3), (5, 3), (0, 1), (2, 1), (4, 5), (6, 5)]);
        links = Shape::in_order(6).links;
        assert_eq!(links, [(1, 3), (5, 3), (0, 1), (2, 1), (4, 5)]);
    }

    #[test]
    fn every_rank_hangs_below_the_root_and_is_a_leaf_of_one_tree_at_least() {
        for n in 2..70 {
            let first = Shape::in_order(n);
            let second = first.second();
            let inner = |shape: &Shape, rank| shape.links.iter().filter(|l| l.1 == rank).count();
            for shape in [&first, &second] {
                let mut hung: Vec<u32> = shape.links.iter().map(|link| link.0).collect();
                let known = |above: u32, at: usize| at == 0 || hung[..at].contains(&above);
                let root = shape.links[0].1;
                assert!(
                    shape.links.iter().enumerate().all(|(at, l)| l.1 == root || known(l.1, at))
                );
                assert!((0..n).all(|rank| inner(shape, rank) <= 2));
                hung.push(root);
                hung.sort_unstable();
                assert_eq!(hung, Vec::from_iter(0..n));
            }
            assert!(
                (0..n).all(|rank| inner(&first, rank) == 0 || inner(&second, rank) == 0),
                "{n}"
            );
        }
    }

    #[test]
    fn sums_go_up_and_down_again_chunk_by_chunk() {
        let traffic = tree(3, 1, 2, 1);
        let ends: Vec<_> = traffic.flows.iter().map(|f| (f.source.0, f.destination.0)).collect();
        let chunk = [(2, 1), (0, 1), (1, 0), (1, 2)];
        assert_eq!(ends, [chunk, chunk].concat());
        assert_eq!(traffic.jobs[0].collective.unwrap().bytes, Bytes(18));
        // Without a limit the leaves send all at once.
        let first = |traffic: &Traffic| {
            let at_zero =
                |flow: &&crate::workload::Flow| matches!(flow.start, crate::workload::Start::At(_));
            traffic.flows.iter().filter(at_zero).count()
        };
        assert_eq!((first(&traffic), first(&tree(3, 1, 2, 2))), (2, 4));
        assert_eq!(groups(&traffic, 3), [0, 1, 2]);
        let doubled = tree(6, 2, 3, 2);
        assert_eq!(doubled.flows.len(), 2 * 2 * 3 * 5);
        assert_eq!(doubled.jobs[0].collective.unwrap().bytes, Bytes(2 * 3 * 9));
    }
}
