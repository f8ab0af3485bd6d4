//! Tables as CSV, read by the crate `csv`, against the same as Parquet and what the run left.

use super::{Exported, PACKETS};
use crate::export::{ExportError, tables};
use crate::results::Kept;
use crate::study::tables::{Format, TABLES, Table, TableFile, Values};
use std::fs;
use std::path::Path;

/// A table's rows as texts, the names of its columns first; none where there is no file.
fn csv_rows(folder: &Path, name: &str) -> Option<Vec<Vec<String>>> {
    let file = fs::File::open(folder.join(format!("{name}.csv"))).ok()?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
    let row = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
    Some(reader.records().map(|own| row(own.unwrap())).collect())
}

/// The same of Parquet.
fn parquet_rows(folder: &Path, name: &'static str) -> Option<Vec<Vec<String>>> {
    let table = TableFile::open(folder, name).unwrap()?;
    let mut rows = vec![table.names()];
    for group in 0..table.groups() {
        let part = table.part(name, group).unwrap();
        rows.extend((0..part.rows()).map(|row| texts(&part, row)));
    }
    Some(rows)
}

fn texts(part: &Table, row: usize) -> Vec<String> {
    let cell = |values: &Values| match values {
        Values::U64(values) => values[row].map(|n| n.to_string()),
        Values::F64(values) => values[row].map(|x| x.to_string()),
        Values::Bool(values) => values[row].map(|flag| flag.to_string()),
        Values::Text(values) => values[row].clone(),
        Values::Words(words) => Some(words[row].to_owned()),
        Values::Same(text, _) => Some(text.clone()),
    };
    part.columns.iter().map(|column| cell(&column.values).unwrap_or_default()).collect()
}

#[test]
fn csv_and_parquet_have_the_values_of_the_run() {
    let run = Exported::of(PACKETS);
    let (csv, parquet) = (run.path("new/csv"), run.path("new/parquet"));
    let runs = [run.run.clone()];
    let written = tables(&runs, &csv, Format::Csv).unwrap();
    assert_eq!(tables(&runs, &parquet, Format::Parquet).unwrap().records, written.records);
    let mut rows = 0;
    for name in TABLES.iter().map(|table| table.name) {
        let own = parquet_rows(&run.run.folder, name);
        assert_eq!(parquet_rows(&parquet, name), own, "{name}");
        assert_eq!(csv_rows(&csv, name), own, "{name}");
        rows += own.map_or(0, |own| own.len() - 1);
    }
    assert_eq!(written.records, rows as u64);
    let files = fs::read_dir(&csv).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    assert_eq!(written.bytes, files.sum::<u64>());
    // A name with a comma and quotes is the one that the scenario has.
    let flows = csv_rows(&csv, "flows").unwrap();
    let job = flows[0].iter().position(|name| name == "job").unwrap();
    assert!(flows.iter().any(|row| row[job] == "all, \"ü\""));
    assert!(flows[0].contains(&"fct_us".to_owned()) && flows[0].contains(&"size_bytes".to_owned()));
    // Units and meanings go along.
    let part = TableFile::open(&parquet, "hops").unwrap().unwrap().part("hops", 0).unwrap();
    let stay = part.column("stay_ps").unwrap();
    assert_eq!(stay.unit, "ps");
    assert_eq!(stay.meaning, "until its last bit left, or it was lost");
}

#[test]
fn hops_of_several_runs_name_rows_of_the_packets_beside_them() {
    let (one, two) = (Exported::of("[record]\nflows = [0]\n"), Exported::of(PACKETS));
    let csv = one.path("csv");
    tables(&[one.run.clone(), two.run.clone()], &csv, Format::Csv).unwrap();
    let (packets, hops) = (csv_rows(&csv, "packets").unwrap(), csv_rows(&csv, "hops").unwrap());
    assert_eq!(packets.len() - 1, one.outcome.packets.len() + two.outcome.packets.len());
    let place = |name: &str| hops[0].iter().position(|own| own == name).unwrap();
    let (packet, port) = (place("packet"), place("port"));
    let after = one.outcome.packets.len() as u64;
    let own = one.outcome.packets.hops().map(|hop| (hop.packet, hop.port.0));
    let other = two.outcome.packets.hops().map(|hop| (hop.packet + after, hop.port.0));
    let number = |text: &str| text.parse::<u64>().unwrap();
    let found = hops[1..].iter().map(|row| (number(&row[packet]), number(&row[port]) as u32));
    assert!(found.eq(own.chain(other)));
    // `series` is of the second alone.
    assert_eq!(csv_rows(&csv, "series"), parquet_rows(&two.run.folder, "series"));
}

#[test]
fn tables_of_an_earlier_export_stay_and_are_told() {
    let (one, two) = (Exported::of(PACKETS), Exported::of(""));
    let csv = one.path("csv");
    let first = tables(std::slice::from_ref(&one.run), &csv, Format::Csv).unwrap();
    assert!(first.notes.is_empty(), "{:?}", first.notes);
    let notes = tables(std::slice::from_ref(&two.run), &csv, Format::Csv).unwrap().notes;
    let told = "packets.csv is of an earlier export: these runs have no such table";
    assert!(notes.iter().any(|note| note.ends_with(told)), "{notes:?}");
    assert!(csv_rows(&csv, "packets").is_some());
}

#[test]
fn what_cannot_be_written_as_tables_is_told() {
    let run = Exported::of("");
    let runs = [run.run.clone()];
    let own = tables(&runs, &run.run.folder, Format::Parquet).unwrap_err();
    assert!(matches!(&own, ExportError::OwnFolder(_)) && own.is_input(), "{own}");
    let file = run.path("a file");
    fs::write(&file, "").unwrap();
    let none = tables(&runs, &file.join("below"), Format::Csv).unwrap_err();
    assert!(!none.is_input() && none.to_string().contains("below"), "{none}");
    fs::write(run.path("ports.parquet"), "PAR1").unwrap();
    let told = tables(&runs, &run.path("csv"), Format::Csv).unwrap_err();
    assert!(told.is_input() && told.to_string().contains("ports.parquet"), "{told}");
    let csv = Kept { folder: run.path("csv"), name: String::new() };
    let told = tables(&[csv], &run.path("more"), Format::Csv).unwrap_err().to_string();
    assert!(told.contains("its tables are CSV, and Parquet is read"), "{told}");
}
