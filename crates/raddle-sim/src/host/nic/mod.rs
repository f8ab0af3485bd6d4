//! A host's NIC: one wire, a queue of control frames, and flows that are ready to send; of all three
//! as many as the host has ports.
//!
//! The NIC pulls: each time a wire is free it takes one control frame, or one data packet from
//! the next ready flow in turn. Data never waits in the NIC, so ACKs never wait behind it, unless a
//! plan gives hosts a queue (`fifo.rs`).

pub(super) mod cnps;
pub(super) mod credit;
mod credited;
mod fifo;
pub(super) mod grants;
mod pauses;
pub(super) mod planes;
mod port;
pub(super) mod pulls;
pub(crate) mod reach;
pub(super) mod retried;
pub(super) mod timers;
pub(super) mod turns;

use crate::plan::{NicOrder, Plan};
use crate::record::DropCause;
use crate::wire::frame::{Frame, Locator};
use cnps::Cnps;
use credit::Credit;
use planes::Planes;
use port::NicPort;
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::transport::{PacketSet, Sender};
use raddle_schemes::units::Time;
use reach::Reach;
use std::collections::VecDeque;
use std::sync::Arc;
use timers::{Timer, TimerKind, Timers};

/// What a NIC put on its wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The frame.
    pub frame: Frame,
    /// When its last bit leaves; it reaches the far end after the port's latency.
    pub departs: Time,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of a frame that a NIC put on its wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the far end.
    Arrives,
    /// It never will.
    Lost(DropCause),
    /// Of a link with retry: the far end does not take it in, a copy will go.
    InVain,
    /// It is a copy, which the far end takes in.
    Copy,
    /// Its copy was given up.
    GivenUp,
    /// It is a message of flow control, which reaches the far end.
    Message,
}

impl Departure {
    /// Whether it reaches the far end.
    #[inline]
    pub(crate) fn is_on_link(&self) -> bool {
        matches!(self.fate, Fate::Arrives | Fate::Copy | Fate::Message)
    }

    /// Whether it is lost for good.
    #[inline]
    pub(crate) fn is_dropped(&self) -> bool {
        matches!(self.fate, Fate::Lost(_) | Fate::GivenUp)
    }
}

/// One host's NIC.
pub(crate) struct Nic {
    /// When the next thing happens at this host by itself.
    next: Time,
    /// When a port next wants its wire.
    wants_at: Time,
    /// When the first timer fires.
    timer_at: Time,
    /// The port at hand: of several the one whose wire takes a frame, or did last.
    pub(super) port: NicPort,
    /// The others, where there are several.
    planes: Option<Box<Planes>>,
    /// Whether the host has several ports, a queue in front of its wire, or a link with retry or credits.
    apart: bool,
    /// Credit for the senders of what it receives, where receivers pace or grant.
    pub(super) credit: Option<Box<Credit>>,
    /// Notifications of marked packets, where receivers send them.
    pub(super) cnps: Option<Box<Cnps>>,
    order: NicOrder,
    /// Whether flow control may keep ACKs.
    holds_acks: bool,
    /// The host's place in its part.
    pub(super) place: u32,
    /// The slots of the flows that begin here, and of those that end here, start at these.
    pub(super) first_sender: u32,
    pub(super) first_receiver: u32,
    /// The next start listed for this host.
    pub(crate) starts: u32,
    timers: Timers,
}

impl Nic {
    /// The NIC of `host`, idle; `flows` begin there. See the fields for the other arguments.
    pub(crate) fn new(
        plan: &Plan,
        host: HostId,
        (place, first_sender, first_receiver): (u32, u32, u32),
        flows: &[FlowId],
        reach: Option<&Arc<Reach>>,
    ) -> Self {
        let port = NicPort::new(plan, plan.fabric.host_port(host, 0), flows);
        let asks = port.has_retry() || port.has_credits();
        let apart = reach.is_some() || port.fifo.is_some() || asks;
        let holds_acks = port.holds_acks();
        Self {
            next: Time::NEVER,
            wants_at: Time::NEVER,
            timer_at: Time::NEVER,
            port,
            planes: reach.map(|reach| Box::new(Planes::of(plan, host, flows, reach))),
            apart,
            credit: None,
            cnps: None,
            order: plan.transport.nic,
            holds_acks,
            place,
            first_sender,
            first_receiver,
            starts: 0,
            timers: Timers::default(),
        }
    }

