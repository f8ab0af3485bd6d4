//! Shares such as `"1%"`.

use super::key::Key;
use super::keyed::Reader;
use super::spec::{Item, Place, Value};
use raddle_schemes::units::split_number;

/// The percentage under a key, from 0 to 100. None of anything is the baseline of a sweep:
/// it is an error where no cell of the study has a share of something.
pub(super) fn share(reader: &mut Reader<'_>, key: &'static Key) -> Option<f64> {
    let item = reader.demand(key)?;
    let Some(share) = percent(item).filter(|percent| (0.0..=100.0).contains(percent)) else {
        let problem = item.place.problem("wrong value for `share`");
        reader.log().add(problem.label("expected a share from 0% to 100%, as in \"1%\""));
        return None;
    };
    let idle = (share == 0.0).then(|| {
        let problem = item.place.problem("a `share` of 0% has no effect");
        problem.label("leave it out, or sweep it: 0% is a baseline for other shares")
    });
    // One judgement for the whole study: the other shares may stand at other places.
    reader.log().judge(&Place::default(), idle);
    Some(share)
}

/// The number of `"1%"`.
pub(super) fn percent(item: &Item) -> Option<f64> {
    let Value::Text(text) = &item.value else { return None };
    match split_number(text) {
        Ok((number, "%")) => Some(number),
        _ => None,
    }
}

/// What to write where a percentage of a count is less than half of one of them.
pub(super) fn at_least(count: usize) -> String {
    let half = (50_000.0 / count as f64).ceil() / 1000.0;
    format!("expected at least {half}%")
}
