//! What arrives at a switch in a window, sorted by time and rank, or by lane first: one pass into
//! buckets, one of insertion.
//!
//! Arrivals spread evenly over a window, so buckets hold about one key each; comparison sorts cost
//! three times the instructions here.

use super::ring::Entry;
use crate::engine::schedule::windows::{LONGEST_WINDOW, MOST_ARRIVALS};
use crate::wire::arbitration::{Contender, RANK_BITS};
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Time};

/// A key: offset in the window | rank among those of its instant | index of the frame.
const INDEX_BITS: u32 = MOST_ARRIVALS.trailing_zeros();
const OFFSET_SHIFT: u32 = RANK_BITS + INDEX_BITS;
const _: () = assert!(LONGEST_WINDOW.0 < 1 << (u64::BITS - OFFSET_SHIFT));

/// Fewer keys than this are sorted by insertion alone.
const FEW: usize = 24;
const MOST_BUCKETS: usize = 2048;
/// Entries of a link are looked at in blocks: a long queue may stand behind the few that arrive.
const BLOCK: usize = 64;

/// Frames with the times and in-ports of their arrival.
#[derive(Default)]
pub(in crate::engine) struct Arrivals {
    keys: Vec<Key>,
    /// In-port and frame, in ascending order of in-port, so that keys of one rank sort by in-port.
    frames: Vec<(u32, Frame)>,
    buckets: Buckets,
    /// The bucket of each of `frames`.
    of_frames: Vec<u32>,
    /// Buckets of each lane, a power of two.
    of_lane: usize,
}

impl Arrivals {
    pub(in crate::engine) fn clear(&mut self) {
        self.keys.clear();
        self.frames.clear();
    }

    pub(in crate::engine) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Bytes of all frames together.
    pub(in crate::engine) fn bytes(&self) -> Bytes {
        Bytes(self.frames.iter().map(|(_, frame)| frame.size().0).sum())
    }

    /// Adds those of `entries`, in order of time, that arrive in the window of `width` ps from
    /// `start` on, and returns how many; in-ports come in ascending order.
    #[inline]
    pub(in crate::engine) fn extend(
        &mut self,
        entries: &[Entry],
        start: Time,
        width: u32,
        (in_port, contender): (u32, Contender),
    ) -> usize {
        let before = self.frames.len();
        for block in entries.chunks(BLOCK) {
            let first = self.frames.len();
            debug_assert!(first + block.len() <= MOST_ARRIVALS, "more than a window can bring");
            self.keys.reserve(block.len());
            self.frames.reserve(block.len());
            let (keys, frames) = (self.keys.spare_capacity_mut(), self.frames.spare_capacity_mut());
            let mut early = 0;
            for ((entry, key), frame) in block.iter().zip(keys).zip(frames) {
                let offset = entry.offset(start);
                if offset >= width {
                    break;
                }
                let rank = contender.rank(Time(start.0 + u64::from(offset)));
                key.write(Key::new(offset, rank, first + early));
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
    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = (u64, u32, Frame)> + '_ {
        self.keys.iter().map(|&key| {
            debug_assert!(key.index() < self.frames.len());
            // SAFETY: `extend` adds keys together with the frames whose indices they hold, `clear`
            // forgets both, and sorting keeps what they are.
            let (in_port, frame) = unsafe { *self.frames.get_unchecked(key.index()) };
            (key.offset(), in_port, frame)
        })
    }

    /// The instants at which something arrives, in order, counted from a window that begins at
    /// `start`, each with the in-ports and frames of what does. None is at time zero: links into
    /// switches take time.
    pub(in crate::engine) fn by_instant(
        &self,
        start: Time,
    ) -> impl Iterator<Item = (Time, impl Iterator<Item = (u32, Frame)> + Clone + '_)> + '_ {
        self.keys.chunk_by(|one, next| one.offset() == next.offset()).map(move |keys| {
            let frames = keys.iter().map(|&key| self.frames[key.index()]);
            (Time(start.0 + keys[0].offset()), frames)
        })
    }

    /// Whether there are so many that looking at each of `ports` takes no longer than sorting them.
    #[inline]
    pub(in crate::engine) fn are_many_for(&self, ports: usize) -> bool {
        self.keys.len() >= FEW.max(ports / 4)
    }

    /// Sorts by time and rank; all offsets are below `width`.
    pub(in crate::engine) fn sort(&mut self, width: u32) {
        let Self { keys, buckets, .. } = self;
        if keys.len() >= FEW {
            let count = keys.len().next_power_of_two().min(MOST_BUCKETS);
            let shift = shift(width, count);
            buckets.scatter(count, keys.iter().map(|&key| (key, (key.0 >> shift) as usize)));
            std::mem::swap(keys, &mut buckets.keys);
        }
        insertion(keys);
    }

    /// Sorts by lane, then by time and rank: all offsets are below `width`, and what `lane_of` says
    /// of frames, which it is asked about link by link, below `count`. Takes the place of
    /// [`sort`](Self::sort); [`lane`](Self::lane) tells what has come of it.
    #[inline]
    pub(in crate::engine) fn sort_by_lane(
        &mut self,
        count: usize,
        width: u32,
        mut lane_of: impl FnMut(Frame) -> u32,
    ) {
        let Self { keys, frames, buckets, of_frames, of_lane } = self;
        *of_lane = (keys.len() / count).next_power_of_two().min(MOST_BUCKETS);
        let shift = shift(width, *of_lane);
        of_frames.clear();
        of_frames.extend(
            keys.iter().zip(frames.iter()).map(|(&key, &(_, frame))| {
                lane_of(frame) * *of_lane as u32 + (key.0 >> shift) as u32
            }),
        );
        let numbers = of_frames.iter().map(|&bucket| bucket as usize);
        buckets.scatter(count * *of_lane, keys.iter().copied().zip(numbers));
        std::mem::swap(keys, &mut buckets.keys);
    }

    /// What is in a lane, in order; each lane is asked for once.
    #[inline]
    pub(in crate::engine) fn lane(&mut self, lane: usize) -> Lane<'_> {
        let [lane] = self.lanes(lane);
        lane
    }

    /// What is in `N` lanes from the first on, each in order; each lane is asked for once.
    #[inline]
    pub(in crate::engine) fn lanes<const N: usize>(&mut self, first: usize) -> [Lane<'_>; N] {
        let end = |lanes: usize| match lanes * self.of_lane {
            0 => 0,
            buckets => self.buckets.ends[buckets - 1] as usize,
        };
        let bounds: [(usize, usize); N] =
            std::array::from_fn(|i| (end(first + i), end(first + i + 1)));
        for (from, until) in bounds {
            insertion(&mut self.keys[from..until]);
        }
        let Self { keys, frames, .. } = self;
        bounds.map(|(from, until)| Lane { keys: &keys[from..until], frames })
    }
}

/// Some of what arrives, in order of time and rank.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Lane<'a> {
    keys: &'a [Key],
    frames: &'a [(u32, Frame)],
}

impl<'a> Lane<'a> {
    #[inline]
    pub(in crate::engine) fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key of the first frame.
    #[inline]
    pub(in crate::engine) fn first(&self) -> Option<Key> {
        self.keys.first().copied()
    }