    /// When the next thing happens at this host by itself.
    #[inline]
    pub(crate) fn next_local(&self) -> Time {
        self.next
    }

    /// Whether the NIC, not a timer, is what happens next. At one instant the NIC goes first.
    #[inline]
    pub(crate) fn wire_is_next(&self) -> bool {
        self.wants_at <= self.timer_at
    }

    /// Sets a timer, for the sender in `slot` if it is one's.
    pub(crate) fn set_timer(&mut self, at: Time, kind: TimerKind, slot: u32) {
        self.timers.set(Timer { at, kind, slot });
        self.timer_at = self.timer_at.min(at);
        self.next = self.next.min(at);
    }

    /// Sets the timer for the next of the flows that start at given times: the sender in `slot`, at
    /// `at`.
    pub(crate) fn set_start(&mut self, at: Time, slot: u32) {
        self.timers.set_start(Timer { at, kind: TimerKind::Start, slot });
        self.timer_at = self.timer_at.min(at);
        self.next = self.next.min(at);
    }

    /// A packet of a message whose sender gets credit has come to receiver slot `slot`: one that has
    /// to be sent `again`, or the last of those that have `arrived`. Returns how many frames it brought.
    #[cold]
    pub(super) fn note_data(
        &mut self,
        now: Time,
        slot: u32,
        again: bool,
        arrived: &PacketSet,
    ) -> u64 {
        let Some(credit) = &mut self.credit else { return 0 };
        let Some(planes) = &self.planes else {
            let made = credit.on_data(now, slot, again, arrived, &mut self.port.control);
            self.set_pull_timer(now);
            return made;
        };
        credit.heard(slot, |to| planes.here(to));
        let mut frames = VecDeque::new();
        let made = credit.on_data(now, slot, again, arrived, &mut frames);
        frames.into_iter().for_each(|frame| self.send_control(now, frame));
        self.set_pull_timer(now);
        made
    }

    /// The sender of the message at receiver slot `slot` asks for credit, and says how many of its packets
    /// vanished.
    pub(super) fn note_request(&mut self, slot: u32, vanished: u32) {
        let Some(credit) = &mut self.credit else { return };
        if let Some(planes) = &self.planes {
            credit.heard(slot, |to| planes.here(to));
        }
        credit.on_request(slot, vanished);
    }

    /// The timer for `at` has come, at which credit may be due. Returns how many frames it brought.
    pub(super) fn hand_out_credit(&mut self, now: Time, at: Time) -> u64 {
        let Some(credit) = &mut self.credit else { return 0 };
        if self.planes.is_none() {
            return credit.on_timer(now, at, &mut self.port.control);
        }
        let mut frames = VecDeque::new();
        let made = credit.on_timer(now, at, &mut frames);
        frames.into_iter().for_each(|frame| self.send_control(now, frame));
        made
    }

    /// A marked packet of the message at receiver slot `slot` has come, whose sender is at `to`.
    #[cold]
    pub(super) fn note_mark(&mut self, now: Time, slot: u32, to: Locator, entropy: Entropy) {
        let Some(cnps) = &mut self.cnps else { return };
        let Some(at) = cnps.on_mark(now, slot, to, entropy) else { return };
        if at == now {
            let frame = cnps.due(now, slot);
            frame.into_iter().for_each(|frame| self.send_control(now, frame));
        } else {
            self.set_timer(at, TimerKind::Cnp, slot);
        }
    }

