//! Problems of a scenario as Python's `raddle.ScenarioError`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::problem::{Problem, Problems, Source};
use raddle::scenario::spec::{self, Item, Table, Value};
use raddle::study::run::Failure;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The exception that lists `problems`; if it cannot be made, the error of making it.
pub(crate) fn refused(py: Python<'_>, problems: &Problems) -> PyErr {
    exception(py, problems).unwrap_or_else(|error| error)
}

/// The exception of one problem that no text is to blame for.
pub(crate) fn refused_text(py: Python<'_>, message: impl Into<String>) -> PyErr {
    refused(py, &Problems::one(Problem::new(message), None))
}

/// The exception of a run that came to nothing: `KeyboardInterrupt` is the caller's to raise.
pub(crate) fn failed(py: Python<'_>, failure: &Failure) -> PyErr {
    match failure {
        Failure::Plan(_) | Failure::Memory(_) => refused_text(py, failure.to_string()),
        Failure::Interrupted | Failure::Stopped | Failure::Panic(_) | Failure::Kept(_) => {
            pyo3::exceptions::PyRuntimeError::new_err(failure.to_string())
        }
    }
}

fn exception(py: Python<'_>, problems: &Problems) -> PyResult<PyErr> {
    let errors = py.import("raddle._errors")?;
    let list = problems.list.iter().map(|problem| {
        let source = problems.sources.iter().find(|s| Some(&s.path) == problem.file.as_ref());
        let span = problem.span.as_ref();
        let place = source.zip(span).map(|(source, span)| place(source, span));
        let (line, column, key) =
            place.map_or((None, None, None), |(line, column, key)| (Some(line), Some(column), key));
        let fields = PyDict::new(py);
        fields.set_item("message", &problem.message)?;
        fields.set_item("file", problem.file.as_ref().map(|file| file.display().to_string()))?;
        fields.set_item("line", line)?;
        fields.set_item("column", column)?;
        fields.set_item("key", key)?;
        fields.set_item("nearest", problem.label.as_deref().and_then(nearest))?;
        fields.set_item("label", problem.label.as_deref())?;
        fields.set_item("help", &problem.help)?;
        errors.getattr("Problem")?.call((), Some(&fields))
    });
    let list = list.collect::<PyResult<Vec<_>>>()?;
    let text = problems.render(false);
    Ok(PyErr::from_value(errors.getattr("ScenarioError")?.call1((text.trim_end(), list))?))
}

/// The word that a label proposes.
fn nearest(label: &str) -> Option<&str> {
    label.strip_prefix("nearest: `")?.split('`').next()
}

/// Line and column of a place, both from 1, and the dotted key that it belongs to.
fn place(source: &Source, span: &Range<usize>) -> (usize, usize, Option<String>) {
    let before = source.text.get(..span.start).unwrap_or(&source.text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let file: Arc<Path> = Arc::from(source.path.as_path());
    let key = spec::document(&file, &source.text).ok().and_then(|table| key(&table, span));
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1, key)
}

/// The innermost key whose name or value holds `span`.
fn key(table: &Table, span: &Range<usize>) -> Option<String> {
    table.entries.iter().find_map(|entry| {
        let name = || entry.key.clone();
        let inner = match &entry.item.value {
            Value::Table(inner) => key(inner, span),
            Value::List(items) => items.iter().find_map(|item| match &item.value {
                Value::Table(inner) => key(inner, span),
                _ => None,
            }),
            _ => None,
        };
        let held = |held: &Range<usize>| held.start <= span.start && span.end <= held.end;
        let Item { place, .. } = &entry.item;
        match inner {
            Some(inner) => Some(format!("{}.{inner}", name())),
            None if held(&entry.key_place.span) || held(&place.span) => Some(name()),
            None => None,
        }
    })
}
