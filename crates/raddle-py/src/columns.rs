//! A table in memory, and what its columns mean.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// A table whose columns any library that knows Arrow takes without a copy.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
    /// Name of the table.
    #[pyo3(get)]
    pub(crate) name: String,
    /// What a row is.
    #[pyo3(get)]
    pub(crate) meaning: String,
}

/// A word of a column's metadata.
pub(crate) fn word(field: &Field, key: &str) -> String {
    field.metadata().get(key).cloned().unwrap_or_default()
}

/// The schema of a table of which a row is that.
pub(crate) fn schema_of(meaning: &str, fields: Vec<Field>) -> SchemaRef {
    let metadata = HashMap::from([("raddle.meaning".to_owned(), meaning.to_owned())]);
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// A column with its unit and meaning.
pub(crate) fn field_of(name: &str, kind: DataType, unit: &str, meaning: &str) -> Field {
    let pairs = [("unit", unit), ("meaning", meaning)];
    let metadata = pairs.map(|(key, word)| (key.to_owned(), word.to_owned()));
    Field::new(name, kind, true).with_metadata(HashMap::from(metadata))
}
