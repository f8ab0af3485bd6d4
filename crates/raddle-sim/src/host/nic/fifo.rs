//! A queue between a host's flows and its wire, first in, first out.
//!
//! Without it a NIC pulls: data waits in its flow. With it a flow puts a packet in line as soon as its
//! window and its pace allow and there is room, and what comes later waits behind, ACKs too where the
//! plan says so. Flows that flow control may pause stay out of it: they are asked when the wire is
//! free, in turn with what waits here.

use crate::plan::Plan;
use crate::wire::frame::{Frame, Locator, Locators};
use raddle_schemes::units::Bytes;
use std::collections::VecDeque;

/// The queue of one host.
pub(crate) struct Fifo {
    frames: VecDeque<Frame>,
    bytes: Bytes,
    /// Beyond this there is no room for a full packet.
    room_up_to: Bytes,
    has_acks: bool,
    /// A bit for each data class that does not come here.
    paused: u8,
    /// Flows that may send and for which there was no room, in turn; while they are asked, those that
    /// are pulled.
    pub(super) others: VecDeque<u32>,
    /// Whether flows put their packets in line, and `others` are those that are pulled.
    pub(super) fills: bool,
    /// Whether the last frame of the two came from here.
    was_last: bool,
    locators: Locators,
}

impl Fifo {
    /// Of each host in this plan, where hosts have one.
    pub(super) fn of(plan: &Plan) -> Option<Box<Self>> {
        let own = plan.transport.host_queue?;
        Some(Box::new(Self {
            frames: VecDeque::new(),
            bytes: Bytes(0),
            room_up_to: Bytes(own.size.0.saturating_sub(plan.packet().0)),
            has_acks: own.acks,
            paused: plan.paused_classes(),
            others: VecDeque::new(),
            fills: false,
            was_last: false,
            locators: Locators::of(&plan.fabric, plan.queue.classes),
        }))
    }

    /// Whether what goes to or comes from `to` waits here.
    pub(super) fn takes(&self, to: Locator) -> bool {
        self.paused >> self.locators.class(to) & 1 == 0
    }

    /// Whether a control frame waits here.
    pub(super) fn takes_control(&self, frame: Frame) -> bool {
        self.has_acks && frame.is_reply() && self.takes(frame.to)
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes <= self.room_up_to
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn push(&mut self, frame: Frame) {
        self.bytes.0 += frame.size().0;
        self.frames.push_back(frame);
    }

    /// Whether it is the turn of what waits here, and not of flows that are pulled.
    pub(super) fn is_next(&self) -> bool {
        !self.was_last
    }

    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop_front()?;
        self.bytes.0 -= frame.size().0;
        self.was_last = true;
        Some(frame)
    }

    /// A flow was pulled.
    pub(super) fn pass(&mut self) {
        self.was_last = false;
    }

    /// What waits.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Frame> {
        self.frames.iter().copied()
    }
}
