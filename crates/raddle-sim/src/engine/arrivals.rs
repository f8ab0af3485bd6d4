//! What arrives at a switch in a window, sorted: one pass into buckets of time, one of insertion.
//!
//! Arrivals spread evenly over a window, so buckets hold about one key each; comparison sorts cost
//! three times the instructions here.

use super::ring::Entry;
use crate::net::frame::Frame;
use raddle_schemes::units::Time;

/// Fewer keys than this are sorted by insertion alone.
const FEW: usize = 24;
const MOST_BUCKETS: usize = 2048;
/// Entries of a link are looked at in blocks: a long queue may stand behind the few that arrive.
const BLOCK: usize = 64;

/// Frames with the times and in-ports of their arrival.
#[derive(Default)]
pub(super) struct Arrivals {
    /// Offset in the window 32 | index into `frames` 32.
    pub(super) keys: Vec<u64>,
    /// In-port and frame, in ascending order of in-port, so that keys sort by time and in-port.
    frames: Vec<(u32, Frame)>,
    buckets: Vec<u32>,
    sorted: Vec<u64>,
}

impl Arrivals {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.frames.clear();
    }

    /// Adds those of `entries`, in order of time, that arrive in the window of `width` ps from
    /// `start` on, and returns how many; in-ports come in ascending order.
    #[inline]
    pub(super) fn extend(
        &mut self,
        entries: &[Entry],
        start: Time,
        width: u32,
        in_port: u32,
    ) -> usize {
        let before = self.frames.len();
        for block in entries.chunks(BLOCK) {
            let first = self.frames.len() as u64;
            self.keys.reserve(block.len());
            self.frames.reserve(block.len());
            let (keys, frames) = (self.keys.spare_capacity_mut(), self.frames.spare_capacity_mut());
            let mut early = 0;
            for ((entry, key), frame) in block.iter().zip(keys).zip(frames) {
                let offset = entry.offset(start);
                if offset >= width {
                    break;
                }
                key.write((u64::from(offset) << 32) | (first + early as u64));
                frame.write((in_port, entry.frame));
                early += 1;
            }
            // SAFETY: so many have been written behind the last, where there was room for them.
            unsafe {
                self.keys.set_len(self.keys.len() + early);
                self.frames.set_len(self.frames.len() + early);
            }
            if early < block.len() {
                break;
            }
        }
        self.frames.len() - before
    }

    /// Offset in ps, in-port and frame, in order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u32, Frame)> + '_ {
        self.keys.iter().map(|&key| {
            let (in_port, frame) = self.frames[key as u32 as usize];
            (key >> 32, in_port, frame)
        })
    }

    /// The frames, link by link.
    #[inline]
    pub(super) fn frames(&self) -> impl ExactSizeIterator<Item = Frame> + '_ {
        self.frames.iter().map(|&(_, frame)| frame)
    }

    /// As [`iter`](Self::iter), with what `beside` holds for each of [`frames`](Self::frames).
    #[inline]
    pub(super) fn iter_with<'a>(
        &'a self,
        beside: &'a [u32],
    ) -> impl Iterator<Item = (u64, u32, Frame, u32)> + 'a {
        // As long as each other: one check for both.
        let count = self.frames.len().min(beside.len());
        let (frames, beside) = (&self.frames[..count], &beside[..count]);
        self.keys.iter().map(move |&key| {
            let number = key as u32 as usize;
            let (in_port, frame) = frames[number];
            (key >> 32, in_port, frame, beside[number])
        })
    }

    /// Sorts by time and in-port; all offsets are below `width`.
    pub(super) fn sort(&mut self, width: u32) {
        if self.keys.len() >= FEW {
            self.scatter(width);
        }
        insertion(&mut self.keys);
    }

    /// Puts the keys into order of buckets.
    fn scatter(&mut self, width: u32) {
        let Self { keys, buckets, sorted, .. } = self;
        let count = keys.len().next_power_of_two().min(MOST_BUCKETS);
        // The smallest shift that leaves fewer than `count` values.
        let bits = u32::BITS - width.leading_zeros();
        let shift = 32 + bits.saturating_sub(count.trailing_zeros());
        buckets.clear();
        buckets.resize(count, 0);
        for &key in keys.iter() {
            buckets[(key >> shift) as usize] += 1;
        }
        let mut before = 0;
        for bucket in buckets.iter_mut() {
            before += std::mem::replace(bucket, before);
        }
        sorted.resize(keys.len(), 0);
        for &key in keys.iter() {
            let next = &mut buckets[(key >> shift) as usize];
            sorted[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(keys, sorted);
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
        if place < i {
            keys[place] = key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    #[test]
    fn any_number_of_arrivals_in_any_window_is_sorted() {
        let mut rng = Rng::new(1, "test", 0);
        let mut arrivals = Arrivals::default();
        for length in (0..40).chain([100, 1_000, 5_000]) {
            for width in [1, 2, 9, 1_000, 1_000_000, 4_000_000] {
                arrivals.clear();
                let mut expected: Vec<(u64, u32)> =
                    (0..length).map(|in_port| (rng.below(width), in_port)).collect();
                for &(offset, in_port) in &expected {
                    let entry = Entry::new(Time(7 + offset), Frame::default());
                    let late = Entry::new(Time(7 + width), Frame::default());
                    let arrived = arrivals.extend(&[entry, late], Time(7), width as u32, in_port);
                    assert_eq!(arrived, 1);
                }
                arrivals.sort(width as u32);
                expected.sort_unstable();
                let got: Vec<_> = arrivals.iter().map(|(at, in_port, _)| (at, in_port)).collect();
                assert_eq!(got, expected, "{length} arrivals, width {width}");
            }
        }
    }
}
