//! Which flows count as short, medium and long.

use raddle_schemes::units::Bytes;

/// Bounds of the classes of flows by their application bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Short flows have fewer bytes.
    pub short_below: Bytes,
    /// Medium flows have no fewer.
    pub medium_from: Bytes,
    /// Medium flows have no more, long ones do.
    pub long_above: Bytes,
}

impl Default for Sizes {
    /// PowerTCP's (thesis, section 2.3.2): flows of 10 kB to 100 kB are in none of the classes.
    fn default() -> Self {
        let [short_below, medium_from, long_above] = [10_000, 100_000, 1_000_000].map(Bytes);
        Self { short_below, medium_from, long_above }
    }
}

impl Sizes {
    /// Short below the one, long above the other, and medium all between.
    pub fn new(short_below: Bytes, long_above: Bytes) -> Self {
        Self { short_below, medium_from: short_below, long_above }
    }
}
