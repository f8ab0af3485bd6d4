//! What a receiving host hands out to the senders of its messages: pulls at a pace, or grants.

use super::grants::Grants;
use super::pulls::Pulls;
use crate::plan::Plan;
use crate::wire::frame::{Frame, Locator, Locators};
use raddle_schemes::congestion::{GrantPlan, PullPlan};
use raddle_schemes::ids::HostId;
use raddle_schemes::transport::PacketSet;
use raddle_schemes::units::{Bytes, Time};
use std::collections::VecDeque;

/// One host's credit, by receiver slot.
pub(in crate::host) enum Credit {
    Pulls(Pulls),
    Grants(Grants),
}

impl Credit {
    /// Of `host`, which paces.
    pub(in crate::host) fn paced(whole: &Plan, host: HostId, plan: &PullPlan) -> Self {
        Self::Pulls(Pulls::of(whole, host, plan))
    }

    /// Of a host whose grants have `size`.
    pub(in crate::host) fn granted(size: Bytes, locators: Locators) -> Self {
        Self::Grants(Grants::new(size, locators))
    }

    /// A message of `total` packets begins to arrive at `slot`; its pulls go to `to`.
    pub(in crate::host) fn begin(&mut self, slot: u32, to: Locator, plan: &PullPlan, total: u32) {
        if let Self::Pulls(pulls) = self {
            pulls.begin(slot, to, plan, total);
        }
    }

    /// The same where it is granted; it comes from a host, to whose flow grants go.
    pub(in crate::host) fn begin_granted(
        &mut self,
        now: Time,
        slot: u32,
        from: (HostId, Locator),
        total: u32,
        plan: GrantPlan,
    ) {
        if let Self::Grants(grants) = self {
            grants.begin(now, slot, from, total, plan);
        }
    }

    /// A packet of the message has come, of which these packets have `arrived`; `again` if it has to be
    /// sent once more. Returns how many frames it put in line.
    pub(in crate::host) fn on_data(
        &mut self,
        now: Time,
        slot: u32,
        again: bool,
        arrived: &PacketSet,
        control: &mut VecDeque<Frame>,
    ) -> u64 {
        match self {
            Self::Pulls(pulls) if arrived.complete() => pulls.end(slot),
            Self::Pulls(pulls) => pulls.on_data(slot, again),
            Self::Grants(grants) => return grants.on_data(now, slot, arrived, control),
        }
        0
    }

    /// The sender of the message asks for credit, and says how many of its packets vanished.
    pub(in crate::host) fn on_request(&mut self, slot: u32, vanished: u32) {
        if let Self::Pulls(pulls) = self {
            pulls.on_request(slot, vanished);
        }
    }

    /// When it wants to be woken, if no timer is set for that or for an earlier time; one is, from now
    /// on.
    pub(in crate::host) fn new_timer(&mut self, now: Time) -> Option<Time> {
        match self {
            Self::Pulls(pulls) => pulls.new_timer(now),
            Self::Grants(grants) => grants.new_timer(),
        }
    }

    /// The timer for `at` has come. Returns how many frames it put in line.
    pub(in crate::host) fn on_timer(
        &mut self,
        now: Time,
        at: Time,
        control: &mut VecDeque<Frame>,
    ) -> u64 {
        let before = control.len();
        match self {
            Self::Pulls(pulls) => control.extend(pulls.on_timer(now)),
            Self::Grants(grants) => grants.on_timer(now, at, control),
        }
        (control.len() - before) as u64
    }
}
