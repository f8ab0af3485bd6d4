//! Time, size and rate: integers, one type per dimension, with the text form users type.
//!
//! Time is counted in picoseconds (a byte takes 20 ps at 400 Gbps), so that serialisation is
//! exact for every common link rate and events never tie by rounding.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use serde::{Deserialize, Serialize};

/// An instant of simulated time, in picoseconds since the start of the run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
pub struct Time(pub u64);

/// A length of simulated time, in picoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
pub struct Span(pub u64);

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
pub struct Bytes(pub u64);

/// A data rate, in bits per second. Never zero in a valid fabric.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
pub struct Rate(pub u64);

const PS_PER_SECOND: u128 = 1_000_000_000_000;

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than any event.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant in microseconds, for tables and people.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// `n` nanoseconds.
    pub const fn ns(n: u64) -> Self {
        Self(n * 1_000)
    }

    /// `n` microseconds.
    pub const fn us(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// `n` milliseconds.
    pub const fn ms(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// The span in microseconds, for tables and people.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Bytes {
    /// `n` kibibytes.
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }

    /// `n` mebibytes.
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }
}

impl Rate {
    /// `n` gigabits per second.
    pub const fn gbps(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// The time `size` takes on a wire of this rate: ceil(bits / rate).
    ///
    /// # Panics
    /// If the rate is zero.
    #[inline]
    pub fn serialisation(self, size: Bytes) -> Span {
        // Frames take the short division; whole queues and messages may need the long one.
        match size.0.checked_mul(8 * PS_PER_SECOND as u64) {
            Some(scaled) => Span(scaled.div_ceil(self.0)),
            None => {
                let scaled = u128::from(size.0) * 8 * PS_PER_SECOND;
                Span(scaled.div_ceil(u128::from(self.0)) as u64)
            }
        }
    }

    /// The bytes this rate carries in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> Bytes {
        Bytes((u128::from(self.0) * u128::from(span.0) / (8 * PS_PER_SECOND)) as u64)
    }

    /// The rate times a positive factor, rounded to the nearest bit per second.
    pub fn scaled(self, factor: f64) -> Self {
        Self(libm::round(self.0 as f64 * factor) as u64)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    /// The time from `earlier` to `self`, which must not be before it.
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// Units of time with their picoseconds, largest first.
const SPANS: &[(&str, u64)] =
    &[("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)];
const SIZES: &[(&str, u64)] = &[
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("KB", 1_000),
    ("B", 1),
];
const RATES: &[(&str, u64)] = &[
    ("Tbps", 1_000_000_000_000),
    ("Gbps", 1_000_000_000),
    ("Mbps", 1_000_000),
    ("kbps", 1_000),
    ("bps", 1),
];

/// Why a text is not a quantity. The message names what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum QuantityError {
    /// The text does not start with a number.
    NoNumber,
    /// The number has no unit, or one of another dimension. Holds the units that would do.
    Unit(&'static str),
    /// The number is negative, not finite, too large, or finer than the unit of account.
    Range,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => f.write_str("expected a number with a unit"),
            Self::Unit(units) => write!(f, "expected a number and one of the units {units}"),
            Self::Range => f.write_str("the value is out of range"),
        }
    }
}

/// Splits `"1.5 us"` into its number and its unit.
///
/// # Errors
/// [`QuantityError::NoNumber`] if no number leads the text.
pub fn split_number(text: &str) -> Result<(f64, &str), QuantityError> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| !(c.is_ascii_digit() || c == '.' || c == '_' || (i == 0 && c == '-')))
        .map_or(text.len(), |(i, _)| i);
    let mut digits = [0u8; 40];
    let mut length = 0;
    for byte in text[..end].bytes().filter(|&b| b != b'_') {
        *digits.get_mut(length).ok_or(QuantityError::Range)? = byte;
        length += 1;
    }
    let number = core::str::from_utf8(&digits[..length])
        .ok()
        .and_then(|d| d.parse::<f64>().ok())
        .ok_or(QuantityError::NoNumber)?;
    Ok((number, text[end..].trim()))
}

