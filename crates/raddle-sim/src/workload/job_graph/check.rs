//! Whether all that nodes name is there.

use super::error::Mistakes;
use super::{Does, JobError, JobGraph};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::Bytes;

/// A ring is not cut into more.
const MOST_CHANNELS: u32 = 1024;

/// No message or collective is larger: counts of many of them are to have room.
const LARGEST: Bytes = Bytes(1 << 50);

impl JobGraph {
    /// Nodes of all ranks.
    pub(super) fn nodes(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.nodes.len() as u64).sum()
    }

    pub(super) fn check(&self) -> Result<(), Vec<JobError>> {
        let mut mistakes = Mistakes::default();
        let most = 1_u64 << 30;
        if self.nodes() > most {
            mistakes.add(None, format!("{} nodes are more than {most}", self.nodes()));
        }
        if self.channels > MOST_CHANNELS {
            let message = format!("{} channels are more than {MOST_CHANNELS}", self.channels);
            mistakes.add(None, message);
        }
        let ranks = self.ranks.len() as u32;
        let mut members = Vec::new();
        for group in &self.groups {
            let mut sorted = group.ranks.clone();
            sorted.sort_unstable();
            let name = &group.name;
            if let Some(rank) = sorted.last().filter(|rank| **rank >= ranks) {
                let last = ranks.saturating_sub(1);
                mistakes.add(None, format!("group `{name}` has rank {rank}; expected 0 to {last}"));
            }
            if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
                mistakes.add(None, format!("group `{name}` has rank {} twice", twice[0]));
            }
            members.push(sorted);
        }
        for (number, rank) in (0..).zip(&self.ranks) {
            let mut busy = 0_u64;
            for (place, node) in (0..).zip(&rank.nodes) {
                let at = (number, place);
                let known = rank.nodes.len() as u32;
                for edge in rank.after(node) {
                    if edge.on >= known {
                        let message = format!("waits for node {}, of {known}", edge.on);
                        mistakes.at(self, at, message);
                    }
                }
                if let Does::Send { bytes, .. } | Does::Coll { bytes, .. } = &node.does
                    && *bytes > LARGEST
                {
                    mistakes.at(self, at, format!("has {bytes}; at most {LARGEST}"));
                }
                match &node.does {
                    Does::Calc(time) => busy = busy.saturating_add(time.0),
                    Does::Send { to: other, .. } | Does::Recv { from: Some(other), .. }
                        if *other >= ranks =>
                    {
                        let last = ranks.saturating_sub(1);
                        let message = format!("names rank {other}; expected 0 to {last}");
                        mistakes.at(self, at, message);
                    }
                    Does::Coll { group, .. } => match members.get(*group as usize) {
                        Some(own) if own.binary_search(&number).is_err() => {
                            let name = &self.groups[*group as usize].name;
                            let message =
                                format!("a collective of group `{name}`, which it is not in");
                            mistakes.at(self, at, message);
                        }
                        Some(_) => {}
                        None => mistakes.at(self, at, format!("no group has number {group}")),
                    },
                    Does::Send { .. } | Does::Recv { .. } | Does::Mark(_) => {}
                }
            }
            if busy > TIME_LIMIT.0 {
                let message = format!("rank {number} computes for longer than {TIME_LIMIT}");
                mistakes.add(None, message);
            }
        }
        mistakes.finish()
    }
}
