//! Complete partitioning: each queue has an equal part of the memory to itself.

use super::{Arriving, BufferContext, BufferPolicy};
use crate::Card;

/// What `raddle schemes complete_partitioning` says.
pub const CARD: Card = Card {
    name: "complete_partitioning",
    title: "Complete partitioning",
    paper: "Kamoun and Kleinrock, Analysis of shared finite storage in a computer network node environment, ToC 1980",
    needs: &[],
    summary: "Each queue of data may hold an equal part of the memory and no more: fair, and wasteful.",
};

crate::parameters! {
    /// Complete partitioning has no parameters.
    pub struct Config {}
}

/// The part of one queue.
#[derive(Clone, Debug)]
pub struct CompletePartitioning {
    part: u64,
}

impl CompletePartitioning {
    /// The policy of one switch.
    pub fn new(_config: &Config, context: &BufferContext) -> Self {
        Self { part: context.size.0 / u64::from(context.queues.max(1)) }
    }
}

impl BufferPolicy for CompletePartitioning {
    #[inline]
    fn admits(&self, frame: &Arriving) -> bool {
        frame.queued.0 + frame.bytes.0 <= self.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn a_queue_has_its_part_whatever_the_others_hold() {
        let context = BufferContext { size: Bytes(1000), queues: 3, ..BufferContext::NOMINAL };
        let policy = CompletePartitioning::new(&Config {}, &context);
        let admits = |queued, used| {
            let (queued, used) = (Bytes(queued), Bytes(used));
            policy.admits(&Arriving { bytes: Bytes(33), queued, used })
        };
        assert!(admits(300, 300) && admits(300, 900));
        assert!(!admits(301, 301));
    }
}
