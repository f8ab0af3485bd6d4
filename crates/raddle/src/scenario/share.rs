//! Shares such as `"1%"`.

use super::reader::Reader;
use super::spec::{Item, Value};
use raddle_schemes::units::split_number;

/// The percentage under the key `share`, over 0 and up to 100.
pub(super) fn share(reader: &mut Reader<'_>) -> Option<f64> {
    let item = reader.demand("share", "\"1%\"")?;
    let share = percent(item).filter(|percent| *percent > 0.0 && *percent <= 100.0);
    if share.is_none() {
        let problem = item.place.problem("wrong value for `share`");
        reader.log().add(problem.label("expected a share over 0% and up to 100%, as in \"1%\""));
    }
    share
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
