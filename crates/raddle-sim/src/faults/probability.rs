//! Probabilities of losses, as users give them and as coins are compared with them.

/// Whether `value` is a probability that is 0, or can be told from 0.
pub(super) fn is_probability(value: f64) -> bool {
    (0.0..=1.0).contains(&value) && (value == 0.0 || in_units_of_2_to_minus_32(value) > 0)
}

/// A probability as coins of 32 bits are compared with it.
pub(super) fn in_units_of_2_to_minus_32(probability: f64) -> u64 {
    (probability * (1u64 << 32) as f64).round() as u64
}
