//! One claim of a figure.

use super::band::{OneSided, read_band};
use super::expected::{Expected, Kind, read_expected};
use super::free::{Free, read_free};
use super::measure::{Measure, read_measure};
use super::reading::{text, words};
use super::theory::TheoryNumber;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};
use std::sync::Arc;

/// One claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its word, unique within the figure.
    pub id: String,
    /// The claim as a sentence.
    pub text: String,
    /// Where it was made: section, figure, page.
    pub source: String,
    /// What it is held against.
    pub kind: Kind,
    /// What that says.
    pub expected: Expected,
    /// The least measured value that agrees; none where there is no limit.
    pub low: Option<f64>,
    /// The greatest.
    pub high: Option<f64>,
    /// Why one of them is missing.
    pub one_sided: Option<OneSided>,
    /// How it is measured.
    pub measure: Arc<dyn Measure>,
    /// Why our value differs, as somebody tested.
    pub reason: Option<String>,
    /// What would turn the verdict: a reading that the paper leaves open, and the values with it.
    pub turns: Option<String>,
    /// Constants that the paper does not print, each of which moves the value twofold or more.
    pub free: Vec<Free>,
    /// Whether quick mode measures it.
    pub quick: bool,
    pub(super) place: Place,
}

/// Reads a `[[claim]]`.
pub(super) fn read_claim(item: &Item, log: &Log) -> Option<Claim> {
    let mut reader = Reader::of("[[claim]]", item, log)?;
    let id = text(&mut reader, "id");
    let sentence = text(&mut reader, "text");
    let source = text(&mut reader, "source");
    let expected = read_expected(&mut reader, log);
    let (low, high, one_sided) = read_band(&mut reader, expected.1.as_ref());
    let measure = reader.demand("measure", "{ kind = \"value\" }");
    let measure = measure.and_then(|item| read_measure(item, log));
    let reason = reader.take("reason").and_then(|item| words("reason", item, log));
    let turns = reader.take("turns").and_then(|item| words("turns", item, log));
    let free =
        reader.list("free", "tables: { constant = \"..\", low = 1, high = 2, tested = \"..\" }");
    let free = free.iter().filter_map(|item| read_free(item, log)).collect();
    let quick = reader.or("quick", true);
    reader.finish();
    Some(Claim {
        id: id?,
        text: sentence?,
        source: source?,
        kind: expected.0?,
        expected: expected.1?,
        low,
        high,
        one_sided,
        measure: measure?.into(),
        reason,
        turns,
        free,
        quick,
        place: item.place.clone(),
    })
}

impl Claim {
    /// The number of a model that it is about, and what was published for it.
    pub(super) fn published_number(&self) -> Option<(&TheoryNumber, f64)> {
        let number = self.measure.model().filter(|_| self.kind == Kind::Published)?;
        match self.expected {
            Expected::Number(published) => Some((number, published)),
            Expected::Text(_) => None,
        }
    }

    /// Whether a value lies in its band.
    pub(super) fn agrees(&self, value: f64) -> bool {
        self.low.is_none_or(|low| value >= low) && self.high.is_none_or(|high| value <= high)
    }
}
