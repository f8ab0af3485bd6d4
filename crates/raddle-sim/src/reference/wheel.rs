//! A timing wheel that holds events by value.
//!
//! Time is cut into buckets. A bucket is sorted once, when its time has come; what is pushed into
//! it from then on is inserted where it belongs. What lies beyond the last bucket waits in a heap.
//! Vectors of empty buckets are used again, so memory follows the buckets that hold something.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Width of a bucket, as a power of two in ps: 16.4 ns.
const WIDTH_BITS: u32 = 14;
/// Number of buckets: 268 us.
const BUCKETS: usize = 1 << 14;
const WORDS: usize = BUCKETS / 64;

/// Items in ascending order. An item's order is its time first.
pub(super) struct Wheel<T> {
    /// Number of the bucket being emptied, counted from time zero.
    now: u64,
    /// Its items, the next one last.
    current: Vec<T>,
    /// Buckets `now + 1 .. now + BUCKETS`, by their number modulo `BUCKETS`, unsorted.
    buckets: Vec<Vec<T>>,
    /// Which buckets hold something, 64 to a word, and which of those words do.
    filled: [u64; WORDS],
    filled_words: [u64; WORDS / 64],
    /// Items of later buckets.
    later: BinaryHeap<Reverse<Later<T>>>,
    /// Emptied vectors.
    spare: Vec<Vec<T>>,
}

struct Later<T> {
    bucket: u64,
    item: T,
}

impl<T> PartialEq for Later<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bucket == other.bucket
    }
}

impl<T> Eq for Later<T> {}

impl<T> PartialOrd for Later<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Later<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bucket.cmp(&other.bucket)
    }
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self {
            now: 0,
            current: Vec::new(),
            buckets: std::iter::repeat_with(Vec::new).take(BUCKETS).collect(),
            filled: [0; WORDS],
            filled_words: [0; WORDS / 64],
            later: BinaryHeap::new(),
            spare: Vec::new(),
        }
    }
}

impl<T: Ord> Wheel<T> {
    /// Adds an item of time `at` in ps.
    pub(super) fn push(&mut self, at: u64, item: T) {
        let bucket = at >> WIDTH_BITS;
        if bucket <= self.now {
            let place = self.current.partition_point(|other| *other > item);
            self.current.insert(place, item);
        } else if bucket - self.now < BUCKETS as u64 {
            let slot = bucket as usize % BUCKETS;
            let items = &mut self.buckets[slot];
            if items.capacity() == 0 {
                *items = self.spare.pop().unwrap_or_default();
            }
            items.push(item);
            self.filled[slot / 64] |= 1 << (slot % 64);
            self.filled_words[slot / 4096] |= 1 << (slot / 64 % 64);
        } else {
            self.later.push(Reverse(Later { bucket, item }));
        }
    }

    /// The first item.
    pub(super) fn next(&mut self) -> Option<&T> {
        if self.current.is_empty() {
            self.advance();
        }
        self.current.last()
    }

    /// Takes the first item.
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.current.is_empty() {
            self.advance();
        }
        self.current.pop()
    }

    /// All items, in no order.
    pub(super) fn into_items(self) -> impl Iterator<Item = T> {
        let later = self.later.into_iter().map(|Reverse(later)| later.item);
        self.current.into_iter().chain(self.buckets.into_iter().flatten()).chain(later)
    }

    /// Goes on to the next bucket that holds something, if there is one.
    fn advance(&mut self) {
        let near = self.next_filled();
        let far = self.later.peek().map(|Reverse(later)| later.bucket);
        let Some(bucket) = near.into_iter().chain(far).min() else { return };
        self.now = bucket;
        if near == Some(bucket) {
            let slot = bucket as usize % BUCKETS;
            let emptied =
                std::mem::replace(&mut self.current, std::mem::take(&mut self.buckets[slot]));
            self.spare.push(emptied);
            self.filled[slot / 64] &= !(1 << (slot % 64));
            if self.filled[slot / 64] == 0 {
                self.filled_words[slot / 4096] &= !(1 << (slot / 64 % 64));
            }
        }
        while self.later.peek().is_some_and(|Reverse(later)| later.bucket == bucket) {
            self.current.extend(self.later.pop().map(|Reverse(later)| later.item));
        }
        self.current.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The first bucket after `now` that the wheel itself holds something of.
    fn next_filled(&self) -> Option<u64> {
        let first = (self.now as usize + 1) % BUCKETS;
        let slot = self.filled_from(first).or_else(|| self.filled_from(0))?;
        // Slots before `first` are those of the next turn.
        let ahead = (slot + BUCKETS - first) % BUCKETS;
        Some(self.now + 1 + ahead as u64)
    }

    /// The first filled slot from `first` on.
    fn filled_from(&self, first: usize) -> Option<usize> {
        let word = first / 64;
        let bits = self.filled[word] & (u64::MAX << (first % 64));
        if bits != 0 {
            return Some(word * 64 + bits.trailing_zeros() as usize);
        }
        let next = word + 1;
        (next / 64..WORDS / 64).find_map(|summary| {
            let from = if summary == next / 64 { next % 64 } else { 0 };
            let bits = self.filled_words[summary] & (u64::MAX << from);
            (bits != 0).then(|| {
                let word = summary * 64 + bits.trailing_zeros() as usize;
                word * 64 + self.filled[word].trailing_zeros() as usize
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    #[test]
    fn items_leave_in_order_whatever_their_distance() {
        let mut rng = Rng::new(1, "wheel", 0);
        let (mut wheel, mut heap) = (Wheel::default(), BinaryHeap::new());
        let mut now = 0;
        for number in 0..200_000u64 {
            // From within a bucket to three turns of the wheel.
            let reach = 1 << rng.below(30);
            let item = (now + rng.below(reach), number);
            wheel.push(item.0, item);
            heap.push(Reverse(item));
            while rng.below(5) < 2 {
                let expected = heap.pop().map(|Reverse(item)| item);
                assert_eq!(wheel.next().copied(), expected);
                assert_eq!(wheel.pop(), expected);
                now = expected.map_or(now, |(at, _)| at);
            }
        }
        let mut left: Vec<_> = wheel.into_items().collect();
        left.sort_unstable();
        assert!(left.len() > 100);
        assert_eq!(left, std::iter::from_fn(|| heap.pop().map(|Reverse(i)| i)).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_wheel_jumps_over_idle_time() {
        let mut wheel = Wheel::default();
        for at in [5, 1 << 20, 1 << 35, 1 << 60] {
            wheel.push(at, at);
            assert_eq!(wheel.pop(), Some(at));
            assert_eq!(wheel.next(), None);
            wheel.push(at, at);
            assert_eq!(wheel.pop(), Some(at));
        }
        assert!(wheel.spare.len() <= 2);
    }
}
