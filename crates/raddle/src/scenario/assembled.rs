//! Scenarios that are put together from tables, one by one, rather than read from one text.

use super::build::Fabrics;
use super::files::Files;
use super::reader::Log;
use super::spec::{Place, Table};
use super::{Scenario, defaults};
use crate::problem::{Problem, Source};
use std::path::Path;

/// What scenarios share that are put together: files, and fabrics.
pub(crate) struct Assembler {
    files: Files,
    fabrics: Fabrics,
    defaults: Table,
}

impl Assembler {
    /// One whose scenarios name files relative to `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            files: Files::new(folder),
            fabrics: Fabrics::default(),
            defaults: defaults::defaults(),
        }
    }

    /// The scenario of a table. Keys that change nothing in it are accepted: they may in others.
    ///
    /// # Errors
    /// Every problem, in the order in which they were found.
    pub(crate) fn scenario(&mut self, table: &Table) -> Result<Scenario, Vec<Problem>> {
        let log = Log::default();
        let start = Place::default();
        let mut table = table.clone();
        table.fill(&self.defaults, &start);
        let read = Scenario::read(&table, &start, &self.files, &mut self.fabrics, &log);
        log.settle(true);
        let problems = log.into_problems();
        read.filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// The files that were read, for problems to point into.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.files.sources()
    }
}
