//! Row groups of Parquet files: encoded column by column, on several threads where there are many, and
//! put together in order.

use super::{Column, Table, Values};
use crate::study::VERSION;
use bytes::Bytes;
use parquet::basic::{
    Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel,
};
use parquet::column::writer::{ColumnCloseResult, ColumnWriterImpl, get_typed_column_writer};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, ColumnPath, SchemaDescriptor, Type};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

/// What a file's metadata calls the description of its columns.
pub(super) const COLUMNS_KEY: &str = "raddle.columns";

/// How the row groups of a file are encoded.
pub(super) struct Shape {
    schema: Arc<Type>,
    properties: WriterPropertiesPtr,
    columns: Vec<ColumnDescPtr>,
    /// By column, what a group came to that had one value in all its rows: most often the next has it,
    /// too.
    same: Vec<Mutex<Option<Same>>>,
}

/// One value in so many rows.
struct Same {
    value: Values,
    rows: usize,
    chunk: Chunk,
}

/// A column of a row group, encoded.
#[derive(Clone)]
struct Chunk(Arc<(Bytes, ColumnCloseResult)>);

/// A row group, encoded.
pub(super) struct Group(Vec<Chunk>);

/// A file that gets its row groups.
pub(super) struct Groups(SerializedFileWriter<File>);

impl Shape {
    /// Of tables with the columns and the origin of this one, and values like these.
    pub(super) fn of(table: &Table) -> Result<Self, ParquetError> {
        let fields = table.columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        let schema = Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("raddle {VERSION}"))
            .set_key_value_metadata(Some(metadata(table)));
        for column in &table.columns {
            if let Values::U64(values) = &column.values
                && mostly_differ(values)
            {
                let path = ColumnPath::from(column.name.as_str());
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
            }
        }
        Ok(Self {
            columns: SchemaDescriptor::new(Arc::clone(&schema)).columns().to_vec(),
            schema,
            properties: Arc::new(properties.build()),
            same: table.columns.iter().map(|_| Mutex::new(None)).collect(),
        })
    }

    /// An empty file.
    pub(super) fn file(&self, file: File) -> Result<Groups, ParquetError> {
        let (schema, properties) = (Arc::clone(&self.schema), Arc::clone(&self.properties));
        SerializedFileWriter::new(file, schema, properties).map(Groups)
    }

    /// A table's rows as a group.
    pub(super) fn encode(&self, table: &Table) -> Result<Group, ParquetError> {
        let columns = table.columns.iter().enumerate().take(self.columns.len());
        columns.map(|(at, own)| self.chunk(at, &own.values)).collect::<Result<_, _>>().map(Group)
    }

    fn chunk(&self, at: usize, values: &Values) -> Result<Chunk, ParquetError> {
        let Some(value) = values.same() else { return self.encoded(at, values) };
        let known = || self.same[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = &*known()
            && (own.rows, &own.value) == (values.len(), &value)
        {
            return Ok(own.chunk.clone());
        }
        let chunk = self.encoded(at, values)?;
        *known() = Some(Same { value, rows: values.len(), chunk: chunk.clone() });
        Ok(chunk)
    }

    fn encoded(&self, at: usize, values: &Values) -> Result<Chunk, ParquetError> {
        match values {
            Values::U64(values) => self.put::<Int64Type, _>(at, values, |n| *n as i64),
            Values::F64(values) => self.put::<DoubleType, _>(at, values, |x| *x),
            Values::Text(values) => {
                self.put::<ByteArrayType, _>(at, values, |t| ByteArray::from(t.as_str()))
            }
            Values::Words(words) => {
                let word = |word: &&'static str| Bytes::from_static(word.as_bytes()).into();
                self.put_all::<ByteArrayType>(at, words.iter().map(word).collect())
            }
            Values::Same(text, rows) => {
                self.put_all::<ByteArrayType>(at, vec![ByteArray::from(text.as_str()); *rows])
            }
            Values::Bool(values) => self.put::<BoolType, _>(at, values, |b| *b),
        }
    }

    fn put<T: DataType, V>(
        &self,
        at: usize,
        values: &[Option<V>],
        convert: impl Fn(&V) -> T::T,
    ) -> Result<Chunk, ParquetError> {
        let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
        let present: Vec<T::T> = values.iter().flatten().map(convert).collect();
        self.write::<T>(at, &present, &levels)
    }

    fn put_all<T: DataType>(&self, at: usize, values: Vec<T::T>) -> Result<Chunk, ParquetError> {
        self.write::<T>(at, &values, &vec![1; values.len()])
    }

    fn write<T: DataType>(
        &self,
        at: usize,
        present: &[T::T],
        levels: &[i16],
    ) -> Result<Chunk, ParquetError> {
        let mut bytes = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut bytes));
        let column = Arc::clone(&self.columns[at]);
        let writer =
            parquet::column::writer::get_column_writer(column, Arc::clone(&self.properties), pages);
        let mut writer: ColumnWriterImpl<'_, T> = get_typed_column_writer(writer);
        writer.write_batch(present, Some(levels), None)?;
        let close = writer.close()?;
        Ok(Chunk(Arc::new((bytes.into_inner()?.into(), close))))
    }
}

impl Groups {
    /// Appends a row group.
    pub(super) fn add(&mut self, group: Group) -> Result<(), ParquetError> {
        let mut writer = self.0.next_row_group()?;
        for Chunk(own) in group.0 {
            let (bytes, close) = &*own;
            let close = ColumnCloseResult {
                bytes_written: close.bytes_written,
                rows_written: close.rows_written,
                metadata: close.metadata.clone(),
                bloom_filter: None,
                column_index: close.column_index.clone(),
                offset_index: close.offset_index.clone(),
            };
            writer.append_column(bytes, close)?;
        }
        writer.close().map(|_| ())
    }

    /// Nothing follows.
    pub(super) fn end(self) -> Result<(), ParquetError> {
        self.0.close().map(|_| ())
    }
}

fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.values {
        Values::U64(_) => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        Values::F64(_) => (PhysicalType::DOUBLE, None),
        Values::Text(_) | Values::Words(_) | Values::Same(..) => {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String))
        }
        Values::Bool(_) => (PhysicalType::BOOLEAN, None),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
        .map(Arc::new)
}

/// Whether a value comes less than eight times on average, as of times and counters: a dictionary would
/// then hold 8 B for so few rows, and steps from one to the next are shorter.
fn mostly_differ(values: &[Option<u64>]) -> bool {
    let mut sorted: Vec<u64> = values.iter().flatten().copied().collect();
    let all = sorted.len();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() > all / 8
}

/// What a file says of its table.
fn metadata(table: &Table) -> Vec<KeyValue> {
    let columns: Map<String, Value> = table
        .columns
        .iter()
        .map(|c| (c.name.clone(), json!({"unit": c.unit, "meaning": c.meaning})))
        .collect();
    let mut pairs = vec![
        ("raddle.table", table.name.to_string()),
        ("raddle.meaning", table.meaning.to_string()),
        ("raddle.version", VERSION.to_string()),
    ];
    pairs.extend(table.scenario.iter().map(|hash| ("raddle.scenario", hash.clone())));
    pairs.extend(table.seed.iter().map(|seed| ("raddle.seed", seed.to_string())));
    pairs.push((COLUMNS_KEY, Value::Object(columns).to_string()));
    pairs.into_iter().map(|(key, value)| KeyValue::new(key.to_string(), value)).collect()
}
