//! What became of the flows of a run: one by one as asked for, kept in less.

use raddle_schemes::units::Time;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// What became of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowRecord {
    /// When it started; `None` if it never did.
    pub started: Option<Time>,
    /// When its sender had the last needed ACK.
    pub acked: Option<Time>,
    /// When its receiver had the last byte.
    pub delivered: Option<Time>,
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Of these, sent again.
    pub retransmitted: u64,
    /// Data packets that arrived whole and were new.
    pub received: u64,
    /// Data packets that arrived whole a second time.
    pub duplicates: u64,
    /// Data packets that arrived whole and new, and that the receiver threw away: those out of order,
    /// where it keeps none of them.
    pub refused: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked: u64,
    /// Data packets that arrived as trimmed headers.
    pub trimmed: u64,
    /// Data packets lost on the way, whatever the cause.
    pub dropped: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Whether its sender sent a packet as often as it may, and gave the message up.
    pub gave_up: bool,
}

/// The records of all flows, by number. Millions of flows may leave one, and most of them have had
/// each packet arrive the first time: of such a flow 32 bytes are kept, of another one 104.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct FlowRecords {
    flows: Vec<Kept>,
    /// Of the others, [`FlowRecord::counts`].
    counts: Vec<[u64; 9]>,
}

/// What is kept of each flow.
#[derive(Clone, Deserialize, Serialize)]
struct Kept {
    /// Never, if it did not; [`GIVEN_UP`] where the last ACK would be.
    started: Time,
    acked: Time,
    delivered: Time,
    /// Packets that were sent once and arrived; [`ELSEWHERE`] of a flow of which there is more to say.
    packets: u32,
    /// How many of them were marked, or the index of the flow's counts.
    marked: u32,
}

const ELSEWHERE: u32 = u32::MAX;
/// In place of the last ACK, of a message that was given up.
const GIVEN_UP: Time = Time(Time::NEVER.0 - 1);
const _: () = assert!(size_of::<Kept>() == 32);

impl FlowRecord {
    /// Its counts, in the order of their fields, but for what was refused, which comes last.
    pub fn counts(&self) -> [u64; 9] {
        let Self { sent, retransmitted, received, duplicates, marked, trimmed, .. } = *self;
        let Self { dropped, timeouts, refused, .. } = *self;
        [sent, retransmitted, received, duplicates, marked, trimmed, dropped, timeouts, refused]
    }
}

