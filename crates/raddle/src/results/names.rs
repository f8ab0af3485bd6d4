//! Runs of a folder, and what they are called beside each other.

use super::{Kept, ResultsError};
use crate::study::tables::TableFile;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Columns that every row of `runs` has stand before those that a sweep set.
const LAST_FIXED: &str = "wall_s";

/// What `run.json` of a folder says.
pub(crate) fn summary(folder: &Path) -> Result<Value, ResultsError> {
    let path = folder.join("run.json");
    let damaged = |why: String| ResultsError::Damaged(path.clone(), why);
    let text = fs::read_to_string(&path).map_err(|error| damaged(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))
}

/// The runs in `results`: it may be the folder of one run, of several, or what `compare` wrote.
pub(super) fn runs(results: &Path) -> Result<Vec<Kept>, ResultsError> {
    if results.join("run.json").exists() {
        let folder = results.to_path_buf();
        let name = scheme(&folder).unwrap_or_else(|| "run".to_owned());
        return Ok(vec![Kept { folder, name }]);
    }
    let inner = results.join("results");
    let folders = if inner.is_dir() { folders(&inner)? } else { folders(results)? };
    let place = if inner.is_dir() { inner } else { results.to_path_buf() };
    let told = swept(&place)?;
    let mut all = Vec::new();
    for folder in folders {
        let summary = summary(&folder)?;
        let key = (
            summary["scenario"].as_str().unwrap_or_default().to_owned(),
            summary["seed"].to_string(),
        );
        let (order, name) = told
            .get(&key)
            .cloned()
            .unwrap_or_else(|| (usize::MAX, scheme(&folder).unwrap_or_else(|| "run".to_owned())));
        all.push((order, folder, name, key.1));
    }
    all.sort();
    // Runs that share a name differ by their seed.
    let shared = |name: &str| all.iter().filter(|run| run.2 == name).count() > 1;
    let named = all.iter().map(|(_, folder, name, seed)| {
        let name = if shared(name) { format!("{name}, seed {seed}") } else { name.clone() };
        Kept { folder: folder.clone(), name }
    });
    Ok(named.collect())
}

fn folders(place: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let wrong =
        |error: std::io::Error| ResultsError::Damaged(place.to_path_buf(), error.to_string());
    let mut found = Vec::new();
    for entry in fs::read_dir(place).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.join("run.json").exists() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// By scenario and seed: the place of a row of `runs`, and what it is called.
type Told = HashMap<(String, String), (usize, String)>;

/// Of each row of `runs`: its place, and the values that a sweep gave its keys.
fn swept(place: &Path) -> Result<Told, ResultsError> {
    let Some(table) = TableFile::open(place, "runs")? else { return Ok(HashMap::new()) };
    let names = table.names();
    let first = names.iter().position(|name| name == LAST_FIXED).map_or(names.len(), |at| at + 1);
    let mut values = Vec::new();
    for name in &names[first..] {
        values.push(if table.is_number(name) {
            table.numbers(name)?.into_iter().map(|x| Some(x.to_string())).collect()
        } else {
            table.texts(name)?
        });
    }
    let (scenarios, seeds) = (table.texts("scenario")?, table.numbers("seed")?);
    let rows = scenarios.into_iter().zip(seeds).enumerate().map(|(row, (scenario, seed))| {
        let told: Vec<&str> = values.iter().filter_map(|column| column[row].as_deref()).collect();
        let name = if told.is_empty() { "run".to_owned() } else { told.join(", ") };
        ((scenario.unwrap_or_default(), seed.to_string()), (row, name))
    });
    Ok(rows.collect())
}

/// The path selector of hosts or switches, as the resolved scenario says it.
fn scheme(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("scenario.toml")).ok()?;
    let scenario: toml::Table = text.parse().ok()?;
    let of = |section: &str| {
        Some(scenario.get(section)?.get("load_balance")?.get("scheme")?.as_str()?.to_owned())
    };
    match (of("transport"), of("fabric")) {
        (Some(host), Some(switch)) if switch != "ecmp" => Some(format!("{host}, {switch}")),
        (host, switch) => host.or(switch),
    }
}
