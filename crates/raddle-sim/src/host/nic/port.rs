//! One of a host's ports: its wire, and what waits for it.

use super::fifo::Fifo;
use super::pauses::Pauses;
use super::turns::Turns;
use super::{Departure, Fate};
use crate::cbfc::{self, CreditFacts};
use crate::faults::link::Link;
use crate::plan::{Llr, Plan};
use crate::record::{DropCause, PortRecord};
use crate::retry::{Retry, RetryFacts};
use crate::wire::frame::Frame;
use crate::wire::serialisation::Wire;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::rng::stream;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// A port of a host.
pub(crate) struct NicPort {
    pub(super) free_at: Time,
    pub(crate) control: VecDeque<Frame>,
    /// Sender slots that have something to send, in turn.
    pub(crate) ready: VecDeque<u32>,
    /// Who is next, where they do not go round as they come.
    turns: Option<Box<Turns>>,
    wire: Wire,
    /// Idle time after each frame.
    gap: Span,
    /// The link's changes and its losses, where it has any, or retry or credits.
    pub(super) faults: Option<Box<Faults>>,
    /// What waits between flows and the wire, where anything does.
    pub(crate) fifo: Option<Box<Fifo>>,
    /// What flow control lets it send.
    pub(super) pauses: Option<Box<Pauses>>,
    /// Whether the next frame is data, where they take turns.
    pub(super) data_turn: bool,
    pub(crate) record: PortRecord,
}

pub(super) struct Faults {
    pub(super) link: Link,
    pub(super) loss_stream: u64,
    pub(super) gap: Bytes,
    pub(super) retry: Option<Retried>,
    /// Credits that the switch gives.
    pub(super) credits: Option<Box<cbfc::Sender>>,
}

/// Retry of a port's link.
pub(super) struct Retried {
    pub(super) llr: Llr,
    pub(super) machine: Retry<Frame>,
}

impl Retried {
    /// Of the link that leaves a port, if it has any.
    fn of(plan: &Plan, id: PortId) -> Option<Self> {
        let facts = RetryFacts::of(plan, id)?;
        Some(Self { llr: facts.llr, machine: Retry::new(facts) })
    }
}

impl NicPort {
    /// The port `id` of a host at which `flows` begin, idle.
    pub(super) fn new(plan: &Plan, id: PortId, flows: &[FlowId]) -> Self {
        let rate = plan.fabric.ports[id.index()].rate;
        let wire = Wire::new(rate);
        let changes = plan.faults.changes_of(id);
        let retry = Retried::of(plan, id);
        let credits = CreditFacts::of(plan, id).and_then(|facts| cbfc::Sender::of(&facts));
        let some = !changes.is_empty() || retry.is_some() || credits.is_some();
        let faults = some.then(|| Faults {
            link: Link::new(rate, plan.packet(), changes.to_vec()),
            loss_stream: stream(plan.seed, "loss", u64::from(id.0)),
            gap: plan.queue.gap,
            retry,
            credits: credits.map(Box::new),
        });
        Self {
            free_at: Time::ZERO,
            control: VecDeque::new(),
            ready: VecDeque::new(),
            turns: Turns::of(plan, id, flows),
            wire,
            gap: wire.serialisation(plan.queue.gap),
            faults: faults.map(Box::new),
            fifo: Fifo::of(plan),
            pauses: Pauses::of(plan),
            data_turn: false,
            record: PortRecord::default(),
        }
    }

    /// Whether its link has retry.
    pub(super) fn has_retry(&self) -> bool {
        self.faults.as_ref().is_some_and(|faults| faults.retry.is_some())
    }

    /// Whether flow control may keep ACKs.
    pub(super) fn holds_acks(&self) -> bool {
        self.pauses.as_ref().is_some_and(|pauses| pauses.hold_acks())
    }

    /// When it next wants its wire, seen from `now`.
    #[inline(always)]
    pub(super) fn wants_at(&self, now: Time) -> Time {
        let own = self.wants_new_at(now);
        match &self.faults {
            None => own,
            Some(faults) => self.wants_beside_new_at(now, own, faults),
        }
    }

    /// The same for a new frame: all there is where the link has no retry.
    #[inline(always)]
    pub(super) fn wants_new_at(&self, now: Time) -> Time {
        let earliest = self.free_at.max(now);
        let idle = self.control.is_empty() && self.ready.is_empty();
        let own = if idle { Time::NEVER } else { earliest };
        match &self.pauses {
            None => own,
            Some(pauses) => self.paused_want_at(own, earliest, pauses),
        }
    }

