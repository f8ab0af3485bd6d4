//! What is wrong with a trace, and where.

use std::fmt;

/// More mistakes than this are counted.
pub(super) const SHOWN: usize = 20;

/// A mistake in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Which of the trace's files it is in; of a trace in one file the first.
    pub file: usize,
    /// Where it is there.
    pub at: At,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    #[default]
    File,
    /// A line, a column in characters, both from 1, and how many characters; 0 for a whole line.
    Line(usize, usize, usize),
    /// A byte, from 0.
    Byte(u64),
}

impl fmt::Display for TraceError {
    /// Without the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::File => {}
            At::Line(line, _, 0) => write!(f, "line {line}: ")?,
            At::Line(line, column, _) => write!(f, "line {line}, column {column}: ")?,
            At::Byte(byte) => write!(f, "byte {byte}: ")?,
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// The mistakes of a trace, the first of which are kept, and notes on what was accepted.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    errors: Vec<TraceError>,
    more: u64,
    pub(super) notes: Vec<String>,
    /// The file that is read.
    pub(super) file: usize,
}

impl Mistakes {
    pub(super) fn error(&mut self, at: At, message: impl Into<String>, help: impl Into<String>) {
        self.add(at, message.into(), Some(help.into()));
    }

    pub(super) fn add(&mut self, at: At, message: String, help: Option<String>) {
        if self.errors.len() < SHOWN {
            self.errors.push(TraceError { file: self.file, at, message, help });
        } else {
            self.more += 1;
        }
    }

    /// Whether reading on would only repeat what is known.
    pub(super) fn enough(&self) -> bool {
        self.more >= 1_000
    }

    pub(super) fn failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The notes, or the errors if there are any.
    pub(super) fn finish(mut self) -> Result<Vec<String>, Vec<TraceError>> {
        if self.errors.is_empty() {
            return Ok(self.notes);
        }
        if self.more > 0 {
            let message = format!("{} more mistakes like these", self.more);
            let file = self.errors[0].file;
            self.errors.push(TraceError { file, at: At::File, message, help: None });
        }
        Err(self.errors)
    }
}
