//! Some of a fabric's hosts, by ranges of their numbers.

use super::WorkloadError;
use crate::topology::Fabric;
use std::fmt;

/// Hosts by ranges of their numbers, both ends included: `0..15, 32..47`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSet {
    /// Ascending, apart from each other.
    ranges: Vec<(u32, u32)>,
}

impl HostSet {
    /// The hosts of these ranges; none where there is no range, one is empty, or they do not ascend.
    pub fn new(ranges: Vec<(u32, u32)>) -> Option<Self> {
        let ascends = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let whole = ranges.iter().all(|(first, last)| first <= last);
        (ascends && whole && !ranges.is_empty()).then_some(Self { ranges })
    }

    /// The hosts of `"0..15, 32..47"`, if that is what a text says.
    pub fn parse(text: &str) -> Option<Self> {
        let range = |part: &str| {
            let (first, last) = part.split_once("..")?;
            Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
        };
        Self::new(text.split(',').map(range).collect::<Option<_>>()?)
    }

    /// Whether a host is one of them.
    pub fn contains(&self, host: u32) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&host))
    }

    /// Whether a host is one of them; all are, where none are named.
    pub(super) fn has(set: Option<&Self>, host: u32) -> bool {
        set.is_none_or(|set| set.contains(host))
    }

    /// Whether the fabric has all of them.
    pub(super) fn check(
        set: Option<&Self>,
        quantity: &'static str,
        fabric: &Fabric,
    ) -> Result<(), WorkloadError> {
        match set {
            Some(set) if set.ranges.iter().any(|&(_, last)| last >= fabric.hosts) => {
                let known = format!("hosts within 0..{}", fabric.hosts - 1);
                Err(WorkloadError::new(quantity, set, known))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for HostSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{first}..{last}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_what_its_text_says() {
        let set = HostSet::parse(" 0..1,5 .. 5, 8..9").unwrap();
        assert_eq!(set.to_string(), "0..1, 5..5, 8..9");
        let hosts: Vec<u32> = (0..12).filter(|&host| set.contains(host)).collect();
        assert_eq!(hosts, [0, 1, 5, 8, 9]);
        for wrong in ["", "3", "5..4", "0..3, 3..4", "4..5, 0..1", "0..x", "0..1,"] {
            assert_eq!(HostSet::parse(wrong), None, "{wrong}");
        }
    }
}
