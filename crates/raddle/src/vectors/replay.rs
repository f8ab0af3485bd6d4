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
    /// Whether the line is none of vectors; else the engine gives something else.
    pub is_input: bool,
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
        M::fits(&event)?;
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
    // Its random streams may be any number.
    let sized =
        head.context.as_object().into_iter().flatten().filter(|(name, _)| *name != "stream");
    sized.map(|(_, value)| value).try_for_each(bounded)?;
    if head.context.get("rate").is_some_and(|rate| rate.as_u64() == Some(0)) {
        return Err("a rate of 0".to_owned());
    }
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
    let mut now = 0;
    for (place, line) in text.lines().enumerate() {
        let wrong = |what: String| Difference { line: place + 1, is_input: true, what };
        let differs = |what: String| Difference { line: place + 1, is_input: false, what };
        let value: Value = serde_json::from_str(line)
            .map_err(|_| wrong("no JSON; a line may be cut off".to_owned()))?;
        if value.get("family").is_some() {
            let head: Head = serde_json::from_value(value)
                .map_err(|why| wrong(format!("no first line of vectors: {why}")))?;
            let own = built(&head).map_err(wrong)?;
            same("the constants", &own.state().0, &head.constants).map_err(differs)?;
            (machine, now) = (Some(own), 0);
            replayed.trajectories += 1;
            continue;
        }
        let line: Line = serde_json::from_value(value)
            .map_err(|why| wrong(format!("no step of vectors: {why}")))?;
        let Some(machine) = &mut machine else {
            return Err(wrong("a step before the first line of a machine".to_owned()));
        };
        if line.now_ps < now {
            return Err(wrong(format!("{} ps is before the line before it", line.now_ps)));
        }
        now = line.now_ps;
        bounded(&line.event).and_then(|()| bounded(&now.into())).map_err(wrong)?;
        same("the state", &machine.state().1, &line.state).map_err(differs)?;
        let (draws, answer) = machine.apply(&line).map_err(wrong)?;
        same("what was drawn", &json(&draws), &json(&line.draws)).map_err(differs)?;
        same("the answer", &answer, &line.answer).map_err(differs)?;
        same("the new state", &machine.state().1, &line.new_state).map_err(differs)?;
        replayed.steps += 1;
    }
    match replayed.trajectories {
        0 => Err(Difference { line: 1, is_input: true, what: "no machine in it".to_owned() }),
        _ => Ok(replayed),
    }
}

/// The most that a number of an event may be: 53 days in picoseconds.
const MOST: u64 = 1 << 62;

/// Numbers that no run has would overflow in the engine's code.
fn bounded(value: &Value) -> Result<(), String> {
    match value {
        Value::Number(number) if number.as_u64().is_some_and(|number| number > MOST) => {
            Err(format!("{number} is more than an event may bring"))
        }
        Value::Array(all) => all.iter().try_for_each(bounded),
        Value::Object(words) => words.values().try_for_each(bounded),
        _ => Ok(()),
    }
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
