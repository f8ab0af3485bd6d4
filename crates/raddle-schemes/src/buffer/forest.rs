//! A random forest as a table: what predicts drops for Credence.
//!
//! A forest is text. A tree is a number, the share of drops at a leaf, or the name of a feature, the
//! largest value that goes left, and two trees; several are separated by `;`:
//! `occupancy 900000 0 queue 30000 0.1 0.9; 0.2`. A lone `0` keeps everything, a lone `1` drops it.
//! Several forests, one for each switch, are separated by `|`. A line that begins with `#` is a comment.
//! The vote is that of scikit-learn: a drop is predicted where the mean of the leaves is above one
//! half (Credence spec, 2.8).

use crate::family::{Parameter, ParameterError, Raw};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// What a prediction goes by, in bytes, before the packet joins (spec 2.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Features {
    /// Of the packet's queue.
    pub queue: u64,
    /// The average of that.
    pub queue_average: u64,
    /// Of the memory.
    pub occupancy: u64,
    /// The average of that.
    pub occupancy_average: u64,
}

/// Their names, in order.
pub const FEATURES: [&str; 4] = ["queue", "queue_average", "occupancy", "occupancy_average"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// The share of drops.
    Leaf(f64),
    /// Values of the feature up to the cut go to the next node, others to that number.
    Split { feature: u8, cut: u64, right: u32 },
}

/// Trees, each before the next, a node before its left and that before its right subtree.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    nodes: Vec<Node>,
    roots: Vec<u32>,
}

impl Forest {
    /// Predicts the same for all.
    pub fn constant(drop: bool) -> Self {
        Self { nodes: alloc::vec![Node::Leaf(f64::from(u8::from(drop)))], roots: alloc::vec![0] }
    }

    /// Whether a drop is predicted.
    pub fn predicts_drop(&self, features: &Features) -> bool {
        let sum: f64 = self.roots.iter().map(|&root| self.leaf(root, features)).sum();
        sum > 0.5 * self.roots.len() as f64
    }

    /// Its first so many trees, or all.
    #[must_use]
    pub fn first(&self, trees: usize) -> Self {
        let end = self.roots.get(trees).map_or(self.nodes.len(), |&root| root as usize);
        let roots = self.roots.iter().take(trees).copied().collect();
        Self { nodes: self.nodes[..end].to_vec(), roots }
    }

    /// Whether any prediction goes by an average.
    pub fn reads_averages(&self) -> bool {
        let reads = |node: &Node| matches!(node, Node::Split { feature: 1 | 3, .. });
        self.nodes.iter().any(reads)
    }

    /// Whether it predicts no drop whatever it is asked.
    pub fn never_drops(&self) -> bool {
        self.nodes.as_slice() == [Node::Leaf(0.0)]
    }

    fn leaf(&self, root: u32, features: &Features) -> f64 {
        let Features { queue, queue_average, occupancy, occupancy_average } = *features;
        let values = [queue, queue_average, occupancy, occupancy_average];
        let mut at = root;
        loop {
            match self.nodes[at as usize] {
                Node::Leaf(share) => return share,
                Node::Split { feature, cut, right } => {
                    at = if values[usize::from(feature)] <= cut { at + 1 } else { right };
                }
            }
        }
    }

    /// Reads a tree, the words of which follow; its nodes are appended.
    fn read<'t>(&mut self, words: &mut impl Iterator<Item = &'t str>) -> Result<(), String> {
        // Right subtrees that are still to come: the split that each belongs to.
        let mut open: Vec<usize> = Vec::new();
        loop {
            let word = words.next().ok_or("expected a share of drops or a feature at the end")?;
            if let Some(feature) = FEATURES.iter().position(|name| *name == word) {
                let cut = words.next().and_then(|cut| cut.parse().ok());
                let cut = cut.ok_or_else(|| alloc::format!("expected bytes after `{word}`"))?;
                open.push(self.nodes.len());
                self.nodes.push(Node::Split { feature: feature as u8, cut, right: 0 });
                continue;
            }
            let share = word.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            let share = share.ok_or_else(|| {
                let known = FEATURES.join(", ");
                alloc::format!("expected a share from 0 to 1 or one of {known} for `{word}`")
            })?;
            self.nodes.push(Node::Leaf(share));
            // A leaf ends the left subtree of the innermost split, or all that wait for its end.
            let next = self.nodes.len() as u32;
            let Some(split) = open.pop() else { return Ok(()) };
            if let Node::Split { right, .. } = &mut self.nodes[split] {
                *right = next;
            }
        }
    }

    fn show_tree(&self, at: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes[at as usize] {
            Node::Leaf(share) => write!(f, "{share}"),
            Node::Split { feature, cut, right } => {
                write!(f, "{} {cut} ", FEATURES[usize::from(feature)])?;
                self.show_tree(at + 1, f)?;
                f.write_str(" ")?;
                self.show_tree(right, f)
            }
        }
    }
}

