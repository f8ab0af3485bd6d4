//! Packets of recorded flows and their hops, in few bytes: some 12 a packet and 9 a hop, where rows
//! take 88 and 64. They are read as rows, from any one on.

use super::bytes::{put, put_step, take, take_array, take_step};
use super::rows::{Fate, HopRow, PacketRow};
use raddle_schemes::ids::{Entropy, FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use std::fmt;
use std::ops::Range;

/// A page that has as many bytes gets no further packet.
const FULL: usize = 7936;

/// Bits of a packet's first byte: what is so, or is told because it is not as of the one before.
mod packet {
    pub(super) const AGAIN: u8 = 1;
    pub(super) const MARKED: u8 = 2;
    pub(super) const UNSURE: u8 = 4;
    pub(super) const ARRIVED: u8 = 8;
    pub(super) const ACKED: u8 = 16;
    pub(super) const OTHER_PORT: u8 = 32;
    pub(super) const OTHER_KIND: u8 = 64;
    pub(super) const OTHER_FATE: u8 = 128;
}

/// Bits of a hop's first byte; of its size and entropy relative to the packet's.
mod hop {
    pub(super) const MARKED: u8 = 1;
    pub(super) const FOUND: u8 = 2;
    pub(super) const FOUND_SOME: u8 = 4;
    pub(super) const OTHER_GAP: u8 = 8;
    pub(super) const OTHER_SIZE: u8 = 16;
    pub(super) const OTHER_ENTROPY: u8 = 32;
    pub(super) const OTHER_FATE: u8 = 64;
}

/// Packets of [`RecordPlan::packets`](super::RecordPlan::packets), by flow, then as they were sent, and
/// their hops, by packet, then in order of time.
#[derive(Clone, Default)]
pub struct Packets {
    pages: Vec<Page>,
    rows: usize,
    hops: usize,
    /// What the next packet of the page is told relative to.
    last: Last,
    /// Memory for further pages.
    spare: Vec<Vec<u8>>,
}

/// Some packets of one flow and their hops.
#[derive(Clone, PartialEq, Eq)]
struct Page {
    flow: FlowId,
    first_row: usize,
    first_hop: usize,
    bytes: Vec<u8>,
}

/// What a packet is told relative to, which a page begins without.
#[derive(Clone, Copy)]
struct Last {
    packet: PacketRow,
    /// From a packet's being sent, or leaving a port, to its arrival at the next.
    gap: Span,
    is_within: bool,
}

impl Default for Last {
    fn default() -> Self {
        let packet = PacketRow {
            flow: FlowId(0),
            number: 0,
            again: false,
            port: PortId(0),
            entropy: Entropy(0),
            class: 0,
            bytes: 0,
            sent: Time::ZERO,
            arrived: None,
            acked: None,
            fate: Fate::Delivered,
            marked: false,
            sure: true,
        };
        Self { packet, gap: Span::ZERO, is_within: false }
    }
}

impl Packets {
    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many hops they took.
    pub fn hop_count(&self) -> usize {
        self.hops
    }

    /// All packets.
    pub fn rows(&self) -> impl Iterator<Item = PacketRow> {
        self.rows_of(0..self.rows)
    }

    /// All hops.
    pub fn hops(&self) -> impl Iterator<Item = HopRow> {
        self.hops_of(0..self.hops)
    }

    /// Packets from a row on.
    pub fn rows_of(&self, range: Range<usize>) -> impl Iterator<Item = PacketRow> {
        let (pages, skipped) = self.pages_from(range.start, |page| page.first_row);
        let rows = pages.iter().flat_map(|page| Reader::of(page, false));
        rows.map(|(packet, _)| packet).skip(skipped).take(range.len())
    }

    /// Hops from a row on.
    pub fn hops_of(&self, range: Range<usize>) -> impl Iterator<Item = HopRow> {
        let (pages, skipped) = self.pages_from(range.start, |page| page.first_hop);
        let hops = pages.iter().flat_map(|page| Hops { reader: Reader::of(page, true), left: 0 });
        hops.skip(skipped).take(range.len())
    }

    /// The pages from the one on that has a row, and which of its rows that is.
    fn pages_from(&self, row: usize, first: impl Fn(&Page) -> usize) -> (&[Page], usize) {
        let after = self.pages.partition_point(|page| first(page) <= row);
        let pages = &self.pages[after.saturating_sub(1)..];
        let skipped = pages.first().map_or(0, |page| row - first(page));
        (pages, skipped)
    }

    /// Gives the flows of packets other numbers.
    pub(super) fn rename(&mut self, name: impl Fn(FlowId) -> FlowId) {
        self.pages.iter_mut().for_each(|page| page.flow = name(page.flow));
    }

    /// Adds a packet and its hops.
    pub(super) fn push(&mut self, packet: &PacketRow, hops: &[HopRow]) {
        if !self.last.is_within {
            let bytes = self.spare.pop().map_or_else(Vec::new, |mut bytes| {
                bytes.clear();
                bytes
            });
            let (flow, first_row, first_hop) = (packet.flow, self.rows, self.hops);
            self.pages.push(Page { flow, first_row, first_hop, bytes });
        }
        let Some(page) = self.pages.last_mut() else { return };
        self.last.is_within = true;
        self.last.put(&mut page.bytes, packet, hops.len());
        let mut left = packet.sent;
        for hop in hops {
            self.last.put_hop(&mut page.bytes, left, hop);
            left = hop.arrived + hop.stay;
        }
        self.rows += 1;
        self.hops += hops.len();
        if page.bytes.len() >= FULL {
            self.last = Last::default();
        }
    }

    /// Further pages may be in this memory.
    pub(super) fn take_room(&mut self, blocks: Vec<Vec<u8>>) {
        self.spare.extend(blocks.into_iter().filter(|room| room.capacity() >= FULL));
    }

    /// No further packet comes.
    pub(super) fn end(&mut self) {
        self.spare = Vec::new();
    }

    /// Adds those of further flows.
    pub(super) fn append(&mut self, other: Self) {
        let (rows, hops) = (self.rows, self.hops);
        self.pages.extend(other.pages.into_iter().map(|page| Page {
            first_row: page.first_row + rows,
            first_hop: page.first_hop + hops,
            ..page
        }));
        self.rows += other.rows;
        self.hops += other.hops;
    }

    /// The next packet is of another flow.
    pub(super) fn end_flow(&mut self) {
        if std::mem::take(&mut self.last).is_within
            && let Some(page) = self.pages.last_mut()
            && page.bytes.len() < page.bytes.capacity() / 8 * 7
        {
            // Most flows are short, and so is the last page of others.
            let bytes = page.bytes.as_slice().to_vec();
            let room = std::mem::replace(&mut page.bytes, bytes);
            self.take_room(vec![room]);
        }
    }
}

impl PartialEq for Packets {
    fn eq(&self, other: &Self) -> bool {
        self.pages == other.pages
    }
}

impl fmt::Debug for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).entries(self.hops()).finish()
    }
}

