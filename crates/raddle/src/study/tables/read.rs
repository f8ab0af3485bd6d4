//! Tables read back from their files, a column at a time.

use super::files::TableError;
use super::groups::COLUMNS_KEY;
use super::{Column, TABLES, Table, Values};
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use serde_json::Value;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A table that raddle wrote as Parquet.
pub struct TableFile {
    path: PathBuf,
    file: SerializedFileReader<File>,
}

impl TableFile {
    /// The table `name` of a run's folder; `None` where the run has none.
    ///
    /// # Errors
    /// The file and why it cannot be read.
    pub fn open(folder: &Path, name: &str) -> Result<Option<Self>, TableError> {
        let path = folder.join(format!("{name}.parquet"));
        if !path.exists() {
            return Ok(None);
        }
        let file = File::open(&path).map_err(|error| TableError::new(&path, error))?;
        let file = SerializedFileReader::new(file).map_err(|e| TableError::new(&path, e))?;
        Ok(Some(Self { path, file }))
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        usize::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// The names of its columns, in order.
    pub fn names(&self) -> Vec<String> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        schema.columns().iter().map(|column| column.name().to_owned()).collect()
    }

    /// A column of numbers or flags: flags are 0 and 1, and what is absent is not a number.
    ///
    /// # Errors
    /// The file, where it has no such column, holds texts there, or is damaged.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, TableError> {
        self.numbers_of(name, 0..self.rows())
    }

    /// The same of these rows alone; groups of rows without any of them are not read.
    ///
    /// # Errors
    /// As of [`numbers`](Self::numbers).
    pub fn numbers_of(&self, name: &str, rows: Range<usize>) -> Result<Vec<f64>, TableError> {
        let mut all = Vec::with_capacity(rows.len());
        for (group, own) in self.groups_of(&rows) {
            let (reader, rows) = self.reader(name, group)?;
            let read = match reader {
                ColumnReader::Int64ColumnReader(_) => {
                    // Whole numbers up to 2^53 stay exact: 2.5 hours in picoseconds.
                    put::<Int64Type, _>(reader, rows, &mut all, |n| *n as f64)
                }
                ColumnReader::DoubleColumnReader(_) => {
                    put::<DoubleType, _>(reader, rows, &mut all, |x| *x)
                }
                ColumnReader::BoolColumnReader(_) => {
                    put::<BoolType, _>(reader, rows, &mut all, |b| f64::from(u8::from(*b)))
                }
                _ => return Err(self.wrong(format!("column `{name}` has no numbers"))),
            };
            read.map_err(|error| self.wrong(error))?;
            keep(&mut all, rows, own);
        }
        Ok(all.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }

    /// The rows whose value in a column of whole numbers that never fall is in `values`. Of groups of rows
    /// that cannot have any only the least and the most are read.
    ///
    /// # Errors
    /// As of [`numbers`](Self::numbers).
    pub fn rows_with(&self, name: &str, values: Range<u64>) -> Result<Range<usize>, TableError> {
        let (mut first, mut count, mut from) = (None, 0, 0);
        for group in 0..self.file.num_row_groups() {
            let rows = self.rows_of_group(group);
            let bounds = self.bounds(name, group)?;
            if bounds.is_none_or(|(least, most)| least < values.end && values.start <= most) {
                let column = self.numbers_of(name, from..from + rows)?;
                let below = |value: u64| column.partition_point(|own| *own < value as f64);
                let own = below(values.start)..below(values.end);
                if !own.is_empty() {
                    first.get_or_insert(from + own.start);
                    count += own.len();
                }
            }
            from += rows;
        }
        let first = first.unwrap_or(0);
        Ok(first..first + count)
    }

    /// The least and the most of a column of whole numbers in a group of rows, where the file has them.
    fn bounds(&self, name: &str, group: usize) -> Result<Option<(u64, u64)>, TableError> {
        let at = self.place_of(name)?;
        let Some(Statistics::Int64(own)) =
            self.file.metadata().row_group(group).column(at).statistics()
        else {
            return Ok(None);
        };
        Ok(own.min_opt().zip(own.max_opt()).map(|(least, most)| (*least as u64, *most as u64)))
    }

    /// A column of texts.
    ///
    /// # Errors
    /// As of [`numbers`](Self::numbers), where it holds no texts.
    pub fn texts(&self, name: &str) -> Result<Vec<Option<String>>, TableError> {
        self.texts_of(name, 0..self.rows())
    }

    /// The same of these rows alone; groups of rows without any of them are not read.
    ///
    /// # Errors
    /// As of [`texts`](Self::texts).
    pub fn texts_of(
        &self,
        name: &str,
        rows: Range<usize>,
    ) -> Result<Vec<Option<String>>, TableError> {
        let mut all = Vec::with_capacity(rows.len());
        for (group, own) in self.groups_of(&rows) {
            let (reader, rows) = self.reader(name, group)?;
            if !matches!(reader, ColumnReader::ByteArrayColumnReader(_)) {
                return Err(self.wrong(format!("column `{name}` has no texts")));
            }
            put::<ByteArrayType, _>(reader, rows, &mut all, |text| text_of(text.data()))
                .map_err(|error| self.wrong(error))?;
            keep(&mut all, rows, own);
        }
        Ok(all)
    }

    /// In how many groups its rows are.
    pub fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// A group of its rows, as they were written; `name` is one of [`TABLES`].
    ///
    /// # Errors
    /// The file, where it is damaged or has columns that no table has.
    pub fn part(&self, name: &'static str, group: usize) -> Result<Table, TableError> {
        let spec = TABLES.iter().find(|table| table.name == name);
        let told = self.told();
        let columns = self.names().into_iter().enumerate().map(|(at, name)| {
            let of = |key: &str| told[&name][key].as_str().unwrap_or_default().to_owned();
            let (unit, meaning) = (of("unit"), of("meaning"));
            Ok(Column { values: self.values(group, at)?, name, unit, meaning })
        });
        let columns = columns.collect::<Result<_, TableError>>()?;
        let meaning = spec.map_or("", |spec| spec.meaning);
        Ok(Table { name, meaning, columns, scenario: None, seed: None })
    }

    /// What its metadata says of its columns.
    fn told(&self) -> Value {
        let pairs = self.file.metadata().file_metadata().key_value_metadata();
        let own = pairs.into_iter().flatten().find(|pair| pair.key == COLUMNS_KEY);
        let text = own.and_then(|pair| pair.value.as_deref()).unwrap_or("{}");
        serde_json::from_str(text).unwrap_or(Value::Null)
    }

    /// A column of a row group, as it was written.
    fn values(&self, group: usize, at: usize) -> Result<Values, TableError> {
        let group = self.file.get_row_group(group).map_err(|error| self.wrong(error))?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let reader = group.get_column_reader(at).map_err(|error| self.wrong(error))?;
        let read = match reader {
            ColumnReader::Int64ColumnReader(_) => {
                all::<Int64Type, _>(reader, rows, |n| *n as u64).map(Values::U64)
            }
            ColumnReader::DoubleColumnReader(_) => {
                all::<DoubleType, _>(reader, rows, |x| *x).map(Values::F64)
            }
            ColumnReader::BoolColumnReader(_) => {
                all::<BoolType, _>(reader, rows, |flag| *flag).map(Values::Bool)
            }
            ColumnReader::ByteArrayColumnReader(_) => {
                all::<ByteArrayType, _>(reader, rows, |text| text_of(text.data())).map(Values::Text)
            }
            _ => return Err(self.wrong("it has columns that none of our tables has")),
        };
        read.map_err(|error| self.wrong(error))
    }

    /// The groups that have some of these rows, and which of their own those are.
    fn groups_of(&self, rows: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let mut from = 0;
        let mut found = Vec::new();
        for group in 0..self.file.num_row_groups() {
            let count = self.rows_of_group(group);
            let own = rows.start.clamp(from, from + count)..rows.end.clamp(from, from + count);
            if !own.is_empty() {
                found.push((group, own.start - from..own.end - from));
            }
            from += count;
        }
        found
    }

    /// The rows of each group, in order.
    pub fn rows_by_group(&self) -> Vec<Range<usize>> {
        let mut from = 0;
        let groups = 0..self.file.num_row_groups();
        let rows = groups.map(|group| {
            let own = from..from + self.rows_of_group(group);
            from = own.end;
            own
        });
        rows.collect()
    }

    fn rows_of_group(&self, group: usize) -> usize {
        usize::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    fn place_of(&self, name: &str) -> Result<usize, TableError> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let at = schema.columns().iter().position(|column| column.name() == name);
        at.ok_or_else(|| self.wrong(format!("it has no column `{name}`")))
    }

    /// A reader of a row group's column, and its rows.
    fn reader(&self, name: &str, group: usize) -> Result<(ColumnReader, usize), TableError> {
        let at = self.place_of(name)?;
        let rows = self.rows_of_group(group);
        let group = self.file.get_row_group(group).map_err(|error| self.wrong(error))?;
        let reader = group.get_column_reader(at).map_err(|error| self.wrong(error))?;
        Ok((reader, rows))
    }

    /// Whether a column holds numbers, so that texts and numbers are told apart.
    pub fn is_number(&self, name: &str) -> bool {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let column = schema.columns().iter().find(|column| column.name() == name);
        column.is_some_and(|column| column.physical_type() != PhysicalType::BYTE_ARRAY)
    }

    fn wrong(&self, reason: impl std::fmt::Display) -> TableError {
        TableError::new(&self.path, reason)
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Of the last `of` values only those in `own` stay.
fn keep<V>(all: &mut Vec<V>, of: usize, own: Range<usize>) {
    let from = all.len() - of;
    all.truncate(from + own.end);
    all.drain(from..from + own.start);
}

/// A row group's values.
fn all<T: DataType, V: Clone>(
    reader: ColumnReader,
    rows: usize,
    convert: impl Fn(&T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let mut all = Vec::with_capacity(rows);
    put::<T, V>(reader, rows, &mut all, convert)?;
    Ok(all)
}

/// Adds a row group's values, `None` for what is absent.
fn put<T: DataType, V: Clone>(
    reader: ColumnReader,
    rows: usize,
    all: &mut Vec<Option<V>>,
    convert: impl Fn(&T::T) -> V,
) -> Result<(), ParquetError> {
    let mut reader = get_typed_column_reader::<T>(reader);
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    while levels.len() < rows {
        let (read, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            return Err(ParquetError::EOF("it is cut off".to_owned()));
        }
    }
    let mut present = values.iter();
    all.extend(
        levels.iter().map(|level| (*level > 0).then(|| present.next().map(&convert)).flatten()),
    );
    Ok(())
}
