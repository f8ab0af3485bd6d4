//! How long frames take on a wire.

use raddle_schemes::units::{Bytes, Rate, Span};

/// A wire of one rate; by multiplication where a byte takes a whole number of picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    rate: Rate,
    /// Picoseconds per byte; 0 where that is no whole number.
    ps_per_byte: u64,
}

impl Wire {
    pub(crate) const fn new(rate: Rate) -> Self {
        const BITS: u64 = 8 * 1_000_000_000_000;
        let whole = BITS.is_multiple_of(rate.0);
        Self { rate, ps_per_byte: if whole { BITS / rate.0 } else { 0 } }
    }

    /// Its rate.
    pub(crate) fn rate(self) -> Rate {
        self.rate
    }

    /// Picoseconds per byte, where that is a whole number.
    pub(crate) fn whole_ps_per_byte(self) -> Option<u64> {
        (self.ps_per_byte > 0).then_some(self.ps_per_byte)
    }

    /// The time that `size`, which is a frame's or less, takes.
    #[inline]
    pub(crate) fn serialisation(self, size: Bytes) -> Span {
        if self.ps_per_byte > 0 {
            Span(size.0 * self.ps_per_byte)
        } else {
            self.rate.serialisation(size)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_computing_agree() {
        for gbps in [25, 40, 100, 112, 200, 300, 400, 800, 1_600, 8_000] {
            let rate = Rate::gbps(gbps);
            for size in [0, 1, 20, 64, 4_160, 65_535].map(Bytes) {
                assert_eq!(Wire::new(rate).serialisation(size), rate.serialisation(size));
            }
        }
    }
}