fn bit(is: bool, bit: u8) -> u8 {
    if is { bit } else { 0 }
}

impl Last {
    fn put(&mut self, out: &mut Vec<u8>, own: &PacketRow, hops: usize) {
        let old = self.packet;
        let kind = |own: &PacketRow| (own.bytes, own.class);
        let tag = bit(own.again, packet::AGAIN)
            | bit(own.marked, packet::MARKED)
            | bit(!own.sure, packet::UNSURE)
            | bit(own.arrived.is_some(), packet::ARRIVED)
            | bit(own.acked.is_some(), packet::ACKED)
            | bit(own.port != old.port, packet::OTHER_PORT)
            | bit(kind(own) != kind(&old), packet::OTHER_KIND)
            | bit(own.fate != old.fate, packet::OTHER_FATE);
        out.push(tag);
        put(out, hops as u64);
        put_step(out, old.number.into(), own.number.into());
        put_step(out, old.sent.0, own.sent.0);
        out.extend(own.entropy.0.to_le_bytes());
        own.arrived.iter().for_each(|at| put_step(out, own.sent.0, at.0));
        own.acked.iter().for_each(|at| put_step(out, own.sent.0, at.0));
        if own.port != old.port {
            put(out, own.port.0.into());
        }
        if kind(own) != kind(&old) {
            put(out, own.bytes.into());
            out.push(own.class);
        }
        if own.fate != old.fate {
            out.push(own.fate.code());
        }
        self.packet = *own;
    }

