//! What packets from one leaf have collected, and which of it that leaf is told next.

use crate::ids::PortId;
use crate::units::Time;
use alloc::collections::BTreeMap;
use serde::Serialize;

/// The congestion of the path that begins with an uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    pub(super) uplink: PortId,
    pub(super) metric: u8,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Seen {
    metric: u8,
    at: Time,
    /// Whether it is another than was told last.
    changed: bool,
}

/// The table of one leaf.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Feedback {
    seen: BTreeMap<PortId, Seen>,
    /// The one told last.
    told: PortId,
}

impl Feedback {
    /// A packet has come that says this.
    pub(super) fn note(&mut self, at: Time, Entry { uplink, metric }: Entry) {
        let new = Seen { metric, at, changed: true };
        let seen = self.seen.entry(uplink).or_insert(new);
        let changed = seen.changed || seen.metric != metric;
        *seen = Seen { changed, ..new };
    }

    /// What to tell next: the next in turn of those that have changed, else of all (section 3.3). Nothing
    /// from before `oldest`.
    pub(super) fn next(&mut self, oldest: Time) -> Option<Entry> {
        let told = self.told;
        let behind =
            self.seen.range((core::ops::Bound::Excluded(told), core::ops::Bound::Unbounded));
        let turn = behind.chain(self.seen.range(..=told)).filter(|(_, seen)| seen.at >= oldest);
        let mut turn = turn.map(|(uplink, seen)| (*uplink, seen.changed));
        let first = turn.next()?;
        let chosen =
            if first.1 { first } else { turn.find(|(_, changed)| *changed).unwrap_or(first) };
        self.told = chosen.0;
        let seen = self.seen.get_mut(&chosen.0)?;
        seen.changed = false;
        Some(Entry { uplink: chosen.0, metric: seen.metric })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64, table: &mut Feedback, uplink: u32, metric: u8) {
        table.note(Time(ps), Entry { uplink: PortId(uplink), metric });
    }

    fn told(table: &mut Feedback, oldest: u64) -> Option<(u32, u8)> {
        table.next(Time(oldest)).map(|entry| (entry.uplink.0, entry.metric))
    }

    #[test]
    fn news_go_first_then_all_in_turn_and_what_is_old_is_not_told() {
        let mut table = Feedback::default();
        assert_eq!(told(&mut table, 0), None);
        for uplink in [4, 5, 6] {
            at(10, &mut table, uplink, 1);
        }
        // All are news, in turn behind the one told last, which was none.
        assert_eq!([(); 3].map(|()| told(&mut table, 0)), [(4, 1), (5, 1), (6, 1)].map(Some));
        at(20, &mut table, 5, 3);
        at(20, &mut table, 6, 1);
        assert_eq!([(); 3].map(|()| told(&mut table, 0)), [(5, 3), (6, 1), (4, 1)].map(Some));
        assert_eq!([(); 2].map(|()| told(&mut table, 11)), [(5, 3), (6, 1)].map(Some));
        assert_eq!(told(&mut table, 21), None);
    }
}
