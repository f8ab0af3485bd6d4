//! A host's timers, in order.

use dary_heap::QuaternaryHeap;
use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// What a host's timer is for. At one instant they fire in this order, those of a kind
/// in order of flows: a host goes through its messages in the order in which they were posted.
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
    /// A congestion notification is in line.
    Cnp,
    /// A quantum comes from another GPU of the server.
    CrossbarQuantum,
    /// A message to another GPU of the server has come.
    CrossbarAnswer,
    /// The port out to the crossbar may take a quantum.
    CrossbarOut,
    /// The port in has taken one, or may.
    CrossbarIn,
}

impl TimerKind {
    /// Whether it is of a port to the crossbar of a server.
    pub(in crate::host) fn is_of_crossbar(self) -> bool {
        self > Self::Cnp
    }
}

/// A timer of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timer {
    pub(crate) at: Time,
    pub(crate) kind: TimerKind,
    /// The sender slot it is for, or the receiver slot of a notification or a quantum; 0 for the pull
    /// pacer and for ports to a crossbar.
    pub(crate) slot: u32,
}

/// The timers that are set.
///
/// Those for the pace, and wake-ups, that are set in their order, as those of flows with one pace or
/// one timeout are, wait in a queue: it touches one place of the memory where a heap touches many.
/// The first of each is here, so that the others are only looked at when it fires.
pub(in crate::host) struct Timers {
    /// The first of `wakes`, `paces` and `others`; [`Timer::NONE`] where there is none.
    wakes_first: Timer,
    paces_first: Timer,
    others_first: Timer,
    /// For the next of the flows that start at given times. It is earlier than most others, so that
    /// among them it would have to come up through all of them, and they to close up behind it.
    start: Timer,
    wakes: VecDeque<Timer>,
    paces: VecDeque<Timer>,
    others: QuaternaryHeap<Reverse<Timer>>,
}

impl Timer {
    /// After all others.
    const NONE: Self = Self { at: Time::NEVER, kind: TimerKind::CrossbarIn, slot: u32::MAX };
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            wakes_first: Timer::NONE,
            paces_first: Timer::NONE,
            others_first: Timer::NONE,
            start: Timer::NONE,
            wakes: VecDeque::new(),
            paces: VecDeque::new(),
            others: QuaternaryHeap::new(),
        }
    }
}

impl Timers {
    pub(in crate::host) fn set(&mut self, timer: Timer) {
        debug_assert!(timer.at != Time::NEVER, "a timer that never fires");
        let (queue, first) = match timer.kind {
            TimerKind::Wake => (&mut self.wakes, &mut self.wakes_first),
            TimerKind::Pace => (&mut self.paces, &mut self.paces_first),
            _ => return self.set_among_others(timer),
        };
        if first.at == Time::NEVER {
            *first = timer;
        } else if queue.back().is_some_and(|last| *last > timer) {
            return self.set_among_others(timer);
        }
        queue.push_back(timer);
    }

    fn set_among_others(&mut self, timer: Timer) {
        self.others_first = self.others_first.min(timer);
        self.others.push(Reverse(timer));
    }

    /// Sets the timer for the next flow that starts at a given time. One that is set still is of a
    /// flow that a trigger has started before its time.
    pub(in crate::host) fn set_start(&mut self, timer: Timer) {
        self.start = timer;
    }

    /// The slot of the timer for the pace that fires after `others`, if they were set in their order.
    #[inline]
    pub(in crate::host) fn paced(&self, others: usize) -> Option<u32> {
        self.paces.get(others).map(|timer| timer.slot)
    }

    /// When the first one fires; never, if there is none.
    #[inline]
    pub(in crate::host) fn first_at(&self) -> Time {
        let in_turn = self.wakes_first.at.min(self.paces_first.at);
        in_turn.min(self.others_first.at).min(self.start.at)
    }

    /// Takes the first one.
    pub(in crate::host) fn pop(&mut self) -> Option<Timer> {
        let in_turn = self.wakes_first.min(self.paces_first);
        let first = self.others_first.min(in_turn).min(self.start);
        if first.at == Time::NEVER {
            return None;
        }
        if first == self.wakes_first {
            self.wakes.pop_front();
            self.wakes_first = self.wakes.front().copied().unwrap_or(Timer::NONE);
        } else if first == self.paces_first {
            self.paces.pop_front();
            self.paces_first = self.paces.front().copied().unwrap_or(Timer::NONE);
        } else if first == self.others_first {
            self.others.pop();
            self.others_first = self.others.peek().map_or(Timer::NONE, |&Reverse(next)| next);
        } else {
            self.start = Timer::NONE;
        }
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    fn drawn(rng: &mut Rng) -> Timer {
        let kind = [TimerKind::Pace, TimerKind::Wake, TimerKind::Pull][rng.below(3) as usize];
        Timer { at: Time(rng.below(50)), kind, slot: rng.below(4) as u32 }
    }

    #[test]
    fn timers_set_in_any_order_fire_in_theirs() {
        let mut rng = Rng::new(1, "timers", 0);
        let (mut timers, mut model) = (Timers::default(), Vec::new());
        for _ in 0..10_000 {
            if rng.below(2) == 0 {
                let timer = drawn(&mut rng);
                timers.set(timer);
                model.push(timer);
                model.sort_unstable();
            } else {
                let first = (!model.is_empty()).then(|| model.remove(0));
                assert_eq!(timers.pop(), first);
            }
            assert_eq!(timers.first_at(), model.first().map_or(Time::NEVER, |first| first.at));
        }
    }

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
                assert_eq!(timers.first_at(), expected.at);
                assert_eq!(timers.pop(), Some(expected));
            }
            assert_eq!((timers.first_at(), timers.pop()), (Time::NEVER, None));
        }
    }
}
