//! A figure's claims for people, on a terminal.

use super::band::OneSided;
use super::expected::Expected;
use super::increase::NamedBound;
use super::result::{ClaimResult, FigureResult, Verdict};
use raddle::study::text::{digits, left, right, width};
use std::fmt::Write;

/// The widest line, where words allow.
const LINE: usize = 98;
/// Expected words that are longer than this stand under the claim.
const EXPECTED: usize = 16;
/// Numbers have so many digits, or up to the most where it takes more to tell a claim's apart.
const DIGITS: usize = 4;
const MOST_DIGITS: usize = 6;
const HEAD: [&str; 6] = ["claim", "held against", "expected", "measured", "band", "verdict"];

impl FigureResult {
    /// The claims as a table, each followed by its sentence, its source, and the reason where it
    /// differs. Every line ends with a newline.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.figure.name, self.title);
        let mut mode = self.mode.word().to_string();
        for (path, value) in &self.set {
            let _ = write!(mode, ", {path} = {value}");
        }
        if !self.seeds().is_empty() {
            let seeds: Vec<String> = self.seeds().iter().map(u64::to_string).collect();
            let _ = write!(mode, ", seeds {}", seeds.join(" "));
        }
        let _ = writeln!(text, "{mode}");
        if let Some(reduced) = &self.reduced {
            wrapped(&mut text, &format!("Reduced: {reduced}"));
        }
        text.push('\n');
        if self.claims.is_empty() {
            return text;
        }
        let mut rows = vec![HEAD.map(str::to_owned)];
        rows.extend(self.claims.iter().map(row));
        let widths: Vec<usize> = (0..HEAD.len())
            .map(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        for (i, row) in rows.iter().enumerate() {
            let [id, kind, expected, measured, band, verdict] = row;
            let line = [
                left(id, widths[0]),
                left(kind, widths[1]),
                right(expected, widths[2]),
                right(measured, widths[3]),
                left(band, widths[4]),
                left(verdict, widths[5]),
            ]
            .join("  ");
            let _ = writeln!(text, "{}", line.trim_end());
            if let Some(result) = i.checked_sub(1).map(|i| &self.claims[i]) {
                explain(&mut text, result);
            }
        }
        text
    }
}

impl ClaimResult {
    /// What it expects.
    pub(crate) fn expected_text(&self) -> String {
        match &self.claim.expected {
            Expected::Number(number) => number_text(*number, self.digits()),
            Expected::Text(text) => text.clone(),
        }
    }

    /// What was measured.
    pub(crate) fn measured_text(&self) -> String {
        let text = |number| number_text(number, self.digits());
        self.measured.map_or_else(|| "none".to_owned(), text)
    }

    /// Which values agree.
    pub(crate) fn band_text(&self) -> String {
        let text = |number| number_text(number, self.digits());
        let why = self.claim.one_sided.map_or("", OneSided::note);
        match (self.claim.low, self.claim.high) {
            (Some(low), Some(high)) => format!("{} to {}", text(low), text(high)),
            (Some(low), None) => format!("at least {}{why}", text(low)),
            (None, Some(high)) => format!("at most {}{why}", text(high)),
            (None, None) => String::new(),
        }
    }

    /// How many digits tell its numbers apart.
    fn digits(&self) -> usize {
        let expected = match &self.claim.expected {
            Expected::Number(number) => Some(*number),
            Expected::Text(_) => None,
        };
        let all = [expected, self.measured, self.claim.low, self.claim.high];
        let all: Vec<f64> = all.into_iter().flatten().collect();
        let told = |digits: &usize| {
            let same = |a: f64, b: f64| number_text(a, *digits) == number_text(b, *digits);
            all.iter().enumerate().all(|(i, a)| all[..i].iter().all(|b| a == b || !same(*a, *b)))
        };
        (DIGITS..=MOST_DIGITS).find(told).unwrap_or(MOST_DIGITS)
    }

    /// The bounds that the value is taken against; empty if there are none.
    pub(crate) fn bounds_text(&self) -> String {
        let bound = |bound: &NamedBound| format!("{}, {:.3} us", bound.name.word(), bound.us);
        self.bounds.iter().map(bound).collect::<Vec<_>>().join("; ")
    }

    /// Why it differs, if it does and somebody tested.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.claim.reason.as_deref().filter(|_| self.verdict == Verdict::Differs)
    }
}

fn row(result: &ClaimResult) -> [String; 6] {
    let expected = Some(result.expected_text()).filter(|text| width(text) <= EXPECTED);
    [
        result.claim.id.clone(),
        result.claim.kind.word().to_owned(),
        expected.unwrap_or_else(|| "in words".to_owned()),
        result.measured_text(),
        result.band_text(),
        format!("{}{}", result.verdict.word(), result.free_note()),
    ]
}

/// So many digits, without trailing zeros behind the point.
fn number_text(value: f64, most: usize) -> String {
    let text = digits(value, most);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn explain(text: &mut String, result: &ClaimResult) {
    let claim = &result.claim;
    wrapped(text, &format!("{} ({})", claim.text, claim.source));
    if !result.bounds.is_empty() {
        wrapped(text, &format!("Bound: {}", result.bounds_text()));
    }
    if let Expected::Text(words) = &claim.expected
        && width(words) > EXPECTED
    {
        wrapped(text, &format!("Expected: {words}"));
    }
    if let Some(reason) = result.reason() {
        wrapped(text, &format!("Reason: {reason}"));
    }
    for free in result.free_texts() {
        wrapped(text, &format!("Free constant: {free}"));
    }
    if let Some(turns) = &claim.turns {
        wrapped(text, &format!("Turns: {turns}"));
    }
}

fn wrapped(text: &mut String, sentence: &str) {
    let mut line = String::new();
    for word in sentence.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > LINE - 4 {
            let _ = writeln!(text, "    {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(text, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_their_trailing_zeros() {
        for (number, text) in
            [(1.75, "1.75"), (799.0, "799"), (600.0, "600"), (0.01, "0.01"), (0.0, "0")]
        {
            assert_eq!(number_text(number, 4), text);
        }
        assert_eq!(
            (number_text(17.0587, 4), number_text(17.0587, 6)),
            ("17.06".into(), "17.0587".into())
        );
    }

    #[test]
    fn long_sentences_are_wrapped() {
        let mut text = String::new();
        wrapped(&mut text, &"word ".repeat(40));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= LINE));
    }
}