    /// Wakes who hands out credit when it may, if it has reason to.
    pub(super) fn set_pull_timer(&mut self, now: Time) {
        while let Some(at) = self.credit.as_mut().and_then(|credit| credit.new_timer(now)) {
            self.set_timer(at, TimerKind::Pull, 0);
        }
    }

    /// The sender slot that its pace lets go after `others`, if that is known without searching.
    #[inline]
    pub(super) fn paced(&self, others: usize) -> Option<u32> {
        self.timers.paced(others)
    }

    /// Takes the first timer if it is due.
    pub(crate) fn pop_timer(&mut self, now: Time) -> Option<Timer> {
        if self.timer_at > now {
            return None;
        }
        let timer = self.timers.pop();
        self.timer_at = self.timers.first_at();
        timer
    }

    /// To be called after everything that happened at the host. Returns when the next thing does.
    #[inline(always)]
    pub(crate) fn settle(&mut self, now: Time) -> Time {
        self.wants_at = self.port.wants_new_at(now);
        if self.apart {
            self.wants_at = self.wants_apart(now);
        }
        self.next = self.wants_at.min(self.timer_at);
        self.next
    }

    /// Takes the control frame that goes next; not one that flow control keeps.
    #[inline]
    pub(super) fn next_control(&mut self, now: Time) -> Option<Frame> {
        if self.holds_acks {
            return self.port.next_of_held(now);
        }
        self.port.control.pop_front()
    }

    /// Whether the wire can take a frame; if its link is down, waits for it to come up. Flows that
    /// flow control lets go on take their turns again.
    #[inline(always)]
    pub(crate) fn can_send(&mut self, now: Time) -> bool {
        if let Some(faults) = &mut self.port.faults {
            faults.advance(now);
            if self.planes.is_some() {
                if !self.is_in(now) || self.waits_for_retry(now) {
                    return false;
                }
            } else if !faults.link.is_up() {
                self.port.free_at = faults.link.next_up();
                return false;
            }
        }
        self.port.release(now, self.first_sender);
        true
    }

    /// A flow, whose packets go `to` a receiver, may send: it takes its turns from now on. One whose
    /// `sender` has ended stands in line once more.
    #[inline]
    pub(super) fn join(&mut self, now: Time, slot: u32, to: Locator, sender: Option<&mut Sender>) {
        if self.apart && self.join_apart(now, slot, to, sender) {
            return;
        }
        self.port.join(slot, self.first_sender);
    }

    /// A control frame waits for the wire from now on: that of the plane which its locator names, or of
    /// another where the host cannot send in that one.
    #[inline]
    pub(super) fn send_control(&mut self, now: Time, frame: Frame) {
        if self.apart && self.send_apart(now, frame) {
            return;
        }
        self.port.control.push_back(frame);
    }

    /// [`settle`](Self::settle), of several ports, or of one with a queue, retry or credits.
    #[cold]
    fn wants_apart(&mut self, now: Time) -> Time {
        if self.planes.is_some() {
            return self.first_wants_at(now);
        }
        self.port.wants_at_with_line(now)
    }

    /// [`join`](Self::join), at one of several ports or at a queue, if it takes the flow.
    #[cold]
    fn join_apart(
        &mut self,
        now: Time,
        slot: u32,
        to: Locator,
        sender: Option<&mut Sender>,
    ) -> bool {
        if self.planes.is_some() {
            self.join_a_plane(now, slot, sender);
            return true;
        }
        let takes = |fifo: &&mut Box<fifo::Fifo>| !fifo.fills && fifo.takes(to);
        let Some(fifo) = self.port.fifo.as_mut().filter(takes) else { return false };
        fifo.others.push_back(slot);
        true
    }

    /// [`send_control`](Self::send_control), likewise.
    #[cold]
    fn send_apart(&mut self, now: Time, frame: Frame) -> bool {
        if self.planes.is_some() {
            self.send_in_a_plane(now, frame);
            return true;
        }
        let takes = |fifo: &&mut Box<fifo::Fifo>| fifo.takes_control(frame);
        let Some(fifo) = self.port.fifo.as_mut().filter(takes) else { return false };
        fifo.push(frame);
        true
    }

