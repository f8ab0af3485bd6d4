//! The band of a claim: the measured values that agree. It has two ends, or says why it has one.

use super::expected::Expected;
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;
use raddle_schemes::family::quoted;

/// How far from 1 (of a ratio) or 0 (of a difference) the end of an order may be.
const EVEN: f64 = 0.02;

raddle_schemes::words! {
    /// Why a band has one end.
    pub enum OneSided {
        /// The source says which is ahead, and not by how much: the end is at equality, within 2 %.
        Order = "order",
        /// The source itself gives the least.
        AtLeast = "at_least",
        /// The source itself gives the most.
        AtMost = "at_most",
        /// The source gives the greatest that it saw: half of it has to be there somewhere.
        UpTo = "up_to",
        /// The source says how strongly in words alone: the end is ours.
        Words = "words",
    }
}

impl OneSided {
    /// What a band says of it beside its end.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Order => " (an order)",
            Self::AtLeast | Self::AtMost => "",
            Self::UpTo => " (\"up to\")",
            Self::Words => " (in words)",
        }
    }

    /// What speaks against it.
    fn against(self, low: Option<f64>, high: Option<f64>, expected: &Expected) -> Option<&str> {
        let end = low.or(high).unwrap_or_default();
        match (self, expected) {
            (Self::Order, _) if (end - 1.0).abs().min(end.abs()) > EVEN + 1e-9 => {
                Some("the end of an order is within 2 % of 1, or of 0")
            }
            (Self::AtLeast | Self::UpTo, _) if low.is_none() => Some("it goes with `low`"),
            (Self::AtMost, _) if high.is_none() => Some("it goes with `high`"),
            (Self::UpTo, Expected::Number(most)) if end < most / 2.0 => {
                Some("`low` is below half of the number")
            }
            (Self::Order | Self::Words, Expected::Number(_)) => {
                Some("a number has two ends: half of what it states to one and a half of it")
            }
            (Self::Words, Expected::Text(text)) if text.contains(|c: char| c.is_ascii_digit()) => {
                Some("these words have a number: two ends, `at_least`, `at_most` or `up_to`")
            }
            _ => None,
        }
    }
}

/// The ends of a claim's band, and why there is one of them.
pub(super) fn read_band(
    reader: &mut Reader<'_>,
    expected: Option<&Expected>,
) -> (Option<f64>, Option<f64>, Option<OneSided>) {
    let (low, high): (Option<f64>, Option<f64>) = (reader.get("low"), reader.get("high"));
    let place = reader.place();
    let log = reader.log();
    let add = |problem: Problem, label: &str| problem.label(label);
    match (low, high) {
        (None, None) => {
            log.add(add(place.problem("the claim has no band"), "add `low`, `high` or both"));
        }
        (Some(low), Some(high)) => {
            if low > high {
                log.add(add(place.problem("no value agrees"), "`low` is above `high`"));
            }
            reader.misplaced("one_sided", "with two ends", "`low` or `high` alone");
            return (Some(low), Some(high), None);
        }
        _ => {}
    }
    let Some(item) = reader.take("one_sided") else {
        if low.is_some() || high.is_some() {
            let words: Vec<String> =
                OneSided::WORDS.iter().map(|word| quoted(word).to_string()).collect();
            let label = format!("add the other, or `one_sided`: {}", words.join(", "));
            log.add(add(place.problem("the band has one end, without a reason"), &label));
        }
        return (low, high, None);
    };
    let one_sided = raddle::scenario::reader::read("one_sided", item);
    let one_sided: Option<OneSided> = one_sided.map_err(|problem| log.add(problem)).ok();
    if let (Some(word), Some(expected)) = (one_sided, expected)
        && let Some(against) = word.against(low, high, expected)
    {
        let problem = item.place.problem(format!("`{}` does not fit the claim", word.word()));
        log.add(add(problem, against));
    }
    (low, high, one_sided)
}

#[cfg(test)]
mod tests {
    use crate::figures::Claims;

    fn of(lines: &str) -> Result<Claims, String> {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\n{lines}\n\
             measure = {{ kind = \"value\", metric = \"dropped\", cell = {{ \"condition\" = \"x\" }} }}\n"
        );
        Claims::parse("c", &text).map_err(|problems| problems.render(false))
    }

    #[test]
    fn one_end_has_a_reason_that_fits() {
        for lines in [
            "published = 2\nlow = 1.0\nhigh = 3.0",
            "published = \"sooner\"\nlow = 1.02\none_sided = \"order\"",
            "published = \"22 % against 58 %\"\nhigh = 0.98\none_sided = \"order\"",
            "published = \"less\"\nhigh = 0.0\none_sided = \"order\"",
            "published = 120000\nlow = 120000\none_sided = \"at_least\"",
            "published = \"within 1 %\"\nhigh = 1.5\none_sided = \"at_most\"",
            "published = 52\nlow = 26\none_sided = \"up_to\"",
            "published = \"much worse\"\nlow = 1.2\none_sided = \"words\"",
        ] {
            assert!(of(lines).is_ok(), "{lines}\n{}", of(lines).unwrap_err());
        }
    }

    #[test]
    fn one_end_without_a_reason_or_with_a_wrong_one_is_refused() {
        for (lines, answer) in [
            ("published = 2\nlow = 1.0", "add the other, or `one_sided`: \"order\", \"at_least\""),
            (
                "published = 2\nlow = 1.0\nhigh = 3.0\none_sided = \"order\"",
                "no effect with two ends",
            ),
            ("published = 2\nlow = 3.0\nhigh = 1.0", "`low` is above `high`"),
            ("published = \"a\"\nlow = 1.0\none_sided = \"oder\"", "nearest: `order`"),
            ("published = \"a\"\nlow = 1.2\none_sided = \"order\"", "within 2 % of 1, or of 0"),
            ("published = \"a\"\nlow = 1.2\none_sided = \"at_most\"", "goes with `high`"),
            ("published = \"a\"\nhigh = 1.2\none_sided = \"at_least\"", "goes with `low`"),
            ("published = 52\nlow = 20\none_sided = \"up_to\"", "below half of the number"),
            ("published = 1.3\nlow = 1.02\none_sided = \"order\"", "a number has two ends"),
            ("published = \"by 30 %\"\nlow = 1.1\none_sided = \"words\"", "words have a number"),
        ] {
            let found = of(lines).unwrap_err();
            assert!(found.contains(answer), "{lines}\n{found}");
        }
    }
}
