//! The numbers of a model that needs no simulation.

use crate::errors::refused_text;
use pyo3::prelude::*;
use raddle_schemes::family::{ParameterError, Raw};
use raddle_sim::theory::{MODELS, find};
use serde_json::{Map, Value, json};

/// The models, or the numbers of one with parameters as the command takes them; the JSON object
/// `raddle.theory/1`.
#[pyfunction]
pub(crate) fn theory(
    py: Python<'_>,
    model: Option<&str>,
    parameters: Vec<(String, String)>,
    seed: u64,
) -> PyResult<String> {
    let Some(name) = model else {
        let cards = MODELS.iter().map(|listed| listed.card);
        let models: Vec<Value> = cards
            .map(|card| json!({"model": card.name, "title": card.title, "paper": card.paper}))
            .collect();
        return Ok(json!({"schema": "raddle.theory/1", "models": models}).to_string());
    };
    let Some(listed) = find(name) else {
        let names: Vec<&str> = MODELS.iter().map(|listed| listed.card.name).collect();
        let message = format!("no model `{name}`; models: {}", names.join(", "));
        return Err(refused_text(py, message));
    };
    let mut model = (listed.default)();
    for (name, text) in &parameters {
        let whole = text.parse().map(Raw::Integer);
        let raw = whole.or_else(|_| text.parse().map(Raw::Float)).unwrap_or(Raw::Text(text));
        model.set(name, raw).map_err(|error| {
            let why = match error {
                ParameterError::Unknown => "no such parameter".to_owned(),
                ParameterError::Value(expected) => expected,
                ParameterError::Word(words) => format!("expected one of {}", words.join(", ")),
            };
            refused_text(py, format!("{name} = {text}: {why}"))
        })?;
    }
    model.check().map_err(|why| refused_text(py, why))?;
    let values = model.values(seed);
    let parameter = |(name, value): (&'static str, String)| {
        // Quoted texts and numbers are JSON already.
        (name.to_owned(), serde_json::from_str(&value).unwrap_or(Value::String(value)))
    };
    let set: Map<String, Value> = model.parameters().into_iter().map(parameter).collect();
    let named = listed.card.quantities.iter().zip(values);
    let quantities: Map<String, Value> =
        named.map(|(quantity, value)| (quantity.name.to_owned(), json!(value))).collect();
    let object = json!({
        "schema": "raddle.theory/1", "model": listed.card.name, "seed": seed,
        "parameters": set, "quantities": quantities,
    });
    Ok(object.to_string())
}
