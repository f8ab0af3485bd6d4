//! The two ends of a flow at their hosts, and what each notes of it. Either knows its own half
//! only: the other may lie in another part of the run.

use super::source_routes::Turns;
use crate::host::nic::Nic;
use crate::host::nic::timers::TimerKind;
use crate::host::slab::{Key, Slab};
use crate::record::{FlowRecord, reached};
use crate::wire::frame::{Frame, Locator, Locators, flag};
use raddle_schemes::ids::{FlowId, Psn};
use raddle_schemes::transport::sender::SenderCounts;
use raddle_schemes::transport::{Receiver, Sender, Transmit};
use raddle_schemes::units::Time;

/// An end of a flow, by its slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Sender(u32),
    Receiver(u32),
}

/// The sending end of a flow: its place at the source.
pub(in crate::host) struct SenderSlot {
    /// When it started; never, if it has not.
    pub(in crate::host) started: Time,
    /// When it had the last needed ACK.
    pub(in crate::host) acked: Time,
    pub(in crate::host) live: Key<LiveSender>,
    /// Of a flow that has ended: what it sent, unless each packet went out just once.
    counts: Key<SenderCounts>,
}

// One of each for every flow of the run.
const _: () = assert!(size_of::<SenderSlot>() <= 24 && size_of::<ReceiverSlot>() <= 24);
// One of each for every flow under way.
const _: () = assert!(size_of::<Option<LiveSender>>() <= 240);
const _: () = assert!(size_of::<Option<LiveReceiver>>() <= 64);

/// A flow that sends.
pub(in crate::host) struct LiveSender {
    pub(in crate::host) flow: FlowId,
    /// Where data goes.
    pub(in crate::host) to: Locator,
    /// What its packets take turns in, if they are source-routed.
    pub(in crate::host) turns: Turns,
    /// What all of its packets say ([`flag`]).
    pub(in crate::host) flags: u8,
    pub(in crate::host) in_ready: bool,
    /// Whether each of its packets has a data class of its own.
    pub(in crate::host) chooses_class: bool,
    /// When the earliest valid wake-up timer is set for.
    pub(in crate::host) wake_at: Time,
    /// Whether it may be too late for the next packet: there was none in flight when it was set.
    pub(in crate::host) unwatched: bool,
    pub(in crate::host) sender: Sender,
}

impl LiveSender {
    /// Lets the flow take its turn at the NIC if it may send, or wakes it when its pace allows.
    #[inline]
    pub(in crate::host) fn make_ready(&mut self, now: Time, slot: u32, nic: &mut Nic) {
        if self.in_ready {
            return;
        }
        if self.sender.can_transmit(now) {
            self.in_ready = true;
            nic.join(now, slot, self.to, Some(&mut self.sender));
        } else {
            self.set_pace(now, slot, nic);
        }
    }

    /// Moves the flow, which was first in turn, to where it belongs after `sent`. On the way of
    /// every packet, with one caller.
    #[inline(always)]
    pub(in crate::host) fn take_turn(
        &mut self,
        now: Time,
        slot: u32,
        nic: &mut Nic,
        sent: Option<&Transmit>,
    ) {
        let goes_on = sent.is_some_and(|packet| !packet.ack_request) && self.sender.on_pace(now);
        nic.end_turn(now, slot, (self.to, &mut self.sender), goes_on);
        if !goes_on {
            self.in_ready = false;
            self.set_pace(now, slot, nic);
        }
    }

    /// Where its next packet goes, in that packet's class.
    #[inline(never)]
    pub(in crate::host) fn next_packet_to(&mut self, locators: Locators) -> Locator {
        let class = self.sender.next_class();
        class.map_or(self.to, |class| locators.with_class(self.to, class))
    }

    /// Wakes the flow when its pace allows, if that is what it waits for.
    #[inline]
    fn set_pace(&mut self, now: Time, slot: u32, nic: &mut Nic) {
        if let Some(at) = self.sender.await_pace(now) {
            nic.set_timer(at, TimerKind::Pace, slot);
        }
    }

    /// Sets the flow's wake-up unless an earlier one is set: that one looks again when it fires. What a
    /// round trip that has become shorter would have had it do before now it does now.
    pub(in crate::host) fn set_wake(&mut self, now: Time, slot: u32, nic: &mut Nic) {
        self.unwatched = !self.sender.has_in_flight();
        if let Some(at) = self.sender.poll_timeout().map(|at| at.max(now))
            && at < self.wake_at
        {
            self.wake_at = at;
            nic.set_timer(at, TimerKind::Wake, slot);
        }
    }
}

