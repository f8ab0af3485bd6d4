//! `kind = "incast"`: many to one.

use super::{CLASS, Kind, MESSAGE, Made, Misfit, Pattern, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::incast::Incast;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: IncastKeys = Section::kind("incast", "several hosts send to one").with(JobKeyWords::SECTION) => {
        senders: Whole, (required 1) [>= 1],
            "how many";
        receiver: Whole, (= 0),
            "the host they send to";
        message => MESSAGE;
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: IncastKeys::SECTION,
    seed: None,
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let senders = reader.at_least(&KEYS.senders);
    let receiver = reader.or(&KEYS.receiver);
    let message = reader.at_least(&KEYS.message)?;
    let senders = senders?;
    Some(Made {
        pattern: Arc::new(Incast { senders, receiver: HostId(receiver), message }),
        lines: vec![
            line("senders", &senders),
            line("receiver", &receiver),
            line("message", &message),
        ],
        title: format!("{senders}:1 incast of {message}"),
        files: Vec::new(),
    })
}

impl Pattern for Incast {
    fn generate(&self, fabric: &Fabric, _: u64) -> Result<Traffic, Misfit> {
        Ok(Incast::generate(self, fabric.hosts)?)
    }

    fn largest(&self) -> Bytes {
        self.message
    }
}
