//! What a kind of topology is to the rest of a scenario.

use super::Topology;
use crate::problem::Problem;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::key::Section;
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Place, Table};
use raddle_schemes::units::{Bytes, Rate, Time};
use raddle_sim::topology::HostPorts;
use raddle_sim::topology::shape_error::ShapeError;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::topology::{self, Fabric};
use std::fmt::Debug;
use std::sync::Arc;

/// A kind of topology.
pub(crate) struct Kind {
    /// Its keys, the word that selects it, and what it is.
    pub(crate) section: &'static Section,
    /// Reads its keys.
    pub(crate) read: fn(&mut Reader<'_>, &Files) -> Option<Made>,
}

/// What was read of a topology.
pub(crate) struct Made {
    /// What to build.
    pub(crate) shape: Arc<dyn Shape>,
    /// The keys of the kind with every default filled in, but for those of hosts.
    pub(crate) lines: Vec<String>,
    /// `3-tier fat tree`.
    pub(crate) title: String,
    /// The rate of its host links, where it is known without building it.
    pub(crate) rate: Option<Rate>,
    /// The file it comes from, if it does.
    pub(crate) file: Option<NamedFile>,
}

/// What builds the fabric: a topology of the simulator's list, or what a file says.
pub(crate) trait Shape: Debug + Send + Sync {
    /// How many hosts it has, or more; 0 where only building it shows.
    fn hosts(&self) -> u64;

    /// The fabric; what is wrong with it is added to the log.
    fn build(&self, topology: &Topology, log: &Log) -> Option<Fabric>;

    /// Whether it is to be made for the traffic; what [`build`](Self::build) makes has all hosts in their
    /// places then, and stands in until the traffic is known.
    fn follows_traffic(&self) -> bool {
        false
    }

    /// The fabric for what ToRs send to each other; what is wrong with it is added to the log.
    fn build_for(&self, _: &[Vec<f64>], topology: &Topology, log: &Log) -> Option<Fabric> {
        self.build(topology, log)
    }

    /// The tree that it is, for what goes by places in a tree.
    fn tree(&self) -> Option<&TreeShape> {
        None
    }

    /// The ports of its hosts.
    fn host_ports(&self) -> HostPorts {
        HostPorts::One
    }

    /// GPUs of its servers, where hosts are such.
    fn gpus(&self) -> Option<u32> {
        None
    }

    /// Messages of this size on wait for circuits of their own, where they do.
    fn bulk(&self) -> Option<Bytes> {
        None
    }

    /// When its links are there by another schedule, and where that was typed.
    fn changes(&self) -> Vec<(Time, &Place)> {
        Vec::new()
    }

    /// The links that lose frames: a port's name, and the chance of each frame.
    fn lossy(&self) -> &[(String, f64)] {
        &[]
    }
}

impl<T: topology::Topology> Shape for T {
    fn hosts(&self) -> u64 {
        topology::Topology::hosts(self)
    }

    fn build(&self, topology: &Topology, log: &Log) -> Option<Fabric> {
        let table = topology.item.table();
        let at_key = |error| log.add(shape_problem(&error, table, topology.place()));
        topology::Topology::build(self).map_err(at_key).ok()
    }

    fn tree(&self) -> Option<&TreeShape> {
        topology::Topology::tree(self)
    }

    fn host_ports(&self) -> HostPorts {
        topology::Topology::host_ports(self)
    }

    fn gpus(&self) -> Option<u32> {
        topology::Topology::gpus(self)
    }
}

/// Adds a shape's error where its keys are read.
pub(super) fn misfit(error: &ShapeError, reader: &Reader<'_>) {
    reader.log().add(shape_problem(error, Some(reader.whole()), reader.place()));
}

/// A shape's error at the key that it is about.
fn shape_problem(error: &ShapeError, table: Option<&Table>, whole: &Place) -> Problem {
    let found = table.and_then(|table| table.get(error.quantity()));
    let place = found.map_or(whole, |value| &value.place);
    match error.to_string().split_once("; ") {
        Some((message, remedy)) => place.problem(message).label(remedy),
        None => place.problem(error.to_string()),
    }
}
