//! GOAL in LogGOPSim's binary form: little endian, without gaps.

use super::super::mistakes::{At, Mistakes};
use super::super::{Fact, Options, Parsed, TraceError};
use super::{MOST_RANKS, job, layout, time};
use raddle_schemes::units::Bytes;
use raddle_sim::workload::job_graph::{Does, Edge, Point, Rank};

const COOKIE: u64 = 4223;
/// What a run that saved memory has left behind.
const SPOILT: u64 = 2342;
/// Offsets count from here.
const ORIGIN: u64 = 8;
const NODE: u64 = 39;

/// Whether bytes look like it.
pub(in super::super) fn is_it(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<8>()
        .is_some_and(|first| [COOKIE, SPOILT].contains(&u64::from_le_bytes(*first)))
}

/// Reads a schedule.
pub(in super::super) fn parse(bytes: &[u8], options: &Options) -> Result<Parsed, Vec<TraceError>> {
    let mut mistakes = Mistakes::default();
    let reader = Reader { bytes };
    let read = reader.file(options);
    let (ranks, nics) = read.unwrap_or_else(|Wrong { at, message }| {
        mistakes.error(at, message, "make the file again with `txt2bin`");
        (Vec::new(), false)
    });
    if let Err((message, help)) = layout(nics, options) {
        mistakes.error(At::File, message, help);
    }
    let facts = vec![Fact::text("time unit", options.unit)];
    Parsed::of(job(ranks, options), mistakes, facts, |_, _| At::File)
}

struct Wrong {
    at: At,
    message: String,
}

fn wrong<T>(byte: u64, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at: At::Byte(byte), message: message.into() })
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&self, at: u64) -> Result<[u8; N], Wrong> {
        let from = usize::try_from(at).ok();
        let found = from.and_then(|from| self.bytes.get(from..)?.first_chunk::<N>().copied());
        found.map_or_else(
            || {
                wrong(
                    at,
                    format!("the file ends at byte {}, within what it names", self.bytes.len()),
                )
            },
            Ok,
        )
    }

    fn u8(&self, at: u64) -> Result<u8, Wrong> {
        self.take::<1>(at).map(|byte| byte[0])
    }

    fn u32(&self, at: u64) -> Result<u32, Wrong> {
        self.take(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: u64) -> Result<u64, Wrong> {
        self.take(at).map(u64::from_le_bytes)
    }

    fn file(&self, options: &Options) -> Result<(Vec<Rank>, bool), Wrong> {
        if self.u64(0)? == SPOILT {
            return wrong(
                0,
                "spoilt by a run of LogGOPSim with `--save-mem`, which writes into it",
            );
        }
        let count = self.u32(8)?;
        if u64::from(count) > MOST_RANKS {
            return wrong(8, format!("{count} ranks are more than {MOST_RANKS}"));
        }
        let nics = self.u8(13)? > 0;
        let mut ranks = Vec::new();
        // Each has its own bytes: what several name would be there several times.
        let mut room = self.bytes.len() as u64;
        for rank in 0..u64::from(count) {
            let head = 14 + 16 * rank;
            let (from, to) = (self.u64(head)?, self.u64(head + 8)?);
            let end = to.checked_add(ORIGIN).filter(|end| *end <= self.bytes.len() as u64);
            let Some(start) = from.checked_add(ORIGIN).filter(|_| end.is_some() && from <= to)
            else {
                let message = format!("rank {rank} goes from {from} to {to}, outside of the file");
                return wrong(head, message);
            };
            let end = end.unwrap_or(start);
            if end - start > room {
                return wrong(head, format!("rank {rank} shares bytes with others"));
            }
            room -= end - start;
            ranks.push(self.rank(start, end, options)?);
        }
        Ok((ranks, nics))
    }

    fn rank(&self, start: u64, end: u64, options: &Options) -> Result<Rank, Wrong> {
        let (nodes, roots) = (self.u32(start)?, self.u32(start + 4)?);
        let first = start + 8 + 4 * u64::from(roots);
        let edges = first + NODE * u64::from(nodes);
        if edges > end {
            return wrong(start, format!("{nodes} nodes do not fit before byte {end}"));
        }
        let mut does = Vec::new();
        // By the node that waits, as they are stored by the one that is waited for.
        let mut after: Vec<Vec<Edge>> = vec![Vec::new(); nodes as usize];
        let mut promised = Vec::new();
        let mut room = (end - edges) / 4;
        for node in 0..nodes {
            let at = first + NODE * u64::from(node);
            promised.push(self.u32(at)?);
            does.push(self.node(at, options)?);
            for (place, point) in [(at + 23, Point::End), (at + 31, Point::Start)] {
                let (count, begin) = (self.u32(place)?, self.u32(place + 4)?);
                // Without edges it says nothing.
                let begin = if count > 0 { begin } else { 0 };
                let begin = edges + 4 * u64::from(begin);
                if begin + 4 * u64::from(count) > end {
                    let message =
                        format!("{count} edges from byte {begin} do not fit before {end}");
                    return wrong(place, message);
                }
                if u64::from(count) > room {
                    return wrong(place, format!("node {node} shares edges with others"));
                }
                room -= u64::from(count);
                for edge in 0..u64::from(count) {
                    let of = self.u32(begin + 4 * edge)?;
                    let Some(after) = after.get_mut(of as usize) else {
                        return wrong(begin + 4 * edge, format!("node {of} of {nodes} waits"));
                    };
                    after.push(Edge { on: node, point });
                }
            }
        }
        let mut rank = Rank::default();
        for (((node, (does, unit)), after), promised) in (0..).zip(does).zip(&after).zip(promised) {
            if after.len() != promised as usize {
                let at = first + NODE * node;
                let found = after.len();
                return wrong(at, format!("node {node} waits for {promised}, and {found} say so"));
            }
            rank.push(node, does, unit, after);
        }
        Ok(rank)
    }

    fn node(&self, at: u64, options: &Options) -> Result<(Does, Option<u32>), Wrong> {
        let peer = self.u32(at + 5)?;
        let (size, tag, cpu) = (self.u64(at + 9)?, self.u32(at + 17)?, self.u8(at + 21)?);
        let exact = (tag != u32::MAX).then_some(u64::from(tag));
        let bytes = Bytes(size);
        Ok(match self.u8(at + 4)? {
            1 => (Does::Send { to: peer, bytes, tag: tag.into() }, None),
            2 => {
                let from = (peer != u32::MAX).then_some(peer);
                (Does::Recv { from, tag: exact, bytes: Some(bytes) }, None)
            }
            3 => match time(size, options.unit) {
                Some(does) => (does, Some(cpu.into())),
                None => return wrong(at + 9, format!("{size} times {} is too long", options.unit)),
            },
            other => return wrong(at + 4, format!("type {other}; expected 1, 2 or 3")),
        })
    }
}
