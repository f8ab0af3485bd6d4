//! Sorting a window's arrivals: one pass into buckets of time, one of insertion.
//!
//! Arrivals spread evenly over a window, so buckets hold about one key each; comparison sorts cost
//! three times the instructions here.

/// Fewer keys than this are sorted by insertion alone.
const FEW: usize = 24;
const MOST_BUCKETS: usize = 1024;

/// Sorts keys whose upper 32 bits are below `width`.
#[derive(Default)]
pub(super) struct KeySort {
    buckets: Vec<u32>,
    sorted: Vec<u64>,
}

impl KeySort {
    /// Sorts `keys` in ascending order.
    pub(super) fn sort(&mut self, keys: &mut Vec<u64>, width: u32) {
        if keys.len() >= FEW {
            self.scatter(keys, width);
        }
        insertion(keys);
    }

    /// Puts `keys` into order of buckets.
    fn scatter(&mut self, keys: &mut Vec<u64>, width: u32) {
        let buckets = keys.len().next_power_of_two().min(MOST_BUCKETS);
        // The smallest shift that leaves fewer than `buckets` values.
        let bits = u32::BITS - width.leading_zeros();
        let shift = 32 + bits.saturating_sub(buckets.trailing_zeros());
        self.buckets.clear();
        self.buckets.resize(buckets + 1, 0);
        for &key in keys.iter() {
            self.buckets[(key >> shift) as usize + 1] += 1;
        }
        for bucket in 1..buckets {
            self.buckets[bucket] += self.buckets[bucket - 1];
        }
        self.sorted.clear();
        self.sorted.resize(keys.len(), 0);
        for &key in keys.iter() {
            let next = &mut self.buckets[(key >> shift) as usize];
            self.sorted[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(keys, &mut self.sorted);
    }
}

fn insertion(keys: &mut [u64]) {
    for i in 1..keys.len() {
        let key = keys[i];
        let mut place = i;
        while place > 0 && keys[place - 1] > key {
            keys[place] = keys[place - 1];
            place -= 1;
        }
        keys[place] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    #[test]
    fn any_number_of_keys_in_any_window_is_sorted() {
        let mut rng = Rng::new(1, "test", 0);
        let mut sort = KeySort::default();
        for length in (0..40).chain([100, 1_000, 5_000]) {
            for width in [1, 2, 9, 1_000, 1_000_000, 4_000_000] {
                let low = |rng: &mut Rng| rng.below(1 << 32);
                let mut keys: Vec<u64> =
                    (0..length).map(|_| (rng.below(width) << 32) | low(&mut rng)).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sort.sort(&mut keys, width as u32);
                assert_eq!(keys, expected, "{length} keys, width {width}");
            }
        }
    }
}
