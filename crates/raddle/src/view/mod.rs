//! `raddle view`: a page with which one looks into a run, or into two side by side.
//!
//! The page is one file that needs no network: the template in `view/dist` with a head of words
//! and numbers (JSON) and blocks of typed arrays in it. What a run recorded decides what it shows.

mod blocks;
mod heat;
mod packets;
mod run;
#[cfg(test)]
mod tests;
mod times;
mod title;
mod training;

use crate::results::{self, Fabric, Kept, ResultsError};
use crate::study::tables::TableError;
use blocks::Blocks;
use serde_json::{Value, json};
use std::fmt;

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
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Results(error) => error.fmt(f),
            Self::TooMany(asked) => {
                write!(f, "{asked} runs cannot be put beside each other: two at most")
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

/// The page of one or two runs.
///
/// # Errors
/// Runs whose tables are CSV or damaged.
pub fn page(runs: &[Kept]) -> Result<String, ViewError> {
    let mut blocks = Blocks::default();
    let mut fabrics: Vec<Fabric> = Vec::new();
    let mut heads = Vec::new();
    // One grid of time and one scale for all of them.
    let times = times::Times::of(runs)?;
    let scales = heat::scales(runs, &times)?;
    for (index, run) in runs.iter().enumerate() {
        let fabric = Fabric::read(&run.folder)?;
        let at = fabrics.iter().position(|known| *known == fabric).unwrap_or_else(|| {
            fabrics.push(fabric);
            fabrics.len() - 1
        });
        let place = run::Place { index, fabric_at: at, fabric: &fabrics[at] };
        heads.push(run::head(run, &place, &times, &scales, &mut blocks)?);
    }
    let title = title::of(runs);
    let head = json!({
        "schema": "raddle.view/1",
        "title": title,
        "runs": heads,
        "fabrics": fabrics.iter().map(Fabric::head).collect::<Vec<Value>>(),
        "blocks": blocks.places(),
    });
    // `<` only occurs inside strings, where it may be written as an escape.
    let head = head.to_string().replace('<', "\\u003c");
    // Base64 has no brackets: what stands in the head is not looked at again.
    Ok(PAGE.replacen("[[blocks]]", &blocks.text(), 1).replacen("[[head]]", &head, 1))
}
