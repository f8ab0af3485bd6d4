//! Grants of a receiving host, and its requests to send again, as frames.

use crate::wire::frame::{Frame, Kind, Locator, Locators, flag};
use raddle_schemes::congestion::GrantPlan;
use raddle_schemes::ids::{Entropy, HostId};
use raddle_schemes::transport::{Granter, Notice, PacketSet};
use raddle_schemes::units::{Bytes, Time};
use std::collections::{BTreeMap, VecDeque};

/// What a host grants the senders of the messages it receives, by receiver slot.
pub(in crate::host) struct Grants {
    granter: Granter,
    /// Where the frames of each message go.
    to: BTreeMap<u32, Locator>,
    /// When the earliest valid timer is set for.
    timer_at: Time,
    frames: Frames,
}

/// Makes frames, each with another entropy.
struct Frames {
    locators: Locators,
    size: Bytes,
    sent: u16,
}

impl Frames {
    fn make(&mut self, to: &BTreeMap<u32, Locator>, notice: Notice) -> Option<Frame> {
        self.sent = self.sent.wrapping_add(1);
        let path = Entropy(self.sent);
        Some(match notice {
            Notice::Grant(slot, grant) => {
                let to = self.locators.with_class(*to.get(&slot)?, grant.class);
                Frame::new(to, grant.upto, (Kind::Credit, 0), path, self.size)
            }
            Notice::Resend(slot, psn) => {
                Frame::new(*to.get(&slot)?, psn.0, (Kind::Credit, flag::RESEND), path, self.size)
            }
        })
    }
}

impl Grants {
    /// Of a host whose grants have `size`.
    pub(super) fn new(size: Bytes, locators: Locators) -> Self {
        Self {
            granter: Granter::default(),
            to: BTreeMap::new(),
            timer_at: Time::NEVER,
            frames: Frames { locators, size, sent: 0 },
        }
    }

    /// A message of `total` packets begins to arrive at `slot` from a host, to whose flow grants go.
    pub(super) fn begin(
        &mut self,
        now: Time,
        slot: u32,
        from: (HostId, Locator),
        total: u32,
        plan: GrantPlan,
    ) {
        let (sender, to) = from;
        self.to.insert(slot, to);
        self.granter.begin(now, slot, sender, total, plan);
    }

    /// Where what is said of the message goes.
    pub(super) fn destination(&mut self, slot: u32) -> Option<&mut Locator> {
        self.to.get_mut(&slot)
    }

    /// A packet of the message has come, of which these packets have `arrived`. Returns how many grants
    /// it brought.
    pub(super) fn on_data(
        &mut self,
        now: Time,
        slot: u32,
        arrived: &PacketSet,
        control: &mut VecDeque<Frame>,
    ) -> u64 {
        if arrived.complete() {
            self.granter.end(slot);
            self.to.remove(&slot);
        } else {
            self.granter.on_data(now, slot, arrived.count(), arrived.low());
        }
        let before = control.len();
        let Self { granter, to, frames, .. } = self;
        granter.grant(now, |notice| control.extend(frames.make(to, notice)));
        (control.len() - before) as u64
    }

    /// When it wants to be woken, unless a timer is set that is earlier.
    pub(super) fn new_timer(&mut self) -> Option<Time> {
        let due = self.granter.due().filter(|due| *due < self.timer_at)?;
        self.timer_at = due;
        Some(due)
    }

    /// The timer for `at` has come, which an earlier one may have taken the place of.
    pub(super) fn on_timer(&mut self, now: Time, at: Time, control: &mut VecDeque<Frame>) {
        if at != self.timer_at {
            return;
        }
        self.timer_at = Time::NEVER;
        let Self { granter, to, frames, .. } = self;
        granter.on_timer(now, |notice| control.extend(frames.make(to, notice)));
    }
}
