//! A port whose link has retry: what its wire takes, and what becomes of it.

use super::classes::Classes;
use super::{Extras, InService, Port};
use crate::engine::link::Line;
use crate::engine::world::World;
use crate::faults::link::Lost;
use crate::plan::{Llr, Plan};
use crate::record::{DropCause, RetryRecord};
use crate::retry::{Coming, Retry, RetryFacts, Serving, Turn};
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Time};

/// The queue of what is in service, if that is a copy: none.
const COPY: usize = u8::MAX as usize;

/// A frame that may go again, with what it carries.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    frame: Frame,
    note: Option<Note>,
}

/// Retry of a port's link.
pub(super) struct Retried {
    llr: Llr,
    pub(super) machine: Retry<Kept>,
    /// What is known of the frame in service, if it has a number.
    serving: Option<Serving>,
}

impl std::fmt::Debug for Retried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retried").field("serving", &self.serving).finish_non_exhaustive()
    }
}

impl Retried {
    /// Of the link that leaves a port, if it has any.
    pub(super) fn of(plan: &Plan, id: PortId) -> Option<Box<Self>> {
        let facts = RetryFacts::of(plan, id)?;
        let llr = facts.llr;
        Some(Box::new(Self { llr, machine: Retry::new(facts), serving: None }))
    }

    /// Frames that the far end has not taken in.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Frame> {
        self.machine.waiting().map(|kept| kept.frame)
    }

    /// Whether the frame in service is none of these.
    pub(super) fn is_off_its_hands(&self) -> bool {
        self.serving.is_none_or(|serving| serving.is_accepted())
    }

    /// The link has this rate from now on. Returns what is left for frames.
    pub(super) fn set_rate(&mut self, rate: Rate) -> Rate {
        self.machine.set_rate(rate);
        self.llr.taxed(rate)
    }
}

impl Port {
    /// What retry has done on the link.
    pub(in crate::engine) fn retry_record(&self) -> Option<RetryRecord> {
        Some(self.extras.as_ref()?.retry.as_ref()?.machine.record)
    }

    pub(super) fn retry(&mut self) -> Option<&mut Retried> {
        self.extras.as_mut()?.retry.as_deref_mut()
    }

