//! Runs once more, with a map, for a page: the same scenario, seed and version give the same run.

use super::input;
use super::output::note_line;
use raddle::results::Kept;
use raddle::study::run::Job;
use raddle::study::store::Store;
use raddle::study::tables::Format;
use raddle::study::text::plural;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// A run to be run once more.
pub(super) struct Again {
    /// It, with a map.
    pub(super) job: Job,
    /// What it is called on the page.
    pub(super) name: String,
    /// The hash of the results that it is to come to.
    pub(super) results_hash: String,
}

/// Runs these, and has their tables in a folder that goes with what is returned.
///
/// # Errors
/// Why there is nothing to show of one of them.
pub(super) fn run(
    again: Vec<Again>,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<(Vec<Kept>, TempDir), String> {
    let folder = TempDir::new().map_err(|error| format!("a folder for a while: {error}"))?;
    let store = Store::open(folder.path(), Format::Parquet)?;
    let (jobs, told): (Vec<Job>, Vec<_>) =
        again.into_iter().map(|own| (own.job, (own.name, own.results_hash))).unzip();
    let threads = (input::parallel(None, 1), 1);
    if !quiet {
        let runs = plural(jobs.len() as u64, "run");
        note_line!("{runs} without a map: run once more with one, for the page alone");
        input::announce(&jobs, 0, threads.0);
    }
    let results =
        input::with_runner(jobs.len(), threads, stop, quiet, |runner| runner.run(&jobs, &store));
    let mut runs = Vec::new();
    for ((job, (name, hash)), result) in jobs.iter().zip(told).zip(results) {
        let summary = result.map_err(|failure| format!("{name}: {failure}"))?;
        if summary.results_hash != hash {
            return Err(format!(
                "{name}: another version of raddle made it, and this one comes to other results \
                 ({}, not {hash})",
                summary.results_hash
            ));
        }
        runs.push(Kept { folder: store.run_folder(&job.scenario, job.seed), name });
    }
    Ok((runs, folder))
}
