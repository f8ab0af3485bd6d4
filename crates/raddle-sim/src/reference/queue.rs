//! The queue of events: in which structure the next one is found. Outcomes do not depend on it.

use super::Event;
use super::wheel::Wheel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which structure holds the events of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Queue {
    /// A binary heap: the obvious one.
    #[default]
    Heap,
    /// A timing wheel that holds events by value: the fastest queue there is for a global order,
    /// for benchmarks to compare with.
    Wheel,
}

/// Events in their total order: time, node, kind. Nothing is pushed before the last one popped.
pub(super) trait EventQueue: Default {
    fn push(&mut self, event: Event);

    /// The next event, which stays.
    fn peek(&mut self) -> Option<Event>;

    fn pop(&mut self) -> Option<Event>;

    /// What is left, in no order.
    fn into_events(self) -> impl Iterator<Item = Event>;
}

/// The default queue.
#[derive(Default)]
pub(super) struct Heap(BinaryHeap<Reverse<Event>>);

impl EventQueue for Heap {
    fn push(&mut self, event: Event) {
        self.0.push(Reverse(event));
    }

    fn peek(&mut self) -> Option<Event> {
        self.0.peek().map(|Reverse(event)| *event)
    }

    fn pop(&mut self) -> Option<Event> {
        self.0.pop().map(|Reverse(event)| event)
    }

    fn into_events(self) -> impl Iterator<Item = Event> {
        self.0.into_iter().map(|Reverse(event)| event)
    }
}

impl EventQueue for Wheel<Event> {
    fn push(&mut self, event: Event) {
        Wheel::push(self, event.at.0, event);
    }

    fn peek(&mut self) -> Option<Event> {
        self.next().copied()
    }

    fn pop(&mut self) -> Option<Event> {
        Wheel::pop(self)
    }

    fn into_events(self) -> impl Iterator<Item = Event> {
        self.into_items()
    }
}
