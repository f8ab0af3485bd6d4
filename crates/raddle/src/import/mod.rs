//! Foreign formats, read strictly: what the original program would misread without a word is an
//! error that says so.
//!
//! Every parser reports all mistakes of its input at once, each with its place.

pub mod hpcc;
pub mod htsim_cm;
pub mod htsim_topo;
pub mod trace;
mod words;

use std::fmt;

/// A mistake in an input file, or a note on something accepted, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The line, counted from 1.
    pub line: usize,
    /// The first character it is about, counted from 1 in characters.
    pub column: usize,
    /// How many characters it is about; 0 for a line as a whole.
    pub length: usize,
    /// What is wrong, and what the original program would do with it.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for InputError {}

/// Where something stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: usize,
    column: usize,
    length: usize,
}

impl Place {
    /// A line as a whole.
    fn line(line: usize) -> Self {
        Self { line, column: 1, length: 0 }
    }

    fn error(self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError { help: Some(help.into()), ..self.note(message) }
    }

    fn note(self, message: impl Into<String>) -> InputError {
        let Self { line, column, length } = self;
        InputError { line, column, length, message: message.into(), help: None }
    }
}
