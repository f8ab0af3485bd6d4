//! The numbers of a model that needs no simulation.

use crate::errors::refused_text;
use pyo3::prelude::*;
use raddle_sim::theory::{MODELS, find};

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
        return Ok(raddle::theory::catalogue().to_string());
    };
    let Some(listed) = find(name) else {
        let names: Vec<&str> = MODELS.iter().map(|listed| listed.card.name).collect();
        let message = format!("no model `{name}`; models: {}", names.join(", "));
        return Err(refused_text(py, message));
    };
    let mut model = (listed.default)();
    for (name, text) in &parameters {
        raddle::theory::set(&mut *model, name, text)
            .map_err(|why| refused_text(py, format!("{name} = {text}: {why}")))?;
    }
    model.check().map_err(|why| refused_text(py, why))?;
    let values = model.values(seed);
    Ok(raddle::theory::object(listed, &*model, &values, seed).to_string())
}
