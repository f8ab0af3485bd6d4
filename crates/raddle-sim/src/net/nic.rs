//! A host's NIC: one wire, a queue of control frames, and flows that are ready to send.
//!
//! The NIC pulls: each time its wire is free it takes one control frame, or one data packet from
//! the next ready flow in turn. Data never waits in the NIC, so ACKs never wait behind it.

use super::frame::Frame;
use super::link::Link;
use crate::plan::NicOrder;
use crate::record::{DropCause, PortRecord};
use raddle_schemes::units::{Bytes, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What a host's timer is for. At one instant they fire in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TimerKind {
    /// A flow starts.
    Start,
    /// A flow's pace lets the next packet go.
    Pace,
    /// A retransmission timeout or a scheme's own timer.
    Wake,
}

/// A timer of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timer {
    pub(crate) at: Time,
    pub(crate) kind: TimerKind,
    /// The sender slot it is for.
    pub(crate) slot: u32,
}

/// What a NIC put on its wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The frame.
    pub frame: Frame,
    /// When its last bit leaves; it reaches the far end after the port's latency.
    pub departs: Time,
    /// Why it never will, if so.
    pub lost: Option<DropCause>,
}

/// One host's NIC.
pub(crate) struct Nic {
    pub(crate) control: VecDeque<Frame>,
    /// Sender slots that may have something to send, in turn.
    pub(crate) ready: VecDeque<u32>,
    pub(crate) timers: BinaryHeap<Reverse<Timer>>,
    pub(crate) record: PortRecord,
    /// The slots of the flows that begin here, and of those that end here, start at these.
    pub(crate) first_sender: u32,
    pub(crate) first_receiver: u32,
    link: Link,
    loss_stream: u64,
    gap: Bytes,
    order: NicOrder,
    /// Whether the next frame is data, where they take turns.
    data_turn: bool,
    free_at: Time,
    /// When the NIC next wants its wire.
    wants_at: Time,
}

impl Nic {
    pub(crate) fn new(link: Link, loss_stream: u64, gap: Bytes, order: NicOrder) -> Self {
        Self {
            control: VecDeque::new(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
            record: PortRecord::default(),
            first_sender: 0,
            first_receiver: 0,
            link,
            loss_stream,
            gap,
            order,
            data_turn: false,
            free_at: Time::ZERO,
            wants_at: Time::NEVER,
        }
    }

    /// When the next thing happens at this host by itself.
    #[inline]
    pub(crate) fn next_local(&self) -> Time {
        let timer = self.timers.peek().map_or(Time::NEVER, |timer| timer.0.at);
        timer.min(self.wants_at)
    }

    /// Whether the NIC, not a timer, is what happens next. At one instant the NIC goes first.
    #[inline]
    pub(crate) fn wire_is_next(&self) -> bool {
        let timer = self.timers.peek().map_or(Time::NEVER, |timer| timer.0.at);
        self.wants_at <= timer
    }

    /// Takes the first timer if it is due.
    pub(crate) fn pop_timer(&mut self, now: Time) -> Option<Timer> {
        if self.timers.peek()?.0.at > now {
            return None;
        }
        self.timers.pop().map(|Reverse(timer)| timer)
    }

    /// To be called after everything that happened at the host: when is the wire wanted next?
    #[inline]
    pub(crate) fn settle(&mut self, now: Time) {
        self.wants_at = if self.control.is_empty() && self.ready.is_empty() {
            Time::NEVER
        } else {
            self.free_at.max(now)
        };
    }

    /// Whether the wire can take a frame; if its link is down, waits for it to come up.
    pub(crate) fn link_up(&mut self, now: Time) -> bool {
        self.link.advance(now);
        if !self.link.is_up() {
            self.free_at = self.link.next_up();
        }
        self.link.is_up()
    }

    /// Whether a control frame goes before a data packet now.
    pub(crate) fn control_goes_first(&self) -> bool {
        match self.order {
            NicOrder::ControlFirst => true,
            NicOrder::RoundRobin => !self.data_turn,
        }
    }

    /// Puts `frame` on the wire.
    #[inline]
    pub(crate) fn transmit(&mut self, now: Time, frame: Frame) -> Departure {
        self.data_turn = frame.is_control();
        let size = frame.size();
        let departs = now + self.link.rate().serialisation(size);
        let down = self.link.next_down();
        if down < departs {
            self.free_at = down;
            self.lose(frame, DropCause::LinkDown);
            return Departure { frame, departs, lost: Some(DropCause::LinkDown) };
        }
        self.free_at = departs + self.link.rate().serialisation(self.gap);
        self.record.frames += 1;
        self.record.bytes += size.0;
        self.record.data_frames += u64::from(frame.is_data());
        if self.link.loses(self.loss_stream, now, size) {
            self.lose(frame, DropCause::Loss);
            return Departure { frame, departs, lost: Some(DropCause::Loss) };
        }
        Departure { frame, departs, lost: None }
    }

    fn lose(&mut self, frame: Frame, cause: DropCause) {
        self.record.dropped[cause as usize] += 1;
        self.record.dropped_data[cause as usize] += u64::from(frame.is_data());
    }
}
