//! What a sweep set, as columns of numbers where its values are numbers or quantities.

use super::{Column, Values};
use raddle_schemes::family::{Parameter, Raw};
use raddle_schemes::units::{Bytes, Rate, Span, split_number};

/// What quantities of a kind become: the number of a text, the unit, and how a column's name ends.
struct Kind {
    read: fn(&str) -> Option<f64>,
    unit: &'static str,
    suffix: &'static str,
}

/// The number of `"20%"`, `"100 packets"`, `"1.5 bdp"`: in this unit alone.
fn number_of(text: &str, unit: &str) -> Option<f64> {
    let (number, found) = split_number(text).ok()?;
    (found == unit).then_some(number)
}

fn quantity<T: Parameter>(text: &str) -> Option<T> {
    T::read(Raw::Text(text)).ok()
}

const KINDS: [Kind; 6] = [
    Kind { read: |text| Some(quantity::<Bytes>(text)?.0 as f64), unit: "B", suffix: "_bytes" },
    Kind { read: |text| Some(quantity::<Span>(text)?.as_us()), unit: "us", suffix: "_us" },
    Kind {
        read: |text| Some(quantity::<Rate>(text)?.0 as f64 / 1e9),
        unit: "Gbps",
        suffix: "_gbps",
    },
    Kind { read: |text| number_of(text, "%"), unit: "%", suffix: "_pct" },
    Kind { read: |text| number_of(text, "packets"), unit: "packets", suffix: "_packets" },
    Kind { read: |text| number_of(text, "bdp"), unit: "bdp", suffix: "_bdp" },
];

/// The column of a key and what a sweep set it to, one for each row; names of conditions, words and
/// tables stay texts, and so do values of several kinds.
pub(super) fn column(path: &str, values: &[Option<&str>]) -> Column {
    let meaning = "what the sweep set this key of the scenario to".to_owned();
    let (suffix, unit, values) = typed(path, values);
    Column { name: format!("{path}{suffix}"), unit: unit.to_owned(), meaning, values }
}

fn typed(path: &str, values: &[Option<&str>]) -> (&'static str, &'static str, Values) {
    // Conditions have names, whatever these look like.
    if path.contains('.') {
        if let Some(whole) = all(values, |text| text.parse().ok()) {
            return ("", "", Values::U64(whole));
        }
        if let Some(numbers) = all(values, finite) {
            return ("", "", Values::F64(numbers));
        }
        if let Some(flags) = all(values, |text| text.parse().ok()) {
            return ("", "", Values::Bool(flags));
        }
        for Kind { read, unit, suffix } in KINDS {
            let Some(numbers) = all(values, read) else { continue };
            let is_whole = |number: &Option<f64>| number.is_none_or(|n| n.fract() == 0.0);
            if unit == "B" && numbers.iter().all(is_whole) {
                let whole = numbers.into_iter().map(|number| number.map(|n| n as u64));
                return (suffix, unit, Values::U64(whole.collect()));
            }
            return (suffix, unit, Values::F64(numbers));
        }
    }
    let texts = values.iter().map(|value| value.map(str::to_owned));
    ("", "", Values::Text(texts.collect()))
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Every value that there is, if all are of the kind that `read` knows.
fn all<T>(values: &[Option<&str>], read: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
    values.iter().map(|value| value.map_or(Some(None), |text| read(text).map(Some))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_quantities_are_numbers_and_everything_else_is_text() {
        let of = |path: &str, values: &[&str]| {
            let values: Vec<Option<&str>> = values.iter().map(|value| Some(*value)).collect();
            let Column { name, unit, values, .. } = column(path, &values);
            (name, unit, values)
        };
        let numbers = |list: &[f64]| Values::F64(list.iter().copied().map(Some).collect());
        let whole = |list: &[u64]| Values::U64(list.iter().copied().map(Some).collect());
        let told = |name: &str, unit: &str, values| (name.to_owned(), unit.to_owned(), values);
        assert_eq!(
            of("traffic.load", &["0.2", "1"]),
            told("traffic.load", "", numbers(&[0.2, 1.0]))
        );
        assert_eq!(of("traffic.senders", &["2", "4"]), told("traffic.senders", "", whole(&[2, 4])));
        assert_eq!(
            of("traffic.message", &["1 MiB", "64 kB"]),
            told("traffic.message_bytes", "B", whole(&[1 << 20, 64_000]))
        );
        assert_eq!(
            of("transport.recovery.rto", &["1 ms", "500 ns"]),
            told("transport.recovery.rto_us", "us", numbers(&[1000.0, 0.5]))
        );
        assert_eq!(
            of("fabric.topology.rate", &["400 Gbps"]),
            told("fabric.topology.rate_gbps", "Gbps", numbers(&[400.0]))
        );
        assert_eq!(
            of("a.share", &["0%", "12.5%"]),
            told("a.share_pct", "%", numbers(&[0.0, 12.5]))
        );
        assert_eq!(
            of("fabric.queue.size", &["1.5 bdp"]),
            told("fabric.queue.size_bdp", "bdp", numbers(&[1.5]))
        );
        let flags = Values::Bool(vec![Some(true), Some(false)]);
        assert_eq!(of("a.b", &["true", "false"]), told("a.b", "", flags));
        let texts = |list: &[&str]| {
            Values::Text(list.iter().map(|text| Some((*text).to_owned())).collect())
        };
        // One of another kind, words, and names of conditions.
        let sizes = ["1 bdp", "100 packets"];
        assert_eq!(of("q.size", &sizes), told("q.size", "", texts(&sizes)));
        assert_eq!(of("x.scheme", &["ops"]), told("x.scheme", "", texts(&["ops"])));
        assert_eq!(of("condition", &["1", "2"]), told("condition", "", texts(&["1", "2"])));
        // A row that has none.
        let missing = column("a.b", &[Some("1"), None]).values;
        assert_eq!(missing, Values::U64(vec![Some(1), None]));
    }
}
