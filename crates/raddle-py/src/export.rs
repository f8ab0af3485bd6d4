//! A run in the formats of other tools.

use crate::errors::refused_text;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use raddle::export::{
    ExportError, MOST_HOPS, pcapng as write_pcapng, perfetto as write_perfetto, tables,
};
use raddle::results;
use raddle::study::tables::Format;
use std::path::PathBuf;

/// Writes the one run of the folder `results`, as `raddle export` does; what the files lack, in words.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a file or folder for each format")]
pub(crate) fn export(
    py: Python<'_>,
    results: PathBuf,
    pcapng: Option<PathBuf>,
    perfetto: Option<PathBuf>,
    csv: Option<PathBuf>,
    parquet: Option<PathBuf>,
    flows: Vec<u64>,
    hops: Option<u64>,
) -> PyResult<Vec<String>> {
    let write = || -> Result<Vec<String>, ExportError> {
        let runs = results::runs(&results)?;
        let mut notes = Vec::new();
        if let Some(file) = pcapng {
            notes.extend(write_pcapng(&runs[0], &flows, &file)?.notes);
        }
        if let Some(file) = perfetto {
            let hops = hops.unwrap_or(MOST_HOPS);
            notes.extend(write_perfetto(&runs[0], &flows, hops, &file)?.notes);
        }
        for (folder, format) in [(csv, Format::Csv), (parquet, Format::Parquet)] {
            if let Some(folder) = folder {
                notes.extend(tables(&runs, &folder, format)?.notes);
            }
        }
        Ok(notes)
    };
    py.detach(write).map_err(|error| match error.is_input() {
        true => refused_text(py, error.to_string()),
        false => PyOSError::new_err(error.to_string()),
    })
}
