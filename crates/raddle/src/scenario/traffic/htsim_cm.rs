//! `kind = "htsim_cm"`: a connection matrix of htsim.

use super::{CLASS, Kind, Made, Misfit, Pattern, TrafficSection, line};
use crate::import::htsim_cm::{self, CmOptions, ConnectionMatrix, Cut};
use crate::scenario::fault::FaultSection;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::quoted;
use crate::scenario::topology::Topology;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: HtsimCmKeys = Section::kind("htsim_cm", "what a connection matrix of htsim says").with(JobKeyWords::SECTION) => {
        file: Path, (required "permutation.cm"),
            "a connection matrix (`.cm`) of htsim, relative to the scenario";
        compat: Flag, (= false),
            "do what htsim does where it misreads its input";
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: HtsimCmKeys::SECTION,
    seed: None,
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

/// A matrix and the file that it was read from.
#[derive(Debug)]
struct Matrix {
    matrix: ConnectionMatrix,
    file: NamedFile,
}

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let compat = reader.or(&KEYS.compat);
    let file = files.file(reader, &KEYS.file)?;
    let report = |errors| file.report(errors, reader.log());
    let matrix = htsim_cm::parse(&file.text, CmOptions { compat }).map_err(report).ok()?;
    file.note(&matrix.notes, reader.log());
    let path = quoted(&file.path.display().to_string());
    Some(Made {
        pattern: Arc::new(Matrix { matrix, file: file.clone() }),
        lines: vec![format!("file = {path}"), line("compat", &compat)],
        title: file.name(),
        files: vec![file],
    })
}

impl Pattern for Matrix {
    /// What is wrong with it on this fabric was reported when the scenario was checked.
    fn generate(&self, fabric: &Fabric, _: u64) -> Result<Traffic, Misfit> {
        let made = self.matrix.traffic(fabric.hosts).map(|(traffic, _)| traffic);
        made.map_err(|errors| {
            Misfit::File(errors.first().map_or(String::new(), ToString::to_string))
        })
    }

    fn flows(&self, _: &Fabric) -> u64 {
        self.matrix.connections.len() as u64
    }

    fn largest(&self) -> Bytes {
        self.matrix.connections.iter().filter_map(|c| c.size).max().unwrap_or_default()
    }

    fn message_key(&self) -> &'static str {
        "file"
    }

    fn check(&self, _: &TrafficSection, fabric: &Fabric, log: &Log) {
        match self.matrix.traffic(fabric.hosts) {
            Ok((_, notes)) => self.file.note(&notes, log),
            Err(errors) => self.file.report(errors, log),
        }
    }

    /// A connection matrix may cut cables of a tree.
    fn faults(
        &self,
        section: &TrafficSection,
        topology: &Topology,
        log: &Log,
    ) -> Vec<FaultSection> {
        if self.matrix.failures.is_empty() {
            return Vec::new();
        }
        let place = section.place_of("file");
        let Some(shape) = topology.shape.tree() else {
            let problem = place.problem("the matrix cuts cables by their place in a tree");
            log.add(problem.label("expected a topology that is a tree"));
            return Vec::new();
        };
        match self.matrix.cuts(shape) {
            Ok((cuts, notes)) => {
                self.file.note(&notes, log);
                let parallel = shape.parallel[1];
                let link = |cut: &Cut| format!("agg{}.up{}", cut.agg, cut.core_of_agg * parallel);
                cuts.iter().map(|cut| FaultSection::cut(link(cut), place)).collect()
            }
            Err(errors) => {
                self.file.report(errors, log);
                Vec::new()
            }
        }
    }
}
