//! What becomes of each packet of data that a switch's memory was asked for: rows to train an oracle
//! on (Credence spec, 2.5 and 2.8).
//!
//! A row is written when a packet's fate is known: it has left, or it was refused or pushed out. Queues
//! are first in, first out, and lose their last packet to others, so that nothing has to be kept with
//! a packet. What a link loses, and what still waits at the end, has no row.
//!
//! Reading: a packet that displaces others has the features that it found when it came; the released
//! code reads them after the push-outs, and has push-outs move the averages, too.

use crate::record::TrainingRow;
use raddle_schemes::buffer::features::Averages;
use raddle_schemes::buffer::forest::Features;
use raddle_schemes::buffer::{Admission, BufferContext, Candidate, Departed, MemoryView, QueueId};
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// One switch's lessons.
pub(super) struct Training {
    averages: Averages,
    /// Of each queue, by place, what its packets found.
    waiting: Vec<VecDeque<Features>>,
    asked: Option<Asked>,
    rows: Vec<TrainingRow>,
}

/// A frame for which the memory was asked, and that has not joined yet.
struct Asked {
    frame: Candidate,
    at: Time,
    /// What it found, if it is one of data.
    found: Option<Features>,
    /// The queue that is to lose a packet for it; none, once it has.
    displaces: Option<QueueId>,
}

impl Training {
    pub(super) fn new(context: &BufferContext) -> Self {
        let places = context.places();
        Self {
            averages: Averages::new(places, true, context.base_rtt),
            waiting: vec![VecDeque::new(); places],
            asked: None,
            rows: Vec::new(),
        }
    }

    /// The memory is asked, maybe again after a packet has gone for this one.
    pub(super) fn ask(&mut self, at: Time, frame: &Candidate, memory: &MemoryView<'_>) {
        if let Some(asked) = &self.asked {
            if asked.displaces.is_none() && asked.frame == *frame && asked.at == at {
                return;
            }
            // Nobody could go for it.
            self.refuse();
        }
        let is_data = memory.is_data(frame.queue);
        let found = is_data.then(|| self.averages.features(memory.place(frame.queue), memory));
        self.asked = Some(Asked { frame: *frame, at, found, displaces: None });
    }

    /// What the memory says; `has_room`: whether the packet fits.
    pub(super) fn answer(&mut self, admission: Admission, has_room: bool) {
        match admission {
            Admission::Keep if has_room => {}
            Admission::Keep | Admission::Refuse => self.refuse(),
            Admission::PushOut(queue) => {
                let asked = self.asked.iter_mut();
                asked.for_each(|asked| asked.displaces = Some(queue));
            }
        }
    }

    /// A packet joins a queue, for which the memory was asked.
    pub(super) fn join(&mut self, frame: &Candidate, memory: &MemoryView<'_>) {
        let found = self.asked.take().and_then(|asked| asked.found);
        self.waiting[memory.place(frame.queue)].extend(found);
    }

    /// A packet is gone from its queue, which `memory` shows without it.
    pub(super) fn leave(&mut self, now: Time, frame: &Departed, memory: &MemoryView<'_>) {
        if !memory.is_data(frame.queue) {
            return;
        }
        let place = memory.place(frame.queue);
        if frame.sent {
            if let Some(found) = self.waiting[place].pop_front() {
                self.rows.push(TrainingRow { found, dropped: false });
            }
            self.averages.depart(now, place, memory);
            return;
        }
        let displaced = self.asked.as_mut().filter(|asked| asked.displaces == Some(frame.queue));
        let Some(asked) = displaced else {
            // Its link has lost it.
            self.waiting[place].pop_front();
            return;
        };
        asked.displaces = None;
        if let Some(found) = self.waiting[place].pop_back() {
            self.rows.push(TrainingRow { found, dropped: true });
        }
    }

    fn refuse(&mut self) {
        let found = self.asked.take().and_then(|asked| asked.found);
        self.rows.extend(found.map(|found| TrainingRow { found, dropped: true }));
    }

    /// The rows, at the end of a run.
    pub(super) fn rows(&self) -> Vec<TrainingRow> {
        // Nobody could go for it.
        let last = self.asked.iter().filter(|asked| asked.displaces.is_some());
        let last = last.filter_map(|asked| asked.found);
        let last = last.map(|found| TrainingRow { found, dropped: true });
        self.rows.iter().copied().chain(last).collect()
    }
}
