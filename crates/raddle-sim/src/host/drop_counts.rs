//! How often each of many things has happened, where it may have happened millions of times.

use crate::wire::frame::Locator;

/// A count for each locator. What is new is written down and now and then sorted into the counts: a
/// tree of them would be looked for in memory each time.
#[derive(Default)]
pub(super) struct Tally {
    /// In order of locators.
    counts: Vec<(Locator, u64)>,
    new: Vec<Locator>,
}

/// So many are written down at least before they are sorted.
const LEAST: usize = 4096;

impl Tally {
    /// Counts one more.
    #[inline]
    pub(super) fn note(&mut self, locator: Locator) {
        if self.new.len() >= LEAST.max(self.counts.len()) {
            self.sort();
        }
        self.new.push(locator);
    }

    /// Locators, each once and in order, with their counts.
    pub(super) fn counts(mut self) -> Vec<(Locator, u64)> {
        self.sort();
        self.counts
    }

    #[cold]
    fn sort(&mut self) {
        self.new.sort_unstable();
        let mut old = std::mem::take(&mut self.counts).into_iter().peekable();
        for same in self.new.chunk_by(PartialEq::eq) {
            while let Some(before) = old.next_if(|(locator, _)| *locator < same[0]) {
                self.counts.push(before);
            }
            let known =
                old.next_if(|(locator, _)| *locator == same[0]).map_or(0, |(_, count)| count);
            self.counts.push((same[0], known + same.len() as u64));
        }
        self.counts.extend(old);
        self.new.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn counts_are_those_of_a_map() {
        for (notes, kinds) in [(0, 1), (10, 3), (5_000, 4_000), (100_000, 7), (100_000, 30_000)] {
            let mut rng = Rng::new(1, "test", kinds);
            let (mut tally, mut expected) = (Tally::default(), BTreeMap::new());
            for _ in 0..notes {
                let locator = Locator(rng.below(kinds) as u32);
                tally.note(locator);
                *expected.entry(locator).or_insert(0) += 1;
            }
            assert!(tally.counts().into_iter().eq(expected), "{notes} notes of {kinds}");
        }
    }
}
