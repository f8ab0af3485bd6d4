//! All tables of some runs in one folder, as CSV or Parquet: rows of a table run by run, whose scenario
//! and seed are its first columns.

use super::{ExportError, Written};
use crate::results::{Kept, ResultsError, needed};
use crate::study::tables::{
    Column, Format, TABLES, Table, TableError, TableFile, Values, write_read,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The table whose rows are runs; it lies beside them.
const RUNS: &str = "runs";
/// The table with numbers of rows of another one, and the column of these.
const NUMBERED: (&str, &str, &str) = ("hops", "packet", "packets");

/// Writes every table of `runs` into `folder`. Files of other tables that it holds stay, and are told.
///
/// # Errors
/// Damaged folders, runs whose tables have other columns than the first's, a file that cannot be
/// written.
pub fn tables(runs: &[Kept], folder: &Path, format: Format) -> Result<Written, ExportError> {
    refuse_own(runs, folder)?;
    for run in runs {
        needed(&run.folder, "flows")?;
    }
    fs::create_dir_all(folder).map_err(|error| ExportError::write(folder, &error))?;
    let mut written = Written::default();
    for name in TABLES.iter().map(|table| table.name) {
        let parts = if name == RUNS { rows_of_runs(runs)? } else { parts(runs, name)? };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            let earlier = folder.join(format!("{name}.{}", format.extension()));
            if earlier.exists() {
                let why = "is of an earlier export: these runs have no such table";
                written.notes.push(format!("{} {why}", earlier.display()));
            }
            continue;
        }
        let done = write_read(folder, name, same_columns(parts), format);
        let (rows, bytes) =
            done.map_err(|error| ExportError::Write(error.path, error.reason))??;
        written.records += rows;
        written.bytes += bytes;
    }
    Ok(written)
}

/// A file that is read must not be written.
fn refuse_own(runs: &[Kept], folder: &Path) -> Result<(), ExportError> {
    let Ok(into) = folder.canonicalize() else { return Ok(()) };
    let is_own = |run: &Kept| {
        let own = run.folder.canonicalize().unwrap_or_default();
        own == into || own.parent() == Some(&into)
    };
    match runs.iter().any(is_own) {
        true => Err(ExportError::OwnFolder(folder.to_path_buf())),
        false => Ok(()),
    }
}

/// Parts of a table, read one after the other.
type Parts<'a> = Box<dyn Iterator<Item = Result<Table, TableError>> + 'a>;

/// A table of every run that has it.
fn parts(runs: &[Kept], name: &'static str) -> Result<Parts<'static>, ExportError> {
    let mut all: Parts<'static> = Box::new(std::iter::empty());
    let mut rows_before = 0;
    for run in runs {
        let rows = match TableFile::open(&run.folder, NUMBERED.2)? {
            Some(table) if name == NUMBERED.0 => table.rows() as u64,
            _ => 0,
        };
        if let Some(table) = TableFile::open(&run.folder, name)? {
            let before = rows_before;
            let own = (0..table.groups()).map(move |group| {
                let mut part = table.part(name, group)?;
                let numbers = part.columns.iter_mut().filter(|_| name == NUMBERED.0);
                numbers.for_each(|column| count_from(column, before));
                Ok(part)
            });
            all = Box::new(all.chain(own));
        }
        rows_before += rows;
    }
    Ok(all)
}

/// Numbers of rows of a table, before which those of other runs stand.
fn count_from(column: &mut Column, before: u64) {
    if let (true, Values::U64(numbers)) = (column.name == NUMBERED.1, &mut column.values) {
        numbers.iter_mut().flatten().for_each(|number| *number += before);
    }
}

/// Rows of `runs` of these runs.
fn rows_of_runs(runs: &[Kept]) -> Result<Parts<'static>, ExportError> {
    let Some(place) = runs.first().and_then(|run| run.folder.parent()) else {
        return Ok(Box::new(std::iter::empty()));
    };
    let Some(table) = TableFile::open(place, RUNS)? else {
        return Ok(Box::new(std::iter::empty()));
    };
    let mut chosen = BTreeSet::new();
    for run in runs {
        let told = crate::results::summary(&run.folder)?;
        let scenario = told["scenario"].as_str().unwrap_or_default().to_owned();
        chosen.insert((Some(scenario), told["seed"].as_u64()));
    }
    let lacks = || {
        let path = place.join("runs.parquet");
        ResultsError::Damaged(path, "it lacks scenarios or seeds".to_owned())
    };
    let mut all = Vec::new();
    for group in 0..table.groups() {
        let mut part = table.part(RUNS, group)?;
        let of = |name: &str| part.column(name).map(|column| &column.values);
        let (Some(Values::Text(scenarios)), Some(Values::U64(seeds))) =
            (of("scenario"), of("seed"))
        else {
            return Err(lacks().into());
        };
        let rows = scenarios.iter().zip(seeds);
        let keep: Vec<bool> =
            rows.map(|(scenario, seed)| chosen.contains(&(scenario.clone(), *seed))).collect();
        part.keep(&keep);
        all.push(Ok(part));
    }
    Ok(Box::new(all.into_iter()))
}

/// Parts whose columns have to be those of the first.
fn same_columns(
    parts: impl Iterator<Item = Result<Table, TableError>>,
) -> impl Iterator<Item = Result<Table, TableError>> {
    let mut first: Option<Vec<(String, u8)>> = None;
    parts.map(move |part| {
        let part = part?;
        let kinds = part.columns.iter().map(|column| (column.name.clone(), kind(&column.values)));
        let kinds: Vec<_> = kinds.collect();
        if first.get_or_insert_with(|| kinds.clone()) == &kinds {
            return Ok(part);
        }
        Err(TableError {
            path: format!("{}.parquet", part.name).into(),
            reason: "its columns differ between the runs: they are of several versions".to_owned(),
        })
    })
}

fn kind(values: &Values) -> u8 {
    match values {
        Values::U64(_) => 0,
        Values::F64(_) => 1,
        Values::Text(_) | Values::Words(_) | Values::Same(..) => 2,
        Values::Bool(_) => 3,
    }
}