impl FlowRecords {
    /// None yet, with room for those of so many flows.
    pub fn with_capacity(flows: usize) -> Self {
        Self { flows: Vec::with_capacity(flows), counts: Vec::new() }
    }

    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// The record of the flow of this number, below [`len`](Self::len).
    #[inline]
    pub fn at(&self, flow: usize) -> FlowRecord {
        let Kept { started, acked, delivered, packets, marked } = self.flows[flow];
        let plain = u64::from(packets);
        let [
            sent,
            retransmitted,
            received,
            duplicates,
            marked,
            trimmed,
            dropped,
            timeouts,
            refused,
        ] = match packets {
            ELSEWHERE => self.counts[marked as usize],
            _ => [plain, 0, plain, 0, marked.into(), 0, 0, 0, 0],
        };
        FlowRecord {
            started: reached(started),
            acked: reached(acked).filter(|&at| at != GIVEN_UP),
            delivered: reached(delivered),
            sent,
            retransmitted,
            received,
            duplicates,
            refused,
            marked,
            trimmed,
            dropped,
            timeouts,
            gave_up: acked == GIVEN_UP,
        }
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FlowRecord> + Clone {
        self.range(0..self.len())
    }

    /// Those of the flows with these numbers, below [`len`](Self::len).
    pub fn range(&self, flows: Range<usize>) -> impl ExactSizeIterator<Item = FlowRecord> + Clone {
        flows.map(|flow| self.at(flow))
    }

    /// Adds the record of the next flow.
    pub fn push(&mut self, record: FlowRecord) {
        let kept = self.keep(record, None);
        self.flows.push(kept);
    }

    /// Changes the record of the flow of this number, below [`len`](Self::len).
    pub fn change(&mut self, flow: usize, change: impl FnOnce(&mut FlowRecord)) {
        let mut record = self.at(flow);
        change(&mut record);
        let Kept { packets, marked, .. } = self.flows[flow];
        self.flows[flow] = self.keep(record, (packets == ELSEWHERE).then_some(marked));
    }

    /// What is kept of a record, whose counts may take the place of those at `free`.
    fn keep(&mut self, record: FlowRecord, free: Option<u32>) -> Kept {
        let [started, acked, delivered] = [record.started, record.acked, record.delivered]
            .map(|time| time.unwrap_or(Time::NEVER));
        let acked = if record.gave_up { GIVEN_UP } else { acked };
        let counts = record.counts();
        let few = |count: u64| u32::try_from(count).ok().filter(|&count| count < ELSEWHERE);
        let (packets, marked) = match (few(record.received), few(record.marked)) {
            (Some(packets), Some(marked))
                if counts
                    == [record.received, 0, record.received, 0, record.marked, 0, 0, 0, 0] =>
            {
                (packets, marked)
            }
            _ => {
                let index = free.unwrap_or(self.counts.len() as u32);
                match self.counts.get_mut(index as usize) {
                    Some(old) => *old = counts,
                    None => self.counts.push(counts),
                }
                (ELSEWHERE, index)
            }
        };
        Kept { started, acked, delivered, packets, marked }
    }
}

/// A time, unless it never comes.
pub(crate) fn reached(at: Time) -> Option<Time> {
    (at != Time::NEVER).then_some(at)
}

impl PartialEq for FlowRecords {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for FlowRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<FlowRecord> for FlowRecords {
    fn from_iter<I: IntoIterator<Item = FlowRecord>>(records: I) -> Self {
        let records = records.into_iter();
        let mut all = Self::with_capacity(records.size_hint().0);
        records.for_each(|record| all.push(record));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One number of a record set to `value`.
    fn with(field: usize, value: u64) -> FlowRecord {
        let mut record = FlowRecord::default();
        let counts = [
            &mut record.sent,
            &mut record.retransmitted,
            &mut record.received,
            &mut record.duplicates,
            &mut record.marked,
            &mut record.trimmed,
            &mut record.dropped,
            &mut record.timeouts,
            &mut record.refused,
        ];
        if let Some(count) = counts.into_iter().nth(field) {
            *count = value;
        }
        record
    }

    #[test]
    fn records_come_back_as_they_were() {
        let some = |n| Some(Time(n));
        let mut expected = vec![
            FlowRecord::default(),
            FlowRecord { started: some(0), ..FlowRecord::default() },
            FlowRecord {
                started: some(1),
                delivered: some(2),
                acked: some(3),
                sent: 4,
                received: 4,
                marked: 5,
                ..FlowRecord::default()
            },
        ];
        for value in [1, u64::from(u32::MAX), u64::MAX] {
            expected.extend((0..9).map(|field| with(field, value)));
            expected.push(FlowRecord { sent: value, received: value, ..FlowRecord::default() });
        }
        let mut records: FlowRecords = expected.iter().cloned().collect();
        assert!(records.iter().eq(expected.iter().cloned()));
        assert_eq!(records.len(), expected.len());
        for flow in 0..expected.len() {
            for record in [with(1, 7), with(4, 8), FlowRecord::default()] {
                records.change(flow, |old| *old = record.clone());
                expected[flow] = record;
                assert!(records.iter().eq(expected.iter().cloned()), "flow {flow}");
            }
        }
    }

    #[test]
    fn most_flows_leave_little() {
        let plain = FlowRecord { sent: 9, received: 9, marked: 3, ..FlowRecord::default() };
        let records: FlowRecords = std::iter::repeat_n(plain, 100).collect();
        assert!(records.counts.is_empty());
    }
}
