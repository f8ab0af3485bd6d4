//! `kind = "permutation"`: everyone sends to one other and receives from one.

use super::{Kind, Made, Misfit, Pattern, line, message};
use crate::scenario::files::Files;
use crate::scenario::reader::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::permutation::{NextTorPermutation, Permutation};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "permutation",
    summary: "every host sends to one other and receives from one",
    draws: true,
    asked_by: BY_COMPLETION,
    read,
};

raddle_schemes::words! {
    /// Whom hosts send to.
    pub enum Receivers {
        /// Any other host.
        Any = "any",
        /// One below the ToR with the next number.
        NextTor = "next_tor",
    }
}

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let message = message(reader);
    let receivers = reader.or("receivers", Receivers::Any);
    if receivers == Receivers::NextTor {
        let with = "`receivers = \"any\"`";
        reader.misplaced("inter_pod_only", "with `receivers = \"next_tor\"`", with);
        let message = message?;
        return Some(Made {
            pattern: Arc::new(NextTorPermutation { message }),
            lines: vec![line("message", &message), line("receivers", &receivers)],
            title: format!("{message} permutation to next ToRs"),
            files: Vec::new(),
        });
    }
    let inter_pod_only = reader.or("inter_pod_only", false);
    let message = message?;
    Some(Made {
        pattern: Arc::new(Permutation { message, inter_pod_only }),
        lines: vec![line("message", &message), line("inter_pod_only", &inter_pod_only)],
        title: format!("{message} {}permutation", if inter_pod_only { "inter-pod " } else { "" }),
        files: Vec::new(),
    })
}

impl Pattern for Permutation {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(Permutation::generate(self, fabric.hosts, &|host| fabric.pod(host), seed)?)
    }

    fn largest(&self) -> Bytes {
        self.message
    }
}

impl Pattern for NextTorPermutation {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(NextTorPermutation::generate(self, fabric, seed)?)
    }

    fn largest(&self) -> Bytes {
        self.message
    }
}