    #[inline]
    pub(super) fn has_retry(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.retry.is_some())
    }

    /// Whether the frame in service has a number.
    #[inline]
    pub(super) fn is_numbered(&self) -> bool {
        let retry = self.extras.as_ref().and_then(|extras| extras.retry.as_ref());
        retry.is_some_and(|retry| retry.serving.is_some())
    }

    /// When the wire takes something, which would be at `start_at` without retry.
    pub(super) fn start_with_retry_at(&self, extras: &Extras, start_at: Time) -> Time {
        let Some(retry) = &extras.retry else { return start_at };
        if self.in_service.is_some() {
            return Time::NEVER;
        }
        let classes = extras.classes.as_ref();
        let message = |at: fn(&Classes) -> Time| match classes {
            Some(classes) if extras.is_up() => at(classes).max(self.free_at),
            _ => Time::NEVER,
        };
        let numbered = match retry.machine.turn() {
            Turn::Copy => self.free_at,
            Turn::FlowControl if classes.is_some_and(Classes::has_news) => start_at,
            Turn::FlowControl => message(Classes::consumed_at),
            Turn::Nothing => Time::NEVER,
            _ => start_at,
        };
        numbered.min(message(Classes::ordered_set_at))
    }

    /// Whether the wire, which is free, may take a new frame. If it is the turn of a message without a
    /// number, or of a copy, that starts.
    pub(super) fn may_start_new(&mut self, now: Time, world: &World<'_>) -> bool {
        let Some(extras) = self.extras.as_deref() else { return true };
        let Some(retry) = &extras.retry else { return true };
        let turn = retry.machine.turn();
        if self.starts_ordered_set(now) {
            return false;
        }
        let Some(extras) = self.extras.as_deref() else { return true };
        match turn {
            Turn::Copy => {
                self.start_copy(now, world.discipline.gap);
                false
            }
            Turn::FlowControl => {
                extras.classes.as_ref().is_some_and(|classes| classes.has_flow_control(now))
            }
            Turn::Nothing => false,
            Turn::New | Turn::Unnumbered | Turn::Discarded => true,
        }
    }

    /// Starts a control ordered set, if one is due: it has no number and no gap, and goes before all else.
    /// Returns whether it does.
    pub(super) fn starts_ordered_set(&mut self, now: Time) -> bool {
        let Some(classes) = self.classes() else { return false };
        let (control, Some(frame)) = (classes.control(), classes.ordered_set(now)) else {
            return false;
        };
        let departs = now + self.wire.serialisation(frame.size());
        let coming = self.coming((now, departs), frame.size());
        let lost = (coming == Coming::Spoiled).then_some(Lost::Noise);
        if lost.is_some()
            && let Some(classes) = self.classes()
        {
            classes.tell_again(now, frame);
        }
        self.begin(now, frame, control, lost, Bytes(0));
        true
    }

    /// How a frame that starts now comes to the far end.
    fn coming(&self, times: (Time, Time), size: Bytes) -> Coming {
        let link = self.extras.as_ref().and_then(|extras| extras.link.as_deref());
        link.map_or(Coming::Whole, |link| Coming::over((link, self.loss_stream), times, size))
    }

    fn start_copy(&mut self, now: Time, gap: Bytes) {
        let Some((kept, size)) = self.retry().and_then(|retry| retry.machine.next_copy()) else {
            return;
        };
        let departs = now + self.wire.serialisation(size);
        let coming = self.coming((now, departs), size);
        if let Some(retry) = self.retry() {
            retry.serving = retry.machine.start_copy(departs, coming);
        }
        self.begin(now, kept.frame, COPY, None, gap);
    }

    /// A new frame starts.
    #[cold]
    pub(super) fn start_with_retry(&mut self, now: Time, frame: Frame, class: usize, gap: Bytes) {
        let size = frame.size();
        let departs = now + self.wire.serialisation(size);
        let coming = self.coming((now, departs), size);
        let mut lost = None;
        if let Some(retry) = self.retry() {
            match retry.machine.turn() {
                Turn::New | Turn::FlowControl => {
                    let kept = Kept { frame, note: None };
                    let times = (now, departs);
                    retry.serving = Some(retry.machine.start(times, (kept, size), coming));
                }
                Turn::Unnumbered if coming != Coming::Spoiled => {}
                _ => lost = Some(Lost::Noise),
            }
            if retry.serving.is_none() && coming != Coming::Cut {
                retry.machine.record.unnumbered += 1;
            }
        }
        self.begin(now, frame, class, lost, gap);
    }

    /// The last bit of a frame that has a number has left, or the link went down under it.
    #[cold]
    pub(super) fn end_numbered(
        &mut self,
        now: Time,
        line: Option<&mut Line>,
        world: &mut World<'_>,
    ) {
        self.departs = Time::NEVER;
        let serving = self.retry().and_then(|retry| retry.serving.take());
        let (Some(service), Some(serving)) = (self.in_service.take(), serving) else { return };
        let mut kept = Kept { frame: service.frame, note: None };
        if !serving.is_copy {
            kept = self.leave_queue(now, service, serving, world);
        }
        let Some(retry) = self.retry() else { return };
        retry.machine.record.count(serving);
        if !serving.is_accepted() {
            if !serving.is_copy {
                retry.machine.rewrite(serving, kept);
            }
            return;
        }
        if serving.is_copy {
            kept.note = retry.machine.kept(serving).and_then(|kept| kept.note);
            if !kept.frame.is_pfc() {
                world.recorder.copy_departed(self.id, now, kept.frame);
            }
        }
        let (id, far_end) = (self.id, self.far_end);
        if let (Some(note), Some(notes)) = (kept.note, &mut world.notes) {
            notes.depart(id, note, far_end, &mut world.outbox);
        }
        if let Some(line) = line {
            line.launch(now, kept.frame, far_end, &mut world.calendar, &mut world.outbox);
        }
    }

    /// A new frame is no longer in its queue. Returns what may go again.
    fn leave_queue(
        &mut self,
        now: Time,
        service: InService,
        serving: Serving,
        world: &mut World<'_>,
    ) -> Kept {
        let (id, class, frame) = (self.id, usize::from(service.class), service.frame);
        let mut note = None;
        let behind = match self.classes() {
            Some(classes) => {
                note = classes.take_note(frame);
                world.gone.extend(classes.left(frame, id, class, true));
                classes.bytes(class)
            }
            None => {
                self.bytes[class] -= frame.size().0;
                self.bytes[class]
            }
        };
        if frame.is_pfc() {
            self.note_flow_control(frame, true, false);
            return Kept { frame, note };
        }
        let frame = self.count(now, service, behind, world);
        if serving.is_accepted() {
            world.recorder.departed(id, now, frame);
        } else {
            world.recorder.sent_in_vain(id, now, frame);
        }
        Kept { frame, note }
    }

    /// What retry has to do at `now`.
    pub(super) fn play_retry(&mut self, now: Time, world: &mut World<'_>) {
        let Some(retry) = self.retry() else { return };
        retry.machine.play(now);
        for kept in std::mem::take(&mut retry.machine.lost) {
            self.give_up(now, kept.frame, world);
        }
        self.drop_if_cut_off(now, world);
    }

    fn give_up(&mut self, now: Time, frame: Frame, world: &mut World<'_>) {
        if frame.is_pfc() {
            return self.note_flow_control(frame, false, true);
        }
        self.record.drop(frame, DropCause::Loss);
        world.hosts.note_dropped(frame);
        world.recorder.gave_up(self.id, now, frame);
    }
}
