//! Link-level retry (LLR) of Ultra Ethernet, both ends of it, as the sending port plays them.
//!
//! All that the far end does follows from what the sending port knows: which frames left when, the coin
//! of each, how long the cable is, and the faults of both directions, which are fixed before a run. Its
//! answers wait for no frame. So nothing of this travels: a frame that the far end takes in goes on the
//! link when its last bit leaves, one that it does not take in never does, and answers are played here,
//! when they are back ([design/0030](../../../../docs/design/0030-link-level-retry.md)).

mod facts;
mod number;
mod receiver;
#[cfg(test)]
mod tests;
mod way_back;

pub(crate) use facts::RetryFacts;
pub(crate) use receiver::{Coming, Verdict};

use crate::plan::{Flush, Llr, WITHOUT_END};
use crate::record::RetryRecord;
use number::Number;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use receiver::{Answer, Receiver};
use std::collections::VecDeque;

/// What the wire may take next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A new frame.
    New,
    /// A new frame of flow control; the window has no room for others.
    FlowControl,
    /// The next copy.
    Copy,
    /// A new frame, without a number: it is lost if noise spoils it.
    Unnumbered,
    /// A new frame, which the far end throws away.
    Discarded,
    /// Nothing.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// New frames go.
    Advance,
    /// Copies go, this one next.
    Replay(usize),
    /// Copies will be given up when the frame in service has left.
    Failing,
    /// They were: there is no retry.
    Off,
    /// The far end has been asked to begin anew.
    Init,
}

/// A frame that the far end has not acknowledged.
#[derive(Clone, Debug)]
struct Copy<T> {
    item: T,
    bytes: u64,
}

/// A frame on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serving {
    number: Number,
    pub(crate) verdict: Verdict,
    /// Whether it is a copy.
    pub(crate) is_copy: bool,
    pub(crate) bytes: u64,
}

/// One direction of a link. Copies are of `T`. Calls come in order of time.
pub(crate) struct Retry<T> {
    llr: Llr,
    bytes_max: u64,
    /// The largest new frame: the window has room for it, or for none.
    largest: u64,
    /// The time of the cable.
    delay: Span,
    /// The link's present rate.
    rate: Rate,
    is_up: bool,
    state: State,
    /// The number of the first copy.
    first: Number,
    copies: VecDeque<Copy<T>>,
    /// Of all copies.
    bytes: u64,
    tries: u32,
    /// Without an answer until then, copies go.
    deadline: Time,
    /// When copies are given up: for the frame in service, or for the link that is down.
    fails_at: Time,
    /// When the far end is known to have begun anew.
    ready_at: Time,
    /// The last bit of what was last on the wire has left by then.
    busy_until: Time,
    receiver: Receiver,
    /// Answers on their way.
    answers: VecDeque<Answer>,
    /// Given up and never taken in.
    pub(crate) lost: VecDeque<T>,
    pub(crate) record: RetryRecord,
}

impl<T: Clone> Retry<T> {
    pub(crate) fn new(facts: RetryFacts) -> Self {
        let RetryFacts { llr, bytes_max, largest, delay, rate, back, answer_stream } = facts;
        Self {
            llr,
            bytes_max,
            largest,
            delay,
            rate,
            is_up: true,
            state: State::Advance,
            first: Number::default(),
            copies: VecDeque::new(),
            bytes: 0,
            tries: 0,
            deadline: Time::NEVER,
            fails_at: Time::NEVER,
            ready_at: Time::NEVER,
            busy_until: Time::ZERO,
            receiver: Receiver::new(&llr, back, delay, answer_stream),
            answers: VecDeque::new(),
            lost: VecDeque::new(),
            record: RetryRecord::default(),
        }
    }

