//! Start times: picoseconds that htsim reads through a 32-bit float.

use super::super::words::{Reader, Word, is_c_space};
use raddle_schemes::units::Time;

/// 106 days: half of what a run's clock can count.
const LIMIT_PS: f64 = 9_223_372_036_854_775_808.0;

/// Reads a start time. Strict mode takes only numbers that htsim reads exactly.
pub(super) fn read(reader: &mut Reader, word: Word<'_>) -> Option<Time> {
    let text = word.text.escape_debug();
    let trimmed = word.text.trim_start_matches(is_c_space);
    let number = &trimmed[..float_length(trimmed)];
    let Ok(single) = number.parse::<f32>() else {
        reader.error(
            word.at,
            format!("`{text}` is not a start time"),
            "give a number of picoseconds",
        );
        return None;
    };
    let Some(ps) = truncated(number, single) else {
        reader.error(
            word.at,
            format!("a start at {text} ps is out of range"),
            "give a time from 0 to 9000000000000000000 ps (104 days)",
        );
        return None;
    };
    let whole = number.len() == word.text.trim_end_matches('\r').len();
    if !whole {
        reader.strict_error(
            "start text",
            word.at,
            format!("`{text}` is not a plain number: htsim reads it as {ps} ps"),
            "write the picoseconds in digits",
        );
    } else if exact(number).is_none() {
        reader.strict_error(
            "start fraction",
            word.at,
            format!("htsim cuts the start {text} ps to {ps} ps"),
            "write whole picoseconds (htsim's own writer puts microseconds here, which its reader \
             takes for picoseconds)",
        );
    } else if exact(number) != Some(ps) {
        reader.strict_error(
            "start rounding",
            word.at,
            format!(
                "above 2^24 ps htsim reads start times as 32-bit floats: {text} becomes {ps} ps"
            ),
            format!("write `start {ps}`"),
        );
    }
    Some(Time(ps))
}

/// What htsim's conversion from float to an unsigned integer gives, where it is defined.
fn truncated(number: &str, single: f32) -> Option<u64> {
    let digits = number.split(['e', 'E']).next().unwrap_or("");
    let is_zero = !digits.bytes().any(|b| (b'1'..=b'9').contains(&b));
    // C++ `stof` throws where the number is too large or too small for a normal float.
    let in_float_range = single.is_normal() || is_zero;
    let ps = f64::from(single).trunc();
    (in_float_range && (0.0..LIMIT_PS).contains(&ps)).then_some(ps as u64)
}

/// The value as written, if it is a whole number.
fn exact(number: &str) -> Option<u64> {
    match number.parse::<u64>() {
        Ok(ps) => Some(ps),
        Err(_) => number.parse::<f64>().ok().filter(|ps| ps.fract() == 0.0).map(|ps| ps as u64),
    }
}

/// Length of the longest prefix that is a decimal floating-point number; 0 if there is none.
fn float_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let integer = digits(sign);
    let mut end = sign + integer;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if integer + fraction == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = end + 1 + sign;
        let exponent = if from <= bytes.len() { digits(from) } else { 0 };
        if exponent > 0 {
            end = from + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Place;

    fn start(text: &str, compat: bool) -> Result<u64, String> {
        let mut reader = Reader::with_compat(compat);
        let at = Place { line: 1, column: 1, length: text.len() };
        let time = read(&mut reader, Word { at, text });
        match reader.finish() {
            Ok(_) => Ok(time.unwrap().0),
            Err(errors) => Err(errors[0].message.clone()),
        }
    }

    #[test]
    fn compat_rounds_as_a_32_bit_float_does() {
        // Known values: granularity 2 above 2^24, 64 at 1 ms, 1024 at 10 ms, 65536 at 1 s.
        assert_eq!(start("16777217", true), Ok(16_777_216));
        assert_eq!(start("16777219", true), Ok(16_777_220));
        assert_eq!(start("1000000033", true), Ok(1_000_000_064));
        assert_eq!(start("10000000513", true), Ok(10_000_001_024));
        assert_eq!(start("1000000000001", true), Ok(999_999_995_904));
    }

    #[test]
    fn strict_takes_only_what_htsim_reads_exactly() {
        assert_eq!(start("16777216", false), Ok(16_777_216));
        assert_eq!(start("100000000", false), Ok(100_000_000));
        assert_eq!(start("1e6", false), Ok(1_000_000));
        assert_eq!(start("5.000", false), Ok(5));
        assert!(start("16777217", false).unwrap_err().contains("becomes 16777216 ps"));
        assert!(start("0.5", false).unwrap_err().contains("cuts the start 0.5 ps to 0 ps"));
        assert!(start("10us", false).unwrap_err().contains("reads it as 10 ps"));
    }

    #[test]
    fn what_stops_htsim_is_an_error_in_both_modes() {
        for compat in [false, true] {
            for text in ["", "x", "-1", "1e30", "1e39", "1e-42", ".", "+", "inf", "nan"] {
                assert!(start(text, compat).is_err(), "{text}");
            }
        }
        assert_eq!(start(" \t7e", true), Ok(7));
        assert_eq!(start("-0.25", true), Ok(0));
        assert_eq!(start("9e18\r", true), Ok(9_000_000_202_358_128_640));
    }
}
