//! Tables by Arrow's C stream interface.

use crate::errors::refused_text;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray,
    UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use raddle::study::tables::{self, Column, Values};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A table whose columns any library that knows Arrow takes without a copy.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Table {
    batch: RecordBatch,
    /// Name of the table.
    #[pyo3(get)]
    name: &'static str,
    /// What a row is.
    #[pyo3(get)]
    meaning: &'static str,
}

#[pymethods]
impl Table {
    /// The table as a capsule `arrow_array_stream` with one batch.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer that cannot cast give its own schema.
        drop(requested_schema);
        let batches = std::iter::once(Ok(self.batch.clone()));
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Each column with its name, unit and meaning.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String)> {
        let schema = self.batch.schema();
        let word = |field: &Field, key| field.metadata().get(key).cloned().unwrap_or_default();
        let fields = schema.fields().iter();
        fields.map(|f| (f.name().clone(), word(f, "unit"), word(f, "meaning"))).collect()
    }
}

impl Table {
    /// The table with its columns in Arrow's form.
    pub(crate) fn new(table: tables::Table) -> PyResult<Self> {
        let (name, meaning) = (table.name, table.meaning);
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            table.columns.into_iter().map(column).unzip();
        let metadata = HashMap::from([("raddle.meaning".to_owned(), meaning.to_owned())]);
        let schema = Schema::new_with_metadata(fields, metadata);
        let batch = RecordBatch::try_new(Arc::new(schema), arrays)
            .map_err(|error| PyRuntimeError::new_err(format!("table {name}: {error}")))?;
        Ok(Self { batch, name, meaning })
    }
}

fn column(column: Column) -> (Field, ArrayRef) {
    let Column { name, unit, meaning, values } = column;
    let (kind, array): (DataType, ArrayRef) = match values {
        Values::U64(values) => (DataType::UInt64, Arc::new(UInt64Array::from(values))),
        Values::F64(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
        Values::Text(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
        Values::Bool(values) => (DataType::Boolean, Arc::new(BooleanArray::from(values))),
    };
    let metadata = HashMap::from([("unit".to_owned(), unit), ("meaning".to_owned(), meaning)]);
    (Field::new(name, kind, true).with_metadata(metadata), array)
}

/// What the columns of a written table mean, as `raddle explain FILE` prints it.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, file: PathBuf) -> PyResult<String> {
    tables::explain(&file).map_err(|error| refused_text(py, error.to_string()))
}
