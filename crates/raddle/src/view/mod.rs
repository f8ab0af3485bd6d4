//! `raddle view`: a page with which one looks into a run, or into two side by side.
//!
//! The page is one file that needs no network, or a [server](Served) has it: the template in `view/dist` with a head of words
//! and numbers (JSON) and blocks of typed arrays in it. What a run recorded decides what it shows.

mod blocks;
mod heat;
mod packets;
mod run;
mod served;
#[cfg(test)]
mod tests;
mod times;
mod title;
mod training;

use crate::results::{self, Fabric, Kept, ResultsError};
use crate::study::tables::TableError;
use blocks::Blocks;
use run::Place;
use serde_json::{Value, json};
pub use served::Served;
use std::fmt;
use std::path::PathBuf;
use times::Times;

/// What the page is made of, but for the data.
const PAGE: &str = include_str!("../../view/dist/view.html");
/// More runs are not put beside each other.
const RUNS: usize = 2;

/// Why there is nothing to view.
#[derive(Debug)]
pub enum ViewError {
    /// The folder's runs cannot be read.
    Results(ResultsError),
    /// More than two runs were asked for.
    TooMany(usize),
    /// A run in this folder is not the one that the page was made of.
    Changed(PathBuf),
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Results(error) => error.fmt(f),
            Self::TooMany(asked) => {
                write!(f, "{asked} runs cannot be put beside each other: two at most")
            }
            Self::Changed(folder) => {
                let folder = folder.display();
                write!(f, "{folder}: another run is there now; start `raddle view` again")
            }
        }
    }
}

impl std::error::Error for ViewError {}

impl From<ResultsError> for ViewError {
    fn from(error: ResultsError) -> Self {
        Self::Results(error)
    }
}

impl From<TableError> for ViewError {
    fn from(error: TableError) -> Self {
        Self::Results(error.into())
    }
}

/// Which of `runs` (numbers from 1) are shown; without any asked for, the first and the first that
/// differs from it by more than a seed.
///
/// # Errors
/// Numbers that no run has, more than two.
pub fn choose(runs: &[Kept], asked: &[usize]) -> Result<Vec<Kept>, ViewError> {
    if asked.len() > RUNS {
        return Err(ViewError::TooMany(asked.len()));
    }
    if asked.is_empty() {
        // What differs by more than its seed, if there is such a run.
        let kind = |run: &Kept| {
            run.name.rsplit_once(", seed ").map_or(run.name.clone(), |own| own.0.to_owned())
        };
        let mut shown: Vec<Kept> = runs.iter().take(1).cloned().collect();
        let other = runs.iter().find(|run| kind(run) != kind(&runs[0])).or_else(|| runs.get(1));
        shown.extend(other.cloned());
        return Ok(shown);
    }
    Ok(results::numbered(runs, asked)?)
}

/// How much of runs a page carries.
#[derive(Debug)]
struct Reach {
    /// Cells of a run, a port and a bucket each.
    cells: usize,
    /// Rows of `routes` of a run, those with most packets.
    routes: usize,
    /// Flows with their packets.
    followed: usize,
    /// Whether it can ask a server for more flows.
    asks: bool,
}

/// A file that opens in a moment: below 3 MB of most runs.
const FILE: Reach = Reach { cells: 1_000_000, routes: 300_000, followed: 8, asks: false };
/// A server hands out what it has read; packets it reads when they are asked for.
const SERVED: Reach = Reach { cells: 4_000_000, routes: 5_000_000, followed: 0, asks: true };

/// The page of one or two runs: one file that needs no network.
///
/// # Errors
/// Runs whose tables are CSV or damaged.
pub fn page(runs: &[Kept]) -> Result<String, ViewError> {
    let Content { head, blocks, .. } = Content::of(runs, &FILE)?;
    // Base64 has no brackets: what stands in the head is not looked at again.
    Ok(PAGE.replacen("[[blocks]]", &blocks.text(), 1).replacen("[[head]]", &head, 1))
}

/// What a page says.
struct Content {
    head: String,
    blocks: Blocks,
    times: Times,
    fabrics: Vec<Fabric>,
    /// The fabric of each run.
    of_run: Vec<usize>,
}

impl Content {
    fn of(runs: &[Kept], reach: &Reach) -> Result<Self, ViewError> {
        let mut blocks = Blocks::default();
        let mut fabrics: Vec<Fabric> = Vec::new();
        let (mut heads, mut of_run) = (Vec::new(), Vec::new());
        // One grid of time and one scale for all of them.
        let times = Times::of(runs, reach.cells)?;
        let scales = heat::scales(runs, &times)?;
        for (index, run) in runs.iter().enumerate() {
            let fabric = Fabric::read(&run.folder)?;
            let at = fabrics.iter().position(|known| *known == fabric).unwrap_or_else(|| {
                fabrics.push(fabric);
                fabrics.len() - 1
            });
            of_run.push(at);
            let place = Place { index, fabric_at: at, fabric: &fabrics[at] };
            heads.push(run::head(run, &place, reach, (&times, &scales), &mut blocks)?);
        }
        let head = json!({
            "schema": "raddle.view/1",
            "title": title::of(runs),
            "served": reach.asks,
            "runs": heads,
            "fabrics": fabrics.iter().map(Fabric::head).collect::<Vec<Value>>(),
            "blocks": blocks.places(),
        });
        // `<` only occurs inside strings, where it may be written as an escape.
        let head = head.to_string().replace('<', "\\u003c");
        Ok(Self { head, blocks, times, fabrics, of_run })
    }
}
