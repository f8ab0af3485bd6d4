//! Values that were retired, and the probes that may bring them back.

use crate::units::{Span, Time};
use alloc::vec::Vec;
use serde::Serialize;

/// In the order in which they were retired.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Probing {
    retired: Vec<Retired>,
    /// Whose probes leave now.
    leaving: Vec<u16>,
    /// When the next is due.
    next: Option<Time>,
}

#[derive(Clone, Debug, Serialize)]
struct Retired {
    ev: u16,
    /// When its next probe leaves.
    due: Time,
    /// Probes in a row that were answered.
    answered: u32,
    /// Whether the last has not been.
    waits: bool,
}

impl Probing {
    /// Of so many values, none of which is retired.
    pub(super) fn of(values: usize) -> Self {
        let (retired, leaving) = (Vec::with_capacity(values), Vec::with_capacity(values));
        Self { retired, leaving, next: None }
    }

    /// A value is retired; its first probe leaves at `due`.
    pub(super) fn begin(&mut self, ev: u16, due: Time) {
        self.retired.push(Retired { ev, due, answered: 0, waits: false });
        self.look();
    }

    /// A value is back.
    pub(super) fn end(&mut self, ev: u16) {
        self.retired.retain(|own| own.ev != ev);
        self.look();
    }

    /// When the next probe is due.
    pub(super) fn next(&self) -> Option<Time> {
        self.next
    }

    fn look(&mut self) {
        self.next = self.retired.iter().map(|own| own.due).min();
    }

    /// Probes are due. One without an answer when the next is due is lost, and counting starts anew.
    pub(super) fn on_timer(&mut self, now: Time, interval: Span) {
        self.leaving.clear();
        for own in self.retired.iter_mut().filter(|own| own.due <= now) {
            if own.waits {
                own.answered = 0;
            }
            own.waits = true;
            own.due = now + interval;
            self.leaving.push(own.ev);
        }
        // Taken from the end; what was retired first goes first.
        self.leaving.reverse();
        self.look();
    }

    /// The next value to probe now.
    pub(super) fn poll(&mut self) -> Option<u16> {
        self.leaving.pop()
    }

    /// A probe of a value was answered. Returns whether as many in a row were as are `wanted`.
    pub(super) fn answered(&mut self, ev: u16, wanted: u32) -> bool {
        let Some(own) = self.retired.iter_mut().find(|own| own.ev == ev && own.waits) else {
            return false;
        };
        own.waits = false;
        own.answered += 1;
        own.answered >= wanted
    }
}
