//! A port of a host whose link has credits.

use super::port::{Faults, NicPort, Retried};
use super::retried::BeforeNew;
use super::{Departure, Fate, Nic};
use crate::record::CreditRecord;
use crate::retry::{Coming, Turn};
use crate::wire::credit_frame::About;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

impl Faults {
    /// When the switch is next told what was consumed, if the wire is free then.
    pub(super) fn told_at(&self) -> Time {
        self.credits.as_ref().map_or(Time::NEVER, |credits| credits.told_at())
    }
}

impl NicPort {
    /// Whether its link has credits.
    pub(super) fn has_credits(&self) -> bool {
        self.faults.as_ref().is_some_and(|faults| faults.credits.is_some())
    }

    /// When it wants its wire to tell what was consumed, seen from `now`.
    pub(super) fn tells_at(&self, now: Time, faults: &Faults) -> Time {
        let at = faults.told_at().max(self.free_at).max(now);
        match faults.retry.as_ref().map_or(Turn::New, |retry| retry.machine.turn()) {
            _ if faults.told_at() == Time::NEVER => Time::NEVER,
            Turn::Copy | Turn::Nothing => Time::NEVER,
            Turn::New | Turn::FlowControl | Turn::Unnumbered | Turn::Discarded => at,
        }
    }

    /// A frame starts: it may need credit.
    pub(super) fn consume(&mut self, now: Time, frame: Frame) {
        let Some(faults) = &mut self.faults else { return };
        let (Some(credits), Some(pauses)) = (&mut faults.credits, &mut self.pauses) else { return };
        let Some(class) = pauses.class_of(frame) else { return };
        credits.start(now, class, frame.size(), faults.link.next_up());
        pauses.withhold(class, !credits.may_start_any(class));
    }

    /// A message about credits has come.
    pub(super) fn on_message(&mut self, now: Time, frame: Frame) {
        let Some(faults) = &mut self.faults else { return };
        let (Some(credits), Some(pauses)) = (&mut faults.credits, &mut self.pauses) else { return };
        if frame.about() == About::Freed {
            credits.on_freed(now, frame);
            for (class, _) in frame.counts() {
                pauses.withhold(class, !credits.may_start_any(class));
            }
        }
    }

    /// A message was given up.
    pub(super) fn lose_message(&mut self) {
        let credits = self.faults.as_mut().and_then(|faults| faults.credits.as_mut());
        credits.into_iter().for_each(|credits| credits.record_mut().note(false, false, true));
    }

    /// The switch is told what was consumed, if it is time, and the wire is free and up; the link is played
    /// up to `now`. Returns whether it was, and what is on the link.
    fn tell(&mut self, now: Time) -> Option<Option<Departure>> {
        let faults = self.faults.as_deref()?;
        if self.tells_at(now, faults) > now {
            return None;
        }
        let faults = self.faults.as_deref_mut()?;
        let credits = faults.credits.as_mut()?;
        if !faults.link.is_up() {
            credits.put_off(faults.link.next_up());
            return Some(None);
        }
        let frame = credits.tell(now, faults.link.next_up());
        let (departs, free_at) = faults.times(now, frame.size());
        let way = faults.coming((now, departs), frame.size());
        let is_cut = way == Coming::Cut;
        self.free_at = if is_cut { faults.link.next_down() } else { free_at };
        let (mut left, mut arrives) = (!is_cut, way == Coming::Whole);
        let mut lost = !arrives;
        if let Some(Retried { machine, .. }) = &mut faults.retry {
            if matches!(machine.turn(), Turn::New | Turn::FlowControl) {
                let serving = machine.start((now, departs), (frame, frame.size()), way);
                machine.record.count(serving);
                (left, arrives, lost) = (true, serving.is_accepted(), false);
            } else {
                machine.record.unnumbered += u64::from(!is_cut);
                arrives &= machine.turn() == Turn::Unnumbered;
                lost = !arrives;
            }
        }
        if let Some(credits) = &mut faults.credits {
            credits.record_mut().note(false, left, lost);
        }
        Some(arrives.then_some(Departure { frame, departs, fate: Fate::Message }))
    }

    /// What credits came to, in a run that ends at `end`.
    pub(in crate::host) fn credit_record(&self, end: Time) -> Option<CreditRecord> {
        Some(self.faults.as_ref()?.credits.as_ref()?.record(end))
    }
}

impl Nic {
    /// Whether the link at hand has credits.
    #[inline]
    pub(in crate::host) fn has_credits(&self) -> bool {
        self.port.has_credits()
    }

    /// The plane of the port at hand.
    pub(crate) fn plane_at_hand(&self) -> u32 {
        self.planes.as_ref().map_or(0, |planes| planes.at_hand())
    }

    /// What credits have the link at hand do before a new frame, or a copy that is not due, goes.
    pub(super) fn tell(&mut self, now: Time) -> Option<BeforeNew> {
        let told = self.port.tell(now)?;
        Some(told.map_or(BeforeNew::Wait, BeforeNew::Departure))
    }

    /// What credits came to on each of its links, in a run that ends at `end`.
    pub(in crate::host) fn credit_records(
        &self,
        ids: impl Iterator<Item = PortId>,
        end: Time,
    ) -> impl Iterator<Item = (PortId, CreditRecord)> {
        ids.zip(self.all_ports()).filter_map(move |(id, port)| Some((id, port.credit_record(end)?)))
    }
}
