//! `result.json`: what a figure's last full run gave, kept beside its scenario and claims.

use super::cells::FigureCell;
use super::kept::measured_of;
use super::result::FigureResult;
use super::{Figure, Mode};
use crate::study::VERSION;
use serde_json::{Value, json};

impl FigureResult {
    /// What is kept in `result.json`: the same on every machine. An entry of a list is a line.
    pub fn record(&self) -> String {
        let hashes = self.study.iter().flat_map(|study| &study.cells);
        let cells = self.cells.iter().zip(hashes).map(|(cell, own)| {
            let mut cell = cell.json();
            cell["hash"] = json!(own.scenario.hash());
            cell
        });
        let mut record = vec![
            ("schema", json!("raddle.figure/1")),
            ("figure", json!(self.figure.name)),
            ("version", json!(VERSION)),
            ("mode", json!(self.mode.word())),
            ("seeds", json!(self.seeds())),
        ];
        record.extend(self.reduced.iter().map(|reduced| ("reduced", json!(reduced))));
        let mut lines: Vec<String> =
            record.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
        lines.push(list("scenarios", cells));
        lines.push(list("claims", self.claims_json()));
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

impl Figure {
    /// What its last full run gave, judged by its claims as they are; without the runs.
    ///
    /// # Errors
    /// What is wrong with the figure's files, or what its `result.json` lacks.
    pub fn recorded(&self) -> Result<FigureResult, String> {
        let prepared = self.prepare(Mode::Full).map_err(|problems| problems.render(false))?;
        let stale = |what: &str| format!("figures/{}/result.json: {what}", self.name);
        let record: Value =
            serde_json::from_str(self.result).map_err(|error| stale(&error.to_string()))?;
        let entries = |key: &str| record[key].as_array().into_iter().flatten();
        let cells: Option<Vec<_>> = entries("scenarios").map(FigureCell::read).collect();
        let claims = prepared.claims.claims.iter();
        let measured: Option<Vec<_>> = claims
            .map(|claim| measured_of(entries("claims").find(|kept| kept["id"] == *claim.id)?))
            .collect();
        let measured = measured.ok_or_else(|| stale("a claim is missing"))?;
        let own = prepared.study.iter().flat_map(|study| &study.cells).map(|cell| &cell.settings);
        let cells = cells.filter(|cells| own.eq(cells.iter().map(|cell| &cell.settings)));
        let cells = cells.ok_or_else(|| stale("other cells than the scenario's"))?;
        Ok(FigureResult::judge(prepared, measured, cells, Vec::new()))
    }
}

/// A key and a list of JSON, an entry a line.
fn list(key: &str, values: impl IntoIterator<Item = Value>) -> String {
    let lines: Vec<String> = values.into_iter().map(|value| format!("\n    {value}")).collect();
    let end = if lines.is_empty() { "" } else { "\n  " };
    format!("  \"{key}\": [{}{end}]", lines.join(","))
}

#[cfg(test)]
mod tests {
    use crate::figures::FIGURES;

    #[test]
    fn every_record_is_read_as_it_was_written() {
        for figure in FIGURES {
            let recorded = figure.recorded().unwrap();
            assert_eq!(recorded.record(), figure.result, "{}", figure.name);
        }
    }
}
