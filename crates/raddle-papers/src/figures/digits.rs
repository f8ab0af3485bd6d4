//! How many digits of a number are kept.

/// More digits would tell platforms apart.
pub(super) fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_six_digits() {
        assert_eq!(six_digits(184.803_941_2), 184.804);
        assert_eq!(six_digits(0.000_123_456_78), 0.000_123_457);
        assert_eq!(six_digits(0.0), 0.0);
    }
}
