//! What the runs of a page are called together.

use crate::results::Kept;
use std::fs;

/// What the runs have in common, in a few words.
pub(super) fn of(runs: &[Kept]) -> String {
    let told = |run: &Kept| -> Option<String> {
        let text = fs::read_to_string(run.folder.join("scenario.toml")).ok()?;
        let scenario: toml::Table = text.parse().ok()?;
        let topology = scenario.get("fabric")?.get("topology")?;
        let word = |key: &str| {
            topology.get(key).map(ToString::to_string).map(|text| text.replace('"', ""))
        };
        let hosts = word("hosts").map(|hosts| format!("{hosts} hosts, ")).unwrap_or_default();
        let kind = word("kind").unwrap_or_default().replace('_', " ");
        let traffic =
            scenario.get("traffic").and_then(|own| own.get("kind")).and_then(toml::Value::as_str);
        let traffic =
            traffic.map(|kind| format!(", {}", kind.replace('_', " "))).unwrap_or_default();
        Some(format!("{hosts}{kind}{traffic}"))
    };
    runs.first().and_then(told).unwrap_or_else(|| "a run".to_owned())
}
