//! Folders of runs for tests.

use crate::scenario;
use crate::study::summary::RunSummary;
use crate::study::tables::{self, Format};
use crate::study::timing::Cost;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::{bound, engine};
use std::fs;
use std::path::Path;

/// A folder with a run of a scenario, and what came of it.
pub(crate) fn kept(text: &str, format: Format) -> (tempfile::TempDir, Plan, Outcome) {
    let study = scenario::parse("t.toml", text, Path::new("."), &[])
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    let outcome = engine::run(&plan, &mut ());
    let ideals = bound::ideals(&plan);
    let folder = tempfile::tempdir().unwrap();
    for table in tables::of_run("5ce7a110", &plan, &outcome, &ideals) {
        tables::write_parts(folder.path(), &table, format).unwrap();
    }
    let summary = RunSummary::new("5ce7a110", &plan, &outcome, None, Cost::default());
    fs::write(folder.path().join("run.json"), summary.to_json().to_string()).unwrap();
    fs::write(folder.path().join("scenario.toml"), text).unwrap();
    (folder, plan, outcome)
}
