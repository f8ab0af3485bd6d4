//! How fast a scenario could be at best.

use crate::errors::refused;
use crate::run::Text;
use pyo3::prelude::*;
use raddle::bounds::Bounds;

/// The lower bounds of a scenario's completion: the JSON object `raddle.bounds/1`, and the text that
/// the command prints.
#[pyfunction]
pub(crate) fn bounds(py: Python<'_>, text: Text) -> PyResult<(String, String)> {
    let study = text.study(py)?;
    py.detach(|| {
        let bounds = Bounds::of(&study).map_err(|problem| study.problem(problem))?;
        Ok((bounds.to_json().to_string(), bounds.text()))
    })
    .map_err(|problems| refused(py, &problems))
}
