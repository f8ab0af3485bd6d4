//! Complete sharing: whatever fits is kept.

use super::{Arriving, BufferContext, BufferPolicy};
use crate::Card;

/// What `raddle schemes complete_sharing` says.
pub const CARD: Card = Card {
    name: "complete_sharing",
    title: "Complete sharing",
    paper: "Kamoun and Kleinrock, Analysis of shared finite storage in a computer network node environment, ToC 1980",
    needs: &[],
    summary: "Any queue may take all memory that is free: the most efficient, and the least fair.",
};

crate::parameters! {
    /// Complete sharing has no parameters.
    pub struct Config {}
}

/// Keeps whatever fits.
#[derive(Clone, Debug)]
pub struct CompleteSharing;

impl CompleteSharing {
    /// The policy of one switch.
    pub fn new(_config: &Config, _context: &BufferContext) -> Self {
        Self
    }
}

impl BufferPolicy for CompleteSharing {
    #[inline]
    fn admits(&self, _frame: &Arriving) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn one_queue_may_take_everything() {
        let context = BufferContext { size: Bytes(1000), queues: 4, ..BufferContext::NOMINAL };
        let policy = CompleteSharing::new(&Config {}, &context);
        let (bytes, queued) = (Bytes(100), Bytes(900));
        assert!(policy.admits(&Arriving { bytes, queued, used: queued }));
    }
}
