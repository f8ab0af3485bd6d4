//! Flow-size laws: a size and the share of flows of at most this size a line, in percent (HPCC,
//! ConWeave) or as a fraction (TrafficGenerator, ns3-datacenter).
//!
//! ```text
//! file = { SIZE CDF }        -- the last CDF is 100 or 1, and says which
//! ```
//!
//! HPCC's loader refuses tables that do not rise strictly; here equal shares are a gap between sizes,
//! and equal sizes the chance of exactly that size. The table does not say what lies between its
//! points: HPCC draws sizes between two of them evenly, Opera takes the upper one.

use super::{Mistakes, Options, lines};
use crate::import::{InputError, Place};
use raddle_sim::workload::law::{Law, LawError};

/// Whether a text is such a table and not one with a header.
pub fn is_one(text: &str) -> bool {
    let first = lines(text).next();
    first.is_some_and(|words| words.len() > 1 && words[0].text.parse::<f64>().is_ok())
}

/// Reads a law.
///
/// # Errors
/// Every mistake, in the order of the file, up to 20.
pub fn parse(text: &str) -> Result<Law, Vec<InputError>> {
    let mut mistakes = Mistakes::new(Options::default());
    let mut points: Vec<(u64, f64, usize)> = Vec::new();
    for words in lines(text) {
        let at = Place::line(words[0].at.line);
        let [size, share] = words[..] else {
            let message = format!("{} words for a point", words.len());
            mistakes.error(at, message, "a point is a size and a share: `10000 15`");
            continue;
        };
        // Generators write sizes with a fraction of zero.
        let whole = size.text.trim_end_matches('0').strip_suffix('.').unwrap_or(size.text);
        let bytes = whole.parse().ok();
        if bytes.is_none() {
            let message = format!("`{}` is no size", size.text.escape_debug());
            mistakes.error(size.at, message, "expected whole bytes");
        }
        let of: Option<f64> = share.text.parse().ok().filter(|of| (0.0..=100.0).contains(of));
        if of.is_none() {
            let message = format!("`{}` is no share", share.text.escape_debug());
            mistakes.error(share.at, message, "expected 0 to 100 percent, or 0 to 1");
        }
        if let (Some(bytes), Some(of)) = (bytes, of) {
            points.push((bytes, of, at.line));
        }
    }
    let whole = match points.last() {
        Some((_, 100.0, _)) => 100.0,
        Some((_, 1.0, _)) => 1.0,
        Some((_, other, line)) => {
            let message = format!("the last share is {other}");
            mistakes.error(Place::line(*line), message, "expected 100 (percent) or 1");
            1.0
        }
        None => {
            mistakes.error(Place::line(1), "the file has no points", "a point a line: `10000 15`");
            1.0
        }
    };
    mistakes.finish()?;
    let points = points.into_iter().map(|(size, share, line)| (size, share / whole, line));
    let mistake = |LawError { line, problem }: LawError| Place::line(line).note(problem);
    Law::from_points(points).map_err(|errors| errors.into_iter().map(mistake).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_sim::workload::law::Sampling;

    const WEB_SEARCH: &str = "0 0\n10000 15\n20000 20\n30000 30\n50000 40\n80000 53\n200000 60\n\
                              1000000 70\n2000000 80\n5000000 90\n10000000 97\n30000000 100\n";

    #[test]
    fn percent_and_fractions_are_told_apart_by_the_last_point() {
        let bundled = Law::named("websearch").unwrap();
        let percent = parse(WEB_SEARCH).unwrap();
        let mean = |law: &Law| law.mean(Sampling::Linear);
        assert!(
            (mean(&percent) - mean(&bundled)).abs() < 1e-6
                && (mean(&percent) - 1_711_250.0).abs() < 1e-6
        );
        let fractions = parse("0 0\n10.0 0.25\n20\t1\n").unwrap();
        assert_eq!(mean(&fractions), 0.25 * 5.0 + 0.75 * 15.0);
        assert!(is_one(WEB_SEARCH) && !is_one("size_bytes,cdf\n0,0\n") && !is_one(""));
    }

    #[test]
    fn tables_that_do_not_rise_strictly_are_read() {
        let law = parse("1 0\n1 50\n10 50\n20 100\n").unwrap();
        assert_eq!(law.mean(Sampling::Linear), 0.5 + 0.5 * 15.0);
    }

    #[test]
    fn mistakes_have_their_lines() {
        let of = |text: &str| parse(text).unwrap_err()[0].to_string();
        for (text, expected) in [
            ("0 0\n10 97\n", "line 2, column 1: the last share is 97"),
            ("0 0\n10 x\n20 100\n", "line 2, column 4: `x` is no share"),
            ("0 0\n1.5 10\n20 100\n", "line 2, column 1: `1.5` is no size"),
            ("0 0\n10 20 30\n20 100\n", "line 2, column 1: 3 words for a point"),
            ("0 0\n10 50\n5 100\n", "line 3, column 1: size 5 follows 10"),
            ("0 0\n10 50\n20 40\n30 100\n", "line 3, column 1: cdf 0.4 follows 0.5"),
            ("\n", "the file has no points"),
        ] {
            assert!(of(text).starts_with(expected) || of(text).contains(expected), "{}", of(text));
        }
    }
}
