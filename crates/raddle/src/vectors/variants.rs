//! A scheme's variants, and its parameters from their texts.

use super::machine::{Choice, Trajectory};
use raddle_schemes::family::{Conflict, ParameterError, Raw};
use serde_json::Value;

/// The default, then one for each word and flag of a parameter that has another value there and makes
/// a difference.
pub(super) fn variants<C: Choice>(config: &C) -> Vec<C> {
    let mut all = vec![config.clone()];
    for parameter in config.parameters() {
        let words: Vec<Raw<'_>> = match parameter.kind {
            "word" => match config.clone().set(parameter.name, Raw::Text("no such word")) {
                Err(ParameterError::Word(words)) => words.into_iter().map(Raw::Text).collect(),
                _ => continue,
            },
            "true or false" => vec![Raw::Flag(true), Raw::Flag(false)],
            _ => continue,
        };
        for word in words {
            let mut other = config.clone();
            if other.set(parameter.name, word).is_ok()
                && !is_idle(&other, parameter.name)
                && !all.contains(&other)
            {
                all.push(other);
            }
        }
    }
    all
}

/// Whether a parameter makes no difference beside the others.
fn is_idle<C: Choice>(config: &C, name: &str) -> bool {
    let is_own = |own: &Conflict| matches!(own, Conflict::Idle(own, _) if *own == name);
    config.conflicts().iter().any(is_own)
}

/// A trajectory of this scheme without steps.
pub(super) fn blank<C: Choice>(family: &'static str, config: &C, origin: &str) -> Trajectory {
    let values = config.values().into_iter();
    Trajectory {
        family,
        scheme: config.card().name,
        parameters: values.map(|(name, value)| (name.to_owned(), value)).collect(),
        origin: origin.to_owned(),
        context: Value::Null,
        state: super::state::Word::Absent,
        steps: Vec::new(),
    }
}

/// The scheme with parameters that have these texts.
pub(super) fn with_values<C: Choice>(
    scheme: &str,
    values: &[(String, String)],
) -> Result<C, String> {
    let mut config = C::called(scheme).ok_or_else(|| format!("no scheme is called `{scheme}`"))?;
    for (name, text) in values {
        let refused = |why: &dyn std::fmt::Display| format!("{scheme}.{name} = {text}: {why}");
        let line: toml::Table =
            toml::from_str(&format!("it = {text}")).map_err(|why| refused(&why))?;
        let set = match &line["it"] {
            toml::Value::String(text) => config.set(name, Raw::Text(text)),
            toml::Value::Integer(number) => config.set(name, Raw::Integer(*number)),
            toml::Value::Float(number) => config.set(name, Raw::Float(*number)),
            toml::Value::Boolean(flag) => config.set(name, Raw::Flag(*flag)),
            toml::Value::Array(list) => {
                let raw: Option<Vec<Raw<'_>>> = list.iter().map(plain).collect();
                let raw = raw.ok_or_else(|| refused(&"a list of lists"))?;
                config.set(name, Raw::List(&raw))
            }
            _ => return Err(refused(&"neither a word nor a number")),
        };
        set.map_err(|why| refused(&format!("{why:?}")))?;
    }
    Ok(config)
}

fn plain(value: &toml::Value) -> Option<Raw<'_>> {
    match value {
        toml::Value::String(text) => Some(Raw::Text(text)),
        toml::Value::Integer(number) => Some(Raw::Integer(*number)),
        toml::Value::Float(number) => Some(Raw::Float(*number)),
        toml::Value::Boolean(flag) => Some(Raw::Flag(*flag)),
        _ => None,
    }
}
