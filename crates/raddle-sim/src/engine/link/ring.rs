//! A queue of packets in a power-of-two ring that grows when full, and shrinks when told to.

use crate::engine::cache::prefetch;
use crate::wire::frame::Frame;
use raddle_schemes::units::Time;

/// A packet with a time, in 16 bytes: four to a cache line. On a link the time is its arrival, in
/// picoseconds modulo 2^32, read against the start of the window that it arrives in.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct Entry {
    time: u32,
    pub(in crate::engine) frame: Frame,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// Longest time from a packet's start on a wire to its arrival that 32 bits can tell apart.
pub const HORIZON: Time = Time(1 << 31);

impl Entry {
    #[inline]
    pub(in crate::engine) fn new(at: Time, frame: Frame) -> Self {
        Self { time: at.0 as u32, frame }
    }

    /// An entry of a queue, which has a tag for its time.
    #[inline]
    pub(in crate::engine) fn tagged(tag: u32, frame: Frame) -> Self {
        Self { time: tag, frame }
    }

    /// The tag of a tagged entry.
    #[inline]
    pub(in crate::engine) fn tag(&self) -> u32 {
        self.time
    }

    /// Picoseconds from `origin`, which is not after the entry's time, to that time.
    #[inline]
    pub(in crate::engine) fn offset(&self, origin: Time) -> u32 {
        self.time.wrapping_sub(origin.0 as u32)
    }
}

/// Places that a ring keeps, a kilobyte: fewer would not be worth the trouble.
const KEPT: usize = 64;

/// First in, first out.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Ring {
    entries: Box<[Entry]>,
    head: u32,
    length: u32,
}

impl Ring {
    #[inline]
    pub(in crate::engine) fn len(&self) -> usize {
        self.length as usize
    }

    #[inline]
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.length == 0
    }

    #[inline]
    pub(in crate::engine) fn push(&mut self, entry: Entry) {
        if self.length as usize == self.entries.len() {
            self.grow();
        }
        let slot = self.slot(self.length);
        debug_assert!(slot < self.entries.len());
        // SAFETY: a slot is a number modulo how many there are, of which there are some by now.
        unsafe { *self.entries.get_unchecked_mut(slot) = entry };
        self.length += 1;
    }

    /// The entry `i` places behind the head; there must be that many.
    #[inline]
    pub(in crate::engine) fn get(&self, i: u32) -> Entry {
        *self.entry(i)
    }

    /// The same where it lies.
    #[inline]
    pub(in crate::engine) fn entry(&self, i: u32) -> &Entry {
        debug_assert!(i < self.length);
        &self.entries[self.slot(i)]
    }

    /// The entry `i` places behind the head, if there are that many.
    #[inline]
    pub(in crate::engine) fn find(&self, i: u32) -> Option<Entry> {
        // SAFETY: a slot is a number modulo how many there are, and where there is an entry there
        // are some.
        (i < self.length).then(|| unsafe { *self.entries.get_unchecked(self.slot(i)) })
    }

    /// Replaces the entry `i` places behind the head; there must be that many.
    #[inline]
    pub(in crate::engine) fn set(&mut self, i: u32, entry: Entry) {
        debug_assert!(i < self.length);
        let slot = self.slot(i);
        self.entries[slot] = entry;
    }

    /// The place of the entry pushed next: it stays the same as long as the entry is there.
    #[inline]
    pub(in crate::engine) fn next_place(&self) -> u32 {
        self.head.wrapping_add(self.length)
    }

    /// The entry at a place; it must be there still.
    #[inline]
    pub(in crate::engine) fn at_place(&mut self, place: u32) -> &mut Entry {
        debug_assert!(place.wrapping_sub(self.head) < self.length);
        let slot = self.slot(place.wrapping_sub(self.head));
        &mut self.entries[slot]
    }

    #[inline]
    pub(in crate::engine) fn pop(&mut self) -> Option<Entry> {
        if self.length == 0 {
            return None;
        }
        let entry = self.get(0);
        self.skip(1);
        Some(entry)
    }

    /// Takes the entry that was pushed last.
    pub(in crate::engine) fn pop_back(&mut self) -> Option<Entry> {
        let last = self.length.checked_sub(1)?;
        let entry = self.get(last);
        self.length = last;
        Some(entry)
    }

    /// Takes all frames but those that stay, which keep their order.
    pub(in crate::engine) fn take_unless(
        &mut self,
        stays: impl Fn(Frame) -> bool,
        taken: &mut Vec<Frame>,
    ) {
        for _ in 0..self.length {
            let Some(entry) = self.pop() else { return };
            if stays(entry.frame) { self.push(entry) } else { taken.push(entry.frame) }
        }
    }

    /// How many entries more there is room for.
    #[inline]
    pub(in crate::engine) fn room(&self) -> usize {
        self.entries.len() - self.len()
    }

    /// The end of the ring, with room for `count` entries more, at least one.
    #[inline]
    pub(in crate::engine) fn end(&mut self, count: usize) -> End<'_> {
        while self.room() < count.max(1) {
            self.grow();
        }
        let first = self.next_place();
        let Self { entries, length, .. } = self;
        let until = first.wrapping_add(entries.len() as u32 - *length);
        End { entries, length, first, next: first, until }
    }

    /// Forgets all entries but the first `length`; there must be that many.
    #[inline]
    pub(in crate::engine) fn truncate(&mut self, length: usize) {
        debug_assert!(length <= self.len());
        self.length = length as u32;
    }

    /// Forgets the first `n` entries.
    #[inline]
    pub(in crate::engine) fn skip(&mut self, n: u32) {
        debug_assert!(n <= self.length);
        self.head = self.head.wrapping_add(n);
        self.length -= n;
    }

    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.length).map(|i| self.get(i))
    }

    /// The entries from the one `first` places behind the head on, in order: those up to the end of
    /// the memory, then those from its start.
    #[inline]
    pub(in crate::engine) fn slices(&self, first: u32) -> (&[Entry], &[Entry]) {
        let count = self.length.saturating_sub(first) as usize;
        if count == 0 {
            return (&[], &[]);
        }
        let from = self.slot(first);
        let until = from + count;
        match until.checked_sub(self.entries.len()) {
            Some(wrapped) => (&self.entries[from..], &self.entries[..wrapped]),
            None => (&self.entries[from..until], &[]),
        }
    }

    /// Asks for the memory of the first entries.
    #[inline]
    pub(in crate::engine) fn prefetch_head(&self) {
        for place in [0, 4, 8, 12, 16, 20] {
            if place < self.length {
                prefetch(&self.entries[self.slot(place)]);
            }
        }
    }

    /// Asks for the memory that the next entries go to.
    #[inline]
    pub(in crate::engine) fn prefetch_tail(&self) {
        for place in [0, 4, 8, 12, 16, 20] {
            if let Some(entry) = self.entries.get(self.slot(self.length + place)) {
                prefetch(entry);
            }
        }
    }

    #[inline]
    fn slot(&self, i: u32) -> usize {
        self.head.wrapping_add(i) as usize & self.entries.len().wrapping_sub(1)
    }

    /// Gives memory back if what is in the ring fills a quarter of it at most; it then fills half of
    /// what is left at most.
    pub(in crate::engine) fn shrink(&mut self) {
        let length = (self.len() * 2).next_power_of_two().max(KEPT);
        if length * 2 <= self.entries.len() {
            self.resize(length);
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.resize((self.entries.len() * 2).max(8));
    }

    fn resize(&mut self, length: usize) {
        let mut entries = vec![Entry::default(); length].into_boxed_slice();
        for (place, entry) in self.iter().enumerate() {
            entries[self.head.wrapping_add(place as u32) as usize & (length - 1)] = entry;
        }
        self.entries = entries;
    }
}

