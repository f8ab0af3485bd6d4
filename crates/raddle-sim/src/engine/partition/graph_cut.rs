//! A balanced cut of an arbitrary graph: parts of about equal weight with few edges between them.
//!
//! Seeds as far from each other as possible; regions grown around them breadth first, the lightest
//! next; then passes in the manner of Fiduccia and Mattheyses (1982) that move vertices one by one
//! where that cuts fewer edges or balances better. No search for the best cut: a run is correct
//! with any. The same graph always gives the same parts.

use std::collections::VecDeque;

/// An undirected graph with weights.
pub(in crate::engine) struct Graph {
    pub(in crate::engine) weights: Vec<u64>,
    /// Per vertex, its neighbours in ascending order with the number of edges to each.
    pub(in crate::engine) edges: Vec<Vec<(u32, u32)>>,
}

/// Most passes of the refinement; a few are enough.
const PASSES: usize = 8;

/// The part of each vertex: `parts` parts, at most one per vertex, none of them empty.
pub(in crate::engine) fn cut(graph: &Graph, parts: usize) -> Vec<u32> {
    let parts = parts.clamp(1, graph.weights.len().max(1));
    let mut part_of = grow(graph, parts);
    refine(graph, parts, &mut part_of);
    part_of
}

/// Hops from the nearest of `sources`; `u32::MAX` where no path leads.
fn distances(graph: &Graph, sources: &[u32]) -> Vec<u32> {
    let mut distance = vec![u32::MAX; graph.weights.len()];
    let mut queue: VecDeque<u32> = sources.iter().copied().collect();
    sources.iter().for_each(|&source| distance[source as usize] = 0);
    while let Some(at) = queue.pop_front() {
        for &(next, _) in &graph.edges[at as usize] {
            if distance[next as usize] == u32::MAX {
                distance[next as usize] = distance[at as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    distance
}

/// Vertices far from each other: the first as far as can be from vertex 0, each further one from
/// those before it.
fn seeds(graph: &Graph, parts: usize) -> Vec<u32> {
    let farthest = |distance: &[u32]| {
        let last = (0..distance.len()).max_by_key(|&v| (distance[v], usize::MAX - v));
        last.unwrap_or(0) as u32
    };
    let mut seeds = vec![farthest(&distances(graph, &[0]))];
    while seeds.len() < parts {
        seeds.push(farthest(&distances(graph, &seeds)));
    }
    seeds
}

fn grow(graph: &Graph, parts: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut part_of = vec![NONE; graph.weights.len()];
    let mut weights = vec![0; parts];
    let mut frontiers: Vec<VecDeque<u32>> = vec![VecDeque::new(); parts];
    let seeds = seeds(graph, parts);
    let mut rest = (0..graph.weights.len() as u32).filter(|v| !seeds.contains(v)).peekable();
    let mut waiting: VecDeque<(usize, u32)> = seeds.iter().copied().enumerate().collect();
    loop {
        let next = waiting.pop_front().or_else(|| {
            // The lightest part that has a free neighbour takes it.
            let mut order: Vec<usize> = (0..parts).collect();
            order.sort_by_key(|&part| weights[part]);
            let step = order.iter().find_map(|&part| {
                let frontier = &mut frontiers[part];
                let free = std::iter::from_fn(|| frontier.pop_front());
                let mut free = free.skip_while(|&v| part_of[v as usize] != NONE);
                free.next().map(|v| (part, v))
            });
            // What no path leads to goes to the lightest.
            step.or_else(|| {
                let lone = rest.find(|&v| part_of[v as usize] == NONE)?;
                Some((order[0], lone))
            })
        });
        let Some((part, vertex)) = next else { return part_of };
        part_of[vertex as usize] = part as u32;
        weights[part] += graph.weights[vertex as usize];
        frontiers[part].extend(graph.edges[vertex as usize].iter().map(|&(next, _)| next));
    }
}

fn refine(graph: &Graph, parts: usize, part_of: &mut [u32]) {
    let total: u64 = graph.weights.iter().sum();
    let share = total.div_ceil(parts as u64);
    let most = share + share / 20;
    let mut weights = vec![0; parts];
    let mut sizes = vec![0u32; parts];
    for (vertex, &part) in part_of.iter().enumerate() {
        weights[part as usize] += graph.weights[vertex];
        sizes[part as usize] += 1;
    }
    // Edges from the vertex at hand into each part.
    let mut into = vec![0u32; parts];
    for _ in 0..PASSES {
        let mut moved = false;
        for vertex in 0..part_of.len() {
            let here = part_of[vertex] as usize;
            if sizes[here] == 1 {
                continue;
            }
            into.fill(0);
            for &(next, edges) in &graph.edges[vertex] {
                into[part_of[next as usize] as usize] += edges;
            }
            let weight = graph.weights[vertex];
            let overweight = weights[here] > most;
            let better = |part: usize| weights[part] + weight < weights[here];
            let fits = |part: usize| {
                let light = weights[part] + weight <= most || (overweight && better(part));
                part != here && into[part] > 0 && light
            };
            let key = |&part: &usize| (into[part], u64::MAX - weights[part], parts - part);
            let Some(there) = (0..parts).filter(|&part| fits(part)).max_by_key(key) else {
                continue;
            };
            let fewer = into[there] > into[here];
            let even = into[there] == into[here] && better(there);
            if fewer || even || (overweight && better(there)) {
                part_of[vertex] = there as u32;
                weights[here] -= weight;
                weights[there] += weight;
                sizes[here] -= 1;
                sizes[there] += 1;
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(weights: &[u64], edges: &[(u32, u32)]) -> Graph {
        let mut lists = vec![Vec::new(); weights.len()];
        for &(a, b) in edges {
            lists[a as usize].push((b, 1));
            lists[b as usize].push((a, 1));
        }
        lists.iter_mut().for_each(|list| list.sort_unstable());
        Graph { weights: weights.to_vec(), edges: lists }
    }

    /// Edges between parts, and the weight of each part.
    fn measure(graph: &Graph, part_of: &[u32], parts: usize) -> (u32, Vec<u64>) {
        let mut between = 0;
        let mut weights = vec![0; parts];
        for (vertex, &part) in part_of.iter().enumerate() {
            weights[part as usize] += graph.weights[vertex];
            let others = graph.edges[vertex].iter().filter(|(v, _)| part_of[*v as usize] != part);
            between += others.map(|(_, edges)| edges).sum::<u32>();
        }
        (between / 2, weights)
    }

    #[test]
    fn a_chain_is_cut_into_runs() {
        let edges: Vec<(u32, u32)> = (1..16).map(|v| (v - 1, v)).collect();
        let graph = graph(&[1; 16], &edges);
        for (parts, most) in [(2, 8), (4, 5)] {
            let (between, weights) = measure(&graph, &cut(&graph, parts), parts);
            assert_eq!(between, parts as u32 - 1, "{parts}");
            assert!(weights.iter().all(|&weight| weight <= most), "{weights:?}");
        }
    }

    #[test]
    fn two_cliques_are_cut_where_they_meet() {
        let mut edges = vec![(2, 7)];
        for base in [0, 6] {
            edges.extend((0..6).flat_map(|a| (0..a).map(move |b| (base + b, base + a))));
        }
        let graph = graph(&[1; 12], &edges);
        let (between, weights) = measure(&graph, &cut(&graph, 2), 2);
        assert_eq!((between, weights), (1, vec![6, 6]));
    }

    #[test]
    fn a_torus_is_cut_into_regions_of_nearly_equal_weight() {
        let at = |x: u32, y: u32| (y % 12) * 12 + x % 12;
        let edges: Vec<(u32, u32)> = (0..144)
            .map(|v| (v % 12, v / 12))
            .flat_map(|(x, y)| [(at(x, y), at(x + 1, y)), (at(x, y), at(x, y + 1))])
            .collect();
        let graph = graph(&[3; 144], &edges);
        for parts in [2, 4, 8] {
            let (between, weights) = measure(&graph, &cut(&graph, parts), parts);
            // All 288 edges less those inside; squares of equal size would cut 24, 48 and 72.
            assert!(between <= 24 * parts as u32, "{parts} parts: {between} edges");
            let share = 3 * 144 / parts as u64;
            assert!(weights.iter().all(|w| *w <= share * 21 / 20 + 3), "{weights:?}");
        }
    }

    #[test]
    fn no_part_is_empty_and_unreachable_vertices_have_one() {
        let graph = graph(&[9, 1, 1, 1, 5], &[(0, 1), (1, 2)]);
        for parts in 1..=7 {
            let part_of = cut(&graph, parts);
            let mut used = part_of.clone();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used, (0..parts.min(5) as u32).collect::<Vec<_>>());
        }
    }
}
