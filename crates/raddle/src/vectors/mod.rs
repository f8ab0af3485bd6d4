//! Test vectors: what schemes answered to which events, and what they held before and after.
//!
//! A trajectory is the life of one machine: a flow's path selector, a congestion control, a switch's
//! port selector, a ToR's middleware. Its steps come from a run of the simulator, or from a course of
//! edge cases that is drawn anew for each variant of the scheme. Written as JSON lines: first what
//! the machine was built with, then a line a step with the state, the event, the random bits that were
//! drawn, the answer and the new state. [`replay`] reads them again and applies the events to the
//! engine's own code; [`header`] gives a state's form to programs in C.

mod congestion;
mod course;
pub mod header;
mod host;
mod machine;
pub mod replay;
mod run;
pub mod state;
mod switch;
#[cfg(test)]
mod tests;

mod tor;
mod variants;

use course::Course;
use machine::Choice;
use raddle_schemes::Scheme;
use run::Recording;
use serde_json::{Map, Value, json};
use state::Word;
use std::fmt::Write as _;

pub use machine::{Step, Trajectory};

/// A family whose schemes are machines.
struct Family {
    /// Its word, which a line holds.
    word: &'static str,
    schemes: &'static [Scheme],
    make: fn(&str, &Amount) -> Option<Vectors>,
}

const FAMILIES: [Family; 4] = [
    Family {
        word: "host",
        schemes: raddle_schemes::load_balance::host::SCHEMES,
        make: |name, amount| make(name, amount, host::course, run::of_host),
    },
    Family {
        word: "switch",
        schemes: raddle_schemes::load_balance::switch::SCHEMES,
        make: |name, amount| make(name, amount, switch::course, run::of_switch),
    },
    Family {
        word: "congestion",
        schemes: raddle_schemes::congestion::SCHEMES,
        make: |name, amount| make(name, amount, congestion::course, run::of_congestion),
    },
    Family {
        word: "tor",
        schemes: raddle_schemes::tor::SCHEMES,
        make: |name, amount| make(name, amount, tor::course, run::of_tor),
    },
];

/// How much is made.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Events of each course of edge cases.
    pub events: usize,
    /// Most steps of each machine of the run.
    pub steps: usize,
}

impl Default for Amount {
    /// 100 events a course, 200 steps of a machine of the run.
    fn default() -> Self {
        Self { events: 100, steps: 200 }
    }
}

/// The vectors of a scheme of one family.
#[derive(Debug)]
pub struct Vectors {
    /// The family's word.
    pub family: &'static str,
    /// The scheme's word.
    pub scheme: &'static str,
    /// One for each machine.
    pub trajectories: Vec<Trajectory>,
    /// Why there is none of a run, if there is none.
    pub no_run: Option<String>,
}

/// Schemes that have vectors: family and name, in the order of the catalogue.
pub fn schemes() -> impl Iterator<Item = (&'static str, &'static str)> {
    FAMILIES.iter().flat_map(|family| family.schemes.iter().map(|own| (family.word, own.card.name)))
}

/// The vectors of the schemes called `name`: of each family that has one.
pub fn of(name: &str, amount: &Amount) -> Vec<Vectors> {
    FAMILIES.iter().filter_map(|family| (family.make)(name, amount)).collect()
}

/// Courses of all variants, and the machines of a run.
fn make<C: Choice>(
    name: &str,
    amount: &Amount,
    course: fn(&C, u64, usize) -> Course,
    run: fn(&C, usize) -> Result<Recording, String>,
) -> Option<Vectors> {
    let config = C::called(name)?;
    let courses = (0..).zip(variants::variants(&config));
    let courses = courses.map(|(number, own)| course(&own, number, amount.events).trajectory);
    let mut trajectories: Vec<Trajectory> = courses.collect();
    let no_run = match run(&config, amount.steps) {
        Ok(of_run) => {
            trajectories.extend(of_run.busiest());
            None
        }
        Err(why) => Some(why),
    };
    let family = trajectories.first().map_or("", |own| own.family);
    Some(Vectors { family, scheme: config.card().name, trajectories, no_run })
}

/// What all flows of a path share, which never changes, and the rest.
fn split(state: &Word) -> (Value, Value) {
    let mut own = state.to_json();
    let constants = own.as_object_mut().and_then(|words| words.shift_remove(CONSTANTS));
    (constants.unwrap_or(Value::Null), own)
}

/// The word of a state that never changes.
const CONSTANTS: &str = "constants";

/// The lines of a trajectory, which have this number.
pub fn lines(number: usize, trajectory: &Trajectory) -> String {
    let mut text = String::new();
    let (constants, mut state) = split(&trajectory.state);
    let parameters: Map<String, Value> =
        trajectory.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let head = json!({
        "trajectory": number,
        "family": trajectory.family,
        "scheme": trajectory.scheme,
        "parameters": parameters,
        "origin": trajectory.origin,
        "context": trajectory.context,
        "constants": constants,
    });
    _ = writeln!(text, "{head}");
    for (place, step) in trajectory.steps.iter().enumerate() {
        let (_, new) = split(&step.state);
        let line = json!({
            "trajectory": number,
            "step": place,
            "now_ps": step.now.0,
            "state": state,
            "event": step.event,
            "draws": step.draws,
            "answer": step.answer,
            "new_state": new,
        });
        _ = writeln!(text, "{line}");
        state = new;
    }
    text
}