/// The end of a ring that need not grow for what is added, so that the compiler keeps its fields in
/// registers.
pub(in crate::engine) struct End<'r> {
    entries: &'r mut [Entry],
    length: &'r mut u32,
    first: u32,
    /// The place of the entry added next, see [`Ring::next_place`].
    pub(in crate::engine) next: u32,
    /// Up to here there is room.
    until: u32,
}

impl End<'_> {
    /// Adds an entry; there must be room.
    #[inline(always)]
    pub(in crate::engine) fn push(&mut self, entry: Entry) {
        debug_assert!(self.next != self.until);
        let slot = self.next as usize & self.entries.len().wrapping_sub(1);
        // SAFETY: a slot is a number modulo how many there are, of which there are some: `Ring::end`
        // made room.
        unsafe { *self.entries.get_unchecked_mut(slot) = entry };
        self.next = self.next.wrapping_add(1);
    }

    /// How many entries were added.
    #[inline(always)]
    pub(in crate::engine) fn added(&self) -> u32 {
        self.next.wrapping_sub(self.first)
    }

    /// Leaves the ring with all that was added.
    #[inline(always)]
    pub(in crate::engine) fn finish(self) {
        *self.length += self.added();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_gives_back_what_a_burst_took_and_keeps_its_order() {
        let mut ring = Ring::default();
        let mut next = 0;
        for count in [1_000, 90, 30, 700] {
            while ring.len() < count {
                ring.push(Entry::tagged(next, Frame::default()));
                next += 1;
            }
            while ring.len() > count {
                assert_eq!(ring.pop().map(|entry| entry.tag()), Some(next - ring.len() as u32 - 1));
            }
            ring.shrink();
            let places = (2 * count).next_power_of_two().max(KEPT);
            assert!(ring.entries.len() <= places, "{} for {count}", ring.entries.len());
        }
        let tags: Vec<u32> = ring.iter().map(|entry| entry.tag()).collect();
        assert_eq!(tags, (next - 700..next).collect::<Vec<_>>());
    }
}
