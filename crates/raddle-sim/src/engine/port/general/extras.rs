//! Ports that have more than two classes, a link that changes or has a gate, or an ordered switch.
//!
//! At one instant: departure, then change of the link, then the renewal of a pause, then start.

use super::classes::Classes;
use super::{Extras, InService, Port};
use crate::engine::link::Line;
use crate::engine::world::{Gone, World};
use crate::faults::{OnDown, PortChange};
use crate::record::deadlock::Waiting;
use crate::record::{CreditRecord, DropCause};
use crate::wire::frame::Frame;
use crate::wire::serialisation::Wire;
use raddle_schemes::congestion::Hop;
use raddle_schemes::ids::PortId;
use raddle_schemes::tor;
use raddle_schemes::units::{Bytes, Rate, Time};

impl Port {
    /// Whether nothing is queued, in service or due.
    pub(super) fn is_idle(&self, extras: &Extras) -> bool {
        let waiting = match &extras.classes {
            None => !self.queues[0].is_empty() || !self.queues[1].is_empty(),
            // A link that comes up has credits told.
            Some(classes) => {
                !classes.is_idle() || classes.has_freed() && extras.next_change() < Time::NEVER
            }
        };
        let kept = extras.retry.as_ref().is_some_and(|retry| !retry.machine.is_idle());
        self.in_service.is_none() && !waiting && !kept
    }

    /// When something changes at this port next, be it only its link.
    #[inline]
    pub(super) fn next_step(&self, extras: &Extras) -> Time {
        let start_at = if self.in_service.is_some() || !extras.is_up() {
            Time::NEVER
        } else {
            match &extras.classes {
                Some(classes) => classes.next_start(self.free_at),
                None if self.queues[0].is_empty() && self.queues[1].is_empty() => Time::NEVER,
                None => self.free_at,
            }
        };
        let start_at = match extras.gated() {
            None => self.start_with_retry_at(extras, start_at),
            Some(link) => match self.next_size(extras) {
                Some(size) if start_at < Time::NEVER => link.next_start(start_at, size),
                _ => start_at,
            },
        };
        self.departs.min(extras.next_change()).min(start_at).min(extras.refresh_at())
    }

