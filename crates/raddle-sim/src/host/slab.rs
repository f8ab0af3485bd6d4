//! What flows have only for a while, or only some of them, side by side in one block.
//!
//! A box for each would cost the allocator's own bytes; and freed among millions of others, its
//! memory would be kept for boxes of the same size until the run ends. The block is as long as most
//! values at once have needed.

use std::marker::PhantomData;
use std::num::NonZeroU32;

/// Values that come and go; one that has gone leaves its place to the next.
pub(super) struct Slab<T> {
    values: Vec<Option<T>>,
    /// Places without a value; the last is taken first, as what it held may still be in the caches.
    free: Vec<u32>,
}

/// The place of a value in its slab, if there is one.
pub(super) struct Key<T> {
    /// The place, plus one.
    number: Option<NonZeroU32>,
    of: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// No value.
    pub(super) const NONE: Self = Self { number: None, of: PhantomData };

    /// The key of a place below 2^32 - 1.
    fn of(place: u32) -> Self {
        Self { number: NonZeroU32::MIN.checked_add(place), of: PhantomData }
    }

    /// The place; without one, beyond the end of any slab.
    #[inline]
    fn place(self) -> usize {
        (self.number.map_or(0, NonZeroU32::get) as usize).wrapping_sub(1)
    }

    #[inline]
    pub(super) fn is_none(self) -> bool {
        self.number.is_none()
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> Slab<T> {
    pub(super) const EMPTY: Self = Self { values: Vec::new(), free: Vec::new() };

    /// How many values there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Gives a value a place.
    pub(super) fn insert(&mut self, value: T) -> Key<T> {
        if let Some(place) = self.free.pop() {
            self.values[place as usize] = Some(value);
            return Key::of(place);
        }
        self.values.push(Some(value));
        Key::of(self.values.len() as u32 - 1)
    }

    /// Takes the value away, if there is one.
    pub(super) fn take(&mut self, key: &mut Key<T>) -> Option<T> {
        let place = std::mem::replace(key, Key::NONE).place();
        let value = self.values.get_mut(place)?.take();
        self.free.push(place as u32);
        value
    }

    /// Where the value lies, if there is one; else anywhere.
    #[inline]
    pub(super) fn address(&self, key: Key<T>) -> *const u8 {
        self.values.as_ptr().wrapping_add(key.place()).cast()
    }

    #[inline]
    pub(super) fn get(&self, key: Key<T>) -> Option<&T> {
        self.values.get(key.place())?.as_ref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, key: Key<T>) -> Option<&mut T> {
        self.values.get_mut(key.place())?.as_mut()
    }
}

impl<T: Default> Slab<T> {
    /// The value, which is made if there is none.
    pub(super) fn get_or_insert_default(&mut self, key: &mut Key<T>) -> &mut T {
        if key.is_none() {
            *key = self.insert(T::default());
        }
        self.values[key.place()].get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_keys_until_they_are_taken() {
        let mut slab = Slab::EMPTY;
        let (mut one, two) = (slab.insert(1), slab.insert(2));
        *slab.get_mut(two).unwrap() += 10;
        assert_eq!((slab.get(one), slab.get(two)), (Some(&1), Some(&12)));
        assert_eq!(slab.take(&mut one), Some(1));
        assert!(one.is_none() && slab.get(one).is_none() && slab.take(&mut one).is_none());
        assert_eq!(slab.get(two), Some(&12));
    }

    #[test]
    fn places_are_taken_again() {
        let mut slab = Slab::EMPTY;
        for round in 0..100 {
            let mut keys: Vec<_> = (0..10).map(|i| slab.insert(round * 10 + i)).collect();
            for (i, key) in keys.iter_mut().enumerate() {
                assert_eq!(slab.take(key), Some(round * 10 + i));
            }
        }
        assert_eq!(slab.values.len(), 10);
    }

    #[test]
    fn a_value_is_made_once() {
        let mut slab = Slab::EMPTY;
        let mut key = Key::NONE;
        for _ in 0..3 {
            *slab.get_or_insert_default(&mut key) += 1;
        }
        assert_eq!((slab.get(key), slab.values.len()), (Some(&3), 1));
    }
}