    /// A number that orders all that arrives by time and rank.
    #[inline]
    pub(in crate::engine) fn key(&self, i: usize) -> Key {
        self.keys[i]
    }

    /// The frame of a key, be it of this lane or another.
    #[inline]
    pub(in crate::engine) fn frame(&self, key: Key) -> &Frame {
        &self.frames[key.index()].1
    }

    /// The bytes of all frames.
    #[inline]
    pub(in crate::engine) fn bytes(&self) -> u64 {
        self.keys.iter().map(|&key| self.frame(key).size().0).sum()
    }

    /// Offset in ps, in-port and frame.
    #[inline]
    pub(in crate::engine) fn iter(self) -> impl Iterator<Item = (u64, u32, Frame)> + 'a {
        self.keys.iter().map(move |&key| self.look_up(key))
    }

    /// The same of this lane and another, merged.
    #[inline]
    pub(in crate::engine) fn merge(
        self,
        other: Self,
    ) -> impl Iterator<Item = (u64, u32, Frame)> + 'a {
        let (mut own, mut others) = (self.keys, other.keys);
        std::iter::from_fn(move || {
            let list = match (own, others) {
                ([first, ..], [second, ..]) if second < first => &mut others,
                ([], _) => &mut others,
                _ => &mut own,
            };
            let (&key, rest) = list.split_first()?;
            *list = rest;
            Some(self.look_up(key))
        })
    }

    #[inline]
    fn look_up(self, key: Key) -> (u64, u32, Frame) {
        let (in_port, frame) = self.frames[key.index()];
        (key.offset(), in_port, frame)
    }
}

/// When something arrives, and where it is.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) struct Key(u64);

impl Key {
    #[inline]
    fn new(offset: u32, rank: u16, index: usize) -> Self {
        let place = (u64::from(offset) << RANK_BITS) | u64::from(rank);
        Self((place << INDEX_BITS) | index as u64)
    }

    /// Picoseconds since the start of the window.
    #[inline]
    pub(in crate::engine) fn offset(self) -> u64 {
        self.0 >> OFFSET_SHIFT
    }

    #[inline]
    fn index(self) -> usize {
        self.0 as usize % MOST_ARRIVALS
    }
}

