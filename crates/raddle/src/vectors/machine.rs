//! A scheme as a machine: what happens to it, what it answers, and what it holds afterwards.

use super::state::Word;
use raddle_schemes::Card;
use raddle_schemes::family::{Conflicts, List, ParameterError, Raw, Values};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use raddle_schemes::{congestion, load_balance, tor};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// A scheme that takes events one after the other.
pub(super) trait Machine {
    /// What can happen to it.
    type Event: Serialize + DeserializeOwned;

    /// It happens now. Returns what is answered.
    fn apply(&mut self, now: Time, rng: &mut Rng, event: &Self::Event) -> Value;

    /// What it holds.
    fn state(&self) -> Word;

    /// Why an event that somebody has written cannot be.
    fn fits(_event: &Self::Event) -> Result<(), String> {
        Ok(())
    }
}

/// One transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When, in picoseconds.
    pub now: Time,
    /// What happened.
    pub event: Value,
    /// The random bits that it took, 64 at a time.
    pub draws: Vec<u64>,
    /// What was answered.
    pub answer: Value,
    /// The state after it.
    pub state: Word,
}

/// What became of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The family's word.
    pub family: &'static str,
    /// The scheme's word.
    pub scheme: &'static str,
    /// Its parameters, as a scenario would hold them.
    pub parameters: Vec<(String, String)>,
    /// Where the events come from: a run, or a course of edge cases.
    pub origin: String,
    /// What it knew when it was built.
    pub context: Value,
    /// The state before the first step.
    pub state: Word,
    /// Its steps, in order of time.
    pub steps: Vec<Step>,
}

/// More random bits than any call takes.
const MOST_DRAWS: usize = 1 << 16;

/// What was drawn until a generator came to be as another is.
pub(super) fn draws_between(mut before: Rng, after: &Rng) -> Vec<u64> {
    let mut draws = Vec::new();
    while before != *after && draws.len() < MOST_DRAWS {
        draws.push(before.next_u64());
    }
    draws
}

/// Applies an event. Returns the transition.
pub(super) fn step<M: Machine>(
    machine: &mut M,
    now: Time,
    rng: &mut Rng,
    event: &M::Event,
) -> Step {
    let before = rng.clone();
    let answer = machine.apply(now, rng, event);
    Step {
        now,
        event: json(event),
        draws: draws_between(before, rng),
        answer,
        state: machine.state(),
    }
}

/// Something as JSON, in the form of states.
pub(super) fn json(what: &impl Serialize) -> Value {
    Word::of(what).to_json()
}

/// Trajectories of machines that run somewhere, and how much happened to each.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<(usize, Trajectory)>>>);

impl Log {
    fn with<R>(&self, act: impl FnOnce(&mut Vec<(usize, Trajectory)>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A machine is built. Returns its number.
    pub(super) fn open(&self, trajectory: Trajectory) -> usize {
        self.with(|all| {
            all.push((0, trajectory));
            all.len() - 1
        })
    }

    /// Its context is this, and it holds that, before its first step.
    pub(super) fn begin(&self, number: usize, context: Option<Value>, state: Word) {
        self.with(|all| {
            let own = &mut all[number].1;
            if own.steps.is_empty() {
                own.state = state;
                own.context = context.unwrap_or(own.context.take());
            }
        });
    }

    /// Something happened, and perhaps a step is kept of it.
    pub(super) fn push(&self, number: usize, step: Option<Step>) {
        self.with(|all| {
            let (events, own) = &mut all[number];
            *events += 1;
            own.steps.extend(step);
        });
    }

    /// All that was kept.
    pub(super) fn take(&self) -> Vec<(usize, Trajectory)> {
        self.with(std::mem::take)
    }
}

/// A machine in a run, whose steps are kept.
pub(super) struct Recorded<M> {
    pub(super) machine: M,
    pub(super) now: Time,
    log: Log,
    number: usize,
    /// How many steps are still kept.
    left: usize,
}

impl<M: Machine> Recorded<M> {
    pub(super) fn new(machine: M, log: &Log, trajectory: Trajectory, most: usize) -> Self {
        let state = machine.state();
        let number = log.open(Trajectory { state, ..trajectory });
        Self { machine, now: Time::ZERO, log: log.clone(), number, left: most }
    }

    /// The machine was told of a context.
    pub(super) fn began(&self, context: Value) {
        self.log.begin(self.number, Some(context), self.machine.state());
    }

    /// An event. Returns the answer.
    pub(super) fn apply(&mut self, now: Time, rng: &mut Rng, event: &M::Event) -> Value {
        self.now = now;
        if self.is_full() {
            self.pass();
            return self.machine.apply(now, rng, event);
        }
        let step = step(&mut self.machine, now, rng, event);
        let answer = step.answer.clone();
        self.keep(step);
        answer
    }

    /// Whether no more steps are kept.
    pub(super) fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Keeps a step that was made elsewhere.
    pub(super) fn keep(&mut self, step: Step) {
        self.left -= 1;
        self.log.push(self.number, Some(step));
    }

    /// Something happened of which no step is kept.
    pub(super) fn pass(&self) {
        self.log.push(self.number, None);
    }
}

/// A scheme of any family with its parameters.
pub(super) trait Choice: Clone + PartialEq + Sized + Send + Sync + 'static {
    fn called(name: &str) -> Option<Self>;
    fn card(&self) -> &'static Card;
    fn parameters(&self) -> List;
    fn values(&self) -> Values;
    fn conflicts(&self) -> Conflicts;
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
}

macro_rules! choices {
    ($($config:ty,)*) => {$(
        impl Choice for $config {
            fn called(name: &str) -> Option<Self> {
                Self::named(name)
            }
            fn card(&self) -> &'static Card {
                self.card()
            }
            fn parameters(&self) -> List {
                self.parameters()
            }
            fn values(&self) -> Values {
                self.values()
            }
            fn conflicts(&self) -> Conflicts {
                self.conflicts()
            }
            fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
                self.set(name, raw)
            }
        }
    )*};
}

choices! {
    load_balance::host::Config, load_balance::switch::Config, congestion::Config, tor::Config,
}
