//! Published figures: run again, or as last run.

use crate::errors::{refused, refused_text};
use crate::work::{How, Shown};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use raddle::study::place::at;
use raddle_papers::figures::{
    Again, Answers, FOLDER, Figure, FigureResult, Mode, Refused, gallery, listed, to_json,
};
use std::path::{Path, PathBuf};

/// What a call gives: `raddle.reproduce/1`, the text of the command, and what deserves a word.
type Answer = (String, String, Vec<String>);

fn chosen(py: Python<'_>, name: Option<&str>) -> PyResult<(Vec<Figure>, Vec<String>)> {
    let found = raddle_papers::figures::chosen(name, Path::new(FOLDER))
        .map_err(|why| refused_text(py, why))?;
    let changed = found.iter().flat_map(|read| &read.changed);
    let own = |path: &PathBuf| format!("{} is not the program's own, and counts", path.display());
    let notes = changed.map(own).collect();
    Ok((found.into_iter().map(|read| read.figure).collect(), notes))
}

fn texts(results: &[FigureResult]) -> String {
    results.iter().map(FigureResult::text).collect::<Vec<_>>().join("\n")
}

/// Runs figures again and judges each claim against its band.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the command's options")]
pub(crate) fn reproduce(
    py: Python<'_>,
    name: Option<&str>,
    quick: bool,
    set: Vec<(String, String)>,
    out: Option<PathBuf>,
    redo: bool,
    record: Option<PathBuf>,
    parallel: Option<usize>,
    progress: Shown,
) -> PyResult<Answer> {
    let (chosen, mut notes) = chosen(py, name)?;
    let how = How::new(parallel, 1, progress);
    let mode = if quick { Mode::Quick } else { Mode::Full };
    let again = Again { mode, set, out, redo, record, parallel: how.parallel };
    py.detach(|| again.check(&chosen)).map_err(|why| match why {
        Refused::Text(why) => refused_text(py, why),
        Refused::Files(problems) => refused(py, &problems),
    })?;
    let results = how.watched(py, |stop| {
        let answers = Answers::default();
        let result = |figure: &Figure| {
            again.result(
                figure,
                &answers,
                &mut |steps, run| how.with_runner(steps, stop, |runner| run(runner)),
                &mut |text| notes.push(text.to_owned()),
            )
        };
        chosen.iter().map(result).collect::<Result<Vec<_>, _>>()
    })?;
    let results = results.map_err(PyRuntimeError::new_err)?;
    Ok((to_json(&results).to_string(), texts(&results), notes))
}

/// What the last full runs of figures gave; writes their pages into a folder if there is one.
#[pyfunction]
pub(crate) fn figures(
    py: Python<'_>,
    name: Option<&str>,
    pages: Option<PathBuf>,
) -> PyResult<Answer> {
    let (chosen, notes) = chosen(py, name)?;
    let results = py.detach(|| chosen.iter().map(Figure::recorded).collect::<Result<Vec<_>, _>>());
    let results = results.map_err(|why| refused_text(py, why))?;
    if let Some(folder) = pages {
        for file in gallery(&results) {
            let path = folder.join(&file.path);
            let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(&path, &file.text))
                .map_err(|error| PyRuntimeError::new_err(at(&path, error)))?;
        }
    }
    let text = if name.is_some() { texts(&results) } else { listed(&results) };
    Ok((to_json(&results).to_string(), text, notes))
}
