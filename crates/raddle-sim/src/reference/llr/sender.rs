//! The sending end of a link with retry: section 2.1 of what is known of the standard.

use crate::plan::{Flush, Llr, WITHOUT_END};
use crate::record::RetryRecord;
use crate::retry::RetryFacts;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// Numbers are below this.
pub(super) const NUMBERS: u32 = 1 << 20;

/// A frame's number, and what its way does to it.
#[derive(Clone, Copy)]
pub(in crate::reference) struct Numbered {
    pub(super) number: u32,
    pub(in crate::reference) is_copy: bool,
    /// Whether noise spoils it, or the link goes down under it.
    pub(in crate::reference) is_spoiled: bool,
    pub(in crate::reference) is_cut: bool,
}

/// What the wire may take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::reference) enum Next {
    /// Anything new.
    New,
    /// Nothing new but flow control.
    FlowControl,
    Copy,
    /// Anything new, without a number.
    Unnumbered,
    /// Anything new, which is thrown away.
    ThrownAway,
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Advance,
    Replay,
    /// It gives up when the frame in service has left.
    Failing,
    Off,
    Init,
}

pub(in crate::reference) struct Sender {
    llr: Llr,
    bytes_max: u64,
    largest: u64,
    mode: Mode,
    is_up: bool,
    /// The number of the first copy.
    first: u32,
    copies: VecDeque<(Frame, Note)>,
    /// The place of the copy that goes next.
    cursor: usize,
    tries: u32,
    deadline: Option<Time>,
    /// When it gives up.
    pub(super) fails_at: Option<Time>,
    busy_until: Time,
    /// How often it has given up, or had to stop asking to begin anew: what was before is void.
    pub(super) life: u32,
    pub(super) record: RetryRecord,
}

impl Sender {
    pub(in crate::reference) fn new(facts: RetryFacts) -> Self {
        Self {
            llr: facts.llr,
            bytes_max: facts.bytes_max,
            largest: facts.largest,
            mode: Mode::Advance,
            is_up: true,
            first: 0,
            copies: VecDeque::new(),
            cursor: 0,
            tries: 0,
            deadline: None,
            fails_at: None,
            busy_until: Time::ZERO,
            life: 0,
            record: RetryRecord::default(),
        }
    }

    fn is_off(&self) -> bool {
        matches!(self.mode, Mode::Off | Mode::Init)
    }

    fn bytes(&self) -> u64 {
        self.copies.iter().map(|(frame, _)| frame.size().0).sum()
    }

    pub(in crate::reference) fn next(&self) -> Next {
        if !self.is_up {
            return Next::Nothing;
        }
        let has_room = self.copies.len() < self.llr.frames_max as usize
            && self.bytes() + self.largest <= self.bytes_max;
        match self.mode {
            Mode::Advance if has_room => Next::New,
            Mode::Advance => Next::FlowControl,
            Mode::Replay => Next::Copy,
            Mode::Failing => Next::Nothing,
            Mode::Off | Mode::Init => match self.llr.flush {
                Flush::Discard => Next::ThrownAway,
                Flush::Block => Next::Nothing,
                Flush::BestEffort => Next::Unnumbered,
            },
        }
    }

    /// Whether the link is down and nobody waits for it any more.
    pub(in crate::reference) fn is_cut_off(&self) -> bool {
        !self.is_up && self.mode == Mode::Off
    }

    /// The rate of the wire on which answers take their share.
    pub(in crate::reference) fn llr(&self) -> Llr {
        self.llr
    }

    /// A new frame starts. Returns its number.
    pub(in crate::reference) fn start(
        &mut self,
        (now, departs): (Time, Time),
        (frame, note): (Frame, Note),
        (is_spoiled, is_cut): (bool, bool),
    ) -> Numbered {
        if self.copies.is_empty() {
            self.deadline = Some(now + self.llr.timer);
        }
        let number = (self.first + self.copies.len() as u32) % NUMBERS;
        self.copies.push_back((frame, note));
        self.record.kept_bytes_max = self.record.kept_bytes_max.max(self.bytes());
        self.busy_until = departs;
        Numbered { number, is_copy: false, is_spoiled, is_cut }
    }

    /// The copy that goes next.
    pub(in crate::reference) fn next_copy(&self) -> Option<(Frame, Note)> {
        self.copies.get(self.cursor).cloned()
    }

    /// It starts. Returns its number.
    pub(in crate::reference) fn start_copy(
        &mut self,
        departs: Time,
        (is_spoiled, is_cut): (bool, bool),
    ) -> Numbered {
        let number = (self.first + self.cursor as u32) % NUMBERS;
        self.busy_until = departs;
        self.cursor += 1;
        if self.cursor == self.copies.len() {
            self.mode = Mode::Advance;
            self.deadline = Some(departs + self.llr.timer);
        }
        Numbered { number, is_copy: true, is_spoiled, is_cut }
    }

