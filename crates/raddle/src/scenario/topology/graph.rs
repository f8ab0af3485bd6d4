//! `kind = "graph"`: any graph, from a file.

use super::kind::{Kind, Made, Shape};
use super::{COMMON, FILE, Topology, pair_path};
use crate::import::InputError;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::graph::{GraphError, parse_graph};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: GraphKeys = Section::kind("graph", "any graph, from a file").with(COMMON) => {
        file => FILE;
    }
}

pub(super) const KIND: Kind = Kind { section: GraphKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let file = files.file(reader, &KEYS.file)?;
    Some(Made {
        lines: vec![pair_path("file", &file)],
        title: file.name(),
        rate: None,
        file: Some(file.clone()),
        shape: Arc::new(Graph(file)),
    })
}

#[derive(Debug)]
struct Graph(NamedFile);

impl Shape for Graph {
    fn hosts(&self) -> u64 {
        0
    }

    fn build(&self, _: &Topology, log: &Log) -> Option<Fabric> {
        let mistake = |error: GraphError| InputError {
            line: error.line,
            column: error.column,
            length: error.length,
            message: error.message,
            help: error.help,
        };
        let report = |errors: Vec<GraphError>| {
            self.0.report(errors.into_iter().map(mistake), log);
        };
        parse_graph(&self.0.text).map_err(report).ok()
    }
}
