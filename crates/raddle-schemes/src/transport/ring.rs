//! A window on a numbered sequence: a ring that grows, and takes no memory of its own while small.

use alloc::boxed::Box;
use serde::Serialize;

/// Entries of so few numbers lie in the ring itself: enough for a flow that sends now and then.
const INLINE: usize = 2;

/// The entries of a range of numbers; the one of number `n` lies at `n` modulo the length, which is
/// a power of two.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Ring<T> {
    few: [T; INLINE],
    /// Empty while the few places suffice.
    many: Box<[T]>,
}

impl<T: Copy + Default> Ring<T> {
    /// How many numbers have a place.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.many.len().max(INLINE)
    }

    /// The entry of `number`.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> T {
        let place = number as usize & self.many.len().wrapping_sub(1);
        match self.many.get(place) {
            Some(entry) => *entry,
            None => self.few[number as usize % INLINE],
        }
    }

    /// Sets the entry of `number`.
    #[inline]
    pub(crate) fn set(&mut self, number: u32, entry: T) {
        let place = number as usize & self.many.len().wrapping_sub(1);
        match self.many.get_mut(place) {
            Some(slot) => *slot = entry,
            None => self.few[number as usize % INLINE] = entry,
        }
    }

    /// Where the entry of `number` lies.
    #[inline]
    pub(crate) fn address(&self, number: u32) -> *const u8 {
        let place = number as usize & self.many.len().wrapping_sub(1);
        self.many.as_ptr().wrapping_add(place).cast()
    }

    /// Doubles the places; the numbers in use are `from..until`.
    #[cold]
    pub(crate) fn grow(&mut self, from: u32, until: u32) {
        let length = self.len() * 2;
        let mut many = alloc::vec![T::default(); length].into_boxed_slice();
        for number in from..until {
            many[number as usize & (length - 1)] = self.get(number);
        }
        self.many = many;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_numbers_while_the_ring_grows() {
        let mut ring = Ring::default();
        let mut from = 0;
        for number in 0..1_000u32 {
            if (number - from) as usize == ring.len() {
                ring.grow(from, number);
            }
            ring.set(number, number * 3);
            if number % 4 == 3 {
                from += 1;
            }
            assert!((from..=number).all(|number| ring.get(number) == number * 3));
        }
        assert_eq!(ring.len(), 1_024);
    }
}
