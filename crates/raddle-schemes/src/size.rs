//! Sizes as users write them: absolute, in packets, in bandwidth-delay products, or in percent.

use crate::units::{Bytes, QuantityError, split_number};
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;
use core::ops::Bound;
use core::str::FromStr;
use serde::Serialize;

/// What `"unlimited"` stands for: more than there ever is.
pub const UNLIMITED: Bytes = Bytes(u64::MAX / 4);

/// A size that may depend on the fabric it is used in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Size {
    /// `"64 KiB"`.
    Bytes(Bytes),
    /// `"100 packets"`: full packets, payload and header.
    Packets(f64),
    /// `"1.5 bdp"`: bandwidth-delay products.
    Bdp(f64),
    /// `"20%"`: of the whole that the key belongs to (a threshold: of its queue).
    Percent(f64),
    /// `"unlimited"`.
    Unlimited,
}

/// A size that has a limit: any but `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limited(pub Size);

/// In a range: any size but none at all.
pub const SOME: (Bound<Size>, Bound<Size>) =
    (Bound::Excluded(Size::Bytes(Bytes(0))), Bound::Unbounded);

/// Sizes compare where one of them is none at all, or both refer to the same.
impl PartialOrd for Size {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let equal = (self == other).then_some(Ordering::Equal);
        equal.or(match (self.is_none(), other.is_none()) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            _ if self.exceeds(*other) => Some(Ordering::Greater),
            _ => other.exceeds(*self).then_some(Ordering::Less),
        })
    }
}

/// What a relative [`Size`] refers to.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Base {
    /// A full packet on the wire.
    pub packet: Bytes,
    /// The bandwidth-delay product.
    pub bdp: Bytes,
    /// 100 %.
    pub whole: Bytes,
}

impl Size {
    /// Whether it is larger than `other` whatever both refer to: in the same unit, or without limit.
    pub fn exceeds(self, other: Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a > b,
            (Self::Packets(a), Self::Packets(b))
            | (Self::Bdp(a), Self::Bdp(b))
            | (Self::Percent(a), Self::Percent(b)) => a > b,
            (Self::Unlimited, other) => other != Self::Unlimited,
            _ => false,
        }
    }

    /// Whether it is zero, whatever it refers to.
    fn is_none(self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.0 == 0,
            Self::Packets(n) | Self::Bdp(n) | Self::Percent(n) => n == 0.0,
            Self::Unlimited => false,
        }
    }

    /// The size in bytes, rounded to the nearest.
    pub fn resolve(self, base: &Base) -> Bytes {
        let of = |factor: f64, unit: Bytes| Bytes(libm::round(factor * unit.0 as f64) as u64);
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Packets(n) => of(n, base.packet),
            Self::Bdp(n) => of(n, base.bdp),
            Self::Percent(n) => of(n / 100.0, base.whole),
            Self::Unlimited => UNLIMITED,
        }
    }
}

impl FromStr for Size {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        if text.trim() == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let (number, unit) = split_number(text)?;
        if !(0.0..1e15).contains(&number) {
            return Err(QuantityError::Range);
        }
        match unit {
            "packets" | "packet" => Ok(Self::Packets(number)),
            "bdp" => Ok(Self::Bdp(number)),
            "%" => Ok(Self::Percent(number)),
            _ => text.parse().map(Self::Bytes).map_err(|error| match error {
                QuantityError::Unit(_) => QuantityError::Unit(
                    "B, kB, MB, KiB, MiB, GiB, packets, bdp, % (or `unlimited`)",
                ),
                other => other,
            }),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = match self {
            Self::Bytes(bytes) => bytes.to_string(),
            Self::Packets(n) => alloc::format!("{n} packets"),
            Self::Bdp(n) => alloc::format!("{n} bdp"),
            Self::Percent(n) => alloc::format!("{n}%"),
            Self::Unlimited => "unlimited".to_string(),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ops::RangeBounds;

    #[test]
    fn any_size_is_some_but_zero_in_any_unit() {
        let is_some = |text: &str| SOME.contains(&text.parse::<Size>().unwrap());
        for text in ["0 B", "0 packets", "0 bdp", "0%"] {
            assert!(!is_some(text), "{text}");
        }
        for text in ["1 B", "0.1 packets", "1.5 bdp", "1%", "unlimited"] {
            assert!(is_some(text), "{text}");
        }
    }

    #[test]
    fn sizes_compare_where_they_refer_to_the_same() {
        let exceeds = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| text.parse::<Size>().unwrap());
            a.exceeds(b)
        };
        assert!(exceeds("2 bdp", "1.5 bdp") && !exceeds("1.5 bdp", "1.5 bdp"));
        assert!(exceeds("unlimited", "1 GiB") && !exceeds("unlimited", "unlimited"));
        assert!(!exceeds("151 packets", "1.5 bdp") && !exceeds("1.5 bdp", "1 B"));
    }

    #[test]
    fn relative_sizes_resolve() {
        let base = Base { packet: Bytes(4160), bdp: Bytes(416_000), whole: Bytes(500_000) };
        let bytes = |text: &str| text.parse::<Size>().unwrap().resolve(&base).0;
        assert_eq!(bytes("100 packets"), 416_000);
        assert_eq!(bytes("1.5 bdp"), 624_000);
        assert_eq!(bytes("20%"), 100_000);
        assert_eq!(bytes("64 KiB"), 65_536);
        assert!("20 pct".parse::<Size>().is_err());
        for text in ["100 packets", "1.5 bdp", "20%", "64 KiB", "unlimited"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
    }
}
