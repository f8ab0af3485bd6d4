//! Step marking: every frame above one threshold is marked (DCTCP's switch side).

use super::{Marker, QueueState};
use crate::Card;
use crate::size::{Base, Size};
use crate::units::Bytes;

/// What `raddle schemes step` says.
pub const CARD: Card = Card {
    name: "step",
    title: "Step marking",
    paper: "Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010",
    needs: &[],
    summary: "Marks every data frame whose queue holds more than one threshold.",
};

crate::parameters! {
    /// Parameters of step marking.
    pub struct Config {
        /// Bytes, packets, bdp, or percent of the queue.
        pub threshold: Size = Size::Percent(20.0);
    }
}

/// The threshold in bytes.
#[derive(Clone, Debug)]
pub struct Step {
    at: u64,
}

impl Step {
    /// A marker with its threshold resolved for one port.
    pub fn new(config: &Config, base: &Base) -> Self {
        Self { at: config.threshold.resolve(base).0 }
    }
}

impl Marker for Step {
    #[inline]
    fn mark(&self, queue: &QueueState) -> bool {
        queue.bytes.0 > self.at
    }

    fn never_below(&self) -> Bytes {
        Bytes(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_above_the_threshold_only() {
        let base = Base { packet: Bytes(100), bdp: Bytes(1000), whole: Bytes(1000) };
        let step = Step::new(&Config::default(), &base);
        let mark = |bytes| step.mark(&QueueState { bytes: Bytes(bytes), stream: 1, event: 1 });
        assert!(!mark(200));
        assert!(mark(201));
    }
}
