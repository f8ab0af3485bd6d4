//! Tables as pickles hold them: the buffers of their columns.

use crate::columns::{Table, field_of, schema_of, word};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayDataBuilder;
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

/// Name, meaning, columns, and batches of rows.
pub(crate) type State = (String, String, Vec<StateOfColumn>, Vec<StateOfBatch>);

/// A column's name, kind, unit and meaning.
type StateOfColumn = (String, String, String, String);

/// How many rows, and the columns.
type StateOfBatch = (usize, Vec<StateOfValues>);

/// The buffers of a column, and the bits that tell which rows have a value.
type StateOfValues = (Vec<Vec<u8>>, Option<Vec<u8>>);

/// The kinds of columns by their words.
const KINDS: [(&str, DataType); 4] = [
    ("u64", DataType::UInt64),
    ("f64", DataType::Float64),
    ("text", DataType::Utf8),
    ("flag", DataType::Boolean),
];

/// The state of a table.
pub(crate) fn of(table: &Table) -> State {
    let kind = |of: &DataType| KINDS.iter().find(|(_, kind)| kind == of).map_or("", |kind| kind.0);
    let columns = table.schema.fields().iter().map(|field| {
        let kind = kind(field.data_type()).to_owned();
        (field.name().clone(), kind, word(field, "unit"), word(field, "meaning"))
    });
    let values = |array: &ArrayRef| {
        let data = array.to_data();
        let buffers = data.buffers().iter().map(|buffer| buffer.as_slice().to_vec());
        // Columns begin where their buffers do: they are built, and never cut.
        (buffers.collect(), data.nulls().map(|nulls| nulls.buffer().as_slice().to_vec()))
    };
    let batches = table.batches.iter().map(|batch| {
        let columns = batch.columns().iter().map(values).collect();
        (batch.num_rows(), columns)
    });
    (table.name.clone(), table.meaning.clone(), columns.collect(), batches.collect())
}

/// The table of a state.
///
/// # Errors
/// What does not fit together.
pub(crate) fn read((name, meaning, columns, batches): State) -> Result<Table, ArrowError> {
    let field = |(name, kind, unit, meaning): &StateOfColumn| {
        let known = KINDS.iter().find(|(word, _)| word == kind);
        let (_, kind) =
            known.ok_or_else(|| ArrowError::SchemaError(format!("no kind `{kind}`")))?;
        Ok(field_of(name, kind.clone(), unit, meaning))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, ArrowError>>()?;
    let schema = schema_of(&meaning, fields);
    let batch = |(rows, columns): StateOfBatch| {
        let both = schema.fields().iter().zip(columns);
        let arrays = both.map(|(field, (buffers, valid))| {
            let data = ArrayDataBuilder::new(field.data_type().clone())
                .len(rows)
                .buffers(buffers.into_iter().map(Buffer::from).collect())
                .null_bit_buffer(valid.map(Buffer::from))
                .align_buffers(true)
                .build()?;
            Ok(make_array(data))
        });
        let arrays = arrays.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
    };
    let batches = batches.into_iter().map(batch).collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(Table { schema, batches, name, meaning })
}
