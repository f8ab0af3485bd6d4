//! What the columns of a written table mean.

use super::files::TableError;
use super::groups::COLUMNS_KEY;
use super::{TABLES, TableSpec};
use crate::study::text::{count, left, width};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// One line of the explanation: name, unit, meaning.
type Line = (String, String, String);

/// The columns of a table that raddle wrote, with unit and meaning, and what the file says of its
/// origin. Parquet files carry all of it; of a CSV file its name tells the table.
///
/// # Errors
/// The file and why it is none of ours.
pub fn explain(path: &Path) -> Result<String, TableError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => explain_parquet(path),
        Some("csv") => explain_csv(path),
        _ => Err(TableError::new(path, "expected a table, a file named *.parquet or *.csv")),
    }
}

fn explain_parquet(path: &Path) -> Result<String, TableError> {
    let error = |reason: &dyn std::fmt::Display| TableError::new(path, reason);
    let file = File::open(path).map_err(|e| error(&e))?;
    let reader = SerializedFileReader::new(file).map_err(|e| error(&e))?;
    let metadata = reader.metadata().file_metadata();
    let pairs = metadata.key_value_metadata().map(Vec::as_slice).unwrap_or_default();
    let find = |key: &str| pairs.iter().find(|pair| pair.key == key)?.value.as_deref();
    let columns: Value = find(COLUMNS_KEY)
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| error(&"the file was not written by raddle"))?;
    let word = |column: &str, key: &str| columns[column][key].as_str().unwrap_or("").to_string();
    let lines: Vec<Line> = metadata
        .schema()
        .get_fields()
        .iter()
        .map(|field| field.name().to_string())
        .map(|name| (name.clone(), word(&name, "unit"), word(&name, "meaning")))
        .collect();
    let rows = count(metadata.num_rows().try_into().unwrap_or(0));
    let mut head = find("raddle.meaning").unwrap_or_default().to_string();
    head.push_str(&format!("\nrows: {rows}"));
    for (key, name) in [("scenario", "scenario"), ("seed", "seed"), ("version", "raddle")] {
        if let Some(value) = find(&format!("raddle.{key}")) {
            head.push_str(&format!("   {name}: {value}"));
        }
    }
    Ok(layout(path, &head, &lines))
}

fn explain_csv(path: &Path) -> Result<String, TableError> {
    let error = |reason: &dyn std::fmt::Display| TableError::new(path, reason);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let spec: &TableSpec =
        TABLES.iter().copied().find(|spec| spec.name == stem).ok_or_else(|| {
            let names: Vec<String> = TABLES.iter().map(|t| format!("{}.csv", t.name)).collect();
            error(&format!("expected one of {}", names.join(", ")))
        })?;
    let file = File::open(path).map_err(|e| error(&e))?;
    let mut header = String::new();
    BufReader::new(file).read_line(&mut header).map_err(|e| error(&e))?;
    let columns = spec.columns();
    let lines: Vec<Line> = header
        .trim_end()
        .split(',')
        .map(|name| match columns.iter().find(|column| column.name == name) {
            Some(column) => (name.into(), column.unit.into(), column.meaning.into()),
            None => (name.into(), String::new(), "a key that the sweep set".into()),
        })
        .collect();
    Ok(layout(path, spec.meaning, &lines))
}

fn layout(path: &Path, head: &str, lines: &[Line]) -> String {
    let cells = |of: fn(&Line) -> &String| lines.iter().map(|l| width(of(l))).max().unwrap_or(0);
    let (names, units) = (cells(|l| &l.0), cells(|l| &l.1));
    let mut text = format!("{}: {head}\n\n", path.display());
    for (name, unit, meaning) in lines {
        text.push_str(&format!("  {}  {}  {meaning}\n", left(name, names), left(unit, units)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::tables::{Format, of_run, write_parts};

    #[test]
    fn every_column_of_every_table_says_what_it_means() {
        for spec in TABLES {
            for column in spec.columns() {
                assert!(!column.meaning.is_empty(), "{}.{}", spec.name, column.name);
                let suffixed = ["_us", "_s", "_pct", "_gbps"]
                    .iter()
                    .any(|suffix| column.name.ends_with(suffix));
                assert!(!suffixed || !column.unit.is_empty(), "{}.{}", spec.name, column.name);
            }
        }
    }

    #[test]
    fn a_written_table_explains_itself() {
        let folder = tempfile::tempdir().unwrap();
        let plan = fixture::plan(7);
        let outcome = fixture::engine(&plan, &mut ());
        let ideals = raddle_sim::bound::ideals(&plan);
        let tables = of_run("5ce7a110", &plan, &outcome, &ideals);
        let parquet = write_parts(folder.path(), &tables[0], Format::Parquet).unwrap();
        let text = explain(&parquet).unwrap();
        let line = "fct_us                 us        start to last needed ACK at the sender";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("rows: 2   scenario: 5ce7a110   seed: 7   raddle: "), "{text}");
        let csv = write_parts(folder.path(), &tables[0], Format::Csv).unwrap();
        assert!(explain(&csv).unwrap().contains(line));
    }

    #[test]
    fn other_files_are_refused_with_what_would_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.csv");
        std::fs::write(&path, "a,b\n").unwrap();
        let message = explain(&path).unwrap_err().to_string();
        assert!(message.contains("flows.csv"), "{message}");
        assert!(explain(Path::new("notes.txt")).is_err());
    }
}
