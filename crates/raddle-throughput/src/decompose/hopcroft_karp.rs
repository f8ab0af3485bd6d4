//! A perfect matching of a bipartite graph (Hopcroft and Karp 1973).

use super::Edge;

const FREE: u32 = u32::MAX;

struct Search<'a> {
    edges: &'a [Edge],
    /// Where each sender's edges begin; they are sorted by sender.
    begin: Vec<usize>,
    /// The edge that each sender, and each receiver, is matched by.
    by_sender: Vec<u32>,
    by_receiver: Vec<u32>,
    /// A sender's layer in the search for shortest augmenting paths.
    layer: Vec<u32>,
    /// The edge of each sender that is tried next.
    next: Vec<usize>,
}

/// The place in `edges` of each sender's edge in a perfect matching; `None` if there is none, which
/// cannot be in a regular multigraph. The edges are sorted by sender.
pub(crate) fn perfect_matching(nodes: usize, edges: &[Edge]) -> Option<Vec<usize>> {
    let mut begin = vec![0; nodes + 1];
    edges.iter().for_each(|edge| begin[usize::from(edge.from) + 1] += 1);
    for node in 0..nodes {
        begin[node + 1] += begin[node];
    }
    let mut search = Search {
        edges,
        begin,
        by_sender: vec![FREE; nodes],
        by_receiver: vec![FREE; nodes],
        layer: vec![FREE; nodes],
        next: vec![0; nodes],
    };
    search.greedy();
    while search.layers() {
        search.next.copy_from_slice(&search.begin[..nodes]);
        for sender in 0..nodes {
            if search.by_sender[sender] == FREE {
                search.augment(sender);
            }
        }
    }
    search.by_sender.iter().map(|&edge| (edge != FREE).then_some(edge as usize)).collect()
}

impl Search<'_> {
    /// Each sender takes its edge of most copies whose receiver is free.
    fn greedy(&mut self) {
        for sender in 0..self.by_sender.len() {
            let own = self.begin[sender]..self.begin[sender + 1];
            let free = own.filter(|&at| self.by_receiver[usize::from(self.edges[at].to)] == FREE);
            if let Some(best) = free.max_by_key(|&at| self.edges[at].count) {
                self.take(sender, best);
            }
        }
    }

    fn take(&mut self, sender: usize, edge: usize) {
        self.by_sender[sender] = edge as u32;
        self.by_receiver[usize::from(self.edges[edge].to)] = edge as u32;
    }

    fn owner(&self, receiver: usize) -> Option<usize> {
        let edge = self.by_receiver[receiver];
        (edge != FREE).then(|| usize::from(self.edges[edge as usize].from))
    }

    /// Layers of senders from the unmatched ones on; whether a free receiver is reached.
    fn layers(&mut self) -> bool {
        let unmatched = |sender: &usize| self.by_sender[*sender] == FREE;
        let mut queue: Vec<usize> = (0..self.by_sender.len()).filter(unmatched).collect();
        self.layer.fill(FREE);
        queue.iter().for_each(|&sender| self.layer[sender] = 0);
        let (mut found, mut at) = (false, 0);
        while at < queue.len() {
            let sender = queue[at];
            at += 1;
            for edge in &self.edges[self.begin[sender]..self.begin[sender + 1]] {
                match self.owner(usize::from(edge.to)) {
                    None => found = true,
                    Some(owner) if self.layer[owner] == FREE => {
                        self.layer[owner] = self.layer[sender] + 1;
                        queue.push(owner);
                    }
                    Some(_) => {}
                }
            }
        }
        found
    }

    /// Follows layers to a free receiver and flips the path; whether there is one.
    fn augment(&mut self, root: usize) -> bool {
        let mut path = vec![root];
        while let Some(&sender) = path.last() {
            let at = self.next[sender];
            if at == self.begin[sender + 1] {
                path.pop();
                continue;
            }
            match self.owner(usize::from(self.edges[at].to)) {
                None => {
                    for &sender in &path {
                        self.take(sender, self.next[sender]);
                    }
                    // No sender of the path is looked at again in this phase.
                    path.iter().for_each(|&sender| self.next[sender] = self.begin[sender + 1]);
                    return true;
                }
                Some(owner) if self.layer[owner] == self.layer[sender] + 1 => {
                    if self.next[owner] < self.begin[owner + 1] {
                        path.push(owner);
                    } else {
                        self.next[sender] += 1;
                    }
                }
                Some(_) => self.next[sender] += 1,
            }
        }
        false
    }
}
