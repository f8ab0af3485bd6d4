//! `oracle`: how well a forest that is fitted to a run predicts drops.

use super::super::oracle::{Score, score};
use super::super::run::FigureRun;
use super::super::scores::TREES;
use super::in_cell::OfRun;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
pub(super) struct Oracle {
    score: Score,
    /// How many the forest has.
    trees: u16,
}

impl OfRun for Oracle {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let score = reader.need("score", "\"precision\"");
        let trees: Option<u16> = reader.need("trees", "4");
        if let Some(trees) = trees.filter(|trees| !TREES.contains(trees)) {
            let problem = reader.place().problem(format!("`trees` is {trees}"));
            reader.log().add(problem.label(format!("expected one of {TREES:?}")));
        }
        Some(Self { score: score?, trees: trees? })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        score(run, self.trees, self.score)
    }
}
