//! Tables: what a run left behind, in columns that say what they mean and in which unit.
//!
//! A table is a file here and an entry in [`TABLES`]; a quantity is declared once, as a column: name,
//! unit, meaning, value. Files, their metadata, [`explain()`] and the documents follow from it.

mod collectives;
mod column;
mod critical;
mod events;
mod explain;
mod faults;
mod files;
mod flows;
mod groups;
mod hops;
mod layers;
mod nodes;
mod packets;
mod pieces;
mod ports;
mod probes;
mod progress;
mod ranks;
mod read;
mod routes;
mod runs;
mod scale_up;
mod series;
mod settings;
mod steps;
mod switches;
mod timeline;
mod tors;
mod training;
mod uplinks;

pub use column::{ColumnSpec, TableSpec};
pub use explain::explain;
pub use files::{Format, TableError, sound, write, write_parts, write_read};
pub use read::TableFile;
pub use runs::{RunRow, runs};

use raddle_schemes::units::Span;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use std::ops::Range;

/// Every kind of table.
pub static TABLES: &[&TableSpec] = &[
    &runs::TABLE,
    &flows::TABLE,
    &pieces::TABLE,
    &nodes::TABLE,
    &ports::TABLE,
    &switches::TABLE,
    &uplinks::TABLE,
    &tors::TABLE,
    &scale_up::TABLE,
    &training::TABLE,
    &faults::TABLE,
    &layers::TABLE,
    &steps::TABLE,
    &ranks::TABLE,
    &collectives::TABLE,
    &critical::TABLE,
    &series::TABLE,
    &timeline::TABLE,
    &routes::TABLE,
    &progress::TABLE,
    &packets::TABLE,
    &hops::TABLE,
    &events::TABLE,
    &probes::TABLE,
];

/// A run and what tables tell of it.
#[derive(Clone, Copy)]
struct Run<'a> {
    scenario: &'a str,
    plan: &'a Plan,
    outcome: &'a Outcome,
    /// What each flow would take alone.
    ideals: &'a [Option<Span>],
}

/// The tables of one run: flows and ports, and what was recorded over time.
///
/// `ideals`: what each flow would take alone ([`raddle_sim::bound::ideals`]).
pub fn of_run<'a>(
    scenario: &'a str,
    plan: &'a Plan,
    outcome: &'a Outcome,
    ideals: &'a [Option<Span>],
) -> Vec<Parts<'a>> {
    let run = Run { scenario, plan, outcome, ideals };
    TABLES.iter().filter_map(|table| table.of_run(run)).collect()
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
    /// Words of a few, in every row.
    Words(Vec<&'static str>),
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
        self.ranges(rows, most).map(|range| self.part(range))
    }

    /// Which rows those parts have.
    fn ranges(
        &self,
        rows: Range<usize>,
        most: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let parts = rows.len().div_ceil(most).max(1);
        (0..parts).map(move |part| {
            let start = rows.start + part * most;
            start..rows.end.min(start + most)
        })
    }

    /// Some rows.
    fn part(&self, rows: Range<usize>) -> Table {
        (self.part)(rows)
    }
}

impl Values {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U64(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Words(words) => words.len(),
            Self::Same(_, rows) => *rows,
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of all rows, in one row, if they have one and are more.
    fn same(&self) -> Option<Self> {
        fn of<V: Clone + PartialEq>(values: &[V]) -> Option<Vec<V>> {
            let (first, others) = values.split_first().filter(|(_, others)| !others.is_empty())?;
            others.iter().all(|own| own == first).then(|| vec![first.clone()])
        }
        match self {
            Self::U64(values) => of(values).map(Self::U64),
            Self::F64(values) => of(values).map(Self::F64),
            Self::Text(values) => of(values).map(Self::Text),
            Self::Words(words) => of(words).map(Self::Words),
            Self::Same(text, _) => Some(Self::Same(text.clone(), 1)),
            Self::Bool(values) => of(values).map(Self::Bool),
        }
    }
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Leaves those rows alone of which `keep` says so.
    pub fn keep(&mut self, keep: &[bool]) {
        fn kept<V>(values: &mut Vec<V>, keep: &[bool]) {
            let mut keep = keep.iter();
            values.retain(|_| keep.next().copied().unwrap_or(false));
        }
        for column in &mut self.columns {
            match &mut column.values {
                Values::U64(values) => kept(values, keep),
                Values::F64(values) => kept(values, keep),
                Values::Text(values) => kept(values, keep),
                Values::Words(words) => kept(words, keep),
                Values::Same(_, rows) => *rows = keep.iter().filter(|keep| **keep).count(),
                Values::Bool(values) => kept(values, keep),
            }
        }
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}
