//! Fitting a random forest, and turning it into the table that switches read.
//!
//! Trees are smartcore's: bootstraps of the rows, class by class, two of four features tried at each
//! split, Gini's impurity, as scikit-learn's defaults have it. A leaf's share of drops is that of the
//! rows that reach it.

use super::Settings;
use raddle_schemes::buffer::forest::{FEATURES, Features, Forest};
use raddle_sim::record::TrainingRow;
use serde::Deserialize;
use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;

type Fitted = RandomForestClassifier<f64, u32, DenseMatrix<f64>, Vec<u32>>;

/// What smartcore writes of a forest, as far as it is read here.
#[derive(Deserialize)]
struct Trees {
    trees: Vec<Tree>,
}

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    split_feature: usize,
    split_value: Option<f64>,
    true_child: Option<usize>,
    false_child: Option<usize>,
}

/// A forest of these rows; where they are all alike, one that predicts that.
pub(super) fn fit(rows: &[TrainingRow], settings: &Settings, seed: u64) -> Forest {
    let dropped = rows.iter().filter(|row| row.dropped).count();
    if dropped == 0 || dropped == rows.len() {
        return Forest::constant(dropped > 0);
    }
    let trees = fitted(rows, settings, seed);
    let texts = trees.trees.iter().map(|tree| tree.text(rows));
    let text = texts.collect::<Vec<_>>().join("; ");
    text.parse().expect("trees are written as forests are read")
}

fn fitted(rows: &[TrainingRow], settings: &Settings, seed: u64) -> Trees {
    let of_row = |row: &TrainingRow| values(&row.found).map(|bytes| bytes as f64).to_vec();
    let table: Vec<Vec<f64>> = rows.iter().map(of_row).collect();
    let table = DenseMatrix::from_2d_vec(&table).expect("rows of four features");
    let labels: Vec<u32> = rows.iter().map(|row| row.dropped.into()).collect();
    let parameters = RandomForestClassifierParameters::default()
        .with_n_trees(settings.trees)
        // It counts levels of nodes, the root's among them, and not of splits.
        .with_max_depth(settings.depth + 1)
        .with_m(2)
        .with_seed(seed);
    let forest = Fitted::fit(&table, &labels, parameters).expect("rows with both labels");
    let written = serde_json::to_value(&forest).expect("a forest of numbers");
    serde_json::from_value(written).expect("a forest as smartcore has them")
}

/// In the order of [`FEATURES`].
fn values(found: &Features) -> [u64; 4] {
    [found.queue, found.queue_average, found.occupancy, found.occupancy_average]
}

impl Tree {
    /// The tree as a forest's text has it.
    fn text(&self, rows: &[TrainingRow]) -> String {
        let mut reached = vec![(0_u64, 0_u64); self.nodes.len()];
        for row in rows {
            let (all, dropped) = &mut reached[self.leaf(&values(&row.found))];
            *all += 1;
            *dropped += u64::from(row.dropped);
        }
        let mut text = Vec::new();
        // A subtree's words follow its split's: left, then right.
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            match node.split() {
                Some((cut, left, right)) => {
                    text.push(format!("{} {cut}", FEATURES[node.split_feature]));
                    open.extend([right, left]);
                }
                None => {
                    let (all, dropped) = reached[at];
                    text.push((dropped as f64 / all.max(1) as f64).to_string());
                }
            }
        }
        text.join(" ")
    }

    fn leaf(&self, values: &[u64; 4]) -> usize {
        let mut at = 0;
        while let Some((cut, left, right)) = self.nodes[at].split() {
            at = if values[self.nodes[at].split_feature] <= cut { left } else { right };
        }
        at
    }
}

impl Node {
    /// The largest whole number that goes left, and both children; none of a leaf.
    fn split(&self) -> Option<(u64, usize, usize)> {
        let cut = self.split_value?.floor().max(0.0) as u64;
        Some((cut, self.true_child?, self.false_child?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_split_is_found_with_its_shares() {
        let row = |queue, dropped| TrainingRow {
            found: Features {
                queue,
                queue_average: queue,
                occupancy: queue,
                occupancy_average: queue,
            },
            dropped,
        };
        // Of those above 50 every tenth survives.
        let rows: Vec<_> = (0..200).map(|n| row(n, n > 100 && n % 10 != 5)).collect();
        let settings = Settings { trees: 3, depth: 1, ..Settings::default() };
        let forest = fit(&rows, &settings, 1);
        assert_eq!(forest.to_string().matches(';').count(), 2);
        let drops = |queue| forest.predicts_drop(&row(queue, false).found);
        assert_eq!((drops(60), drops(150)), (false, true));
        assert_eq!(fit(&rows[..50], &settings, 1), Forest::constant(false));
    }

    #[test]
    fn no_tree_is_deeper_than_asked_for() {
        let row = |n: u64| TrainingRow {
            found: Features {
                queue: n,
                occupancy: n.wrapping_mul(7_919) % 1_000,
                ..Default::default()
            },
            dropped: n.is_multiple_of(3),
        };
        let rows: Vec<_> = (0..1_000).map(row).collect();
        let settings = Settings { trees: 4, depth: 4, ..Settings::default() };
        for tree in fit(&rows, &settings, 5).to_string().split(';') {
            let splits =
                FEATURES.map(|name| tree.split_whitespace().filter(|w| *w == name).count());
            assert!(splits.iter().sum::<usize>() < 16, "{tree}");
        }
    }
}