/// The greatest common divisor of all numbers; 0 if there is none but zeros.
pub fn gcd(numbers: impl Iterator<Item = u64>) -> u64 {
    let of_two = |mut a, mut b| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.fold(0, of_two)
}

fn parse_scaled(
    text: &str,
    units: &[(&str, u64)],
    expected: &'static str,
) -> Result<u64, QuantityError> {
    let (number, unit) = split_number(text)?;
    let factor = units.iter().find(|(u, _)| *u == unit).ok_or(QuantityError::Unit(expected))?.1;
    let value = number * factor as f64;
    let rounded = libm::round(value);
    // Below 2^53 the product is exact enough to tell "1.5 us" from a fraction of a picosecond.
    if !(0.0..9.0e15).contains(&value) || (value - rounded) > 1e-3 || (rounded - value) > 1e-3 {
        return Err(QuantityError::Range);
    }
    Ok(rounded as u64)
}

fn fmt_scaled(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)]) -> fmt::Result {
    let exact = units.iter().find(|(_, factor)| value != 0 && value.is_multiple_of(*factor));
    match exact {
        Some((unit, factor)) if value / factor < 100_000 => {
            f.pad(&alloc::format!("{} {unit}", value / factor))
        }
        // Not a round number of any unit: decimals of the largest that fits, exact by division.
        _ => {
            let (unit, factor) = units
                .iter()
                .find(|(_, factor)| value >= *factor)
                .or(units.last())
                .copied()
                .unwrap_or(("", 1));
            f.pad(&alloc::format!("{} {unit}", value as f64 / factor as f64))
        }
    }
}

macro_rules! quantity {
    ($type:ident, $units:ident, $expected:literal) => {
        impl core::str::FromStr for $type {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                parse_scaled(text, $units, $expected).map($type)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt_scaled(f, self.0, $units)
            }
        }
    };
}

quantity!(Span, SPANS, "ps, ns, us, ms, s");
quantity!(Bytes, SIZES, "B, kB, MB, GB, KiB, MiB, GiB");
quantity!(Rate, RATES, "bps, kbps, Mbps, Gbps, Tbps");

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_scaled(f, self.0, SPANS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn text_forms_round_trip() {
        for text in ["500 ns", "1 us", "1500 ns", "12 ms", "70 us", "1 ps"] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span, span.to_string().parse().unwrap(), "{text}");
        }
        assert_eq!("1.5 us".parse(), Ok(Span::ns(1500)));
        assert_eq!("8 MiB".parse(), Ok(Bytes::mib(8)));
        assert_eq!("2_000_000 B".parse(), Ok(Bytes(2_000_000)));
        assert_eq!("400 Gbps".parse(), Ok(Rate::gbps(400)));
        assert_eq!(Bytes(2_000_000).to_string(), "2 MB");
        assert_eq!(Rate::gbps(400).to_string(), "400 Gbps");
    }

    #[test]
    fn wrong_text_is_refused() {
        assert_eq!("ns".parse::<Span>(), Err(QuantityError::NoNumber));
        assert!(matches!("5 Gbps".parse::<Span>(), Err(QuantityError::Unit(_))));
        assert!(matches!("5".parse::<Bytes>(), Err(QuantityError::Unit(_))));
        assert_eq!("-5 ns".parse::<Span>(), Err(QuantityError::Range));
        assert_eq!("0.5 ps".parse::<Span>(), Err(QuantityError::Range));
    }

    #[test]
    fn serialisation_rounds_up() {
        assert_eq!(Rate::gbps(400).serialisation(Bytes(4160)), Span(83_200));
        assert_eq!(Rate::gbps(300).serialisation(Bytes(1)), Span(27));
        assert_eq!(Rate::gbps(800).serialisation(Bytes(4158)), Span(41_580));
        // Around 2^64 / (8 x 10^12) bytes, where the product outgrows 64 bits.
        for bytes in [2_305_842, 2_305_843, 2_305_844] {
            let exact = (u128::from(bytes) * 8_000_000_000_000).div_ceil(3_000_000_007) as u64;
            assert_eq!(Rate(3_000_000_007).serialisation(Bytes(bytes)), Span(exact));
        }
    }
}
