//! Published figures: what was claimed, what a rerun gives, and whether they agree.
//!
//! A figure is a folder `figures/<paper>/<figure>/` with a scenario (none where a model without a
//! simulation gives the figure) and `claims.toml`: each claim with its source, its band, and how it
//! is measured. The files are part of the program, so a figure can be run from anywhere; in a clone its
//! own count ([`Figure::read_from`]).

mod again;
mod answers;
mod band;
mod cells;
mod chart;
mod claim;
mod claims;
mod curves;
mod digits;
mod expected;
mod file;
mod files;
mod filled;
mod free;
mod free_text;
mod gallery;
mod increase;
mod kept;
mod layer;
mod list;
mod mark;
mod measure;
mod measured;
mod metric;
mod number;
mod oracle;
mod page;
mod panels;
mod plot;
mod prepare;
mod reading;
mod record;
mod result;
mod run;
mod scores;
mod statistic;
mod table;
mod text;
mod theory;
mod traces;

pub use again::{Again, FOLDER, Refused, WithRunner, chosen, listed};
pub use answers::Answers;
pub use band::OneSided;
pub use cells::{CellNumber, FigureCell};
pub use claim::Claim;
pub use claims::Claims;
pub use curves::{Curve, Curves, FigureCurves, Scale};
pub use expected::{Expected, Kind};
pub use file::File;
pub use files::Read;
pub(crate) use files::other as other_text;
pub use free::Free;
pub use gallery::gallery;
pub use increase::{BoundName, NamedBound};
pub use layer::{LayerMetric, LayerNumber};
pub use list::FIGURES;
pub use measure::{Measure, Selector};
pub use metric::Metric;
pub use number::Number;
pub use panels::Panels;
pub use prepare::Prepared;
pub(crate) use reading::{parse, settings as read_texts, text as read_text, words as read_words};
pub use result::{ClaimResult, FigureResult, Total, Verdict, to_json, totals, totals_text};
pub use run::FigureRun;
pub use statistic::{Across, Statistic};
pub use table::Table;
pub use theory::TheoryNumber;
pub use traces::{Shows, Trace};

use raddle::problem::Problems;
use raddle::study::run::{Failure, Runner};
use std::fmt;

/// A published figure and how it is run again.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// `reps/fig4`: the paper's word and the figure's.
    pub name: &'static str,
    /// The text of its scenario.
    pub scenario: Option<&'static str>,
    /// The text of its `claims.toml`.
    pub claims: &'static str,
    /// The text of its `result.json`, what the last full run gave.
    pub result: &'static str,
}

raddle_schemes::words! {
    /// How much is run.
    pub enum Mode {
        /// The paper's sizes, and all seeds.
        Full = "full",
        /// Less, as the figure's `[quick]` says.
        Quick = "quick",
    }
}

/// Why there is no result.
#[derive(Debug)]
pub enum FigureError {
    /// The figure's own files are wrong, which is a bug.
    Files(Problems),
    /// A curve or trace has no number somewhere; says where.
    Curve(String),
    /// A run failed; says which.
    Run(String, Failure),
}

impl fmt::Display for FigureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(problems) => f.write_str(&problems.render(false)),
            Self::Curve(place) => f.write_str(place),
            Self::Run(which, failure) => write!(f, "{which}: {failure}"),
        }
    }
}

impl std::error::Error for FigureError {}

/// The figures that `name` stands for: one figure (`reps/fig4`) or all of a paper (`reps`), in the
/// order of [`FIGURES`]; none if there is no such name.
pub fn find(name: &str) -> Vec<&'static Figure> {
    FIGURES.iter().filter(|figure| figure.name == name || figure.paper() == name).collect()
}

impl Figure {
    /// The paper's word.
    pub fn paper(&self) -> &'static str {
        self.name.split('/').next().unwrap_or(self.name)
    }

    /// Its own word, without the paper's.
    pub fn word(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(_, word)| word)
    }

    /// Runs the figure and judges its claims.
    ///
    /// # Errors
    /// Wrong files, or a run that failed.
    pub fn reproduce(&self, mode: Mode, runner: &Runner<'_>) -> Result<FigureResult, FigureError> {
        self.prepare(mode).map_err(FigureError::Files)?.run(runner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_stands_for_all_its_figures() {
        assert_eq!(find("reps/fig4").len(), 1);
        assert!(find("reps").len() >= 7);
        assert!(find("rep").is_empty() && find("reps/fig").is_empty());
    }
}
