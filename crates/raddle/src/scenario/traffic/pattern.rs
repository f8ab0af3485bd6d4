//! What a kind of traffic is to the rest of a scenario.

use super::TrafficSection;
use crate::scenario::fault::FaultSection;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::key::{Key, Section};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::topology::Topology;
use crate::study::metric::Metric;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::{Flow, Traffic, WorkloadError};
use std::fmt::Debug;
use std::sync::Arc;

/// A kind of traffic.
pub(crate) struct Kind {
    /// Its keys, the word that selects it, and who sends to whom.
    pub(crate) section: &'static Section,
    /// What it may have of its own if it draws something.
    pub(crate) seed: Option<&'static Key>,
    /// The class of its flows.
    pub(crate) class: &'static Key,
    /// What it is asked by where nobody says: the first of these that its runs have.
    pub(crate) asked_by: &'static [&'static Metric],
    /// Reads its keys. The number is the class of flows that name none of their own.
    pub(crate) read: fn(&mut Reader<'_>, &Files, u8) -> Option<Made>,
}

impl Kind {
    /// The word that selects it.
    pub(crate) const fn word(&self) -> &'static str {
        match self.section.kind {
            Some(word) => word,
            None => "",
        }
    }
}

/// What was read of a section.
pub(crate) struct Made {
    pub(crate) pattern: Arc<dyn Pattern>,
    /// The keys of the kind with every default filled in.
    pub(crate) lines: Vec<String>,
    /// `8 MiB permutation`.
    pub(crate) title: String,
    /// Files that decide about the traffic.
    pub(crate) files: Vec<NamedFile>,
}

/// Why traffic does not fit a fabric.
pub(crate) enum Misfit {
    /// A quantity of the pattern.
    Workload(WorkloadError),
    /// What a file says.
    File(String),
}

impl From<WorkloadError> for Misfit {
    fn from(error: WorkloadError) -> Self {
        Self::Workload(error)
    }
}

/// A sender, a receiver, and what the one sends to the other.
pub(crate) type MeanBytes = (HostId, HostId, f64);

/// What generates the flows.
pub(crate) trait Pattern: Debug + Send + Sync {
    /// The flows of a seed.
    ///
    /// # Errors
    /// What does not fit the fabric.
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit>;

    /// About how many flows there are, known without making them: one a host, or what a kind that
    /// may have more says.
    fn flows(&self, fabric: &Fabric) -> u64 {
        fabric.hosts.into()
    }

    /// What hosts send to each other on the mean: for most that is what they send.
    ///
    /// # Errors
    /// What does not fit the fabric.
    fn mean_bytes(&self, fabric: &Fabric, seed: u64) -> Result<Vec<MeanBytes>, Misfit> {
        let flows = self.generate(fabric, seed)?.flows;
        let bytes = |flow: &Flow| (flow.source, flow.destination, flow.bytes.0 as f64);
        Ok(flows.iter().map(bytes).collect())
    }

    /// Whether a seed decides about it, where the kind draws something.
    fn draws_pairs(&self) -> bool {
        self.nothing_drawn().is_none()
    }

    /// The largest message there can be.
    fn largest(&self) -> Bytes;

    /// The key that decides how large messages are.
    fn message_key(&self) -> &'static str {
        "message"
    }

    /// What of the section has it that nothing is drawn, if so.
    fn nothing_drawn(&self) -> Option<&'static str> {
        None
    }

    /// Position and class of every flow, where flows may have classes of their own.
    fn own_classes(&self) -> Option<Vec<(usize, u8)>> {
        None
    }

    /// Adds what does not fit the fabric, as far as it shows without a seed and without generating
    /// large traffic.
    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        if let Err(misfit) = self.generate(fabric, 0) {
            log.add(section.problem(&misfit));
        }
    }

    /// Faults that come with the traffic.
    fn faults(&self, _: &TrafficSection, _: &Topology, _: &Log) -> Vec<FaultSection> {
        Vec::new()
    }
}
