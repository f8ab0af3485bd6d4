//! What a receiving host's NIC notes of marked packets, where it notifies their senders of congestion.

use crate::wire::frame::{Frame, Locator};
use raddle_schemes::congestion::CnpPlan;
use raddle_schemes::ids::Entropy;
use raddle_schemes::units::{Bytes, Time};
use std::collections::BTreeMap;

/// The notifications (CNPs) of a host.
pub(in crate::host) struct Cnps {
    size: Bytes,
    /// By receiver slot of the messages whose senders are notified: how, and the last marked packet that
    /// brought one.
    messages: BTreeMap<u32, (CnpPlan, Option<Time>)>,
    /// Those that the NIC has not got in line yet, by when it will and receiver slot.
    waiting: BTreeMap<(Time, u32), Frame>,
}

impl Cnps {
    /// None yet; each takes `size` on the wire.
    pub(in crate::host) fn new(size: Bytes) -> Self {
        Self { size, messages: BTreeMap::new(), waiting: BTreeMap::new() }
    }

    /// A message begins to arrive at `slot`, whose sender is notified.
    pub(in crate::host) fn begin(&mut self, slot: u32, plan: CnpPlan) {
        self.messages.insert(slot, (plan, None));
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
        let (plan, last) = self.messages.get_mut(&slot)?;
        if last.is_some_and(|last| now < last + plan.interval) {
            return None;
        }
        *last = Some(now);
        let at = now + plan.delay;
        self.waiting.insert((at, slot), Frame::cnp(to, entropy, self.size));
        Some(at)
    }

    /// The CNP of `slot` that is in line from now on.
    pub(in crate::host) fn due(&mut self, now: Time, slot: u32) -> Option<Frame> {
        self.waiting.remove(&(now, slot))
    }

    /// All of the message has arrived.
    pub(in crate::host) fn end(&mut self, slot: u32) {
        self.messages.remove(&slot);
    }
}
