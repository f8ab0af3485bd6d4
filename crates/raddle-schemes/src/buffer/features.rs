//! What predictions of drops go by, as a switch keeps it (Credence spec, 2.7): averages of queues and
//! of the memory, which departures move.

use super::MemoryView;
use super::forest::Features;
use crate::units::{Span, Time};
use alloc::vec::Vec;

/// An average of the past.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    value: u64,
    at: Time,
}

/// Averages over a round trip, of each queue by place, then of the memory.
#[derive(Clone, Debug)]
pub struct Averages {
    of: Vec<Average>,
    base_rtt: Span,
}

impl Averages {
    /// Those of a switch with so many places of queues; of none, where nobody reads them.
    pub fn new(places: usize, is_read: bool, base_rtt: Span) -> Self {
        let averages = if is_read { places + 1 } else { 0 };
        Self { of: alloc::vec![Average::default(); averages], base_rtt }
    }

    /// Whether anybody reads them.
    pub fn are_read(&self) -> bool {
        !self.of.is_empty()
    }

    /// What a packet for the queue at `place` finds, before it joins.
    pub fn features(&self, place: usize, memory: &MemoryView<'_>) -> Features {
        let average = |place: usize| self.of.get(place).map_or(0, |average| average.value);
        Features {
            queue: memory.queues[place],
            queue_average: average(place),
            occupancy: memory.used.0,
            occupancy_average: average(memory.queues.len()),
        }
    }

    /// A packet has left the queue at `place`, which `memory` shows.
    pub fn depart(&mut self, now: Time, place: usize, memory: &MemoryView<'_>) {
        if self.are_read() {
            self.step(now, place, memory.queues[place], memory.used.0);
        }
    }

    /// The same where the queue has so many bytes left, and the memory.
    pub(super) fn step(&mut self, now: Time, place: usize, queued: u64, used: u64) {
        let whole = self.of.len() - 1;
        for (place, present) in [(place, queued), (whole, used)] {
            self.of[place] = averaged(self.of[place], present, now, self.base_rtt);
        }
    }
}

/// The average when `present` is what it is of: what is older than a round trip is forgotten.
fn averaged(average: Average, present: u64, now: Time, base_rtt: Span) -> Average {
    let weight = now.since(average.at).0.min(base_rtt.0) as f64 / base_rtt.0.max(1) as f64;
    let value = weight * present as f64 + (1.0 - weight) * average.value as f64;
    Average { value: value as u64, at: now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_forget_what_is_older_than_a_round_trip() {
        // Credence spec, section 6, item 11.
        let average = Average { value: 1_000, at: Time::ZERO };
        let after =
            |ns| averaged(average, 5_000, Time::ZERO + Span::ns(ns), Span::ns(24_000)).value;
        assert_eq!((after(6_000), after(24_000), after(90_000)), (2_000, 5_000, 5_000));
    }
}
