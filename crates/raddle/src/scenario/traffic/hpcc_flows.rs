//! `kind = "hpcc_flows"`: a flow file of HPCC's simulator or of one that is derived from it.

use super::{CLASS, Kind, Made, Misfit, OPEN_LOOP, Pattern, TrafficSection, line};
use crate::import::hpcc::Options;
use crate::import::hpcc::flows::{self, FlowFile};
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::quoted;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: HpccFlowsKeys = Section::kind("hpcc_flows", "what a flow file of HPCC's simulator says, or of ConWeave's").with(JobKeyWords::SECTION) => {
        file: Path, (required "flow.txt"),
            "a flow file of HPCC's simulator or of ConWeave's, relative to the scenario";
        origin: Time, (= "0 ns"),
            "the file's time that is the run's time zero; generators begin at 2 s";
        compat: Flag, (= false),
            "read the stream of numbers as HPCC does, wherever lines end";
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: HpccFlowsKeys::SECTION,
    seed: None,
    class: &KEYS.class,
    asked_by: OPEN_LOOP,
    read,
};

/// The flows and the file that they were read from.
#[derive(Debug)]
struct FromFile {
    flows: FlowFile,
    file: NamedFile,
}

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let compat = reader.or(&KEYS.compat);
    let origin: Span = reader.or(&KEYS.origin);
    let file = files.file(reader, &KEYS.file)?;
    let report = |errors| file.report(errors, reader.log());
    let flows = flows::parse(&file.text, Time(origin.0), Options { compat });
    let flows = flows.map_err(report).ok()?;
    file.note(&flows.notes, reader.log());
    let path = quoted(&file.path.display().to_string());
    Some(Made {
        pattern: Arc::new(FromFile { flows, file: file.clone() }),
        lines: vec![format!("file = {path}"), line("origin", &origin), line("compat", &compat)],
        title: file.name(),
        files: vec![file],
    })
}

impl Pattern for FromFile {
    /// What is wrong with it on this fabric was reported when the scenario was checked.
    fn generate(&self, fabric: &Fabric, _: u64) -> Result<Traffic, Misfit> {
        self.flows.traffic(fabric).map_err(|errors| {
            Misfit::File(errors.first().map_or(String::new(), ToString::to_string))
        })
    }

    fn flows(&self, _: &Fabric) -> u64 {
        self.flows.flows.len() as u64
    }

    fn largest(&self) -> Bytes {
        self.flows.flows.iter().map(|flow| flow.bytes).max().unwrap_or_default()
    }

    fn message_key(&self) -> &'static str {
        "file"
    }

    fn check(&self, _: &TrafficSection, fabric: &Fabric, log: &Log) {
        if let Err(errors) = self.flows.traffic(fabric) {
            self.file.report(errors, log);
        }
    }
}
