//! Where a run is kept, and how a mistake of a file is told.

use super::BUILD;
use crate::plugins::program;
use std::fmt::Display;
use std::path::Path;

/// The run as JSON (`raddle.run/1`).
pub(super) const SUMMARY_FILE: &str = "run.json";

/// The name of a run's folder.
pub(super) fn run_name(scenario: &str, seed: u64) -> String {
    format!("{scenario}-seed{seed}-v{BUILD}{}", program())
}

/// The file and what is wrong with it.
pub fn at(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}
