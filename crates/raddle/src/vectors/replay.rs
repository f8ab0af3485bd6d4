//! Reads vectors and applies their events to the engine's own code.

use super::machine::{Choice, Machine, draws_between, json};
use super::split;
use super::variants::with_values;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use raddle_schemes::{FlowContext, congestion, tor};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt;

/// What was replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many trajectories.
    pub trajectories: usize,
    /// How many steps, all as written.
    pub steps: usize,
}

/// Where a file of vectors is not what the engine does, or not one of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line, from 1.
    pub line: usize,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Difference {}

#[derive(Deserialize)]
struct Head {
    family: String,
    scheme: String,
    parameters: Map<String, Value>,
    context: Value,
    constants: Value,
}

#[derive(Deserialize)]
struct Line {
    now_ps: u64,
    state: Value,
    event: Value,
    draws: Vec<u64>,
    answer: Value,
    new_state: Value,
}

/// A machine of any family.
trait Replayer {
    fn state(&self) -> (Value, Value);
    /// Applies a line's event. Returns what was drawn and answered.
    fn apply(&mut self, line: &Line) -> Result<(Vec<u64>, Value), String>;
}

impl<M: Machine> Replayer for M {
    fn state(&self) -> (Value, Value) {
        split(&Machine::state(self))
    }

    fn apply(&mut self, line: &Line) -> Result<(Vec<u64>, Value), String> {
        let event: M::Event = serde_json::from_value(line.event.clone())
            .map_err(|why| format!("no event of this family: {why}"))?;
        let first = line.draws.first();
        let mut rng = first.map_or_else(|| Rng::new(0, "unused", 0), |bits| Rng::that_draws(*bits));
        let before = rng.clone();
        let answer = Machine::apply(self, Time(line.now_ps), &mut rng, &event);
        Ok((draws_between(before, &rng), answer))
    }
}

fn config<C: Choice>(head: &Head) -> Result<C, String> {
    let values = head.parameters.iter();
    let values =
        values.map(|(name, value)| (name.clone(), value.as_str().unwrap_or("").to_owned()));
    with_values(&head.scheme, &values.collect::<Vec<_>>())
}

fn context<T: serde::de::DeserializeOwned>(head: &Head) -> Result<T, String> {
    serde_json::from_value(head.context.clone()).map_err(|why| format!("context: {why}"))
}

/// The machine that a trajectory's first line tells of.
fn built(head: &Head) -> Result<Box<dyn Replayer>, String> {
    Ok(match head.family.as_str() {
        "host" => {
            let context: FlowContext = context(head)?;
            let mut machine = config::<host::Config>(head)?.build(&context);
            machine.begin(&context);
            Box::new(machine)
        }
        "switch" => Box::new(config::<switch::Config>(head)?.build(&context(head)?)),
        "congestion" => {
            Box::new(config::<congestion::Config>(head)?.build(&context::<FlowContext>(head)?))
        }
        "tor" => Box::new(config::<tor::Config>(head)?.build(&context(head)?)),
        other => return Err(format!("no family is called `{other}`")),
    })
}

/// Applies all events of a text of vectors.
///
/// # Errors
/// The first [`Difference`].
pub fn replay(text: &str) -> Result<Replayed, Difference> {
    let mut replayed = Replayed::default();
    let mut machine: Option<Box<dyn Replayer>> = None;
    for (place, line) in text.lines().enumerate() {
        let differs = |what: String| Difference { line: place + 1, what };
        let value: Value = serde_json::from_str(line).map_err(|why| differs(why.to_string()))?;
        if value.get("family").is_some() {
            let head: Head =
                serde_json::from_value(value).map_err(|why| differs(why.to_string()))?;
            let own = built(&head).map_err(differs)?;
            same("the constants", &own.state().0, &head.constants).map_err(differs)?;
            machine = Some(own);
            replayed.trajectories += 1;
            continue;
        }
        let line: Line = serde_json::from_value(value).map_err(|why| differs(why.to_string()))?;
        let Some(machine) = &mut machine else {
            return Err(differs("a step before the first line of a trajectory".to_owned()));
        };
        same("the state", &machine.state().1, &line.state).map_err(differs)?;
        let (draws, answer) = machine.apply(&line).map_err(differs)?;
        same("what was drawn", &json(&draws), &json(&line.draws)).map_err(differs)?;
        same("the answer", &answer, &line.answer).map_err(differs)?;
        same("the new state", &machine.state().1, &line.new_state).map_err(differs)?;
        replayed.steps += 1;
    }
    Ok(replayed)
}

fn same(what: &str, own: &Value, written: &Value) -> Result<(), String> {
    if own == written {
        return Ok(());
    }
    if let (Value::Object(own), Value::Object(written)) = (own, written) {
        for (name, value) in own {
            same(&format!("{what}'s {name}"), value, written.get(name).unwrap_or(&Value::Null))?;
        }
    }
    Err(format!("{what} is {own}, the line has {written}"))
}
