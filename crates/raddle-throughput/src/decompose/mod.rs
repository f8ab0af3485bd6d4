//! A regular bipartite multigraph split into perfect matchings.
//!
//! They exist by Koenig's theorem. Copies of edges are carried as counts, so that a matching that
//! comes several times is found once: counts with a common divisor are divided by it. An even
//! degree is halved by an Euler split; of an odd one a matching is taken off first. As Gabow (1976)
//! does, colours of the first half are given to the second until its degree is a power of two,
//! which needs no more matchings: O(E log degree) besides a matching per level.

mod euler;
pub(crate) mod hopcroft_karp;

use raddle_circuits::circuits::Circuits;
use raddle_circuits::matching::Matching;
use raddle_schemes::units::gcd;

/// Parallel circuits from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: u16,
    pub(crate) to: u16,
    pub(crate) count: u32,
}

/// A matching, and how often it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// The matching.
    pub matching: Matching,
    /// How often.
    pub copies: u32,
}

/// The circuits have no degree: some node has more or fewer than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Irregular;

impl std::fmt::Display for Irregular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nodes have different numbers of circuits; only regular graphs are split")
    }
}

impl std::error::Error for Irregular {}

/// Splits circuits into perfect matchings whose union they are; as many, with copies, as a node has
/// circuits.
///
/// # Errors
/// [`Irregular`].
pub fn decompose(circuits: &Circuits) -> Result<Vec<Copies>, Irregular> {
    let degree = circuits.degree().ok_or(Irregular)?;
    let nodes = circuits.nodes();
    let mut edges = Vec::new();
    for from in 0..nodes {
        for (to, &count) in circuits.row(from).iter().enumerate() {
            if count > 0 {
                edges.push(Edge { from: from as u16, to: to as u16, count });
            }
        }
    }
    Ok(colour(nodes, edges, degree))
}

/// The matchings of [`decompose`] one after the other, copies side by side.
pub fn extracted(copies: &[Copies]) -> Vec<Matching> {
    let each = |entry: &Copies| vec![entry.matching.clone(); entry.copies as usize];
    copies.iter().flat_map(each).collect()
}

fn colour(nodes: usize, mut edges: Vec<Edge>, degree: u32) -> Vec<Copies> {
    if degree == 0 {
        return Vec::new();
    }
    let common = common_divisor(&edges);
    if common > 1 {
        edges.iter_mut().for_each(|edge| edge.count /= common);
        let mut colours = colour(nodes, edges, degree / common);
        colours.iter_mut().for_each(|entry| entry.copies *= common);
        return colours;
    }
    if degree == 1 {
        let mut targets = vec![0; nodes];
        edges.iter().for_each(|edge| targets[usize::from(edge.from)] = edge.to);
        return vec![Copies { matching: Matching::of(targets), copies: 1 }];
    }
    if degree % 2 == 1 {
        let (matching, copies) = take_off(nodes, &mut edges);
        let mut colours = colour(nodes, edges, degree - copies);
        colours.push(Copies { matching, copies });
        return colours;
    }
    let half = degree / 2;
    let (first, mut second) = euler::split(nodes, &edges);
    drop(edges);
    let mut colours = colour(nodes, first, half);
    let moved = half.next_power_of_two() - half;
    let given = give(&mut colours, moved);
    if !given.is_empty() {
        add(nodes, &mut second, &given);
    }
    colours.extend(colour(nodes, second, half + moved));
    colours
}

fn common_divisor(edges: &[Edge]) -> u32 {
    let mut common = 0;
    for edge in edges {
        common = gcd([u64::from(common), u64::from(edge.count)].into_iter()) as u32;
        if common == 1 {
            break;
        }
    }
    common
}

/// Takes off a perfect matching an odd number of times, as often as all its edges allow.
fn take_off(nodes: usize, edges: &mut Vec<Edge>) -> (Matching, u32) {
    let chosen = hopcroft_karp::perfect_matching(nodes, edges).unwrap_or_default();
    let least = chosen.iter().map(|&edge| edges[edge].count).min().unwrap_or(1);
    let copies = least - u32::from(least % 2 == 0);
    let mut targets = vec![0; nodes];
    for &edge in &chosen {
        edges[edge].count -= copies;
        targets[usize::from(edges[edge].from)] = edges[edge].to;
    }
    edges.retain(|edge| edge.count > 0);
    (Matching::of(targets), copies)
}

/// Takes `many` matchings from the end of a list.
fn give(colours: &mut Vec<Copies>, mut many: u32) -> Vec<Copies> {
    let mut given = Vec::new();
    while many > 0 {
        let Some(last) = colours.last_mut() else { break };
        let copies = last.copies.min(many);
        given.push(Copies { matching: last.matching.clone(), copies });
        last.copies -= copies;
        many -= copies;
        if last.copies == 0 {
            colours.pop();
        }
    }
    given
}

/// Adds matchings to edges.
fn add(nodes: usize, edges: &mut Vec<Edge>, given: &[Copies]) {
    let mut counts = vec![0_u32; nodes * nodes];
    let pair = |from: u16, to: usize| usize::from(from) * nodes + to;
    for edge in edges.iter() {
        counts[pair(edge.from, usize::from(edge.to))] += edge.count;
    }
    for entry in given {
        entry.matching.all().for_each(|(from, to)| counts[from * nodes + to] += entry.copies);
    }
    edges.clear();
    for from in 0..nodes as u16 {
        for to in 0..nodes {
            let count = counts[pair(from, to)];
            if count > 0 {
                edges.push(Edge { from, to: to as u16, count });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    /// The sum of `degree` random permutations.
    fn random(nodes: usize, degree: usize, seed: u64) -> Circuits {
        let mut rng = Rng::new(seed, "decompose", 0);
        let mut targets: Vec<u16> = (0..nodes as u16).collect();
        let mut matchings = Vec::new();
        for _ in 0..degree {
            rng.shuffle(&mut targets);
            matchings.push(Matching::of(targets.clone()));
        }
        Circuits::union(nodes, &matchings)
    }

    #[test]
    fn the_union_of_the_matchings_is_what_was_split() {
        for (nodes, degree) in [(1, 1), (2, 3), (5, 7), (8, 24), (16, 47), (16, 48), (33, 99)] {
            for seed in 0..5 {
                let circuits = random(nodes, degree, seed);
                let matchings = extracted(&decompose(&circuits).unwrap());
                assert_eq!(matchings.len(), degree, "{nodes} {degree}");
                assert_eq!(Circuits::union(nodes, &matchings), circuits, "{nodes} {degree}");
            }
        }
    }

    #[test]
    fn copies_of_one_matching_are_found_at_once() {
        let shift = Matching::shift(64, 1);
        let circuits = Circuits::union(64, std::iter::repeat_n(&shift, 192));
        assert_eq!(decompose(&circuits), Ok(vec![Copies { matching: shift, copies: 192 }]));
    }

    #[test]
    fn irregular_circuits_are_refused() {
        let mut circuits = Circuits::complete(4, 1, true);
        *circuits.at(0, 1) += 1;
        assert_eq!(decompose(&circuits), Err(Irregular));
    }
}
