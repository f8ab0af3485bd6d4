//! Tables as files: Parquet, and CSV on request.

use super::groups::Shape;
use super::{Parts, Table, Values};
use parquet::errors::ParquetError;
use parquet::file::reader::SerializedFileReader;
use std::borrow::Borrow;
use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Parquet, compressed with Zstandard, with meanings and units in the metadata.
    #[default]
    Parquet,
    /// Comma-separated values with a header line (RFC 4180); what is absent is empty.
    Csv,
}

impl Format {
    /// The extension of the files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }

    /// The format that a file's name tells.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        [Self::Parquet, Self::Csv].into_iter().find(|format| extension == format.extension())
    }
}

/// Whether a table's file is whole, as far as its end shows.
///
/// # Errors
/// The file and why it is not.
pub fn sound(path: &Path, format: Format) -> Result<(), TableError> {
    let mut file = File::open(path).map_err(|error| TableError::new(path, error))?;
    match format {
        Format::Parquet => {
            SerializedFileReader::new(file).map_err(|error| TableError::new(path, error))?;
        }
        Format::Csv => {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))
                .and_then(|_| file.read_exact(&mut last))
                .map_err(|_| TableError::new(path, "the file is empty"))?;
            if last != *b"\n" {
                return Err(TableError::new(path, "its last line is cut off"));
            }
        }
    }
    Ok(())
}

/// A table could not be written or read.
#[derive(Debug)]
pub struct TableError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub reason: String,
}

