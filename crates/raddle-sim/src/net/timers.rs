//! A host's timers, in order.

use dary_heap::QuaternaryHeap;
use raddle_schemes::units::Time;
use std::cmp::Reverse;

/// What a host's timer is for. At one instant they fire in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TimerKind {
    /// A flow starts.
    Start,
    /// A flow's pace lets the next packet go.
    Pace,
    /// A retransmission timeout or a scheme's own timer.
    Wake,
    /// The pull pacer hands out credit.
    Pull,
}

/// A timer of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timer {
    pub(crate) at: Time,
    pub(crate) kind: TimerKind,
    /// The sender slot it is for; 0 for the pull pacer.
    pub(crate) slot: u32,
}

/// The timers that are set.
#[derive(Default)]
pub(super) struct Timers {
    /// For the next of the flows that start at given times. It is earlier than most others, so that
    /// among them it would have to come up through all of them, and they to close up behind it.
    start: Option<Timer>,
    others: QuaternaryHeap<Reverse<Timer>>,
}

impl Timers {
    pub(super) fn set(&mut self, timer: Timer) {
        self.others.push(Reverse(timer));
    }

    /// Sets the timer for the next flow that starts at a given time. One that is set still is of a
    /// flow that a trigger has started before its time.
    pub(super) fn set_start(&mut self, timer: Timer) {
        self.start = Some(timer);
    }

    /// The first one.
    pub(super) fn first(&self) -> Option<Timer> {
        let other = self.others.peek().map(|&Reverse(timer)| timer);
        match (self.start, other) {
            (Some(start), Some(other)) => Some(start.min(other)),
            (start, other) => start.or(other),
        }
    }

    /// Takes the first one.
    pub(super) fn pop(&mut self) -> Option<Timer> {
        let other = self.others.peek().map(|&Reverse(timer)| timer);
        if self.start.is_some_and(|start| other.is_none_or(|other| start < other)) {
            return self.start.take();
        }
        self.others.pop().map(|Reverse(timer)| timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_of_time_kind_and_slot() {
        let timer = |at, kind, slot| Timer { at: Time(at), kind, slot };
        let sorted = [
            timer(1, TimerKind::Wake, 9),
            timer(2, TimerKind::Start, 4),
            timer(2, TimerKind::Start, 5),
            timer(2, TimerKind::Pace, 0),
            timer(2, TimerKind::Wake, 0),
            timer(3, TimerKind::Start, 1),
        ];
        for listed in sorted.iter().filter(|timer| timer.kind == TimerKind::Start) {
            let mut timers = Timers::default();
            timers.set_start(*listed);
            sorted.iter().rev().filter(|&timer| timer != listed).for_each(|t| timers.set(*t));
            for expected in sorted {
                assert_eq!(timers.first(), Some(expected));
                assert_eq!(timers.pop(), Some(expected));
            }
            assert_eq!((timers.first(), timers.pop()), (None, None));
        }
    }
}
