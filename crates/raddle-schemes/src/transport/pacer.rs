//! The slots in which a paced flow sends.

use crate::units::{Bytes, Rate, Span, Time};

/// When a paced flow sends.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    /// The next packet leaves no earlier.
    pub(super) at: Time,
    /// Remainder of the pace, in bits x 10^12 modulo the rate, so that no pace drifts.
    pub(super) rest: u64,
    /// Whether after the last packet there was none that could have followed.
    pub(super) idle: bool,
}

impl Pacer {
    /// Slots from `at` on.
    pub(super) fn from(at: Time) -> Self {
        Self { at, rest: 0, idle: false }
    }

    /// Slots lie on a grid: one that a busy wire made late does not push back the next. A flow that
    /// could send nothing after its last packet, and for a whole period, begins a new grid.
    pub(super) fn sent(&mut self, now: Time, bytes: Bytes, rate: Rate) {
        let bits = u128::from(bytes.0) * 8 * 1_000_000_000_000 + u128::from(self.rest);
        let rate = u128::from(rate.0);
        self.rest = (bits % rate) as u64;
        let period = Span((bits / rate) as u64);
        let slot = if self.idle && now.since(self.at) >= period { now } else { self.at };
        self.at = slot + period;
    }
}
