//! Files that a scenario names, read once and kept as sources for problems.

use super::key::Key;
use super::keyed::Reader;
use super::reader::Log;
use super::spec::{Item, Value};
use crate::import::InputError;
use crate::problem::{Lines, Problem, Source};
use crate::text_file;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files read so far.
pub(crate) struct Files {
    base: PathBuf,
    read: RefCell<Vec<(PathBuf, Arc<str>)>>,
}

/// A file that a scenario names.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    /// Its absolute path.
    pub(crate) path: PathBuf,
    /// Its contents.
    pub(crate) text: Arc<str>,
}

impl Files {
    /// Files whose relative paths start at `base`.
    pub(crate) fn new(base: &Path) -> Self {
        let base = std::path::absolute(base).unwrap_or_else(|_| base.to_path_buf());
        Self { base, read: RefCell::default() }
    }

    /// Reads the file that a key names.
    pub(crate) fn file(&self, reader: &mut Reader<'_>, key: &'static Key) -> Option<NamedFile> {
        let item = reader.demand(key)?;
        let Value::Text(name) = &item.value else {
            wrong_path(item, key, reader.log());
            return None;
        };
        self.named(item, name, reader.log())
    }

    /// The path that a key names, whatever is there.
    pub(crate) fn path(&self, reader: &mut Reader<'_>, key: &'static Key) -> Option<PathBuf> {
        let item = reader.demand(key)?;
        if let Value::Text(name) = &item.value {
            return Some(self.base.join(name));
        }
        wrong_path(item, key, reader.log());
        None
    }

    /// A file that others have read.
    pub(crate) fn keep(&self, file: &NamedFile) {
        self.read.borrow_mut().push((file.path.clone(), file.text.clone()));
    }

    /// Reads the file called `name` by `item`.
    pub(crate) fn named(&self, item: &Item, name: &str, log: &Log) -> Option<NamedFile> {
        let path = self.base.join(name);
        match self.load(&path) {
            Ok(text) => Some(NamedFile { path, text }),
            Err(error) => {
                let problem = item.place.problem(format!("cannot read `{name}`: {error}"));
                log.add(problem.help(format!("looked for {}", path.display())));
                None
            }
        }
    }

    fn load(&self, path: &Path) -> std::io::Result<Arc<str>> {
        let mut read = self.read.borrow_mut();
        if let Some((_, text)) = read.iter().find(|(known, _)| known == path) {
            return Ok(text.clone());
        }
        let text: Arc<str> = text_file::read(path)?.into();
        read.push((path.to_path_buf(), text.clone()));
        Ok(text)
    }

    /// The files as sources that problems can point into.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let source = |(path, text): &(PathBuf, Arc<str>)| Source {
            path: path.clone(),
            text: text.to_string(),
        };
        self.read.borrow().iter().map(source).collect()
    }
}

fn wrong_path(item: &Item, key: &Key, log: &Log) {
    let problem = item.place.problem(format!("wrong value for `{}`", key.word));
    log.add(problem.label("expected a path, quoted"));
}

impl NamedFile {
    /// Its name without folders.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }

    /// A problem at a line, column and length; without a length in the first column, of the whole
    /// line.
    fn problem_in(
        &self,
        lines: &Lines<'_>,
        (line, column, length): (usize, usize, usize),
        message: String,
    ) -> Problem {
        let whole = column == 1 && length == 0;
        let length = if whole { lines.length(line) } else { length };
        lines.problem(&self.path, (line, column, length), message)
    }

    /// Adds the mistakes of an imported file.
    pub(crate) fn report(&self, errors: impl IntoIterator<Item = InputError>, log: &Log) {
        let lines = Lines::new(&self.text);
        for error in errors {
            let place = (error.line, error.column, error.length);
            let problem = self.problem_in(&lines, place, error.message);
            log.add(Problem { help: error.help.into_iter().collect(), ..problem });
        }
    }

    /// Adds the notes on an imported file.
    pub(crate) fn note(&self, notes: &[InputError], log: &Log) {
        for note in notes {
            log.note(format!("{}: {note}", self.path.display()));
        }
    }
}