    /// Whether its link has a gate.
    #[inline]
    pub(super) fn is_gated(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.gated().is_some())
    }

    /// The size of what goes next, where no class is ever paused.
    #[inline]
    fn next_size(&self, extras: &Extras) -> Option<Bytes> {
        if let Some(classes) = &extras.classes {
            return classes.next_size();
        }
        let queue = self.queues.iter().rev().find(|queue| !queue.is_empty())?;
        Some(queue.get(0).frame.size())
    }

    /// Whether the link's gate lets start what goes next, at `now`: the wire is of the opening then.
    #[inline]
    fn passes(&mut self, now: Time) -> bool {
        let Some(extras) = self.extras.as_deref().filter(|extras| extras.gated().is_some()) else {
            return true;
        };
        let size = self.next_size(extras);
        // Before, nothing starts that has come since.
        self.free_at = now;
        let link = self.extras.as_deref_mut().and_then(|extras| extras.link.as_deref_mut());
        let (Some(link), Some(size)) = (link, size) else { return false };
        if link.next_start(now, size) > now {
            return false;
        }
        self.wire = link.wire_at(now);
        true
    }

    /// Carries out everything due up to and including `until`, at this port alone.
    pub(super) fn replay_extras(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        if self.is_calm() {
            return self.replay_calm(until, line, world);
        }
        loop {
            let Some(extras) = &self.extras else { return };
            let next = self.next_step(extras);
            if next > until || next == Time::NEVER {
                return;
            }
            self.end_service(next, line, world);
            self.play_changes(next, world);
            if let Some(classes) = self.classes() {
                classes.renew(next);
            }
            self.try_start(next, world);
        }
    }

    /// Whether departures and starts are all that happens, and no class is paused from when the wire
    /// is free.
    #[inline]
    fn is_calm(&self) -> bool {
        match self.extras.as_deref() {
            Some(Extras { link: None, retry: None, classes: Some(classes), .. }) => {
                classes.calm_from() <= self.free_at
            }
            _ => false,
        }
    }

    /// [`Port::replay_extras`] at a calm port.
    #[inline]
    fn replay_calm(&mut self, until: Time, line: &mut Line, world: &mut World<'_>) {
        loop {
            if let Some(service) = self.in_service {
                if self.departs > until {
                    return;
                }
                let now = self.departs;
                (self.departs, self.in_service) = (Time::NEVER, None);
                self.leave(now, service, line, world);
            }
            if self.free_at > until {
                return;
            }
            let Some((frame, class)) = self.classes().and_then(Classes::pop_calm) else { return };
            if world.notes.is_some() {
                self.stamp(self.free_at, frame);
            }
            self.begin(self.free_at, frame, class, None, world.discipline.gap);
        }
    }

    /// The departure due at `now`, if there is one.
    pub(in crate::engine) fn end_service(
        &mut self,
        now: Time,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        if self.departs != now {
            return;
        }
        if self.is_numbered() {
            return self.end_numbered(now, Some(line), world);
        }
        if self.extras.as_ref().is_none_or(|extras| extras.classes.is_none()) {
            return self.depart(line, world);
        }
        self.departs = Time::NEVER;
        if let Some(service) = self.in_service.take() {
            self.leave(now, service, line, world);
        }
    }

    /// The last bit of what was in service leaves, where there are classes.
    #[inline]
    fn leave(&mut self, now: Time, service: InService, line: &mut Line, world: &mut World<'_>) {
        if world.notes.is_some() {
            return self.leave_with_note(now, service, line, world);
        }
        self.leave_frame(now, service, line, world);
    }

    #[inline(never)]
    fn leave_with_note(
        &mut self,
        now: Time,
        service: InService,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        self.send_note(service.frame, service.lost.is_some(), world);
        self.leave_frame(now, service, line, world);
    }

    #[inline(always)]
    fn leave_frame(
        &mut self,
        now: Time,
        service: InService,
        line: &mut Line,
        world: &mut World<'_>,
    ) {
        let classes = self.extras.as_mut().and_then(|extras| extras.classes.as_mut());
        let Some(classes) = classes else { return };
        let class = usize::from(service.class);
        if let Some(gone) = classes.left(service.frame, self.id, class, true) {
            world.gone.push(gone);
        }
        let behind = classes.bytes(class);
        if !service.frame.is_pfc() {
            return self.finish(now, service, behind, line, world);
        }
        self.note_flow_control(service.frame, true, service.lost.is_some());
        if service.lost.is_none() {
            let World { calendar, outbox, .. } = world;
            line.launch(now, service.frame, self.far_end, calendar, outbox);
        }
    }

    /// A frame of flow control has left, `lost` or not; one that was cut has not `left`.
    pub(super) fn note_flow_control(&mut self, frame: Frame, left: bool, lost: bool) {
        if let Some(record) = &mut self.record.pfc {
            record.frames += u64::from(left);
            record.lost += u64::from(lost);
        } else if let Some(classes) = self.classes() {
            classes.note_message(frame, left, lost);
        }
    }

    /// Plays the changes of the link up to and including `now`. Before `now`, the port was idle.
    #[inline]
    pub(in crate::engine) fn play_changes(&mut self, now: Time, world: &mut World<'_>) {
        let changes = |extras: &Extras| extras.link.is_some() || extras.retry.is_some();
        if self.extras.as_deref().is_some_and(changes) {
            self.play_link(now, world);
        }
    }

    #[cold]
    fn play_link(&mut self, now: Time, world: &mut World<'_>) {
        while let Some(extras) = self.extras.as_deref_mut() {
            let at = extras.next_change();
            if at > now || at == Time::NEVER {
                return;
            }
            let Some(link) = extras.link.as_deref_mut().filter(|link| link.next_change() == at)
            else {
                self.play_retry(at, world);
                continue;
            };
            match link.play() {
                Some(PortChange::Down) => self.go_down(at, world),
                Some(PortChange::Up) => self.come_up(at),
                Some(PortChange::Uplinks { .. }) if link.cuts() => self.cut_service(at, world),
                _ => {
                    let rate = link.rate();
                    self.set_rate(rate);
                }
            }
        }
    }

    /// What is on the wire is lost.
    fn cut_service(&mut self, now: Time, world: &mut World<'_>) {
        if self.is_numbered() {
            self.free_at = now;
            return self.end_numbered(now, None, world);
        }
        if let Some(InService { frame, class, .. }) = self.in_service.take() {
            self.free_at = now;
            self.departs = Time::NEVER;
            self.cut_off(now, frame, class.into(), world);
        }
    }

    fn go_down(&mut self, now: Time, world: &mut World<'_>) {
        self.cut_service(now, world);
        self.free_at = now;
        if let Some(retry) = self.retry() {
            retry.machine.go_down(now);
        }
        self.drop_if_cut_off(now, world);
    }

    fn come_up(&mut self, now: Time) {
        self.free_at = self.free_at.max(now);
        if let Some(retry) = self.retry() {
            retry.machine.come_up(now);
        }
        if let Some(classes) = self.classes() {
            classes.come_up(now);
        }
    }

    fn set_rate(&mut self, rate: Rate) {
        self.wire = Wire::new(rate);
        if let Some(retry) = self.retry() {
            self.wire = Wire::new(retry.set_rate(rate));
        }
        let rate = self.wire.rate();
        if let Some(classes) = self.classes() {
            classes.set_rate(rate);
        }
    }

    /// What waits is dropped where it does so for nothing.
    pub(super) fn drop_if_cut_off(&mut self, now: Time, world: &mut World<'_>) {
        let is_cut_off = self.extras.as_ref().is_some_and(|extras| extras.is_cut_off());
        if is_cut_off && world.discipline.on_down == OnDown::Drop {
            while let Some((frame, class)) = self.flush() {
                self.cut_off(now, frame, class, world);
            }
        }
    }

    /// Any frame that waits, and its queue.
    fn flush(&mut self) -> Option<(Frame, usize)> {
        if let Some(classes) = self.classes() {
            return classes.flush();
        }
        let class = usize::from(self.queues[0].is_empty());
        Some((self.queues[class].pop()?.frame, class))
    }

    /// Drops a frame that `flush` or the wire gave up.
    fn cut_off(&mut self, now: Time, frame: Frame, class: usize, world: &mut World<'_>) {
        let id = self.id;
        match self.classes() {
            Some(classes) => world.gone.extend(classes.left(frame, id, class, false)),
            None => self.bytes[class] -= frame.size().0,
        }
        if !frame.is_pfc() {
            self.flushed += frame.size().0;
            world.recorder.flushed(self.id, now, frame);
        }
        self.drop(now, frame, DropCause::LinkDown, world);
    }

    /// A frame has left: what it carries goes along with it, unless it is lost.
    fn send_note(&mut self, frame: Frame, lost: bool, world: &mut World<'_>) {
        let (id, far_end) = (self.id, self.far_end);
        if let Some(note) = self.classes().and_then(|classes| classes.take_note(frame))
            && let Some(notes) = world.notes.as_mut().filter(|_| !lost)
        {
            notes.depart(id, note, far_end, &mut world.outbox);
        }
    }

    /// Writes down for a packet that starts at `now` how things stand at this port.
    #[inline(never)]
    fn stamp(&mut self, now: Time, frame: Frame) {
        let extras = self.extras.as_deref();
        if frame.is_control() || extras.is_some_and(|extras| !extras.is_told_of) {
            return;
        }
        let moved = extras.map_or(0, |extras| extras.moved);
        let (port, rate, sent) = (self.id, self.wire.rate(), self.record.bytes);
        let flushed = self.flushed;
        let Some(classes) = self.classes() else { return };
        let backlog = classes.backlog();
        classes.stamp(Hop {
            port,
            at: now,
            queue: Bytes(backlog - frame.size().0),
            sent: Bytes(sent + moved),
            entered: Bytes(sent + flushed + backlog),
            rate,
        });
    }

    /// Begins to send what goes next, if the wire is free at `now` and the link up.
    #[inline]
    pub(in crate::engine) fn try_start(&mut self, now: Time, world: &World<'_>) {
        if self.in_service.is_none() && self.free_at <= now {
            self.start_extras(now, world);
        }
    }

    /// Takes the frame that goes at `now`, and its queue, if the wire is free and the link up.
    pub(in crate::engine) fn take_next(
        &mut self,
        now: Time,
        world: &World<'_>,
    ) -> Option<(Frame, usize)> {
        let is_free = self.in_service.is_none() && self.free_at <= now;
        let is_up = self.extras.as_ref().is_some_and(|extras| extras.is_up());
        if !is_free || !is_up || !self.may_start_new(now, world) {
            return None;
        }
        let extras = self.extras.as_deref_mut()?;
        extras.classes.as_mut()?.pop(now)
    }

    /// What middleware has written into the note of the frame that was taken, if it carries one.
    pub(in crate::engine) fn note_taken(&mut self) -> tor::Note {
        self.classes().map(|classes| classes.note_taken()).unwrap_or_default()
    }

    /// Begins to send what was taken.
    pub(in crate::engine) fn begin_next(
        &mut self,
        now: Time,
        frame: Frame,
        class: usize,
        world: &World<'_>,
    ) {
        if world.notes.is_some() {
            self.stamp(now, frame);
        }
        self.start(now, frame, class, world.discipline.gap);
    }

    /// What was taken goes nowhere: middleware has dropped it. Returns what the switch has to know.
    pub(in crate::engine) fn refuse(
        &mut self,
        now: Time,
        frame: Frame,
        class: usize,
        world: &mut World<'_>,
    ) -> Option<Gone> {
        let id = self.id;
        self.flushed += frame.size().0;
        world.recorder.flushed(id, now, frame);
        world.hosts.note_dropped(frame);
        world.recorder.dropped_within(now, frame);
        self.classes()?.left(frame, id, class, false)
    }

    fn start_extras(&mut self, now: Time, world: &World<'_>) {
        if self.extras.as_ref().is_none_or(|extras| !extras.is_up()) || !self.passes(now) {
            return;
        }
        if !self.may_start_new(now, world) {
            return;
        }
        let Some(extras) = &mut self.extras else { return };
        let gap = world.discipline.gap;
        match &mut extras.classes {
            None => {
                self.start_next(now, gap);
            }
            Some(classes) if classes.ordered_set_at() <= now => {
                self.starts_ordered_set(now);
            }
            Some(classes) => {
                if let Some((frame, class)) = classes.pop(now) {
                    if world.notes.is_some() {
                        self.stamp(now, frame);
                    }
                    self.start(now, frame, class, gap);
                }
            }
        }
    }

    /// Whether a frame that comes in here could, as far as is known, make the far end pause or set a
    /// new maximum of the bytes counted.
    #[inline]
    pub(in crate::engine) fn may_pause_for(&self, frame: Frame) -> bool {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.is_some_and(|classes| classes.may_be_noted(frame))
    }

    /// A frame that came in here joined a queue of data class `class`. Returns whether the far end
    /// is to pause the class from now on.
    #[inline]
    pub(in crate::engine) fn count_in(&mut self, now: Time, class: usize, size: u64) -> bool {
        let counted = self.classes().and_then(|classes| classes.entered(class, size));
        let (Some(counted), Some(record)) = (counted, &mut self.record.pfc) else { return false };
        record.ingress_bytes_max = record.ingress_bytes_max.max(counted.bytes);
        if counted.pauses {
            self.note_turn(now, true);
        }
        counted.pauses
    }

    /// So many pauses were not heeded.
    #[cold]
    pub(in crate::engine) fn note_ignored(&mut self, pauses: u64) {
        if let Some(record) = &mut self.record.pfc {
            record.ignored += pauses;
        }
    }

    #[cold]
    fn note_turn(&mut self, now: Time, pauses: bool) {
        if let Some(record) = &mut self.record.pfc {
            record.turn(now, pauses);
        }
    }

    /// A frame of data class `class` that came in here is gone. Returns whether the far end may resume.
    #[inline]
    pub(in crate::engine) fn count_out(&mut self, now: Time, class: usize, size: u64) -> bool {
        let resumes = self.classes().is_some_and(|classes| classes.departed(class, size));
        if resumes {
            self.note_turn(now, false);
        }
        resumes
    }

    /// Whether the far end is to pause a data class; nothing without flow control.
    pub(in crate::engine) fn is_pausing(&mut self, class: usize) -> Option<bool> {
        self.classes()?.is_pausing(class)
    }

    /// The memory's policy has the far end pause a data class or resume.
    pub(in crate::engine) fn turn(&mut self, now: Time, class: usize, pauses: bool) {
        if let Some(classes) = self.classes() {
            classes.turn(class, pauses);
        }
        self.note_turn(now, pauses);
    }

    /// Frames of these classes, a bit each, that are in line behind the one in service.
    pub(in crate::engine) fn in_line(&self, classes: u8) -> usize {
        let own = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        own.map_or(0, |own| own.in_line(classes))
    }

    /// Takes what is late when its link closes: all that waits but data of the classes `waiting`, queue by
    /// queue, data first.
    pub(in crate::engine) fn take_late(
        &mut self,
        now: Time,
        waiting: u8,
        late: &mut Vec<Frame>,
        world: &mut World<'_>,
    ) {
        let first = late.len();
        match self.classes() {
            Some(classes) => classes.take_late(waiting, late),
            None => {
                // The only class of data is number 0.
                let stays = |frame: Frame| !frame.is_control() && waiting & 1 == 1;
                for (queue, bytes) in self.queues.iter_mut().zip(&mut self.bytes) {
                    let taken = late.len();
                    queue.take_unless(stays, late);
                    *bytes -= late[taken..].iter().map(|frame| frame.size().0).sum::<u64>();
                }
            }
        }
        for &frame in &late[first..] {
            self.flushed += frame.size().0;
            world.recorder.late(self.id, now, frame);
        }
        if late.len() > first && self.in_service.is_none() {
            // What is left may fit where this did not, from now on.
            self.free_at = self.free_at.max(now);
        }
    }

    /// Drops a frame that waited here for a circuit and has no other way.
    pub(in crate::engine) fn lose(&mut self, now: Time, frame: Frame, world: &mut World<'_>) {
        self.drop(now, frame, DropCause::LinkDown, world);
    }

    /// Its number in the fabric.
    pub(in crate::engine) fn id(&self) -> PortId {
        self.id
    }

    /// A bit for each data class that the far end is to pause.
    pub(in crate::engine) fn pausing(&self) -> u8 {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.map_or(0, Classes::pausing)
    }

    /// A bit for each data class that waits for credit.
    pub(in crate::engine) fn without_credit(&self) -> u8 {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        classes.map_or(0, Classes::without_credit)
    }

    /// What credits came to, in a run that ends at `end`.
    pub(in crate::engine) fn credit_record(&self, end: Time) -> Option<CreditRecord> {
        self.extras.as_ref()?.classes.as_ref()?.credit_record(end)
    }

    /// Data that waits: its class, and the port that it came in through.
    pub(in crate::engine) fn waiting(&self) -> impl Iterator<Item = Waiting> {
        let classes = self.extras.as_ref().and_then(|extras| extras.classes.as_ref());
        let waiting = classes.into_iter().flat_map(Classes::waiting);
        waiting.map(|(class, came_in)| (self.id, class, came_in))
    }

    /// The queues, where there are classes.
    #[inline]
    pub(in crate::engine) fn classes(&mut self) -> Option<&mut Classes> {
        self.extras.as_mut()?.classes.as_mut()
    }
}
