//! A host's NIC: one wire, a queue of control frames, and flows that are ready to send.
//!
//! The NIC pulls: each time its wire is free it takes one control frame, or one data packet from
//! the next ready flow in turn. Data never waits in the NIC, so ACKs never wait behind it.

pub(super) mod cnps;
pub(super) mod credit;
pub(super) mod grants;
mod pauses;
pub(super) mod pulls;
pub(super) mod timers;
pub(super) mod turns;

use crate::faults::link::Link;
use crate::plan::{NicOrder, Plan};
use crate::record::{DropCause, PortRecord};
use crate::wire::frame::{Frame, Locator};
use crate::wire::serialisation::Wire;
use cnps::Cnps;
use credit::Credit;
use pauses::Pauses;
use raddle_schemes::ids::{Entropy, HostId, PortId};
use raddle_schemes::rng::stream;
use raddle_schemes::transport::PacketSet;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::VecDeque;
use timers::{Timer, TimerKind, Timers};
use turns::Turns;

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
    /// When the next thing happens at this host by itself.
    next: Time,
    /// When the NIC next wants its wire.
    wants_at: Time,
    free_at: Time,
    /// When the first timer fires.
    timer_at: Time,
    pub(crate) control: VecDeque<Frame>,
    /// Sender slots that have something to send, in turn.
    pub(crate) ready: VecDeque<u32>,
    /// Who is next, where they do not go round as they come.
    pub(super) turns: Option<Box<Turns>>,
    wire: Wire,
    /// Idle time after each frame.
    gap: Span,
    /// The link's changes and its losses, where it has any.
    faults: Option<Box<Faults>>,
    /// What flow control lets it send.
    pauses: Option<Box<Pauses>>,
    /// Credit for the senders of what it receives, where receivers pace or grant.
    pub(super) credit: Option<Box<Credit>>,
    /// Notifications of marked packets, where receivers send them.
    pub(super) cnps: Option<Box<Cnps>>,
    order: NicOrder,
    /// Whether the next frame is data, where they take turns.
    data_turn: bool,
    /// Whether flow control may keep ACKs.
    holds_acks: bool,
    /// The host's place in its part.
    pub(super) place: u32,
    /// The slots of the flows that begin here, and of those that end here, start at these.
    pub(super) first_sender: u32,
    pub(super) first_receiver: u32,
    /// The next start listed for this host.
    pub(crate) starts: u32,
    pub(crate) record: PortRecord,
    timers: Timers,
}

struct Faults {
    link: Link,
    loss_stream: u64,
    gap: Bytes,
}

