//! Columns: a quantity is declared once, with its name, unit, meaning and where its value comes from.

use super::{Column, Parts, Run, Table, Values};
use std::ops::Range;

/// A kind of table.
#[derive(Debug)]
pub struct TableSpec {
    /// Its name, which is the file's.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    columns: fn() -> Vec<ColumnSpec>,
    of_run: for<'a> fn(Run<'a>) -> Option<Parts<'a>>,
}

/// A kind of column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    /// Its name; the unit stands in it where there is one.
    pub name: &'static str,
    /// The unit; empty for names, words and flags.
    pub unit: &'static str,
    /// What a value means, and what it means that there is none.
    pub meaning: &'static str,
}

impl TableSpec {
    /// Of these rows, and how a run's are made; `None` where a run has no such table.
    pub(super) const fn of<R: Row>(of_run: for<'a> fn(Run<'a>) -> Option<Parts<'a>>) -> Self {
        let columns = || Columns::<R>::all().specs();
        Self { name: R::NAME, meaning: R::MEANING, columns, of_run }
    }

    pub(super) fn of_run<'a>(&self, run: Run<'a>) -> Option<Parts<'a>> {
        (self.of_run)(run)
    }

    /// Its columns, in order.
    pub fn columns(&self) -> Vec<ColumnSpec> {
        (self.columns)()
    }
}

/// A row of a kind of table.
pub(super) trait Row: Sized {
    /// The table's name, which is the file's.
    const NAME: &'static str;
    /// What a row is.
    const MEANING: &'static str;
    /// Whether a table is of one run: its hash and seed are in front of its columns.
    const OF_A_RUN: bool = true;

    /// Declares the columns, in order.
    fn declare(table: &mut Columns<Self>);
}

/// The columns of a kind of row.
pub(super) struct Columns<R>(Vec<(ColumnSpec, Of<R>)>);

/// Where a column's values come from.
pub(super) enum Of<R> {
    Count(fn(&R) -> u64),
    Counts(fn(&R) -> Option<u64>),
    Number(fn(&R) -> f64),
    Numbers(fn(&R) -> Option<f64>),
    Text(fn(&R) -> String),
    Texts(fn(&R) -> Option<String>),
    Word(fn(&R) -> &'static str),
    Flag(fn(&R) -> bool),
}

/// What a value may be; `None` where a row has none.
pub(super) trait Value: Sized {
    fn of<R>(of: fn(&R) -> Self) -> Of<R>;
}

macro_rules! values {
    ($($type:ty: $of:ident;)*) => {
        $(impl Value for $type {
            fn of<R>(of: fn(&R) -> Self) -> Of<R> {
                Of::$of(of)
            }
        })*
    };
}

values! {
    u64: Count;
    Option<u64>: Counts;
    f64: Number;
    Option<f64>: Numbers;
    String: Text;
    Option<String>: Texts;
    &'static str: Word;
    bool: Flag;
}

impl<R> Of<R> {
    fn values(&self, rows: &[R]) -> Values {
        match self {
            Self::Count(of) => Values::U64(rows.iter().map(|row| Some(of(row))).collect()),
            Self::Counts(of) => Values::U64(rows.iter().map(of).collect()),
            Self::Number(of) => Values::F64(rows.iter().map(|row| Some(of(row))).collect()),
            Self::Numbers(of) => Values::F64(rows.iter().map(of).collect()),
            Self::Text(of) => Values::Text(rows.iter().map(|row| Some(of(row))).collect()),
            Self::Texts(of) => Values::Text(rows.iter().map(of).collect()),
            Self::Word(of) => Values::Words(rows.iter().map(of).collect()),
            Self::Flag(of) => Values::Bool(rows.iter().map(|row| Some(of(row))).collect()),
        }
    }
}

/// The run of a row.
pub(super) const SCENARIO: ColumnSpec =
    ColumnSpec { name: "scenario", unit: "", meaning: "hash of the resolved scenario" };
/// The same.
pub(super) const SEED: ColumnSpec =
    ColumnSpec { name: "seed", unit: "", meaning: "seed of every random stream of the run" };

impl ColumnSpec {
    fn with(self, values: Values) -> Column {
        let [name, unit, meaning] = [self.name, self.unit, self.meaning].map(str::to_owned);
        Column { name, unit, meaning, values }
    }
}

impl<R: Row> Columns<R> {
    fn all() -> Self {
        let mut columns = Self(Vec::new());
        R::declare(&mut columns);
        columns
    }

    /// Adds a column.
    pub(super) fn col<V: Value>(
        &mut self,
        name: &'static str,
        unit: &'static str,
        meaning: &'static str,
        of: fn(&R) -> V,
    ) {
        self.add(ColumnSpec { name, unit, meaning }, of);
    }

    /// Adds a column that several tables have.
    pub(super) fn add<V: Value>(&mut self, spec: ColumnSpec, of: fn(&R) -> V) {
        self.0.push((spec, V::of(of)));
    }

    fn specs(&self) -> Vec<ColumnSpec> {
        let run = if R::OF_A_RUN { &[SCENARIO, SEED][..] } else { &[] };
        run.iter().copied().chain(self.0.iter().map(|(spec, _)| *spec)).collect()
    }

    fn columns<'a>(&'a self, rows: &'a [R]) -> impl Iterator<Item = Column> + 'a {
        self.0.iter().map(|(spec, of)| spec.with(of.values(rows)))
    }
}

/// The columns of some rows of no run in particular.
pub(super) fn columns<R: Row>(rows: &[R]) -> Vec<Column> {
    Columns::<R>::all().columns(rows).collect()
}

/// A table of so many rows of a run, made as they are asked for.
pub(super) fn table<'a, R: Row + 'a>(
    run: Run<'a>,
    rows: usize,
    row: impl Fn(usize) -> R + Sync + 'a,
) -> Parts<'a> {
    table_of(run, rows, move |range| range.map(&row).collect())
}

/// The same of rows that are made several at a time.
pub(super) fn table_of<'a, R: Row + 'a>(
    Run { scenario, plan, .. }: Run<'a>,
    rows: usize,
    rows_of: impl Fn(Range<usize>) -> Vec<R> + Sync + 'a,
) -> Parts<'a> {
    let part = move |range: Range<usize>| {
        let run = [
            SCENARIO.with(Values::Same(scenario.to_owned(), range.len())),
            SEED.with(Values::U64(vec![Some(plan.seed); range.len()])),
        ];
        let rows = rows_of(range);
        Table {
            name: R::NAME,
            meaning: R::MEANING,
            columns: run.into_iter().chain(Columns::<R>::all().columns(&rows)).collect(),
            scenario: Some(scenario.to_owned()),
            seed: Some(plan.seed),
        }
    };
    Parts { name: R::NAME, rows, part: Box::new(part) }
}
