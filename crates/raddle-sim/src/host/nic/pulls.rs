//! The pulls of a receiving host as frames, and the timer that they wait for.

use crate::plan::Plan;
use crate::wire::frame::{Frame, Kind, Locator};
use raddle_schemes::congestion::PullPlan;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::transport::Puller;
use raddle_schemes::units::{Bytes, Rate, Time};

/// What a host owes the senders of the messages it receives, by receiver slot, with where the pulls of
/// each go.
pub(in crate::host) struct Pulls {
    puller: Puller<Locator>,
    /// When the timer for the next pull is set for.
    awaited: Option<Time>,
    size: Bytes,
}

impl Pulls {
    /// The pacer of `host`.
    pub(in crate::host) fn of(whole: &Plan, host: HostId) -> Self {
        let fabric = &whole.fabric;
        let into = |port: PortId| fabric.ports[fabric.ports[port.index()].peer.index()].rate.0;
        let rate = Rate(fabric.ports_of(host).map(into).sum());
        let puller = Puller::new(rate, whole.packet() + whole.queue.gap);
        Self { puller, awaited: None, size: whole.transport.ack }
    }

    /// A message of `total` packets begins to arrive at `slot`; its pulls go to `to`.
    pub(in crate::host) fn begin(&mut self, slot: u32, to: Locator, plan: &PullPlan, total: u32) {
        self.puller.begin(slot, to, plan, total);
    }

    /// Where the pulls of the message go.
    pub(super) fn destination(&mut self, slot: u32) -> Option<&mut Locator> {
        self.puller.kept(slot)
    }

    /// A packet of the message has come; `again` if it has to be sent once more.
    pub(in crate::host) fn on_data(&mut self, slot: u32, again: bool) {
        self.puller.on_data(slot, again);
    }

    /// The sender of the message asks for credit, and says how many of its packets vanished.
    pub(in crate::host) fn on_request(&mut self, slot: u32, vanished: u32) {
        self.puller.on_request(slot, vanished);
    }

    /// All of the message has arrived.
    pub(in crate::host) fn end(&mut self, slot: u32) {
        self.puller.end(slot);
    }

    /// When the pacer wants to be woken, if no timer is set for that or an earlier time; one is, from
    /// now on.
    pub(in crate::host) fn new_timer(&mut self, now: Time) -> Option<Time> {
        let at = self.puller.due(now)?;
        if self.awaited.is_some_and(|awaited| awaited <= at) {
            return None;
        }
        self.awaited = Some(at);
        self.awaited
    }

    /// The timer for `at` has come: the pull that leaves now, if it was asked for.
    pub(in crate::host) fn on_timer(&mut self, now: Time, at: Time) -> Option<Frame> {
        if self.awaited != Some(at) {
            return None;
        }
        self.awaited = None;
        let pull = self.puller.pull(now)?;
        Some(Frame::new(pull.to, pull.count, (Kind::Credit, 0), pull.path, self.size))
    }
}