    /// What the wire, if it is free, may take now.
    pub(crate) fn turn(&self) -> Turn {
        match (self.is_up, self.state, self.llr.flush) {
            (false, ..) | (_, State::Failing, _) => Turn::Nothing,
            (_, State::Replay(_), _) => Turn::Copy,
            (_, State::Advance, _) => {
                let frames = self.copies.len() < self.llr.frames_max as usize;
                let fits = frames && self.bytes + self.largest <= self.bytes_max;
                if fits { Turn::New } else { Turn::FlowControl }
            }
            (_, State::Off | State::Init, Flush::Block) => Turn::Nothing,
            (_, State::Off | State::Init, Flush::BestEffort) => Turn::Unnumbered,
            (_, State::Off | State::Init, Flush::Discard) => Turn::Discarded,
        }
    }

    /// Whether there is nothing to do, whatever the link does.
    pub(crate) fn is_idle(&self) -> bool {
        self.copies.is_empty()
    }

    /// Whether the link is down and frames that wait for it do so for nothing.
    pub(crate) fn is_cut_off(&self) -> bool {
        !self.is_up && self.state == State::Off
    }

    /// A new frame starts, whose last bit leaves at `departs`.
    pub(crate) fn start(
        &mut self,
        (now, departs): (Time, Time),
        (item, size): (T, Bytes),
        coming: Coming,
    ) -> Serving {
        if self.copies.is_empty() {
            self.deadline = now + self.llr.timer;
        }
        let number = self.first.plus(self.copies.len() as u32);
        self.copies.push_back(Copy { item, bytes: size.0 });
        self.bytes += size.0;
        self.record.kept_bytes_max = self.record.kept_bytes_max.max(self.bytes);
        let verdict = self.send(departs, number, coming);
        Serving { number, verdict, is_copy: false, bytes: size.0 }
    }

    /// The copy that goes next.
    pub(crate) fn next_copy(&self) -> Option<(T, Bytes)> {
        let State::Replay(next) = self.state else { return None };
        self.copies.get(next).map(|copy| (copy.item.clone(), Bytes(copy.bytes)))
    }

    /// It starts, and its last bit leaves at `departs`.
    pub(crate) fn start_copy(&mut self, departs: Time, coming: Coming) -> Option<Serving> {
        let State::Replay(next) = self.state else { return None };
        let bytes = self.copies.get(next)?.bytes;
        let number = self.first.plus(next as u32);
        self.state = State::Replay(next + 1);
        if next + 1 == self.copies.len() {
            self.state = State::Advance;
            self.deadline = departs + self.llr.timer;
        }
        let verdict = self.send(departs, number, coming);
        Some(Serving { number, verdict, is_copy: true, bytes })
    }

    fn send(&mut self, departs: Time, number: Number, coming: Coming) -> Verdict {
        self.busy_until = departs;
        let arrival = departs + self.delay;
        if self.receiver.due() < arrival {
            self.answers.extend(self.receiver.answer());
        }
        self.receiver.take(arrival, number, coming)
    }

    /// What a frame that is in service, or has just left, is a copy of from now on.
    pub(crate) fn rewrite(&mut self, serving: Serving, item: T) {
        let place = serving.number.since(self.first) as usize;
        if let Some(copy) = self.copies.get_mut(place) {
            copy.item = item;
        }
    }

    /// The copy of a frame that is in service, or has just left.
    pub(crate) fn kept(&self, serving: Serving) -> Option<T> {
        let place = serving.number.since(self.first) as usize;
        self.copies.get(place).map(|copy| copy.item.clone())
    }

    /// When something happens next, but for changes of the link.
    pub(crate) fn next_event(&self) -> Time {
        let answer = self.answers.front().map_or(self.receiver.back(), |answer| answer.back);
        answer.min(self.deadline).min(self.fails_at).min(self.ready_at)
    }

    /// What happens at `now`, after the changes of the link.
    pub(crate) fn play(&mut self, now: Time) {
        if self.receiver.back() <= now {
            self.answers.extend(self.receiver.answer());
        }
        while let Some(answer) = self.answers.front().copied().filter(|own| own.back <= now) {
            self.answers.pop_front();
            self.on_answer(now, answer);
        }
        if self.deadline <= now {
            self.record.timeouts += 1;
            self.replay(now);
        }
        if self.fails_at <= now {
            self.give_up(now);
        }
        if self.ready_at <= now {
            self.ready_at = Time::NEVER;
            self.state = State::Advance;
        }
    }

