//! The notifications of congestion (CNPs) of a receiving host as frames.

use crate::wire::frame::{Frame, Locator};
use raddle_schemes::congestion::CnpPlan;
use raddle_schemes::ids::Entropy;
use raddle_schemes::transport::Notifier;
use raddle_schemes::units::{Bytes, Time};

/// The notifications of a host, by receiver slot.
pub(in crate::host) struct Cnps {
    size: Bytes,
    notifier: Notifier<Frame>,
}

impl Cnps {
    /// None yet; each takes `size` on the wire.
    pub(in crate::host) fn new(size: Bytes) -> Self {
        Self { size, notifier: Notifier::default() }
    }

    /// A message begins to arrive at `slot`, whose sender is notified.
    pub(in crate::host) fn begin(&mut self, slot: u32, plan: CnpPlan) {
        self.notifier.begin(slot, plan);
    }

    /// A marked packet came to `slot` with this entropy. Returns when the CNP that it brings is in
    /// line, if it brings one.
    pub(in crate::host) fn on_mark(
        &mut self,
        now: Time,
        slot: u32,
        to: Locator,
        entropy: Entropy,
    ) -> Option<Time> {
        let size = self.size;
        self.notifier.on_mark(now, slot, || Frame::cnp(to, entropy, size))
    }

    /// The CNP of `slot` that is in line from now on.
    pub(in crate::host) fn due(&mut self, now: Time, slot: u32) -> Option<Frame> {
        self.notifier.take(now, slot)
    }

    /// All of the message has arrived.
    pub(in crate::host) fn end(&mut self, slot: u32) {
        self.notifier.end(slot);
    }
}
