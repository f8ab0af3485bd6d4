//! Folders of results read back: which runs are there, what they are called, and their fabrics.

mod again;
mod fabric;
mod faults;
#[cfg(test)]
pub(crate) mod fixture;
mod names;

use crate::study::tables::TableError;
pub use again::MAP_CELLS;
pub(crate) use fabric::{Fabric, needed};
pub(crate) use faults::{Fault, faults};
pub(crate) use names::summary;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a folder's runs cannot be read.
#[derive(Debug)]
pub enum ResultsError {
    /// A folder without runs.
    NoRuns(PathBuf),
    /// A run whose tables are CSV, which is not read back.
    Csv(PathBuf),
    /// A run's words that are none of ours, or a table that is damaged.
    Damaged(PathBuf, String),
    /// A run that was asked for by a number that none has.
    NoSuchRun(usize, usize),
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRuns(folder) => write!(
                f,
                "{}: no run is in this folder; expected what `raddle run --out`, `raddle sweep` or \
                 `raddle compare` wrote, with a `run.json`",
                folder.display()
            ),
            Self::Csv(folder) => write!(
                f,
                "{}: its tables are CSV, and Parquet is read; run it again without `--csv`",
                folder.display()
            ),
            Self::Damaged(path, why) => write!(f, "{}: {why}", path.display()),
            Self::NoSuchRun(asked, there) => {
                write!(f, "there is no run {asked}: the folder has runs 1 to {there}")
            }
        }
    }
}

impl std::error::Error for ResultsError {}

impl From<TableError> for ResultsError {
    fn from(error: TableError) -> Self {
        Self::Damaged(error.path, error.reason)
    }
}

/// A run that was kept in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its folder.
    pub folder: PathBuf,
    /// What it is called beside the others.
    pub name: String,
}

/// The runs of a folder of results, in the order of their names.
///
/// # Errors
/// A folder without any.
pub fn runs(results: &Path) -> Result<Vec<Kept>, ResultsError> {
    let found = names::runs(results)?;
    if found.is_empty() { Err(ResultsError::NoRuns(results.to_path_buf())) } else { Ok(found) }
}

/// Those of `runs` with these numbers, from 1, each once.
///
/// # Errors
/// Numbers that no run has.
pub fn numbered(runs: &[Kept], asked: &[usize]) -> Result<Vec<Kept>, ResultsError> {
    let of = |number: &usize| {
        let run = number.checked_sub(1).and_then(|at| runs.get(at)).cloned();
        run.ok_or(ResultsError::NoSuchRun(*number, runs.len()))
    };
    let first = |&at: &usize| !asked[..at].contains(&asked[at]);
    (0..asked.len()).filter(first).map(|at| of(&asked[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_asked_for_twice_is_one() {
        let run = |name: &str| Kept { folder: name.into(), name: name.to_owned() };
        let runs = [run("a"), run("b")];
        assert_eq!(numbered(&runs, &[2, 1, 2]).unwrap(), [run("b"), run("a")]);
        let told = numbered(&runs, &[1, 3]).unwrap_err().to_string();
        assert_eq!(told, "there is no run 3: the folder has runs 1 to 2");
    }
}
