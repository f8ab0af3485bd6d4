//! The values of tables: one by one, for NumPy, compared, and as the library has them.

use crate::columns::{Table, word};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raddle::study::tables::{self, Column, TABLES, Values};
use std::ops::Range;

/// A value of any column.
#[derive(IntoPyObject)]
enum One {
    Count(Option<u64>),
    Number(Option<f64>),
    Text(Option<String>),
    Flag(Option<bool>),
}

/// The parts of a column, by its number.
fn parts(table: &Table, column: usize) -> PyResult<Vec<&ArrayRef>> {
    if column >= table.schema.fields().len() {
        return Err(PyIndexError::new_err(format!("no column {column}")));
    }
    Ok(table.batches.iter().map(|batch| batch.column(column)).collect())
}

/// The values of some rows of a column; `None` where a row has none.
pub(crate) fn listed(
    py: Python<'_>,
    table: &Table,
    column: usize,
    rows: Range<usize>,
) -> PyResult<Vec<Py<PyAny>>> {
    let mut all = Vec::with_capacity(rows.len());
    let mut first = 0;
    for part in parts(table, column)? {
        for row in rows.start.max(first)..rows.end.min(first + part.len()) {
            let value = one(part, row - first).into_pyobject(py)?;
            all.push(value.unbind());
        }
        first += part.len();
    }
    Ok(all)
}

fn one(array: &ArrayRef, row: usize) -> One {
    let there = array.is_valid(row);
    match array.data_type() {
        DataType::UInt64 => {
            One::Count(there.then(|| array.as_primitive::<UInt64Type>().value(row)))
        }
        DataType::Float64 => {
            One::Number(there.then(|| array.as_primitive::<Float64Type>().value(row)))
        }
        DataType::Boolean => One::Flag(there.then(|| array.as_boolean().value(row))),
        _ => One::Text(there.then(|| array.as_string::<i32>().value(row).to_owned())),
    }
}

/// The numbers of a column: what NumPy calls their type, and the bytes of an array. Whole numbers are
/// floating-point ones where a row has none, which is not a number then; `None` of texts, and of flags
/// that a row has none of.
pub(crate) fn numbers<'py>(
    py: Python<'py>,
    table: &Table,
    column: usize,
) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
    let parts = parts(table, column)?;
    let whole = parts.iter().all(|part| part.null_count() == 0);
    let kind = table.schema.field(column).data_type();
    let (word, bytes) = match kind {
        DataType::UInt64 if whole => {
            let all = parts.iter().flat_map(|part| part.as_primitive::<UInt64Type>().values());
            ("uint64", all.flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>())
        }
        DataType::UInt64 => {
            let all = parts.iter().flat_map(|part| part.as_primitive::<UInt64Type>());
            let all = all.map(|value| value.map_or(f64::NAN, |value| value as f64));
            ("float64", all.flat_map(f64::to_ne_bytes).collect())
        }
        DataType::Float64 => {
            let all = parts.iter().flat_map(|part| part.as_primitive::<Float64Type>());
            ("float64", all.flat_map(|value| value.unwrap_or(f64::NAN).to_ne_bytes()).collect())
        }
        DataType::Boolean if whole => {
            let all = parts.iter().flat_map(|part| part.as_boolean());
            ("bool", all.map(|value| u8::from(value == Some(true))).collect())
        }
        _ => return Ok(None),
    };
    Ok(Some((word, PyBytes::new(py, &bytes))))
}

/// Whether two tables have the same rows, columns, units and meanings, however their rows are cut.
pub(crate) fn same(one: &Table, other: &Table) -> bool {
    let rows = |table: &Table| table.batches.iter().map(|batch| batch.num_rows()).sum::<usize>();
    one.name == other.name
        && one.schema == other.schema
        && rows(one) == rows(other)
        && (0..one.schema.fields().len()).all(|column| {
            let [one, other] = [one, other].map(|table| plain_values(table, column));
            one == other
        })
}

/// A column as the library has it.
fn plain_values(table: &Table, column: usize) -> Values {
    let parts = table.batches.iter().map(|batch| batch.column(column));
    match table.schema.field(column).data_type() {
        DataType::UInt64 => {
            Values::U64(parts.flat_map(|part| part.as_primitive::<UInt64Type>()).collect())
        }
        DataType::Float64 => {
            Values::F64(parts.flat_map(|part| part.as_primitive::<Float64Type>()).collect())
        }
        DataType::Boolean => Values::Bool(parts.flat_map(|part| part.as_boolean()).collect()),
        _ => {
            let texts = parts.flat_map(|part| part.as_string::<i32>());
            Values::Text(texts.map(|text| text.map(str::to_owned)).collect())
        }
    }
}

/// The table of a run as the library has it; `None` where the library has none of its name.
pub(crate) fn plain(table: &Table, scenario: String, seed: u64) -> Option<tables::Table> {
    let spec = TABLES.iter().find(|spec| spec.name == table.name)?;
    let fields = table.schema.fields().iter().enumerate();
    let columns = fields.map(|(number, field)| Column {
        name: field.name().clone(),
        unit: word(field, "unit"),
        meaning: word(field, "meaning"),
        values: plain_values(table, number),
    });
    Some(tables::Table {
        name: spec.name,
        meaning: spec.meaning,
        columns: columns.collect(),
        scenario: Some(scenario),
        seed: Some(seed),
    })
}
