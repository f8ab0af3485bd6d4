//! What a receiving host's NIC notes of marked packets, where it notifies their senders of congestion.

use crate::wire::frame::{Frame, Locator};
use raddle_schemes::congestion::CnpPlan;
use raddle_schemes::ids::Entropy;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::BTreeMap;

/// The notifications (CNPs) of a host.
pub(in crate::host) struct Cnps {
    plan: CnpPlan,
    size: Bytes,
    /// By receiver slot, the last marked packet that brought one.
    last: BTreeMap<u32, Time>,
    /// Those that the NIC has not got in line yet, by when it will and receiver slot.
    waiting: BTreeMap<(Time, u32), Frame>,
}

impl Cnps {
    /// None yet; each takes `size` on the wire.
    pub(in crate::host) fn new(plan: CnpPlan, size: Bytes) -> Self {
        Self { plan, size, last: BTreeMap::new(), waiting: BTreeMap::new() }
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
        if self.last.get(&slot).is_some_and(|last| now < *last + self.plan.interval) {
            return None;
        }
        self.last.insert(slot, now);
        let at = now + self.plan.delay;
        self.waiting.insert((at, slot), Frame::cnp(to, entropy, self.size));
        Some(at)
    }

    /// The CNP of `slot` that is in line from now on.
    pub(in crate::host) fn due(&mut self, now: Time, slot: u32) -> Option<Frame> {
        self.waiting.remove(&(now, slot))
    }

    /// All of the message has arrived.
    pub(in crate::host) fn end(&mut self, slot: u32) {
        self.last.remove(&slot);
    }

    /// Whether the NIC takes no time to get one in line.
    pub(in crate::host) fn at_once(&self) -> bool {
        self.plan.delay == Span::ZERO
    }
}
