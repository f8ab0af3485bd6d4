//! What a scenario's fabric is built of.

use crate::errors::refused;
use crate::run::Text;
use pyo3::prelude::*;
use raddle::inventory::Inventories;

/// The switches and cables of a scenario's fabric: the JSON object `raddle.inventory/1`, and the text
/// that the command prints.
#[pyfunction]
pub(crate) fn inventory(py: Python<'_>, text: Text) -> PyResult<(String, String)> {
    let study = text.study(py)?;
    py.detach(|| {
        let counted = Inventories::of(&study).map_err(|problem| study.problem(problem))?;
        Ok((counted.to_json().to_string(), counted.text()))
    })
    .map_err(|problems| refused(py, &problems))
}
