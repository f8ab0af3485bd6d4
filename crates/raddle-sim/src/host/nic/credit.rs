//! What a receiving host hands out to the senders of its messages: pulls at a pace, and grants.

use super::grants::Grants;
use super::pulls::Pulls;
use crate::plan::Plan;
use crate::wire::frame::{Frame, Locator, Locators};
use raddle_schemes::congestion::{GrantPlan, PullPlan};
use raddle_schemes::ids::HostId;
use raddle_schemes::transport::PacketSet;
use raddle_schemes::units::{Bytes, Time};
use std::collections::VecDeque;

/// One host's credit, by receiver slot: messages of one job may be paced, those of another granted.
#[derive(Default)]
pub(in crate::host) struct Credit {
    pulls: Option<Pulls>,
    grants: Option<Grants>,
}

impl Credit {
    /// A message of `total` packets begins to arrive at `slot` of `host`, which paces; its pulls go to
    /// `to`.
    pub(in crate::host) fn begin_paced(
        &mut self,
        whole: &Plan,
        host: HostId,
        slot: u32,
        to: Locator,
        plan: &PullPlan,
        total: u32,
    ) {
        let pulls = self.pulls.get_or_insert_with(|| Pulls::of(whole, host));
        pulls.begin(slot, to, plan, total);
    }

    /// The same where it is granted, by frames of `size`; it comes from a host, to whose flow grants go.
    pub(in crate::host) fn begin_granted(
        &mut self,
        now: Time,
        slot: u32,
        from: (HostId, Locator),
        total: u32,
        plan: GrantPlan,
        frames: (Bytes, Locators),
    ) {
        let grants = self.grants.get_or_insert_with(|| Grants::new(frames.0, frames.1));
        grants.begin(now, slot, from, total, plan);
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
        if let Some(pulls) = &mut self.pulls {
            if arrived.complete() {
                pulls.end(slot);
            } else {
                pulls.on_data(slot, again);
            }
        }
        let grants = self.grants.as_mut();
        grants.map_or(0, |grants| grants.on_data(now, slot, arrived, control))
    }

    /// The last packet of the message, or request, came by another way: credit goes back on that.
    pub(in crate::host) fn heard(&mut self, slot: u32, way: impl Fn(Locator) -> Locator) {
        let pulls = self.pulls.as_mut().and_then(|pulls| pulls.destination(slot));
        let grants = self.grants.as_mut().and_then(|grants| grants.destination(slot));
        pulls.into_iter().chain(grants).for_each(|to| *to = way(*to));
    }

    /// The sender of the message asks for credit, and says how many of its packets vanished.
    pub(in crate::host) fn on_request(&mut self, slot: u32, vanished: u32) {
        if let Some(pulls) = &mut self.pulls {
            pulls.on_request(slot, vanished);
        }
    }

    /// When it wants to be woken, if no timer is set for that or for an earlier time; one is, from now
    /// on. To be asked until it wants no more.
    pub(in crate::host) fn new_timer(&mut self, now: Time) -> Option<Time> {
        let pulls = self.pulls.as_mut().and_then(|pulls| pulls.new_timer(now));
        pulls.or_else(|| self.grants.as_mut().and_then(Grants::new_timer))
    }

    /// The timer for `at` has come. Returns how many frames it put in line.
    pub(in crate::host) fn on_timer(
        &mut self,
        now: Time,
        at: Time,
        control: &mut VecDeque<Frame>,
    ) -> u64 {
        let before = control.len();
        if let Some(pulls) = &mut self.pulls {
            control.extend(pulls.on_timer(now, at));
        }
        if let Some(grants) = &mut self.grants {
            grants.on_timer(now, at, control);
        }
        (control.len() - before) as u64
    }
}
