//! `[fabric] topology`: hosts, switches and cables.
//!
//! A kind of topology is a file here and a line in [`KINDS`]: its word and keys, how they are read,
//! and the [`Shape`] that builds the fabric.

mod circuits;
mod dumbbell;
mod fat_tree;
mod graph;
mod hpcc_topology;
mod htsim_topo;
mod hybrid;
mod kind;
mod leaf_spine;
mod ports;
mod rail;
mod torus;

pub(crate) use kind::{Kind, Shape};

use super::fault::FaultSection;
use super::files::{Files, NamedFile};
use super::key::{Key, Section, key, kinds};
use super::keyed::Reader;
use super::reader::Log;
use super::scale_up::ScaleUpSection;
use super::scheme::shown;
use super::spec::{Item, Place, quoted};
use kind::Made;
use raddle_schemes::family::Parameter;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::topology::HostPorts;
use raddle_sim::topology::tree::TreeShape;
use std::sync::Arc;

/// Every kind of topology.
const KINDS: &[&Kind] = &[
    &fat_tree::KIND,
    &leaf_spine::KIND,
    &dumbbell::KIND,
    &torus::KIND,
    &rail::KIND,
    &circuits::KIND,
    &graph::KIND,
    &htsim_topo::KIND,
    &hpcc_topology::KIND,
    &hybrid::KIND,
];

/// Their sections.
const SECTIONS: [&Section; KINDS.len()] = {
    let mut sections = [KINDS[0].section; KINDS.len()];
    let mut i = 0;
    while i < sections.len() {
        sections[i] = KINDS[i].section;
        i += 1;
    }
    sections
};

/// The sections of `topology`, one for each kind.
pub fn sections() -> Vec<&'static Section> {
    SECTIONS.to_vec()
}

/// The words of the kinds.
const WORDS: [&str; KINDS.len()] = kinds(&SECTIONS);

/// What selects a topology.
static KIND: Key = key!(kind Word(&WORDS), (required "fat_tree") [], "what the topology is");

/// What all kinds have.
const COMMON: &Section = &Section { keys: &[HOST_DELAY], ..Section::inner("topology", "fabrics") };
const HOST_DELAY: Key = key!(
    host_delay Time, (= "0 ns") [],
    "latency of every host, from the arrival of a frame until the host has it"
);
/// Keys that several kinds have.
const RATE: Key = key!(rate Rate, (= "400 Gbps") [], "of the hosts' links");
const LINK_DELAY: Key =
    key!(link_delay Time, (= "500 ns") [], "propagation on every link, or on the hosts'");
const SWITCH_DELAY: Key = key!(switch_delay Time, (= "500 ns") [], "latency of every switch");
const UPLINK_RATE: Key = key!(uplink_rate Rate, (or "`rate`") [], "of the links between switches");
const UPLINK_DELAY: Key = key!(
    uplink_delay Time, (or "`link_delay`") [], "propagation on the links between switches"
);
const FILE: Key =
    key!(file Path, (required "fabric.txt") [], "a text file, relative to the scenario");

/// A topology whose keys are valid; whether its numbers fit together shows when it is built.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// What to build.
    pub(crate) shape: Arc<dyn Shape>,
    /// The inline table with every default filled in.
    pub(crate) resolved: String,
    /// `3-tier fat tree`.
    pub(crate) title: String,
    /// The rate of its host links, where it is known without building it.
    pub(crate) rate: Option<Rate>,
    /// The file it comes from, if it does.
    pub(crate) file: Option<NamedFile>,
    /// Latency of every host.
    pub(crate) host_delay: Span,
    /// The crossbars of servers, where hosts are GPUs of such.
    pub(crate) scale_up: Option<ScaleUpSection>,
    /// What was typed.
    item: Item,
}

impl Topology {
    /// Where it stands.
    pub(crate) fn place(&self) -> &Place {
        &self.item.place
    }

    /// Messages of this size on are of class 0 and wait for circuits of their own, others of class 1.
    pub(crate) fn bulk(&self) -> Option<Bytes> {
        self.shape.bulk()
    }

    /// Faults that come with it: a file may say that links lose frames.
    pub(crate) fn faults(&self) -> Vec<FaultSection> {
        let lossy = self.shape.lossy().iter();
        lossy.map(|(link, loss)| FaultSection::lossy(link.clone(), *loss, self.place())).collect()
    }
}

/// Reads the topology of `[fabric]`.
pub(crate) fn read(item: &Item, files: &Files, log: &Log) -> Option<Topology> {
    let mut reader = Reader::of("topology", item, log)?;
    let host_delay = reader.get(&HOST_DELAY).unwrap_or(Span::ZERO);
    let word = reader.choice(&KIND)?;
    let kind = KINDS.iter().find(|kind| kind.section.kind == Some(word))?;
    let made = (kind.read)(&mut reader, files);
    reader.finish();
    let Made { shape, mut lines, mut title, rate, file } = made?;
    // Like the latency of hosts their ports are not shown where they are what they would be without
    // the key.
    match shape.host_ports() {
        HostPorts::One => {}
        HostPorts::Planes(planes) => {
            lines.push(pair("planes", &planes));
            title = format!("{title} in {planes} planes");
        }
        HostPorts::Tors(tors) => {
            lines.push(pair("tors_per_host", &tors));
            title = format!("{title} with {tors} ToRs a host");
        }
    }
    if host_delay > Span::ZERO {
        lines.push(pair("host_delay", &host_delay));
    }
    let resolved = format!("{{ kind = \"{word}\", {} }}", lines.join(", "));
    let (scale_up, item) = (None, item.clone());
    Some(Topology { shape, resolved, title, rate, file, host_delay, scale_up, item })
}

/// A key and its value.
fn pair<T: Parameter>(key: &str, value: &T) -> String {
    format!("{key} = {}", shown(value))
}

fn pair_path(key: &str, file: &NamedFile) -> String {
    format!("{key} = {}", quoted(&file.path.display().to_string()))
}

/// The links of hosts, and the latency of switches.
fn links(tree: &TreeShape) -> [String; 3] {
    [
        pair("rate", &tree.rates[0]),
        pair("link_delay", &tree.delays[0]),
        pair("switch_delay", &tree.switch_delays[0]),
    ]
}

/// Rates and delays of upper tiers that are not those of the tier below, which they have by default.
fn tiers_apart(tree: &TreeShape) -> Vec<String> {
    let TreeShape { rates, delays, .. } = tree;
    let three = tree.tiers == 3;
    [
        (delays[1] != delays[0]).then(|| pair("uplink_delay", &delays[1])),
        (three && rates[2] != rates[1]).then(|| pair("core_rate", &rates[2])),
        (three && delays[2] != delays[1]).then(|| pair("core_delay", &delays[2])),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topology_of_the_simulators_list_can_be_named() {
        for kind in raddle_sim::topology::KINDS {
            assert!(WORDS.contains(&kind.name), "{} has no kind here", kind.name);
        }
    }
}