impl Nic {
    /// The NIC of `host`, idle. See the fields for the other arguments.
    pub(crate) fn new(
        plan: &Plan,
        host: HostId,
        place: u32,
        first_sender: u32,
        first_receiver: u32,
    ) -> Self {
        let rate = plan.fabric.ports[host.index()].rate;
        let wire = Wire::new(rate);
        let changes = plan.faults.changes_of(PortId(host.0));
        let faults = (!changes.is_empty()).then(|| Faults {
            link: Link::new(rate, plan.packet(), changes.to_vec()),
            loss_stream: stream(plan.seed, "loss", u64::from(host.0)),
            gap: plan.queue.gap,
        });
        let pauses = Pauses::of(plan);
        let holds_acks = pauses.as_ref().is_some_and(|pauses| pauses.hold_acks());
        Self {
            next: Time::NEVER,
            wants_at: Time::NEVER,
            free_at: Time::ZERO,
            timer_at: Time::NEVER,
            control: VecDeque::new(),
            ready: VecDeque::new(),
            turns: None,
            wire,
            gap: wire.serialisation(plan.queue.gap),
            faults: faults.map(Box::new),
            pauses,
            credit: None,
            cnps: None,
            order: plan.transport.nic,
            data_turn: false,
            holds_acks,
            place,
            first_sender,
            first_receiver,
            starts: 0,
            record: PortRecord::default(),
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
        let made = credit.on_data(now, slot, again, arrived, &mut self.control);
        self.set_pull_timer(now);
        made
    }

    /// A marked packet of the message at receiver slot `slot` has come, whose sender is at `to`.
    #[cold]
    pub(super) fn note_mark(&mut self, now: Time, slot: u32, to: Locator, entropy: Entropy) {
        let Some(cnps) = &mut self.cnps else { return };
        let Some(at) = cnps.on_mark(now, slot, to, entropy) else { return };
        if at == now {
            self.control.extend(cnps.due(now, slot));
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
        let earliest = self.free_at.max(now);
        let idle = self.control.is_empty() && self.ready.is_empty();
        self.wants_at = if idle { Time::NEVER } else { earliest };
        if let Some(pauses) = &self.pauses {
            if self.holds_acks {
                self.wants_at = self.held_want_at(earliest, pauses);
            }
            self.wants_at = pauses.wants_at(self.wants_at, earliest);
        }
        self.next = self.wants_at.min(self.timer_at);
        self.next
    }

    /// When a host wants to send whose ACKs flow control may keep, but for those pauses that keep all.
    #[cold]
    #[inline(never)]
    fn held_want_at(&self, earliest: Time, pauses: &Pauses) -> Time {
        if self.ready.is_empty() {
            pauses.control_at(&self.control, earliest)
        } else {
            self.wants_at
        }
    }

    /// Takes the control frame that goes next; not one that flow control keeps.
    #[inline]
    pub(super) fn next_control(&mut self, now: Time) -> Option<Frame> {
        if self.holds_acks {
            return self.next_of_held(now);
        }
        self.control.pop_front()
    }

    #[cold]
    #[inline(never)]
    fn next_of_held(&mut self, now: Time) -> Option<Frame> {
        let next = self.pauses.as_ref()?.next_control(now, &self.control)?;
        self.control.remove(next)
    }

    /// Whether the wire can take a frame; if its link is down, waits for it to come up. Flows that
    /// flow control lets go on take their turns again.
    #[inline]
    pub(crate) fn can_send(&mut self, now: Time) -> bool {
        if let Some(faults) = &mut self.faults {
            faults.link.advance(now);
            if !faults.link.is_up() {
                self.free_at = faults.link.next_up();
                return false;
            }
        }
        if let Some(pauses) = &mut self.pauses {
            let before = self.ready.len();
            pauses.release(now, &mut self.ready);
            if self.turns.as_ref().is_some_and(|turns| turns.have_places()) {
                let released = self.ready.split_off(before);
                released.into_iter().for_each(|slot| self.join(slot));
            }
        }
        true
    }

    /// A flow may send: it takes its turns from now on.
    #[inline]
    pub(super) fn join(&mut self, slot: u32) {
        match &self.turns {
            None => self.ready.push_back(slot),
            Some(turns) => turns.join(slot, self.first_sender, &mut self.ready),
        }
    }

    /// Brings the flow whose turn it is to the front.
    #[inline]
    pub(super) fn begin_turn(&mut self, now: Time) {
        if let Some(turns) = &mut self.turns {
            turns.begin(now, self.first_sender, &mut self.ready);
        }
    }

    /// A PFC frame has come.
    #[cold]
    pub(crate) fn on_pfc(&mut self, now: Time, frame: Frame) {
        if let Some(pauses) = &mut self.pauses {
            pauses.on_pfc(now, frame);
        }
    }

    /// Whether flow control keeps the flow of `slot`, which is first in turn, for later.
    #[inline]
    pub(crate) fn holds(&mut self, now: Time, class: u8, slot: u32) -> bool {
        let Some(pauses) = &mut self.pauses else { return false };
        let holds = pauses.hold(now, class, slot);
        if holds {
            self.ready.pop_front();
        }
        holds
    }

    /// Whether a control frame goes before a data packet now.
    #[inline]
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
        if self.faults.is_some() {
            return self.transmit_with_faults(now, frame);
        }
        let departs = now + self.wire.serialisation(frame.size());
        self.free_at = departs + self.gap;
        self.count(frame);
        Departure { frame, departs, lost: None }
    }

    #[cold]
    fn transmit_with_faults(&mut self, now: Time, frame: Frame) -> Departure {
        let Some(faults) = &self.faults else {
            return Departure { frame, departs: now, lost: None };
        };
        let rate = faults.link.rate();
        let departs = now + rate.serialisation(frame.size());
        let down = faults.link.next_down();
        if down < departs {
            self.free_at = down;
            return self.lose(frame, departs, DropCause::LinkDown);
        }
        self.free_at = departs + rate.serialisation(faults.gap);
        let lost = faults.link.loses(faults.loss_stream, now, frame.size());
        self.count(frame);
        if lost {
            return self.lose(frame, departs, DropCause::Loss);
        }
        Departure { frame, departs, lost: None }
    }

    #[inline]
    fn count(&mut self, frame: Frame) {
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
    }

    fn lose(&mut self, frame: Frame, departs: Time, cause: DropCause) -> Departure {
        self.record.drop(frame, cause);
        Departure { frame, departs, lost: Some(cause) }
    }
}
