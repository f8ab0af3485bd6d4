//! Averages of queues by a policy that hears of what left when somebody looks, queue by queue: they
//! move in order of time when they are asked for.

use super::features::Averages;
use super::forest::Features;
use super::{Candidate, Left, MemoryView};
use crate::units::Time;
use alloc::vec::Vec;

/// More frames than this are not kept waiting.
const MANY: usize = 8_192;

/// A frame that joined or left a queue.
#[derive(Clone, Copy, Debug)]
struct Event {
    at: Time,
    place: u32,
    bytes: u32,
}

/// Averages, and what has still to move them.
#[derive(Clone, Debug)]
pub(super) struct LateAverages {
    averages: Averages,
    joined: Vec<Event>,
    left: Vec<Event>,
    /// The queues, and all of them, before that.
    queues: Vec<u64>,
    used: u64,
}

impl LateAverages {
    pub(super) fn new(averages: Averages, places: usize) -> Self {
        let queues = if averages.are_read() { alloc::vec![0; places] } else { Vec::new() };
        Self { averages, joined: Vec::new(), left: Vec::new(), queues, used: 0 }
    }

    /// Whether anybody reads them.
    pub(super) fn are_read(&self) -> bool {
        self.averages.are_read()
    }

    /// Whether so much has left that they have to [settle](Self::settle).
    pub(super) fn are_late(&self) -> bool {
        self.left.len() > MANY
    }

    /// A frame has joined.
    pub(super) fn join(&mut self, now: Time, frame: &Candidate, memory: &MemoryView<'_>) {
        if self.are_read() {
            self.joined.push(Event::new(now, memory.place(frame.queue), frame.bytes.0));
        }
    }

    /// A frame has left, of which nobody has heard in order.
    pub(super) fn hear(&mut self, left: &Left, memory: &MemoryView<'_>) {
        if self.are_read() {
            self.left.push(Event::new(left.last, memory.place(left.queue), left.bytes.0));
        }
    }

    /// A frame of data has left, of which all hear in order.
    pub(super) fn depart(&mut self, now: Time, place: usize, memory: &MemoryView<'_>) {
        self.joined.clear();
        self.averages.depart(now, place, memory);
    }

    /// What a packet for the queue at `place` finds, when all has been heard that has left.
    pub(super) fn features(&mut self, place: usize, memory: &MemoryView<'_>) -> Features {
        if !self.left.is_empty() {
            self.settle(memory);
        }
        self.averages.features(place, memory)
    }

    /// Moves the averages by all that has left, which has been heard. Of an instant what leaves goes
    /// first, port by port.
    pub(super) fn settle(&mut self, memory: &MemoryView<'_>) {
        let Self { averages, joined, left, queues, used } = self;
        left.sort_by_key(|event| (event.at, event.place));
        let mut joins = joined.drain(..).peekable();
        for event in left.drain(..) {
            while let Some(join) = joins.next_if(|join| join.at < event.at) {
                join.add_to(queues, used);
            }
            let place = event.place as usize;
            queues[place] -= u64::from(event.bytes);
            *used -= u64::from(event.bytes);
            if memory.is_data(memory.at(place)) {
                averages.step(event.at, place, queues[place], *used);
            }
        }
        joins.for_each(|join| join.add_to(queues, used));
    }
}

impl Event {
    fn new(at: Time, place: usize, bytes: u64) -> Self {
        Self { at, place: place as u32, bytes: bytes as u32 }
    }

    fn add_to(self, queues: &mut [u64], used: &mut u64) {
        queues[self.place as usize] += u64::from(self.bytes);
        *used += u64::from(self.bytes);
    }
}
