//! `kind = "permutation"`: everyone sends to one other and receives from one.

use super::{CLASS, Kind, MESSAGE, Made, Misfit, Pattern, SEED, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::permutation::{NextTorPermutation, Permutation};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: PermutationKeys = Section::kind("permutation", "every host sends to one other and receives from one").with(JobKeyWords::SECTION) => {
        message => MESSAGE;
        receivers: Word(Receivers::WORDS), (= "any"),
            "`any` other host, or one below the `next_tor` (of the last ToR, the first), where ToRs have equally many hosts";
        inter_pod_only: Flag, (= false),
            "whether every message has to leave its pod; not beside `next_tor`";
        seed => SEED;
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: PermutationKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
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
    let message = reader.at_least(&KEYS.message);
    let receivers: Receivers = reader.or(&KEYS.receivers);
    if receivers == Receivers::NextTor {
        let with = "`receivers = \"any\"`";
        reader.misplaced(&KEYS.inter_pod_only, "with `receivers = \"next_tor\"`", with);
        let message = message?;
        return Some(Made {
            pattern: Arc::new(NextTorPermutation { message }),
            lines: vec![line("message", &message), line("receivers", &receivers)],
            title: format!("{message} permutation to next ToRs"),
            files: Vec::new(),
        });
    }
    let inter_pod_only = reader.or(&KEYS.inter_pod_only);
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
