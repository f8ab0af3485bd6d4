//! `kind = "hpcc_flows"`: a flow file of HPCC's simulator or of one that is derived from it.

use super::{Kind, Made, Misfit, OPEN_LOOP, Pattern, TrafficSection, line};
use crate::import::hpcc::Options;
use crate::import::hpcc::flows::{self, FlowFile};
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::reader::{Log, Reader};
use crate::scenario::spec::quoted;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "hpcc_flows",
    summary: "what a flow file of HPCC's simulator says, or of ConWeave's",
    draws: false,
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
    let compat = reader.or("compat", false);
    let origin = reader.or("origin", Span::ZERO);
    let file = files.file(reader, "\"flow.txt\"")?;
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
