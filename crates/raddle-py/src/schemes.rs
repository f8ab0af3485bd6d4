//! The catalogue of schemes.

use pyo3::prelude::*;
use raddle::catalogue::FAMILIES;
use serde_json::{Value, json};

/// Every scheme with its family, parameters, needs and paper, a JSON list.
#[pyfunction]
pub(crate) fn schemes() -> String {
    let listed = FAMILIES.iter().flat_map(|family| {
        family.schemes().into_iter().map(move |scheme| {
            let parameters = scheme.parameters.iter().map(|parameter| {
                json!({
                    "name": parameter.name,
                    "kind": parameter.kind,
                    // Quoted texts and numbers are JSON already.
                    "default": serde_json::from_str(&parameter.default)
                        .unwrap_or(Value::String(parameter.default.clone())),
                    "doc": parameter.doc,
                })
            });
            let needs: Vec<&str> = scheme.card.needs.iter().map(|need| need.text()).collect();
            json!({
                "name": scheme.card.name,
                "title": scheme.card.title,
                "family": family.title,
                "key": family.key,
                "summary": scheme.card.summary,
                "paper": scheme.card.paper,
                "needs": needs,
                "parameters": parameters.collect::<Vec<_>>(),
            })
        })
    });
    Value::Array(listed.collect()).to_string()
}