impl SenderSlot {
    /// A flow that has not started.
    pub(in crate::host) const WAITING: Self =
        Self { started: Time::NEVER, acked: Time::NEVER, live: Key::NONE, counts: Key::NONE };

    /// Takes over the counts of the live end and gives it away.
    pub(in crate::host) fn end(
        &mut self,
        live: &mut Slab<LiveSender>,
        counts: &mut Slab<SenderCounts>,
    ) -> Option<LiveSender> {
        let live = live.take(&mut self.live)?;
        let own = live.sender.counts();
        let each_once = own.sent == u64::from(live.sender.total());
        if self.acked == Time::NEVER || !each_once || own.timeouts > 0 {
            self.counts = counts.insert(own);
        }
        Some(live)
    }

    /// Writes this half of the record of a flow of `total` packets.
    pub(in crate::host) fn note(
        &self,
        total: u32,
        counts: &Slab<SenderCounts>,
        record: &mut FlowRecord,
    ) {
        record.started = reached(self.started);
        record.acked = reached(self.acked);
        if let Some(counts) = counts.get(self.counts) {
            record.sent = counts.sent;
            record.retransmitted = counts.retransmitted;
            record.timeouts = counts.timeouts;
            record.gave_up = counts.gave_up && record.acked.is_none();
        } else if record.acked.is_some() {
            record.sent = u64::from(total);
        }
    }
}

/// The receiving end of a flow: its place at the destination.
pub(in crate::host) struct ReceiverSlot {
    /// When the last needed packet arrived; never, if some have not.
    pub(in crate::host) delivered: Time,
    /// Packets that arrived whole and marked.
    pub(in crate::host) marked: u64,
    pub(in crate::host) live: Key<LiveReceiver>,
    repeated: Key<Repeated>,
}

/// Packets that brought nothing: whole ones that had arrived, whole ones that were refused, headers.
#[derive(Default)]
pub(in crate::host) struct Repeated {
    duplicates: u64,
    refused: u64,
    trimmed: u64,
}

/// A flow that receives.
pub(in crate::host) struct LiveReceiver {
    /// Where ACKs go.
    pub(in crate::host) to: Locator,
    /// The sending end, if it lies in the same part: it is there until all packets have arrived.
    pub(in crate::host) sender: Key<LiveSender>,
    pub(in crate::host) receiver: Receiver,
}

impl ReceiverSlot {
    /// A flow of which no packet has arrived.
    pub(in crate::host) const WAITING: Self =
        Self { delivered: Time::NEVER, marked: 0, live: Key::NONE, repeated: Key::NONE };

    /// Counts a packet, or its header, that brought a receiver nothing.
    #[cold]
    pub(in crate::host) fn count_repeated(
        &mut self,
        frame: Frame,
        receiver: &Receiver,
        all: &mut Slab<Repeated>,
    ) {
        self.count_again(frame, !receiver.arrived().has(Psn(frame.number())), all);
    }

    /// The same; `refused` if it is new.
    #[cold]
    pub(in crate::host) fn count_again(
        &mut self,
        frame: Frame,
        refused: bool,
        all: &mut Slab<Repeated>,
    ) {
        let counts = all.get_or_insert_default(&mut self.repeated);
        if frame.is_trimmed() {
            counts.trimmed += 1;
        } else {
            *(if refused { &mut counts.refused } else { &mut counts.duplicates }) += 1;
            self.marked += u64::from(frame.has(flag::MARKED));
        }
    }

    /// How many packets have arrived; `None` for all.
    pub(in crate::host) fn received(&self, live: &Slab<LiveReceiver>) -> Option<u32> {
        let some = || live.get(self.live).map_or(0, |live| live.receiver.arrived().count());
        (self.delivered == Time::NEVER).then(some)
    }

    /// Writes this half of a flow's record.
    pub(in crate::host) fn note(
        &self,
        received: u32,
        all: &Slab<Repeated>,
        record: &mut FlowRecord,
    ) {
        record.delivered = reached(self.delivered);
        record.received = u64::from(received);
        record.marked = self.marked;
        if let Some(repeated) = all.get(self.repeated) {
            record.duplicates = repeated.duplicates;
            record.refused = repeated.refused;
            record.trimmed = repeated.trimmed;
        }
    }
}
