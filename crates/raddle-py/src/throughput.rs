//! How much of a demand a circuit-switched design carries.

use crate::errors::refused_text;
use crate::work::{How, Shown, watched};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use raddle::throughput::{Grid, Question, catalogue, text};
use std::path::PathBuf;

/// What a call gives: an object as JSON, the text of the command, and what deserves a word.
type Answer = (String, String, Vec<String>);

/// Nodes of a pattern, prediction, whether to leave multi-hop throughput out, how closely to bound it
/// in place of solving it, seed.
#[derive(FromPyObject)]
pub(crate) struct Asked(usize, Option<String>, bool, Option<f64>, u64);

impl From<Asked> for Question {
    fn from(Asked(nodes, predicted, single_hop, within, seed): Asked) -> Self {
        Self { nodes, predicted, single_hop, within, seed }
    }
}

/// The numbers of one demand and one design (`raddle.throughput/1`).
#[pyfunction]
pub(crate) fn throughput(
    py: Python<'_>,
    demand: &str,
    design: &str,
    asked: Asked,
) -> PyResult<Answer> {
    let question = Question::from(asked);
    let (mut notes, mut prepare) = (Vec::new(), None);
    py.detach(|| {
        let mut note = |word: &str| notes.push(word.to_owned());
        prepare = Some(question.prepare(demand, design, &mut note));
    });
    let prepared = prepare.transpose().map_err(|why| refused_text(py, why))?;
    let answer = watched(py, |_| prepared.map(|prepared| question.answer(&prepared)))?;
    let answer = answer.transpose().map_err(PyRuntimeError::new_err)?.unwrap_or_default();
    let object = question.object(demand, design, &answer).to_string();
    Ok((object, text(demand, design, &answer), notes))
}

/// All combinations of demands and designs (`raddle.throughput_grid/1`), kept in `out` as they come.
#[pyfunction]
pub(crate) fn throughput_grid(
    py: Python<'_>,
    demands: Vec<String>,
    designs: Vec<String>,
    asked: Asked,
    out: Option<PathBuf>,
    parallel: Option<usize>,
    progress: Shown,
) -> PyResult<Answer> {
    let refuse = |why: String| refused_text(py, why);
    let demands: Vec<&str> = demands.iter().map(String::as_str).collect();
    let designs: Vec<&str> = designs.iter().map(String::as_str).collect();
    let question = Question::from(asked);
    let grid = py.detach(|| Grid::new(question, &demands, &designs)).map_err(refuse)?;
    let mut kept = grid.recall(out.as_deref()).map_err(refuse)?;
    let how = How::new(parallel, 1, progress);
    let failed = how.watched(py, |stop| {
        let open = grid.len() - kept.count();
        how.with_meter(open, |meter| grid.run(&mut kept, how.parallel, stop, meter))
    })?;
    let failed = failed.map_err(PyRuntimeError::new_err)?;
    Ok((kept.to_json().to_string(), kept.text(), failed))
}

/// The designs with their parameters, and the demands that have a name.
#[pyfunction]
pub(crate) fn designs() -> String {
    catalogue()
}
