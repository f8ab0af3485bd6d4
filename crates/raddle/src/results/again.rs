//! A run of a folder as it is run again, with a map: same scenario, seed and version, same run.

use super::Kept;
use super::names::summary;
use crate::scenario;
use crate::study::jobs;
use crate::study::run::Job;

/// Cells of a map that a page shows: a port and a bucket is one.
pub const MAP_CELLS: u64 = 1_000_000;

impl Kept {
    /// Whether all links were recorded over time.
    pub fn has_map(&self) -> bool {
        self.folder.join("routes.parquet").exists()
    }

    /// The run with a map, as it can be run once more.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn with_map(&self) -> Result<Job, String> {
        let file = self.folder.join("scenario.toml");
        let study = scenario::load(&file, &[]).map_err(|problems| {
            let first = problems.list.first().map(|problem| problem.message.clone());
            format!("{}: {}", file.display(), first.unwrap_or_default())
        })?;
        let job = jobs::with_map(&study, MAP_CELLS).pop();
        job.ok_or_else(|| format!("{}: no run", file.display()))
    }

    /// The hash of its results.
    ///
    /// # Errors
    /// The file that says it, and what is wrong with that.
    pub fn results_hash(&self) -> Result<String, String> {
        let summary = summary(&self.folder).map_err(|error| error.to_string())?;
        let hash = summary["results_hash"].as_str().map(str::to_owned);
        hash.ok_or_else(|| format!("{}: `run.json` has no `results_hash`", self.folder.display()))
    }
}
