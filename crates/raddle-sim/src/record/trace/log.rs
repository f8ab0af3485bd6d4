//! What happened to the frames of one flow, in few bytes.
//!
//! A packet that joined a queue and left it is one entry, and what is as before, or as expected of a
//! packet that left the port before it, is left out: some 9 bytes, where the two events take 112.

use super::event::{Event, What};
use crate::record::DropCause;
use crate::record::bytes::{put, put_step, take, take_array, take_step};
use crate::wire::frame::{Frame, Locator};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};

/// Bytes of a block: what is freed of one flow fits what is kept of another.
pub(super) const BLOCK: usize = 8192;
/// Of a time that is expected: up to 281 s.
const TIME_BITS: u32 = 48;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;
/// No entry takes as many.
const ENTRY: usize = 64;

/// Kinds of entries: the low bits of their first byte.
const PASSED: u8 = 0;
const SENT: u8 = 1;
const HEARD: u8 = 2;
const OTHER: u8 = 3;
const KIND: u8 = 3;

/// Of what happened, behind all causes of losses.
const GIVEN_UP: u8 = 5 + DropCause::ALL.len() as u8;

/// More bits of it: what the entry says beside.
const FOUND: u8 = 1 << 2;
const WAS_MARKED: u8 = 1 << 3;
const OTHER_SIZE: u8 = 1 << 4;
const OTHER_FLAGS: u8 = 1 << 5;
const OTHER_PLACE: u8 = 1 << 6;
/// It is there when it left the port before it and crossed the link, with the entropy value of then.
const EXPECTED: u8 = 1 << 7;

/// Of so many numbers in a row it is known where they should be next.
const AHEAD: usize = 256;

/// A frame that joined the queue of a switch's port and left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) port: PortId,
    pub(super) queued: Time,
    /// Bytes of its class that it found.
    pub(super) found: u64,
    pub(super) left: Time,
    /// As it left.
    pub(super) frame: Frame,
    /// Whether it was marked when it had joined.
    pub(super) was_marked: bool,
}

/// A reply whose last bit left for its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) port: PortId,
    pub(super) left: Time,
    /// How many arrivals it knows of.
    pub(super) number: u32,
}

/// One thing that happened, or two that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A host sent it.
    Sent {
        port: PortId,
        at: Time,
        frame: Frame,
    },
    Passed(Passed),
    Heard(Heard),
    Other {
        port: PortId,
        at: Time,
        frame: Frame,
        what: What,
    },
}

/// The entries of a flow that one part of the run saw.
#[derive(Debug, Default)]
pub(super) struct Log {
    blocks: Vec<Vec<u8>>,
    last: Last,
}

/// By port, how long frames take from there to the next.
pub(super) type Latencies = [Span];

/// What the next entry is told relative to.
#[derive(Debug, Default)]
struct Last {
    at: Time,
    heard: Time,
    acknowledged: u32,
    frame: Frame,
    /// By number, the entropy value of the packet that left a port last (16 bits), and when it is at the
    /// next. Of flows that fill a block: for shorter ones it would be larger than what they have.
    ahead: Vec<u64>,
}

impl Log {
    pub(super) fn add(&mut self, entry: Entry, latencies: &Latencies) {
        let full = |block: &Vec<u8>| block.len() + ENTRY > BLOCK;
        if self.blocks.last().is_none_or(full) {
            // Most flows are short, and the first block grows with them.
            let room = if self.blocks.is_empty() { ENTRY } else { BLOCK };
            self.last.begin_block(self.blocks.len());
            self.blocks.push(Vec::with_capacity(room));
        }
        let Self { blocks, last } = self;
        if let Some(block) = blocks.last_mut() {
            last.put(block, entry, latencies);
        }
    }

    /// How many blocks the entries take.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// What was added, in that order, and the blocks that it was in.
    pub(super) fn read(self, latencies: &Latencies, mut each: impl FnMut(Entry)) -> Vec<Vec<u8>> {
        let mut last = Last::default();
        for (before, block) in self.blocks.iter().enumerate() {
            last.begin_block(before);
            let mut bytes = &block[..];
            while !bytes.is_empty() {
                each(last.take(&mut bytes, latencies));
            }
        }
        self.blocks
    }
}

impl Last {
    /// There are so many blocks before the next.
    fn begin_block(&mut self, before: usize) {
        if before == 1 {
            self.ahead = vec![0; AHEAD];
        }
    }

    /// Where a packet is known to be next.
    fn ahead(&mut self, number: u32) -> Option<&mut u64> {
        self.ahead.get_mut(number as usize % AHEAD)
    }

    /// A packet left a port.
    fn expect(&mut self, port: PortId, left: Time, latencies: &Latencies) {
        let frame = self.frame;
        let latency = latencies.get(port.index()).copied().unwrap_or_default();
        if let Some(own) = self.ahead(frame.number()) {
            *own = u64::from(frame.entropy().0) << TIME_BITS | (left + latency).0 & TIME_MASK;
        }
    }

