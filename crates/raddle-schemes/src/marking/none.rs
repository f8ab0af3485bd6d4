//! No marking.

use super::{Marker, QueueState};
use crate::Card;
use crate::size::Base;
use crate::units::Bytes;

/// What `raddle schemes none` says.
pub const CARD: Card = Card {
    name: "none",
    title: "No marking",
    paper: "-",
    needs: &[],
    summary: "Switches never set the congestion mark.",
};

crate::parameters! {
    /// No marking has no parameters.
    pub struct Config {}
}

/// Marks nothing.
#[derive(Clone, Debug)]
pub struct NoMarking;

impl NoMarking {
    /// A marker that marks nothing.
    pub fn new(_config: &Config, _base: &Base) -> Self {
        Self
    }
}

impl Marker for NoMarking {
    fn mark(&self, _queue: &QueueState) -> bool {
        false
    }

    fn never_below(&self) -> Bytes {
        Bytes(u64::MAX)
    }
}
