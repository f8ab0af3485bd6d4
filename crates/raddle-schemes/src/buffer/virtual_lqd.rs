//! The queues that longest queue drop would have, as counters: the thresholds of FollowLQD and
//! Credence.

use super::{BufferContext, Candidate, Left, MemoryView};
use crate::probe::{OfPort, Probes};
use crate::units::{Bytes, Time};
use alloc::vec::Vec;

/// One counter per queue of data, in bytes (Credence spec, 2.2 to 2.4).
#[derive(Clone, Debug)]
pub(super) struct Thresholds {
    /// By place, as in [`MemoryView::queues`]; those of control stay 0.
    of: Vec<u64>,
    /// Since when each has drained on its own: its queue is empty.
    idle_since: Vec<Time>,
    ports: usize,
    sum: u64,
    size: u64,
    /// What the longest gives at a time.
    step: u64,
    /// Whether a counter falls to 0 when its queue becomes empty, as in the released code.
    forgets: bool,
}

impl Thresholds {
    pub(super) fn new(context: &BufferContext, forgets: bool) -> Self {
        let places = context.places();
        Self {
            of: alloc::vec![0; places],
            idle_since: alloc::vec![Time::ZERO; places],
            ports: context.ports as usize,
            sum: 0,
            size: context.size.0,
            step: context.packet.0.max(1),
            forgets,
        }
    }

    /// The sum of the counters, and those of each port.
    pub(super) fn probes(&self, to: &mut dyn Probes) {
        to.bytes("thresholds", Bytes(self.sum));
        let classes = self.of.len() / self.ports.max(1);
        for (port, own) in (0..).zip(self.of.chunks(classes.max(1))) {
            OfPort { port, to }.bytes("threshold", Bytes(own.iter().sum()));
        }
    }

    /// A frame has come, whatever becomes of it (spec 2.2.1). Returns the counter of its queue.
    pub(super) fn arrive(&mut self, now: Time, frame: &Candidate, memory: &MemoryView<'_>) -> u64 {
        self.drain(now, memory);
        let bytes = frame.bytes.0.min(self.size);
        while self.sum + bytes > self.size {
            let longest = self.longest();
            self.take(longest, self.step);
        }
        self.join(frame, memory)
    }

    /// What [`arrive`](Self::arrive) would return, if no counter has to give way for the frame, whatever
    /// has left elsewhere. The frame has not come yet.
    pub(super) fn early(
        &mut self,
        now: Time,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<u64> {
        let own = memory.place(frame.queue);
        // Drained at once or by and by: the same, where a byte takes whole picoseconds.
        if !self.forgets {
            self.drain_one(own, now, memory);
        }
        let bytes = frame.bytes.0.min(self.size);
        (self.sum + bytes <= self.size).then_some(self.of[own] + bytes)
    }

    /// A frame has come for which no counter has to give way. Returns the counter of its queue.
    pub(super) fn join(&mut self, frame: &Candidate, memory: &MemoryView<'_>) -> u64 {
        let own = memory.place(frame.queue);
        let bytes = frame.bytes.0.min(self.size);
        self.of[own] += bytes;
        self.sum += bytes;
        self.of[own]
    }

    /// Frames have left, or one was lost with its link: once the queue is empty the counter drains on
    /// its own.
    pub(super) fn depart(&mut self, left: &Left, memory: &MemoryView<'_>) {
        let own = memory.place(left.queue);
        if left.sent {
            self.take(own, left.bytes.0);
        }
        if memory.queues[own] == 0 {
            self.idle_since[own] = left.last;
            if self.forgets {
                self.take(own, u64::MAX);
            }
        }
    }

    /// Counters of empty queues drain at the rate of their port (spec 2.3, packet form).
    fn drain(&mut self, now: Time, memory: &MemoryView<'_>) {
        if self.forgets {
            return;
        }
        for place in 0..self.of.len() {
            self.drain_one(place, now, memory);
        }
    }

    #[inline]
    fn drain_one(&mut self, place: usize, now: Time, memory: &MemoryView<'_>) {
        if memory.queues[place] > 0 || self.idle_since[place] >= now {
            return;
        }
        let rate = memory.rates[place / memory.classes as usize];
        let drained = rate.bytes_in(now.since(self.idle_since[place]));
        if self.of[place] <= drained.0 {
            self.idle_since[place] = now;
        } else {
            let until = self.idle_since[place] + rate.serialisation(drained);
            self.idle_since[place] = until.min(now);
        }
        self.take(place, drained.0);
    }

    /// The largest counter, of several the first.
    fn longest(&self) -> usize {
        let longer =
            |best: usize, place: usize| if self.of[place] > self.of[best] { place } else { best };
        (0..self.of.len()).fold(0, longer)
    }

    fn take(&mut self, place: usize, bytes: u64) {
        let taken = bytes.min(self.of[place]);
        self.of[place] -= taken;
        self.sum -= taken;
    }

    #[cfg(test)]
    pub(super) fn counters(&self) -> &[u64] {
        &self.of
    }
}

#[cfg(test)]
mod tests {
    use super::super::slotted;
    use super::super::{QueueId, slotted::candidate};
    use super::*;
    use crate::units::{Bytes, Rate, Span};

    #[test]
    fn counters_go_as_longest_queue_drop_would() {
        // Credence spec, section 6, item 7: B = 4, N = 2. Places of control stand in between.
        let mut own = Thresholds::new(&slotted::context(2, 4), false);
        let (queues, ingress, rates) = ([0; 4], [0; 4], [Rate::gbps(8); 2]);
        let memory = MemoryView {
            size: Bytes(4),
            used: Bytes(0),
            classes: 2,
            queues: &queues,
            ingress: &ingress,
            rates: &rates,
        };
        let mut course = Vec::new();
        for port in [0, 0, 0, 0, 1, 0] {
            own.arrive(Time::ZERO, &candidate(port), &memory);
            course.push((own.counters()[0], own.counters()[2]));
        }
        assert_eq!(course, [(1, 0), (2, 0), (3, 0), (4, 0), (3, 1), (3, 1)]);
        // One phase of departures: queue 0 sends a packet, queue 1 is empty and drains on its own.
        let queue = QueueId { port: 0, class: 0 };
        let now = Time::ZERO + Span::ns(1);
        let busy = MemoryView { queues: &[2, 0, 0, 0], ..memory };
        own.depart(&Left { queue, bytes: Bytes(1), sent: true, last: now }, &busy);
        own.drain(now, &busy);
        assert_eq!((own.counters()[0], own.counters()[2], own.sum), (2, 0, 2));
    }

    #[test]
    fn what_drains_in_part_keeps_its_fraction_of_a_byte() {
        let mut own = Thresholds::new(&slotted::context(1, 100), false);
        let (queues, rates) = ([0; 2], [Rate::gbps(8)]);
        let memory = MemoryView {
            size: Bytes(100),
            used: Bytes(0),
            classes: 2,
            queues: &queues,
            ingress: &queues,
            rates: &rates,
        };
        for _ in 0..10 {
            own.arrive(Time::ZERO, &candidate(0), &memory);
        }
        // A byte takes 1 ns: at 2.5 ns two are gone, at 3 ns three.
        own.drain(Time(2_500), &memory);
        assert_eq!(own.counters()[0], 8);
        own.drain(Time(3_000), &memory);
        assert_eq!(own.counters()[0], 7);
    }
}
