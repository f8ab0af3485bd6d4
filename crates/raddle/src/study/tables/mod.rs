//! Tables: what a run left behind, in columns that say what they mean and in which unit.
//!
//! Every table is described once, by its [`TableSpec`] in [`TABLES`]; files, their metadata and
//! [`explain()`] follow from it.

mod explain;
mod files;
mod kinds;
mod rows;
mod settings;

pub use explain::explain;
pub use files::{Format, TableError, sound, write, write_parts};
pub use kinds::TABLES;
pub use rows::{RunRow, of_run, runs};

use std::ops::Range;

/// A kind of table.
#[derive(Debug)]
pub struct TableSpec {
    /// Its name, which is the file's.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    /// Its columns, in order.
    pub columns: &'static [ColumnSpec],
}

/// A kind of column.
#[derive(Debug)]
pub struct ColumnSpec {
    /// Its name; the unit stands in it where there is one.
    pub name: &'static str,
    /// The unit; empty for names, words and flags.
    pub unit: &'static str,
    /// What a value means, and what it means that there is none.
    pub meaning: &'static str,
}

/// A column and its values; `None` where a row has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit; empty for names, words and flags.
    pub unit: String,
    /// What a value means.
    pub meaning: String,
    /// One per row.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    U64(Vec<Option<u64>>),
    /// Numbers.
    F64(Vec<Option<f64>>),
    /// Texts.
    Text(Vec<Option<String>>),
    /// One text in so many rows.
    Same(String, usize),
    /// Flags.
    Bool(Vec<Option<bool>>),
}

/// A table and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name, which is the file's.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    /// Its columns, all of the same length.
    pub columns: Vec<Column>,
    /// Hash of the scenario, if all rows come from one.
    pub scenario: Option<String>,
    /// The seed, if all rows come from one run.
    pub seed: Option<u64>,
}

/// A table that is made some rows at a time: those of flows may be millions.
pub struct Parts<'a> {
    name: &'static str,
    rows: usize,
    part: Box<dyn Fn(Range<usize>) -> Table + Sync + 'a>,
}

impl Parts<'_> {
    /// Its name, which is the file's.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All of it.
    pub fn whole(&self) -> Table {
        (self.part)(0..self.rows)
    }

    /// All of it, `most` rows at a time; one part without rows if it has none.
    fn split(&self, most: usize) -> impl Iterator<Item = Table> {
        self.split_range(0..self.rows, most)
    }

    /// The same of some of its rows.
    pub fn split_range(&self, rows: Range<usize>, most: usize) -> impl Iterator<Item = Table> {
        let parts = rows.len().div_ceil(most).max(1);
        (0..parts).map(move |part| {
            let start = rows.start + part * most;
            (self.part)(start..rows.end.min(start + most))
        })
    }
}

impl Values {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U64(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Same(_, rows) => *rows,
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}
