//! Tables read back from their files, a column at a time.

use super::files::{COLUMNS_KEY, TableError};
use super::{Column, TABLES, Table, Values};
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::File;
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
        let mut all = Vec::with_capacity(self.rows());
        for reader in self.readers(name)? {
            let (reader, rows) = reader?;
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
        }
        Ok(all.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }

    /// A column of texts.
    ///
    /// # Errors
    /// As of [`numbers`](Self::numbers), where it holds no texts.
    pub fn texts(&self, name: &str) -> Result<Vec<Option<String>>, TableError> {
        let mut all = Vec::with_capacity(self.rows());
        for reader in self.readers(name)? {
            let (reader, rows) = reader?;
            if !matches!(reader, ColumnReader::ByteArrayColumnReader(_)) {
                return Err(self.wrong(format!("column `{name}` has no texts")));
            }
            put::<ByteArrayType, _>(reader, rows, &mut all, |text| text_of(text.data()))
                .map_err(|error| self.wrong(error))?;
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

    /// A reader and its rows for each row group.
    fn readers(
        &self,
        name: &str,
    ) -> Result<impl Iterator<Item = Result<(ColumnReader, usize), TableError>>, TableError> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let at = schema.columns().iter().position(|column| column.name() == name);
        let at = at.ok_or_else(|| self.wrong(format!("it has no column `{name}`")))?;
        Ok((0..self.file.num_row_groups()).map(move |group| {
            let group = self.file.get_row_group(group).map_err(|error| self.wrong(error))?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let reader = group.get_column_reader(at).map_err(|error| self.wrong(error))?;
            Ok((reader, rows))
        }))
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
