//! Marking: the longer the queue, the more frames, up to a length at which it is all of them.

use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::marking::{Marker, QueueState};
use raddle_schemes::size::{Base, Size};

static CARD: Card = Card {
    name: "ramp",
    title: "A ramp",
    paper: "none: an example",
    needs: &[],
    summary: "Marks each frame as likely as its queue is long, all of them from a length on.",
};

raddle_schemes::parameters! {
    /// Parameters of `ramp`.
    pub struct Config {
        /// Where all frames are marked: bytes, packets, bdp, or percent of the queue.
        pub top: Size = Size::Percent(50.0);
    }
}

struct Ramp {
    top: u64,
}

impl Marker for Ramp {
    fn mark(&self, queue: &QueueState) -> bool {
        u128::from(queue.coin()) * u128::from(self.top) < u128::from(queue.bytes.0) << 32
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<Base, dyn Marker + Send> {
    Plugin::with(&CARD, |config: &Config, base| {
        Box::new(Ramp { top: config.top.resolve(base).0.max(1) })
    })
}
