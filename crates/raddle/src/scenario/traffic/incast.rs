//! `kind = "incast"`: many to one.

use super::{Kind, Made, Misfit, Pattern, line, message};
use crate::scenario::files::Files;
use crate::scenario::reader::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::incast::Incast;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "incast",
    summary: "several hosts send to one",
    draws: false,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let senders = reader.at_least("senders", 1, None);
    let receiver = reader.or("receiver", 0);
    let message = message(reader)?;
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
