//! A port of a host whose link has retry.

use super::port::{Faults, NicPort, Retried};
use super::{Departure, Fate, Nic};
use crate::faults::PortChange;
use crate::record::{DropCause, RetryRecord};
use crate::retry::{Coming, Serving, Turn};
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Time};

/// What is to be done before a new frame may go.
pub(in crate::host) enum BeforeNew {
    /// Nothing: it may.
    Nothing,
    /// It may not.
    Wait,
    /// This.
    Departure(Departure),
}

impl Faults {
    /// Plays what happens up to and including `now`.
    #[cold]
    #[inline(never)]
    pub(super) fn advance(&mut self, now: Time) {
        let Some(Retried { machine, .. }) = &mut self.retry else {
            return self.link.advance(now);
        };
        loop {
            let (change, event) = (self.link.next_change(), machine.next_event());
            let at = change.min(event);
            if at > now || at == Time::NEVER {
                return;
            }
            if change > event {
                machine.play(at);
                continue;
            }
            match self.link.play() {
                Some(PortChange::Down) => machine.go_down(at),
                Some(PortChange::Up) => machine.come_up(at),
                _ => machine.set_rate(self.link.rate()),
            }
        }
    }

    /// How a frame that starts now comes to the far end.
    pub(super) fn coming(&self, times: (Time, Time), size: Bytes) -> Coming {
        Coming::over((&self.link, self.loss_stream), times, size)
    }

    /// When the last bit of a frame leaves that starts now, and when the wire is free again.
    pub(super) fn times(&self, now: Time, size: Bytes) -> (Time, Time) {
        let rate = self.link.rate();
        let rate = self.retry.as_ref().map_or(rate, |retry| retry.llr.taxed(rate));
        let departs = now + rate.serialisation(size);
        (departs, departs + rate.serialisation(self.gap))
    }
}

impl NicPort {
    /// What retry has done on the link.
    pub(in crate::host) fn retry_record(&self) -> Option<RetryRecord> {
        Some(self.faults.as_ref()?.retry.as_ref()?.machine.record)
    }

    /// Frames that the far end has not taken in.
    pub(in crate::host) fn kept(&self) -> impl Iterator<Item = Frame> {
        let retry = self.faults.iter().filter_map(|faults| faults.retry.as_ref());
        retry.flat_map(|retry| retry.machine.waiting().copied())
    }

    /// When it wants its wire, or has something to do for its link; a new frame would want it at `new`.
    #[cold]
    #[inline(never)]
    pub(super) fn wants_beside_new_at(&self, now: Time, new: Time, faults: &Faults) -> Time {
        let tells = self.tells_at(now, faults);
        let Some(Retried { machine, .. }) = &faults.retry else { return new.min(tells) };
        if !machine.lost.is_empty() {
            return now;
        }
        let event = if machine.is_idle() && new == Time::NEVER && faults.told_at() == Time::NEVER {
            Time::NEVER
        } else {
            machine.next_event().min(faults.link.next_change()).max(now)
        };
        event.min(self.wire_at(now, new, faults)).min(tells)
    }

    /// When it wants its wire, where a new frame would want it at `new`.
    fn wire_at(&self, now: Time, new: Time, faults: &Faults) -> Time {
        let turn = faults.retry.as_ref().map_or(Turn::New, |retry| retry.machine.turn());
        match turn {
            Turn::New | Turn::Unnumbered | Turn::Discarded => new,
            Turn::Copy => self.free_at.max(now),
            // A link that is down is noticed when something is to go.
            Turn::Nothing if !faults.link.is_up() => new,
            Turn::Nothing | Turn::FlowControl => Time::NEVER,
        }
    }