    /// The same where packets wait between flows and the wire: flows put theirs in line at once, if
    /// there is room.
    pub(super) fn wants_at_with_line(&self, now: Time) -> Time {
        match &self.fifo {
            Some(fifo) if !fifo.others.is_empty() && fifo.has_room() => return now,
            _ => {}
        }
        let own = self.wants_new_or_line_at(now);
        match &self.faults {
            None => own,
            Some(faults) => self.wants_beside_new_at(now, own, faults),
        }
    }

    /// When it wants its wire for what is new or waits in line.
    pub(super) fn wants_new_or_line_at(&self, now: Time) -> Time {
        let own = self.wants_new_at(now);
        match &self.fifo {
            Some(fifo) if !fifo.is_empty() => own.min(self.free_at.max(now)),
            _ => own,
        }
    }

    #[inline]
    fn paused_want_at(&self, own: Time, earliest: Time, pauses: &Pauses) -> Time {
        let own = if pauses.hold_acks() && self.ready.is_empty() {
            pauses.control_at(&self.control, earliest)
        } else {
            own
        };
        pauses.wants_at(own, earliest)
    }

    /// Takes the first control frame that flow control does not keep.
    #[cold]
    #[inline(never)]
    pub(super) fn next_of_held(&mut self, now: Time) -> Option<Frame> {
        let next = self.pauses.as_ref()?.next_control(now, &self.control)?;
        self.control.remove(next)
    }

    /// Lets flows take their turns again that flow control lets go on; slots of the host begin at
    /// `first`.
    #[inline(always)]
    pub(super) fn release(&mut self, now: Time, first: u32) {
        if self.pauses.is_some() {
            self.release_held(now, first);
        }
    }

    #[inline(never)]
    fn release_held(&mut self, now: Time, first: u32) {
        let Some(pauses) = &mut self.pauses else { return };
        let before = self.ready.len();
        pauses.release(now, &mut self.ready);
        if self.turns.as_ref().is_some_and(|turns| turns.have_places()) {
            let released = self.ready.split_off(before);
            released.into_iter().for_each(|slot| self.join(slot, first));
        }
    }

    /// A flow takes its turns here from now on.
    #[inline]
    pub(super) fn join(&mut self, slot: u32, first: u32) {
        match &self.turns {
            None => self.ready.push_back(slot),
            Some(turns) => turns.join(slot, first, &mut self.ready),
        }
    }

    /// Brings the flow whose turn it is to the front.
    #[inline]
    pub(super) fn begin_turn(&mut self, now: Time, first: u32) {
        if let Some(turns) = &mut self.turns {
            turns.begin(now, first, &mut self.ready);
        }
    }

    /// How many frames and flows wait, with the one on the wire.
    pub(super) fn waiting(&self, now: Time) -> u32 {
        let held = self.pauses.as_ref().map_or(0, |pauses| pauses.holding());
        let on_wire = u32::from(self.free_at > now);
        (self.control.len() + self.ready.len()) as u32 + held + on_wire
    }

    /// Puts `frame` on a wire whose link never changes.
    #[inline]
    pub(super) fn transmit(&mut self, now: Time, frame: Frame) -> Departure {
        let departs = now + self.wire.serialisation(frame.size());
        self.free_at = departs + self.gap;
        self.count(frame);
        Departure { frame, departs, fate: Fate::Arrives }
    }

    /// The same where the link changes. A host with one port sees at once that its link has gone down;
    /// one with several when it has `noticed`, and does not stop before.
    #[cold]
    pub(super) fn transmit_with_faults(
        &mut self,
        now: Time,
        frame: Frame,
        noticed: Option<Time>,
    ) -> Departure {
        self.consume(now, frame);
        let Some(faults) = &self.faults else {
            return Departure { frame, departs: now, fate: Fate::Arrives };
        };
        if faults.retry.is_some() {
            return self.transmit_with_retry(now, frame);
        }
        let rate = faults.link.rate();
        let departs = now + rate.serialisation(frame.size());
        let free_at = departs + rate.serialisation(faults.gap);
        let down = if faults.link.is_up() { faults.link.next_down() } else { now };
        if down < departs {
            self.free_at = noticed.map_or(down, |noticed| noticed.min(free_at));
            return self.lose(frame, departs, DropCause::LinkDown);
        }
        self.free_at = free_at;
        let lost = faults.link.loses(faults.loss_stream, now, frame.size());
        self.count(frame);
        if lost {
            return self.lose(frame, departs, DropCause::Loss);
        }
        Departure { frame, departs, fate: Fate::Arrives }
    }

    #[inline]
    pub(super) fn count(&mut self, frame: Frame) {
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
    }

    pub(super) fn lose(&mut self, frame: Frame, departs: Time, cause: DropCause) -> Departure {
        self.record.drop(frame, cause);
        Departure { frame, departs, fate: Fate::Lost(cause) }
    }
}