    /// Whether the host has several ports, a queue in front of its wire, or a link with retry or credits.
    #[inline]
    pub(super) fn is_apart(&self) -> bool {
        self.apart
    }

    /// Whether packets wait between flows and the wire.
    pub(super) fn has_fifo(&self) -> bool {
        self.port.fifo.is_some()
    }

    /// Begins or ends that flows put their packets in line: in `ready` are those that do.
    pub(super) fn turn_to_fifo(&mut self, fills: bool) {
        let Some(fifo) = &mut self.port.fifo else { return };
        fifo.fills = fills;
        std::mem::swap(&mut fifo.others, &mut self.port.ready);
    }

    /// Whether a flow may put another packet in line.
    pub(super) fn has_room(&self) -> bool {
        self.port.fifo.as_ref().is_some_and(|fifo| fifo.has_room()) && !self.port.ready.is_empty()
    }

    /// A flow puts a packet in line.
    pub(super) fn put_in_line(&mut self, frame: Frame) {
        if let Some(fifo) = &mut self.port.fifo {
            fifo.push(frame);
        }
    }

    /// Takes what waits first, if it is its turn, or if it has to be.
    pub(super) fn next_in_line(&mut self, anyway: bool) -> Option<Frame> {
        self.port.fifo.as_mut().filter(|fifo| anyway || fifo.is_next())?.pop()
    }

    /// A flow was pulled, and not what waits.
    pub(super) fn pass_line(&mut self) {
        if let Some(fifo) = &mut self.port.fifo {
            fifo.pass();
        }
    }

    /// Whether the wire is free.
    pub(super) fn wire_is_free(&self, now: Time) -> bool {
        self.port.free_at <= now
    }

    /// Brings the flow whose turn it is to the front.
    #[inline]
    pub(super) fn begin_turn(&mut self, now: Time) {
        self.port.begin_turn(now, self.first_sender);
    }

    /// Moves the flow that is first in turn to the end of the line if it `goes_on`, else out of it.
    #[inline(always)]
    pub(super) fn end_turn(
        &mut self,
        now: Time,
        slot: u32,
        (to, sender): (Locator, &mut Sender),
        goes_on: bool,
    ) {
        if goes_on && self.port.ready.len() == 1 && self.planes.is_none() {
            return;
        }
        self.port.ready.pop_front();
        if goes_on {
            self.join(now, slot, to, Some(sender));
        }
    }

    /// A PFC frame has come.
    #[cold]
    pub(crate) fn on_pfc(&mut self, now: Time, frame: Frame) {
        self.select_here();
        if self.port.has_credits() {
            self.port.on_message(now, frame);
        } else if let Some(pauses) = &mut self.port.pauses {
            pauses.on_pfc(now, frame);
        }
    }

    /// Whether flow control keeps the flow of `slot`, which is first in turn, for later.
    #[inline]
    pub(crate) fn holds(&mut self, now: Time, class: u8, slot: u32) -> bool {
        let Some(pauses) = &mut self.port.pauses else { return false };
        let holds = pauses.hold(now, class, slot);
        if holds {
            self.port.ready.pop_front();
        }
        holds
    }

    /// Whether a control frame goes before a data packet now.
    #[inline]
    pub(crate) fn control_goes_first(&self) -> bool {
        match self.order {
            NicOrder::ControlFirst => true,
            NicOrder::RoundRobin => !self.port.data_turn,
        }
    }

    /// Puts `frame` on the wire.
    #[inline(always)]
    pub(crate) fn transmit(&mut self, now: Time, frame: Frame) -> Departure {
        self.port.data_turn = frame.is_control();
        if self.port.faults.is_some() {
            let noticed = self.planes.as_ref().map(|planes| planes.next_out(now));
            return self.port.transmit_with_faults(now, frame, noticed);
        }
        self.port.transmit(now, frame)
    }
}
