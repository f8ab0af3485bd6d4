//! How claims are measured: a number from the runs of some cells, or of a model.
//!
//! A cell is named by its settings, so nothing here knows any scheme. A measure is one file and one
//! entry in the list of [`KINDS`].

mod across;
mod in_cell;
mod increase;
mod layer;
mod of_two;
mod oracle;
mod ports;
mod queues;
mod rank_correlation;
mod ratio;
mod ratios;
mod selector;
mod series;
mod theory;
mod value;
mod values;
mod within;

pub use selector::Selector;

use super::Mode;
use super::answers::Answers;
use super::increase::NamedBound;
use super::metric::Metric;
use super::number::Number;
use super::run::FigureRun;
use super::statistic::Statistic;
use super::theory::TheoryNumber;
use in_cell::in_cell;
use raddle::problem::Problem;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::Item;
use std::fmt::Debug;

/// A cell's settings: names and values.
type Cell = [(String, String)];

/// A measure that was read.
type Boxed = Option<Box<dyn Measure>>;

/// How a claim is measured.
pub trait Measure: Debug + Send + Sync {
    /// The cells it needs, one for each selector.
    fn cells(&self) -> Vec<&Selector> {
        Vec::new()
    }

    /// The numbers of models that it needs.
    fn numbers(&self) -> Vec<&TheoryNumber> {
        Vec::new()
    }

    /// The metrics that it takes.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    /// Whether it needs the cell with these settings.
    fn needs(&self, cell: &[(String, String)]) -> bool {
        self.cells().iter().any(|selector| selector.selects(cell))
    }

    /// What is wrong with it for the cells of a sweep.
    fn problems(&self, cells: &[&[(String, String)]]) -> Vec<Problem> {
        self.cells().iter().filter_map(|selector| selector.problem(cells)).collect()
    }

    /// The bounds that it is taken against.
    fn bounds(&self, _runs: &[FigureRun]) -> Vec<NamedBound> {
        Vec::new()
    }

    /// What pictures have of it: a number over the seeds of a cell.
    fn shown(&self) -> Option<(Number, Statistic, &Selector)> {
        None
    }

    /// The same where it is a ratio of means: a number, the cell above the line and that below.
    fn shown_over(&self) -> Option<(Number, &Selector, &Selector)> {
        None
    }

    /// The model's number that it is, if it is no more than one.
    fn model(&self) -> Option<&TheoryNumber> {
        None
    }

    /// The number; `None` where a run does not have it, say because it never completed.
    fn take(&self, runs: &[FigureRun], mode: Mode, answers: &Answers) -> Option<f64>;
}

/// The word of `kind`, and how the rest is read.
type Kind = (&'static str, fn(&mut Reader<'_>) -> Boxed);

const KINDS: &[Kind] = &[
    ("value", in_cell::<value::Value>),
    ("ratio", ratio::read),
    ("ratios", ratios::read),
    ("increase", in_cell::<increase::Increase>),
    ("quotient", of_two::quotient),
    ("difference", of_two::difference),
    ("port_share", in_cell::<ports::Share>),
    ("port_shares", in_cell::<ports::Shares>),
    ("port_rate_gbps", in_cell::<ports::Rate>),
    ("port_fairness", in_cell::<ports::Fairness>),
    ("queue_max", in_cell::<queues::Max>),
    ("queue_above", in_cell::<queues::Above>),
    ("layer", in_cell::<layer::Layer>),
    ("queue_mean", in_cell::<queues::Mean>),
    ("oracle", in_cell::<oracle::Oracle>),
    ("values", values::read),
    ("rank_correlation", rank_correlation::read),
    ("theory", theory::read),
    ("across", across::read),
];

/// Reads a claim's measure.
pub(super) fn read_measure(item: &Item, log: &Log) -> Boxed {
    let mut reader = Reader::of("measure", item, log)?;
    let before = log.count();
    let words: Vec<&'static str> = KINDS.iter().map(|(word, _)| *word).collect();
    let kind = reader.choice("kind", &words)?;
    let read = KINDS.iter().find(|(word, _)| *word == kind)?.1;
    let measure = read(&mut reader);
    reader.finish();
    measure.filter(|_| log.count() == before)
}
