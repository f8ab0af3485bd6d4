//! Tables in Python, by Arrow's C stream interface and by value.

use crate::columns::{Table, field_of, schema_of, word};
use crate::errors::refused_text;
use crate::state::{self, State};
use crate::values;
use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use raddle::study::tables::{self, Column, Format, Parts, Values};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

#[pymethods]
impl Table {
    /// The table as a capsule `arrow_array_stream`.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer that cannot cast give its own schema.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Each column with its name, unit and meaning.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String)> {
        let fields = self.schema.fields().iter();
        fields.map(|f| (f.name().clone(), word(f, "unit"), word(f, "meaning"))).collect()
    }

    /// The values of a column by its number, from one row to another.
    fn values(
        &self,
        py: Python<'_>,
        column: usize,
        first: usize,
        end: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        values::listed(py, self, column, first..end)
    }

    /// The numbers of a column for NumPy: its type there, and the bytes of an array; `None` of texts.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        column: usize,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        values::numbers(py, self, column)
    }

    fn __eq__(&self, other: &Self) -> bool {
        values::same(self, other)
    }

    /// The table of which this is the state.
    #[new]
    fn new(py: Python<'_>, state: State) -> PyResult<Self> {
        py.detach(|| state::read(state)).map_err(|why| PyValueError::new_err(why.to_string()))
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (State,) {
        (py.detach(|| state::of(self)),)
    }

    /// Writes the table into a folder, as `raddle run --out` does, with the scenario's hash and the seed.
    fn keep(&self, py: Python<'_>, folder: PathBuf, scenario: String, seed: u64) -> PyResult<()> {
        py.detach(|| {
            let table = values::plain(self, scenario, seed);
            tables::write(&folder, &table.ok_or("it is none of a run's")?, Format::Parquet)
                .map_err(|error| error.to_string())
        })
        .map_err(|why: String| PyRuntimeError::new_err(format!("table {}: {why}", self.name)))?;
        Ok(())
    }
}

/// Rows of one part on their way into Arrow's form: few enough to stay in the processor's cache.
const ROWS_AT_ONCE: usize = 2048;

/// So many rows are worth a thread of their own, which gives a batch.
const ROWS_OF_A_THREAD: usize = 1 << 17;

impl Table {
    /// The table with its columns in Arrow's form.
    pub(crate) fn made(parts: &Parts<'_>) -> PyResult<Self> {
        Self::of(parts)
            .map_err(|error| PyRuntimeError::new_err(format!("table {}: {error}", parts.name())))
    }

    fn of(parts: &Parts<'_>) -> Result<Self, ArrowError> {
        let rows = parts.rows();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let each = rows.div_ceil(cores).max(ROWS_OF_A_THREAD);
        let ranges = (0..rows.div_ceil(each).max(1)).map(|i| i * each..rows.min((i + 1) * each));
        let made: Vec<Batch> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                ranges.map(|range| scope.spawn(move || Batch::of(parts, range))).collect();
            let join = |thread: ScopedJoinHandle<'_, Batch>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        let (mut schema, mut meaning) = (Arc::new(Schema::empty()), "");
        let mut batches = Vec::new();
        for batch in made {
            if batches.is_empty() {
                meaning = batch.meaning;
                schema = schema_of(meaning, batch.fields);
            }
            batches.push(RecordBatch::try_new(Arc::clone(&schema), batch.columns)?);
        }
        Ok(Self { schema, batches, name: parts.name().to_owned(), meaning: meaning.to_owned() })
    }
}

/// Some rows of a table.
struct Batch {
    meaning: &'static str,
    fields: Vec<Field>,
    columns: Vec<ArrayRef>,
}

impl Batch {
    fn of(parts: &Parts<'_>, range: Range<usize>) -> Self {
        let (mut fields, mut columns, mut meaning) = (Vec::new(), Vec::new(), "");
        for part in parts.split_range(range.clone(), ROWS_AT_ONCE) {
            if fields.is_empty() {
                columns.extend(part.columns.iter().map(|own| Growing::new(own, range.len())));
                fields.extend(part.columns.iter().map(field));
                meaning = part.meaning;
            }
            for (column, own) in columns.iter_mut().zip(part.columns) {
                column.extend(own.values);
            }
        }
        Self { meaning, fields, columns: columns.into_iter().map(Growing::finish).collect() }
    }
}

fn field(column: &Column) -> Field {
    let kind = match column.values {
        Values::U64(_) => DataType::UInt64,
        Values::F64(_) => DataType::Float64,
        Values::Text(_) | Values::Words(_) | Values::Same(..) => DataType::Utf8,
        Values::Bool(_) => DataType::Boolean,
    };
    field_of(&column.name, kind, &column.unit, &column.meaning)
}

/// A column in Arrow's form, part by part.
enum Growing {
    U64(Vec<u64>, NullBufferBuilder),
    F64(Vec<f64>, NullBufferBuilder),
    Text(StringBuilder),
    Bool(BooleanBuilder),
}

impl Growing {
    /// Without rows yet, with room for so many of the kind of `column`.
    fn new(column: &Column, rows: usize) -> Self {
        match &column.values {
            Values::U64(_) => Self::U64(Vec::with_capacity(rows), NullBufferBuilder::new(rows)),
            Values::F64(_) => Self::F64(Vec::with_capacity(rows), NullBufferBuilder::new(rows)),
            Values::Same(text, _) => {
                Self::Text(StringBuilder::with_capacity(rows, rows * text.len()))
            }
            Values::Text(_) | Values::Words(_) => Self::Text(StringBuilder::with_capacity(rows, 0)),
            Values::Bool(_) => Self::Bool(BooleanBuilder::with_capacity(rows)),
        }
    }

    /// Adds rows; those of another kind than the column's are none.
    fn extend(&mut self, values: Values) {
        match (self, values) {
            (Self::U64(all, valid), Values::U64(own)) => grow(all, valid, &own),
            (Self::F64(all, valid), Values::F64(own)) => grow(all, valid, &own),
            (Self::Text(all), Values::Text(own)) => {
                own.iter().for_each(|text| all.append_option(text.as_deref()));
            }
            (Self::Text(all), Values::Words(own)) => {
                own.into_iter().for_each(|word| all.append_value(word));
            }
            (Self::Text(all), Values::Same(text, rows)) => {
                (0..rows).for_each(|_| all.append_value(&text));
            }
            (Self::Bool(all), Values::Bool(own)) => {
                own.iter().for_each(|flag| all.append_option(*flag));
            }
            _ => debug_assert!(false, "a column has values of one kind"),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::U64(values, mut valid) => {
                Arc::new(UInt64Array::new(values.into(), valid.finish()))
            }
            Self::F64(values, mut valid) => {
                Arc::new(Float64Array::new(values.into(), valid.finish()))
            }
            Self::Text(mut texts) => Arc::new(texts.finish()),
            Self::Bool(mut flags) => Arc::new(flags.finish()),
        }
    }
}

fn grow<T: Copy + Default>(all: &mut Vec<T>, valid: &mut NullBufferBuilder, own: &[Option<T>]) {
    all.extend(own.iter().map(|value| value.unwrap_or_default()));
    if own.iter().all(Option::is_some) {
        valid.append_n_non_nulls(own.len());
    } else {
        own.iter().for_each(|value| valid.append(value.is_some()));
    }
}

/// What the columns of a written table mean, as `raddle explain FILE` prints it.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, file: PathBuf) -> PyResult<String> {
    tables::explain(&file).map_err(|error| refused_text(py, error.to_string()))
}
