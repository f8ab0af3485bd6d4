//! `kind = "tornado"`: to the host half of all hosts further on.

use super::{CLASS, Kind, MESSAGE, Made, Misfit, Pattern, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::tornado::Tornado;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: TornadoKeys = Section::kind("tornado", "every host sends to the one half of all hosts further on").with(JobKeyWords::SECTION) => {
        message => MESSAGE;
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: TornadoKeys::SECTION,
    seed: None,
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let message = reader.at_least(&KEYS.message)?;
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
