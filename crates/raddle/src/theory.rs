//! Models that need no simulation, as the doors to them share them: parameters from texts, numbers
//! as JSON (`raddle.theory/1`).

use raddle_schemes::family::{ParameterError, Raw};
use raddle_sim::theory::{Listed, MODELS, Model};
use serde_json::{Map, Value, json};

/// Sets a parameter from a text that a scenario would hold, quotes left out.
///
/// # Errors
/// What would have been accepted; the model is unchanged then.
pub fn set(model: &mut dyn Model, name: &str, text: &str) -> Result<(), String> {
    let whole = text.parse().map(Raw::Integer);
    let number = |_| text.parse().map(Raw::Float);
    let raw = whole.or_else(number).unwrap_or(Raw::Text(text));
    model.set(name, raw).map_err(|error| match error {
        ParameterError::Unknown => "no such parameter".to_owned(),
        ParameterError::Value(expected) => expected,
        ParameterError::Word(words) => format!("expected one of {}", words.join(", ")),
    })
}

/// All models with title and paper.
pub fn catalogue() -> Value {
    let cards = MODELS.iter().map(|listed| listed.card);
    let models: Vec<Value> = cards
        .map(|card| json!({"model": card.name, "title": card.title, "paper": card.paper}))
        .collect();
    json!({"schema": "raddle.theory/1", "models": models})
}

/// A model's parameters and the numbers that it gave with `seed`.
pub fn object(listed: &Listed, model: &dyn Model, values: &[f64], seed: u64) -> Value {
    let parameter = |(name, value): (&'static str, String)| {
        // Quoted texts and numbers are JSON already.
        let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
        (name.to_owned(), value)
    };
    let parameters: Map<String, Value> = model.parameters().into_iter().map(parameter).collect();
    let named = listed.card.quantities.iter().zip(values);
    let quantities: Map<String, Value> =
        named.map(|(quantity, value)| (quantity.name.to_owned(), json!(value))).collect();
    json!({
        "schema": "raddle.theory/1", "model": listed.card.name, "seed": seed,
        "parameters": parameters, "quantities": quantities,
    })
}