    fn take(&mut self, bytes: &mut &[u8]) -> (PacketRow, usize) {
        let [tag] = take_array(bytes);
        let has = |bit: u8| tag & bit != 0;
        let hops = take(bytes) as usize;
        let own = &mut self.packet;
        (own.again, own.marked) = (has(packet::AGAIN), has(packet::MARKED));
        own.sure = !has(packet::UNSURE);
        own.number = take_step(bytes, own.number.into()) as u32;
        own.sent = Time(take_step(bytes, own.sent.0));
        own.entropy = Entropy(u16::from_le_bytes(take_array(bytes)));
        own.arrived = has(packet::ARRIVED).then(|| Time(take_step(bytes, own.sent.0)));
        own.acked = has(packet::ACKED).then(|| Time(take_step(bytes, own.sent.0)));
        if has(packet::OTHER_PORT) {
            own.port = PortId(take(bytes) as u32);
        }
        if has(packet::OTHER_KIND) {
            own.bytes = take(bytes) as u16;
            [own.class] = take_array(bytes);
        }
        if has(packet::OTHER_FATE) {
            let [code] = take_array(bytes);
            own.fate = Fate::of_code(code);
        }
        (*own, hops)
    }

    fn put_hop(&mut self, out: &mut Vec<u8>, left: Time, own: &HopRow) {
        let packet = self.packet;
        let gap = Span(own.arrived.0.wrapping_sub(left.0));
        let tag = bit(own.marked, hop::MARKED)
            | bit(own.found.is_some(), hop::FOUND)
            | bit(own.found.is_some_and(|found| found > 0), hop::FOUND_SOME)
            | bit(gap != self.gap, hop::OTHER_GAP)
            | bit(own.bytes != packet.bytes, hop::OTHER_SIZE)
            | bit(own.entropy != packet.entropy, hop::OTHER_ENTROPY)
            | bit(own.fate != Fate::Left, hop::OTHER_FATE);
        out.push(tag);
        put(out, own.port.0.into());
        put(out, own.stay.0);
        if let Some(found) = own.found.filter(|found| *found > 0) {
            put(out, found);
        }
        if gap != self.gap {
            put_step(out, 0, gap.0);
        }
        if own.bytes != packet.bytes {
            put(out, own.bytes.into());
        }
        if own.entropy != packet.entropy {
            out.extend(own.entropy.0.to_le_bytes());
        }
        if own.fate != Fate::Left {
            out.push(own.fate.code());
        }
        self.gap = gap;
    }

    fn take_hop(&mut self, bytes: &mut &[u8], left: Time) -> HopRow {
        let [tag] = take_array(bytes);
        let has = |bit: u8| tag & bit != 0;
        let port = PortId(take(bytes) as u32);
        let stay = Span(take(bytes));
        let some = if has(hop::FOUND_SOME) { take(bytes) } else { 0 };
        if has(hop::OTHER_GAP) {
            self.gap = Span(take_step(bytes, 0));
        }
        let mut own = HopRow {
            packet: 0,
            port,
            arrived: Time(left.0.wrapping_add(self.gap.0)),
            found: has(hop::FOUND).then_some(some),
            stay,
            bytes: self.packet.bytes,
            entropy: self.packet.entropy,
            marked: has(hop::MARKED),
            fate: Fate::Left,
        };
        if has(hop::OTHER_SIZE) {
            own.bytes = take(bytes) as u16;
        }
        if has(hop::OTHER_ENTROPY) {
            own.entropy = Entropy(u16::from_le_bytes(take_array(bytes)));
        }
        if has(hop::OTHER_FATE) {
            let [code] = take_array(bytes);
            own.fate = Fate::of_code(code);
        }
        own
    }
}

/// Reads a page.
struct Reader<'a> {
    bytes: &'a [u8],
    last: Last,
    /// Number of the packet that comes next.
    row: usize,
    /// When the packet left the place before.
    left: Time,
    /// Whether somebody else reads the hops that follow each packet.
    leaves_hops: bool,
}

impl<'a> Reader<'a> {
    fn of(page: &'a Page, leaves_hops: bool) -> Self {
        let mut last = Last::default();
        last.packet.flow = page.flow;
        let (bytes, row) = (&page.bytes[..], page.first_row);
        Self { bytes, last, row, left: Time::ZERO, leaves_hops }
    }

    /// The next hop of the packet that came last.
    fn hop(&mut self) -> HopRow {
        let mut own = self.last.take_hop(&mut self.bytes, self.left);
        self.left = own.arrived + own.stay;
        own.packet = (self.row as u64).wrapping_sub(1);
        own
    }
}

