//! Training what predicts drops for Credence.

use crate::errors::{failed, refused_text};
use crate::run::Text;
use crate::scheme::Classes;
use crate::work::{How, Shown, run_jobs};
use pyo3::prelude::*;
use raddle::study::jobs;
use raddle::study::run::Keep;
use raddle::train::{Lessons, Settings, train as fit};

/// Trees, levels, share of the rows, a forest for each switch, seed.
#[derive(FromPyObject)]
pub(crate) struct Asked(u16, u16, f64, bool, u64);

impl From<Asked> for Settings {
    fn from(Asked(trees, depth, share, per_switch, seed): Asked) -> Self {
        Self { trees, depth, share, per_switch, seed }
    }
}

/// Runs the scenario, which records its rows, with all its seeds, and fits forests to them. The object
/// `raddle.train/1`, and the file that `oracle_file` takes, with `origin` in its comments.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    text: Text,
    asked: Asked,
    origin: String,
    parallel: Option<usize>,
    progress: Shown,
) -> PyResult<(String, String)> {
    let settings = Settings::from(asked);
    settings.check().map_err(|why| refused_text(py, why))?;
    let study = text.study(py)?;
    if study.cells.len() > 1 {
        let cells = study.cells.len();
        let message = format!("{} is a sweep of {cells} scenarios; `set` chooses one", study.name);
        return Err(refused_text(py, message));
    }
    let jobs = jobs::jobs(&study, None);
    let mut lessons = Lessons::default();
    for result in run_jobs(py, &jobs, &How::new(parallel, 1, progress), &Classes::none(), &Keep)? {
        let run = result.map_err(|failure| failed(py, &failure))?;
        lessons.add(&run.plan, &run.outcome);
    }
    let model = py.detach(|| fit(&lessons, &settings));
    let model = model.map_err(|why| refused_text(py, format!("{}: {why}", study.name)))?;
    let origin = [origin, format!("scenario {}", study.cells[0].scenario.hash())];
    Ok((model.json().to_string(), model.text(&origin)))
}
