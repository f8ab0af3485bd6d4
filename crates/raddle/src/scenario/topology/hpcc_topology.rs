//! `kind = "hpcc_topology"`: any graph, from a file of HPCC's simulator.

use super::kind::{Kind, Made, Shape};
use super::{COMMON, Topology, pair, pair_path};
use crate::import::hpcc;
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use raddle_sim::topology::Fabric;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: HpccTopologyKeys = Section::kind("hpcc_topology", "any graph, from a file of HPCC's simulator").with(COMMON) => {
        file: Path, (required "topology.txt"),
            "a topology file of HPCC's simulator, relative to the scenario";
        compat: Flag, (= false),
            "read the stream of numbers as HPCC does, wherever lines end";
    }
}

pub(super) const KIND: Kind = Kind { section: HpccTopologyKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let compat = reader.or(&KEYS.compat);
    let file = files.file(reader, &KEYS.file)?;
    let log = reader.log();
    let report = |errors| file.report(errors, log);
    let read = hpcc::topology::parse(&file.text, hpcc::Options { compat }).map_err(report).ok()?;
    file.note(&read.notes, log);
    let compat = compat.then(|| pair("compat", &true));
    Some(Made {
        lines: [pair_path("file", &file)].into_iter().chain(compat).collect(),
        title: file.name(),
        rate: None,
        file: Some(file),
        shape: Arc::new(Described { fabric: read.fabric, lossy: read.lossy }),
    })
}

/// What a file describes.
#[derive(Debug)]
struct Described {
    fabric: Fabric,
    lossy: Vec<(String, f64)>,
}

impl Shape for Described {
    fn hosts(&self) -> u64 {
        self.fabric.hosts.into()
    }

    fn build(&self, _: &Topology, _: &Log) -> Option<Fabric> {
        Some(self.fabric.clone())
    }

    fn lossy(&self) -> &[(String, f64)] {
        &self.lossy
    }
}
