//! Which node each node sends to through one switch: a permutation whose fixed points are idle.

use std::fmt;

/// The most nodes of a fabric: node numbers are 16 bits, and matrices are dense.
pub const NODES_MAX: usize = 4096;

/// A permutation of the nodes; node `i` sends to `target(i)`, and is idle where that is itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Matching(Vec<u16>);

/// Why a list of targets is no matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchingError {
    /// Node `node` sends to `target`, and there are only `nodes` nodes.
    Outside {
        /// The sender.
        node: usize,
        /// Its target.
        target: usize,
        /// Nodes of the fabric.
        nodes: usize,
    },
    /// Two nodes send to the same one.
    Taken {
        /// The later sender.
        node: usize,
        /// The target of both.
        target: usize,
    },
}

impl fmt::Display for MatchingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { node, target, nodes } => {
                write!(f, "node {node} sends to node {target}, and there are {nodes} nodes")
            }
            Self::Taken { node, target } => {
                write!(f, "node {node} sends to node {target}, which another node sends to")
            }
        }
    }
}

impl std::error::Error for MatchingError {}

impl Matching {
    /// A matching of these targets, one for each node.
    ///
    /// # Errors
    /// [`MatchingError`] if they are no permutation.
    pub fn new(targets: Vec<u16>) -> Result<Self, MatchingError> {
        let nodes = targets.len();
        let mut taken = vec![false; nodes];
        for (node, &target) in targets.iter().enumerate() {
            let target = usize::from(target);
            let Some(taken) = taken.get_mut(target) else {
                return Err(MatchingError::Outside { node, target, nodes });
            };
            if std::mem::replace(taken, true) {
                return Err(MatchingError::Taken { node, target });
            }
        }
        Ok(Self(targets))
    }

    /// A matching of targets that are a permutation by construction: tests find it where they are not.
    pub fn of(targets: Vec<u16>) -> Self {
        debug_assert!(Self::new(targets.clone()).is_ok(), "{targets:?}");
        Self(targets)
    }

    /// Every node is idle.
    pub fn idle(nodes: usize) -> Self {
        Self::shift(nodes, 0)
    }

    /// Node `i` sends to `i + by`, around.
    pub fn shift(nodes: usize, by: usize) -> Self {
        Self::of((0..nodes).map(|node| ((node + by) % nodes) as u16).collect())
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.0.len()
    }

    /// Where `node` sends; itself if it is idle.
    pub fn target(&self, node: usize) -> usize {
        usize::from(self.0[node])
    }

    /// Senders and targets, the idle ones left out.
    pub fn circuits(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.all().filter(|(node, target)| node != target)
    }

    /// Senders and targets of all nodes.
    pub fn all(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().enumerate().map(|(node, &target)| (node, usize::from(target)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_no_permutation_is_refused_with_its_node() {
        assert!(Matching::new(vec![1, 2, 0]).is_ok());
        let outside = Matching::new(vec![1, 3, 0]).unwrap_err();
        assert_eq!(outside.to_string(), "node 1 sends to node 3, and there are 3 nodes");
        let taken = Matching::new(vec![1, 1, 0]).unwrap_err();
        assert_eq!(taken.to_string(), "node 1 sends to node 1, which another node sends to");
    }

    #[test]
    fn fixed_points_are_idle() {
        assert_eq!(Matching::idle(3).circuits().count(), 0);
        assert_eq!(Matching::shift(3, 1).circuits().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 0)]);
    }
}
