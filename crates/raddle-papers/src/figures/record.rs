//! `result.json`: what a figure's last full run gave, kept beside its scenario and claims.

use super::Figure;
use super::cells::FigureCell;
use super::increase::{BoundName, NamedBound};
use super::measured::Measured;
use super::number::Number;
use super::prepare::Outlined;
use super::result::{Drawn, FigureResult};
use raddle::study::VERSION;
use raddle_schemes::family::{Parameter, Raw};
use serde_json::{Value, json};

impl FigureResult {
    /// The text of `result.json`: the same on every machine. An entry of a list is a line.
    pub fn record(&self) -> String {
        let record = self.record_json();
        let lines: Vec<String> = record
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| match value {
                Value::Array(entries) if key != "seeds" => list(key, entries),
                value => format!("  \"{key}\": {value}"),
            })
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// A number of the pictures that no cell has, because the record was made before they were asked
    /// for, or because the fabric has no such layer. What every summary has is left out where it is
    /// 0.
    fn undrawn(&self) -> Option<Number> {
        let has = |number| self.cells.iter().any(|cell| cell.number(number).is_some());
        let mut drawn = self.chart.iter().flatten().copied();
        drawn.find(|&number| !number.is_always_kept() && !has(number))
    }

    /// What is kept of the result; see docs/formats.md.
    pub(super) fn record_json(&self) -> Value {
        let mut record = json!({
            "schema": "raddle.figure/1",
            "figure": self.figure.name,
            "version": VERSION,
            "mode": self.mode.word(),
            "seeds": self.seeds(),
        });
        if let Some(reduced) = &self.reduced {
            record["reduced"] = json!(reduced);
        }
        record["scenarios"] = self.cells.iter().map(FigureCell::json).collect();
        if let Some(curves) = &self.curves {
            record["curves"] = curves.json();
        }
        if !self.traces.is_empty() {
            let lines = self.traces.iter().flat_map(|(trace, drawn)| trace.json(&drawn.lines));
            record["traces"] = lines.collect();
        }
        record["claims"] = json!(self.claims_json());
        record
    }
}

impl Figure {
    /// What its last full run gave, judged by its claims as they are; without the runs.
    ///
    /// # Errors
    /// What is wrong with the figure's files, or what its `result.json` lacks.
    pub fn recorded(&self) -> Result<FigureResult, String> {
        let outlined = self.outlined().map_err(|problems| problems.render(false))?;
        let stale = |what: &str| format!("figures/{}/result.json: {what}", self.name);
        let record = serde_json::from_str(self.result).map_err(|why| stale(&why.to_string()))?;
        let result = outlined.read(&record).map_err(stale)?;
        match result.undrawn() {
            Some(number) => Err(stale(&format!("no cell has `{}`, which is drawn", number.word()))),
            None => Ok(result),
        }
    }
}

impl Outlined {
    /// The result that [`FigureResult::record_json`] made, judged by the claims as they are; without
    /// the runs.
    ///
    /// # Errors
    /// What it lacks.
    pub(super) fn read(self, record: &Value) -> Result<FigureResult, &'static str> {
        let entries = |key: &str| record[key].as_array().into_iter().flatten();
        let claims = self.claims.claims.iter();
        let measured: Option<Vec<_>> = claims
            .map(|claim| measured(entries("claims").find(|kept| kept["id"] == *claim.id)?))
            .collect();
        let measured = measured.ok_or("a claim is missing")?;
        let own = self.outline.iter().flat_map(|outline| &outline.cells);
        let cells: Option<Vec<_>> = entries("scenarios").map(FigureCell::read).collect();
        let cells = cells.filter(|cells| own.eq(cells.iter().map(|cell| &cell.settings)));
        let cells = cells.ok_or("it has other cells than the scenario")?;
        let curves = match &self.claims.curves {
            Some(curves) => curves.read(entries("curves")).ok_or("it has other curves")?,
            None => Vec::new(),
        };
        let outline = self.outline.as_ref();
        let traces = self.claims.traces.iter();
        let traces: Option<Vec<_>> =
            traces.map(|trace| trace.read(entries("traces"), outline)).collect();
        let kept = entries("traces").count();
        let traces = traces.filter(|lines| lines.concat().len() == kept);
        let drawn = Drawn { curves, traces: traces.ok_or("it has other traces")? };
        Ok(self.judge(measured, cells, drawn, Vec::new()))
    }
}

/// What was measured for a claim, if that is what the object says.
fn measured(value: &Value) -> Option<Measured> {
    let measured = value.get("measured")?;
    let bounds = value.get("bounds").and_then(Value::as_array).into_iter().flatten().map(|bound| {
        let name = BoundName::read(Raw::Text(bound.get("bound")?.as_str()?)).ok()?;
        Some(NamedBound { name, us: bound.get("us")?.as_f64()? })
    });
    let value = if measured.is_null() { None } else { Some(measured.as_f64()?) };
    Some(Measured { value, bounds: bounds.collect::<Option<_>>()? })
}

/// A key and a list of JSON, an entry a line.
fn list(key: &str, entries: &[Value]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| format!("\n    {entry}")).collect();
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
            assert!(
                recorded.record() == figure.result,
                "{}: differs once written again",
                figure.name
            );
        }
    }
}