    fn on_answer(&mut self, now: Time, answer: Answer) {
        if matches!(self.state, State::Off | State::Init) {
            return;
        }
        let known = answer.last.plus(1).since(self.first) as usize;
        // Of what was acknowledged before there is no copy.
        let known = if known > self.copies.len() { 0 } else { known };
        self.bytes -= self.copies.drain(..known).map(|copy| copy.bytes).sum::<u64>();
        self.first = self.first.plus(known as u32);
        if let State::Replay(next) = &mut self.state {
            *next = next.saturating_sub(known);
        }
        if known > 0 {
            self.tries = 0;
            let waits = self.is_up && self.state == State::Advance && !self.copies.is_empty();
            self.deadline = if waits { now + self.llr.timer } else { Time::NEVER };
        }
        if self.copies.is_empty() && matches!(self.state, State::Replay(_)) {
            self.state = State::Advance;
        }
        if answer.is_nack {
            self.record.nacks += 1;
            if self.is_up {
                self.replay(now);
            }
        }
    }

    /// Copies go from the first on, when the frame in service has left.
    fn replay(&mut self, now: Time) {
        if !matches!(self.state, State::Advance | State::Replay(_)) {
            return;
        }
        self.deadline = Time::NEVER;
        self.tries += 1;
        if self.llr.replays_max != WITHOUT_END && self.tries > self.llr.replays_max {
            self.state = State::Failing;
            self.fails_at = self.busy_until.max(now);
        } else {
            self.state = State::Replay(0);
        }
    }

    /// Frames that have not been taken in, and of which there is no copy on the wire, are lost.
    fn give_up(&mut self, now: Time) {
        let taken = self.receiver.expected().since(self.first) as usize;
        self.lost.extend(self.copies.drain(..).skip(taken).map(|copy| copy.item));
        self.record.flushed += self.lost.len() as u64;
        (self.bytes, self.tries) = (0, 0);
        (self.deadline, self.fails_at) = (Time::NEVER, Time::NEVER);
        self.answers.clear();
        self.receiver.forget();
        self.state = State::Off;
        self.init(now);
    }

    /// The far end is asked to begin anew, if the link is up and may.
    fn init(&mut self, now: Time) {
        if self.is_up && self.llr.reinit {
            self.state = State::Init;
            self.first = Number::default();
            let asked = now + self.rate.serialisation(Llr::CONTROL) + self.delay;
            self.ready_at = self.receiver.begin_anew(asked);
        }
    }

    /// The link goes down; what was in service is cut.
    pub(crate) fn go_down(&mut self, now: Time) {
        self.is_up = false;
        self.deadline = Time::NEVER;
        self.busy_until = self.busy_until.min(now);
        match self.state {
            State::Advance | State::Replay(_) => self.fails_at = now + self.llr.down_timeout,
            State::Failing => self.fails_at = now,
            State::Init => (self.state, self.ready_at) = (State::Off, Time::NEVER),
            State::Off => {}
        }
    }

    /// The link comes up.
    pub(crate) fn come_up(&mut self, now: Time) {
        self.is_up = true;
        match self.state {
            State::Advance | State::Replay(_) => {
                self.fails_at = Time::NEVER;
                let nothing = self.copies.is_empty();
                self.state = if nothing { State::Advance } else { State::Replay(0) };
            }
            State::Off => self.init(now),
            State::Failing | State::Init => {}
        }
    }

    /// Takes a frame that was given up.
    pub(crate) fn next_lost(&mut self) -> Option<T> {
        self.lost.pop_front()
    }

    /// The link has another rate from now on.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// Frames that the far end has not taken in.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &T> {
        let taken = self.receiver.expected().since(self.first) as usize;
        self.copies.iter().skip(taken).map(|copy| &copy.item)
    }
}

impl Serving {
    /// The far end takes it in.
    pub(crate) fn is_accepted(&self) -> bool {
        self.verdict == Verdict::Accepted
    }
}
