//! What results say of free constants.

use super::free::Free;
use super::result::ClaimResult;
use raddle::study::text::digits;

impl ClaimResult {
    /// The ranges over free constants, beside the verdict: `, 0.19 to 0.76`; empty if there are none.
    pub(super) fn free_note(&self) -> String {
        self.claim.free.iter().map(|free| format!(", {}", self.range(free))).collect()
    }

    /// What there is to say of each free constant, a sentence each.
    pub(super) fn free_texts(&self) -> Vec<String> {
        let sentence = |free: &Free| {
            let turns = if self.turns_with(free) { ", and the verdict turns" } else { "" };
            format!("{}: {}{turns}. {}", free.constant, self.range(free), free.tested)
        };
        self.claim.free.iter().map(sentence).collect()
    }

    fn range(&self, free: &Free) -> String {
        format!("{} to {}", digits(free.low, 3), digits(free.high, 3))
    }

    /// Whether the claim holds at one end of the range and differs at the other.
    fn turns_with(&self, free: &Free) -> bool {
        self.claim.agrees(free.low) != self.claim.agrees(free.high)
    }
}
