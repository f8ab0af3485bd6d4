//! `raddle export`: what a run left behind, in the formats of other tools.
//!
//! A format is a file here. All of them read the tables of a run's folder; what was not recorded is
//! an error that says how to record it.

mod error;
mod frame;
mod pcapng;
mod perfetto;
mod tables;
#[cfg(test)]
mod tests;
mod trace;
mod traced;

use crate::results::Kept;
use std::fs::File;
use std::io;
use std::path::Path;

pub use error::ExportError;
pub use pcapng::pcapng;
pub use perfetto::{MOST_HOPS, perfetto};
pub use tables::tables;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many records, events or rows.
    pub records: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// What is not in them, and how to have it.
    pub notes: Vec<String>,
}

/// Makes the file `to`, which must not be one that `run` is read from.
fn create(run: &Kept, to: &Path) -> Result<File, ExportError> {
    let parent = to.parent().and_then(|parent| parent.canonicalize().ok()).unwrap_or_default();
    let own = run.folder.canonicalize().unwrap_or_default();
    let is_read = to.extension().is_some_and(|kind| READ.iter().any(|own| kind == *own));
    if is_read && (parent == own || own.parent() == Some(&parent)) {
        return Err(ExportError::OwnFolder(parent));
    }
    File::create(to).map_err(|error: io::Error| ExportError::write(to, &error))
}

/// How files of results end.
const READ: [&str; 4] = ["parquet", "csv", "json", "toml"];
