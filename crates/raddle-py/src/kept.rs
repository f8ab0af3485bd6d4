//! Runs that are kept for a report, as pickles and folders hold them.

use raddle::study::gather::Gathered;
use raddle::study::summary::RunSummary;

/// What remains of a run as two texts of JSON: `run.json`, and what a report draws of it.
///
/// # Errors
/// What cannot be written so.
pub(crate) fn texts(kept: &Gathered) -> Result<(String, String), String> {
    let picture = serde_json::to_string(&kept.picture).map_err(|error| error.to_string())?;
    Ok((kept.summary.to_json().to_string(), picture))
}

/// The same read back.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn gathered(summary: &str, picture: &str) -> Result<Gathered, String> {
    let value = serde_json::from_str(summary).map_err(|error| error.to_string())?;
    let summary = RunSummary::from_json(&value)?;
    Ok(Gathered { summary, picture: serde_json::from_str(picture).map_err(|e| e.to_string())? })
}