/// Keys put into buckets.
#[derive(Default)]
struct Buckets {
    /// The places behind the last keys of each.
    ends: Vec<u32>,
    keys: Vec<Key>,
}

impl Buckets {
    /// Puts `keys`, each with the number of its bucket below `count`, into order of buckets.
    #[inline]
    fn scatter(&mut self, count: usize, keys: impl ExactSizeIterator<Item = (Key, usize)> + Clone) {
        let Self { ends, keys: scattered } = self;
        ends.clear();
        ends.resize(count, 0);
        for (_, bucket) in keys.clone() {
            ends[bucket] += 1;
        }
        let mut before = 0;
        for end in ends.iter_mut() {
            before += std::mem::replace(end, before);
        }
        scattered.resize(keys.len(), Key::default());
        for (key, bucket) in keys {
            let next = &mut ends[bucket];
            scattered[*next as usize] = key;
            *next += 1;
        }
    }
}

/// By how much keys in a window of `width` are shifted to be numbers of `buckets`, a power of two: the
/// least shift that leaves so few values.
#[inline]
fn shift(width: u32, buckets: usize) -> u32 {
    let bits = u32::BITS - width.leading_zeros();
    OFFSET_SHIFT + bits.saturating_sub(buckets.trailing_zeros())
}

fn insertion(keys: &mut [Key]) {
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
    use crate::wire::arbitration::Arbitration;
    use raddle_schemes::ids::SwitchId;
    use raddle_schemes::rng::Rng;

    const ARBITRATION: Arbitration = Arbitration::of_switch(1, SwitchId(0));

    /// Arrivals at given offsets in a window of `width` from 7 ps on, one for each in-port.
    fn fill(arrivals: &mut Arrivals, offsets: &[u64], width: u64) {
        arrivals.clear();
        for (in_port, &offset) in (0..).zip(offsets) {
            let entry = Entry::new(Time(7 + offset), Frame::default());
            let late = Entry::new(Time(7 + width), Frame::default());
            let contender = ARBITRATION.contender(in_port);
            let own = (in_port, contender);
            let arrived = arrivals.extend(&[entry, late], Time(7), width as u32, own);
            assert_eq!(arrived, 1);
        }
    }

    #[test]
    fn any_number_of_arrivals_in_any_window_is_sorted() {
        let mut rng = Rng::new(1, "test", 0);
        let mut arrivals = Arrivals::default();
        for length in (0..40).chain([100, 1_000, 5_000]) {
            for width in [1, 2, 9, 1_000, 1_000_000, LONGEST_WINDOW.0] {
                let offsets: Vec<u64> = (0..length).map(|_| rng.below(width)).collect();
                let mut expected: Vec<(u64, u32)> = offsets.iter().copied().zip(0..).collect();
                expected.sort_unstable_by_key(|&(offset, in_port)| {
                    (offset, ARBITRATION.rank(in_port, Time(7 + offset)), in_port)
                });
                let plain = |(at, in_port, _)| (at, in_port);
                fill(&mut arrivals, &offsets, width);
                arrivals.sort(width as u32);
                let got: Vec<_> = arrivals.iter().map(plain).collect();
                assert_eq!(got, expected, "{length} arrivals, width {width}");
                for ports in [1, 3, 64, 700] {
                    let outs: Vec<u32> = offsets.iter().map(|_| rng.below(ports) as u32).collect();
                    fill(&mut arrivals, &offsets, width);
                    let mut in_order = outs.iter();
                    arrivals
                        .sort_by_lane(ports as usize, width as u32, |_| *in_order.next().unwrap());
                    for out in 0..ports {
                        let got: Vec<_> = arrivals.lane(out as usize).iter().map(plain).collect();
                        let own =
                            |(_, in_port): &&(u64, u32)| outs[*in_port as usize] == out as u32;
                        let expected: Vec<_> = expected.iter().filter(own).copied().collect();
                        assert_eq!(got, expected, "{length} arrivals, width {width}, port {out}");
                    }
                    let mut in_order = outs.iter();
                    fill(&mut arrivals, &offsets, width);
                    arrivals
                        .sort_by_lane(ports as usize, width as u32, |_| *in_order.next().unwrap());
                    if ports > 1 {
                        let [first, second] = arrivals.lanes(1);
                        let got: Vec<_> = second.merge(first).map(plain).collect();
                        let own =
                            |(_, in_port): &&(u64, u32)| (1..3).contains(&outs[*in_port as usize]);
                        let expected: Vec<_> = expected.iter().filter(own).copied().collect();
                        assert_eq!(got, expected, "{length} arrivals, width {width}, two lanes");
                    }
                }
            }
        }
    }
}