    /// What a new frame was when its last bit left.
    pub(in crate::reference) fn rewrite(&mut self, numbered: Numbered, frame: Frame, note: &Note) {
        let place = (numbered.number + NUMBERS - self.first) % NUMBERS;
        if let Some(copy) = self.copies.get_mut(place as usize) {
            *copy = (frame, note.clone());
        }
    }

    /// A frame with a number has left.
    pub(super) fn count(&mut self, numbered: Numbered, frame: Frame) {
        if numbered.is_copy {
            self.record.replayed_frames += 1;
            self.record.replayed_bytes += frame.size().0;
        } else {
            self.record.frames += 1;
        }
    }

    /// One without has started.
    pub(in crate::reference) fn count_unnumbered(&mut self) {
        self.record.unnumbered += 1;
    }

    /// All before `next` has been taken in.
    pub(super) fn on_answer(&mut self, now: Time, next: u32) {
        if self.is_off() {
            return;
        }
        let acked = ((next + NUMBERS - self.first) % NUMBERS) as usize;
        if acked == 0 || acked > self.copies.len() {
            return;
        }
        self.copies.drain(..acked);
        self.first = next;
        self.tries = 0;
        self.cursor = self.cursor.saturating_sub(acked);
        if self.mode == Mode::Replay && self.copies.is_empty() {
            self.mode = Mode::Advance;
            self.deadline = None;
        } else {
            let runs = self.mode == Mode::Advance && self.is_up && !self.copies.is_empty();
            self.deadline = runs.then_some(now + self.llr.timer);
        }
    }

    pub(super) fn on_nack(&mut self, now: Time) {
        if self.is_off() {
            return;
        }
        self.record.nacks += 1;
        if self.is_up {
            self.replay(now);
        }
    }

    pub(super) fn on_deadline(&mut self, now: Time) {
        if self.deadline == Some(now) {
            self.record.timeouts += 1;
            self.replay(now);
        }
    }

    fn replay(&mut self, now: Time) {
        if !matches!(self.mode, Mode::Advance | Mode::Replay) {
            return;
        }
        self.tries += 1;
        self.deadline = None;
        self.cursor = 0;
        self.mode = Mode::Replay;
        if self.llr.replays_max != WITHOUT_END && self.tries > self.llr.replays_max {
            self.mode = Mode::Failing;
            self.fails_at = Some(self.busy_until.max(now));
        }
    }

    /// Gives all copies up. Returns those of what the far end, which will expect `next`, has not got.
    pub(super) fn give_up(&mut self, next: u32) -> Vec<(Frame, Note)> {
        let lost: Vec<_> = self.not_before(next).cloned().collect();
        self.record.flushed += lost.len() as u64;
        self.copies.clear();
        (self.tries, self.deadline, self.fails_at) = (0, None, None);
        self.mode = Mode::Off;
        self.life += 1;
        lost
    }

    /// Copies of frames from a number on.
    pub(super) fn not_before(&self, next: u32) -> impl Iterator<Item = &(Frame, Note)> {
        let taken = (next + NUMBERS - self.first) % NUMBERS;
        self.copies.iter().skip(taken as usize)
    }

    /// Begins to ask the far end to begin anew, if it is to and can. Returns whether it does.
    pub(super) fn begins_anew(&mut self) -> bool {
        let begins = self.mode == Mode::Off && self.is_up && self.llr.reinit;
        if begins {
            self.mode = Mode::Init;
            self.first = 0;
        }
        begins
    }

    pub(super) fn is_ready(&mut self) {
        self.mode = Mode::Advance;
    }

    pub(super) fn go_down(&mut self, now: Time) {
        self.is_up = false;
        self.deadline = None;
        match self.mode {
            Mode::Advance | Mode::Replay => self.fails_at = Some(now + self.llr.down_timeout),
            Mode::Failing => self.fails_at = Some(now),
            Mode::Init => {
                self.mode = Mode::Off;
                self.life += 1;
            }
            Mode::Off => {}
        }
    }

    pub(super) fn come_up(&mut self) {
        self.is_up = true;
        if matches!(self.mode, Mode::Advance | Mode::Replay) {
            self.fails_at = None;
            self.cursor = 0;
            self.mode = if self.copies.is_empty() { Mode::Advance } else { Mode::Replay };
        }
    }

    /// When it has something to do of itself.
    pub(super) fn waits_until(&self) -> impl Iterator<Item = Time> + use<> {
        self.deadline.into_iter().chain(self.fails_at)
    }
}