    /// Puts a new frame on the wire.
    pub(super) fn transmit_with_retry(&mut self, now: Time, frame: Frame) -> Departure {
        let nothing = Departure { frame, departs: now, fate: Fate::Arrives };
        let Some(faults) = &mut self.faults else { return nothing };
        let (departs, free_at) = faults.times(now, frame.size());
        let coming = faults.coming((now, departs), frame.size());
        let down = faults.link.next_down();
        let Some(Retried { machine, .. }) = &mut faults.retry else { return nothing };
        self.free_at = if coming == Coming::Cut { down } else { free_at };
        let turn = machine.turn();
        if turn == Turn::New {
            let serving = machine.start((now, departs), (frame, frame.size()), coming);
            machine.record.count(serving);
            self.count(frame);
            return self.step(frame, departs.min(down), serving);
        }
        if coming == Coming::Cut {
            return self.lose(frame, departs, DropCause::LinkDown);
        }
        machine.record.unnumbered += 1;
        self.count(frame);
        match turn {
            Turn::Unnumbered if coming == Coming::Whole => {
                Departure { frame, departs, fate: Fate::Arrives }
            }
            _ => self.lose(frame, departs, DropCause::Loss),
        }
    }

    fn step(&self, frame: Frame, departs: Time, serving: Serving) -> Departure {
        let fate = match (serving.is_copy, serving.is_accepted()) {
            (false, true) => Fate::Arrives,
            (false, false) => Fate::InVain,
            (true, _) => Fate::Copy,
        };
        Departure { frame, departs, fate }
    }

    /// Puts the next copy on the wire. Returns it, if the far end takes it in.
    fn transmit_copy(&mut self, now: Time) -> Option<Departure> {
        let faults = self.faults.as_mut()?;
        let (frame, size) = faults.retry.as_ref()?.machine.next_copy()?;
        let (departs, free_at) = faults.times(now, size);
        let coming = faults.coming((now, departs), size);
        let down = faults.link.next_down();
        self.free_at = if coming == Coming::Cut { down } else { free_at };
        let machine = &mut faults.retry.as_mut()?.machine;
        let serving = machine.start_copy(departs, coming)?;
        machine.record.count(serving);
        serving.is_accepted().then(|| self.step(frame, departs, serving))
    }
}

impl Nic {
    /// Whether the link at hand has retry.
    #[inline]
    pub(in crate::host) fn has_retry(&self) -> bool {
        self.port.has_retry()
    }

    /// Whether the link at hand has retry and is down, so that nothing goes until it is up or the host
    /// takes it for down.
    #[cold]
    #[inline(never)]
    pub(super) fn waits_for_retry(&mut self, now: Time) -> bool {
        let Some(faults) = &self.port.faults else { return false };
        let waits = faults.retry.is_some() && !faults.link.is_up();
        if waits {
            let noticed = self.planes.as_ref().map_or(Time::NEVER, |planes| planes.next_out(now));
            self.port.free_at = faults.link.next_up().min(noticed);
        }
        waits
    }

    /// What comes before a new frame, at a link with retry or credits; it is played up to `now`.
    #[cold]
    #[inline(never)]
    pub(in crate::host) fn before_new(&mut self, now: Time) -> BeforeNew {
        let Some(faults) = self.port.faults.as_mut() else { return BeforeNew::Nothing };
        faults.advance(now);
        let Some(Retried { machine, .. }) = &mut faults.retry else {
            return self.tell(now).unwrap_or(BeforeNew::Nothing);
        };
        if let Some(frame) = machine.next_lost() {
            if frame.is_pfc() {
                self.port.lose_message();
                return BeforeNew::Wait;
            }
            let departure = self.port.lose(frame, now, DropCause::Loss);
            return BeforeNew::Departure(Departure { fate: Fate::GivenUp, ..departure });
        }
        let turn = machine.turn();
        if let Some(told) = self.tell(now) {
            return told;
        }
        let new = self.port.wants_new_or_line_at(now);
        let wants = |faults: &Faults| self.port.wire_at(now, new, faults) <= now;
        if self.port.free_at > now || !self.port.faults.as_deref().is_some_and(wants) {
            return BeforeNew::Wait;
        }
        match turn {
            // Copies are the link's, whatever the host takes it for.
            Turn::Copy => {
                self.port.transmit_copy(now).map_or(BeforeNew::Wait, BeforeNew::Departure)
            }
            _ if !self.can_send(now) => BeforeNew::Wait,
            Turn::New | Turn::Unnumbered | Turn::Discarded => BeforeNew::Nothing,
            Turn::Nothing | Turn::FlowControl => BeforeNew::Wait,
        }
    }
}