impl FromStr for Forest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut forest = Self { nodes: Vec::new(), roots: Vec::new() };
        for tree in text.split(';') {
            forest.roots.push(forest.nodes.len() as u32);
            let mut words = tree.split_whitespace();
            forest.read(&mut words)?;
            if let Some(word) = words.next() {
                return Err(alloc::format!("expected `;` between trees, before `{word}`"));
            }
        }
        Ok(forest)
    }
}

impl fmt::Display for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &root) in self.roots.iter().enumerate() {
            f.write_str(if i > 0 { "; " } else { "" })?;
            self.show_tree(root, f)?;
        }
        Ok(())
    }
}

/// A forest for all switches of a fabric, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Forests(Vec<Forest>);

impl Forests {
    /// One that predicts the same for all.
    pub fn constant(drop: bool) -> Self {
        Self(alloc::vec![Forest::constant(drop)])
    }

    /// One for all switches, or one for each in the order of the fabric; none is as good as one that
    /// predicts no drop.
    pub fn new(forests: Vec<Forest>) -> Self {
        if forests.is_empty() { Self::constant(false) } else { Self(forests) }
    }

    /// That of a switch.
    pub fn of(&self, switch: u32) -> &Forest {
        self.0.get(switch as usize).unwrap_or(&self.0[0])
    }

    /// What would fit a fabric of so many switches, if these do not.
    pub(super) fn misfit(&self, switches: u32) -> Option<String> {
        let fits = self.0.len() == 1 || self.0.len() == switches as usize;
        (!fits).then(|| alloc::format!("one forest, or one for each of {switches} switches"))
    }
}

impl FromStr for Forests {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let text = lines.collect::<Vec<_>>().join("\n");
        text.split('|').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Forests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, forest) in self.0.iter().enumerate() {
            write!(f, "{}{forest}", if i > 0 { " | " } else { "" })?;
        }
        Ok(())
    }
}

impl Parameter for Forests {
    const KIND: &'static str = "forest";

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let text = match raw {
            Raw::Text(text) => text.to_string(),
            Raw::Integer(share) => share.to_string(),
            Raw::Float(share) => share.to_string(),
            Raw::Flag(_) | Raw::List(_) => {
                return Err(ParameterError::Value("expected a forest".to_string()));
            }
        };
        text.parse().map_err(ParameterError::Value)
    }

    fn show(&self) -> String {
        alloc::format!("\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "occupancy 900 0 queue 30 0.1 0.9; queue_average 5 queue 10 0 1 0.7";

    #[test]
    fn the_mean_of_the_leaves_decides_and_a_tie_keeps() {
        let forest: Forest = TEXT.parse().unwrap();
        let drops = |queue, queue_average, occupancy| {
            let features = Features { queue, queue_average, occupancy, occupancy_average: 0 };
            forest.predicts_drop(&features)
        };
        // Leaves: 0 and 0; 0 and 1, a tie; 0.9 and 1; 0.1 and 0.7; 0.9 and 0.7.
        let cases = [(10, 5, 900), (11, 5, 900), (31, 5, 901), (30, 6, 901), (31, 6, 901)];
        let answers = cases.map(|(queue, average, occupancy)| drops(queue, average, occupancy));
        assert_eq!(answers, [false, false, true, false, true]);
    }

    #[test]
    fn a_forest_is_shown_as_it_was_read() {
        let forest: Forest = TEXT.parse().unwrap();
        assert_eq!(forest.to_string(), TEXT);
        assert!(forest.reads_averages());
        for (text, drop) in [("0", false), ("1", true)] {
            let forest: Forest = text.parse().unwrap();
            assert_eq!(forest, Forest::constant(drop));
            assert_eq!(forest.predicts_drop(&Features::default()), drop);
        }
    }

    #[test]
    fn each_switch_may_have_a_forest_of_its_own() {
        let text = "# trained somewhere\n0 | queue 5 0 1;\n  # a remark\n 1\n";
        let forests: Forests = text.parse().unwrap();
        assert_eq!(forests.to_string(), "0 | queue 5 0 1; 1");
        assert_eq!(*forests.of(0), Forest::constant(false));
        assert_eq!(forests.of(1).to_string(), "queue 5 0 1; 1");
        assert_eq!((forests.misfit(2), forests.misfit(3).is_some()), (None, true));
        let one: Forests = "1".parse().unwrap();
        assert_eq!((one.of(7), one.misfit(20)), (&Forest::constant(true), None));
        assert!("0 |".parse::<Forests>().unwrap_err().contains("at the end"));
    }

    #[test]
    fn what_is_no_forest_is_refused_with_what_would_be() {
        let told = |text: &str| text.parse::<Forest>().unwrap_err();
        assert!(told("").contains("at the end"));
        assert!(told("queue 5 0").contains("at the end"));
        assert!(told("queue x 0 1").contains("bytes after `queue`"));
        assert!(told("size 5 0 1").contains("one of queue, queue_average"));
        assert!(told("1.5").contains("from 0 to 1"));
        assert!(told("0 1").contains("`;` between trees"));
    }
}
