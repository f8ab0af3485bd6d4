//! Counting over time, in buckets of equal width.

use raddle_schemes::units::{Span, Time};

/// Bucket arithmetic; a width of zero records nothing.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    width: Span,
}

impl Buckets {
    /// Buckets of this width.
    pub fn new(width: Span) -> Self {
        Self { width }
    }

    /// Picoseconds of a bucket; 0 if nothing is recorded.
    pub fn width(self) -> u64 {
        self.width.0
    }

    /// The counter for `now`, the series grown to hold it; `None` if nothing is recorded.
    pub fn at<T: Default + Clone>(self, series: &mut Vec<T>, now: Time) -> Option<&mut T> {
        let bucket = now.0.checked_div(self.width.0)? as usize;
        if series.len() <= bucket {
            series.resize(bucket + 1, T::default());
        }
        series.get_mut(bucket)
    }

    /// Counts one at `now`.
    pub fn count(self, series: &mut Vec<u32>, now: Time) {
        if let Some(counter) = self.at(series, now) {
            *counter += 1;
        }
    }
}

/// Joins pairs of buckets: each becomes what `join` makes of the two.
pub(super) fn join_pairs<T: Copy>(series: &mut Vec<T>, join: impl Fn(T, T) -> T) {
    let pairs = series.len().div_ceil(2);
    for pair in 0..pairs {
        let first = series[2 * pair];
        series[pair] = series.get(2 * pair + 1).map_or(first, |second| join(first, *second));
    }
    series.truncate(pairs);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_an_odd_number_of_buckets_stays_alone() {
        let mut series = vec![1, 2, 3, 4, 5];
        join_pairs(&mut series, |first, second| first + second);
        assert_eq!(series, [3, 7, 5]);
        join_pairs(&mut series, u32::max);
        assert_eq!(series, [7, 5]);
    }
}
