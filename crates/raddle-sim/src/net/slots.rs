//! The two ends of a flow at their hosts, and what each notes of it. Either knows its own half
//! only: the other may lie in another part of the run.

use super::frame::Locator;
use crate::record::FlowRecord;
use raddle_schemes::ids::FlowId;
use raddle_schemes::transport::{Receiver, Sender};
use raddle_schemes::units::Time;

/// The sending end of a flow: its place at the source.
pub(super) struct SenderSlot {
    pub(super) live: Option<Box<LiveSender>>,
    /// When it started; never, if it has not.
    pub(super) started: Time,
    /// When it had the last needed ACK.
    pub(super) acked: Time,
    /// Counts of the completed flow; those of a live one are its sender's.
    pub(super) sent: u64,
    pub(super) retransmitted: u64,
    pub(super) timeouts: u64,
}

/// A flow that sends.
pub(super) struct LiveSender {
    pub(super) flow: FlowId,
    /// Where data goes.
    pub(super) to: Locator,
    pub(super) in_ready: bool,
    /// When the earliest valid wake-up timer is set for.
    pub(super) wake_at: Time,
    /// When a pace timer is set for.
    pub(super) pace_at: Time,
    pub(super) sender: Sender,
}

impl SenderSlot {
    /// A flow that has not started.
    pub(super) const WAITING: Self = Self {
        live: None,
        started: Time::NEVER,
        acked: Time::NEVER,
        sent: 0,
        retransmitted: 0,
        timeouts: 0,
    };

    /// Takes over the counts of the live end and frees it.
    pub(super) fn end(&mut self) {
        if let Some(live) = self.live.take() {
            let counts = live.sender.counts();
            self.sent = counts.sent;
            self.retransmitted = counts.retransmitted;
            self.timeouts = counts.timeouts;
        }
    }

    /// Writes this half of a flow's record.
    pub(super) fn note(&self, record: &mut FlowRecord) {
        record.started = reached(self.started);
        record.acked = reached(self.acked);
        record.sent = self.sent;
        record.retransmitted = self.retransmitted;
        record.timeouts = self.timeouts;
    }
}

/// The receiving end of a flow: its place at the destination.
pub(super) struct ReceiverSlot {
    pub(super) live: Option<Box<LiveReceiver>>,
    /// When the last packet arrived; never, if some have not.
    pub(super) delivered: Time,
    pub(super) received: u32,
    pub(super) duplicates: u64,
    pub(super) marked: u64,
    pub(super) trimmed: u64,
}

/// A flow that receives.
pub(super) struct LiveReceiver {
    pub(super) flow: FlowId,
    /// Where ACKs go.
    pub(super) to: Locator,
    /// The slot of the sending end, if it lies in the same part.
    pub(super) sender: Option<u32>,
    pub(super) receiver: Receiver,
}

impl ReceiverSlot {
    /// A flow of which no packet has arrived.
    pub(super) const WAITING: Self = Self {
        live: None,
        delivered: Time::NEVER,
        received: 0,
        duplicates: 0,
        marked: 0,
        trimmed: 0,
    };

    /// Writes this half of a flow's record.
    pub(super) fn note(&self, record: &mut FlowRecord) {
        record.delivered = reached(self.delivered);
        record.received = u64::from(self.received);
        record.duplicates = self.duplicates;
        record.marked = self.marked;
        record.trimmed = self.trimmed;
    }
}

fn reached(at: Time) -> Option<Time> {
    (at != Time::NEVER).then_some(at)
}
