//! Probabilities of losses, as users give them and as coins are compared with them.

use raddle_schemes::units::Bytes;

/// Whether `value` is a probability that is 0, or can be told from 0.
pub(super) fn is_probability(value: f64) -> bool {
    (0.0..=1.0).contains(&value) && (value == 0.0 || in_units_of_2_to_minus_32(value) > 0)
}

/// A probability as coins of 32 bits are compared with it.
pub(super) fn in_units_of_2_to_minus_32(probability: f64) -> u64 {
    (probability * (1u64 << 32) as f64).round() as u64
}

/// How likely it is that a frame of `size` has a wrong bit if each is wrong with probability `rate`, in
/// units of 2^-64: exact for the smallest rates, too.
pub(super) fn of_a_wrong_bit(rate: f64, size: Bytes) -> u128 {
    let wrong = -libm::expm1(8.0 * size.0 as f64 * libm::log1p(-rate));
    (wrong * 18_446_744_073_709_551_616.0) as u128
}

/// No less than [`of_a_wrong_bit`] and soon found, in units of 2^-32: as if no two bits could be wrong.
pub(super) fn at_most_of_a_wrong_bit(rate: f64, size: Bytes) -> u64 {
    // Two units, and a part in a million, for all that is rounded on either way.
    (8.0 * size.0 as f64 * rate * 4_294_971_591.0) as u64 + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1 - (1 - rate)^bits.
    #[test]
    fn wrong_bits_are_as_likely_as_they_should_be() {
        for (rate, bytes, expected) in [
            (1e-12, 4160, 3.328e-8),
            (1e-7, 4160, 3.3225e-3),
            (1e-6, 4160, 3.2732e-2),
            (1e-12, 64, 5.12e-10),
            (1e-12, 8, 6.4e-11),
            (1e-15, 4160, 3.328e-11),
        ] {
            let got = of_a_wrong_bit(rate, Bytes(bytes)) as f64 / 2f64.powi(64);
            assert!((got / expected - 1.0).abs() < 2e-5, "{rate}, {bytes} B: {got:e}");
        }
        for rate in [1e-15, 1e-12, 3e-9, 1e-7, 1e-6, 1e-4, 0.01, 0.5, 1.0] {
            for size in [1, 8, 64, 1500, 4160, 9000] {
                let most = u128::from(at_most_of_a_wrong_bit(rate, Bytes(size)));
                assert!(most << 32 > of_a_wrong_bit(rate, Bytes(size)), "{rate}, {size} B");
            }
        }
        assert_eq!(of_a_wrong_bit(1.0, Bytes(1)), 1 << 64);
        assert_eq!(of_a_wrong_bit(0.0, Bytes(4160)), 0);
    }
}
