//! Values of a question that scenarios do not have: years and months as seconds, shares, comparisons.

use crate::scenario::key::Key;
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Item, Value};

/// Units of time and their lengths in seconds.
const UNITS: [(&str, f64); 9] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("month", 730.5 * 3600.0),
    ("y", 8766.0 * 3600.0),
];

/// The seconds of `"1.28e6 h"`: times of parts are longer than those of runs, and exponents are usual.
pub(super) fn seconds_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
    let number: f64 = text[..end].trim().parse().ok()?;
    let unit = text[end..].trim();
    let (_, length) = UNITS.iter().find(|(word, _)| *word == unit)?;
    Some(number * length).filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

/// Seconds under a key that may be there; a wrong value is a problem, as is 0 unless `zero`.
pub(super) fn seconds(item: &Item, key: &'static Key, zero: bool, log: &Log) -> Option<f64> {
    let text = if let Value::Text(text) = &item.value { text.as_str() } else { "" };
    let found = seconds_of(text).filter(|seconds| zero || *seconds > 0.0);
    if found.is_none() {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        let units: Vec<&str> = UNITS.iter().map(|(word, _)| *word).collect();
        let more = if zero { "" } else { " above 0" };
        let label = format!("expected a time{more}, as in \"24 h\" or \"1.28e6 h\"");
        log.add(problem.label(label).help(format!("units: {}", units.join(", "))));
    }
    found
}

/// The same of a key of a table.
pub(super) fn seconds_at(reader: &mut Reader<'_>, key: &'static Key, zero: bool) -> Option<f64> {
    let item = reader.take(key)?;
    seconds(item, key, zero, reader.log())
}

/// A time that is declared for where the key is absent.
pub(super) fn default_seconds(key: &'static Key) -> f64 {
    let text = key.absent.value().unwrap_or_default();
    seconds_of(text.trim_matches('"')).unwrap_or_default()
}

/// A share, `"2%"` or 0.02, more than 0 and less than 1; else the default.
pub(super) fn share(reader: &mut Reader<'_>, key: &'static Key) -> f64 {
    let of_text = |text: &str| {
        let number = text.trim().strip_suffix('%')?.trim().parse::<f64>().ok()?;
        Some(number / 100.0)
    };
    let default = || of_text(key.absent.value().unwrap_or_default().trim_matches('"'));
    let Some(item) = reader.take(key) else { return default().unwrap_or_default() };
    let found = match &item.value {
        Value::Text(text) => of_text(text),
        Value::Float(x) => Some(*x),
        _ => None,
    };
    let found = found.filter(|share| *share > 0.0 && *share < 1.0);
    if found.is_none() {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        reader.log().add(problem.label("expected a share between 0% and 100%, as in \"2%\""));
    }
    found.or_else(default).unwrap_or_default()
}

/// A text that is one line.
pub(super) fn name(reader: &mut Reader<'_>, key: &'static Key) -> Option<String> {
    let item = reader.demand(key)?;
    match &item.value {
        Value::Text(text) if !text.trim().is_empty() && !text.contains(char::is_control) => {
            Some(text.clone())
        }
        _ => {
            let problem = item.place.problem(format!("wrong value for `{}`", key.word));
            reader.log().add(problem.label("expected a name in one line, quoted"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_parts_have_exponents_and_long_units() {
        assert_eq!(seconds_of("1.28e6 h"), Some(1.28e6 * 3600.0));
        assert_eq!(seconds_of("24h"), Some(86_400.0));
        assert_eq!(seconds_of("3 s"), Some(3.0));
        assert_eq!(seconds_of("68 min"), Some(4080.0));
        assert_eq!(seconds_of("30 d"), Some(2_592_000.0));
        for wrong in ["", "h", "1 hour", "-1 h", "1e400 h", "nan s"] {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }
}
