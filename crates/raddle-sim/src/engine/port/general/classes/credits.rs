//! Credits at a port of a switch: what its link may carry, and what came in through it.

use super::Classes;
use crate::cbfc::{CreditFacts, Receiver, Sender};
use crate::record::CreditRecord;
use crate::wire::credit_frame::About;
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Rate, Time};

/// Both directions of credits at a port.
#[derive(Debug)]
pub(super) struct Credits {
    /// None towards a host.
    sender: Option<Sender>,
    receiver: Receiver,
}

impl Credits {
    pub(super) fn new(facts: &CreditFacts) -> Box<Self> {
        Box::new(Self { sender: Sender::of(facts), receiver: Receiver::new(facts) })
    }

    fn may_start(&self, class: usize, frame: Bytes) -> bool {
        self.sender.as_ref().is_none_or(|sender| sender.may_start(class, frame))
    }

    /// When a message about consumed cells goes, if the wire is free then.
    fn consumed_at(&self) -> Time {
        self.sender.as_ref().map_or(Time::NEVER, Sender::told_at)
    }
}

/// Where there are credits.
impl Classes {
    /// When a message about freed cells goes, if the wire is free then; never, without credits.
    pub(in crate::engine) fn ordered_set_at(&self) -> Time {
        self.credits.as_ref().map_or(Time::NEVER, |own| own.receiver.told_at())
    }

    /// The same of one about consumed cells.
    pub(in crate::engine) fn consumed_at(&self) -> Time {
        self.credits.as_ref().map_or(Time::NEVER, |own| own.consumed_at())
    }

    /// A bit for each data class that waits for credit.
    fn waiting_for_credit(&self, credits: &Credits) -> u16 {
        let waits = |class: &usize| {
            let queue = &self.own[*class].queue;
            !queue.is_empty() && !credits.may_start(*class, queue.get(0).frame.size())
        };
        (0..self.control()).filter(waits).fold(0, |mask, class| mask | 1 << class)
    }

    /// Whether messages or pauses are due that need no place in the window of a link with retry.
    pub(in crate::engine) fn has_flow_control(&self, now: Time) -> bool {
        self.has_news() || self.consumed_at() <= now
    }

    /// When the wire, free from `free_at` on, can next take something.
    pub(super) fn next_start_by_credit(&self, credits: &Credits, free_at: Time) -> Time {
        let ready = self.waiting & !self.waiting_for_credit(credits);
        let frames = if ready == 0 { Time::NEVER } else { free_at };
        let messages = credits.receiver.told_at().min(credits.consumed_at());
        frames.min(messages.max(free_at))
    }

    /// The message about freed cells that goes at `now`, if one does.
    pub(in crate::engine) fn ordered_set(&mut self, now: Time) -> Option<Frame> {
        let receiver = &mut self.credits.as_mut()?.receiver;
        (receiver.told_at() <= now).then(|| receiver.tell(now))
    }

    /// The message that has just started will be lost.
    pub(in crate::engine) fn tell_again(&mut self, now: Time, frame: Frame) {
        self.credits.iter_mut().for_each(|own| own.receiver.tell_again(now, frame));
    }

    /// Takes what goes now, but for control ordered sets: a message, then control, then the class whose turn
    /// it is of those with credit.
    pub(super) fn pop_by_credit(&mut self, now: Time) -> Option<(Frame, usize)> {
        let control = self.control();
        if let Some(sender) = self.credits.as_mut().and_then(|own| own.sender.as_mut())
            && sender.told_at() <= now
        {
            return Some((sender.tell(now, Time::NEVER), control));
        }
        let waiting = self.credits.as_ref().map_or(0, |own| self.waiting_for_credit(own));
        let (frame, class) = self.pop_of(self.waiting & !waiting)?;
        if let Some(sender) = self.credits.as_mut().and_then(|own| own.sender.as_mut())
            && class < control
        {
            sender.start(now, class, frame.size(), Time::NEVER);
        }
        Some((frame, class))
    }

    /// A frame has come in here. Returns its class, if it is one that needed credit.
    pub(in crate::engine) fn store(&mut self, frame: Frame) -> Option<usize> {
        let class = self.queue_of(frame);
        let receiver = self.credits.as_mut().map(|own| &mut own.receiver)?;
        let is_data = class < usize::from(self.data);
        is_data.then(|| receiver.store(class, frame.size()))?;
        Some(class)
    }

    /// A frame that had come in here is gone. Returns whether the far end is to hear of it and was not.
    pub(in crate::engine) fn free(&mut self, now: Time, class: usize, size: Bytes) -> bool {
        let own = self.credits.as_mut().filter(|_| class < usize::from(self.data));
        own.is_some_and(|own| own.receiver.free(now, class, size))
    }

    /// A message about credits has come from the far end.
    pub(super) fn on_message(&mut self, now: Time, frame: Frame) {
        let Some(own) = &mut self.credits else { return };
        match (frame.about(), &mut own.sender) {
            (About::Freed, Some(sender)) => sender.on_freed(now, frame),
            (About::Consumed, _) => own.receiver.on_consumed(now, frame),
            _ => {}
        }
    }

    /// Whether what came in here and needed credit has ever left.
    pub(in crate::engine) fn has_freed(&self) -> bool {
        self.credits.as_ref().is_some_and(|own| own.receiver.has_freed())
    }

    /// The link has come up.
    pub(in crate::engine) fn come_up(&mut self, now: Time) {
        let Some(own) = &mut self.credits else { return };
        own.receiver.come_up(now);
        own.sender.iter_mut().for_each(|sender| sender.come_up(now));
    }

    /// The wire has this rate from now on.
    pub(in crate::engine) fn set_rate(&mut self, rate: Rate) {
        self.credits.iter_mut().for_each(|own| own.receiver.set_rate(rate));
    }

    /// A message has left, `lost` or not; one that was cut has not `left`.
    pub(in crate::engine) fn note_message(&mut self, frame: Frame, left: bool, lost: bool) {
        let Some(own) = &mut self.credits else { return };
        let record = own.receiver.record_mut();
        record.note(frame.is_ordered_set(), left, lost);
    }

    /// What credits came to, in a run that ends at `end`.
    pub(in crate::engine) fn credit_record(&self, end: Time) -> Option<CreditRecord> {
        let own = self.credits.as_ref()?;
        let sending = own.sender.as_ref().map(|sender| sender.record(end)).unwrap_or_default();
        Some(sending.and(own.receiver.record()))
    }

    /// A bit for each data class that waits for credit.
    pub(in crate::engine) fn without_credit(&self) -> u8 {
        self.credits.as_ref().map_or(0, |own| self.waiting_for_credit(own)) as u8
    }
}