impl TableError {
    pub(super) fn new(path: &Path, reason: impl fmt::Display) -> Self {
        Self { path: path.to_path_buf(), reason: reason.to_string() }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for TableError {}

/// Writes `table` into `folder` under its name and the format's extension; returns the path.
///
/// # Errors
/// The file and what the system said.
pub fn write(folder: &Path, table: &Table, format: Format) -> Result<PathBuf, TableError> {
    write_all(folder, table.name, [table], format)
}

/// Rows of one part of a table on their way to a file: some tens of megabytes.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The same of a table in parts, each a row group of a Parquet file.
///
/// # Errors
/// The file and what the system said.
pub fn write_parts(
    folder: &Path,
    table: &Parts<'_>,
    format: Format,
) -> Result<PathBuf, TableError> {
    if format == Format::Csv {
        return write_all(folder, table.name, table.split(ROWS_AT_ONCE), format);
    }
    let path = folder.join(format!("{}.{}", table.name, format.extension()));
    let told = |error: &dyn fmt::Display| TableError::new(&path, error);
    let file = File::create(&path).map_err(|error| told(&error))?;
    write_parquet_parts(file, table, ROWS_AT_ONCE, threads()).map_err(|error| told(&error))?;
    Ok(path)
}

/// The cores that there are for each of the runs that this one is among.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores / rayon::current_num_threads().max(1)
}

/// The same of a table whose parts are read as they are written: how many rows, and bytes of the file.
/// What ends the reading is the inner error; there is no file then.
///
/// # Errors
/// The file and what the system said.
pub fn write_read<E>(
    folder: &Path,
    name: &str,
    parts: impl IntoIterator<Item = Result<Table, E>>,
    format: Format,
) -> Result<Result<(u64, u64), E>, TableError> {
    let (mut rows, mut failed) = (0, None);
    let parts = parts.into_iter().map_while(|part| match part {
        Ok(part) => {
            rows += part.rows() as u64;
            Some(part)
        }
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    let path = write_all(folder, name, parts, format)?;
    let told = |error| TableError::new(&path, error);
    if let Some(error) = failed {
        std::fs::remove_file(&path).map_err(told)?;
        return Ok(Err(error));
    }
    Ok(Ok((rows, std::fs::metadata(&path).map_err(told)?.len())))
}

fn write_all(
    folder: &Path,
    name: &str,
    parts: impl IntoIterator<Item: Borrow<Table>>,
    format: Format,
) -> Result<PathBuf, TableError> {
    let path = folder.join(format!("{name}.{}", format.extension()));
    let file = File::create(&path).map_err(|error| TableError::new(&path, error))?;
    match format {
        Format::Parquet => write_parquet(file, parts).map_err(|e| TableError::new(&path, e))?,
        Format::Csv => write_csv(file, parts).map_err(|e| TableError::new(&path, e))?,
    }
    Ok(path)
}

fn write_parquet(
    file: File,
    parts: impl IntoIterator<Item: Borrow<Table>>,
) -> Result<(), ParquetError> {
    let mut parts = parts.into_iter().peekable();
    let Some(first) = parts.peek() else { return Ok(()) };
    let shape = Shape::of(first.borrow())?;
    let mut groups = shape.file(file)?;
    for part in parts {
        groups.add(shape.encode(part.borrow())?)?;
    }
    groups.end()
}

/// The same of parts of at most so many rows that are made as they are needed, so many at once, each by
/// a thread.
fn write_parquet_parts(
    file: File,
    table: &Parts<'_>,
    most: usize,
    threads: usize,
) -> Result<(), ParquetError> {
    let ranges: Vec<Range<usize>> = table.ranges(0..table.rows(), most).collect();
    let Some((first, others)) = ranges.split_first() else { return Ok(()) };
    let first = table.part(first.clone());
    let shape = Shape::of(&first)?;
    let mut groups = shape.file(file)?;
    groups.add(shape.encode(&first)?)?;
    drop(first);
    let encode = |range: &Range<usize>| shape.encode(&table.part(range.clone()));
    for ranges in others.chunks(threads.max(1)) {
        let Some((first, others)) = ranges.split_first() else { break };
        std::thread::scope(|scope| {
            let others: Vec<_> =
                others.iter().map(|range| scope.spawn(move || encode(range))).collect();
            groups.add(encode(first)?)?;
            for own in others {
                let group = own.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                groups.add(group?)?;
            }
            Ok::<(), ParquetError>(())
        })?;
    }
    groups.end()
}

fn write_csv(file: File, parts: impl IntoIterator<Item: Borrow<Table>>) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    for (number, part) in parts.into_iter().enumerate() {
        let part = part.borrow();
        if number == 0 {
            let names: Vec<String> = part.columns.iter().map(|c| quoted(&c.name)).collect();
            writeln!(out, "{}", names.join(","))?;
        }
        put_rows(&mut out, part)?;
    }
    out.flush()
}

fn put_rows(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    for row in 0..table.rows() {
        for (i, column) in table.columns.iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            match &column.values {
                Values::U64(values) => put_csv(out, values[row].as_ref())?,
                Values::F64(values) => put_csv(out, values[row].as_ref())?,
                Values::Bool(values) => put_csv(out, values[row].as_ref())?,
                Values::Text(values) => {
                    put_csv(out, values[row].as_deref().map(quoted).as_ref())?;
                }
                Values::Words(words) => put_csv(out, Some(&words[row]))?,
                Values::Same(text, _) => put_csv(out, Some(&quoted(text)))?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn put_csv(out: &mut impl Write, value: Option<&impl fmt::Display>) -> std::io::Result<()> {
    value.map_or(Ok(()), |value| write!(out, "{value}"))
}

/// `text` as a CSV field: in quotes if it holds a comma, a quote or a line's end.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::tables::of_run;
    use crate::study::tables::{Column, TableFile};
    use parquet::file::reader::FileReader;
    use parquet::record::Field;
    use raddle_sim::bound;

    /// The file's columns, read with the library's row reader.
    fn read_back(path: &Path, table: &Table) -> Vec<Values> {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let rows: Vec<Vec<Field>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().into_columns().into_iter().map(|(_, field)| field).collect())
            .collect();
        let column = |i: usize, values: &Values| {
            let cells = rows.iter().map(|row| &row[i]);
            match values {
                Values::U64(_) => Values::U64(
                    cells
                        .map(|f| match f {
                            Field::ULong(n) => Some(*n),
                            Field::Null => None,
                            other => panic!("{other:?}"),
                        })
                        .collect(),
                ),
                Values::F64(_) => Values::F64(
                    cells.map(|f| if let Field::Double(x) = f { Some(*x) } else { None }).collect(),
                ),
                Values::Same(text, _) => {
                    assert!(cells.clone().all(|f| matches!(f, Field::Str(read) if read == text)));
                    Values::Same(text.clone(), cells.len())
                }
                Values::Words(words) => {
                    assert!(cells.zip(words).all(|(f, w)| matches!(f, Field::Str(t) if t == w)));
                    Values::Words(words.clone())
                }
                Values::Text(_) => Values::Text(
                    cells
                        .map(|f| if let Field::Str(t) = f { Some(t.clone()) } else { None })
                        .collect(),
                ),
                Values::Bool(_) => Values::Bool(
                    cells.map(|f| if let Field::Bool(b) = f { Some(*b) } else { None }).collect(),
                ),
            }
        };
        table.columns.iter().enumerate().map(|(i, c)| column(i, &c.values)).collect()
    }

    #[test]
    fn what_is_written_as_parquet_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let plan = fixture::plan(7);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows.change(1, |flow| flow.acked = None);
        let ideals = bound::ideals(&plan);
        let tables = of_run("5ce7a110", &plan, &outcome, &ideals);
        let names: Vec<&str> = tables.iter().map(Parts::name).collect();
        assert_eq!(names, ["flows", "nodes", "ports", "layers", "series", "timeline", "events"]);
        for table in &tables {
            let path = write_parts(folder.path(), table, Format::Parquet).unwrap();
            let table = table.whole();
            let values: Vec<Values> = table.columns.iter().map(|c| c.values.clone()).collect();
            assert_eq!(read_back(&path, &table), values, "{}", table.name);
        }
    }

    #[test]
    fn a_file_does_not_show_in_how_many_parts_its_table_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let plan = fixture::plan(7);
        let outcome = fixture::engine(&plan, &mut ());
        for parts in of_run("5ce7a110", &plan, &outcome, &bound::ideals(&plan)) {
            let table = parts.whole();
            let values: Vec<Values> = table.columns.iter().map(|c| c.values.clone()).collect();
            let csv = std::fs::read(write(folder.path(), &table, Format::Csv).unwrap()).unwrap();
            for most in [1, 2, 100] {
                let write = |format| {
                    write_all(folder.path(), parts.name, parts.split(most), format).unwrap()
                };
                let path = write(Format::Parquet);
                assert_eq!(read_back(&path, &table), values, "{}", table.name);
                let one_after_the_other = std::fs::read(&path).unwrap();
                for threads in [1, 3] {
                    let file = File::create(&path).unwrap();
                    write_parquet_parts(file, &parts, most, threads).unwrap();
                    assert_eq!(std::fs::read(&path).unwrap(), one_after_the_other);
                }
                assert_eq!(std::fs::read(write(Format::Csv)).unwrap(), csv, "{}", table.name);
            }
        }
    }

    #[test]
    fn some_rows_are_read_as_of_the_whole_however_they_are_grouped() {
        let folder = tempfile::tempdir().unwrap();
        let plan = fixture::plan(7);
        let outcome = fixture::engine(&plan, &mut ());
        let ideals = bound::ideals(&plan);
        let tables = of_run("5ce7a110", &plan, &outcome, &ideals);
        let (flows, ports) = (&tables[0], tables.iter().find(|t| t.name == "ports").unwrap());
        for most in [1, 3, 1_000] {
            for parts in [flows, ports] {
                write_all(folder.path(), parts.name, parts.split(most), Format::Parquet).unwrap();
            }
            let read = |name| TableFile::open(folder.path(), name).unwrap().unwrap();
            let (flows, ports) = (read("flows"), read("ports"));
            let (rows, all) = (ports.rows(), ports.numbers("port").unwrap());
            assert_eq!(rows, 6);
            for part in [0..0, 0..1, 2..5, 5..6, 0..6] {
                assert_eq!(ports.numbers_of("port", part.clone()).unwrap(), all[part.clone()]);
                let texts = flows.texts("scenario").unwrap();
                let part = part.start.min(texts.len())..part.end.min(texts.len());
                assert_eq!(flows.texts_of("scenario", part.clone()).unwrap(), texts[part]);
            }
            for values in [0..1, 1..4, 3..1_000_000, 900_000..1_000_000, 5..5] {
                let within = |port: &f64| values.contains(&(*port as u64));
                let first = all.iter().position(within).unwrap_or(0);
                let count = all.iter().filter(|port| within(port)).count();
                assert_eq!(ports.rows_with("port", values).unwrap(), first..first + count);
            }
        }
    }

    #[test]
    fn a_table_without_rows_has_its_columns() {
        let folder = tempfile::tempdir().unwrap();
        let plan = fixture::plan(7);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows = Default::default();
        let ideals = bound::ideals(&plan);
        let tables = of_run("5ce7a110", &plan, &outcome, &ideals);
        let path = write_parts(folder.path(), &tables[0], Format::Parquet).unwrap();
        let empty: Vec<Values> = tables[0].whole().columns.into_iter().map(|c| c.values).collect();
        assert!(!empty.is_empty());
        assert_eq!(read_back(&path, &tables[0].whole()), empty);
        let path = write_parts(folder.path(), &tables[0], Format::Csv).unwrap();
        assert!(std::fs::read_to_string(path).unwrap().starts_with("scenario,seed,flow,"));
    }

    #[test]
    fn every_column_of_a_table_has_one_value_per_row() {
        let plan = fixture::plan(7);
        let outcome = fixture::engine(&plan, &mut ());
        for table in of_run("5ce7a110", &plan, &outcome, &bound::ideals(&plan)) {
            let table = table.whole();
            for column in &table.columns {
                assert_eq!(column.values.len(), table.rows(), "{}.{}", table.name, column.name);
            }
        }
    }

    #[test]
    fn csv_has_a_header_quotes_and_empty_cells() {
        let folder = tempfile::tempdir().unwrap();
        let column = |name: &str, values| Column {
            name: name.into(),
            unit: String::new(),
            meaning: String::new(),
            values,
        };
        let table = Table {
            name: "flows",
            meaning: "",
            columns: vec![
                column("a", Values::Text(vec![Some("x, \"y\"".into()), None])),
                column("b_us", Values::F64(vec![Some(1.5), Some(0.1)])),
                column("c", Values::Bool(vec![None, Some(true)])),
            ],
            scenario: None,
            seed: None,
        };
        let path = write(folder.path(), &table, Format::Csv).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, "a,b_us,c\n\"x, \"\"y\"\"\",1.5,\n,0.1,true\n");
    }
}