impl Iterator for Reader<'_> {
    type Item = (PacketRow, usize);

    fn next(&mut self) -> Option<(PacketRow, usize)> {
        if self.bytes.is_empty() {
            return None;
        }
        let (packet, hops) = self.last.take(&mut self.bytes);
        self.row += 1;
        self.left = packet.sent;
        if !self.leaves_hops {
            for _ in 0..hops {
                self.hop();
            }
        }
        Some((packet, hops))
    }
}

/// Reads the hops of a page.
struct Hops<'a> {
    reader: Reader<'a>,
    /// Hops of this packet that are left.
    left: usize,
}

impl Iterator for Hops<'_> {
    type Item = HopRow;

    fn next(&mut self) -> Option<HopRow> {
        while self.left == 0 {
            (_, self.left) = self.reader.next()?;
        }
        self.left -= 1;
        Some(self.reader.hop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    /// Some packets of flows of all lengths, and their hops.
    fn rows() -> (Vec<PacketRow>, Vec<Vec<HopRow>>) {
        let mut rng = Rng::new(1, "rows", 0);
        let (mut packets, mut hops) = (Vec::new(), Vec::new());
        for (flow, count) in [(0, 1), (3, 700), (4, 0), (5, 2), (9, 300)] {
            for number in 0..count {
                let mut some = |most: u64| (rng.below(3) > 0).then(|| Time(rng.below(most)));
                let (arrived, acked) = (some(1 << 40), some(1 << 40));
                let packet = PacketRow {
                    flow: FlowId(flow),
                    number: number / 2 * 2,
                    again: rng.below(2) == 0,
                    port: PortId(flow + rng.below(9) as u32 / 8),
                    entropy: Entropy(rng.below(1 << 16) as u16),
                    class: rng.below(9) as u8 / 8,
                    bytes: 4160 - 1000 * (rng.below(9) as u16 / 8),
                    sent: Time(u64::from(number) * 83_200),
                    arrived,
                    acked,
                    fate: Fate::of_code(rng.below(12) as u8),
                    marked: rng.below(2) == 0,
                    sure: rng.below(2) == 0,
                };
                let mut left = packet.sent;
                let of_packet = (0..rng.below(7)).map(|_| {
                    let hop = HopRow {
                        packet: packets.len() as u64,
                        port: PortId(rng.below(1 << 20) as u32),
                        arrived: left + Span(rng.below(2) * 1_000_000),
                        found: (rng.below(2) == 0).then(|| rng.below(2) * rng.below(1 << 30)),
                        stay: Span(rng.below(1 << 40)),
                        bytes: if rng.below(5) == 0 { 64 } else { packet.bytes },
                        entropy: Entropy(packet.entropy.0 ^ (rng.below(5) as u16 / 4)),
                        marked: rng.below(2) == 0,
                        fate: Fate::of_code(rng.below(12) as u8),
                    };
                    left = hop.arrived + hop.stay;
                    hop
                });
                hops.push(of_packet.collect());
                packets.push(packet);
            }
        }
        (packets, hops)
    }

    #[test]
    fn rows_come_back_from_any_one_on() {
        let (packets, hops) = rows();
        let mut kept = Packets::default();
        for of_flow in packets.chunk_by(|one, other| one.flow == other.flow) {
            for own in of_flow {
                kept.push(own, &hops[kept.len()]);
            }
            kept.end_flow();
        }
        let hops = hops.concat();
        assert!(kept.pages.len() > 6);
        assert_eq!((kept.len(), kept.hop_count()), (packets.len(), hops.len()));
        for start in (0..packets.len()).step_by(37).chain([packets.len()]) {
            for end in [start, (start + 1).min(packets.len()), packets.len()] {
                assert!(kept.rows_of(start..end).eq(packets[start..end].iter().copied()));
            }
        }
        for start in (0..hops.len()).step_by(37).chain([hops.len()]) {
            for end in [start, (start + 1).min(hops.len()), hops.len()] {
                assert!(kept.hops_of(start..end).eq(hops[start..end].iter().copied()));
            }
        }
        let none = Packets::default();
        assert!(none.is_empty() && none.rows().next().is_none() && none.hops().next().is_none());
        kept.rename(|flow| FlowId(flow.0 / 4));
        assert!(kept.rows().map(|own| own.flow.0).eq(packets.iter().map(|own| own.flow.0 / 4)));
    }
}