    fn put(&mut self, out: &mut Vec<u8>, entry: Entry, latencies: &Latencies) {
        match entry {
            Entry::Sent { port, at, frame } => {
                self.put_frame(out, SENT, (port, at, frame));
                self.expect(port, at, latencies);
            }
            Entry::Passed(Passed { port, queued, found, left, frame, was_marked }) => {
                let kind = PASSED
                    | if found > 0 { FOUND } else { 0 }
                    | if was_marked { WAS_MARKED } else { 0 };
                self.put_frame(out, kind, (port, queued, frame));
                self.expect(port, left, latencies);
                put(out, left.0 - queued.0);
                if found > 0 {
                    put(out, found);
                }
            }
            Entry::Heard(Heard { port, left, number }) => {
                out.push(HEARD);
                put(out, port.0.into());
                put_step(out, self.heard.0, left.0);
                put_step(out, self.acknowledged.into(), number.into());
                (self.heard, self.acknowledged) = (left, number);
            }
            Entry::Other { port, at, frame, what } => {
                out.push(OTHER);
                put(out, port.0.into());
                put(out, at.0);
                put(out, frame.to.0.into());
                out.extend(frame.bits().to_le_bytes());
                let (code, found) = match what {
                    What::Out => (0, 0),
                    What::Trimmed => (1, 0),
                    What::Queued(found) => (2, found),
                    What::Left => (3, 0),
                    What::Within => (4, 0),
                    What::Lost(cause) => (5 + cause as u8, 0),
                    What::GivenUp => (GIVEN_UP, 0),
                };
                out.push(code);
                put(out, found);
            }
        }
    }

    /// An entry of a data packet: what it has of its frame and since when.
    fn put_frame(&mut self, out: &mut Vec<u8>, kind: u8, (port, at, frame): (PortId, Time, Frame)) {
        let old = self.frame;
        let other = |differs: bool, bit: u8| if differs { bit } else { 0 };
        let here = u64::from(frame.entropy().0) << TIME_BITS | at.0;
        let is_expected =
            at.0 <= TIME_MASK && self.ahead(frame.number()).is_some_and(|own| *own == here);
        let tag = kind
            | other(is_expected, EXPECTED)
            | other(frame.size() != old.size(), OTHER_SIZE)
            | other(frame.flags() != old.flags(), OTHER_FLAGS)
            | other(frame.to != old.to, OTHER_PLACE);
        out.push(tag);
        put(out, port.0.into());
        put_step(out, old.number().into(), frame.number().into());
        if !is_expected {
            put_step(out, self.at.0, at.0);
            out.extend(frame.entropy().0.to_le_bytes());
        }
        if tag & OTHER_SIZE != 0 {
            out.extend((frame.size().0 as u16).to_le_bytes());
        }
        if tag & OTHER_FLAGS != 0 {
            out.push(frame.flags());
        }
        if tag & OTHER_PLACE != 0 {
            out.extend(frame.to.0.to_le_bytes());
        }
        (self.at, self.frame) = (at, frame);
    }

    fn take(&mut self, bytes: &mut &[u8], latencies: &Latencies) -> Entry {
        let [tag] = take_array(bytes);
        let port = PortId(take(bytes) as u32);
        match tag & KIND {
            HEARD => {
                self.heard = Time(take_step(bytes, self.heard.0));
                self.acknowledged = take_step(bytes, self.acknowledged.into()) as u32;
                Entry::Heard(Heard { port, left: self.heard, number: self.acknowledged })
            }
            OTHER => {
                let at = Time(take(bytes));
                let to = Locator(take(bytes) as u32);
                let frame = Frame::of_bits(to, u64::from_le_bytes(take_array(bytes)));
                let [code] = take_array(bytes);
                let found = take(bytes);
                let what = match code {
                    0 => What::Out,
                    1 => What::Trimmed,
                    2 => What::Queued(found),
                    3 => What::Left,
                    4 => What::Within,
                    GIVEN_UP => What::GivenUp,
                    cause => What::Lost(DropCause::ALL[usize::from(cause - 5) % 5]),
                };
                Entry::Other { port, at, frame, what }
            }
            kind => {
                self.take_frame(tag, bytes);
                let Self { at, frame, .. } = *self;
                if kind == SENT {
                    self.expect(port, at, latencies);
                    return Entry::Sent { port, at, frame };
                }
                let left = Time(at.0 + take(bytes));
                self.expect(port, left, latencies);
                let found = if tag & FOUND == 0 { 0 } else { take(bytes) };
                let was_marked = tag & WAS_MARKED != 0;
                Entry::Passed(Passed { port, queued: at, found, left, frame, was_marked })
            }
        }
    }

    fn take_frame(&mut self, tag: u8, bytes: &mut &[u8]) {
        let old = self.frame;
        let number = take_step(bytes, old.number().into()) as u32;
        let entropy = if tag & EXPECTED == 0 {
            self.at = Time(take_step(bytes, self.at.0));
            u16::from_le_bytes(take_array(bytes))
        } else {
            let own = self.ahead(number).map_or(0, |own| *own);
            self.at = Time(own & TIME_MASK);
            (own >> TIME_BITS) as u16
        };
        let mut size = old.size().0;
        if tag & OTHER_SIZE != 0 {
            size = u16::from_le_bytes(take_array(bytes)).into();
        }
        let mut flags = old.flags();
        if tag & OTHER_FLAGS != 0 {
            [flags] = take_array(bytes);
        }
        let mut to = old.to;
        if tag & OTHER_PLACE != 0 {
            to = Locator(u32::from_le_bytes(take_array(bytes)));
        }
        self.frame = Frame::of_parts(to, number, flags, entropy, size as u16);
    }
}

impl Passed {
    /// The two events that it is.
    pub(super) fn events(self) -> [Event; 2] {
        let Self { port, queued, found, left, frame, was_marked } = self;
        let joined = frame.with_mark(was_marked);
        [
            Event { at: queued, what: What::Queued(found), port, frame: joined },
            Event { at: left, what: What::Left, port, frame },
        ]
    }
}
