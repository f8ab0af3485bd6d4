//! `kind = "tornado"`: to the host half of all hosts further on.

use super::{Kind, Made, Misfit, Pattern, line, message};
use crate::scenario::files::Files;
use crate::scenario::reader::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::tornado::Tornado;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "tornado",
    summary: "every host sends to the one half of all hosts further on",
    draws: false,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let message = message(reader)?;
    Some(Made {
        pattern: Arc::new(Tornado { message }),
        lines: vec![line("message", &message)],
        title: format!("{message} tornado"),
        files: Vec::new(),
    })
}

impl Pattern for Tornado {
    fn generate(&self, fabric: &Fabric, _: u64) -> Result<Traffic, Misfit> {
        Ok(Tornado::generate(self, fabric.hosts)?)
    }

    fn largest(&self) -> Bytes {
        self.message
    }
}
