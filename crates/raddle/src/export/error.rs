//! Why nothing is exported, or not all of it.

use crate::results::ResultsError;
use crate::study::place::at;
use crate::study::tables::TableError;
use crate::study::text::count;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The folder's runs cannot be read.
    Results(ResultsError),
    /// The run's folder, what it lacks, and the line of a scenario that records it.
    NotRecorded(PathBuf, &'static str, String),
    /// The run's folder, a flow whose packets it lacks, and how many flows' it has.
    NoSuchFlow(PathBuf, u64, usize),
    /// How many hops there are, and how many at most a trace may have.
    TooManyHops(u64, u64),
    /// A folder that has the runs which are to be written into it.
    OwnFolder(PathBuf),
    /// A file could not be written.
    Write(PathBuf, String),
}

impl ExportError {
    /// Whether it is what was asked for that is wrong, and not the writing of it.
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Write(..))
    }

    pub(super) fn write(path: &Path, error: &io::Error) -> Self {
        Self::Write(path.to_path_buf(), error.to_string())
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Results(error) => error.fmt(f),
            Self::NotRecorded(folder, what, line) => write!(
                f,
                "{}: {what} not recorded; the same scenario with this line records that, and changes \
                 nothing else:\n{line}",
                folder.display()
            ),
            Self::NoSuchFlow(folder, flow, of) => write!(
                f,
                "{}: packets of flow {flow} were not recorded, but of {of} others; the same scenario \
                 with this line records them, and changes nothing else:\nrecord.flows = [{flow}]",
                folder.display()
            ),
            Self::TooManyHops(hops, most) => write!(
                f,
                "{} hops are more than {}: a browser holds a trace as a whole; choose flows by \
                 `--flows`, or say `--hops {hops}`",
                count(*hops),
                count(*most)
            ),
            Self::OwnFolder(folder) => write!(
                f,
                "{}: the runs are read from this folder; write into another",
                folder.display()
            ),
            Self::Write(path, why) => f.write_str(&at(path, why)),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<ResultsError> for ExportError {
    fn from(error: ResultsError) -> Self {
        Self::Results(error)
    }
}

impl From<TableError> for ExportError {
    fn from(error: TableError) -> Self {
        Self::Results(error.into())
    }
}
