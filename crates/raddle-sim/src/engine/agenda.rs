//! What all parts of a run do next. Every part keeps its own copy and feeds it the same numbers, so
//! all of them come to the same answer without asking anyone.

use super::exchange::Status;
use crate::net::stop::{Ending, StopRules};
use crate::plan::Plan;
use raddle_schemes::units::{Span, Time};

/// A window, or as much of one as lies between two instants of the stop rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) window: u64,
    pub(super) start: Time,
    pub(super) end: Time,
    /// Whether more of the window follows.
    pub(super) halved: bool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Run(Stretch),
    /// Tell each other once more.
    Confer,
    Stop(Ending, Time),
}

/// See the module.
pub(super) struct Agenda {
    rules: StopRules,
    width: u64,
    /// The next instant at which the stop rules are looked at.
    check: Time,
    /// The stretch being run.
    last: Option<Stretch>,
}

impl Agenda {
    pub(super) fn new(plan: &Plan, width: Span) -> Self {
        let rules = StopRules::new(plan);
        Self { check: rules.next_check(Time::ZERO), rules, width: width.0, last: None }
    }

    /// The end of the stretch that was run last.
    pub(super) fn now(&self) -> Time {
        self.last.map_or(Time::ZERO, |last| last.end)
    }

    /// The next step, from what all parts together have come to.
    pub(super) fn next(&mut self, status: &Status) -> Step {
        if status.interrupted {
            return Step::Stop(Ending::Interrupted, self.now());
        }
        let (window, start) = match self.last {
            Some(last) if last.halved => (last.window, last.end),
            _ => match status.next_window {
                Some(window) => (window, Time(window * self.width)),
                None => {
                    let (ending, end) = self.rules.exhausted(&status.totals);
                    return Step::Stop(ending, end);
                }
            },
        };
        while self.check <= start {
            if let Some((ending, end)) = self.rules.check(self.check, &status.totals) {
                return Step::Stop(ending, end);
            }
            self.check = self.rules.next_check(self.check);
        }
        let whole = Time((window + 1) * self.width);
        let end = whole.min(self.check);
        let stretch = Stretch { window, start, end, halved: end < whole };
        self.last = Some(stretch);
        Step::Run(stretch)
    }
}
