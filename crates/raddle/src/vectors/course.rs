//! A course of edge cases: the clock, the scheme's random stream and the events' own.

use super::machine::{Choice, Trajectory};
use super::state::Word;
use super::variants::blank;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Span, Time};
use serde_json::Value;

/// Where a course stands.
pub(super) struct Course {
    /// What it came to so far.
    pub(super) trajectory: Trajectory,
    /// The scheme's own stream.
    pub(super) own: Rng,
    now: Time,
    chance: Rng,
}

impl Course {
    /// The course of a number, before its first event.
    pub(super) fn new<C: Choice>(
        family: &'static str,
        config: &C,
        number: u64,
        context: Value,
        state: Word,
    ) -> Self {
        let trajectory = blank(family, config, &format!("edge cases, course {number}"));
        Self {
            trajectory: Trajectory { context, state, ..trajectory },
            own: Rng::new(number, "vectors", 0),
            now: Time::ZERO,
            chance: Rng::new(number, "course of vectors", 0),
        }
    }

    /// A number below another.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.chance.below(n)
    }

    /// Mostly a packet's time, now and then nothing, and now and then a pause that ends a flowlet or
    /// a freeze. Returns the instant.
    pub(super) fn pass_time(&mut self) -> Time {
        let passed = match self.below(60) {
            0 => 50_000_000,
            1 => 12_000_000_000,
            2..10 => 0,
            _ => self.below(160_000),
        };
        self.now += Span(passed);
        self.now
    }

    /// The present.
    pub(super) fn now(&self) -> Time {
        self.now
    }
}
